//! The formats that texts in forms can have.
//!
//! Who fills a form in must not be stopped by a check that is stricter than the server's: what is refused here is what no server
//! can take.

use std::net::IpAddr;

use mcp_types::StringFormat;

/// The longest mail address (RFC 5321 §4.5.3.1).
const MAX_EMAIL: usize = 254;

/// Whether the text is of the format. A format that is not known is none to keep.
pub(super) fn fits(format: &StringFormat, text: &str) -> bool {
    match format {
        StringFormat::Email => is_email(text),
        StringFormat::Uri => is_uri(text),
        StringFormat::Date => is_date(text),
        StringFormat::DateTime => is_date_time(text),
        _ => true,
    }
}

/// A mailbox of RFC 5321, letters of all scripts included (RFC 6531).
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= MAX_EMAIL && (is_dot_atom(local) || is_quoted(local)) && is_mail_domain(domain)
}

fn is_dot_atom(local: &str) -> bool {
    let is_atom = |c: char| c.is_alphanumeric() || (!c.is_ascii() && !c.is_control() && !c.is_whitespace());
    local
        .split('.')
        .all(|atom| !atom.is_empty() && atom.chars().all(|c| is_atom(c) || "!#$%&'*+-/=?^_`{|}~".contains(c)))
}

fn is_quoted(local: &str) -> bool {
    let Some(inner) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
    let mut chars = inner.chars();
    while let Some(character) = chars.next() {
        let kept = if character == '\\' { chars.next() } else { Some(character) };
        let plain = character == '\\' || character != '"';
        if !plain || kept.is_none_or(char::is_control) {
            return false;
        }
    }
    true
}

fn is_mail_domain(domain: &str) -> bool {
    if let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let address = literal.strip_prefix("IPv6:").unwrap_or(literal);
        return address.parse::<IpAddr>().is_ok();
    }
    domain.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    })
}

/// A URI with its scheme (RFC 3986 §3): characters of ASCII only, others are percent-encoded.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    // An authority is the only place for brackets.
    let (authority, path) = match hierarchy.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", hierarchy),
    };
    is_scheme
        && is_authority(authority)
        && [path, query, fragment].iter().all(|part| has_only(part, "-._~!$&'()*+,;=:@/?"))
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    if !has_only(user, "-._~!$&'()*+,;=:") {
        return false;
    }
    let (host, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((literal, port)) = rest.split_once(']') else { return false };
            let is_future = literal.starts_with(['v', 'V']) && has_only(literal, "-._~!$&'()*+,;=:");
            if !is_future && literal.parse::<std::net::Ipv6Addr>().is_err() {
                return false;
            }
            ("", port)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    has_only(host, "-._~!$&'()*+,;=") && is_port
}

/// Whether a part has letters, digits, those marks and whole percent-encodings only.
fn has_only(part: &str, marks: &str) -> bool {
    let mut bytes = part.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'%' => {
                let hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
                hex(bytes.next()) && hex(bytes.next())
            }
            _ => byte.is_ascii_alphanumeric() || marks.as_bytes().contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// A `full-date` of RFC 3339.
fn is_date(text: &str) -> bool {
    date(text).is_some()
}

fn date(text: &str) -> Option<()> {
    let mut parts = text.split('-');
    let (year, month, day) =
        (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (parts.next().is_none() && (1..=days).contains(&day)).then_some(())
}

/// A `date-time` of RFC 3339.
fn is_date_time(text: &str) -> bool {
    let split = || {
        let (day, rest) = text.split_once(['T', 't'])?;
        date(day)?;
        let zone = rest.find(['Z', 'z', '+', '-'])?;
        let (time, zone) = (rest.get(..zone)?, rest.get(zone..)?);
        let offset = match zone {
            "Z" | "z" => 0,
            _ => {
                let (hour, minute) = zone.get(1..)?.split_once(':')?;
                let minutes = minutes(hour, minute)?;
                if zone.starts_with('-') { -minutes } else { minutes }
            }
        };
        let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let mut parts = clock.split(':');
        let at = minutes(parts.next()?, parts.next()?)?;
        let second = digits(parts.next()?, 2)?;
        // A leap second is the last of a day in UTC.
        let leap = second == 60 && (at - offset).rem_euclid(24 * 60) == 24 * 60 - 1;
        let whole = parts.next().is_none() && (second < 60 || leap);
        (whole && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
    };
    split().is_some()
}

/// The minutes of a time of day.
fn minutes(hour: &str, minute: &str) -> Option<i32> {
    let (hour, minute) = (digits(hour, 2)?, digits(minute, 2)?);
    (hour < 24 && minute < 60).then_some(i32::try_from(hour * 60 + minute).ok()?)
}

fn digits(text: &str, length: usize) -> Option<u32> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
