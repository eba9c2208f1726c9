//! Results that are none of `tools/call`: where the fault is, and the answer as it came.

use mcp_client::{ToolOutcome, error::ProtocolFault};

use super::is_refused;
use crate::stage::{
    Canned, INPUT_REQUIRED, INVALID_TOOL_RESULT, SUCCESS, Stage, TOOL_ERROR, notes, response,
};

/// Whether a result has a `resultType`: its absence is noted, whatever else is wrong.
const NOTED: &[&str] = &["missing-result-type"];

async fn is_no_result(stage: &Stage, result: &str, path: &'static str, reason: &'static str, noted: &[&str]) {
    let fault = ProtocolFault::InvalidResult { reason: reason.into(), path: path.into() };
    is_refused(stage, &response(result), INVALID_TOOL_RESULT, &fault, noted).await;
}

#[tokio::test]
async fn c_09_a_result_must_be_an_object() {
    let stage = Stage::new().await;
    for result in ["null", "[]", "[{\"content\":[]}]", "\"content\"", "0", "1.5", "true", "false"] {
        is_no_result(&stage, result, "result", "it is not an object", &[]).await;
    }
}

#[tokio::test]
async fn c_12_other_result_types_are_no_result() {
    let stage = Stage::new().await;
    for value in [
        "\"\"",
        "\"Complete\"",
        "\"COMPLETE\"",
        "\"complete \"",
        "\"input-required\"",
        "\"task\"",
        "\"partial\"",
    ] {
        let result = format!(r#"{{"resultType":{value},"content":[]}}"#);
        let reason = "no declared extension owns this value";
        is_no_result(&stage, &result, "result.resultType", reason, &[]).await;
    }
    for value in ["null", "1", "true", "[\"complete\"]", "{}"] {
        let result = format!(r#"{{"resultType":{value},"content":[]}}"#);
        is_no_result(&stage, &result, "result.resultType", "it is not a string", &[]).await;
    }
}

#[tokio::test]
async fn c_13_content_must_be_a_list_and_structured_content_does_not_replace_it() {
    let stage = Stage::new().await;
    for result in [
        "{}",
        r#"{"structuredContent":{"n":1}}"#,
        r#"{"isError":true}"#,
        r#"{"Content":[]}"#,
        r#"{"contents":[]}"#,
    ] {
        is_no_result(&stage, result, "result.content", "it is missing", NOTED).await;
        let typed = result.replacen('{', r#"{"resultType":"complete","#, 1).replace(",}", "}");
        is_no_result(&stage, &typed, "result.content", "it is missing", &[]).await;
    }
    for content in ["null", "\"text\"", "{}", r#"{"type":"text","text":"t"}"#, "0", "true"] {
        let result = format!(r#"{{"resultType":"complete","content":{content},"structuredContent":{{}}}}"#);
        is_no_result(&stage, &result, "result.content", "it is not a list", &[]).await;
    }
}

#[tokio::test]
async fn c_14_is_error_must_be_a_boolean() {
    let stage = Stage::new().await;
    for value in ["null", "\"true\"", "\"\"", "0", "1", "[]", "{}", "[true]"] {
        let result = format!(r#"{{"resultType":"complete","content":[],"isError":{value}}}"#);
        is_no_result(&stage, &result, "result.isError", "it is not a boolean", &[]).await;
    }
}

#[tokio::test]
async fn c_15_is_error_decides_between_success_and_tool_error() {
    let stage = Stage::new().await;
    for (result, want) in [
        (r#"{"resultType":"complete","content":[]}"#, SUCCESS),
        (r#"{"resultType":"complete","content":[],"isError":false}"#, SUCCESS),
        (r#"{"resultType":"complete","content":[],"isError":true}"#, TOOL_ERROR),
        (r#"{"resultType":"complete","content":[],"isError": true }"#, TOOL_ERROR),
        (r#"{"resultType":"complete","content":[],"error":{"code":1,"message":"m"}}"#, SUCCESS),
        (r#"{"resultType":"complete","content":[{"type":"text","text":"Error: failed"}]}"#, SUCCESS),
        (r#"{"resultType":"complete","content":[],"iserror":true,"is_error":true}"#, SUCCESS),
        (r#"{"resultType":"complete","content":[],"structuredContent":{"isError":true}}"#, SUCCESS),
    ] {
        for reply in [Canned::result(result), Canned::sse(&[&response(result)])] {
            let outcome = stage.ends(&reply, want).await;
            assert_eq!(notes(&outcome), [""; 0], "{result}");
        }
    }
}

#[tokio::test]
async fn members_that_stand_twice_are_noted_and_the_last_one_wins() {
    let stage = Stage::new().await;
    for (result, want, name) in [
        (r#"{"resultType":"complete","content":[],"isError":true,"isError":false}"#, SUCCESS, "isError"),
        (r#"{"resultType":"complete","content":[],"isError":false,"isError":true}"#, TOOL_ERROR, "isError"),
        (r#"{"resultType":"complete","content":"x","content":[]}"#, SUCCESS, "content"),
        (r#"{"resultType":"x","content":[],"resultType":"complete"}"#, SUCCESS, "resultType"),
        (r#"{"resultType":"complete","content":[],"x":1,"x":2}"#, SUCCESS, "x"),
        (
            r#"{"resultType":"complete","content":[],"structuredContent":1,"structuredContent":2}"#,
            SUCCESS,
            "structuredContent",
        ),
        (
            r#"{"resultType":"input_required","requestState":"a","requestState":"b"}"#,
            INPUT_REQUIRED,
            "requestState",
        ),
    ] {
        for reply in [Canned::result(result), Canned::sse(&[&response(result)])] {
            let outcome = stage.ends(&reply, want).await;
            assert_eq!(notes(&outcome), [format!("duplicate-member:{name}")], "{result}");
            match outcome.unwrap() {
                ToolOutcome::Success(output) if name == "x" => {
                    assert_eq!(output.result().extra.get("x").unwrap().get(), "2");
                }
                ToolOutcome::Success(output) if name == "structuredContent" => {
                    assert_eq!(output.structured::<u8>().unwrap(), 2);
                }
                ToolOutcome::InputRequired(asked) => assert_eq!(asked.request_state().unwrap().as_str(), "b"),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn a_request_for_input_needs_something_to_go_on_with() {
    let stage = Stage::new().await;
    let reason = "it asks for input and has neither `inputRequests` nor `requestState`";
    for members in [
        "",
        r#","inputRequests":{}"#,
        r#","inputRequests":null"#,
        r#","requestState":null"#,
        r#","inputRequests":{},"requestState":null"#,
        r#","content":[]"#,
        r#","InputRequests":{"k":{"method":"roots/list"}}"#,
    ] {
        is_no_result(
            &stage,
            &format!(r#"{{"resultType":"input_required"{members}}}"#),
            "result",
            reason,
            &[],
        )
        .await;
    }
    for (members, path, reason) in [
        (r#""inputRequests":[]"#, "result.inputRequests", "it is not an object"),
        (r#""inputRequests":"x","requestState":"s""#, "result.inputRequests", "it is not an object"),
        (r#""inputRequests":false"#, "result.inputRequests", "it is not an object"),
        (r#""requestState":1"#, "result.requestState", "it is not a string"),
        (r#""requestState":{}"#, "result.requestState", "it is not a string"),
        (
            r#""inputRequests":{"k":{"method":"roots/list"}},"requestState":["s"]"#,
            "result.requestState",
            "it is not a string",
        ),
    ] {
        let result = format!(r#"{{"resultType":"input_required",{members}}}"#);
        is_no_result(&stage, &result, path, reason, &[]).await;
    }
    // An empty state is a state.
    let outcome = stage
        .ends(&Canned::result(r#"{"resultType":"input_required","requestState":""}"#), INPUT_REQUIRED)
        .await;
    let ToolOutcome::InputRequired(asked) = outcome.unwrap() else { panic!("a request for input") };
    assert_eq!(asked.request_state().unwrap().as_str(), "");
}

/// More than memory should pay for: quickly refused, and the client is as good as before.
#[tokio::test]
async fn floods_of_blocks_and_members_are_refused() {
    let stage = Stage::new().await;
    let blocks = format!(r#"{{"resultType":"complete","content":[{}0]}}"#, "0,".repeat(65_536));
    let reply = Canned::result(&blocks);
    let error = crate::stage::protocol_error(stage.ends(&reply, INVALID_TOOL_RESULT).await);
    assert_eq!(error.path(), Some("result.content"));
    let members = format!(r#"{{"resultType":"complete","content":[]{}}}"#, r#","":0"#.repeat(65_536));
    let reply = Canned::result(&members);
    let error = crate::stage::protocol_error(stage.ends(&reply, INVALID_TOOL_RESULT).await);
    assert_eq!(error.path(), Some("result"));
    let most = format!(r#"{{"resultType":"complete","content":[{}0]}}"#, "0,".repeat(65_535));
    stage.assert_ends(&Canned::result(&most), SUCCESS).await;
}
