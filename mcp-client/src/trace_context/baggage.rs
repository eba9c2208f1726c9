//! The grammar of `baggage` (W3C Baggage §3.3).

use std::fmt::Write as _;

use super::{BAGGAGE, MAX_BAGGAGE_BYTES, MAX_BAGGAGE_ENTRIES, TraceContextFault, fault};

/// Whether it is a list of `name=value`, each with properties or without.
pub(super) fn check(text: &str) -> Result<(), TraceContextFault> {
    let refuse = |what| Err(TraceContextFault::new(BAGGAGE, what));
    if text.len() > MAX_BAGGAGE_BYTES {
        return refuse(fault::TOO_LONG);
    }
    if text.split(',').count() > MAX_BAGGAGE_ENTRIES {
        return refuse(fault::TOO_MANY);
    }
    if text.split(',').all(is_entry) { Ok(()) } else { refuse(fault::GRAMMAR) }
}

/// `name=value;property;property=value`, with white space around each part.
fn is_entry(entry: &str) -> bool {
    let is_pair = |pair: &str| {
        pair.split_once('=')
            .is_some_and(|(name, value)| is_token(trim(name)) && trim(value).bytes().all(is_octet))
    };
    let mut parts = entry.split(';');
    parts.next().is_some_and(is_pair) && parts.all(|property| is_pair(property) || is_token(trim(property)))
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Printable ASCII without space, double quote, comma, semicolon and backslash.
fn is_octet(byte: u8) -> bool {
    (b'!'..=b'~').contains(&byte) && !b"\",;\\".contains(&byte)
}

/// The list with one more entry.
pub(super) fn with_entry(list: Option<&str>, name: &str, value: &str) -> Result<String, TraceContextFault> {
    if !is_token(name) {
        return Err(TraceContextFault::new(BAGGAGE, fault::NAME));
    }
    let mut text = list.map(|list| format!("{list},")).unwrap_or_default();
    text.push_str(name);
    text.push('=');
    for byte in value.bytes() {
        if is_octet(byte) && byte != b'%' {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    check(&text)?;
    Ok(text)
}
