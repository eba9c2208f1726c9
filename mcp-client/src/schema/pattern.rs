//! How large an automaton a regular expression becomes, estimated from its text before anything is compiled.

use std::iter::Peekable;
use std::str::Chars;

use super::{SchemaFault, SchemaFaultKind};

/// The largest pattern, in estimated states.
pub(super) const MAX_PATTERN: u64 = 20_000;

/// The largest sum over the patterns of a schema.
pub(crate) const MAX_PATTERNS: u64 = 200_000;

/// A Unicode property has hundreds of ranges.
const PROPERTY: u64 = 700;

/// The complement of a set of ASCII characters, in UTF-8.
const COMPLEMENT: u64 = 30;

/// One character that may be beyond ASCII, in UTF-8.
const CHARACTER: u64 = 4;

/// Estimates the states of a pattern, rather too many than too few.
///
/// # Errors
///
/// When the pattern needs look-around or back-references, which cannot be matched in linear time, or is too large.
pub(crate) fn weight(pattern: &str) -> Result<u64, SchemaFault> {
    let refuse = |why| SchemaFault::with(SchemaFaultKind::UnsupportedPattern, why);
    let mut chars = pattern.chars().peekable();
    let mut groups: Vec<u64> = Vec::new();
    let (mut sum, mut last, mut flags) = (0_u64, 0_u64, 1_u64);
    while let Some(character) = chars.next() {
        let atom = match character {
            '\\' => match chars.next() {
                Some('1'..='9' | 'k') => return Err(refuse("it has a back-reference")),
                Some(escaped) => escape(escaped, &mut chars),
                None => CHARACTER,
            },
            '[' => class(&mut chars),
            '.' => COMPLEMENT,
            '(' => {
                if chars.next_if_eq(&'?').is_some() {
                    let (next, after) = (chars.next(), chars.peek().copied());
                    if matches!((next, after), (Some('=' | '!'), _) | (Some('<'), Some('=' | '!'))) {
                        return Err(refuse("it has look-around"));
                    }
                    // Flags can make each letter a set.
                    flags = 4;
                }
                groups.push(sum);
                (sum, last) = (0, 0);
                continue;
            }
            ')' => {
                let inner = sum;
                sum = groups.pop().unwrap_or(0);
                inner + 2
            }
            '{' => {
                let copies = repetition(&mut chars).max(1);
                // A copy that may be left out takes one state more.
                let all = (last + 1).saturating_mul(copies);
                sum = sum.saturating_add(all);
                last = all;
                continue;
            }
            '*' | '+' | '?' | '|' => 1,
            literal => character_weight(literal),
        };
        // After `x+` a count would repeat `x+`.
        last = if matches!(character, '*' | '+' | '?') { last + 1 } else { atom };
        sum = sum.saturating_add(atom);
    }
    let total = groups.into_iter().fold(sum, u64::saturating_add).saturating_mul(flags);
    if total > MAX_PATTERN { Err(refuse("it is too large")) } else { Ok(total) }
}

fn character_weight(character: char) -> u64 {
    if character.is_ascii() { 1 } else { CHARACTER }
}

/// What follows a backslash; of a property, its name is read too.
fn escape(escaped: char, chars: &mut Peekable<Chars<'_>>) -> u64 {
    match escaped {
        'p' | 'P' => {
            if chars.next_if_eq(&'{').is_some() {
                // A name that does not end makes the pattern malformed.
                while chars.next().is_some_and(|character| character != '}') {}
            }
            PROPERTY
        }
        'D' | 'W' | 'S' => COMPLEMENT,
        'd' | 'w' | 's' => 8,
        _ => CHARACTER,
    }
}

/// Reads a class up to its end.
fn class(chars: &mut Peekable<Chars<'_>>) -> u64 {
    let (mut sum, mut ascii) = (1, true);
    if chars.next_if_eq(&'^').is_some() {
        ascii = false;
    }
    while let Some(character) = chars.next() {
        sum += match character {
            ']' => break,
            '\\' => {
                let escaped = chars.next().unwrap_or_default();
                ascii &= !matches!(escaped, 'u' | 'x');
                escape(escaped, chars)
            }
            literal => {
                ascii &= literal.is_ascii();
                character_weight(literal)
            }
        };
    }
    if ascii { sum } else { sum + COMPLEMENT }
}

/// Reads the rest of `{m}`, `{m,}` or `{m,n}` and gives the larger number; what is none of these repeats once.
fn repetition(chars: &mut Peekable<Chars<'_>>) -> u64 {
    let (mut largest, mut number) = (0_u64, 0_u64);
    while let Some(character) = chars.next_if(|c| c.is_ascii_digit() || matches!(c, ',' | ' ')) {
        match character.to_digit(10) {
            Some(digit) => number = number.saturating_mul(10).saturating_add(digit.into()),
            None => number = 0,
        }
        largest = largest.max(number);
    }
    chars.next_if_eq(&'}');
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jsc_11_ordinary_patterns_are_light() {
        for pattern in [
            "",
            "^[a-z]+$",
            "^[A-Za-z0-9_-]{1,64}$",
            r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$",
            "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
            r"^\p{L}+$",
            "{",
            "a{x}",
            "[",
            "(",
            "\\",
        ] {
            assert!(weight(pattern).unwrap() < 2_000, "{pattern}");
        }
    }

    #[test]
    fn jsc_11_counted_repetitions_multiply() {
        let nested = "((a{100}){100}){100}";
        for pattern in
            [nested, "a{20000}", "a{9,99999999999999999999999}", r"\p{L}{64}", "(?:[^a]{100}|b){9}"]
        {
            let fault = weight(pattern).unwrap_err();
            assert_eq!(fault.kind(), SchemaFaultKind::UnsupportedPattern, "{pattern}");
            assert_eq!(fault.detail(), "it is too large");
        }
        assert!(weight(&"(".repeat(100_000)).is_ok());
        assert!(weight(&"[a".repeat(100_000)).is_err());
    }

    #[test]
    fn jsc_11_what_is_not_linear_is_refused() {
        for (pattern, why) in [
            ("^(?!x)", "it has look-around"),
            ("(?=x)", "it has look-around"),
            ("(?<=x)", "it has look-around"),
            ("(?<!x)", "it has look-around"),
            (r"(a)\1", "it has a back-reference"),
            (r"(?<n>a)\k<n>", "it has a back-reference"),
        ] {
            assert_eq!(weight(pattern).unwrap_err().detail(), why, "{pattern}");
        }
        assert!(weight(r"(?<n>a)(?:b)(?i:c)").is_ok());
    }
}
