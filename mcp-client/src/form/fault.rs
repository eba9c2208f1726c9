//! What is wrong with an answer to a form.

use std::{error::Error, fmt};

use mcp_types::StringFormat;
use serde_json::Number;

/// How much of a name is shown, in characters: names come from servers.
const SHOWN: usize = 64;

/// How many faults a `Display` lists.
const LISTED: usize = 8;

/// Everything that is wrong with the answers to a form, a fault a field: first the fields of the form in its order, then
/// those that it does not have.
///
/// The `Display` shows the fields' names, escaped and cut, and never what was entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormErrors(Vec<FieldError>);

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    field: String,
    fault: FieldFault,
}

/// Why the value of a field was refused. The `Display` is for the person who fills the form in; it follows the field's label:
/// "must be at least 18".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldFault {
    /// A required field is left out.
    Missing,
    /// The form has no such field.
    UnknownField,
    /// The value is of another JSON type.
    WrongType {
        /// What is expected, in words.
        expected: &'static str,
    },
    /// The text is no number.
    NotANumber,
    /// The number is not whole.
    NotAnInteger,
    /// The text is neither yes nor no.
    NotABoolean,
    /// The text has too few characters.
    TooShort {
        /// The least number.
        min: u64,
    },
    /// The text has too many characters.
    TooLong {
        /// The greatest number.
        max: u64,
    },
    /// The number is too small.
    TooSmall {
        /// The least value.
        min: Number,
    },
    /// The number is too large.
    TooLarge {
        /// The greatest value.
        max: Number,
    },
    /// The value is not among the choices.
    NotAChoice,
    /// Too few are chosen.
    TooFew {
        /// The least number.
        min: u64,
    },
    /// Too many are chosen, or a field that holds one value was given several.
    TooMany {
        /// The greatest number.
        max: u64,
    },
    /// The text is not of that format.
    Format(StringFormat),
    /// The text does not match the field's pattern. Found with the feature `schema` only.
    Pattern,
    /// The field is of a kind that no text can be read for. A JSON value can be given.
    Unsupported,
    /// The answers as a whole are no object, or cannot be put into JSON: no field, and [`FieldError::field`] is empty.
    NotAnObject,
}

impl FormErrors {
    /// `Ok` where nothing is wrong.
    pub(super) fn check(errors: Vec<FieldError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    pub(super) fn not_an_object() -> Self {
        Self(vec![FieldError::new("", FieldFault::NotAnObject)])
    }

    /// What is wrong, field by field; at least one.
    pub fn iter(&self) -> std::slice::Iter<'_, FieldError> {
        self.0.iter()
    }

    /// What is wrong with that field.
    pub fn for_field(&self, name: &str) -> Option<&FieldFault> {
        self.0
            .iter()
            .find(|error| error.field == name && error.fault != FieldFault::NotAnObject)
            .map(FieldError::fault)
    }

    /// All but those; `None` if nothing is left.
    pub(crate) fn without(self, fault: &FieldFault) -> Option<Self> {
        let left: Vec<FieldError> = self.0.into_iter().filter(|error| error.fault != *fault).collect();
        Self::check(left).err()
    }
}

impl<'a> IntoIterator for &'a FormErrors {
    type Item = &'a FieldError;
    type IntoIter = std::slice::Iter<'a, FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FieldError {
    pub(super) fn new(field: impl Into<String>, fault: FieldFault) -> Self {
        Self { field: field.into(), fault }
    }

    /// The name of the field.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// What is wrong with it.
    pub fn fault(&self) -> &FieldFault {
        &self.fault
    }
}

/// A name of a server, cut and without characters that change what is shown.
pub(super) fn shown(name: &str) -> String {
    let cut = name.char_indices().nth(SHOWN).and_then(|(end, _)| name.get(..end));
    let mut shown = cut.unwrap_or(name).escape_debug().to_string();
    if cut.is_some() {
        shown.push('…');
    }
    shown
}

impl fmt::Display for FormErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(LISTED).enumerate() {
            write!(f, "{}{error}", if index == 0 { "" } else { "; " })?;
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            FieldFault::NotAnObject => self.fault.fmt(f),
            _ => write!(f, "`{}` {}", shown(&self.field), self.fault),
        }
    }
}

impl fmt::Display for FieldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        match self {
            Self::Missing => f.write_str("must be filled in"),
            Self::UnknownField => f.write_str("is not a field of this form"),
            Self::WrongType { expected } => write!(f, "must be {expected}"),
            Self::NotANumber => f.write_str("must be a number"),
            Self::NotAnInteger => f.write_str("must be a whole number"),
            Self::NotABoolean => f.write_str("must be yes or no"),
            Self::TooShort { min } => write!(f, "must be at least {min} character{} long", plural(*min)),
            Self::TooLong { max } => write!(f, "must be at most {max} character{} long", plural(*max)),
            Self::TooSmall { min } => write!(f, "must be at least {min}"),
            Self::TooLarge { max } => write!(f, "must be at most {max}"),
            Self::NotAChoice => f.write_str("must be one of the choices"),
            Self::TooFew { min } => write!(f, "must have at least {min} choice{}", plural(*min)),
            Self::TooMany { max } => write!(f, "must have at most {max} choice{}", plural(*max)),
            Self::Format(StringFormat::Email) => f.write_str("must be an email address"),
            Self::Format(StringFormat::Uri) => {
                f.write_str("must be a full address such as https://example.com")
            }
            Self::Format(StringFormat::Date) => f.write_str("must be a date such as 2026-07-28"),
            Self::Format(StringFormat::DateTime) => {
                f.write_str("must be a date and time such as 2026-07-28T14:30:00Z")
            }
            Self::Format(_) | Self::Pattern => f.write_str("must have the format that is asked for"),
            Self::Unsupported => f.write_str("cannot be filled in as text"),
            Self::NotAnObject => f.write_str("the answers must be an object with a member for each field"),
        }
    }
}

impl Error for FormErrors {}
impl Error for FieldError {}
impl Error for FieldFault {}
