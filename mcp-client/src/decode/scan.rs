//! Reads JSON of the usual form from its text in one pass, and gives up at anything else.
//!
//! Not a second parser: it knows the shape of objects, lists and strings, hands every other value to `serde_json`, and never
//! says what is wrong. Whoever is given `None` reads the text anew, with all the care that it takes.

use std::ops::Range;

use mcp_types::{RawJson, plain};
use memchr::memchr;
use serde::Deserialize;

/// Strings of fewer bytes are short.
const SHORT: usize = 64;

/// The text, and how far it was read.
#[derive(Debug)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok().map(|text| Self { text, at: 0 })
    }

    /// How much text there is.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// How many bytes were read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes back to where it was.
    pub(crate) fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// The next byte that is no white space.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    fn eats(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        self.eats(byte).then_some(())
    }

    /// Nothing but white space is left.
    pub(crate) fn end(&mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    /// Reads an object: `member` is given each name, and reads the value. Where in the text the object stands.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<Range<usize>> {
        self.eat(b'{')?;
        let start = self.at - 1;
        if !self.eats(b'}') {
            loop {
                let name = self.name()?;
                self.eat(b':')?;
                member(self, name)?;
                if !self.eats(b',') {
                    break;
                }
            }
            self.eat(b'}')?;
        }
        Some(start..self.at)
    }

    /// Reads a list: `entry` reads each of its values.
    pub(crate) fn list(&mut self, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        if self.eats(b']') {
            return Some(());
        }
        loop {
            entry(self)?;
            if !self.eats(b',') {
                return self.eat(b']');
            }
        }
    }

    /// A short string without escapes.
    pub(crate) fn name(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let rest = self.text.get(self.at..)?;
        let length = plain(rest.as_bytes());
        if rest.as_bytes().get(length) != Some(&b'"') {
            return None;
        }
        self.at += length + 1;
        rest.get(..length)
    }

    /// A whole number of 64 bits, written plainly.
    pub(crate) fn integer(&mut self) -> Option<i64> {
        self.peek()?;
        let rest = self.text.get(self.at..)?;
        let length = rest.bytes().position(|byte| !matches!(byte, b'-' | b'0'..=b'9'))?;
        let digits = rest.get(..length)?;
        let unsigned = digits.strip_prefix('-').unwrap_or(digits);
        let is_plain = !unsigned.starts_with('0') || digits == "0";
        // What else may follow a number would make another one of it.
        let ends =
            matches!(rest.as_bytes().get(length), Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'));
        self.at += length;
        if is_plain && ends { digits.parse().ok() } else { None }
    }

    pub(crate) fn boolean(&mut self) -> Option<bool> {
        self.peek()?;
        let rest = self.text.get(self.at..)?;
        let (value, length) = if rest.starts_with("true") {
            (true, 4)
        } else if rest.starts_with("false") {
            (false, 5)
        } else {
            return None;
        };
        self.at += length;
        Some(value)
    }

    /// A string.
    pub(crate) fn string(&mut self) -> Option<String> {
        let raw = self.raw_string()?;
        // An escape is never shorter than what it stands for.
        let mut text = String::with_capacity(raw.len());
        let rest = unescape(raw, |plain, escaped| {
            text.push_str(plain);
            text.push(escaped);
        })?;
        text.push_str(rest);
        if text.capacity() - text.len() > text.len() / 8 {
            text.shrink_to_fit();
        }
        Some(text)
    }

    /// A string that nobody looks at.
    pub(crate) fn skip_string(&mut self) -> Option<()> {
        unescape(self.raw_string()?, |_, _| ()).map(|_| ())
    }

    /// What stands between the quotes.
    fn raw_string(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let rest = self.text.get(self.at..)?;
        // Most strings are short and have no escapes: one look tells both.
        let start = rest.as_bytes().get(..SHORT).unwrap_or(rest.as_bytes());
        let mut length = plain(start);
        let is_short = start.get(length) == Some(&b'"');
        if !is_short {
            length = closing_quote(rest.as_bytes())?;
        }
        let raw = rest.get(..length)?;
        if !is_short && has_control(raw) {
            return None;
        }
        self.at += length + 1;
        Some(raw)
    }

    /// A value as it is.
    pub(crate) fn raw(&mut self) -> Option<RawJson> {
        self.peek()?;
        let (raw, length) = RawJson::at_start(self.text.get(self.at..)?)?;
        self.at += length;
        Some(raw)
    }

    /// A value of whatever type, read by `serde_json`.
    pub(crate) fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let mut values = serde_json::Deserializer::from_str(self.text.get(self.at..)?).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }
}

/// All bytes are looked at, which is many at a time.
fn has_control(text: &str) -> bool {
    text.bytes().fold(0, |found, byte| found | u8::from(byte < 0x20)) != 0
}

/// The quote that ends a string: the first one with an even number of backslashes before it.
fn closing_quote(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr(b'"', bytes.get(from..)?)?;
        let backslashes = bytes.get(..at)?.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Goes through a string, escape by escape: each with the text before it. What is left is what follows the last one.
fn unescape(raw: &str, mut each: impl FnMut(&str, char)) -> Option<&str> {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let plain = rest.get(..at)?;
        let (escaped, length) = match rest.as_bytes().get(at + 1)? {
            b'n' => ('\n', 2),
            b'"' => ('"', 2),
            b'\\' => ('\\', 2),
            b'/' => ('/', 2),
            b't' => ('\t', 2),
            b'r' => ('\r', 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{C}', 2),
            b'u' => unicode_escape(rest.get(at..)?)?,
            _ => return None,
        };
        each(plain, escaped);
        rest = rest.get(at + length..)?;
    }
    Some(rest)
}

/// The character that `\u....` stands for, or two of these, and how long they are. Half a character is none.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        // A sign is no digit.
        let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if are_digits { u16::from_str_radix(digits, 16).ok() } else { None }
    };
    let first = unit(0)?;
    if let Some(char) = char::from_u32(u32::from(first)) {
        return Some((char, 6));
    }
    let char = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((char, 12))
}
