//! The challenges of `WWW-Authenticate` headers.

use crate::{error::Challenge, transport::HttpHead};

/// All challenges of all headers, in order. A header that breaks the grammar adds what stands before the fault.
pub(crate) fn all(head: &HttpHead) -> Vec<Challenge> {
    let mut challenges = Vec::new();
    for value in head.headers.get_all("www-authenticate") {
        let Ok(value) = value.to_str() else { continue };
        for challenge in http_auth::parser::ChallengeParser::new(value) {
            let Ok(challenge) = challenge else { break };
            let params = challenge
                .params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.to_unescaped()))
                .collect();
            challenges.push(Challenge::new(challenge.scheme, params));
        }
    }
    challenges
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    fn challenges(values: &[&str]) -> Vec<Challenge> {
        let mut map = HeaderMap::new();
        for value in values {
            map.append("www-authenticate", HeaderValue::from_str(value).unwrap());
        }
        all(&HttpHead::new(401, map))
    }

    #[test]
    fn several_challenges_in_one_header_and_in_several() {
        let found = challenges(&[
            r#"Bearer resource_metadata="https://a.example/.well-known/x", scope="a b", Basic realm="q\"uoted""#,
            "Negotiate",
        ]);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].scheme, "Bearer");
        assert_eq!(found[0].param("Resource_Metadata"), Some("https://a.example/.well-known/x"));
        assert_eq!(found[0].param("scope"), Some("a b"));
        assert_eq!(found[1].param("realm"), Some("q\"uoted"));
        assert_eq!(found[2], Challenge::new("Negotiate", vec![]));
        assert!(!format!("{:?}", found[0]).contains("a.example"));
    }

    #[test]
    fn a_broken_header_hides_no_other() {
        let found = challenges(
            &["Bearer scope=\"unclosed", "\u{7f}", "Basic realm=x"]
                .map(|v| if v == "\u{7f}" { "===" } else { v }),
        );
        assert_eq!(found.last().map(|challenge| challenge.scheme.as_str()), Some("Basic"));
    }
}
