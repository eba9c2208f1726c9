//! What is a setting is tested both ways.

use mcp_client::ToolOutcome;

use crate::stage::{
    Canned, INVALID_TOOL_RESULT, SUCCESS, Stage, TOOL_ERROR, notes, protocol_error, response,
};

async fn strict() -> Stage {
    Stage::with(|builder| builder.strict_results(true)).await
}

async fn lenient() -> Stage {
    Stage::with(|builder| builder.lenient_results(true)).await
}

fn both(result: &str) -> [Canned; 2] {
    let body = response(result);
    [Canned::json(body.as_str()), Canned::sse(&[&body])]
}

#[tokio::test]
async fn c_10_an_absent_result_type_is_complete_and_noted_or_strictly_an_error() {
    let (default, strict) = (Stage::new().await, strict().await);
    for (result, want) in [
        (r#"{"content":[]}"#, SUCCESS),
        (r#"{"content":[],"isError":false}"#, SUCCESS),
        (r#"{"content":[],"isError":true}"#, TOOL_ERROR),
        // What belongs to a request for input asks for nothing in a complete result.
        (r#"{"content":[],"inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}"#, SUCCESS),
    ] {
        for reply in both(result) {
            let outcome = default.ends(&reply, want).await;
            assert_eq!(notes(&outcome), ["missing-result-type"], "{result}");
            let Ok(ToolOutcome::Success(output) | ToolOutcome::ToolError(output)) = outcome else {
                panic!("complete")
            };
            assert_eq!(output.result().result_type, None, "what was not said is not made up");

            strict.answers(&reply);
            let error = protocol_error(strict.client.call_tool("x").send().await);
            assert_eq!(error.path(), Some("result.resultType"), "{result}");
            assert_eq!(error.to_string(), "the result is invalid at `result.resultType`: it is missing");
        }
    }
}

#[tokio::test]
async fn strictness_asks_for_nothing_else() {
    let strict = strict().await;
    for reply in
        both(r#"{"resultType":"complete","content":[{"type":"vendor/x"}],"structuredContent":null,"x":1}"#)
    {
        strict.assert_ends(&reply, SUCCESS).await;
    }
}

#[tokio::test]
async fn a_missing_content_beside_structured_content_is_an_error_or_leniently_empty() {
    let (default, lenient) = (Stage::new().await, lenient().await);
    for structured in ["{}", "null", "[1]", "0"] {
        let result = format!(r#"{{"resultType":"complete","structuredContent":{structured}}}"#);
        for reply in both(&result) {
            let error = protocol_error(default.ends(&reply, INVALID_TOOL_RESULT).await);
            assert_eq!(error.path(), Some("result.content"), "{result}");

            let outcome = lenient.ends(&reply, SUCCESS).await;
            assert_eq!(notes(&outcome), ["missing-content"], "{result}");
            let ToolOutcome::Success(output) = outcome.unwrap() else { panic!("a success") };
            assert_eq!((output.content().len(), output.text().as_ref()), (0, ""));
            assert_eq!(output.structured_raw().unwrap().get(), structured);
            assert_eq!(output.for_model(), structured);
        }
    }
    for reply in both(r#"{"resultType":"complete","structuredContent":{"n":1},"isError":true}"#) {
        let outcome = lenient.ends(&reply, TOOL_ERROR).await;
        assert_eq!(notes(&outcome), ["missing-content"]);
    }
}

#[tokio::test]
async fn a_null_is_error_is_an_error_or_leniently_absent() {
    let (default, lenient) = (Stage::new().await, lenient().await);
    for reply in both(r#"{"resultType":"complete","content":[],"isError":null}"#) {
        let error = protocol_error(default.ends(&reply, INVALID_TOOL_RESULT).await);
        assert_eq!(error.path(), Some("result.isError"));
        let outcome = lenient.ends(&reply, SUCCESS).await;
        assert_eq!(notes(&outcome), ["null-is-error"]);
    }
}

/// Lenient is not blind: what a result means must still be certain.
#[tokio::test]
async fn leniency_has_its_limits() {
    let lenient = lenient().await;
    for (result, path) in [
        (r#"{"resultType":"complete"}"#, "result.content"),
        (r#"{"resultType":"complete","content":null,"structuredContent":{}}"#, "result.content"),
        (r#"{"resultType":"complete","content":{},"structuredContent":{}}"#, "result.content"),
        (r#"{"resultType":"complete","content":"text"}"#, "result.content"),
        (r#"{"resultType":"complete","content":[],"isError":"true"}"#, "result.isError"),
        (r#"{"resultType":"complete","content":[],"isError":0}"#, "result.isError"),
        (r#"{"resultType":null,"content":[]}"#, "result.resultType"),
        (r#"{"resultType":"other","content":[]}"#, "result.resultType"),
        ("null", "result"),
    ] {
        for reply in both(result) {
            let error = protocol_error(lenient.ends(&reply, INVALID_TOOL_RESULT).await);
            assert_eq!(error.path(), Some(path), "{result}");
        }
    }
}
