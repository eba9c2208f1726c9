//! JSON as .NET's default encoder writes it.
//!
//! Inside strings everything outside a small ASCII set comes as `\uXXXX`, quotes and apostrophes included. It reads
//! back as the same value; a client that compares text instead of values fails on it.

use std::fmt::Write;

use serde_json::Value;

/// Writes compact JSON.
pub(crate) fn to_string(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

/// Writes an object with its members in the given order.
pub(crate) fn object(members: &[(&str, Value)]) -> String {
    let mut text = String::from("{");
    for (index, (name, value)) in members.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_string(&mut text, name);
        text.push(':');
        write_value(&mut text, value);
    }
    text.push('}');
    text
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::String(string) => write_string(text, string),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(text, name);
                text.push(':');
                write_value(text, member);
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
    }
}

fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for character in string.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            '"' | '\'' | '`' | '<' | '>' | '&' | '+' | '\0'..='\u{1f}' | '\u{7f}'.. => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "\\u{unit:04X}");
                }
            }
            plain => text.push(plain),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn escapes_what_dotnet_escapes() {
        let text = to_string(&json!("a\"b'c`d<e>f&g+h\\i/j\nkæ😀\u{7f}"));
        assert_eq!(
            text,
            r#""a\u0022b\u0027c\u0060d\u003Ce\u003Ef\u0026g\u002Bh\\i/j\nk\u00E6\uD83D\uDE00\u007F""#
        );
    }

    #[test]
    fn reads_back_as_the_same_value() {
        let value = json!({ "k\"ey": [1, 1.5, null, true, { "x": "Ünï\tcode" }] });
        assert_eq!(serde_json::from_str::<Value>(&to_string(&value)).unwrap(), value);
    }

    #[test]
    fn keeps_the_order_of_members() {
        assert_eq!(object(&[("z", json!(1)), ("a", json!("b"))]), r#"{"z":1,"a":"b"}"#);
    }
}
