//! Ids of requests and progress tokens: a string or an integer, whose JSON type is part of the value.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::RawJson;
use crate::open_struct::{integer, raw_hints};

/// Defines a type that is a JSON string or a JSON integer.
macro_rules! string_or_integer {
    ( $(#[$meta:meta])* pub enum $Name:ident; ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Name {
            /// An integer.
            Number(i64),
            /// A string; `"1"` is not `1`.
            String(String),
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Number(number) => number.fmt(f),
                    Self::String(text) => text.fmt(f),
                }
            }
        }

        impl From<i64> for $Name {
            fn from(number: i64) -> Self {
                Self::Number(number)
            }
        }

        impl From<String> for $Name {
            fn from(text: String) -> Self {
                Self::String(text)
            }
        }

        impl From<&str> for $Name {
            fn from(text: &str) -> Self {
                Self::String(text.to_owned())
            }
        }

        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::Number(number) => serializer.serialize_i64(*number),
                    Self::String(text) => serializer.serialize_str(text),
                }
            }
        }

        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = RawJson::deserialize(deserializer)?;
                if raw.is_string() {
                    return raw.parse().map(Self::String).map_err(|error| de::Error::custom(error.detail()));
                }
                let number = if raw.is_number() { integer::from_text(raw.get()) } else { None };
                number.map(Self::Number).ok_or_else(|| {
                    de::Error::custom(format_args!(
                        "expected a string or an integer of 64 bits, found {}",
                        if raw.is_number() { "another number" } else { raw.kind() }
                    ))
                })
            }
        }
    };
}

string_or_integer! {
    /// The id of a request. Two ids are equal only if their JSON types are equal too.
    ///
    /// `1.0` is read as the integer 1; fractions, `null` and other types are errors.
    pub enum RequestId;
}

string_or_integer! {
    /// The token under which a request's progress is reported. Read like a [`RequestId`].
    pub enum ProgressToken;
}

raw_hints!(RequestId, ProgressToken);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_type_is_kept() {
        for (text, id) in [
            ("1", RequestId::Number(1)),
            ("-9223372036854775808", RequestId::Number(i64::MIN)),
            ("9223372036854775807", RequestId::Number(i64::MAX)),
            ("\"1\"", RequestId::from("1")),
            ("\"\"", RequestId::from("")),
            ("\"a\\n\\u00e9\"", RequestId::from("a\né")),
        ] {
            let read: RequestId = serde_json::from_str(text).unwrap();
            assert_eq!(read, id);
            assert_eq!(
                serde_json::from_str::<RequestId>(&serde_json::to_string(&read).unwrap()).unwrap(),
                id
            );
        }
        assert_ne!(RequestId::from(1), RequestId::from("1"));
    }

    #[test]
    fn whole_floats_are_integers_and_nothing_is_rounded() {
        for text in ["1.0", "1e0", "10e-1"] {
            assert_eq!(serde_json::from_str::<RequestId>(text).unwrap(), RequestId::Number(1), "{text}");
        }
        for text in ["1.5", "null", "true", "[]", "{}", "9223372036854775808", "1e19", "1e999", "1e-1"] {
            assert!(serde_json::from_str::<ProgressToken>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn display_is_the_bare_value() {
        assert_eq!(RequestId::from(7).to_string(), "7");
        assert_eq!(RequestId::from("x").to_string(), "x");
    }
}
