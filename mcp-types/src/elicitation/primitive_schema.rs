//! The fields of forms.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

use crate::open_enum::open_enum;
use crate::open_struct::open_struct;
use crate::{EnumSchema, RawJson, probe};

open_enum! {
    /// What kind of text a field wants.
    pub enum StringFormat {
        /// A mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date, `2026-07-28`.
        Date = "date",
        /// A date with time, RFC 3339.
        DateTime = "date-time",
    }
}

open_enum! {
    /// What kind of number a field wants.
    pub enum NumberType {
        /// Any number.
        Number = "number",
        /// A whole number.
        Integer = "integer",
    }
}

open_struct! {
    /// A field for text.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct StringSchema {
        @"type" = "string";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The least number of characters.
        hint "minLength" => min_length: u64;
        /// The greatest number of characters.
        hint "maxLength" => max_length: u64;
        /// What kind of text it is.
        hint "format" => format: StringFormat;
        /// What to fill in beforehand.
        hint "default" => default: String;
    }
}

open_struct! {
    /// A field for a number.
    #[derive(Debug, Clone, PartialEq)]
    pub struct NumberSchema {
        /// What kind of number it is.
        required "type" => kind: NumberType;
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The least value.
        hint "minimum" => minimum: Number;
        /// The greatest value.
        hint "maximum" => maximum: Number;
        /// What to fill in beforehand.
        hint "default" => default: Number;
    }
}

open_struct! {
    /// A field for yes or no.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct BooleanSchema {
        @"type" = "boolean";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// What to fill in beforehand.
        hint "default" => default: bool;
    }
}

/// One field of a form. Reading never fails: what cannot be read becomes [`Unknown`](Self::Unknown).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchemaDefinition {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// A choice.
    Enum(EnumSchema),
    /// A type that this crate does not know, or a known one that is malformed; the text as it came.
    Unknown(RawJson),
}

impl PrimitiveSchemaDefinition {
    fn known(raw: &RawJson) -> Option<Self> {
        match probe::text(raw, "type")?.as_ref() {
            "array" => EnumSchema::from_raw(raw).map(Self::Enum),
            "string" if probe::has(raw, ["oneOf", "enum"]).contains(&true) => {
                EnumSchema::from_raw(raw).map(Self::Enum)
            }
            "string" => raw.parse().ok().map(Self::String),
            "number" | "integer" => raw.parse().ok().map(Self::Number),
            "boolean" => raw.parse().ok().map(Self::Boolean),
            _ => None,
        }
    }
}

impl From<RawJson> for PrimitiveSchemaDefinition {
    fn from(raw: RawJson) -> Self {
        Self::known(&raw).unwrap_or(Self::Unknown(raw))
    }
}

impl Serialize for PrimitiveSchemaDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(schema) => schema.serialize(serializer),
            Self::Number(schema) => schema.serialize(serializer),
            Self::Boolean(schema) => schema.serialize(serializer),
            Self::Enum(schema) => schema.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchemaDefinition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::from)
    }
}
