//! Reading of single members: names without allocation, tags, lenient integers, errors that name the member.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};

/// A member's name, borrowed from the input where that is possible.
pub(crate) struct MemberName<'de>(Cow<'de, str>);

impl MemberName<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl<'de> Deserialize<'de> for MemberName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = MemberName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(MemberName(Cow::Borrowed(name)))
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(MemberName(Cow::Owned(name.to_owned())))
            }

            fn visit_string<E: de::Error>(self, name: String) -> Result<Self::Value, E> {
                Ok(MemberName(Cow::Owned(name)))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

/// Adds the member's name to an error. `serde_json` keeps line and column.
fn within<E: de::Error>(name: &str, error: &E) -> E {
    E::custom(format_args!("`{name}`: {error}"))
}

/// Reads a member's value; an error names the member.
pub(crate) fn member<'de, A: MapAccess<'de>, T: Deserialize<'de>>(
    map: &mut A,
    name: &'static str,
) -> Result<T, A::Error> {
    map.next_value().map_err(|error| within(name, &error))
}

/// Reads a constant member such as `"type": "text"`, and tells whether it has the expected value.
pub(crate) fn read_tag<'de, A: MapAccess<'de>>(
    map: &mut A,
    name: &'static str,
    expected: &'static str,
) -> Result<bool, A::Error> {
    map.next_value_seed(Tag(expected)).map_err(|error| within(name, &error))
}

/// Checks what the last such member was.
pub(crate) fn check_tag<E: de::Error>(
    found: Option<bool>,
    name: &'static str,
    expected: &str,
) -> Result<(), E> {
    match found {
        Some(true) => Ok(()),
        Some(false) => Err(E::custom(format_args!("`{name}`: must be \"{expected}\""))),
        None => Err(E::missing_field(name)),
    }
}

struct Tag(&'static str);

impl<'de> DeserializeSeed<'de> for Tag {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Tag {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<bool, E> {
        Ok(value == self.0)
    }
}

/// The integer a JSON number stands for, `5.0` included; nothing is rounded.
pub(crate) mod integer {
    /// 2^63, the first value beyond `i64`.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;

    /// An integer from a float with zero fraction.
    pub(crate) fn from_f64(value: f64) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        (value.fract() == 0.0 && (-LIMIT..LIMIT).contains(&value)).then_some(value as i64)
    }

    /// An integer from the text of a JSON number.
    pub(crate) fn from_text(text: &str) -> Option<i64> {
        text.parse().ok().or_else(|| from_f64(float(text)?))
    }

    /// A non-negative integer from the text of a JSON number.
    pub(crate) fn unsigned_from_text(text: &str) -> Option<u64> {
        text.parse().ok().or_else(|| u64::try_from(from_f64(float(text)?)?).ok())
    }

    /// A float, unless the text is a plain integer: that one was out of range and must not be rounded.
    fn float(text: &str) -> Option<f64> {
        if text.contains(['.', 'e', 'E']) { text.parse().ok() } else { None }
    }
}

/// Reads an integer member; accepts a number with zero fraction.
pub(crate) fn next_integer<'de, A: MapAccess<'de>>(map: &mut A, name: &'static str) -> Result<i64, A::Error> {
    struct Integer;

    impl<'de> DeserializeSeed<'de> for Integer {
        type Value = i64;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<i64, D::Error> {
            deserializer.deserialize_i64(self)
        }
    }

    impl Visitor<'_> for Integer {
        type Value = i64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an integer of 64 bits")
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<i64, E> {
            Ok(value)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<i64, E> {
            i64::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<i64, E> {
            integer::from_f64(value).ok_or_else(|| E::invalid_value(de::Unexpected::Float(value), &self))
        }
    }

    map.next_value_seed(Integer).map_err(|error| within(name, &error))
}
