//! Why a server refused a request before it looked at what is asked.

use std::{borrow::Cow, error::Error, fmt};

use mcp_types::{ProtocolVersion, RawJson};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// How many of the versions that a server names are read.
const MAX_VERSIONS: usize = 256;
/// Longer versions than this, in bytes, are none that anybody speaks.
const MAX_VERSION_BYTES: usize = 128;
/// How many versions or headers a text names.
const MAX_SHOWN: usize = 16;
/// How many characters of each of them.
const MAX_SHOWN_CHARS: usize = 64;

/// What client and server do not agree on, where the server refused a request for that: see
/// [`CallError::mismatch`](super::CallError::mismatch). Whatever the client can mend was tried before.
///
/// It is the `source()` of the error. Its text names both sides, with what is the server's escaped and cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// -32022: no version is spoken by both sides, or the server does not keep to its own list ([versioning], protocol
    /// version negotiation).
    ///
    /// [versioning]: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
    Versions {
        /// What this client speaks, newest first.
        spoken: Vec<ProtocolVersion>,
        /// What the server says that it supports, in its order; empty where it does not say.
        supported: Vec<ProtocolVersion>,
    },
    /// -32020: headers are missing, or say something else than the body ([streamable HTTP], server validation). Where those
    /// that were sent are right, a proxy on the way may have removed or changed them.
    ///
    /// [streamable HTTP]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
    Headers {
        /// The names of the headers that were sent and mirror the body, in lower case.
        sent: Vec<String>,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Versions { spoken, supported } => {
                write!(f, "the client speaks {}, ", Names(spoken, ProtocolVersion::as_str))?;
                match supported.as_slice() {
                    [] => f.write_str("and the server does not say what it supports"),
                    supported => write!(f, "the server {}", Names(supported, ProtocolVersion::as_str)),
                }
            }
            Self::Headers { sent } => write!(
                f,
                "the headers that mirror the body were sent ({}); a proxy may have removed or changed some",
                Names(sent, String::as_str)
            ),
        }
    }
}

impl Error for Mismatch {}

/// A list in words, of what may come from the server.
struct Names<'a, T>(&'a [T], fn(&T) -> &str);

impl<T> fmt::Display for Names<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().take(MAX_SHOWN).enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            for c in (self.1)(name).chars().flat_map(char::escape_debug).take(MAX_SHOWN_CHARS) {
                write!(f, "{c}")?;
            }
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The versions in the data of a -32022, as far as they are strings: what else is wrong with the data costs nothing.
pub(super) fn supported_versions(data: &RawJson) -> Option<Vec<ProtocolVersion>> {
    let Data(supported) = serde_json::from_str(data.get()).ok()?;
    let Versions(versions) = serde_json::from_str(supported?.get()).ok()?;
    Some(versions)
}

/// Of all members one is kept; as everywhere, the last of that name.
struct Data<'a>(Option<&'a RawValue>);

impl<'de> Deserialize<'de> for Data<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DataVisitor;

        impl<'de> Visitor<'de> for DataVisitor {
            type Value = Data<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut supported = None;
                while let Some(name) = map.next_key::<Cow<'_, str>>()? {
                    if name == "supported" {
                        supported = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Data(supported))
            }
        }

        deserializer.deserialize_map(DataVisitor)
    }
}

struct Versions(Vec<ProtocolVersion>);

impl<'de> Deserialize<'de> for Versions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VersionsVisitor;

        impl<'de> Visitor<'de> for VersionsVisitor {
            type Value = Versions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut versions = Vec::new();
                while let Some(raw) = seq.next_element::<&RawValue>()? {
                    if versions.len() < MAX_VERSIONS && raw.get().len() <= MAX_VERSION_BYTES {
                        versions.extend(serde_json::from_str::<ProtocolVersion>(raw.get()).ok());
                    }
                }
                Ok(Versions(versions))
            }
        }

        deserializer.deserialize_seq(VersionsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &str) -> Option<Vec<String>> {
        let versions = supported_versions(&RawJson::from_text(data.to_owned()).unwrap());
        versions.map(|versions| versions.iter().map(|version| version.as_str().to_owned()).collect())
    }

    #[test]
    fn ver_05_versions_are_read_as_far_as_they_are_strings() {
        for (data, expected) in [
            (r#"{"supported":["2026-07-28"],"requested":"x"}"#, Some(&["2026-07-28"][..])),
            (r#"{"supported":["b","2026-07-28","DRAFT-1",""]}"#, Some(&["b", "2026-07-28", "DRAFT-1", ""])),
            (r#"{"supported":[1,null,"a",{"b":"c"},["d"]],"requested":7}"#, Some(&["a"])),
            (r#"{"supported":[]}"#, Some(&[])),
            (r#"{"supported":["a"],"supported":["b"]}"#, Some(&["b"])),
            (r#"{"s\u0075pported":["\u0061"]}"#, Some(&["a"])),
            (r#"{"supported":"2026-07-28"}"#, None),
            (r#"{"supported":null}"#, None),
            (r#"{"supported":{"0":"a"}}"#, None),
            ("{}", None),
            (r#"["2026-07-28"]"#, None),
            ("null", None),
        ] {
            let expected = expected.map(|list| list.iter().map(|text| (*text).to_owned()).collect());
            assert_eq!(read(data), expected, "{data}");
        }
    }

    #[test]
    fn a_server_that_names_a_million_versions_costs_next_to_nothing() {
        let many = format!(r#"{{"supported":[{}"z"]}}"#, r#""a","#.repeat(1_000_000));
        let read_of_many = read(&many).unwrap();
        assert_eq!((read_of_many.len(), read_of_many.contains(&"z".to_owned())), (MAX_VERSIONS, false));
        let long = format!(r#"{{"supported":["{}","2026-07-28"]}}"#, "x".repeat(1_000_000));
        assert_eq!(read(&long), Some(vec!["2026-07-28".to_owned()]));
    }

    #[test]
    fn ver_02_the_text_names_both_sides_and_nothing_raw() {
        let spoken = vec![ProtocolVersion::LATEST];
        let text = |supported: Vec<ProtocolVersion>| {
            Mismatch::Versions { spoken: spoken.clone(), supported }.to_string()
        };
        assert_eq!(
            text(vec!["2025-11-25".into(), "a\r\nb\u{1b}".into()]),
            r"the client speaks 2026-07-28, the server 2025-11-25, a\r\nb\u{1b}"
        );
        assert_eq!(
            text(Vec::new()),
            "the client speaks 2026-07-28, and the server does not say what it supports"
        );
        let many = text(vec!["\n".repeat(128).as_str().to_owned().into(); 100]);
        assert!(many.len() < 2_000 && many.ends_with(" and 84 more"), "{many}");
    }
}
