//! A look at the members of a raw object, to decide which type it is.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::RawJson;
use crate::open_struct::MemberName;

/// The text of one member of an object; `None` if it is no object or has no such member. The last one wins.
pub(crate) fn member<'a>(raw: &'a RawJson, name: &str) -> Option<&'a RawValue> {
    let mut found = None;
    each_member(raw, |member, value| {
        if member == name {
            found = Some(value);
        }
    });
    found
}

/// The string value of a member, if it is a string.
pub(crate) fn text<'a>(raw: &'a RawJson, name: &str) -> Option<Cow<'a, str>> {
    text_of(member(raw, name)?)
}

fn text_of(value: &RawValue) -> Option<Cow<'_, str>> {
    match serde_json::from_str::<&str>(value.get()) {
        Ok(plain) => Some(Cow::Borrowed(plain)),
        Err(_) => serde_json::from_str(value.get()).ok().map(Cow::Owned),
    }
}

/// The string value of a member, if it is a string written without escapes.
pub(crate) fn plain_text<'a>(raw: &'a RawJson, name: &str) -> Option<&'a str> {
    serde_json::from_str(member(raw, name)?.get()).ok()
}

/// Which of the names are members of the object and not `null`; all `false` if it is no object.
pub(crate) fn has<const N: usize>(raw: &RawJson, names: [&str; N]) -> [bool; N] {
    let mut found = [false; N];
    each_member(raw, |member, value| {
        for (slot, name) in found.iter_mut().zip(names) {
            if member == name {
                *slot = value.get() != "null";
            }
        }
    });
    found
}

fn each_member<'a>(raw: &'a RawJson, visit: impl FnMut(&str, &'a RawValue)) {
    struct Members<F>(F);

    impl<'de, F: FnMut(&str, &'de RawValue)> Visitor<'de> for Members<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some(name) = map.next_key::<MemberName<'de>>()? {
                (self.0)(name.as_str(), map.next_value()?);
            }
            Ok(())
        }
    }

    // The text is valid JSON already, so the only error is that it is no object.
    let _ = serde_json::Deserializer::from_str(raw.get()).deserialize_map(Members(visit));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::from_text(text.to_owned()).unwrap()
    }

    #[test]
    fn members_are_found_in_any_place() {
        let value = raw(r#"{"a":[{"type":"inner"}],"type":"x","ty\u0070e":"y\n"}"#);
        assert_eq!(text(&value, "type").as_deref(), Some("y\n"));
        assert_eq!(plain_text(&value, "type"), None);
        assert_eq!(member(&value, "a").unwrap().get(), r#"[{"type":"inner"}]"#);
        assert_eq!(has(&value, ["a", "b", "type"]), [true, false, true]);
        assert_eq!(has(&raw(r#"{"a":1,"b":null,"a":null}"#), ["a", "b"]), [false, false]);
    }

    #[test]
    fn other_values_have_no_members() {
        for other in ["null", "42", "[]", "\"type\"", "{}"] {
            assert!(member(&raw(other), "type").is_none(), "{other}");
        }
        assert_eq!(text(&raw(r#"{"type":7}"#), "type"), None);
    }
}
