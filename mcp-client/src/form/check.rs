//! Does a value fit its field?

use std::collections::HashSet;

use mcp_types::{RawJson, StringFormat};
use serde_json::Number;

use super::{Choice, FieldFault, FieldKind, FormField, FormUnsupported, decimal::Decimal, format};

pub(super) fn check(field: &FormField, value: &RawJson) -> Result<(), FieldFault> {
    // Rules that contradict each other bind nobody; the type still does.
    let binding = !matches!(
        field.trouble,
        Some(FormUnsupported::Contradiction { .. } | FormUnsupported::NoChoices { .. })
    );
    match &field.kind {
        FieldKind::Text { min_length, max_length, format, .. } => {
            let text = text(value)?;
            if !binding {
                return Ok(());
            }
            check_text(&text, *min_length, *max_length, format.as_ref())?;
            match &field.pattern {
                Some(pattern) if !pattern.fits(value) => Err(FieldFault::Pattern),
                _ => Ok(()),
            }
        }
        FieldKind::Number { minimum, maximum } => {
            let (minimum, maximum) =
                if binding { (minimum.as_ref(), maximum.as_ref()) } else { (None, None) };
            within(&number(value)?, minimum, maximum)
        }
        FieldKind::Integer { minimum, maximum } => {
            let number = number(value)?;
            if !number.is_whole() {
                return Err(FieldFault::NotAnInteger);
            }
            let (minimum, maximum) =
                if binding { (minimum.as_ref(), maximum.as_ref()) } else { (None, None) };
            within(&number, minimum, maximum)
        }
        FieldKind::Boolean if value.is_bool() => Ok(()),
        FieldKind::Boolean => Err(FieldFault::WrongType { expected: "true or false" }),
        FieldKind::SingleSelect { choices } => {
            let text = text(value)?;
            let chosen = !binding || choices.iter().any(|choice| choice.value() == text);
            if chosen { Ok(()) } else { Err(FieldFault::NotAChoice) }
        }
        FieldKind::MultiSelect { choices, min_items, max_items } => {
            let texts: Vec<String> = if value.is_array() { value.parse().ok() } else { None }
                .ok_or(FieldFault::WrongType { expected: "a list of texts" })?;
            if !binding {
                return Ok(());
            }
            check_chosen(&texts, choices, *min_items, *max_items)
        }
        FieldKind::Unknown(_) => Ok(()),
    }
}

fn text(value: &RawJson) -> Result<String, FieldFault> {
    value.parse().map_err(|_| FieldFault::WrongType { expected: "a text" })
}

fn check_text(
    text: &str,
    least: Option<u64>,
    most: Option<u64>,
    format: Option<&StringFormat>,
) -> Result<(), FieldFault> {
    let length = count(text.chars().count());
    if let Some(min) = least.filter(|least| length < *least) {
        return Err(FieldFault::TooShort { min });
    }
    if let Some(max) = most.filter(|most| length > *most) {
        return Err(FieldFault::TooLong { max });
    }
    match format {
        Some(format) if !format::fits(format, text) => Err(FieldFault::Format(format.clone())),
        _ => Ok(()),
    }
}

fn check_chosen(
    texts: &[String],
    choices: &[Choice],
    least: Option<u64>,
    most: Option<u64>,
) -> Result<(), FieldFault> {
    let known: HashSet<&str> = choices.iter().map(Choice::value).collect();
    if !texts.iter().all(|text| known.contains(text.as_str())) {
        return Err(FieldFault::NotAChoice);
    }
    let length = count(texts.len());
    if let Some(min) = least.filter(|least| length < *least) {
        return Err(FieldFault::TooFew { min });
    }
    match most.filter(|most| length > *most) {
        Some(max) => Err(FieldFault::TooMany { max }),
        None => Ok(()),
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A number within the range of a double: beyond it hardly any server can read it (RFC 8259 §6).
fn number(value: &RawJson) -> Result<Decimal, FieldFault> {
    if !value.is_number() {
        return Err(FieldFault::WrongType { expected: "a number" });
    }
    let text = value.get();
    let limit = |limit: f64| Number::from_f64(limit).ok_or(FieldFault::NotANumber);
    match text.parse::<f64>() {
        Ok(double) if double.is_finite() => Ok(Decimal::read(text)),
        Ok(double) if double > 0.0 => Err(FieldFault::TooLarge { max: limit(f64::MAX)? }),
        Ok(_) => Err(FieldFault::TooSmall { min: limit(f64::MIN)? }),
        Err(_) => Err(FieldFault::NotANumber),
    }
}

fn within(number: &Decimal, minimum: Option<&Number>, maximum: Option<&Number>) -> Result<(), FieldFault> {
    if let Some(min) = minimum.filter(|minimum| *number < decimal(minimum)) {
        return Err(FieldFault::TooSmall { min: min.clone() });
    }
    match maximum.filter(|maximum| *number > decimal(maximum)) {
        Some(max) => Err(FieldFault::TooLarge { max: max.clone() }),
        None => Ok(()),
    }
}

fn decimal(bound: &Number) -> Decimal {
    Decimal::read(&bound.to_string())
}

/// Whether the least value is above the greatest.
pub(super) fn crossed(minimum: Option<&Number>, maximum: Option<&Number>) -> bool {
    match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => decimal(minimum) > decimal(maximum),
        _ => false,
    }
}

/// Whether the bounds lie between two neighbours.
pub(super) fn no_whole_number(minimum: Option<&Number>, maximum: Option<&Number>) -> bool {
    // Bounds with a fraction are doubles, and small enough to have one.
    let fraction = |bound: &&Number| !decimal(bound).is_whole();
    match (minimum.filter(fraction), maximum.filter(fraction)) {
        (Some(minimum), Some(maximum)) => {
            let up = minimum.as_f64().map(f64::ceil);
            let down = maximum.as_f64().map(f64::floor);
            matches!((up, down), (Some(up), Some(down)) if up > down)
        }
        _ => false,
    }
}
