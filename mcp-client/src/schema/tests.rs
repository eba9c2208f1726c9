use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::*;
use SchemaFaultKind as Kind;

/// No check may take longer, on a slow machine and without optimization.
const LIMIT: Duration = Duration::from_secs(20);

fn schema(schema: &Value) -> OutputSchema {
    OutputSchema::new(RawJson::from(schema))
}

fn check(schema_: &Value, value: &Value) -> Validation {
    let start = Instant::now();
    let validation = schema(schema_).validate(&RawJson::from(value));
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
    validation
}

fn is_valid(schema: &Value, value: &Value) -> bool {
    match check(schema, value) {
        Validation::Valid => true,
        Validation::Invalid(_) => false,
        Validation::NotChecked(fault) => panic!("{fault}"),
    }
}

fn fault(schema: &Value, value: &Value) -> SchemaFault {
    match check(schema, value) {
        Validation::NotChecked(fault) => fault,
        other => panic!("{other:?}"),
    }
}

fn text(text: impl Into<String>) -> RawJson {
    RawJson::from_text(text.into()).unwrap()
}

/// `$defs` of `count` levels, each applying the next one twice.
fn ladder(count: usize, keyword: &str, leaf: &Value) -> Value {
    let mut defs = Map::new();
    defs.insert("d0".into(), leaf.clone());
    for i in 1..=count {
        let next = json!({"$ref": format!("#/$defs/d{}", i - 1)});
        defs.insert(format!("d{i}"), json!({keyword: [next, next]}));
    }
    json!({"$defs": defs, "$ref": format!("#/$defs/d{count}")})
}

/// A value of `depth` objects.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!({}), |inner, _| json!({"a": inner}))
}

#[test]
fn jsc_01_jsc_02_the_dialect_is_2020_12_by_default() {
    // `prefixItems` means nothing in the dialects before.
    let items = json!({"prefixItems": [{"type": "string"}]});
    assert!(!is_valid(&items, &json!([1])));
    let mut explicit = items.clone();
    for name in
        ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#"]
    {
        explicit["$schema"] = json!(name);
        assert!(!is_valid(&explicit, &json!([1])), "{name}");
    }
}

#[test]
fn jsc_04_sch_03_older_dialects_are_read_in_their_own_way() {
    for (dialect, keyword_that_counts) in [
        ("https://json-schema.org/draft/2019-09/schema", true),
        ("http://json-schema.org/draft-07/schema#", true),
        ("https://json-schema.org/draft-07/schema", true),
        ("http://json-schema.org/draft-06/schema#", true),
        ("http://json-schema.org/draft-04/schema#", true),
        ("https://json-schema.org/draft/2020-12/schema", false),
    ] {
        // A list in `items` and `prefixItems`: which of them counts tells old and new apart.
        let old = json!({"$schema": dialect, "type": "array", "prefixItems": [{"type": "string"}]});
        assert_eq!(is_valid(&old, &json!([1])), keyword_that_counts, "{dialect}");
    }
    let seven = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "definitions": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/definitions/n", "minimum": 5}}});
    // Beside a `$ref`, draft-07 ignores other keywords.
    assert!(is_valid(&seven, &json!({"a": 1})));
    assert!(!is_valid(&seven, &json!({"a": "1"})));
    let four =
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": true});
    assert!(!is_valid(&four, &json!(3)));
}

#[test]
fn jsc_03_an_unknown_dialect_is_named() {
    for name in [
        "https://example.com/my-dialect",
        "http://json-schema.org/draft-03/schema#",
        "",
        "json-schema.org/draft-07/schema",
    ] {
        let fault = fault(&json!({"$schema": name, "type": "object"}), &json!({}));
        assert_eq!((fault.kind(), fault.detail()), (Kind::UnsupportedDialect, name));
    }
    let inner = json!({"properties": {"a": {"$id": "x", "$schema": "https://example.com/d"}}});
    assert_eq!(fault(&inner, &json!({})).kind(), Kind::UnsupportedDialect);
    assert_eq!(fault(&json!({"$schema": 7}), &json!({})).kind(), Kind::InvalidSchema);
    let long = fault(&json!({"$schema": format!("x:\r\n{}", "y".repeat(1000))}), &json!({}));
    assert_eq!(long.detail().chars().count(), 259);
    assert!(long.detail().starts_with("x:\\r\\ny") && long.detail().ends_with('…'));
}

#[test]
fn jsc_05_jsc_07_jsc_10_nothing_is_fetched_and_such_a_schema_is_a_fault() {
    // A listener notices any attempt.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/schema.json", listener.local_addr().unwrap());
    for schema in [
        json!({"$ref": url}),
        json!({"$dynamicRef": url}),
        json!({"properties": {"a": {"$ref": format!("{url}#/x")}}}),
        json!({"$id": url, "properties": {"a": {"$ref": "other.json"}}}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"$ref": "other.json"}),
        json!({"$ref": "urn:x:y"}),
        json!({"$ref": "#/$defs/missing"}),
        json!({"$ref": "#missing"}),
        json!({"$ref": "https://json-schema.org/draft/2020-12/schema"}),
        json!({"$ref": "#/%zz"}),
        // What could be a meta-schema in other words.
        json!({"$ref": "a%62", "$defs": {"d": {"$id": "a%62"}}}),
        json!({"$id": "http://json-schema.org/draft-07/x", "$ref": "schema", "$defs": {"d": {"$id": "http://a.example/schema"}}}),
    ] {
        assert_eq!(fault(&schema, &json!({"a": 1})).kind(), Kind::UnresolvedRef, "{schema}");
    }
    assert_eq!(fault(&json!({"$schema": url}), &json!({})).kind(), Kind::UnsupportedDialect);
    // The name is right, what it resolves to is elsewhere.
    let same_name = json!({"$defs": {"a": {"$id": "http://a.example/s"}}, "$ref": "http://b.example/s"});
    assert_eq!(fault(&same_name, &json!({})).kind(), Kind::UnresolvedRef);
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn jsc_12_references_within_the_schema_resolve_and_recursion_ends() {
    let tree =
        json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}});
    assert!(is_valid(&tree, &json!({"children": [{"children": []}, {}]})));
    assert!(!is_valid(&tree, &json!({"children": [{"children": [1]}]})));
    for (schema, good, bad) in [
        (json!({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"type": "string"}}}), json!(""), json!(1)),
        (json!({"$ref": "#x", "$defs": {"d": {"$anchor": "x", "type": "string"}}}), json!(""), json!(1)),
        (json!({"$ref": "item", "$defs": {"d": {"$id": "item", "type": "string"}}}), json!(""), json!(1)),
        (
            json!({"$id": "http://e.example/root", "$ref": "item#/$defs/x", "$defs": {"d": {"$id": "item", "$defs": {"x": {"type": "string"}}}}}),
            json!(""),
            json!(1),
        ),
        (
            json!({"$dynamicAnchor": "n", "type": "object", "properties": {"c": {"$dynamicRef": "#n"}}}),
            json!({"c": {"c": {}}}),
            json!({"c": {"c": 1}}),
        ),
        (
            json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "type": "object", "properties": {"c": {"$recursiveRef": "#"}}}),
            json!({"c": {}}),
            json!({"c": 1}),
        ),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#n", "definitions": {"n": {"$id": "#n", "type": "string"}}}),
            json!(""),
            json!(1),
        ),
    ] {
        assert!(is_valid(&schema, &good), "{schema}");
        assert!(!is_valid(&schema, &bad), "{schema}");
    }
    // Loops that never reach a value.
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}], "type": "string"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"anyOf": [{"$ref": "#/anyOf/1"}, {"$ref": "#/anyOf/0"}]}),
    ] {
        assert!(matches!(check(&schema, &json!("x")), Validation::Valid), "{schema}");
    }
}

#[test]
fn jsc_13_an_invalid_schema_is_a_fault_with_the_place() {
    for (schema, start) in [
        (json!({"type": "strin"}), "/type: "),
        (json!({"properties": {"a": {"minLength": -1}}}), "/properties/a/minLength: "),
        (json!({"properties": []}), "/properties: "),
        (json!({"required": "a"}), "/required: "),
        (json!([]), ": "),
        (json!("object"), ": "),
        (json!(null), ": "),
    ] {
        let fault = fault(&schema, &json!({}));
        assert_eq!(fault.kind(), Kind::InvalidSchema, "{schema}");
        assert!(fault.detail().starts_with(start), "{schema}: {}", fault.detail());
    }
}

#[test]
fn str_03_sch_05_any_schema_and_any_value() {
    for (schema, good, bad) in [
        (
            json!({"type": "array", "items": {"type": "object", "required": ["id"]}}),
            json!([{"id": "1"}]),
            json!([{}]),
        ),
        (json!({"type": "integer"}), json!(3), json!("3")),
        (json!({"type": "null"}), json!(null), json!(0)),
        (json!({"type": "boolean"}), json!(false), json!(null)),
        (json!({"type": "string"}), json!(""), json!(0)),
        (json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}), json!(0), json!(0.5)),
        (json!({"const": {"a": [1]}}), json!({"a": [1]}), json!({"a": [2]})),
    ] {
        assert!(is_valid(&schema, &good), "{schema}");
        assert!(!is_valid(&schema, &bad), "{schema}");
    }
    assert!(is_valid(&json!(true), &json!([])));
    assert!(!is_valid(&json!(false), &json!([])));
}

#[test]
fn str_02_str_04_violations_say_where_and_what_but_no_values() {
    let weather = json!({"type": "object", "required": ["celsius"], "additionalProperties": false,
        "properties": {"celsius": {"$ref": "#/$defs/t"}, "days": {"items": {"type": "string"}}}, "$defs": {"t": {"type": "number"}}});
    let Validation::Invalid(violations) =
        check(&weather, &json!({"celsius": "secret", "days": ["a", 17_171], "more": "hidden"}))
    else {
        panic!("must be invalid")
    };
    let seen: Vec<(&str, &str)> = violations.iter().map(|v| (v.instance_path(), v.schema_path())).collect();
    assert!(seen.contains(&("/celsius", "/$defs/t/type")), "{seen:?}");
    assert!(seen.contains(&("/days/1", "/properties/days/items/type")), "{seen:?}");
    assert!(seen.contains(&("", "/additionalProperties")), "{seen:?}");
    assert_eq!(violations.len(), 3);
    let shown = format!("{violations:?} {}", violations[0]);
    assert!(!shown.contains("secret") && !shown.contains("17171") && !shown.contains("hidden"), "{shown}");
    let message = violations.iter().find(|v| v.instance_path() == "/celsius").unwrap().message();
    assert_eq!(message, "the value is not of type \"number\"");
}

#[test]
fn violations_are_bounded_in_number_and_length() {
    let Validation::Invalid(violations) =
        check(&json!({"items": {"type": "string"}}), &json!(vec![0; 1_000]))
    else {
        panic!("must be invalid")
    };
    assert_eq!(violations.len(), MAX_VIOLATIONS);
    let name = format!("a\r\n{}", "b".repeat(10_000));
    let Validation::Invalid(violations) = check(&json!({"additionalProperties": false}), &json!({name: 1}))
    else {
        panic!("must be invalid")
    };
    assert!(violations[0].message().chars().count() < 270);
    assert!(!violations[0].message().contains('\n'));
    let options: Vec<String> = (0..9_000).map(|i| i.to_string()).collect();
    let Validation::Invalid(violations) = check(&json!({"enum": options}), &json!(1)) else {
        panic!("must be invalid")
    };
    assert!(violations[0].message().chars().count() < 270);
}

#[test]
fn str_08_numbers_compare_exactly_up_to_64_bits() {
    let exact = schema(&json!({"const": 9_007_199_254_740_993_u64}));
    assert_eq!(exact.validate(&text("9007199254740993")), Validation::Valid);
    assert!(matches!(exact.validate(&text("9007199254740992")), Validation::Invalid(_)));
    let unsigned = schema(&json!({"maximum": u64::MAX - 1}));
    assert_eq!(unsigned.validate(&text("18446744073709551614")), Validation::Valid);
    assert!(matches!(unsigned.validate(&text("18446744073709551615")), Validation::Invalid(_)));
    assert!(is_valid(&json!({"type": "integer"}), &json!(5.0)));
    // Beyond, a number is read as a double.
    let integer = schema(&json!({"type": "integer"}));
    assert_eq!(integer.validate(&text("123456789012345678901234567890")), Validation::Valid);
    assert_eq!(integer.validate(&text("1e999")).fault().unwrap().kind(), Kind::NumberOutOfRange);
    assert!(is_valid(&json!({"multipleOf": 0.01}), &json!(19.99)));
    assert!(matches!(
        check(&json!({"multipleOf": 1e-300}), &json!(1e300)),
        Validation::Valid | Validation::Invalid(_)
    ));
}

#[test]
fn formats_are_annotations() {
    assert!(is_valid(&json!({"format": "date-time"}), &json!("yesterday")));
    let seven = json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": "uri"});
    assert!(is_valid(&seven, &json!("not a uri")));
}

#[test]
fn jsc_11_sizes_and_depths_are_bounded() {
    let large = text(format!("{{\"description\":\"{}\"}}", "x".repeat(1 << 20)));
    let validation = OutputSchema::new(large).validate(&text("1"));
    assert_eq!(validation.fault().unwrap().kind(), Kind::SchemaTooLarge);

    let deep =
        |open: &str, close: &str, levels| text(format!("{}1{}", open.repeat(levels), close.repeat(levels)));
    for levels in [128, 50_000] {
        let validation = OutputSchema::new(deep("[", "]", levels)).validate(&text("1"));
        assert_eq!(validation.fault().unwrap().kind(), Kind::SchemaTooDeep);
    }
    let hundred_thousand = OutputSchema::new(text(format!(
        "{}{}",
        r#"{"not":"#.repeat(100_000),
        "1".to_owned() + &"}".repeat(100_000)
    )));
    assert_eq!(hundred_thousand.validate(&text("1")).fault().unwrap().kind(), Kind::SchemaTooDeep);
    let any = schema(&json!({"not": {"type": "object"}}));
    assert_eq!(any.validate(&deep("[", "]", 100_000)).fault().unwrap().kind(), Kind::ValueTooDeep);
    assert_eq!(any.validate(&deep("[", "]", 127)), Validation::Valid);
    assert_eq!(
        any.validate(&text(format!("\"{}\"", "x".repeat(4 << 20)))).fault().unwrap().kind(),
        Kind::ValueTooLarge
    );

    let wide = |count: usize| json!({"anyOf": (0..count).map(|i| json!({"const": i})).collect::<Vec<_>>()});
    assert!(is_valid(&wide(9_999), &json!(9_998)));
    assert_eq!(fault(&wide(10_000), &json!(0)).kind(), Kind::TooManySubschemas);
    // The same target many times is still many ways to it.
    let refs = json!({"$defs": {"a": true}, "allOf": (0..9_000).map(|_| json!({"$ref": "#/$defs/a"})).collect::<Vec<_>>()});
    assert!(is_valid(&refs, &json!(0)));
    let anchors: Vec<Value> = (0..1_000).map(|_| json!({"$dynamicAnchor": "a"})).collect();
    let uses: Vec<Value> = (0..1_000).map(|_| json!({"$dynamicRef": "#a"})).collect();
    assert_eq!(
        fault(&json!({"$defs": {"x": {"allOf": anchors}}, "allOf": uses}), &json!(0)).kind(),
        Kind::TooComplex
    );
}

#[test]
fn jsc_11_ladders_of_references_are_refused_before_they_run() {
    for (keyword, leaf) in [("allOf", json!(true)), ("oneOf", json!({"type": "string"}))] {
        let fault = fault(&ladder(60, keyword, &leaf), &json!("x"));
        assert_eq!(fault.kind(), Kind::TooMuchWork, "{keyword}");
    }
    // Small ones are checked.
    assert!(is_valid(&ladder(10, "allOf", &json!({"type": "string"})), &json!("x")));
    assert!(!is_valid(&ladder(10, "anyOf", &json!({"type": "string"})), &json!(1)));
}

#[test]
fn jsc_11_where_listing_would_explode_one_violation_stands_for_all() {
    // Yes or no is quick: the first branch says no. All violations would be half a million.
    let Validation::Invalid(violations) = check(&ladder(17, "allOf", &json!({"type": "string"})), &json!(1))
    else {
        panic!("must be invalid")
    };
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].message(), "it does not conform; there is too much to list");
}

#[test]
fn jsc_11_recursion_that_doubles_with_the_value_is_refused() {
    let doubling = json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
    assert!(is_valid(&doubling, &nested(10)));
    assert_eq!(fault(&doubling, &nested(60)).kind(), Kind::TooMuchWork);
    // All combinations of definitions that refer to each other.
    let mut defs = Map::new();
    for i in 0..16 {
        let all: Vec<Value> = (0..16).map(|j| json!({"$ref": format!("#/$defs/d{j}")})).collect();
        defs.insert(format!("d{i}"), json!({"allOf": all}));
    }
    assert_eq!(fault(&json!({"$defs": defs, "$ref": "#/$defs/d0"}), &json!(1)).kind(), Kind::TooMuchWork);
}

#[test]
fn jsc_11_unevaluated_does_not_explode_at_compile_time() {
    let mut schema = ladder(40, "allOf", &json!({"properties": {"a": true}}));
    schema["unevaluatedProperties"] = json!(false);
    assert_eq!(fault(&schema, &json!({"a": 1})).kind(), Kind::TooComplex);
    let mut schema = ladder(40, "anyOf", &json!(true));
    schema["unevaluatedItems"] = json!(false);
    assert_eq!(fault(&schema, &json!([1])).kind(), Kind::TooComplex);
    let ordinary = json!({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false});
    assert!(is_valid(&ordinary, &json!({"a": 1})));
    assert!(!is_valid(&ordinary, &json!({"b": 1})));
    // Each level asks what the one below has evaluated, and checks it as well.
    let mut inner = json!({"properties": {"a": true}});
    for _ in 0..50 {
        inner = json!({"allOf": [inner], "unevaluatedProperties": false});
    }
    assert_eq!(fault(&inner, &json!({"a": 1})).kind(), Kind::TooComplex);
    let mut inner = json!({"properties": {"a": true}});
    for _ in 0..30 {
        inner = json!({"allOf": [inner], "unevaluatedProperties": false});
    }
    assert_eq!(fault(&inner, &json!({"a": 1})).kind(), Kind::TooMuchWork);
}

#[test]
fn jsc_11_patterns_take_linear_time() {
    let long = "a".repeat(30_000);
    for pattern in ["^(a+)+$", "^(a|aa)+$", "(.*a){12}$", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let schema = json!({"pattern": pattern});
        assert!(!is_valid(&schema, &json!(format!("{long}!\n"))) || pattern.starts_with("(.*"), "{pattern}");
    }
    assert_eq!(fault(&json!({"pattern": "(a{1000}){1000}"}), &json!("")).kind(), Kind::UnsupportedPattern);
    assert_eq!(fault(&json!({"pattern": "^(?=x)"}), &json!("")).kind(), Kind::UnsupportedPattern);
    assert_eq!(
        fault(&json!({"patternProperties": {r"(a)\1": true}}), &json!({})).kind(),
        Kind::UnsupportedPattern
    );
    assert_eq!(fault(&json!({"pattern": "("}), &json!("")).kind(), Kind::UnsupportedPattern);
    let many: Vec<Value> =
        (0..20).map(|i| json!({"pattern": format!(r"\p{{L}}{{{}}}", 20 - i % 2)})).collect();
    assert_eq!(fault(&json!({"anyOf": many}), &json!("")).kind(), Kind::UnsupportedPattern);
    // Many states at once, on a long text: each byte is dear.
    let slow = json!({"pattern": "[01]*1[01]{2000}"});
    assert_eq!(fault(&slow, &json!("01".repeat(500_000))).kind(), Kind::TooMuchWork);
    assert!(!is_valid(&slow, &json!("01".repeat(500))));
    assert!(is_valid(&json!({"pattern": r"^\d{4}-\d\d$"}), &json!("2026-07")));
}

#[test]
fn jsc_11_long_arrays_are_compared_in_bounded_time() {
    let unique = json!({"uniqueItems": true});
    let numbers: Vec<Value> = (0..100_000).map(|i| json!(i)).collect();
    assert!(is_valid(&unique, &json!(numbers)));
    let objects: Vec<Value> = (0..10_000).map(|i| json!({"a": i, "b": [i]})).collect();
    assert!(is_valid(&unique, &json!(objects)));
    let half: Vec<f64> = (0..20_000).map(|i| f64::from(i) + 0.5).collect();
    assert!(is_valid(&unique, &json!(half)));
    // Each alternative compares all again.
    let many = json!({"allOf": vec![unique; 1_000]});
    assert_eq!(fault(&many, &json!(numbers)).kind(), Kind::TooMuchWork);
    // Many schemas on many elements.
    let each = json!({"items": {"anyOf": (0..5_000).map(|i| json!({"const": i})).collect::<Vec<_>>()}});
    assert_eq!(fault(&each, &json!(vec!["x"; 50_000])).kind(), Kind::TooMuchWork);
}

#[test]
fn jsc_11_checking_needs_little_stack() {
    // Chains of references as long as is let through, and the deepest values, on the stack of a small thread.
    let mut chain = Map::new();
    chain.insert("d0".into(), json!({"type": "string"}));
    for i in 1..=200 {
        let next = json!({"$ref": format!("#/$defs/d{}", i - 1)});
        chain.insert(format!("d{i}"), json!({"anyOf": [next, {"minLength": 1}]}));
    }
    let cases: Vec<(Value, Value)> = vec![
        (json!({"$defs": chain.clone(), "$ref": "#/$defs/d120"}), json!(1)),
        (json!({"$defs": chain, "$ref": "#/$defs/d200"}), json!(1)),
        (json!({"type": "object", "properties": {"a": {"$ref": "#"}}}), nested(80)),
        (json!({"type": "object", "properties": {"a": {"$ref": "#"}}}), nested(126)),
        (
            (0..60).fold(json!({"type": "string"}), |inner, _| json!({"properties": {"a": inner}})),
            nested(100),
        ),
        ((0..60).fold(json!({"type": "string"}), |inner, _| json!({"not": {"not": inner}})), json!(1)),
        ((0..41).fold(json!({"type": "string"}), |inner, _| json!({"anyOf": [inner]})), json!(1)),
    ];
    let run = move || {
        for (schema, value) in &cases {
            check(schema, value);
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_long_chain_is_refused_not_followed() {
    let mut defs = String::new();
    for i in 0..8_000 {
        write!(defs, r##""d{i}":{{"$ref":"#/$defs/d{}"}},"##, i + 1).unwrap();
    }
    let chain =
        OutputSchema::new(text(format!(r##"{{"$defs":{{{defs}"d8000":true}},"$ref":"#/$defs/d0"}}"##)));
    let run = move || chain.validate(&text("1"));
    let validation = std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
    assert_eq!(validation.fault().unwrap().kind(), Kind::TooMuchWork);
}

#[test]
fn ordinary_schemas_and_large_values_are_checked() {
    let row = json!({"type": "object", "required": ["id", "name"], "properties": {
        "id": {"type": "string", "pattern": "^[0-9a-f-]{36}$"}, "name": {"type": "string", "maxLength": 100},
        "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}}, "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}});
    let schema = json!({"type": "object", "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}}, "$defs": {"row": row}});
    let value = |id: &str| json!({"id": id, "name": "n".repeat(50), "tags": ["a", "c"], "size": null});
    let rows: Vec<Value> = (0..2_000).map(|_| value("01234567-89ab-cdef-0123-456789abcdef")).collect();
    assert!(is_valid(&schema, &json!({"rows": rows})));
    let rows: Vec<Value> = (0..100).map(|_| value("x")).collect();
    assert_eq!(check(&schema, &json!({"rows": rows})).violations().len(), MAX_VIOLATIONS);
}

#[test]
fn the_schema_is_compiled_once_and_shared() {
    let schema = schema(&json!({"type": "object"}));
    assert!(schema.0.checker.get().is_none());
    let clone = schema.clone();
    assert_eq!(clone.validate(&text("{}")), Validation::Valid);
    assert!(schema.0.checker.get().is_some() && schema.is_same(&clone));
    assert_eq!(format!("{schema:?}"), "OutputSchema(RawJson(object, 17 bytes))");
}

#[test]
fn a_schema_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<OutputSchema>();
}
