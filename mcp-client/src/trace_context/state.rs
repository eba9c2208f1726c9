//! The grammar of `tracestate` (W3C Trace Context §3.3).

use std::collections::HashSet;

use super::{MAX_TRACESTATE_ENTRIES, TRACESTATE, TraceContextFault, fault};

/// Whether it is a list of `key=value`, each key once. Empty entries are allowed and do not count.
pub(super) fn check(text: &str) -> Result<(), TraceContextFault> {
    let refuse = |what| Err(TraceContextFault::new(TRACESTATE, what));
    let mut keys = HashSet::new();
    for entry in text.split(',') {
        let entry = entry.trim_matches([' ', '\t']);
        if entry.is_empty() {
            continue;
        }
        match entry.split_once('=') {
            Some((key, value)) if is_key(key) && is_value(value) => {
                if !keys.insert(key) {
                    return refuse(fault::TWICE);
                }
            }
            _ => return refuse(fault::GRAMMAR),
        }
        if keys.len() > MAX_TRACESTATE_ENTRIES {
            return refuse(fault::TOO_MANY);
        }
    }
    if keys.is_empty() { refuse(fault::GRAMMAR) } else { Ok(()) }
}

/// `name`, or `tenant@system`.
fn is_key(key: &str) -> bool {
    let rest_fits = |text: &str| {
        text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-*/".contains(&b))
    };
    match key.split_once('@') {
        None => key.starts_with(|c: char| c.is_ascii_lowercase()) && key.len() <= 256 && rest_fits(key),
        Some((tenant, system)) => {
            tenant.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && system.starts_with(|c: char| c.is_ascii_lowercase())
                && tenant.len() <= 241
                && system.len() <= 14
                && rest_fits(tenant)
                && rest_fits(system)
        }
    }
}

/// Printable ASCII without comma and equals sign. White space at its end was taken off with that around the entry.
fn is_value(value: &str) -> bool {
    (1..=256).contains(&value.len())
        && value.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b',' && b != b'=')
}
