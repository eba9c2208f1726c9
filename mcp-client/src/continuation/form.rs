//! Does an answer fit the form that was asked for?

use mcp_types::{
    ElicitFormParams, EnumSchema, MultiSelectEnumSchema, NumberType, PrimitiveSchemaDefinition as Field,
    RawJson, RawMap,
};
use serde_json::Number;

/// The first field that breaks the form's schema: a required one that is missing, or one whose value has the wrong type,
/// length, size, or is not among the choices. Fields that the form does not name are the server's to judge.
pub(super) fn misfit(form: &ElicitFormParams, content: Option<&RawMap>) -> Option<String> {
    let value = |name: &str| content.and_then(|content| content.get(name));
    let schema = &form.requested_schema;
    let missing = schema.required.iter().flatten().find(|name| value(name).is_none());
    missing.cloned().or_else(|| {
        let broken = schema
            .properties
            .iter()
            .find(|(name, field)| value(name).is_some_and(|value| !fits(field, value)));
        broken.map(|(name, _)| name.to_owned())
    })
}

fn fits(field: &Field, value: &RawJson) -> bool {
    match field {
        Field::String(schema) => value.parse::<String>().is_ok_and(|text| {
            let length = text.chars().count();
            within(length, schema.min_length, schema.max_length)
        }),
        Field::Number(schema) => value.parse::<Number>().is_ok_and(|number| {
            let Some(number) = number.as_f64() else { return false };
            let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
            (schema.kind != NumberType::Integer || number.fract() == 0.0)
                && bound(&schema.minimum).is_none_or(|minimum| number >= minimum)
                && bound(&schema.maximum).is_none_or(|maximum| number <= maximum)
        }),
        Field::Boolean(_) => value.is_bool(),
        Field::Enum(schema) => chosen(schema, value),
        // A field of a kind that is not known: the server knows.
        _ => true,
    }
}

fn chosen(schema: &EnumSchema, value: &RawJson) -> bool {
    let choices = schema.choices();
    let known = |text: &String| choices.iter().any(|(value, _)| value == text);
    let EnumSchema::Multi(multi) = schema else {
        return value.parse::<String>().is_ok_and(|text| known(&text));
    };
    let (least, most) = match multi {
        MultiSelectEnumSchema::Untitled(schema) => (schema.min_items, schema.max_items),
        MultiSelectEnumSchema::Titled(schema) => (schema.min_items, schema.max_items),
        _ => (None, None),
    };
    value
        .parse::<Vec<String>>()
        .is_ok_and(|texts| within(texts.len(), least, most) && texts.iter().all(known))
}

fn within(length: usize, least: Option<u64>, most: Option<u64>) -> bool {
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    least.is_none_or(|least| length >= least) && most.is_none_or(|most| length <= most)
}
