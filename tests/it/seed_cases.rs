//! The eleven cases of the classifier, each with its answer and its POSTs; and where all its points are proven.

mod points;

use mcp_client::{
    Client, Delivery, ToolOutcome,
    error::{EnvelopeFault, ProtocolFault},
};
use mcp_tests::{Ending as PostEnding, Kitchen};
use serde_json::{Value, json};

use crate::stage::{
    Canned, INPUT_REQUIRED, INVALID_ENVELOPE, INVALID_TOOL_RESULT, JSONRPC_ERROR, MALFORMED_JSON,
    STREAM_INCOMPLETE, SUCCESS, Stage, TOOL_ERROR, assert_ending, failed, http_error, notes, protocol_error,
    response,
};
use crate::support::record;

const RUN: &str = "run_configured_test_scenario";

async fn kitchen(scenario: &str, params: Value) -> (Kitchen, Client) {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch(scenario, params).unwrap();
    let client = crate::support::client(&kitchen.url());
    (kitchen, client)
}

/// The whole log of the Kitchen: a `tools/call` each, with this id and this status, and nothing else.
fn assert_log(kitchen: &Kitchen, expected: &[(i64, u16)]) {
    let posts = kitchen.posts();
    let seen: Vec<_> = posts.iter().map(|post| (post.id.clone().unwrap(), post.status.unwrap())).collect();
    let expected: Vec<_> = expected.iter().map(|(id, status)| (json!(id), *status)).collect();
    assert_eq!(seen, expected);
    for post in &posts {
        assert_eq!(post.method.as_deref(), Some("tools/call"));
        assert_eq!(post.at("/params/name"), Some(&json!(RUN)));
        assert_eq!(post.header("mcp-name"), Some(RUN));
        assert_eq!(post.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(post.ending, PostEnding::Answered);
    }
    assert!(kitchen.other_requests().is_empty());
}

#[tokio::test]
async fn c_16_baseline_is_a_success() {
    let (kitchen, client) = kitchen("baseline", Value::Null).await;
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, SUCCESS, &[200], &"baseline");
    let ToolOutcome::Success(output) = outcome.unwrap() else { panic!("a success") };
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!(said, json!({ "scenarioId": "baseline", "invocation": 1, "delayMs": 0 }));
    assert_log(&kitchen, &[(1, 200)]);
}

/// A 503 is told to the caller after one POST; the second POST is the caller's own.
#[tokio::test]
async fn c_17_503_then_200_are_two_calls() {
    let (kitchen, client) =
        kitchen("errors.http_status_sequence", json!({ "statusCodes": [503, 200] })).await;
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, http_error(Delivery::Unknown), &[503], &"first");
    assert_log(&kitchen, &[(1, 503)]);
    assert_eq!(failed(outcome).retry_after(), None);
    assert_eq!(kitchen.executions(RUN), 0);
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, SUCCESS, &[200], &"second");
    assert_log(&kitchen, &[(1, 503), (2, 200)]);
    assert_eq!(kitchen.executions(RUN), 1);
}

#[tokio::test]
async fn c_18_200_with_an_error_object_is_a_json_rpc_error() {
    let (kitchen, client) = kitchen("errors.jsonrpc_error", Value::Null).await;
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, JSONRPC_ERROR, &[200], &"jsonrpc_error");
    let error = failed(outcome);
    assert_eq!((error.rpc_code(), error.rpc_message()), (Some(-32602), Some("Invalid params")));
    assert!(error.rpc_data().is_none());
    assert_log(&kitchen, &[(1, 200)]);
    assert_eq!(kitchen.executions(RUN), 0);
}

#[tokio::test]
async fn c_19_200_with_is_error_is_a_tool_error() {
    let (kitchen, client) = kitchen("errors.tool_error", Value::Null).await;
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, TOOL_ERROR, &[200], &"tool_error");
    let ToolOutcome::ToolError(output) = outcome.unwrap() else { panic!("a tool error") };
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!(said["errorMessage"], "Tool-side failure");
    assert_log(&kitchen, &[(1, 200)]);
}

#[tokio::test]
async fn c_20_500_with_a_success_in_its_body_is_an_http_error() {
    let (kitchen, client) = kitchen("errors.non_compliant_envelope", json!({ "httpStatus": 500 })).await;
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, http_error(Delivery::Unknown), &[500], &"non_compliant_envelope");
    let error = failed(outcome);
    let mcp_client::CallError::Http(http) = &error else { panic!("an HTTP error") };
    let body: Value = serde_json::from_slice(http.body()).unwrap();
    assert_eq!(body["result"]["content"][0]["text"], "ok", "it looks like a success");
    assert_eq!((body["id"].clone(), error.rpc_code()), (json!(1), None));
    assert_log(&kitchen, &[(1, 500)]);
}

/// The cases that no scenario plays, with the bodies that the classifier names: one POST each.
async fn one_post(body: &str, want: crate::stage::Ending) -> Result<ToolOutcome, mcp_client::CallError> {
    let stage = Stage::new().await;
    let outcome = stage.call(&Canned::json(body)).await;
    assert_ending(&outcome, want, &[200], &body);
    assert_eq!(stage.count(), 1);
    crate::stage::assert_tool_call(&stage.post(0), "x", &1.into());
    outcome
}

#[tokio::test]
async fn c_21_an_unclosed_brace_is_malformed_json() {
    let error = protocol_error(one_post("{unclosed", MALFORMED_JSON).await);
    assert_eq!((error.fault(), error.raw()), (&ProtocolFault::MalformedJson, &b"{unclosed"[..]));
}

#[tokio::test]
async fn c_22_result_and_error_are_an_invalid_envelope() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":-32603,"message":"m"}}"#;
    let error = protocol_error(one_post(body, INVALID_ENVELOPE).await);
    assert_eq!(error.fault(), &ProtocolFault::InvalidEnvelope(EnvelopeFault::ResultAndError));
}

#[tokio::test]
async fn c_23_the_id_of_another_request_is_an_invalid_envelope() {
    let body = r#"{"jsonrpc":"2.0","id":99,"result":{"resultType":"complete","content":[]}}"#;
    let error = protocol_error(one_post(body, INVALID_ENVELOPE).await);
    assert_eq!(error.fault(), &ProtocolFault::InvalidEnvelope(EnvelopeFault::ForeignId));
}

#[tokio::test]
async fn c_24_input_requests_without_a_state_are_a_request_for_input() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"approve":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}}}}"#;
    let outcome = one_post(body, INPUT_REQUIRED).await;
    let Ok(ToolOutcome::InputRequired(asked)) = outcome else { panic!("a request for input") };
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["approve"]);
    assert!(asked.request_state().is_none());
}

#[tokio::test]
async fn c_25_without_a_result_type_it_is_a_success() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}"#;
    let outcome = one_post(body, SUCCESS).await;
    assert_eq!(notes(&outcome), ["missing-result-type"]);
    assert_eq!(outcome.unwrap().into_success().unwrap().text(), "ok");
}

#[tokio::test]
async fn c_26_a_string_as_content_is_an_invalid_tool_result() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":"ok"}}"#;
    let error = protocol_error(one_post(body, INVALID_TOOL_RESULT).await);
    assert_eq!(error.path(), Some("result.content"));
    assert_eq!(error.raw(), body.as_bytes());
}

/// The malformed payloads of the Kitchen: forged JSON where the same server else streams.
#[tokio::test]
async fn malformed_payloads_of_the_kitchen() {
    for (kind, want) in [
        ("invalid_json", MALFORMED_JSON),
        ("wrong_id", INVALID_ENVELOPE),
        ("missing_jsonrpc", INVALID_ENVELOPE),
        ("duplicate_response", MALFORMED_JSON),
    ] {
        let (kitchen, client) = kitchen("errors.malformed_payload", json!({ "kind": kind })).await;
        let outcome = client.call_tool(RUN).send().await;
        assert_ending(&outcome, want, &[200], &kind);
        let after = client.call_tool(RUN).send().await;
        assert_ending(&after, SUCCESS, &[200], &kind);
        assert_eq!(record(&after).content_type.as_deref(), Some("text/event-stream"));
        assert_log(&kitchen, &[(1, 200), (2, 200)]);
    }
}

#[tokio::test]
async fn c_39_c_42_a_200_and_a_stream_are_only_the_beginning() {
    let stage = Stage::new().await;
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let outcome = stage.ends(&Canned::sse(&[progress, progress]), STREAM_INCOMPLETE).await;
    let sse = record(&outcome).sse.unwrap();
    assert_eq!((sse.events, sse.skipped, sse.terminal_response), (2, 0, false));

    let error = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32603,"message":"late"}}"#;
    let outcome = stage.ends(&Canned::sse(&[progress, error]), JSONRPC_ERROR).await;
    let sse = record(&outcome).sse.unwrap();
    assert_eq!((sse.events, sse.terminal_response), (2, true));
    assert_eq!(failed(outcome).rpc_message(), Some("late"));

    let failed = response(r#"{"resultType":"complete","content":[],"isError":true}"#);
    stage.assert_ends(&Canned::sse(&[progress, &failed]), TOOL_ERROR).await;
}

/// A new selection takes effect where the server says, and each answer is that of its own POST: nothing is cached.
#[tokio::test]
async fn c_47_a_changed_scenario_shows_in_the_order_of_posts() {
    let (kitchen, client) = kitchen("errors.jsonrpc_error", json!({ "onInvocation": 1 })).await;
    assert_ending(&client.call_tool(RUN).send().await, JSONRPC_ERROR, &[200], &"the first scenario");
    kitchen.select("errors.http_status_sequence", json!({ "statusCodes": [503] })).unwrap();
    // The wire faults of the old scenario, the tools of the new one: not a stale success of ours.
    assert_ending(&client.call_tool(RUN).send().await, SUCCESS, &[200], &"the mixed POST");
    let outcome = client.call_tool(RUN).send().await;
    assert_ending(&outcome, http_error(Delivery::Unknown), &[503], &"the second scenario");
    assert_log(&kitchen, &[(1, 200), (2, 200), (3, 503)]);
}
