//! Structured content against the tool's output schema.

use mcp_client::{
    CallError, NotSuccess, SchemaFaultKind, ToolOutcome, ToolOutput, Validation,
    types::{RawJson, Tool},
};
use serde_json::{Value, json};

use crate::stage::{Canned, Stage};

/// A tool that promises structured content of this schema.
fn tool(schema: Value) -> Tool {
    Tool::new("x", RawJson::from(json!({ "type": "object" }))).with_output_schema(RawJson::from(schema))
}

fn promise() -> Value {
    json!({ "type": "object", "properties": { "data": { "type": "integer" } }, "required": ["data"], "additionalProperties": false })
}

/// Calls the tool, which answers with this result.
async fn call(stage: &Stage, schema: Option<Value>, result: &str) -> ToolOutcome {
    stage.answers(&Canned::result(result));
    let mut call = stage.client.call_tool("x");
    if let Some(schema) = schema {
        call = call.tool(&tool(schema));
    }
    call.send().await.unwrap()
}

async fn success(stage: &Stage, schema: Option<Value>, result: &str) -> ToolOutput {
    call(stage, schema, result).await.into_success().unwrap()
}

#[tokio::test]
async fn str_02_str_04_a_success_that_breaks_the_schema_is_a_success_with_violations() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}],"structuredContent":{"data":"7","more":1}}"#;
    let output = success(&stage, Some(promise()), result).await;
    assert_eq!(output.text(), "done");
    let violations = output.schema_violations();
    let places: Vec<_> = violations.iter().map(mcp_client::SchemaViolation::instance_path).collect();
    assert!(places.contains(&"/data") && places.contains(&""), "{violations:?}");
    assert_eq!(output.validation().unwrap().violations(), violations);
    assert_eq!(output.structured_raw().unwrap().get(), r#"{"data":"7","more":1}"#);

    let fine = r#"{"resultType":"complete","content":[],"structuredContent":{"data":7}}"#;
    let output = success(&stage, Some(promise()), fine).await;
    assert_eq!(output.validation(), Some(Validation::Valid));
    assert_eq!(output.schema_violations(), []);
}

#[tokio::test]
async fn str_04_missing_structured_content_breaks_every_schema_and_the_result_is_kept() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[{"type":"text","text":"{\"data\":7}"}]}"#;
    let output = success(&stage, Some(json!(true)), result).await;
    assert_eq!(output.text(), r#"{"data":7}"#);
    let violations = output.schema_violations();
    assert_eq!(violations.len(), 1);
    assert!(violations[0].message().contains("no structured content"), "{violations:?}");
}

#[tokio::test]
async fn str_05_field_sch_01_a_tool_error_is_not_checked_and_reaches_the_model() {
    let stage = Stage::new().await;
    for structured in [r#","structuredContent":{"error":{"code":"E"}}"#, ""] {
        let result = format!(
            r#"{{"resultType":"complete","isError":true,"content":[{{"type":"text","text":"needs write scope"}}]{structured}}}"#
        );
        let ToolOutcome::ToolError(output) = call(&stage, Some(promise()), &result).await else {
            panic!("no tool error");
        };
        assert_eq!(output.validation(), None);
        assert_eq!(output.schema_violations(), []);
        assert!(output.for_model().contains("needs write scope"));
        assert_eq!(output.structured_raw().is_some(), !structured.is_empty());
    }
}

#[tokio::test]
async fn field_sch_03_a_schema_in_another_dialect_never_stops_a_call() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[],"structuredContent":{"data":7}}"#;
    let mut draft_07 = promise();
    draft_07["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    let output = success(&stage, Some(draft_07), result).await;
    assert_eq!(output.validation(), Some(Validation::Valid));

    let mut unknown = promise();
    unknown["$schema"] = json!("https://example.com/dialect");
    let output = success(&stage, Some(unknown), result).await;
    let validation = output.validation().unwrap();
    let fault = validation.fault().unwrap();
    assert_eq!(fault.kind(), SchemaFaultKind::UnsupportedDialect);
    assert!(fault.to_string().contains("https://example.com/dialect"), "{fault}");
    assert_eq!(output.schema_violations(), [], "not checked is not broken");
}

#[tokio::test]
async fn str_01_str_03_field_sch_05_any_json_value_is_checked_and_null_is_one() {
    let stage = Stage::new().await;
    for (schema, value) in [
        (json!({ "type": "array" }), r#"[{"id":"1"}]"#),
        (json!({ "type": "integer" }), "3"),
        (json!({ "type": "integer" }), "0"),
        (json!({ "type": "null" }), "null"),
        (json!({ "type": "boolean" }), "false"),
        (json!({ "type": "string" }), "\"\""),
        (json!({ "anyOf": [{ "type": "number" }] }), "1.50"),
    ] {
        let result = format!(r#"{{"resultType":"complete","content":[],"structuredContent":{value}}}"#);
        let output = success(&stage, Some(schema.clone()), &result).await;
        assert_eq!(output.validation(), Some(Validation::Valid), "{schema} {value}");
        assert_eq!(output.structured_raw().map(RawJson::get), Some(value));
        let wrong = success(&stage, Some(json!({ "not": schema })), &result).await;
        assert_eq!(wrong.schema_violations().len(), 1, "{schema} {value}");
    }
    let absent = success(&stage, None, r#"{"resultType":"complete","content":[]}"#).await;
    assert!(absent.structured_raw().is_none());
}

#[tokio::test]
async fn str_06_field_sch_06_text_and_structure_are_both_given_and_neither_twice() {
    let stage = Stage::new().await;
    let both = r#"{"resultType":"complete","content":[{"type":"text","text":"Working on it"}],"structuredContent":{"status":"completed","result":42}}"#;
    let output = success(&stage, None, both).await;
    assert_eq!(output.for_model(), "Working on it\n{\"status\":\"completed\",\"result\":42}");
    let repeated = r#"{"resultType":"complete","content":[{"type":"text","text":"{ \"a\": 1 }"}],"structuredContent":{"a":1}}"#;
    assert_eq!(success(&stage, None, repeated).await.for_model(), "{ \"a\": 1 }");
}

#[tokio::test]
async fn str_07_a_tool_that_was_never_listed_is_not_checked() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[],"structuredContent":{"anything":1}}"#;
    let output = success(&stage, None, result).await;
    assert_eq!(output.validation(), None);
    assert_eq!(output.structured::<Value>().unwrap(), json!({ "anything": 1 }));

    stage.client.learn_tools([&tool(promise())]);
    let output = success(&stage, None, result).await;
    assert!(!output.schema_violations().is_empty(), "it is known now");

    let list = json!({ "resultType": "complete", "tools": [tool(json!({ "required": ["anything"] }))] });
    stage.answers(&Canned::result(&list.to_string()));
    stage.client.list_tools().send().await.unwrap();
    let output = success(&stage, None, result).await;
    assert_eq!(output.validation(), Some(Validation::Valid), "the list replaces what was learnt");
}

#[tokio::test]
async fn field_sch_08_a_mismatch_is_local_carries_the_result_and_says_that_the_work_is_done() {
    #[derive(Debug, serde::Deserialize)]
    struct Data {
        #[expect(dead_code, reason = "only its type matters")]
        data: i64,
    }
    let stage = Stage::new().await;
    stage.client.learn_tools([&tool(promise())]);
    let result = r#"{"resultType":"complete","content":[{"type":"text","text":"sent"}],"structuredContent":{"data":7,"extra":true}}"#;
    stage.answers(&Canned::result(result));
    // It fits the user's type; it breaks what the tool promises.
    let error = stage.client.call_tool("x").send_typed::<Data>().await.unwrap_err();
    let NotSuccess::Mismatch(output, why) = &error else { panic!("{error:?}") };
    assert_eq!((output.text().as_ref(), why.is_missing()), ("sent", false));
    assert_eq!(why.violations().len(), 1);
    assert!(why.to_string().starts_with("the structured content breaks the output schema"), "{why}");
    assert_eq!(output.record().delivery, mcp_client::Delivery::Answered);
    assert_eq!(output.record().error_code, None);
    assert_eq!(output.record().post_count(), 1);

    stage.answers(&Canned::result(r#"{"resultType":"complete","content":[]}"#));
    let error = stage.client.call_tool("x").send_typed::<Data>().await.unwrap_err();
    assert!(matches!(&error, NotSuccess::Mismatch(_, why) if why.is_missing()), "{error:?}");
}

#[tokio::test]
async fn a_broken_or_hostile_schema_costs_its_own_tool_nothing_but_the_check() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[],"structuredContent":{"data":7}}"#;
    for (schema, kind) in [
        (json!({ "type": 7 }), SchemaFaultKind::InvalidSchema),
        (json!({ "$ref": "http://127.0.0.1:1/schema" }), SchemaFaultKind::UnresolvedRef),
        (json!({ "$ref": "file:///etc/passwd" }), SchemaFaultKind::UnresolvedRef),
        (json!({ "pattern": "(?=a)" }), SchemaFaultKind::UnsupportedPattern),
    ] {
        let output = success(&stage, Some(schema.clone()), result).await;
        let validation = output.validation().unwrap();
        assert_eq!(validation.fault().map(mcp_client::SchemaFault::kind), Some(kind), "{schema}");
        let typed: Value = {
            stage.answers(&Canned::result(result));
            stage.client.call_tool("x").tool(&tool(schema)).send_typed().await.unwrap()
        };
        assert_eq!(typed, json!({ "data": 7 }));
    }
}

#[tokio::test]
async fn a_call_that_failed_has_nothing_to_check() {
    let stage = Stage::new().await;
    stage.client.learn_tools([&tool(promise())]);
    stage.answers(&Canned::new(500, "text/plain", "no"));
    let error = stage.client.call_tool("x").send_typed::<Value>().await.unwrap_err();
    assert!(matches!(error, NotSuccess::Call(CallError::Http(_))));
}
