//! Structured content: exact, and not the same as none when it is null.

use std::collections::BTreeMap;

use mcp_client::{Delivery, NotSuccess, OutcomeKind, StructuredError};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::outputs;
use crate::stage::{Canned, Stage, response};

fn with_structured(structured: &str) -> String {
    format!(r#"{{"resultType":"complete","content":[],"structuredContent":{structured}}}"#)
}

#[tokio::test]
async fn structured_content_is_any_json_and_stays_as_it_came() {
    let stage = Stage::new().await;
    for structured in [
        "null",
        "true",
        "0",
        "-0.0",
        "0.10",
        "1e400",
        "12345678901234567890123456789",
        "\"text\"",
        r#""\u0041\/""#,
        "[]",
        "{}",
        r#"{"b":1,"a":2,"b":3}"#,
        r#"{ "n" : [ 1.0 , 2 ] }"#,
        r#"{"content":"x","isError":true}"#,
    ] {
        for output in
            outputs(&stage, &with_structured(structured).replace("\"isError\":true", "\"isError\": true"))
                .await
        {
            let sent = structured.replace("\"isError\":true", "\"isError\": true");
            assert_eq!(output.structured_raw().unwrap().get(), sent);
            assert!(!output.is_error(), "only the result's own `isError` counts");
            assert_eq!(output.text(), "");
        }
    }
    for output in outputs(&stage, r#"{"resultType":"complete","content":[]}"#).await {
        assert!(output.structured_raw().is_none());
        let error: StructuredError = output.structured::<Value>().unwrap_err();
        assert!(error.is_missing());
        assert_eq!(error.to_string(), "the result has no structured content");
        assert!(std::error::Error::source(&error).is_none());
    }
}

#[derive(Debug, PartialEq, Deserialize)]
struct Reading {
    big: u128,
    signed: i64,
    decimal: Box<RawValueText>,
    #[serde(default)]
    note: Option<String>,
}

/// The digits of a number as they came.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct RawValueText(Box<RawValue>);

impl PartialEq for RawValueText {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

#[tokio::test]
async fn numbers_stay_exact() {
    let stage = Stage::new().await;
    let text =
        r#"{"big":12345678901234567890123456789,"signed":-9223372036854775808,"decimal":0.1000,"note":null}"#;
    let decimal = Box::new(RawValueText(RawValue::from_string("0.1000".to_owned()).unwrap()));
    let expected =
        Reading { big: 12_345_678_901_234_567_890_123_456_789, signed: i64::MIN, decimal, note: None };
    for output in outputs(&stage, &with_structured(text)).await {
        assert_eq!(output.structured::<Reading>().unwrap(), expected);
    }
    for output in outputs(&stage, &with_structured("9007199254740993")).await {
        assert_eq!(
            output.structured::<u64>().unwrap(),
            9_007_199_254_740_993,
            "beyond what a double can hold"
        );
    }
}

#[tokio::test]
async fn null_is_a_value_and_absent_is_none() {
    let stage = Stage::new().await;
    for output in outputs(&stage, &with_structured("null")).await {
        assert_eq!(output.structured::<Option<u8>>().unwrap(), None);
        output.structured::<()>().unwrap();
        let error = output.structured::<u8>().unwrap_err();
        assert!(!error.is_missing(), "there is some, of another type");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_told_and_kept() {
    let stage = Stage::new().await;
    for output in outputs(&stage, &with_structured(r#"{"n":"many"}"#)).await {
        let error = output.structured::<BTreeMap<String, u8>>().unwrap_err();
        assert!(!error.is_missing());
        assert_eq!(error.to_string(), "the structured content does not fit the type that was asked for");
        assert!(std::error::Error::source(&error).is_some(), "the reason lies beneath");
        assert_eq!(output.structured_raw().unwrap().get(), r#"{"n":"many"}"#);
        assert_eq!(output.structured::<BTreeMap<String, String>>().unwrap()["n"], "many");
    }
}

#[tokio::test]
async fn both_are_exposed_of_a_tool_error_with_structured_content() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[{"type":"text","text":"no"}],"structuredContent":{"why":1},"isError":true}"#;
    for output in outputs(&stage, result).await {
        assert!(output.is_error());
        assert_eq!(output.text(), "no");
        assert_eq!(output.structured::<BTreeMap<String, u8>>().unwrap()["why"], 1);
    }
}

#[tokio::test]
async fn send_typed_gives_the_value_and_nothing_else() {
    let stage = Stage::new().await;
    let body = response(&with_structured(r#"{"a":1}"#));
    for reply in [Canned::json(body.as_str()), Canned::sse(&[&body])] {
        stage.answers(&reply);
        let value: BTreeMap<String, u8> = stage.client.call_tool("x").send_typed().await.unwrap();
        assert_eq!(value["a"], 1);
    }
    assert_eq!(stage.count(), 2);
}

/// The work was done: the whole output is kept, and it is an error of no layer.
#[tokio::test]
async fn send_typed_keeps_the_output_of_a_mismatch() {
    let stage = Stage::new().await;
    let missing = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}]}"#;
    let other =
        r#"{"resultType":"complete","content":[{"type":"text","text":"done"}],"structuredContent":[1]}"#;
    for (result, is_missing) in [(missing, true), (other, false)] {
        stage.answers(&Canned::result(result));
        let error = stage.client.call_tool("x").send_typed::<BTreeMap<String, u8>>().await.unwrap_err();
        let NotSuccess::Mismatch(output, why) = error else { panic!("a mismatch: {error:?}") };
        assert_eq!(output.text(), "done");
        assert_eq!(why.is_missing(), is_missing);
        let record = output.record();
        assert_eq!((record.outcome, record.delivery), (OutcomeKind::ToolSuccess, Delivery::Answered));
        assert_eq!(record.error_code, None);
    }
    assert_eq!(stage.count(), 2);
}

#[tokio::test]
async fn send_typed_tells_apart_why_there_is_no_value() {
    let stage = Stage::new().await;
    let result = r#"{"resultType":"complete","content":[{"type":"text","text":"no"}],"structuredContent":1,"isError":true}"#;
    stage.answers(&Canned::result(result));
    let error = stage.client.call_tool("x").send_typed::<u8>().await.unwrap_err();
    assert_eq!(error.to_string(), "the tool reported an error");
    assert!(matches!(error, NotSuccess::ToolError(output) if output.text() == "no"));

    stage.answers(&Canned::result(r#"{"resultType":"input_required","requestState":"s"}"#));
    let error = stage.client.call_tool("x").send_typed::<u8>().await.unwrap_err();
    assert_eq!(error.to_string(), "the tool needs input before it can finish");
    let NotSuccess::InputRequired(asked) = error else { panic!("a request for input: {error:?}") };
    assert_eq!(asked.request_state().unwrap().as_str(), "s");

    stage.answers(&Canned::new(503, "", ""));
    let error = stage.client.call_tool("x").send_typed::<u8>().await.unwrap_err();
    let NotSuccess::Call(error) = error else { panic!("a failed call: {error:?}") };
    assert_eq!(error.http_status(), Some(503));
    assert_eq!(stage.count(), 3);
}
