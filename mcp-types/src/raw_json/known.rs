//! A raw value of text that is known to be one.

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::Error;
use serde_json::value::RawValue;

/// Copies the text of one JSON value. It is looked through again only where `serde_json` does not take it as it is.
pub(super) fn raw_value(text: &str) -> Option<Box<RawValue>> {
    Deserialize::deserialize(Known(text)).or_else(|_| serde_json::from_str(text)).ok()
}

/// Hands a raw value its text, in the form in which it asks for it: a map of one entry, under the name that it gives.
struct Known<'a>(&'a str);

impl<'de> Deserializer<'de> for Known<'de> {
    type Error = Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let entry = (BorrowedStrDeserializer::<Error>::new(name), BorrowedStrDeserializer::new(self.0));
        visitor.visit_map(MapDeserializer::new(std::iter::once(entry)))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_taken_as_it_is() {
        // Not looked through: no value at all would do.
        let raw: Box<RawValue> = Deserialize::deserialize(Known("no value")).unwrap();
        assert_eq!(raw.get(), "no value");
        assert_eq!(raw_value("[1.50]").unwrap().get(), "[1.50]");
    }
}
