mod hostile;
mod properties;
mod texts;

use mcp_types::{ElicitFormParams, ElicitResult, RawJson, RawMap, StringFormat};
use serde_json::{Number, Value, json};

use super::*;

fn form_of(schema: &Value) -> ElicitForm {
    read(&schema.to_string())
}

/// From the text of a schema, for what `json!` cannot write.
fn read(schema: &str) -> ElicitForm {
    let params = format!(r#"{{"message":"Why?","requestedSchema":{schema}}}"#);
    ElicitForm::new(&serde_json::from_str::<ElicitFormParams>(&params).unwrap())
}

fn with(properties: &Value, required: &[&str]) -> ElicitForm {
    form_of(&json!({ "type": "object", "properties": properties, "required": required }))
}

/// A form with the one field `f`.
fn one(field: &str) -> ElicitForm {
    read(&format!(r#"{{"type":"object","properties":{{"f":{field}}}}}"#))
}

fn raw(text: &str) -> RawJson {
    RawJson::from_text(text.to_owned()).unwrap()
}

fn map(text: &str) -> RawMap {
    serde_json::from_str(text).unwrap()
}

fn text(answer: &ElicitResult) -> String {
    serde_json::to_string(answer).unwrap()
}

/// The faults by field, in order.
fn faults(errors: &FormErrors) -> Vec<(&str, FieldFault)> {
    errors.iter().map(|error| (error.field(), error.fault().clone())).collect()
}

/// One field of every kind.
fn every_kind() -> ElicitForm {
    // As text: `json!` sorts.
    read(
        r#"{
            "type": "object",
            "properties": {
                "text": { "type": "string", "title": "A text", "description": "Any", "minLength": 2, "maxLength": 4, "default": "abc" },
                "mail": { "type": "string", "format": "email" },
                "number": { "type": "number", "minimum": -0.5, "maximum": 2.5, "default": 1.25 },
                "integer": { "type": "integer", "minimum": 1, "maximum": 3, "default": 2 },
                "yes": { "type": "boolean", "title": "", "default": true },
                "one": { "type": "string", "enum": ["a", "b"], "default": "b" },
                "titled": { "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g", "title": "" }] },
                "legacy": { "type": "string", "enum": ["x", "y", "z"], "enumNames": ["Ex", "Why"] },
                "many": {
                    "type": "array", "minItems": 1, "maxItems": 2,
                    "items": { "type": "string", "enum": ["p", "q", "r"] }, "default": ["p", "q"]
                },
                "titles": { "type": "array", "items": { "anyOf": [{ "const": "s", "title": "Ess" }] } }
            },
            "required": ["text", "one"]
        }"#,
    )
}

#[test]
fn elf_06_fields_are_typed_and_in_order() {
    let form = every_kind();
    assert_eq!(form.message(), "Why?");
    assert_eq!((form.is_supported(), form.unsupported()), (true, None));
    let names: Vec<&str> = form.fields().iter().map(FormField::name).collect();
    assert_eq!(
        names,
        ["text", "mail", "number", "integer", "yes", "one", "titled", "legacy", "many", "titles"]
    );
    let kind = |name: &str| form.field(name).unwrap().kind().clone();
    assert_eq!(
        kind("text"),
        FieldKind::Text { min_length: Some(2), max_length: Some(4), format: None, pattern: None }
    );
    assert_eq!(
        kind("mail"),
        FieldKind::Text {
            min_length: None,
            max_length: None,
            format: Some(StringFormat::Email),
            pattern: None
        }
    );
    assert_eq!(
        kind("number"),
        FieldKind::Number { minimum: Number::from_f64(-0.5), maximum: Number::from_f64(2.5) }
    );
    assert_eq!(kind("integer"), FieldKind::Integer { minimum: Some(1.into()), maximum: Some(3.into()) });
    assert_eq!(kind("yes"), FieldKind::Boolean);
    let choices = |name: &str| match kind(name) {
        FieldKind::SingleSelect { choices } | FieldKind::MultiSelect { choices, .. } => choices
            .iter()
            .map(|choice| format!("{}={}", choice.value(), choice.title()))
            .collect::<Vec<_>>()
            .join(" "),
        other => panic!("{other:?}"),
    };
    assert_eq!(choices("one"), "a=a b=b");
    assert_eq!(choices("titled"), "r=Red g=g");
    assert_eq!(choices("legacy"), "x=Ex y=Why z=z");
    assert_eq!(choices("many"), "p=p q=q r=r");
    assert_eq!(choices("titles"), "s=Ess");
    assert!(matches!(kind("many"), FieldKind::MultiSelect { min_items: Some(1), max_items: Some(2), .. }));
    assert!(matches!(kind("titles"), FieldKind::MultiSelect { min_items: None, max_items: None, .. }));

    let field = form.field("text").unwrap();
    assert_eq!((field.label(), field.description(), field.is_required()), ("A text", Some("Any"), true));
    let field = form.field("yes").unwrap();
    assert_eq!((field.label(), field.description(), field.is_required()), ("yes", None, false));
    assert!(form.field("nothing").is_none());
}

#[test]
fn elf_09_every_fault_of_every_field_is_found() {
    let form = every_kind();
    let good = map(
        r#"{"text":"äöü","mail":"a@b.c","number":2.5,"integer":3.0,"yes":false,"one":"a","titled":"g","legacy":"z","many":["r"],"titles":[]}"#,
    );
    form.validate(&good).unwrap();
    let bad = map(
        r#"{"titles":"s","many":[],"legacy":"Ex","titled":7,"one":"c","yes":"yes","integer":1.5,"number":2.51,"mail":"a","text":"äöüäö","more":1}"#,
    );
    let errors = form.validate(&bad).unwrap_err();
    assert_eq!(
        faults(&errors),
        [
            ("text", FieldFault::TooLong { max: 4 }),
            ("mail", FieldFault::Format(StringFormat::Email)),
            ("number", FieldFault::TooLarge { max: Number::from_f64(2.5).unwrap() }),
            ("integer", FieldFault::NotAnInteger),
            ("yes", FieldFault::WrongType { expected: "true or false" }),
            ("one", FieldFault::NotAChoice),
            ("titled", FieldFault::WrongType { expected: "a text" }),
            ("legacy", FieldFault::NotAChoice),
            ("many", FieldFault::TooFew { min: 1 }),
            ("titles", FieldFault::WrongType { expected: "a list of texts" }),
            ("more", FieldFault::UnknownField),
        ]
    );
    assert_eq!(errors.for_field("one"), Some(&FieldFault::NotAChoice));
    assert_eq!(errors.for_field("other"), None);
    let errors =
        form.validate(&map(r#"{"text":"a","many":["p","q","r"],"number":-1,"integer":0}"#)).unwrap_err();
    assert_eq!(
        faults(&errors),
        [
            ("text", FieldFault::TooShort { min: 2 }),
            ("number", FieldFault::TooSmall { min: Number::from_f64(-0.5).unwrap() }),
            ("integer", FieldFault::TooSmall { min: 1.into() }),
            ("one", FieldFault::Missing),
            ("many", FieldFault::TooMany { max: 2 }),
        ]
    );
    assert_eq!(
        errors.to_string(),
        "`text` must be at least 2 characters long; `number` must be at least -0.5; `integer` must be at least 1; \
         `one` must be filled in; `many` must have at most 2 choices"
    );
}

#[test]
fn values_of_another_type_fit_no_field() {
    let form = every_kind();
    for field in form.fields() {
        for value in ["null", "{}", "[1]", "[[\"a\"]]", "\"\\ud800\"", "[\"\\ud800\"]"] {
            assert!(field.check(&raw(value)).is_err(), "{} {value}", field.name());
        }
    }
}

#[test]
fn answers_can_be_structs_and_what_is_none_is_left_out() {
    #[derive(serde::Serialize)]
    struct Answers {
        text: &'static str,
        number: Option<f64>,
        one: &'static str,
        many: Vec<&'static str>,
    }
    let form = every_kind();
    let answer = form.fill(Answers { text: "ab", number: None, one: "a", many: vec!["q"] }).unwrap();
    assert_eq!(text(&answer), r#"{"action":"accept","content":{"text":"ab","one":"a","many":["q"]}}"#);
    let errors = form.fill(json!({ "text": null, "one": "a" })).unwrap_err();
    assert_eq!(faults(&errors), [("text", FieldFault::Missing)]);
    // Digits are kept.
    let answer = form.fill(map(r#"{"text":"ab","one":"a","number":1.50,"integer":3e0}"#)).unwrap();
    assert_eq!(
        text(&answer),
        r#"{"action":"accept","content":{"text":"ab","one":"a","number":1.50,"integer":3e0}}"#
    );
}

#[test]
fn only_an_object_can_answer_a_form() {
    let form = with(&json!({}), &[]);
    for answers in [json!(null), json!([]), json!("x"), json!(7)] {
        let errors = form.fill(&answers).unwrap_err();
        assert_eq!(faults(&errors), [("", FieldFault::NotAnObject)], "{answers}");
        assert_eq!(errors.for_field(""), None);
        assert_eq!(errors.to_string(), "the answers must be an object with a member for each field");
    }
    let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert_eq!(faults(&form.fill(unwritable).unwrap_err()), [("", FieldFault::NotAnObject)]);
}

#[test]
fn elf_10_defaults_that_fit_are_filled_in_beforehand() {
    let form = every_kind();
    assert_eq!(
        serde_json::to_string(&form.defaults()).unwrap(),
        r#"{"text":"abc","number":1.25,"integer":2,"yes":true,"one":"b","many":["p","q"]}"#
    );
    assert_eq!(form.fill_defaults().unwrap().content.unwrap(), form.defaults());
    for misfit in [
        r#"{"type":"string","maxLength":1,"default":"long"}"#,
        r#"{"type":"string","default":7}"#,
        r#"{"type":"string","format":"email","default":"none"}"#,
        r#"{"type":"number","default":"7"}"#,
        r#"{"type":"integer","default":1.5}"#,
        r#"{"type":"integer","minimum":1,"default":0}"#,
        r#"{"type":"boolean","default":"true"}"#,
        r#"{"type":"boolean","default":null}"#,
        r#"{"type":"string","enum":["a"],"default":"b"}"#,
        r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":["b"]}"#,
        r#"{"type":"array","minItems":1,"items":{"type":"string","enum":["a"]},"default":[]}"#,
        r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}"#,
    ] {
        let form = one(misfit);
        assert_eq!((form.defaults().len(), form.is_supported()), (0, true), "{misfit}");
        assert_eq!(form.field("f").unwrap().default(), None);
    }
    let errors = with(&json!({ "f": { "type": "string" } }), &["f"]).fill_defaults().unwrap_err();
    assert_eq!(faults(&errors), [("f", FieldFault::Missing)]);
}

#[test]
fn field_mrtr_06_an_empty_form_is_accepted_with_an_empty_object() {
    let form = form_of(&json!({ "type": "object", "properties": {} }));
    assert!(form.is_supported() && form.fields().is_empty());
    let nothing: [(&str, &str); 0] = [];
    for answer in [form.fill(json!({})), form.fill_text(nothing), form.fill_defaults()] {
        assert_eq!(text(&answer.unwrap()), r#"{"action":"accept","content":{}}"#);
    }
}

#[test]
fn elf_17_what_is_beyond_the_subset_is_shown_raw_and_answered_raw() {
    for field in [
        r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
        r#"{"type":"array","items":{"type":"object"}}"#,
        r#"{"type":"array","items":{"type":"string"}}"#,
        r#"{"type":["string","null"]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r##"{"$ref":"#/$defs/a"}"##,
        r#"{"type":"hologram"}"#,
        r#"{"enum":["a","b"]}"#,
        r#"{"type":"string","enum":[1,2]}"#,
        "{}",
        "true",
        "null",
        "7",
    ] {
        let form = one(field);
        assert_eq!(form.unsupported(), Some(FormUnsupported::Kind { field: "f".to_owned() }), "{field}");
        assert!(!form.is_supported());
        assert_eq!(form.field("f").unwrap().kind(), &FieldKind::Unknown(raw(field)));
        assert_eq!(form.schema().get(), format!(r#"{{"type":"object","properties":{{"f":{field}}}}}"#));
        for value in [r#"{"a":["b",{"c":null}]}"#, "null", "7"] {
            let answer = form.fill(map(&format!(r#"{{"f":{value}}}"#))).unwrap();
            assert_eq!(text(&answer), format!(r#"{{"action":"accept","content":{{"f":{value}}}}}"#));
        }
        let errors = form.fill_text([("f", "x")]).unwrap_err();
        assert_eq!(faults(&errors), [("f", FieldFault::Unsupported)]);
    }
}

#[test]
fn elf_17_unknown_keywords_and_formats_are_ignored() {
    let form = form_of(&json!({
        "type": "object",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "T",
        "additionalProperties": false,
        "properties": {
            "a": { "type": "string", "format": "hologram", "contentEncoding": "x", "examples": [1] },
            "b": { "type": "integer", "multipleOf": 5, "exclusiveMinimum": 3 },
            "c": { "type": "string", "title": 7, "description": ["x"] },
        },
    }));
    assert!(form.is_supported());
    assert_eq!(form.field("c").unwrap().label(), "c");
    form.fill(json!({ "a": "anything", "b": 1 })).unwrap();
}

#[test]
fn clones_are_cheap_and_debug_shows_names_only() {
    let form = every_kind();
    assert!(Arc::ptr_eq(&form.0, &form.clone().0));
    let shown = format!("{form:?}");
    assert!(shown.contains("\"text\"") && shown.contains("multi select"), "{shown}");
    for secret in ["Why?", "A text", "Any", "Red", "abc"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}

#[cfg(feature = "schema")]
#[test]
fn patterns_are_checked_in_linear_time_or_not_at_all() {
    let form = one(r#"{"type":"string","pattern":"^[A-Z]{2}\\d+$","maxLength":9}"#);
    assert!(matches!(
        form.field("f").unwrap().kind(),
        FieldKind::Text { pattern: Some(pattern), .. } if pattern == r"^[A-Z]{2}\d+$"
    ));
    form.fill_text([("f", "AB12")]).unwrap();
    for misfit in ["ab12", "AB", " AB12"] {
        assert_eq!(faults(&form.fill_text([("f", misfit)]).unwrap_err()), [("f", FieldFault::Pattern)]);
    }
    // Look-around, a malformed one, one that is far too large: the server judges.
    for pattern in ["^(?!a)", r"(a)\\1", "[", "((a{999}){999}){999}"] {
        one(&format!(r#"{{"type":"string","pattern":"{pattern}"}}"#)).fill_text([("f", "a")]).unwrap();
    }
}

#[cfg(not(feature = "schema"))]
#[test]
fn patterns_are_shown_and_left_to_the_server() {
    let form = one(r#"{"type":"string","pattern":"^[A-Z]+$"}"#);
    assert!(matches!(
        form.field("f").unwrap().kind(),
        FieldKind::Text { pattern: Some(pattern), .. } if pattern == "^[A-Z]+$"
    ));
    form.fill_text([("f", "abc")]).unwrap();
}
