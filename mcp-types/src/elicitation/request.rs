//! What a server asks.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::open_struct::open_struct;
use crate::{OrderedMap, PrimitiveSchemaDefinition, RawJson, probe};

open_struct! {
    /// A server asks the user something.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ElicitRequest {
        @"method" = "elicitation/create";
        /// What and how.
        required "params" => params: ElicitRequestParams;
    }
}

impl ElicitRequest {
    /// The method.
    pub const METHOD: &'static str = "elicitation/create";
}

/// What to ask the user, and how. The mode decides; without one it is a form, and an unknown one is an error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitRequestParams {
    /// A form to be filled in.
    Form(ElicitFormParams),
    /// A web page to be opened.
    Url(ElicitUrlParams),
}

impl ElicitRequestParams {
    /// The message for the user.
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }
}

impl From<ElicitFormParams> for ElicitRequestParams {
    fn from(form: ElicitFormParams) -> Self {
        Self::Form(form)
    }
}

impl From<ElicitUrlParams> for ElicitRequestParams {
    fn from(url: ElicitUrlParams) -> Self {
        Self::Url(url)
    }
}

impl Serialize for ElicitRequestParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.serialize(serializer),
            Self::Url(url) => url.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitRequestParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        // Any other mode, of any type, is for the form's own check to refuse.
        let url = probe::text(&raw, "mode").as_deref() == Some("url");
        if url { raw.parse().map(Self::Url) } else { raw.parse().map(Self::Form) }
            .map_err(|error| de::Error::custom(error.detail()))
    }
}

/// The mode of a form, `"form"`; any other value is an error when reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormMode;

impl Serialize for FormMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("form")
    }
}

impl<'de> Deserialize<'de> for FormMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mode = String::deserialize(deserializer)?;
        if mode == "form" { Ok(Self) } else { Err(de::Error::unknown_variant(&mode, &["form", "url"])) }
    }
}

open_struct! {
    /// A form for the user to fill in.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ElicitFormParams {
        /// The mode; absent means a form too.
        optional "mode" => mode: FormMode;
        /// What to tell the user.
        required "message" => message: String;
        /// The fields of the form.
        required "requestedSchema" => requested_schema: ElicitSchema;
    }
}

/// The schema's name for [`ElicitFormParams`].
pub type ElicitRequestFormParams = ElicitFormParams;

open_struct! {
    /// The fields of a form: a flat JSON Schema.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ElicitSchema {
        @"type" = "object";
        /// The dialect; absent means 2020-12.
        hint "$schema" => schema: String;
        /// The fields in the order they are to be shown.
        required "properties" => properties: OrderedMap<PrimitiveSchemaDefinition>;
        /// The fields that must be filled in; absent means none.
        hint "required" => required: Vec<String>;
    }
}

impl ElicitSchema {
    /// Whether a field must be filled in.
    pub fn is_required(&self, field: &str) -> bool {
        self.required.as_ref().is_some_and(|required| required.iter().any(|name| name == field))
    }
}

open_struct! {
    /// A web page for the user to open. The answer says only whether the user agreed.
    ///
    /// The address comes from the server: show it and ask before opening it. `Debug` leaves out its query.
    #[derive(Clone, PartialEq)]
    pub struct ElicitUrlParams {
        @"mode" = "url";
        /// What to tell the user.
        required "message" => message: String;
        /// The address of the page.
        required "url" => url: String;
    }
}

/// The schema's name for [`ElicitUrlParams`].
pub type ElicitRequestUrlParams = ElicitUrlParams;

impl fmt::Debug for ElicitUrlParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.url.find(['?', '#']).unwrap_or(self.url.len());
        let shown = self.url.get(..end).unwrap_or_default();
        f.debug_struct("ElicitUrlParams")
            .field("message", &self.message)
            .field("url", &format_args!("{shown}{}", if end < self.url.len() { "…" } else { "" }))
            .field("extra", &self.extra)
            .finish()
    }
}

#[cfg(test)]
mod tests;
