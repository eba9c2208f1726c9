//! What holds for all forms and answers.

use proptest::prelude::*;

use super::*;

/// A schema of the subset, sound or not.
fn schema() -> impl Strategy<Value = Value> {
    let length = || proptest::option::of(0..4_u64);
    let bound = || {
        proptest::option::of(prop_oneof![
            (-3..4_i64).prop_map(Value::from),
            (-3.0..4.0).prop_map(Value::from)
        ])
    };
    let choices = || proptest::sample::subsequence(vec!["", "a", "b", "c"], 0..=4);
    let set = |mut schema: Value, members: Vec<(&str, Option<Value>)>| {
        for (name, value) in members {
            if let Some(value) = value {
                schema[name] = value;
            }
        }
        schema
    };
    prop_oneof![
        (length(), length()).prop_map(move |(least, most)| {
            let members = vec![("minLength", least.map(Value::from)), ("maxLength", most.map(Value::from))];
            set(json!({ "type": "string" }), members)
        }),
        (any::<bool>(), bound(), bound()).prop_map(move |(whole, least, most)| {
            let kind = if whole { "integer" } else { "number" };
            set(json!({ "type": kind }), vec![("minimum", least), ("maximum", most)])
        }),
        Just(json!({ "type": "boolean" })),
        choices().prop_map(|values| json!({ "type": "string", "enum": values })),
        (choices(), length(), length()).prop_map(move |(values, least, most)| {
            let members = vec![("minItems", least.map(Value::from)), ("maxItems", most.map(Value::from))];
            set(json!({ "type": "array", "items": { "type": "string", "enum": values } }), members)
        }),
    ]
}

fn answer() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[ab]{0,4}".prop_map(Value::from),
        (-4..5_i64).prop_map(Value::from),
        (-4.0..5.0).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        proptest::collection::vec("[abcd]{0,1}", 0..4).prop_map(Value::from),
        Just(json!({})),
    ]
}

/// A form with a few fields and answers to some of them.
fn case() -> impl Strategy<Value = (ElicitForm, serde_json::Map<String, Value>)> {
    let field = (schema(), any::<bool>(), proptest::option::of(answer()));
    proptest::collection::vec(field, 0..5).prop_map(|fields| {
        let mut properties = serde_json::Map::new();
        let (mut required, mut answers) = (Vec::new(), serde_json::Map::new());
        for (at, (schema, needed, answer)) in fields.into_iter().enumerate() {
            let name = format!("f{at}");
            if needed {
                required.push(name.clone());
            }
            answers.extend(answer.map(|answer| (name.clone(), answer)));
            properties.insert(name, schema);
        }
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        (form_of(&schema), answers)
    })
}

/// What a page would send for an answer.
fn texts(answers: &serde_json::Map<String, Value>) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    for (name, value) in answers {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in values {
            entries.push((name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        }
    }
    entries
}

proptest! {
    /// What fits as values fits as texts, and is the same, except that what is empty may be left out.
    #[test]
    fn texts_and_values_give_the_same_answer((form, answers) in case()) {
        let Ok(filled) = form.fill(&answers) else { return Ok(()) };
        let is_empty = |value: &Value| value == "" || value.as_array().is_some_and(|list| {
            list.iter().any(|text| text == "")
        });
        prop_assume!(answers.values().all(|value| !is_empty(value) && !value.is_object()));
        let by_text = form.fill_text(texts(&answers)).unwrap();
        prop_assert_eq!(by_text, filled);
    }

    /// Whatever is typed, there is an answer that fits, or an error for each field at most.
    #[test]
    fn texts_become_an_answer_that_fits_or_errors((form, _) in case(), entries in proptest::collection::vec(("f[0-6]", ".{0,4}"), 0..8)) {
        match form.fill_text(entries) {
            Ok(answer) => form.validate(answer.content.as_ref().unwrap()).unwrap(),
            Err(errors) => {
                let mut fields: Vec<&str> = errors.iter().map(FieldError::field).collect();
                let count = fields.len();
                fields.sort_unstable();
                fields.dedup();
                prop_assert_eq!(fields.len(), count);
            }
        }
    }

    #[test]
    fn texts_are_never_changed(text in ".{1,20}") {
        let form = one(r#"{"type":"string"}"#);
        let answer = form.fill_text([("f", &text)]).unwrap();
        prop_assert_eq!(answer.content.unwrap().get_as::<String>("f").unwrap().unwrap(), text);
    }

    #[test]
    fn numbers_are_never_changed(text in "-?(0|[1-9][0-9]{0,30})([.][0-9]{1,30})?([eE][+-]?[0-9]{1,2})?") {
        let form = one(r#"{"type":"number"}"#);
        let answer = form.fill_text([("f", &text)]).unwrap();
        let content = answer.content.unwrap();
        prop_assert_eq!(content.get("f").unwrap().get(), text);
    }

    #[test]
    fn odd_numbers_are_refused_or_become_json(text in "[-+0-9.eE ]{0,8}") {
        let form = one(r#"{"type":"number"}"#);
        if let Ok(answer) = form.fill_text([("f", &text)]) {
            let value = answer.content.unwrap().get("f").map(|value| value.get().parse::<f64>().unwrap());
            prop_assert_eq!(value, text.trim().parse().ok());
        }
    }

    /// A validator of JSON Schema says the same of every form that does not contradict itself.
    #[cfg(feature = "schema")]
    #[test]
    fn a_json_schema_validator_agrees((form, answers) in case()) {
        prop_assume!(form.is_supported());
        let schema = crate::schema::OutputSchema::new(form.schema());
        let answers = RawJson::from_serialize(&answers).unwrap();
        let valid = schema.validate(&answers) == crate::schema::Validation::Valid;
        prop_assert_eq!(form.validate(&answers.parse().unwrap()).is_ok(), valid, "{} {}", form.schema().get(), answers.get());
    }
}
