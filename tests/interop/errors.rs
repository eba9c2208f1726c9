//! What goes wrong at a peer, in its own words.

use mcp_client::{
    CallError, CallRecord, Delivery, Layer, OutcomeKind, ToolOutcome, ToolOutput, record::Note,
    types::error_code::MISSING_REQUIRED_CLIENT_CAPABILITY,
};
use serde_json::json;

use crate::peers::{Meeting, Replies, Unknown, with_each_peer};

fn tool_error(meeting: &Meeting, outcome: Result<ToolOutcome, CallError>) -> ToolOutput {
    meeting.assert_outcome(&outcome, OutcomeKind::ToolError);
    let Ok(ToolOutcome::ToolError(output)) = outcome else { panic!("a tool error: {outcome:?}") };
    output
}

#[tokio::test]
async fn an_error_of_the_tool_is_its_text() {
    with_each_peer(async |meeting| {
        let output = tool_error(&meeting, meeting.call("error", json!({})).send().await);
        assert_eq!(output.text(), meeting.peer.ways.tool_error);
        assert!(output.is_error());
        assert!(output.structured_raw().is_none());
    })
    .await;
}

#[tokio::test]
async fn an_argument_of_the_wrong_type_is_told_to_the_model() {
    with_each_peer(async |meeting| {
        let output = tool_error(&meeting, meeting.call("text", json!({ "name": 7 })).send().await);
        assert_eq!(output.text(), meeting.peer.ways.wrong_argument);
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_does_not_exist() {
    with_each_peer(async |meeting| {
        let outcome = meeting.call("unknown", json!({})).send().await;
        match meeting.peer.ways.unknown_tool {
            Unknown::Tool(text) => assert_eq!(tool_error(&meeting, outcome).text(), text),
            Unknown::JsonRpc(code, message) => {
                meeting.assert_outcome(&outcome, OutcomeKind::JsonrpcError);
                let error = outcome.unwrap_err();
                assert!(matches!(error, CallError::JsonRpc(_)), "{error:?}");
                assert_eq!((error.rpc_code(), error.rpc_message()), (Some(code), Some(message)));
                assert_eq!((error.layer(), error.delivery()), (Layer::Protocol, Delivery::Answered));
            }
        }
    })
    .await;
}

/// Some peers refuse, and some ask all the same.
#[tokio::test]
async fn a_form_for_a_client_that_declares_none() {
    with_each_peer(async |meeting| {
        let outcome = meeting.call("ask", json!({ "ticket": 7 })).send().await;
        let record = CallRecord::of(&outcome).unwrap().clone();
        if meeting.peer.ways.asks_undeclared {
            let Ok(ToolOutcome::InputRequired(asked)) = outcome else { panic!("a form: {outcome:?}") };
            assert!(!asked.is_declared("name"));
            assert_eq!(record.notes, [Note::UndeclaredInputRequest]);
            assert_eq!((record.outcome, record.delivery), (OutcomeKind::InputRequired, Delivery::Answered));
            return;
        }
        let error = outcome.unwrap_err();
        assert_eq!(error.rpc_code(), Some(MISSING_REQUIRED_CLIENT_CAPABILITY));
        let required = serde_json::to_value(error.required_capabilities().unwrap()).unwrap();
        assert_eq!(required, json!({ "elicitation": { "form": {} } }));
        // The status is that of an error only where the stream has not begun.
        let (status, delivery) = match meeting.peer.replies {
            Replies::Json => (400, Delivery::Refused),
            Replies::Sse => (200, Delivery::Answered),
        };
        assert_eq!(matches!(error, CallError::Http(_)), status == 400, "{error:?}");
        assert_eq!(record.posts, [Some(status)]);
        assert_eq!((error.delivery(), record.delivery), (delivery, delivery));
    })
    .await;
}
