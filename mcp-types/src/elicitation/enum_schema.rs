//! Fields of forms that offer a choice.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::open_struct::open_struct;
use crate::{RawJson, probe};

open_struct! {
    /// One value of a choice, with a title for people.
    #[derive(Debug, Clone, PartialEq)]
    pub struct EnumOption {
        /// The value to be sent.
        required "const" => value: String;
        /// What to show.
        required "title" => title: String;
    }
}

open_struct! {
    /// A choice of one among plain values.
    #[derive(Debug, Clone, PartialEq)]
    pub struct UntitledSingleSelectEnumSchema {
        @"type" = "string";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The values.
        required "enum" => values: Vec<String>;
        /// What to select beforehand.
        hint "default" => default: String;
    }
}

open_struct! {
    /// A choice of one among values with titles.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TitledSingleSelectEnumSchema {
        @"type" = "string";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The values and their titles.
        required "oneOf" => options: Vec<EnumOption>;
        /// What to select beforehand.
        hint "default" => default: String;
    }
}

open_struct! {
    /// The plain values of a choice of several.
    #[derive(Debug, Clone, PartialEq)]
    pub struct UntitledEnumItems {
        @"type" = "string";
        /// The values.
        required "enum" => values: Vec<String>;
    }
}

open_struct! {
    /// A choice of several among plain values.
    #[derive(Debug, Clone, PartialEq)]
    pub struct UntitledMultiSelectEnumSchema {
        @"type" = "array";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The least number to select.
        hint "minItems" => min_items: u64;
        /// The greatest number to select.
        hint "maxItems" => max_items: u64;
        /// The values.
        required "items" => items: UntitledEnumItems;
        /// What to select beforehand.
        hint "default" => default: Vec<String>;
    }
}

open_struct! {
    /// The values and titles of a choice of several.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TitledEnumItems {
        /// The values and their titles.
        required "anyOf" => options: Vec<EnumOption>;
    }
}

open_struct! {
    /// A choice of several among values with titles.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TitledMultiSelectEnumSchema {
        @"type" = "array";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The least number to select.
        hint "minItems" => min_items: u64;
        /// The greatest number to select.
        hint "maxItems" => max_items: u64;
        /// The values and their titles.
        required "items" => items: TitledEnumItems;
        /// What to select beforehand.
        hint "default" => default: Vec<String>;
    }
}

open_struct! {
    /// A choice of one in an older form, with titles beside the values.
    #[derive(Debug, Clone, PartialEq)]
    pub struct LegacyTitledEnumSchema {
        @"type" = "string";
        /// The label.
        hint "title" => title: String;
        /// A word of help.
        hint "description" => description: String;
        /// The values.
        required "enum" => values: Vec<String>;
        /// Their titles, in the same order.
        hint "enumNames" => names: Vec<String>;
        /// What to select beforehand.
        hint "default" => default: String;
    }
}

/// A choice of one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SingleSelectEnumSchema {
    /// Among plain values.
    Untitled(UntitledSingleSelectEnumSchema),
    /// Among values with titles.
    Titled(TitledSingleSelectEnumSchema),
}

/// A choice of several.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MultiSelectEnumSchema {
    /// Among plain values.
    Untitled(UntitledMultiSelectEnumSchema),
    /// Among values with titles.
    Titled(TitledMultiSelectEnumSchema),
}

/// A choice. Which kind it is follows from its members: an array of `items` is a choice of several; else `oneOf` has
/// titles, `enumNames` is the older form, and `enum` alone has no titles.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EnumSchema {
    /// A choice of one.
    Single(SingleSelectEnumSchema),
    /// A choice of several.
    Multi(MultiSelectEnumSchema),
    /// A choice of one in an older form.
    LegacyTitled(LegacyTitledEnumSchema),
}

impl EnumSchema {
    /// The values to be sent and what to show for each.
    pub fn choices(&self) -> Vec<(&str, &str)> {
        fn plain(values: &[String]) -> Vec<(&str, &str)> {
            values.iter().map(|value| (value.as_str(), value.as_str())).collect()
        }
        fn titled(options: &[EnumOption]) -> Vec<(&str, &str)> {
            options.iter().map(|option| (option.value.as_str(), option.title.as_str())).collect()
        }
        match self {
            Self::Single(SingleSelectEnumSchema::Untitled(schema)) => plain(&schema.values),
            Self::Single(SingleSelectEnumSchema::Titled(schema)) => titled(&schema.options),
            Self::Multi(MultiSelectEnumSchema::Untitled(schema)) => plain(&schema.items.values),
            Self::Multi(MultiSelectEnumSchema::Titled(schema)) => titled(&schema.items.options),
            Self::LegacyTitled(schema) => {
                let mut choices = plain(&schema.values);
                for (choice, name) in choices.iter_mut().zip(schema.names.iter().flatten()) {
                    choice.1 = name;
                }
                choices
            }
        }
    }

    pub(crate) fn from_raw(raw: &RawJson) -> Option<Self> {
        match probe::text(raw, "type")?.as_ref() {
            "array" => MultiSelectEnumSchema::from_raw(raw).map(Self::Multi),
            "string" => match probe::has(raw, ["oneOf", "enumNames"]) {
                [false, true] => raw.parse().ok().map(Self::LegacyTitled),
                _ => SingleSelectEnumSchema::from_raw(raw).map(Self::Single),
            },
            _ => None,
        }
    }
}

impl SingleSelectEnumSchema {
    fn from_raw(raw: &RawJson) -> Option<Self> {
        match probe::has(raw, ["oneOf"]) {
            [true] => raw.parse().ok().map(Self::Titled),
            [false] => raw.parse().ok().map(Self::Untitled),
        }
    }
}

impl MultiSelectEnumSchema {
    fn from_raw(raw: &RawJson) -> Option<Self> {
        let items = RawJson::from_raw(probe::member(raw, "items")?.to_owned());
        match probe::has(&items, ["anyOf"]) {
            [true] => raw.parse().ok().map(Self::Titled),
            [false] => raw.parse().ok().map(Self::Untitled),
        }
    }
}

macro_rules! choice_of_variants {
    ($($Name:ident { $($Variant:ident),* })*) => { $(
        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$Variant(schema) => schema.serialize(serializer), )*
                }
            }
        }

        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = RawJson::deserialize(deserializer)?;
                Self::from_raw(&raw).ok_or_else(|| de::Error::custom("not the schema of a choice"))
            }
        }
    )* };
}

choice_of_variants! {
    SingleSelectEnumSchema { Untitled, Titled }
    MultiSelectEnumSchema { Untitled, Titled }
    EnumSchema { Single, Multi, LegacyTitled }
}
