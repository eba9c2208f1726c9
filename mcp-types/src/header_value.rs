//! Values of HTTP headers that mirror parts of a request: `Mcp-Name` and `Mcp-Param-…`.
//!
//! A value that is printable ASCII without space at its ends goes as it is. Any other, the empty one included, is
//! wrapped as `=?base64?…?=`, and so is one that looks wrapped already.

use std::borrow::Cow;

use crate::base64_text;
use crate::open_struct::integer;
use crate::{Base64Error, RawJson};

const START: &str = "=?base64?";
const END: &str = "?=";

/// The largest integer that every receiver reads exactly: 2^53 - 1.
const MAX_EXACT: i64 = 9_007_199_254_740_991;

/// A wrapped header value that cannot be unwrapped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderValueError {
    /// Between the markers is no Base64.
    #[error("the header value is wrapped, but not in base64")]
    Base64(#[source] Base64Error),
    /// The bytes are not UTF-8.
    #[error("the header value is not utf-8 once unwrapped")]
    NotUtf8,
}

/// Encodes a string for a header.
///
/// ```
/// use mcp_types::header_value::encode;
///
/// assert_eq!(encode("us-west1"), "us-west1");
/// assert_eq!(encode(" padded "), "=?base64?IHBhZGRlZCA=?=");
/// ```
pub fn encode(value: &str) -> Cow<'_, str> {
    let wrapped_already = value.starts_with(START) && value.ends_with(END);
    if value.is_empty()
        || value.starts_with(' ')
        || value.ends_with(' ')
        || wrapped_already
        || !is_printable(value)
    {
        Cow::Owned(format!("{START}{}{END}", base64_text::encode(value.as_bytes())))
    } else {
        Cow::Borrowed(value)
    }
}

fn is_printable(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Encodes a bool: `true` or `false`.
pub const fn encode_bool(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Encodes an integer in decimal digits.
pub fn encode_integer(value: impl Into<i128>) -> String {
    value.into().to_string()
}

/// Encodes a JSON string, bool or whole number; `None` for `null` and values that a header cannot carry, among them
/// fractions and integers beyond ±(2^53 - 1).
pub fn encode_json(value: &RawJson) -> Option<String> {
    if value.is_string() {
        value.parse::<String>().ok().map(|text| encode(&text).into_owned())
    } else if value.is_bool() {
        Some(value.get().to_owned())
    } else if value.is_number() {
        integer::from_text(value.get()).filter(|n| (-MAX_EXACT..=MAX_EXACT).contains(n)).map(encode_integer)
    } else {
        None
    }
}

/// Decodes a header value: unwraps it if it is wrapped, else gives it back.
///
/// # Errors
///
/// When the value is wrapped, but what is inside is not Base64 of UTF-8 text.
pub fn decode(value: &str) -> Result<Cow<'_, str>, HeaderValueError> {
    let Some(inner) = value.strip_prefix(START).and_then(|rest| rest.strip_suffix(END)) else {
        return Ok(Cow::Borrowed(value));
    };
    let bytes = base64_text::decode(inner).map_err(HeaderValueError::Base64)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| HeaderValueError::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value and encoding; equal where the value goes as it is.
    const VECTORS: &[(&str, &str)] = &[
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        ("日本語", "=?base64?5pel5pys6Kqe?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        (" us-west1", "=?base64?IHVzLXdlc3Qx?="),
        ("us-west1 ", "=?base64?dXMtd2VzdDEg?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("a\tb", "=?base64?YQli?="),
        ("\u{7f}", "=?base64?fw==?="),
        ("a\0b", "=?base64?YQBi?="),
        ("", "=?base64??="),
        (" ", "=?base64?IA==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
        ("=?base64?x", "=?base64?x"),
        ("x?=", "x?="),
        ("=?BASE64?x?=", "=?BASE64?x?="),
        ("=?Base64?x?=", "=?Base64?x?="),
        ("~!@#$%^&*()", "~!@#$%^&*()"),
    ];

    #[test]
    fn vectors_go_both_ways() {
        for (value, encoded) in VECTORS {
            assert_eq!(encode(value), *encoded, "{value:?}");
            assert_eq!(decode(encoded).unwrap(), *value, "{encoded}");
            assert!(encode(value).bytes().all(|byte| matches!(byte, b' '..=b'~')));
        }
    }

    #[test]
    fn a_value_whose_markers_overlap_is_wrapped() {
        assert_eq!(encode("=?base64?="), "=?base64?PT9iYXNlNjQ/PQ==?=");
        assert_eq!(decode("=?base64?=").unwrap(), "=?base64?=");
        assert_eq!(decode("=?base64?PT9iYXNlNjQ/PQ==?=").unwrap(), "=?base64?=");
    }

    #[test]
    fn bad_wrappings_are_errors() {
        for wrapped in
            ["=?base64?x?=", "=?base64?!!!!?=", "=?base64?YQ?=", "=?base64?YQ==\n?=", "=?base64?_-8=?="]
        {
            assert!(matches!(decode(wrapped), Err(HeaderValueError::Base64(_))), "{wrapped}");
        }
        assert_eq!(decode("=?base64?/w==?="), Err(HeaderValueError::NotUtf8));
    }

    #[test]
    fn scalars() {
        assert_eq!(encode_bool(true), "true");
        assert_eq!(encode_integer(-7_i64), "-7");
        assert_eq!(encode_integer(u64::MAX), "18446744073709551615");
        for (json, header) in [
            ("42", Some("42")),
            ("-7", Some("-7")),
            ("5.0", Some("5")),
            ("1e3", Some("1000")),
            ("9007199254740991", Some("9007199254740991")),
            ("9007199254740992", None),
            ("1.5", None),
            ("1e999", None),
            ("true", Some("true")),
            ("\"\"", Some("=?base64??=")),
            ("\"a\"", Some("a")),
            ("null", None),
            ("[1]", None),
            ("{}", None),
        ] {
            let raw = RawJson::from_text(json.to_owned()).unwrap();
            assert_eq!(encode_json(&raw).as_deref(), header, "{json}");
        }
    }
}
