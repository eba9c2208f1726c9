use serde_json::{Value, json};

use super::*;
use HeaderParamsFaultKind as Kind;

fn of(schema: &Value) -> Result<HeaderParams, HeaderParamsFault> {
    HeaderParams::of(&RawJson::from(schema))
}

/// A schema with one property.
fn property(schema: impl Into<Value>) -> Value {
    json!({"type": "object", "properties": {"p": schema.into()}})
}

fn fault(schema: &Value) -> (Kind, String) {
    let fault = of(schema).unwrap_err();
    (fault.kind(), fault.path().to_owned())
}

/// The headers for arguments given as text.
fn sent(params: &HeaderParams, arguments: &str) -> Vec<(String, String)> {
    let arguments = RawJson::from_text(arguments.to_owned()).unwrap();
    let headers = params.headers(Some(&arguments));
    headers
        .iter()
        .map(|(name, value)| {
            assert!(value.is_sensitive());
            (name.to_string(), value.to_str().unwrap().to_owned())
        })
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn xmh_01_xmh_02_xmh_16_annotated_values_and_no_others_are_mirrored() {
    let params = of(&json!({"properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "method": {"type": "string", "x-mcp-header": "Method"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "plain": {"type": "string"},
    }}))
    .unwrap();
    assert_eq!(
        sent(&params, r#"{"plain":"p","region":"us-west1","method":"m","count":-7,"dry":false,"more":1}"#),
        pairs(&[
            ("mcp-param-count", "-7"),
            ("mcp-param-dry", "false"),
            ("mcp-param-method", "m"),
            ("mcp-param-region", "us-west1"),
        ])
    );
    assert_eq!(params.header_names().count(), 4);
    assert!(params.headers(None).is_empty());
}

#[test]
fn xmh_03_hdr_03_what_is_no_string_or_empty_is_invalid() {
    assert_eq!(
        fault(&property(json!({"type": "string", "x-mcp-header": ""}))),
        (Kind::Empty, "/properties/p".into())
    );
    for annotation in [json!(null), json!(1), json!(true), json!(["A"]), json!({"a": 1})] {
        let schema = property(json!({"type": "string", "x-mcp-header": annotation}));
        assert_eq!(fault(&schema), (Kind::NotAString, "/properties/p".into()), "{annotation}");
    }
}

#[test]
fn xmh_04_only_tokens_are_names() {
    for name in [
        "A B", "a:b", "Ä", "日本", "R\r\nX", "a\tb", "a\0", " ", "a,b", "(a)", "a/b", "a\"", "a=b", "{a}",
        "a@b",
    ] {
        let schema = property(json!({"type": "string", "x-mcp-header": name}));
        assert_eq!(fault(&schema).0, Kind::NotAToken, "{name:?}");
    }
    let every = "!#$%&'*+-.^_`|~09AZaz";
    let params = of(&property(json!({"type": "string", "x-mcp-header": every}))).unwrap();
    assert_eq!(sent(&params, r#"{"p":"v"}"#), pairs(&[("mcp-param-!#$%&'*+-.^_`|~09azaz", "v")]));
    let long = property(json!({"type": "string", "x-mcp-header": "a".repeat(70_000)}));
    assert_eq!(fault(&long), (Kind::TooLarge, "/properties/p".into()));
}

#[test]
fn xmh_05_names_are_unique_ignoring_ascii_case_at_any_level() {
    let schema = json!({"properties": {
        "a": {"type": "string", "x-mcp-header": "Region"},
        "b": {"type": "object", "properties": {"c": {"type": "integer", "x-mcp-header": "REGION"}}},
    }});
    assert_eq!(fault(&schema), (Kind::Duplicate, "/properties/b/properties/c".into()));
}

#[test]
fn xmh_06_amb_04_amb_07_the_type_is_one_of_three_strings() {
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!("Integer"),
        json!(1),
        json!(["string"]),
        json!(["string", "null"]),
        json!(null),
    ] {
        let schema = property(json!({"type": kind, "x-mcp-header": "A"}));
        assert_eq!(fault(&schema), (Kind::WrongType, "/properties/p".into()), "{kind}");
    }
    assert_eq!(fault(&property(json!({"x-mcp-header": "A"}))).0, Kind::WrongType);
}

#[test]
fn xmh_07_amb_08_other_positions_are_unreachable() {
    let marked = json!({"type": "string", "x-mcp-header": "A"});
    let nested = json!({"properties": {"q": marked}});
    for schema in [&marked, &nested] {
        for keyword in ONE_SCHEMA {
            assert_eq!(fault(&property(json!({keyword: schema}))).0, Kind::Unreachable, "{keyword}");
            assert_eq!(fault(&json!({keyword: schema})).0, Kind::Unreachable, "{keyword}");
        }
        for keyword in SCHEMA_LIST {
            assert_eq!(fault(&json!({keyword: [{}, schema]})).0, Kind::Unreachable, "{keyword}");
        }
        for keyword in NAMED_SCHEMAS {
            assert_eq!(fault(&json!({keyword: {"n": schema}})).0, Kind::Unreachable, "{keyword}");
        }
    }
    assert_eq!(fault(&marked), (Kind::Unreachable, String::new()));
    let behind = json!({"properties": {"p": {"$ref": "#/$defs/d"}}, "$defs": {"d": marked}});
    assert_eq!(fault(&behind), (Kind::Unreachable, "/$defs/d".into()));
    assert_eq!(fault(&json!({"$defs": {"a/~b": marked}})).1, "/$defs/a~1~0b");
}

#[test]
fn amb_08_data_and_property_names_are_no_annotations() {
    let marked = json!({"x-mcp-header": ""});
    for keyword in ["const", "enum", "default", "examples", "title", "required", "vendor"] {
        assert!(of(&json!({keyword: marked})).unwrap().is_empty(), "{keyword}");
        assert!(of(&property(json!({keyword: [marked]}))).unwrap().is_empty(), "{keyword}");
    }
    let named = json!({"properties": {"x-mcp-header": {"type": "string"}}, "required": ["x-mcp-header"]});
    assert!(of(&named).unwrap().is_empty());
    let both = json!({"properties": {"x-mcp-header": {"type": "string", "x-mcp-header": "x-mcp-header"}}});
    let params = of(&both).unwrap();
    assert_eq!(sent(&params, r#"{"x-mcp-header":"v"}"#), pairs(&[("mcp-param-x-mcp-header", "v")]));
}

#[test]
fn xmh_08_xmh_13_xmh_14_nested_properties_are_read_at_their_exact_path() {
    let params = of(&json!({"properties": {
        "a": {"type": "object", "properties": {
            "b": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": "C"}}},
            "n": {"type": "integer", "x-mcp-header": "N"},
        }},
        "": {"type": "string", "x-mcp-header": "E"},
    }}))
    .unwrap();
    for (arguments, expected) in [
        (
            r#"{"a":{"b":{"c":"x"},"n":1},"":"e"}"#,
            &[("mcp-param-e", "e"), ("mcp-param-c", "x"), ("mcp-param-n", "1")][..],
        ),
        (r#"{"c":"x","n":1}"#, &[]),
        (r#"{"a":{"b":{"c":null}}}"#, &[]),
        (r#"{"a":{"b":"c"}}"#, &[]),
        (r#"{"a":[{"b":{"c":"x"}}]}"#, &[]),
        (r#"{"a":null}"#, &[]),
        (r#"{"a":1e999,"":"e"}"#, &[("mcp-param-e", "e")]),
        (r#"{ "a" : { "b" : { "c" : "x" } } }"#, &[("mcp-param-c", "x")]),
        (r#"{"\u0061":{"n":2}}"#, &[("mcp-param-n", "2")]),
        // Of members given twice the last one counts, as for servers.
        (r#"{"a":{"n":1},"a":{"n":2}}"#, &[("mcp-param-n", "2")]),
        (r#"{"a":{"n":1},"a":{}}"#, &[]),
        (r#"{"":"e","":null}"#, &[]),
        ("{}", &[]),
        ("[]", &[]),
        ("null", &[]),
        (r#""a""#, &[]),
    ] {
        assert_eq!(sent(&params, arguments), pairs(expected), "{arguments}");
    }
}

#[test]
fn xmh_15_enc_01_amb_07_values_of_the_type_and_no_others() {
    let of_type = |kind: &str| of(&property(json!({"type": kind, "x-mcp-header": "P"}))).unwrap();
    for (kind, value, header) in [
        ("integer", "42", Some("42")),
        ("integer", "-7", Some("-7")),
        ("integer", "0", Some("0")),
        ("integer", "42.0", Some("42")),
        ("integer", "1e3", Some("1000")),
        ("integer", "9007199254740991", Some("9007199254740991")),
        ("integer", "-9007199254740991", Some("-9007199254740991")),
        ("integer", "9007199254740992", None),
        ("integer", "-9007199254740992", None),
        ("integer", "9007199254740993.0", None),
        ("integer", "123456789012345678901234567890", None),
        ("integer", "1e20", None),
        ("integer", "1e999", None),
        ("integer", "1.5", None),
        ("integer", "\"42\"", None),
        ("integer", "true", None),
        ("integer", "null", None),
        ("integer", "{}", None),
        ("string", "\"v\"", Some("v")),
        ("string", "42", None),
        ("string", "false", None),
        ("string", "[\"v\"]", None),
        ("boolean", "true", Some("true")),
        ("boolean", "false", Some("false")),
        ("boolean", "\"true\"", None),
        ("boolean", "1", None),
    ] {
        let headers = sent(&of_type(kind), &format!("{{\"p\":{value}}}"));
        let expected: Vec<_> = header.into_iter().map(|header| ("mcp-param-p", header)).collect();
        assert_eq!(headers, pairs(&expected), "{kind} {value}");
    }
}

#[test]
fn enc_02_to_enc_11_strings_are_wrapped_where_they_have_to_be() {
    let params = of(&property(json!({"type": "string", "x-mcp-header": "P"}))).unwrap();
    for (value, header) in [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        (" us-west1", "=?base64?IHVzLXdlc3Qx?="),
        ("us-west1 ", "=?base64?dXMtd2VzdDEg?="),
        ("日本語", "=?base64?5pel5pys6Kqe?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("a\tb", "=?base64?YQli?="),
        ("\0", "=?base64?AA==?="),
        ("\u{7f}", "=?base64?fw==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?x", "=?base64?x"),
        ("x?=", "x?="),
        ("=?BASE64?x?=", "=?BASE64?x?="),
        ("", "=?base64??="),
    ] {
        let arguments = json!({"p": value}).to_string();
        assert_eq!(sent(&params, &arguments), pairs(&[("mcp-param-p", header)]), "{value:?}");
    }
}

#[test]
fn values_are_not_printed() {
    let params = of(&property(json!({"type": "string", "x-mcp-header": "P"}))).unwrap();
    let headers = params.headers(Some(&RawJson::from(json!({"p": "secret"}))));
    assert!(!format!("{headers:?}").contains("secret"));
}

#[test]
fn what_is_no_schema_has_no_parameters() {
    for text in ["true", "null", "[]", "[{\"x-mcp-header\":\"\"}]", "\"x-mcp-header\"", "1", "{}"] {
        assert!(HeaderParams::of(&RawJson::from_text(text.into()).unwrap()).unwrap().is_empty(), "{text}");
    }
    for schema in [
        json!({"properties": [], "x": "x-mcp-header"}),
        json!({"properties": {"x-mcp-header": true}, "items": 1, "allOf": {}, "$defs": []}),
    ] {
        assert!(of(&schema).unwrap().is_empty());
    }
}

#[test]
fn an_escaped_annotation_is_one_too() {
    let text = r#"{"properties":{"p":{"type":"number","x\u002dmcp-header":"A"}}}"#;
    assert_eq!(
        HeaderParams::of(&RawJson::from_text(text.into()).unwrap()).unwrap_err().kind(),
        Kind::WrongType
    );
}

#[test]
fn hostile_schemas_are_bounded() {
    let deep = |open: &str, inner: &str, close: &str| {
        let text = format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000));
        HeaderParams::of(&RawJson::from_text(text).unwrap())
    };
    let marked = r#"{"type":"string","x-mcp-header":"A"}"#;
    assert!(deep("[", "1", "]").unwrap().is_empty());
    assert_eq!(deep("[", marked, "]").unwrap_err().kind(), Kind::TooDeep);
    assert_eq!(deep(r#"{"properties":{"a":"#, marked, "}}").unwrap_err().kind(), Kind::TooLarge);
    let large = property(json!({"description": "x".repeat(MAX_INPUT_SCHEMA)}));
    assert!(of(&large).unwrap().is_empty());
    let large =
        property(json!({"type": "string", "x-mcp-header": "A", "description": "x".repeat(MAX_INPUT_SCHEMA)}));
    assert_eq!(fault(&large), (Kind::TooLarge, String::new()));

    let wide: Map<String, Value> = (0..10_000)
        .map(|i| (format!("p{i}"), json!({"type": "string", "x-mcp-header": format!("H{i}")})))
        .collect();
    let params = of(&json!({"properties": wide})).unwrap();
    let arguments: Map<String, Value> = (0..10_000).map(|i| (format!("p{i}"), json!("v"))).collect();
    assert_eq!(params.headers(Some(&RawJson::from(Value::from(arguments)))).len(), 10_000);
    // Ways to the same place are no ways here: references are not followed.
    assert!(of(&json!({"$ref": "#", "properties": {"x-mcp-header": {"$ref": "#"}}})).unwrap().is_empty());
}

#[test]
fn deep_arguments_are_no_trouble() {
    let params =
        of(&json!({"properties": {"a": {"properties": {"b": {"type": "string", "x-mcp-header": "B"}}}}}))
            .unwrap();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let arguments = format!(r#"{{"x":{deep},"a":{{"x":{deep},"b":"v"}}}}"#);
    assert_eq!(sent(&params, &arguments), pairs(&[("mcp-param-b", "v")]));
}

#[test]
fn xmh_10_a_fault_is_one_short_sentence_without_raw_server_text() {
    let schema = json!({"properties": {"a\r\nb\u{1b}[31m": {"type": "number", "x-mcp-header": "A"}}});
    let fault = of(&schema).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "the x-mcp-header at `/properties/a\\r\\nb\\u{1b}[31m` is on a property that is not of type integer, string or boolean"
    );
    let long = json!({"properties": {"é".repeat(1_000): {"x-mcp-header": ""}}});
    let fault = of(&long).unwrap_err();
    assert_eq!(fault.path().chars().count(), 121);
    assert!(fault.path().ends_with('…'));
    for (schema, text) in [
        (
            json!({"x-mcp-header": "A"}),
            "the x-mcp-header at the root is on what is not reached through `properties` alone",
        ),
        (property(json!({"x-mcp-header": 1})), "the x-mcp-header at `/properties/p` is not a string"),
        (property(json!({"x-mcp-header": ""})), "the x-mcp-header at `/properties/p` is empty"),
        (property(json!({"x-mcp-header": "a b"})), "the x-mcp-header at `/properties/p` is not a token"),
    ] {
        assert_eq!(of(&schema).unwrap_err().to_string(), text);
    }
}
