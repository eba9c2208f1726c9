//! Puts an idempotency key into its place.

use mcp_retry::{IdempotencyKey, KeyPlace};
use mcp_types::{RawJson, RawMap};

use super::Spec;
use crate::{
    error::{InvalidCall, InvalidKind},
    headers,
};

const TAKEN: &str = "the place of the idempotency key is taken";

/// Puts the key into the arguments or the `_meta` of the call: from then on it is part of every attempt.
pub(super) fn place(spec: &mut Spec, key: &IdempotencyKey) -> Result<(), InvalidCall> {
    match key.place() {
        KeyPlace::Meta(name) => {
            let value = headers::meta_entry(name, &key.value())?;
            if spec.meta.contains_key(name) {
                return Err(InvalidCall::new(InvalidKind::MetaKey, TAKEN));
            }
            spec.meta.insert(name, value);
        }
        KeyPlace::Argument(pointer) => {
            spec.arguments = Some(in_arguments(spec.arguments.as_ref(), pointer, key.value())?);
        }
        _ => {
            return Err(InvalidCall::new(
                InvalidKind::Arguments,
                "the place of the idempotency key is not known",
            ));
        }
    }
    Ok(())
}

/// The arguments with the key at a JSON pointer. All else keeps its text: numbers lose no digits.
fn in_arguments(arguments: Option<&RawJson>, pointer: &str, key: &str) -> Result<RawJson, InvalidCall> {
    let refuse = |what| InvalidCall::new(InvalidKind::Arguments, what);
    let no_pointer = || refuse("the place of the idempotency key is no JSON pointer to a member");
    let path = pointer.strip_prefix('/').ok_or_else(no_pointer)?;
    if path.split('~').skip(1).any(|escape| !escape.starts_with(['0', '1'])) {
        return Err(no_pointer());
    }
    let names: Vec<String> = path.split('/').map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let value = RawJson::from_serialize(key)
        .map_err(|error| refuse("the idempotency key cannot be put into JSON").with_source(error))?;
    set(arguments, &names, value)
}

fn set(object: Option<&RawJson>, names: &[String], value: RawJson) -> Result<RawJson, InvalidCall> {
    let refuse = |what| InvalidCall::new(InvalidKind::Arguments, what);
    let Some((name, rest)) = names.split_first() else { return Ok(value) };
    let mut members: RawMap = match object {
        None => RawMap::new(),
        Some(object) => object
            .parse()
            .map_err(|_| refuse("the idempotency key would have to stand in what is no object"))?,
    };
    if rest.is_empty() && members.contains_key(name) {
        return Err(refuse(TAKEN));
    }
    let inner = set(members.get(name), rest, value)?;
    members.insert(name.as_str(), inner);
    RawJson::from_serialize(&members)
        .map_err(|error| refuse("the arguments cannot be put into JSON").with_source(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(arguments: &str, pointer: &str) -> Option<String> {
        let arguments = RawJson::from_text(arguments.to_owned()).unwrap();
        in_arguments(Some(&arguments), pointer, "k").ok().map(|placed| placed.get().to_owned())
    }

    #[test]
    fn the_key_stands_where_the_pointer_says_and_all_else_stays() {
        let big = r#"{"n":123456789012345678901234567890,"o":{"x":1.0}}"#;
        for (pointer, expected) in [
            ("/id", r#"{"n":123456789012345678901234567890,"o":{"x":1.0},"id":"k"}"#),
            ("/o/id", r#"{"n":123456789012345678901234567890,"o":{"x":1.0,"id":"k"}}"#),
            ("/p/q", r#"{"n":123456789012345678901234567890,"o":{"x":1.0},"p":{"q":"k"}}"#),
            ("/a~1b~0c", r#"{"n":123456789012345678901234567890,"o":{"x":1.0},"a/b~c":"k"}"#),
        ] {
            assert_eq!(placed(big, pointer).as_deref(), Some(expected), "{pointer}");
        }
        assert_eq!(in_arguments(None, "/id", "k").unwrap().get(), r#"{"id":"k"}"#);
        for pointer in ["", "id", "/n", "/n/id", "/o/x", "/o/x/y", "/~", "/a~2", "/~x/id"] {
            assert_eq!(placed(big, pointer), None, "{pointer}");
        }
    }
}
