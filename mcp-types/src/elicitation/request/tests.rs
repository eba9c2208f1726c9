use serde_json::{Value, json};

use super::*;
use crate::{
    ElicitAction, ElicitContentError, ElicitResult, EnumSchema, MultiSelectEnumSchema, NumberType,
    SingleSelectEnumSchema, StringFormat,
};

fn field(value: &Value) -> PrimitiveSchemaDefinition {
    let field: PrimitiveSchemaDefinition = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(&field).unwrap(), *value);
    field
}

#[test]
fn the_mode_decides() {
    let read = |value: Value| serde_json::from_value::<ElicitRequestParams>(value);
    let schema = json!({"type": "object", "properties": {}});
    for mode in [json!({}), json!({"mode": "form"})] {
        let mut value = json!({"message": "m", "requestedSchema": schema, "url": "https://a.example"});
        value.as_object_mut().unwrap().extend(mode.as_object().unwrap().clone());
        let params = read(value.clone()).unwrap();
        assert!(matches!(&params, ElicitRequestParams::Form(_)));
        assert_eq!(params.message(), "m");
        assert_eq!(serde_json::to_value(&params).unwrap(), value);
    }
    let url =
        json!({"mode": "url", "message": "m", "url": "https://a.example/?t=1", "requestedSchema": schema});
    let params = read(url.clone()).unwrap();
    assert!(matches!(&params, ElicitRequestParams::Url(url) if url.url.ends_with("?t=1")));
    assert_eq!(serde_json::to_value(&params).unwrap(), url);
    for mode in [json!("voice"), json!(""), json!(1), json!({})] {
        assert!(read(json!({"mode": mode, "message": "m", "requestedSchema": schema})).is_err(), "{mode}");
    }
    assert!(read(json!({"message": "m"})).is_err());
    assert!(read(json!({"mode": "url", "message": "m"})).is_err());
    assert!(read(json!({"message": "m", "requestedSchema": {"type": "array", "properties": {}}})).is_err());
}

#[test]
fn debug_leaves_out_the_query_of_an_address() {
    let shown = |url: &str| format!("{:?}", ElicitUrlParams::new("m", url));
    assert!(shown("https://a.example/x?token=hunter2#y").contains("https://a.example/x…"));
    assert!(!shown("https://a.example/x?token=hunter2").contains("hunter2"));
    assert!(!shown("https://a.example/x#hunter2").contains("hunter2"));
    assert!(
        shown("https://a.example/x").contains("https://a.example/x }")
            || shown("https://a.example/x").contains("x,")
    );
}

#[test]
fn fields_of_each_kind() {
    use PrimitiveSchemaDefinition as P;
    assert!(matches!(field(&json!({"type": "string", "format": "email", "x": 1})),
        P::String(s) if s.format == Some(StringFormat::Email)));
    assert!(
        matches!(field(&json!({"type": "string", "format": "iban", "minLength": 1, "maxLength": 5, "default": "d"})),
        P::String(s) if s.format == Some(StringFormat::Other("iban".to_owned())) && s.max_length == Some(5))
    );
    assert!(matches!(field(&json!({"type": "number", "minimum": 50, "maximum": 1.5, "default": -2})),
        P::Number(n) if n.kind == NumberType::Number));
    assert!(matches!(field(&json!({"type": "integer"})), P::Number(n) if n.kind == NumberType::Integer));
    assert!(
        matches!(field(&json!({"type": "boolean", "default": false})), P::Boolean(b) if b.default == Some(false))
    );
    for unknown in [
        json!({"type": "object"}),
        json!({}),
        json!(1),
        json!(null),
        json!({"type": "array"}),
        json!({"type": "string", "enum": 1}),
        json!({"type": ["string"]}),
    ] {
        assert!(matches!(field(&unknown), P::Unknown(_)), "{unknown}");
    }
    assert!(
        matches!(field(&json!({"type": "string", "minLength": "many"})), P::String(s) if s.dropped_hints().count() == 1)
    );
}

#[test]
fn choices_of_each_kind() {
    let choice = |value: Value| {
        let PrimitiveSchemaDefinition::Enum(choice) = field(&value) else { panic!("{value}") };
        assert_eq!(
            serde_json::to_value(serde_json::from_value::<EnumSchema>(value.clone()).unwrap()).unwrap(),
            value
        );
        choice
    };
    let plain = choice(json!({"type": "string", "enum": ["a", "b"], "default": "a"}));
    assert!(matches!(&plain, EnumSchema::Single(SingleSelectEnumSchema::Untitled(_))));
    assert_eq!(plain.choices(), [("a", "a"), ("b", "b")]);

    let titled = choice(json!({"type": "string", "oneOf": [{"const": "a", "title": "A", "x": 1}]}));
    assert!(matches!(&titled, EnumSchema::Single(SingleSelectEnumSchema::Titled(_))));
    assert_eq!(titled.choices(), [("a", "A")]);

    let legacy = choice(json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}));
    assert!(matches!(&legacy, EnumSchema::LegacyTitled(_)));
    assert_eq!(legacy.choices(), [("a", "A"), ("b", "b")]);

    let several = choice(
        json!({"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["a"]}, "default": ["a"]}),
    );
    assert!(matches!(&several, EnumSchema::Multi(MultiSelectEnumSchema::Untitled(_))));
    assert_eq!(several.choices(), [("a", "a")]);

    let several =
        choice(json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}], "y": {}}}));
    assert!(matches!(&several, EnumSchema::Multi(MultiSelectEnumSchema::Titled(_))));
    assert_eq!(several.choices(), [("a", "A")]);
    assert!(serde_json::from_value::<EnumSchema>(json!({"type": "string"})).is_err());
}

#[test]
fn fields_keep_their_order() {
    let text = r#"{"type":"object","$schema":"s","properties":{"z":{"type":"string"},"a":{"type":"boolean"}},"required":["z"],"additionalProperties":false}"#;
    let schema: ElicitSchema = serde_json::from_str(text).unwrap();
    assert_eq!(schema.properties.keys().collect::<Vec<_>>(), ["z", "a"]);
    assert!(schema.is_required("z") && !schema.is_required("a"));
    assert_eq!(serde_json::to_string(&schema).unwrap(), text);
}

#[test]
fn answers_hold_flat_values_only() {
    #[derive(serde::Serialize)]
    struct Form {
        name: &'static str,
        age: u8,
        share: f64,
        ok: bool,
        tags: Vec<&'static str>,
    }
    let form = Form { name: "Ada", age: 36, share: 0.5, ok: true, tags: vec!["a"] };
    let text = serde_json::to_string(&ElicitResult::accept(&form).unwrap()).unwrap();
    assert_eq!(
        text,
        r#"{"action":"accept","content":{"name":"Ada","age":36,"share":0.5,"ok":true,"tags":["a"]}}"#
    );

    for value in [json!({"a": null}), json!({"a": {}}), json!({"a": [1]}), json!({"a": [["x"]]})] {
        let error = ElicitResult::accept(&value).unwrap_err();
        assert!(matches!(&error, ElicitContentError::Field { field, .. } if field == "a"), "{error}");
    }
    for value in [json!(null), json!([]), json!("x"), json!(1)] {
        assert!(matches!(ElicitResult::accept(&value), Err(ElicitContentError::NotAnObject { .. })));
    }
    let raw = RawJson::from_text(r#"{"n":1.50,"big":12345678901234567890123}"#.to_owned()).unwrap();
    let text = serde_json::to_string(&ElicitResult::accept(&raw).unwrap()).unwrap();
    assert_eq!(text, r#"{"action":"accept","content":{"n":1.50,"big":12345678901234567890123}}"#);
}

#[test]
fn answers_without_a_form() {
    for (answer, text) in [
        (ElicitResult::accept_empty(), r#"{"action":"accept"}"#),
        (ElicitResult::decline(), r#"{"action":"decline"}"#),
        (ElicitResult::cancel(), r#"{"action":"cancel"}"#),
    ] {
        assert_eq!(serde_json::to_string(&answer).unwrap(), text);
        assert_eq!(serde_json::from_str::<ElicitResult>(text).unwrap(), answer);
    }
    let other: ElicitResult =
        serde_json::from_str(r#"{"action":"snooze","content":null,"until":5}"#).unwrap();
    assert_eq!((other.action, other.content), (ElicitAction::Other("snooze".to_owned()), None));
}

#[test]
fn debug_hides_what_was_entered() {
    let shown = format!("{:?}", ElicitResult::accept(&json!({"pin": "hunter2"})).unwrap());
    assert!(shown.contains("pin") && !shown.contains("hunter2"), "{shown}");
}
