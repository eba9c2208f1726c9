//! URIs as they may be shown: without the parts that may be secret.

use std::borrow::Cow;

use mcp_types::{Method, method::ReadResource};

/// What a request names, as it may be shown: of a URI only its bare part, names as they are.
pub(crate) fn shown<'a>(method: &str, target: &'a str) -> Cow<'a, str> {
    if method == ReadResource::NAME { bare(target) } else { Cow::Borrowed(target) }
}

/// A URI without query, fragment and credentials; of `data:` and the like, which hold content, the scheme.
pub(crate) fn bare(uri: &str) -> Cow<'_, str> {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let (uri, _) = uri.split_at(end);
    match uri.split_once("://") {
        None => Cow::Borrowed(uri.split_once(':').map_or(uri, |(scheme, _)| scheme)),
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            match authority.rsplit_once('@') {
                Some((_, host)) => format!("{scheme}://{host}{path}").into(),
                None => Cow::Borrowed(uri),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_uri_nothing_is_told_that_may_be_secret() {
        for (uri, told) in [
            ("https://user:pass@a.example/x?key=1#y", "https://a.example/x"),
            ("file:///a@b/c", "file:///a@b/c"),
            ("postgres://db/customers?sslpassword=1", "postgres://db/customers"),
            ("data:text/plain,secret", "data"),
            ("config", "config"),
            ("https://a@b@c", "https://c"),
            ("", ""),
        ] {
            assert_eq!(bare(uri), told, "{uri}");
        }
    }
}
