//! One JSON value kept as its own text.

mod extent;
mod known;

#[doc(hidden)]
pub use self::extent::plain;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::JsonError;

/// One JSON value, kept as the exact text it arrived in.
///
/// Numbers keep their digits, objects their member order. Two values are equal if their texts are equal: `{}`
/// and `{ }` differ here, compare [`to_value`](Self::to_value) where that matters. `Debug` prints the kind and
/// the size only, so that arguments and results do not end up in logs.
///
/// ```
/// use mcp_types::RawJson;
///
/// let raw = RawJson::from_text(r#"{"big": 12345678901234567890123}"#.to_owned())?;
/// assert_eq!(raw.get(), r#"{"big": 12345678901234567890123}"#);
/// assert_eq!(format!("{raw:?}"), "RawJson(object, 32 bytes)");
/// # Ok::<(), mcp_types::JsonError>(())
/// ```
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Serialises a value to JSON text.
    ///
    /// # Errors
    ///
    /// When the value cannot be written as JSON, such as a map whose keys are not strings.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        serde_json::value::to_raw_value(value).map(Self).map_err(JsonError::writing)
    }

    /// Checks that the text is one JSON value and keeps it. White space around the value is dropped.
    ///
    /// # Errors
    ///
    /// When the text is not exactly one JSON value.
    pub fn from_text(text: String) -> Result<Self, JsonError> {
        RawValue::from_string(text).map(Self).map_err(JsonError::reading)
    }

    /// Takes the JSON value at the very beginning of a text, and tells how long its text is. `None` where no value stands
    /// there, or one that is nested deeper than 64 levels, which [`from_text`](Self::from_text) may still read.
    ///
    /// ```
    /// use mcp_types::RawJson;
    ///
    /// let (value, length) = RawJson::at_start(r#"{"a":[1.50]}, "b""#).unwrap();
    /// assert_eq!((value.get(), length), (r#"{"a":[1.50]}"#, 12));
    /// assert!(RawJson::at_start("]").is_none());
    /// ```
    pub fn at_start(text: &str) -> Option<(Self, usize)> {
        let length = extent::extent(text)?;
        let raw = known::raw_value(text.get(..length)?)?;
        Some((Self(raw), length))
    }

    /// Wraps a raw value.
    pub fn from_raw(raw: Box<RawValue>) -> Self {
        Self(raw)
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self(Box::default())
    }

    /// The value `{}`.
    pub fn empty_object() -> Self {
        Self(RawValue::from_string("{}".to_owned()).unwrap_or_default())
    }

    /// The text of the value.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Reads the value into an owned type.
    ///
    /// # Errors
    ///
    /// When the value does not fit the type, or is nested deeper than the parser allows.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        serde_json::from_str(self.get()).map_err(JsonError::reading)
    }

    /// Reads the value into a type that may borrow from its text.
    ///
    /// # Errors
    ///
    /// When the value does not fit the type, or is nested deeper than the parser allows.
    pub fn parse_borrowed<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        serde_json::from_str(self.get()).map_err(JsonError::reading)
    }

    /// Reads the value into a tree. Numbers beyond 64 bits lose digits there.
    ///
    /// # Errors
    ///
    /// When the value is nested deeper than the parser allows, or a number is out of range.
    pub fn to_value(&self) -> Result<Value, JsonError> {
        self.parse()
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.first_byte() == b'{'
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.first_byte() == b'['
    }

    /// Whether the value is a string.
    pub fn is_string(&self) -> bool {
        self.first_byte() == b'"'
    }

    /// Whether the value is a number.
    pub fn is_number(&self) -> bool {
        matches!(self.first_byte(), b'-' | b'0'..=b'9')
    }

    /// Whether the value is `true` or `false`.
    pub fn is_bool(&self) -> bool {
        matches!(self.first_byte(), b't' | b'f')
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.first_byte() == b'n'
    }

    /// The value as serde's raw type.
    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Gives the raw value back.
    pub fn into_raw(self) -> Box<RawValue> {
        self.0
    }

    /// The name of the value's JSON type: `object`, `array`, `string`, `number`, `boolean` or `null`.
    pub fn kind(&self) -> &'static str {
        match self.first_byte() {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "boolean",
            b'n' => "null",
            _ => "number",
        }
    }

    fn first_byte(&self) -> u8 {
        self.get().as_bytes().first().copied().unwrap_or_default()
    }
}

impl Default for RawJson {
    /// The value `null`.
    fn default() -> Self {
        Self::null()
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({}, {} bytes)", self.kind(), self.get().len())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self::from(&value)
    }
}

impl From<&Value> for RawJson {
    fn from(value: &Value) -> Self {
        // A `Value` always prints as JSON; the fallback is unreachable.
        Self(RawValue::from_string(value.to_string()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_is_kept_to_the_byte() {
        let text = r#"{"b": 1.50, "a":[1e2 ,18446744073709551616]}"#;
        let raw: RawJson = serde_json::from_str(text).unwrap();
        assert_eq!(raw.get(), text);
        assert_eq!(serde_json::to_string(&raw).unwrap(), text);
        assert_eq!(RawJson::from_text(format!("\n {text}\t")).unwrap().get(), text);
    }

    #[test]
    fn debug_tells_kind_and_size_only() {
        for (text, shown) in [
            ("{\"secret\":1}", "RawJson(object, 12 bytes)"),
            ("[1]", "RawJson(array, 3 bytes)"),
            ("\"secret\"", "RawJson(string, 8 bytes)"),
            ("-3", "RawJson(number, 2 bytes)"),
            ("true", "RawJson(boolean, 4 bytes)"),
            ("null", "RawJson(null, 4 bytes)"),
        ] {
            assert_eq!(format!("{:?}", RawJson::from_text(text.to_owned()).unwrap()), shown);
        }
    }

    #[test]
    fn only_one_json_value_is_accepted() {
        for text in ["", " ", "{", "{} {}", "nul", "[1,]", "'a'"] {
            assert!(RawJson::from_text(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn values_go_in_and_come_out() {
        let value = json!({"a": [1, "x", null, true, 1.5]});
        let raw = RawJson::from(&value);
        assert_eq!(raw.to_value().unwrap(), value);
        assert_eq!(serde_json::to_value(&raw).unwrap(), value);
        assert_eq!(serde_json::from_value::<RawJson>(value.clone()).unwrap().to_value().unwrap(), value);
        assert!(RawJson::empty_object().is_object());
        assert!(RawJson::null().is_null());
        assert_eq!(RawJson::from_serialize("x").unwrap().parse_borrowed::<&str>().unwrap(), "x");
    }

    #[test]
    fn deep_nesting_is_kept_and_refused_only_when_read() {
        let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        let raw: RawJson = serde_json::from_str(&deep).unwrap();
        assert!(raw.is_array());
        assert!(raw.to_value().is_err());
    }
}
