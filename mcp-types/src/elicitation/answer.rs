//! What the user said.

use serde::Serialize;

use crate::open_enum::open_enum;
use crate::open_struct::open_struct;
use crate::{JsonError, RawJson, RawMap};

open_enum! {
    /// What the user did.
    pub enum ElicitAction {
        /// Filled the form in, or agreed to open the page.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Went away without a decision.
        Cancel = "cancel",
    }
}

open_struct! {
    /// The answer to an elicitation. `Debug` shows the names of the form's fields, not what was entered.
    ///
    /// ```
    /// use mcp_types::{ElicitAction, ElicitResult};
    /// use serde_json::json;
    ///
    /// let answer = ElicitResult::accept(&json!({"name": "Ada", "age": 36, "tags": ["a", "b"]}))?;
    /// assert_eq!(answer.action, ElicitAction::Accept);
    /// assert!(ElicitResult::accept(&json!({"name": null})).is_err());
    /// # Ok::<(), mcp_types::ElicitContentError>(())
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    pub struct ElicitResult {
        /// What the user did.
        required "action" => action: ElicitAction;
        /// The form as filled in: values are strings, numbers, bools and arrays of strings. Only with an accepted form.
        optional "content" => content: RawMap;
    }
}

/// A value is not the content of a form: an object of strings, numbers, bools and arrays of strings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ElicitContentError {
    /// The value cannot be written as JSON.
    #[error("the answer cannot be written as json")]
    Serialize(#[source] JsonError),
    /// The value is no object.
    #[error("an answer to a form must be an object, not {kind}")]
    NotAnObject {
        /// The JSON type that was found.
        kind: &'static str,
    },
    /// A field holds something else.
    #[error(
        "field `{field}` must be a string, number, bool or array of strings, not {kind}; leave it out if it is empty"
    )]
    Field {
        /// The field.
        field: String,
        /// The JSON type that was found.
        kind: &'static str,
    },
}

impl ElicitResult {
    /// The user filled the form in. Numbers are sent with the digits they are written with.
    ///
    /// # Errors
    ///
    /// When the value is not an object of strings, numbers, bools and arrays of strings.
    pub fn accept<T: Serialize + ?Sized>(content: &T) -> Result<Self, ElicitContentError> {
        let raw = RawJson::from_serialize(content).map_err(ElicitContentError::Serialize)?;
        if !raw.is_object() {
            return Err(ElicitContentError::NotAnObject { kind: raw.kind() });
        }
        let content: RawMap = raw.parse().map_err(ElicitContentError::Serialize)?;
        if let Some((field, value)) = content.iter().find(|(_, value)| !is_field_value(value)) {
            return Err(ElicitContentError::Field { field: field.to_owned(), kind: value.kind() });
        }
        Ok(Self { content: Some(content), ..Self::new(ElicitAction::Accept) })
    }

    /// The user agreed, without a form: the answer to a link.
    pub fn accept_empty() -> Self {
        Self::new(ElicitAction::Accept)
    }

    /// The user said no.
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// The user went away without a decision.
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }
}

fn is_field_value(value: &RawJson) -> bool {
    value.is_string()
        || value.is_number()
        || value.is_bool()
        || value.is_array() && value.parse::<Vec<String>>().is_ok()
}
