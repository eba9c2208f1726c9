//! Forms that no honest server sends.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use super::*;

#[test]
fn ten_thousand_fields_take_one_pass() {
    let mut properties = String::new();
    let mut required = String::new();
    for n in 0..10_000 {
        let comma = if n == 0 { "" } else { "," };
        write!(properties, r#"{comma}"f{n}":{{"type":"integer","minimum":1}}"#).unwrap();
        write!(required, r#"{comma}"f{n}","g{n}""#).unwrap();
    }
    let started = Instant::now();
    let form = read(&format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#));
    assert_eq!(form.unsupported(), Some(FormUnsupported::TooManyFields { count: 10_000 }));
    assert_eq!(form.fields().len(), 10_000);
    let answers: RawMap = (0..20_000).map(|n| (format!("f{n}"), raw("0"))).collect();
    let errors = form.validate(&answers).unwrap_err();
    assert_eq!(errors.iter().count(), 30_000);
    assert_eq!(errors.for_field("f9999"), Some(&FieldFault::TooSmall { min: 1.into() }));
    assert_eq!(errors.for_field("g9999"), Some(&FieldFault::Missing));
    assert_eq!(errors.for_field("f10000"), Some(&FieldFault::UnknownField));
    assert!(errors.to_string().ends_with("; and 29992 more"), "{errors}");
    let entries = (0..20_000).map(|n| (format!("f{n}"), "0"));
    assert_eq!(form.fill_text(entries).unwrap_err().iter().count(), 30_000);
    let answers: RawMap =
        (0..10_000).flat_map(|n| [(format!("f{n}"), raw("7")), (format!("g{n}"), raw("{}"))]).collect();
    assert_eq!(form.fill(&answers).unwrap().content.unwrap(), answers);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn at_most_a_thousand_fields_are_a_form() {
    let form = |count: usize| {
        let fields: Vec<String> = (0..count).map(|n| format!(r#""f{n}":{{"type":"boolean"}}"#)).collect();
        read(&format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(",")))
    };
    assert!(form(MAX_FORM_FIELDS).is_supported());
    assert!(!form(MAX_FORM_FIELDS + 1).is_supported());
}

#[test]
fn odd_names_are_names() {
    let long = "k".repeat(1 << 20);
    for name in ["", "__proto__", "constructor", "a\nb\u{202e}c", "\0", long.as_str()] {
        let form = with(&json!({ name: { "type": "boolean" } }), &[name]);
        assert!(form.is_supported());
        let answer = form.fill_text([(name, "yes")]).unwrap();
        assert_eq!(answer.content.unwrap().get(name), Some(&raw("true")));
        let errors = form.fill(json!({})).unwrap_err();
        assert_eq!(faults(&errors), [(name, FieldFault::Missing)]);
        assert_eq!(errors.for_field(name), Some(&FieldFault::Missing));
        let shown = errors.to_string();
        assert!(shown.len() < 200 && !shown.contains(['\n', '\0', '\u{202e}']), "{shown}");
        let unlisted = with(&json!({}), &[name]).unsupported().unwrap();
        assert_eq!(unlisted.field(), Some(name));
        assert!(unlisted.to_string().len() < 200);
    }
}

#[test]
fn what_contradicts_itself_is_found_and_binds_nobody() {
    for (field, fits, misfits) in [
        (r#"{"type":"string","minLength":3,"maxLength":2}"#, "\"x\"", "1"),
        (r#"{"type":"number","minimum":1,"maximum":0.5}"#, "7", "\"7\""),
        (r#"{"type":"number","minimum":9007199254740993,"maximum":9007199254740992}"#, "7", "true"),
        (r#"{"type":"integer","minimum":0.25,"maximum":0.75}"#, "7", "7.5"),
        (
            r#"{"type":"array","minItems":2,"maxItems":1,"items":{"type":"string","enum":["a","b"]}}"#,
            "[]",
            "\"a\"",
        ),
        (r#"{"type":"array","minItems":2,"items":{"type":"string","enum":["a"]}}"#, "[\"a\"]", "[7]"),
    ] {
        let form = one(field);
        let found = FormUnsupported::Contradiction { field: "f".to_owned() };
        assert_eq!(form.unsupported(), Some(found), "{field}");
        form.fill(map(&format!(r#"{{"f":{fits}}}"#))).unwrap();
        assert_eq!(
            form.fill(map(&format!(r#"{{"f":{misfits}}}"#))).unwrap_err().iter().count(),
            1,
            "{field}"
        );
    }
    for field in [
        r#"{"type":"string","enum":[]}"#,
        r#"{"type":"string","oneOf":[]}"#,
        r#"{"type":"array","items":{"type":"string","enum":[]}}"#,
        r#"{"type":"array","items":{"anyOf":[]}}"#,
    ] {
        assert_eq!(one(field).unsupported(), Some(FormUnsupported::NoChoices { field: "f".to_owned() }));
    }
    for sound in [
        r#"{"type":"string","minLength":0,"maxLength":0}"#,
        r#"{"type":"number","minimum":1,"maximum":1.0}"#,
        r#"{"type":"integer","minimum":0.25,"maximum":1.75}"#,
        r#"{"type":"string","enum":["a","a"]}"#,
    ] {
        assert!(one(sound).is_supported(), "{sound}");
    }
}

#[test]
fn a_required_field_that_is_not_listed_can_still_be_answered() {
    let form = with(&json!({ "a": { "type": "string" } }), &["b", "a", "b"]);
    assert_eq!(form.unsupported(), Some(FormUnsupported::Unlisted { field: "b".to_owned() }));
    assert_eq!(
        faults(&form.fill(json!({})).unwrap_err()),
        [("a", FieldFault::Missing), ("b", FieldFault::Missing)]
    );
    form.fill(json!({ "a": "x", "b": { "c": [] } })).unwrap();
    assert_eq!(
        faults(&form.fill_text([("a", "x"), ("b", "y"), ("c", "z")]).unwrap_err()),
        [("b", FieldFault::Unsupported), ("c", FieldFault::UnknownField)]
    );
}

#[test]
fn rules_that_cannot_be_read_are_named_and_the_others_bind() {
    for (field, keyword) in [
        (r#"{"type":"string","minLength":"3"}"#, "minLength"),
        (r#"{"type":"string","maxLength":-1}"#, "maxLength"),
        (r#"{"type":"string","format":7}"#, "format"),
        (r#"{"type":"number","minimum":1e400}"#, "minimum"),
        (r#"{"type":"integer","maximum":"9"}"#, "maximum"),
        (r#"{"type":"array","minItems":1.5,"items":{"type":"string","enum":["a"]}}"#, "minItems"),
        (r#"{"type":"array","maxItems":[],"items":{"anyOf":[{"const":"a","title":"A"}]}}"#, "maxItems"),
        (r#"{"type":"string","enum":["a"],"enumNames":"A"}"#, "enumNames"),
    ] {
        let found = FormUnsupported::Rule { field: Some("f".to_owned()), keyword };
        assert_eq!(one(field).unsupported(), Some(found), "{field}");
    }
    let form = one(r#"{"type":"string","minLength":"3","maxLength":2}"#);
    assert_eq!(
        faults(&form.fill(json!({ "f": "abc" })).unwrap_err()),
        [("f", FieldFault::TooLong { max: 2 })]
    );
    let form = read(r#"{"type":"object","properties":{},"required":"all"}"#);
    assert_eq!(form.unsupported(), Some(FormUnsupported::Rule { field: None, keyword: "required" }));
}

#[test]
fn numbers_beyond_a_double_are_refused() {
    let form = one(r#"{"type":"number"}"#);
    let fault = |text: &str| form.fill_text([("f", text)]).unwrap_err().for_field("f").cloned();
    assert!(matches!(fault("1e400"), Some(FieldFault::TooLarge { .. })));
    assert!(matches!(fault("-1e400"), Some(FieldFault::TooSmall { .. })));
    assert!(matches!(fault(&"9".repeat(1 << 20)), Some(FieldFault::TooLarge { .. })));
    assert!(matches!(fault("1e99999999999999999999"), Some(FieldFault::TooLarge { .. })));
    for text in ["1e-400", "1e308", &format!("0.{}", "9".repeat(1 << 20))] {
        form.fill_text([("f", text)]).unwrap();
    }
    let form = one(r#"{"type":"number","minimum":1e308,"maximum":1.7e308,"default":1e400}"#);
    assert!(form.is_supported() && form.defaults().is_empty());
}

#[test]
fn a_hundred_thousand_choices_are_looked_up_in_one_pass() {
    let values: Vec<String> = (0..100_000).map(|n| format!("v{n}")).collect();
    let form = with(&json!({ "f": { "type": "array", "items": { "type": "string", "enum": values } } }), &[]);
    let started = Instant::now();
    let answer = form.fill_text(values.iter().map(|value| ("f", value))).unwrap();
    assert_eq!(answer.content.unwrap().get_as::<Vec<String>>("f").unwrap().unwrap(), values);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    let huge = "x".repeat(1 << 20);
    let form = one(&format!(r#"{{"type":"string","enum":["{huge}"],"title":"{huge}","default":"{huge}"}}"#));
    assert_eq!(form.field("f").unwrap().default().unwrap().get().len(), huge.len() + 2);
    assert!(format!("{form:?}").len() < 500);
}

#[test]
fn deep_and_huge_schemas_are_only_kept() {
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let form = one(&format!(r#"{{"type":"object","default":{deep}}}"#));
    assert!(!form.is_supported());
    form.fill(map(&format!(r#"{{"f":{deep}}}"#))).unwrap();
    let text = one(r#"{"type":"string"}"#);
    assert_eq!(text.validate(&map(&format!(r#"{{"f":{deep}}}"#))).unwrap_err().iter().count(), 1);
}

/// Each of a thousand patterns is small enough, but not all of them together.
#[cfg(feature = "schema")]
#[test]
fn patterns_are_bounded_together_and_alone() {
    let fields: serde_json::Map<String, Value> = (0..1_000)
        .map(|n| (format!("f{n}"), json!({ "type": "string", "pattern": format!("^[a-z]{{3000}}{n}$") })))
        .collect();
    let started = Instant::now();
    let form = with(&Value::Object(fields), &[]);
    let errors = form.fill_text((0..1_000).map(|n| (format!("f{n}"), "-"))).unwrap_err();
    let checked = errors.iter().filter(|error| *error.fault() == FieldFault::Pattern).count();
    assert!((1..50).contains(&checked), "{checked}");
    let huge = "a|".repeat(1 << 19);
    one(&format!(r#"{{"type":"string","pattern":"{huge}"}}"#)).fill_text([("f", "x")]).unwrap();
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
