//! What a terminal or an HTML form sends.

use super::*;

/// What the texts of one field become: the JSON value, nothing, or the fault.
fn parsed(field: &FormField, texts: &[&str]) -> Result<Option<String>, FieldFault> {
    field.parse(texts).map(|value| value.map(|value| value.get().to_owned()))
}

#[expect(clippy::unnecessary_wraps, reason = "what is parsed is compared with it")]
fn value(text: &str) -> Result<Option<String>, FieldFault> {
    Ok(Some(text.to_owned()))
}

fn field(schema: &str, required: bool) -> FormField {
    let required = if required { r#","required":["f"]"# } else { "" };
    let form = read(&format!(r#"{{"type":"object","properties":{{"f":{schema}}}{required}}}"#));
    form.field("f").unwrap().clone()
}

#[test]
fn an_empty_text_leaves_out_what_is_not_required() {
    for schema in [
        r#"{"type":"string","minLength":1,"format":"email"}"#,
        r#"{"type":"number"}"#,
        r#"{"type":"integer"}"#,
        r#"{"type":"boolean"}"#,
        r#"{"type":"string","enum":["a"]}"#,
        r#"{"type":"array","minItems":1,"items":{"type":"string","enum":["a"]}}"#,
        r#"{"type":"object"}"#,
    ] {
        for texts in [&[][..], &[""]] {
            assert_eq!(parsed(&field(schema, false), texts), Ok(None), "{schema} {texts:?}");
        }
    }
}

#[test]
fn what_is_required_cannot_be_left_out() {
    for schema in [
        r#"{"type":"number"}"#,
        r#"{"type":"integer"}"#,
        r#"{"type":"boolean"}"#,
        r#"{"type":"string","enum":["a"]}"#,
    ] {
        for texts in [&[][..], &[""]] {
            assert_eq!(parsed(&field(schema, true), texts), Err(FieldFault::Missing), "{schema} {texts:?}");
        }
    }
    // An empty text is a text, and no choice at all is a list, where their rules allow it.
    let text = field(r#"{"type":"string"}"#, true);
    assert_eq!(parsed(&text, &[]), Err(FieldFault::Missing));
    assert_eq!(parsed(&text, &[""]), value("\"\""));
    assert_eq!(
        parsed(&field(r#"{"type":"string","minLength":1}"#, true), &[""]),
        Err(FieldFault::TooShort { min: 1 })
    );
    let many = r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#;
    assert_eq!(parsed(&field(many, true), &[]), value("[]"));
    let some = r#"{"type":"array","minItems":1,"items":{"type":"string","enum":["a"]}}"#;
    assert_eq!(parsed(&field(some, true), &[]), Err(FieldFault::TooFew { min: 1 }));
    assert_eq!(parsed(&field(r#"{"type":"object"}"#, true), &[]), Err(FieldFault::Missing));
    assert_eq!(parsed(&field(r#"{"type":"object"}"#, true), &["{}"]), Err(FieldFault::Unsupported));
}

#[test]
fn numbers_keep_their_digits() {
    let number = field(r#"{"type":"number"}"#, false);
    for (text, json) in [
        ("1.50", "1.50"),
        (" 7\n", "7"),
        ("-0", "-0"),
        ("+1", "1"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("007", "7"),
        ("00", "0"),
        ("1e3", "1e3"),
        ("1E+3", "1E+3"),
        (
            "12345678901234567890123456789.000000000000000001",
            "12345678901234567890123456789.000000000000000001",
        ),
    ] {
        assert_eq!(parsed(&number, &[text]), value(json), "{text}");
    }
    for text in [
        "x", "1,5", "1 000", "--1", "+-1", "-+1", ".", "-", "+", "1.", "1.e3", "e3", "1e", "1e+", "0x10",
        "NaN", "Infinity", "1_000", "１", "\"1\"", "[1]", "1}", "true", "null", "-.e1",
    ] {
        assert_eq!(parsed(&number, &[text]), Err(FieldFault::NotANumber), "{text}");
    }
    assert_eq!(parsed(&number, &["  "]), Ok(None));
    assert_eq!(parsed(&number, &["1", "2"]), Err(FieldFault::TooMany { max: 1 }));
    let integer = field(r#"{"type":"integer","maximum":9007199254740992}"#, false);
    assert_eq!(parsed(&integer, &["9007199254740992"]), value("9007199254740992"));
    assert_eq!(
        parsed(&integer, &["9007199254740993"]),
        Err(FieldFault::TooLarge { max: 9_007_199_254_740_992_u64.into() })
    );
    assert_eq!(parsed(&integer, &["5.0"]), value("5.0"));
    assert_eq!(parsed(&integer, &["5.5"]), Err(FieldFault::NotAnInteger));
}

#[test]
fn yes_and_no_have_four_words_each_and_the_last_counts() {
    let yes = field(r#"{"type":"boolean"}"#, true);
    for word in ["true", "on", "yes", "1", "TRUE", "On", " yes "] {
        assert_eq!(parsed(&yes, &[word]), value("true"), "{word}");
        assert_eq!(parsed(&yes, &["false", word]), value("true"), "{word}");
    }
    for word in ["false", "off", "no", "0", "No", "OFF"] {
        assert_eq!(parsed(&yes, &[word]), value("false"), "{word}");
    }
    for word in ["y", "2", "ja", "tru", "\"true\"", "null"] {
        assert_eq!(parsed(&yes, &[word]), Err(FieldFault::NotABoolean), "{word}");
    }
}

#[test]
fn choices_are_their_values() {
    let titled = r#"{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":" g","title":"Green"}]}"#;
    let one = field(titled, true);
    assert_eq!(parsed(&one, &["r"]), value("\"r\""));
    assert_eq!(parsed(&one, &[" g"]), value("\" g\""));
    assert_eq!(parsed(&one, &["g"]), Err(FieldFault::NotAChoice));
    assert_eq!(parsed(&one, &["Red"]), Err(FieldFault::NotAChoice));
    assert_eq!(parsed(&one, &["r", "r"]), Err(FieldFault::TooMany { max: 1 }));
    let empty = r#"{"type":"string","enum":["","x"]}"#;
    assert_eq!(parsed(&field(empty, true), &[""]), value("\"\""));
    assert_eq!(parsed(&field(empty, false), &[""]), Ok(None));

    let many =
        field(r#"{"type":"array","maxItems":2,"items":{"type":"string","enum":["a","b","c"]}}"#, false);
    assert_eq!(parsed(&many, &["b", "a"]), value(r#"["b","a"]"#));
    assert_eq!(parsed(&many, &["", "a"]), value(r#"["a"]"#));
    assert_eq!(parsed(&many, &["a", "d"]), Err(FieldFault::NotAChoice));
    assert_eq!(parsed(&many, &["a", "b", "c"]), Err(FieldFault::TooMany { max: 2 }));
    let empty = field(r#"{"type":"array","items":{"type":"string","enum":["","x"]}}"#, false);
    assert_eq!(parsed(&empty, &["", "x"]), value(r#"["","x"]"#));
}

#[test]
fn texts_are_taken_as_they_are() {
    let any = field(r#"{"type":"string"}"#, false);
    for text in [" x ", "a\r\nb", "null", "7", "\"", "\\", "\0", "🎉"] {
        assert_eq!(parsed(&any, &[text]), value(&serde_json::to_string(text).unwrap()), "{text:?}");
    }
    let short = field(r#"{"type":"string","maxLength":2}"#, false);
    assert_eq!(parsed(&short, &["🎉é"]), value("\"🎉é\""));
    assert_eq!(parsed(&short, &["abc"]), Err(FieldFault::TooLong { max: 2 }));
}

#[test]
fn all_entries_are_read_and_every_fault_is_found() {
    let form = every_kind();
    let entries = [
        ("many", "p"),
        ("text", "abcd"),
        ("number", "1.50"),
        ("many", "r"),
        ("one", "a"),
        ("yes", "on"),
        ("mail", ""),
        ("titled", ""),
    ];
    assert_eq!(
        text(&form.fill_text(entries).unwrap()),
        r#"{"action":"accept","content":{"text":"abcd","number":1.50,"yes":true,"one":"a","many":["p","r"]}}"#
    );
    let entries = [("x", "1"), ("x", "2"), ("integer", "many"), ("yes", "maybe"), ("text", "abcd"), ("", "")];
    assert_eq!(
        faults(&form.fill_text(entries).unwrap_err()),
        [
            ("integer", FieldFault::NotANumber),
            ("yes", FieldFault::NotABoolean),
            ("one", FieldFault::Missing),
            ("x", FieldFault::UnknownField),
            ("", FieldFault::UnknownField),
        ]
    );
}
