//! State that a server wants to have back.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::RawJson;

/// What a server wants to be given back, byte for byte, with the answers. Its content means nothing to a client
/// and may be secret: `Debug` shows its length only.
///
/// What was read is written again with the very escapes that it had.
///
/// ```
/// use mcp_types::RequestState;
///
/// let text = r#""caf\u00e9 \ud800""#;
/// let state: RequestState = serde_json::from_str(text)?;
/// assert_eq!(serde_json::to_string(&state)?, text);
/// assert_eq!(format!("{state:?}"), "RequestState(15 bytes)");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct RequestState {
    text: String,
    /// As it came, where it would be written otherwise.
    raw: Option<RawJson>,
}

impl RequestState {
    /// Wraps a string.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), raw: None }
    }

    /// The string itself. A surrogate that stands alone, which JSON can write and a string cannot hold, is shown as
    /// replacement characters; it is sent back as it came.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Gives the string back, as [`as_str`](Self::as_str) shows it.
    pub fn into_string(self) -> String {
        self.text
    }
}

impl From<String> for RequestState {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for RequestState {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// States are equal if they are sent alike.
impl PartialEq for RequestState {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.raw == other.raw
    }
}

impl Eq for RequestState {}

impl Hash for RequestState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Debug for RequestState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestState({} bytes)", self.text.len())
    }
}

impl Serialize for RequestState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.raw {
            Some(raw) => raw.serialize(serializer),
            None => serializer.serialize_str(&self.text),
        }
    }
}

impl<'de> Deserialize<'de> for RequestState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if !raw.is_string() {
            return Err(de::Error::invalid_type(de::Unexpected::Other(raw.kind()), &"a string"));
        }
        let Text(text) = raw.parse().map_err(|error| de::Error::custom(error.detail()))?;
        let is_written_so = RawJson::from_serialize(&text).is_ok_and(|written| written == raw);
        Ok(Self { text, raw: (!is_written_so).then_some(raw) })
    }
}

/// A string in which surrogates that stand alone are replaced.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
            }
        }

        // As bytes: as a string, the parser refuses such surrogates.
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_written_as_it_was_read() {
        let long = format!("\"{}\"", "x\\u0041é".repeat(1 << 16));
        for text in [
            r#""""#,
            r#""plain é 🦀""#,
            r#"" s\u0000 ""#,
            r#""\/\u002F\b\u0008\n\r\t\"\\""#,
            r#""\ud83e\udd80 \uD83E\uDD80""#,
            r#""\ud800""#,
            r#""\udfff\ud800x""#,
            "\"\u{7f}\u{2028}\"",
            &long,
        ] {
            let state: RequestState = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&state).unwrap(), text);
            assert_eq!(state, serde_json::from_str(text).unwrap());
        }
        let state: RequestState = serde_json::from_str(r#""\u0041\ud83e\udd80\u0000""#).unwrap();
        assert_eq!(state.as_str(), "A🦀\0");
        assert_ne!(state, RequestState::new("A🦀\0"), "they are sent otherwise");
        assert_eq!(state.into_string(), "A🦀\0");
    }

    #[test]
    fn only_strings_are_read() {
        for text in ["7", "null", "{}", "[]", "true", r#""\x""#, r#""\ud8""#, "\"\n\""] {
            assert!(serde_json::from_str::<RequestState>(text).is_err(), "{text}");
        }
    }
}
