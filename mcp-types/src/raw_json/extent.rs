//! Where a JSON value ends, told without reading what it says.
//!
//! As strict as `serde_json` is with raw values, and much faster on values of many small parts. What is nested deeper than
//! [`MAX_DEPTH`] is left to `serde_json`.

/// A bit for each level.
const MAX_DEPTH: u32 = 64;

/// The length of the value at the beginning of a text. `None` where there is none, or it is not told here.
pub(super) fn extent(text: &str) -> Option<usize> {
    let mut walk = Walk { bytes: text.as_bytes(), at: 0 };
    walk.value()?;
    Some(walk.at)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn value(&mut self) -> Option<()> {
        // Which of the enclosing levels are objects, the innermost in the lowest bit.
        let mut objects = 0_u64;
        let mut depth = 0;
        loop {
            // At the beginning of a value.
            match self.bytes.get(self.at)? {
                b'"' => self.string()?,
                opening @ (b'{' | b'[') => {
                    let is_object = *opening == b'{';
                    self.at += 1;
                    self.space();
                    if self.bytes.get(self.at) == Some(if is_object { &b'}' } else { &b']' }) {
                        self.at += 1;
                    } else {
                        if depth == MAX_DEPTH {
                            return None;
                        }
                        depth += 1;
                        objects = objects << 1 | u64::from(is_object);
                        if is_object {
                            self.name()?;
                        }
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => return None,
            }
            // At the end of a value, and maybe of those around it.
            loop {
                if depth == 0 {
                    return Some(());
                }
                self.space();
                let is_object = objects & 1 == 1;
                match self.bytes.get(self.at)? {
                    b',' => {
                        self.at += 1;
                        self.space();
                        if is_object {
                            self.name()?;
                        }
                        break;
                    }
                    b'}' if is_object => {}
                    b']' if !is_object => {}
                    _ => return None,
                }
                self.at += 1;
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// A member's name and the colon.
    fn name(&mut self) -> Option<()> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        self.string()?;
        self.space();
        if self.bytes.get(self.at) != Some(&b':') {
            return None;
        }
        self.at += 1;
        self.space();
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += plain(self.bytes.get(self.at..)?);
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => match self.bytes.get(self.at + 1)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
                    b'u' => {
                        let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        self.at += 6;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.bytes.get(self.at) == Some(&b'-'));
        match self.bytes.get(self.at)? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.end()
    }

    /// What else may stand here would be part of a number or word.
    fn end(&self) -> Option<()> {
        match self.bytes.get(self.at) {
            None | Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r') => Some(()),
            Some(_) => None,
        }
    }

    /// One digit at least.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.bytes.get(self.at) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        if self.bytes.get(self.at..)?.starts_with(word) {
            self.at += word.len();
            self.end()
        } else {
            None
        }
    }
}

/// How many bytes of a string stand for themselves: those before the next quote, backslash or control character. Eight are
/// looked at at a time.
#[doc(hidden)]
pub fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // The lowest byte that is marked is zero; those above it may be marked for a borrow.
    let zeros = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let bytes = u64::from_le_bytes(*chunk);
        let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
        let quote = zeros(bytes ^ (ONES * u64::from(b'"')));
        let backslash = zeros(bytes ^ (ONES * u64::from(b'\\')));
        let found = (control | quote | backslash) & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    /// What `serde_json` says.
    fn careful(text: &str) -> Option<usize> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let raw = values.next()?.ok()?;
        Some(raw.get().len())
    }

    #[test]
    fn values_end_where_serde_json_says() {
        for text in [
            "null",
            "true,",
            "false}",
            "0",
            "-0.5e+7]",
            "12 ",
            "1E5",
            "\"\"",
            "\"a\\n\\u00e9\\ud800\" x",
            "\"é😀 a longer text\"",
            "[]",
            "{}",
            "[ ]x",
            "{ }",
            "[1,[2,{\"a\":[{}]}],\"b\"],",
            "{\"a\" : 1 ,\"a\":{\"b\":null}}}",
            "{\"\\u0061\":\"\\\\\"}",
            "[\"12345678\",\"1234567\",\"123456789\"]",
        ] {
            let length = extent(text);
            assert!(length.is_some(), "{text}");
            assert_eq!(length, careful(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_value_has_no_extent() {
        for text in [
            "",
            " 1",
            "nul",
            "tru",
            "truth",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "1x",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12",
            "\"\u{1}\"",
            "\"1234567\u{1f}\"",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "{\"a\" 1}",
            "[}",
            "{]",
            "[1}",
            "{\"a\":1]",
            "'a'",
            "/",
            "]",
            ",",
        ] {
            assert_eq!(extent(text), None, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
        assert_eq!(extent(&nested(64)), Some(129));
        assert_eq!(extent(&nested(65)), None);
        assert_eq!(extent(&nested(100_000)), None);
    }

    /// Every text of a few pieces: either nothing is told, or what `serde_json` says.
    #[test]
    fn nothing_else_is_ever_told() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "1", "-", ".5", "e3", "0", "null", " ", "\\", "\"",
            "\u{1}",
        ];
        for number in 0..pieces.len().pow(5) {
            let mut rest = number;
            let mut text = String::new();
            for _ in 0..5 {
                text.push_str(pieces[rest % pieces.len()]);
                rest /= pieces.len();
            }
            if let Some(length) = extent(&text) {
                assert_eq!(Some(length), careful(&text), "{text}");
            }
        }
    }

    #[test]
    fn what_stands_for_itself_is_counted_byte_by_byte() {
        for special in [b'"', b'\\', 0, 0x1F, b'\n'] {
            for before in 0..40 {
                for filler in [b' ', b'!', b'#', b'[', b']', 0x7F, 0x80, 0xA2, 0xDC, 0xFF] {
                    let mut bytes = vec![filler; before];
                    assert_eq!(plain(&bytes), before);
                    bytes.push(special);
                    bytes.extend([filler; 9]);
                    assert_eq!(plain(&bytes), before, "{special} {filler}");
                }
            }
        }
    }
}
