//! One field of a form.

use std::fmt;

use mcp_types::{
    EnumSchema, MultiSelectEnumSchema, NumberType, PrimitiveSchemaDefinition, RawJson, RawMap,
    SingleSelectEnumSchema, StringFormat,
};
use serde_json::Number;

use super::{
    FieldFault, FormUnsupported, check,
    pattern::{Pattern, Patterns},
    text,
};

/// A field of a form, as a person is shown it: see [`ElicitForm::fields`](super::ElicitForm::fields).
///
/// Names, titles and descriptions are untrusted text of the server. Show them as plain text, and no address in them as a link.
#[derive(Clone)]
pub struct FormField {
    pub(super) name: String,
    title: Option<String>,
    description: Option<String>,
    pub(super) required: bool,
    pub(super) kind: FieldKind,
    default: Option<RawJson>,
    pub(super) pattern: Option<Pattern>,
    /// Why the field cannot be filled in as its schema says. Its rules are not checked then: they cannot be kept.
    pub(super) trouble: Option<FormUnsupported>,
}

/// What a field takes.
///
/// The rules are the server's, to be shown or put into a page; [`FormField::check`] keeps them. Lengths are in characters
/// (Unicode scalar values).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A text.
    Text {
        /// The least number of characters.
        min_length: Option<u64>,
        /// The greatest number of characters.
        max_length: Option<u64>,
        /// What kind of text it is. One that is not known ([`StringFormat::Other`]) is not checked.
        format: Option<StringFormat>,
        /// A regular expression that some part of the text must match. The specification has none; some servers ask for it. It is
        /// checked with the feature `schema` only, where it can be matched in linear time and is not too large.
        pattern: Option<String>,
    },
    /// A number.
    Number {
        /// The least value.
        minimum: Option<Number>,
        /// The greatest value.
        maximum: Option<Number>,
    },
    /// A whole number.
    Integer {
        /// The least value.
        minimum: Option<Number>,
        /// The greatest value.
        maximum: Option<Number>,
    },
    /// Yes or no.
    Boolean,
    /// One of several choices.
    SingleSelect {
        /// What there is to choose from.
        choices: Vec<Choice>,
    },
    /// Some of several choices.
    MultiSelect {
        /// What there is to choose from.
        choices: Vec<Choice>,
        /// The least number to be chosen.
        min_items: Option<u64>,
        /// The greatest number to be chosen.
        max_items: Option<u64>,
    },
    /// A kind beyond the restricted subset, or a schema that is malformed: the text as it came. Any JSON value is taken for it.
    Unknown(RawJson),
}

/// One choice of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    value: String,
    /// Where it is another than the value.
    title: Option<String>,
}

impl Choice {
    fn new(value: &str, title: &str) -> Self {
        Self { value: value.to_owned(), title: (title != value).then(|| title.to_owned()) }
    }

    /// What is sent.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What is shown: the title, or the value where there is none.
    pub fn title(&self) -> &str {
        self.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&self.value)
    }
}

impl FormField {
    pub(super) fn new(
        name: &str,
        schema: &PrimitiveSchemaDefinition,
        required: bool,
        patterns: &mut Patterns,
    ) -> Self {
        let mut field = Self {
            name: name.to_owned(),
            title: None,
            description: None,
            required,
            kind: FieldKind::Unknown(RawJson::null()),
            default: None,
            pattern: None,
            trouble: None,
        };
        let default = field.read(schema, patterns);
        field.trouble = field.trouble(schema);
        field.default = default.filter(|value| field.check(value).is_ok());
        field
    }

    /// Takes over what the schema says, and gives its default.
    fn read(&mut self, schema: &PrimitiveSchemaDefinition, patterns: &mut Patterns) -> Option<RawJson> {
        use PrimitiveSchemaDefinition as Schema;
        let mut words = |title: &Option<String>, description: &Option<String>| {
            self.title.clone_from(title);
            self.description.clone_from(description);
        };
        let (kind, default) = match schema {
            Schema::String(schema) => {
                words(&schema.title, &schema.description);
                let pattern = schema.extra.get_as::<String>("pattern").and_then(Result::ok);
                self.pattern = pattern.as_deref().and_then(|pattern| patterns.add(pattern));
                let kind = FieldKind::Text {
                    min_length: schema.min_length,
                    max_length: schema.max_length,
                    format: schema.format.clone(),
                    pattern,
                };
                (kind, schema.default.as_ref().map(RawJson::from_serialize))
            }
            Schema::Number(schema) => {
                words(&schema.title, &schema.description);
                let (minimum, maximum) = (schema.minimum.clone(), schema.maximum.clone());
                let kind = if schema.kind == NumberType::Integer {
                    FieldKind::Integer { minimum, maximum }
                } else {
                    FieldKind::Number { minimum, maximum }
                };
                (kind, schema.default.as_ref().map(RawJson::from_serialize))
            }
            Schema::Boolean(schema) => {
                words(&schema.title, &schema.description);
                (FieldKind::Boolean, schema.default.as_ref().map(RawJson::from_serialize))
            }
            Schema::Enum(schema) => {
                let parts = choice_parts(schema);
                words(parts.title, parts.description);
                let choices =
                    schema.choices().into_iter().map(|(value, title)| Choice::new(value, title)).collect();
                let kind = match parts.items {
                    None => FieldKind::SingleSelect { choices },
                    Some((min_items, max_items)) => FieldKind::MultiSelect { choices, min_items, max_items },
                };
                (kind, parts.default)
            }
            Schema::Unknown(raw) => (FieldKind::Unknown(raw.clone()), None),
            // Kinds of later versions of the types.
            other => (FieldKind::Unknown(RawJson::from_serialize(other).unwrap_or_default()), None),
        };
        self.kind = kind;
        default.and_then(Result::ok)
    }

    fn trouble(&self, schema: &PrimitiveSchemaDefinition) -> Option<FormUnsupported> {
        use PrimitiveSchemaDefinition as Schema;
        let field = || self.name.clone();
        if matches!(self.kind, FieldKind::Unknown(_)) {
            return Some(FormUnsupported::Kind { field: field() });
        }
        let unread = match schema {
            Schema::String(schema) => unread_rule(&schema.extra, schema.dropped_hints()),
            Schema::Number(schema) => unread_rule(&schema.extra, schema.dropped_hints()),
            Schema::Enum(schema) => choice_parts(schema).unread,
            _ => None,
        };
        if let Some(keyword) = unread {
            return Some(FormUnsupported::Rule { field: Some(field()), keyword });
        }
        match &self.kind {
            FieldKind::SingleSelect { choices } | FieldKind::MultiSelect { choices, .. }
                if choices.is_empty() =>
            {
                Some(FormUnsupported::NoChoices { field: field() })
            }
            kind if contradicts_itself(kind) => Some(FormUnsupported::Contradiction { field: field() }),
            _ => None,
        }
    }

    /// The name of the member that is sent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the field is called: its title, or its name where it has none.
    pub fn label(&self) -> &str {
        self.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&self.name)
    }

    /// A word of help.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether it must be filled in.
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// What it takes.
    pub fn kind(&self) -> &FieldKind {
        &self.kind
    }

    /// What is to be filled in beforehand. A default that does not fit its own field is none.
    pub fn default(&self) -> Option<&RawJson> {
        self.default.as_ref()
    }

    /// Reads what a terminal or an HTML form sends: no text or one, and of a choice of several one for each that is chosen.
    /// `None` means that the field is left out.
    ///
    /// * Nothing, or an empty text in a field that is not required, leaves it out.
    /// * **Texts** are taken as they are; white space is kept. **Choices** are their values, not their titles.
    /// * **Numbers** are decimal (`-1.50`, `1e3`, `.5`) and keep their digits; white space around them is dropped.
    /// * **Yes and no** are `true`, `on`, `yes`, `1` and `false`, `off`, `no`, `0`, in any case. Of several the last counts, so
    ///   that a page can send `false` for a box that is not ticked.
    /// * A required choice of several with nothing chosen is an empty list.
    ///
    /// # Errors
    ///
    /// [`FieldFault`]: why the text cannot be the value of this field.
    pub fn parse(&self, text: &[&str]) -> Result<Option<RawJson>, FieldFault> {
        text::parse(self, text)
    }

    /// Whether a value fits the field. Rules of a field that contradict each other are not looked at, nor are keywords beyond the
    /// restricted subset, except `pattern`: the server judges those.
    ///
    /// # Errors
    ///
    /// [`FieldFault`]: the first rule that is broken.
    pub fn check(&self, value: &RawJson) -> Result<(), FieldFault> {
        check::check(self, value)
    }
}

/// What the schemas of choices have in common.
struct ChoiceParts<'a> {
    title: &'a Option<String>,
    description: &'a Option<String>,
    default: Option<Result<RawJson, mcp_types::JsonError>>,
    /// Of a choice of several, the least and the greatest number.
    items: Option<(Option<u64>, Option<u64>)>,
    unread: Option<&'static str>,
}

fn choice_parts(schema: &EnumSchema) -> ChoiceParts<'_> {
    macro_rules! parts {
        ($schema:expr, $items:expr) => {
            ChoiceParts {
                title: &$schema.title,
                description: &$schema.description,
                default: $schema.default.as_ref().map(RawJson::from_serialize),
                items: $items,
                unread: unread_rule(&$schema.extra, $schema.dropped_hints()),
            }
        };
    }
    const NONE: &Option<String> = &None;
    match schema {
        EnumSchema::Single(SingleSelectEnumSchema::Untitled(schema)) => parts!(schema, None),
        EnumSchema::Single(SingleSelectEnumSchema::Titled(schema)) => parts!(schema, None),
        EnumSchema::LegacyTitled(schema) => parts!(schema, None),
        EnumSchema::Multi(MultiSelectEnumSchema::Untitled(schema)) => {
            parts!(schema, Some((schema.min_items, schema.max_items)))
        }
        EnumSchema::Multi(MultiSelectEnumSchema::Titled(schema)) => {
            parts!(schema, Some((schema.min_items, schema.max_items)))
        }
        _ => ChoiceParts { title: NONE, description: NONE, default: None, items: None, unread: None },
    }
}

/// The first rule that could not be read; what is only shown may be missing.
fn unread_rule(extra: &RawMap, mut dropped: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let is_rule = |name: &&str| !matches!(*name, "title" | "description" | "default");
    if extra.is_empty() { None } else { dropped.find(is_rule) }
}

fn contradicts_itself(kind: &FieldKind) -> bool {
    let crossed =
        |least: Option<u64>, most: Option<u64>| matches!((least, most), (Some(a), Some(b)) if a > b);
    match kind {
        FieldKind::Text { min_length, max_length, .. } => crossed(*min_length, *max_length),
        FieldKind::Number { minimum, maximum } => check::crossed(minimum.as_ref(), maximum.as_ref()),
        FieldKind::Integer { minimum, maximum } => {
            check::crossed(minimum.as_ref(), maximum.as_ref())
                || check::no_whole_number(minimum.as_ref(), maximum.as_ref())
        }
        FieldKind::MultiSelect { choices, min_items, max_items } => {
            let all = u64::try_from(choices.len()).ok();
            crossed(*min_items, *max_items) || crossed(*min_items, all)
        }
        _ => false,
    }
}

impl fmt::Debug for FormField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FieldKind::Text { .. } => "text",
            FieldKind::Number { .. } => "number",
            FieldKind::Integer { .. } => "integer",
            FieldKind::Boolean => "boolean",
            FieldKind::SingleSelect { .. } => "single select",
            FieldKind::MultiSelect { .. } => "multi select",
            FieldKind::Unknown(_) => "unknown",
        };
        f.debug_struct("FormField")
            .field("name", &self.name)
            .field("kind", &kind)
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}
