//! Why a form cannot be shown as one.

use std::{error::Error, fmt};

use super::{MAX_FORM_FIELDS, fault::shown};

/// The first reason why a form is outside the restricted subset, or cannot be answered as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormUnsupported {
    /// It has more fields than [`MAX_FORM_FIELDS`].
    TooManyFields {
        /// How many.
        count: usize,
    },
    /// A field is of a kind beyond the subset, such as an object, or its schema is malformed.
    Kind {
        /// The field.
        field: String,
    },
    /// A rule cannot be read: `minLength`, `maxLength`, `format`, `minimum`, `maximum`, `minItems`, `maxItems`, `enumNames`, or
    /// `required` of the form.
    Rule {
        /// The field; none for a rule of the form.
        field: Option<String>,
        /// The member of the schema.
        keyword: &'static str,
    },
    /// No value can keep all rules of a field, as with a minimum above the maximum.
    Contradiction {
        /// The field.
        field: String,
    },
    /// A field offers nothing to choose from.
    NoChoices {
        /// The field.
        field: String,
    },
    /// A field is required that the form does not have.
    Unlisted {
        /// The field.
        field: String,
    },
}

impl FormUnsupported {
    /// The field that it is about.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::TooManyFields { .. } => None,
            Self::Rule { field, .. } => field.as_deref(),
            Self::Kind { field }
            | Self::Contradiction { field }
            | Self::NoChoices { field }
            | Self::Unlisted { field } => Some(field),
        }
    }
}

impl fmt::Display for FormUnsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = shown(self.field().unwrap_or_default());
        match self {
            Self::TooManyFields { count } => {
                write!(f, "the form has {count} fields, more than {MAX_FORM_FIELDS}")
            }
            Self::Kind { .. } => write!(f, "the field `{field}` is of a kind that forms do not have"),
            Self::Rule { field: Some(_), keyword } => {
                write!(f, "the field `{field}` has a `{keyword}` that cannot be read")
            }
            Self::Rule { field: None, keyword } => {
                write!(f, "the form has a `{keyword}` that cannot be read")
            }
            Self::Contradiction { .. } => write!(f, "the rules of the field `{field}` contradict each other"),
            Self::NoChoices { .. } => write!(f, "the field `{field}` has no choices"),
            Self::Unlisted { .. } => write!(f, "the field `{field}` is required, but not in the form"),
        }
    }
}

impl Error for FormUnsupported {}
