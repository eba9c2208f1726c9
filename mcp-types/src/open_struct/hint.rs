//! Hints: members whose wrong type or shape never costs the object.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::integer;
use crate::{RawJson, RawMap};

/// What was found where a hint may be.
pub(crate) enum Hinted<T> {
    Good(T),
    Dropped(RawJson),
}

/// A type that can be read leniently. `None` stands for `null`.
pub(crate) trait Hint: Sized {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hinted<Self>>, D::Error>;
}

struct Seed<T>(PhantomData<T>);

impl<'de, T: Hint> DeserializeSeed<'de> for Seed<T> {
    type Value = Option<Hinted<T>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        T::read(deserializer)
    }
}

/// Reads a member's value as a hint.
pub(crate) fn read_hint<'de, A: MapAccess<'de>, T: Hint>(map: &mut A) -> Result<Option<Hinted<T>>, A::Error> {
    map.next_value_seed(Seed(PhantomData))
}

/// The field's value; what was dropped moves to `extra`.
pub(crate) fn settle_hint<T>(hint: Option<Hinted<T>>, name: &str, extra: &mut RawMap) -> Option<T> {
    match hint? {
        Hinted::Good(value) => Some(value),
        Hinted::Dropped(raw) => {
            extra.push(name.to_owned(), raw);
            None
        }
    }
}

/// Reads a hint through its raw text.
pub(crate) fn read_raw<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    parse: impl FnOnce(&RawJson) -> Option<T>,
) -> Result<Option<Hinted<T>>, D::Error> {
    let raw = RawJson::deserialize(deserializer)?;
    if raw.is_null() {
        return Ok(None);
    }
    Ok(Some(parse(&raw).map_or(Hinted::Dropped(raw), Hinted::Good)))
}

/// Makes types hints that are read through their raw text.
macro_rules! raw_hints {
    ($($ty:ty),* $(,)?) => { $(
        impl $crate::open_struct::Hint for $ty {
            fn read<'de, D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<$crate::open_struct::Hinted<Self>>, D::Error> {
                $crate::open_struct::read_raw(deserializer, |raw| raw.parse().ok())
            }
        }
    )* };
}
pub(crate) use raw_hints;

raw_hints!(RawMap, Vec<String>, Number);

impl Hint for i64 {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hinted<Self>>, D::Error> {
        read_raw(deserializer, |raw| integer::from_text(raw.get()))
    }
}

impl Hint for u64 {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hinted<Self>>, D::Error> {
        read_raw(deserializer, |raw| integer::unsigned_from_text(raw.get()))
    }
}

impl Hint for String {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hinted<Self>>, D::Error> {
        deserializer.deserialize_any(TextVisitor(|text: &str| text.to_owned()))
    }
}

impl Hint for bool {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hinted<Self>>, D::Error> {
        deserializer.deserialize_any(BoolVisitor)
    }
}

/// Reads a string hint and makes a value of it, without a raw copy.
pub(crate) fn read_text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    make: impl FnOnce(&str) -> T,
) -> Result<Option<Hinted<T>>, D::Error> {
    deserializer.deserialize_any(TextVisitor(make))
}

/// The visits of kinds that neither a string nor a bool hint accepts.
macro_rules! drop_other_kinds {
    ($life:lifetime) => {
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
            dropped(&value)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
            dropped(&value)
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
            dropped(&value)
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<$life>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            deserializer.deserialize_any(self)
        }

        fn visit_seq<A: SeqAccess<$life>>(self, seq: A) -> Result<Self::Value, A::Error> {
            capture_array(seq).map(|raw| Some(Hinted::Dropped(raw)))
        }

        fn visit_map<A: MapAccess<$life>>(self, map: A) -> Result<Self::Value, A::Error> {
            capture_object(map).map(|raw| Some(Hinted::Dropped(raw)))
        }
    };
}

struct TextVisitor<F>(F);

impl<'de, T, F: FnOnce(&str) -> T> Visitor<'de> for TextVisitor<F> {
    type Value = Option<Hinted<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Hinted::Good((self.0)(text))))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        dropped(&value)
    }

    drop_other_kinds!('de);
}

struct BoolVisitor;

impl<'de> Visitor<'de> for BoolVisitor {
    type Value = Option<Hinted<bool>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Hinted::Good(value)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        dropped(text)
    }

    drop_other_kinds!('de);
}

fn dropped<T, V: Serialize + ?Sized, E: de::Error>(value: &V) -> Result<Option<Hinted<T>>, E> {
    RawJson::from_serialize(value).map(|raw| Some(Hinted::Dropped(raw))).map_err(E::custom)
}

/// Writes an array back to text. Its elements are raw: no recursion, and their text is exact.
fn capture_array<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<RawJson, A::Error> {
    let mut text = String::from("[");
    while let Some(element) = seq.next_element::<RawJson>()? {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(element.get());
    }
    text.push(']');
    RawJson::from_text(text).map_err(de::Error::custom)
}

/// The member name under which `serde_json` passes numbers if some crate of the program turns on its feature
/// `arbitrary_precision`.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";

/// Whether that feature is on. Without it, the name means nothing.
fn numbers_come_as_objects() -> bool {
    struct Kind;

    impl<'de> Visitor<'de> for Kind {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number")
        }

        fn visit_f64<E: de::Error>(self, _: f64) -> Result<bool, E> {
            Ok(false)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
            map.next_entry::<String, String>().map(|_| true)
        }
    }

    serde_json::Deserializer::from_str("1.5").deserialize_any(Kind).unwrap_or(false)
}

/// Writes an object back to text. The values of its members are raw.
fn capture_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<RawJson, A::Error> {
    let mut text = String::from("{");
    while let Some(name) = map.next_key::<String>()? {
        if name == NUMBER_TOKEN && numbers_come_as_objects() {
            return RawJson::from_text(map.next_value()?).map_err(de::Error::custom);
        }
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(&name).map_err(de::Error::custom)?);
        text.push(':');
        text.push_str(map.next_value::<RawJson>()?.get());
    }
    text.push('}');
    RawJson::from_text(text).map_err(de::Error::custom)
}
