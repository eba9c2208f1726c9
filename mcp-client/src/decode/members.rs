//! The members of one object, not decoded yet.

use std::{borrow::Cow, collections::HashSet, fmt};

use mcp_types::{MAX_MEMBERS, RawJson, RawMap};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{envelope::Key, result::Notes};
use crate::record::Note;

/// The members of one object in order, borrowed from its text.
#[derive(Debug)]
pub struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The members, or why there are none to be had.
    pub(crate) fn of(value: &'a RawValue) -> Result<Self, &'static str> {
        let is_object = value.get().starts_with('{');
        serde_json::from_str(value.get())
            .map_err(|_| if is_object { "it has too many members" } else { "it is not an object" })
    }

    /// A member whose presence counts, null or not. Of several the last one wins, which is noted.
    pub(crate) fn get(&self, name: &str, notes: &mut Notes) -> Option<&'a RawValue> {
        let mut found = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| *value);
        let last = found.next_back()?;
        if found.next().is_some() {
            notes.add(Note::duplicate(name));
        }
        Some(last)
    }

    /// A member of which null is as good as absent.
    pub(crate) fn get_non_null(&self, name: &str, notes: &mut Notes) -> Option<&'a RawValue> {
        self.get(name, notes).filter(|value| value.get() != "null")
    }

    /// A hint: of the wrong shape it is left out, noted, and kept raw in `extra`.
    pub(crate) fn hint<T: Deserialize<'a>>(
        &self,
        name: &'static str,
        extra: &mut RawMap,
        notes: &mut Notes,
    ) -> Option<T> {
        let raw = self.get_non_null(name, notes)?;
        let value = serde_json::from_str(raw.get()).ok();
        if value.is_none() {
            notes.add(Note::DroppedHint(name.into()));
            extra.insert(name, RawJson::from_raw(raw.to_owned()));
        }
        value
    }

    /// All members that are not among the known ones; of several with one name the last.
    pub(crate) fn others(&self, known: &[&str], notes: &mut Notes) -> RawMap {
        let others = || self.0.iter().filter(|(key, _)| !known.contains(&key.as_ref()));
        let mut seen = HashSet::new();
        for (key, _) in others() {
            if !seen.insert(key.as_ref()) {
                notes.add(Note::duplicate(key));
            }
        }
        others()
            .map(|(key, value)| (key.clone().into_owned(), RawJson::from_raw((*value).to_owned())))
            .collect()
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some(Key(key)) = map.next_key()? {
                    if members.len() == MAX_MEMBERS {
                        return Err(de::Error::custom("too many members"));
                    }
                    members.push((key, map.next_value()?));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}
