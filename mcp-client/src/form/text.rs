//! What a terminal or an HTML form sends, read by the kind of the field.

use mcp_types::RawJson;

use super::{Choice, FieldFault, FieldKind, FormField};

pub(super) fn parse(field: &FormField, texts: &[&str]) -> Result<Option<RawJson>, FieldFault> {
    let value = match &field.kind {
        FieldKind::MultiSelect { choices, .. } => several(field, choices, texts)?,
        // A page sends `false` for a box that is not ticked and `true` after it for one that is.
        FieldKind::Boolean => single(field, texts.last().copied())?,
        _ if texts.len() > 1 => return Err(FieldFault::TooMany { max: 1 }),
        _ => single(field, texts.first().copied())?,
    };
    match &value {
        Some(value) => field.check(value)?,
        None if field.required => return Err(FieldFault::Missing),
        None => {}
    }
    Ok(value)
}

fn several(field: &FormField, choices: &[Choice], texts: &[&str]) -> Result<Option<RawJson>, FieldFault> {
    let empty_is_a_choice = || choices.iter().any(|choice| choice.value().is_empty());
    let has_empty = texts.iter().any(|text| text.is_empty());
    let keep_empty = has_empty && empty_is_a_choice();
    let chosen: Vec<&str> = texts.iter().copied().filter(|text| keep_empty || !text.is_empty()).collect();
    if chosen.is_empty() && !field.required {
        return Ok(None);
    }
    json(&chosen).map(Some)
}

/// Reads one text; an empty one leaves out what may be left out, and what it cannot be.
fn single(field: &FormField, text: Option<&str>) -> Result<Option<RawJson>, FieldFault> {
    let Some(text) = text.filter(|text| field.required || !text.is_empty()) else { return Ok(None) };
    let trimmed = text.trim();
    match &field.kind {
        FieldKind::Text { .. } => json(text).map(Some),
        FieldKind::SingleSelect { choices } => {
            // A page's "please choose" is an empty text.
            let nothing = text.is_empty() && !choices.iter().any(|choice| choice.value().is_empty());
            if nothing { Ok(None) } else { json(text).map(Some) }
        }
        _ if trimmed.is_empty() => Ok(None),
        FieldKind::Number { .. } | FieldKind::Integer { .. } => number(trimmed).map(Some),
        FieldKind::Boolean => boolean(trimmed).map(Some),
        FieldKind::MultiSelect { .. } | FieldKind::Unknown(_) => Err(FieldFault::Unsupported),
    }
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> Result<RawJson, FieldFault> {
    RawJson::from_serialize(value).map_err(|_| FieldFault::Unsupported)
}

fn boolean(text: &str) -> Result<RawJson, FieldFault> {
    let is = |words: [&str; 4]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    match (is(["true", "on", "yes", "1"]), is(["false", "off", "no", "0"])) {
        (true, _) => json(&true),
        (_, true) => json(&false),
        _ => Err(FieldFault::NotABoolean),
    }
}

/// A number as people and pages write it (`+1`, `.5`, `007`) in JSON, digit for digit.
fn number(text: &str) -> Result<RawJson, FieldFault> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
    let (whole, fraction) = mantissa.split_at(mantissa.find('.').unwrap_or(mantissa.len()));
    // A point alone is no number, and only the sign in front may be one that JSON does not have.
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) || whole.is_empty() && fraction.len() < 2 {
        return Err(FieldFault::NotANumber);
    }
    let digits = whole.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let raw = RawJson::from_text([sign, digits, fraction, exponent].concat());
    raw.ok().filter(RawJson::is_number).ok_or(FieldFault::NotANumber)
}
