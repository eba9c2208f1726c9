//! What comes in goes out again, for each type of the schema, also after the value has been tampered with.
#![expect(
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests, which fail by panicking"
)]

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[path = "schema/fixtures.rs"]
mod fixtures;
#[path = "schema/table.rs"]
#[macro_use]
mod table;

/// Reads and writes a value in each way there is; they must agree. `Err` if it cannot be read.
fn through<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(
    value: &Value,
) -> Result<Value, String> {
    let text = value.to_string();
    let from_str = serde_json::from_str::<T>(&text);
    let from_value = serde_json::from_value::<T>(value.clone());
    let from_reader = serde_json::from_reader::<_, T>(text.as_bytes());
    let typed = match (from_str, from_value, from_reader) {
        (Ok(typed), Ok(value), Ok(reader)) => {
            assert_eq!(typed, reader);
            assert_eq!(serde_json::to_value(&value).unwrap(), serde_json::to_value(&typed).unwrap());
            typed
        }
        (Err(error), Err(_), Err(_)) => return Err(error.to_string()),
        (a, b, c) => {
            panic!("{text}: from_str {}, from_value {}, from_reader {}", a.is_ok(), b.is_ok(), c.is_ok())
        }
    };
    let written = serde_json::to_string(&typed).unwrap();
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), typed, "{written}");
    assert!(!format!("{typed:?}").is_empty());
    Ok(serde_json::from_str(&written).unwrap())
}

macro_rules! by_name {
    ($($name:literal => $Type:ty,)*) => {
        const NAMES: &[&str] = &[$( $name ),*];

        fn named(name: &str, value: &Value) -> Result<Value, String> {
            match name {
                $( $name => through::<$Type>(value), )*
                _ => panic!("no such type: {name}"),
            }
        }
    };
}

schema_types!(by_name);

/// Calls `change` with each object inside the value, one copy of the whole for each.
fn each_object(
    value: &Value,
    change: &dyn Fn(&mut serde_json::Map<String, Value>),
    found: &mut dyn FnMut(Value),
) {
    fn paths(value: &Value, path: &str, all: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                all.push(path.to_owned());
                for (name, member) in members {
                    paths(member, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), all);
                }
            }
            Value::Array(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    paths(element, &format!("{path}/{i}"), all);
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    paths(value, "", &mut all);
    for path in all {
        let mut copy = value.clone();
        change(copy.pointer_mut(&path).unwrap().as_object_mut().unwrap());
        found(copy);
    }
}

#[test]
fn there_is_a_value_of_each_type() {
    let fixtures = fixtures::fixtures();
    for name in NAMES {
        assert!(fixtures.iter().any(|(fixture, _)| fixture == name), "{name}");
    }
}

#[test]
fn each_type_round_trips() {
    for (name, value) in fixtures::fixtures() {
        assert_eq!(named(name, &value), Ok(value), "{name}");
    }
}

#[test]
fn unknown_members_round_trip_at_every_depth() {
    for (name, value) in fixtures::fixtures() {
        let add = |object: &mut serde_json::Map<String, Value>| {
            object.insert("zz unknown".to_owned(), json!("x"));
        };
        each_object(&value, &add, &mut |changed| {
            assert_eq!(named(name, &changed), Ok(changed), "{name}");
        });
    }
}

#[test]
fn members_of_any_type_are_refused_or_round_trip() {
    let others = [json!(5), json!("x"), json!({"a": []}), json!([{"a": 1.5}, []]), json!(true), json!(-0.5)];
    for (name, value) in fixtures::fixtures() {
        let Some(members) = value.as_object() else {
            continue;
        };
        for member in members.keys() {
            for other in &others {
                let mut changed = value.clone();
                changed[member] = other.clone();
                if let Ok(written) = named(name, &changed) {
                    assert_eq!(written, changed, "{name}.{member}");
                }
            }
        }
    }
}

#[test]
fn a_null_member_is_refused_kept_or_absent() {
    for (name, value) in fixtures::fixtures() {
        let Some(members) = value.as_object() else {
            continue;
        };
        for member in members.keys() {
            let mut null = value.clone();
            null[member] = Value::Null;
            let mut absent = value.clone();
            absent.as_object_mut().unwrap().remove(member);
            if let Ok(written) = named(name, &null) {
                assert!(written == null || written == absent, "{name}.{member}: {written}");
            }
            if let Ok(written) = named(name, &absent) {
                assert_eq!(written, absent, "{name}.{member}");
            }
        }
    }
}

#[test]
fn other_kinds_of_values_never_panic() {
    for name in NAMES {
        for value in
            [json!(null), json!(1), json!(1.5), json!("x"), json!([]), json!([[]]), json!({}), json!(true)]
        {
            if let Ok(written) = named(name, &value) {
                assert_eq!(written, value, "{name}");
            }
        }
    }
}
