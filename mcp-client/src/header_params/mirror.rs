//! From a call's arguments to its headers.

use std::fmt;

use http::{HeaderName, HeaderValue};
use mcp_types::RawJson;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Branch, HeaderParams, Param, header_value};

impl HeaderParams {
    /// The headers for a call with these arguments, in the order of the parameters' names.
    ///
    /// A value that is absent, `null`, not of the annotated type, not whole or beyond ±(2^53 - 1) has no header. Values are
    /// encoded as [`mcp_types::header_value`] says, and marked sensitive. The text of the arguments is scanned once, and each
    /// object on the way to a nested parameter once more; without parameters it is not looked at.
    pub(crate) fn headers(&self, arguments: Option<&RawJson>) -> Vec<(HeaderName, HeaderValue)> {
        let Some(arguments) = arguments.filter(|_| !self.is_empty()) else { return Vec::new() };
        let mut found = vec![None; self.params.len()];
        read(arguments.as_raw(), &self.root, &self.params, &mut found);
        let names = self.params.iter().map(|param| param.header.clone());
        names.zip(found).filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Reads an object; anything else has nothing to find.
fn read(object: &RawValue, branch: &Branch, params: &[Param], found: &mut [Option<HeaderValue>]) {
    if object.get().starts_with('{') {
        let mut deserializer = serde_json::Deserializer::from_str(object.get());
        let members = Members { branch, params, found };
        // A raw value is JSON, and only strings and raw values are read from it: this cannot fail.
        let _ = members.deserialize(&mut deserializer);
    }
}

/// Takes what was found below a branch back, for a later member of the same name.
fn forget(branch: &Branch, found: &mut [Option<HeaderValue>]) {
    for step in branch.0.values() {
        if let Some(slot) = step.param.and_then(|index| found.get_mut(index)) {
            *slot = None;
        }
        forget(&step.below, found);
    }
}

struct Members<'a> {
    branch: &'a Branch,
    params: &'a [Param],
    found: &'a mut [Option<HeaderValue>],
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let Some(step) = self.branch.0.get(&name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value::<&RawValue>()?;
            if let Some((param, slot)) =
                step.param.and_then(|index| Some((self.params.get(index)?, self.found.get_mut(index)?)))
            {
                *slot = header_value(param.kind, &RawJson::from_raw(value.to_owned()));
            }
            forget(&step.below, self.found);
            read(value, &step.below, self.params, self.found);
        }
        Ok(())
    }
}
