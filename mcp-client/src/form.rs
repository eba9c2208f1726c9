//! Forms of servers: fields with types, answers with an error a field.

mod check;
mod decimal;
mod fault;
mod field;
mod fill;
mod format;
mod pattern;
mod text;
mod unsupported;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use mcp_types::{ElicitFormParams, ElicitSchema, RawJson, RawMap};

use self::pattern::Patterns;
pub use self::{
    fault::{FieldError, FieldFault, FormErrors},
    field::{Choice, FieldKind, FormField},
    unsupported::FormUnsupported,
};

/// How many fields a form may have to be shown as one.
pub const MAX_FORM_FIELDS: usize = 1_000;

/// A form that a server wants to be filled in (`elicitation/create`, mode `form`).
///
/// It has the fields in the server's order, with types; it reads and checks answers and makes an [`ElicitAnswer`] of them. A
/// clone is cheap. All text in it is the server's and untrusted: show it as plain text, say which server asks, and let the person
/// change the answers, decline and cancel. Its `Debug` shows the names of the fields only.
///
/// What the restricted subset of JSON Schema does not have is ignored, as an unknown `format` is. Where that is not possible
/// [`is_supported`](Self::is_supported) is `false`: show the [`schema`](Self::schema), and [`fill`](Self::fill) takes any JSON
/// for the fields that are not known.
///
/// [`ElicitAnswer`]: crate::ElicitAnswer
///
/// # Examples
///
/// ```
/// use mcp_client::{ElicitForm, FieldFault, types::ElicitFormParams};
///
/// let asked: ElicitFormParams = serde_json::from_str(
///     r#"{
///         "message": "Who are you?",
///         "requestedSchema": {
///             "type": "object",
///             "properties": {
///                 "name": { "type": "string", "title": "Your name" },
///                 "age": { "type": "integer", "minimum": 18 }
///             },
///             "required": ["name"]
///         }
///     }"#,
/// )?;
/// let form = ElicitForm::new(&asked);
/// assert_eq!(form.fields()[0].label(), "Your name");
///
/// let errors = form.fill_text([("name", "Ada"), ("age", "17")]).unwrap_err();
/// assert!(matches!(errors.for_field("age"), Some(FieldFault::TooSmall { .. })));
/// assert_eq!(errors.to_string(), "`age` must be at least 18");
///
/// let answer = form.fill_text([("name", "Ada"), ("age", "36")])?;
/// assert_eq!(serde_json::to_value(&answer)?["content"]["age"], 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ElicitForm(Arc<Form>);

struct Form {
    message: String,
    schema: RawJson,
    fields: Vec<FormField>,
    /// Where each field is.
    index: HashMap<String, usize>,
    /// Fields that are required, but not in the form.
    unlisted: Vec<String>,
    unsupported: Option<FormUnsupported>,
}

impl ElicitForm {
    /// Reads a form. What cannot be read becomes a field of kind [`FieldKind::Unknown`].
    pub fn new(params: &ElicitFormParams) -> Self {
        let schema = &params.requested_schema;
        let mut patterns = Patterns::default();
        // By name once: a search for each field would take quadratic time.
        let required: HashSet<&str> = schema.required.iter().flatten().map(String::as_str).collect();
        let fields: Vec<FormField> = schema
            .properties
            .iter()
            .map(|(name, field)| FormField::new(name, field, required.contains(name), &mut patterns))
            .collect();
        let index: HashMap<String, usize> =
            fields.iter().enumerate().map(|(at, field)| (field.name.clone(), at)).collect();
        let mut seen = HashSet::new();
        let unlisted: Vec<String> = schema
            .required
            .iter()
            .flatten()
            .filter(|name| !index.contains_key(*name) && seen.insert(name.as_str()))
            .cloned()
            .collect();
        let unsupported = unsupported(schema, &fields, &unlisted);
        Self(Arc::new(Form {
            message: params.message.clone(),
            schema: RawJson::from_serialize(schema).unwrap_or_default(),
            fields,
            index,
            unlisted,
            unsupported,
        }))
    }

    /// What the server tells the person.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The fields in the server's order; none where it only asks for consent.
    pub fn fields(&self) -> &[FormField] {
        &self.0.fields
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&FormField> {
        self.0.fields.get(*self.0.index.get(name)?)
    }

    /// Whether it can be shown as a form: every field is of the restricted subset, no rule contradicts another, and there are at
    /// most [`MAX_FORM_FIELDS`] fields. Otherwise show the [`schema`](Self::schema) as it is.
    pub fn is_supported(&self) -> bool {
        self.0.unsupported.is_none()
    }

    /// Why it cannot be shown as a form.
    pub fn unsupported(&self) -> Option<FormUnsupported> {
        self.0.unsupported.clone()
    }

    /// The schema (`requestedSchema`).
    pub fn schema(&self) -> RawJson {
        self.0.schema.clone()
    }

    /// What is to be filled in beforehand: the defaults that fit their own fields.
    pub fn defaults(&self) -> RawMap {
        let default = |field: &FormField| Some((field.name.clone(), field.default()?.clone()));
        self.fields().iter().filter_map(default).collect()
    }
}

fn unsupported(schema: &ElicitSchema, fields: &[FormField], unlisted: &[String]) -> Option<FormUnsupported> {
    if fields.len() > MAX_FORM_FIELDS {
        return Some(FormUnsupported::TooManyFields { count: fields.len() });
    }
    if schema.dropped_hints().any(|name| name == "required") {
        return Some(FormUnsupported::Rule { field: None, keyword: "required" });
    }
    fields
        .iter()
        .find_map(|field| field.trouble.clone())
        .or_else(|| unlisted.first().map(|field| FormUnsupported::Unlisted { field: field.clone() }))
}

impl fmt::Debug for ElicitForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitForm").field("fields", &self.fields()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
