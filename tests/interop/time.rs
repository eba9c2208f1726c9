//! A tool that takes its time.

use std::time::Duration;

use mcp_client::{
    CallError, CallRecord, Client, Delivery, OutcomeKind, error::TransportErrorKind, record::CloseCause,
};
use serde_json::json;

use crate::peers::{Meeting, with_each_peer};

async fn assert_works(meeting: &Meeting, client: &Client) {
    let outcome = client.call_tool("text").arguments(json!({ "name": "again" })).send().await;
    meeting.assert_outcome(&outcome, OutcomeKind::ToolSuccess);
    assert_eq!(outcome.unwrap().into_success().unwrap().text(), "Hello, again!\n");
}

#[tokio::test]
async fn a_slow_answer_in_time_is_an_answer() {
    with_each_peer(async |meeting| {
        let outcome = meeting.call("slow", json!({ "ms": 150 })).send().await;
        meeting.assert_outcome(&outcome, OutcomeKind::ToolSuccess);
        assert!(CallRecord::of(&outcome).unwrap().duration >= Duration::from_millis(150));
        assert_eq!(outcome.unwrap().into_success().unwrap().text(), "after 150 ms");
    })
    .await;
}

#[tokio::test]
async fn a_timeout_leaves_open_whether_the_work_was_done_and_the_next_call_works() {
    const AFTER: Duration = Duration::from_millis(500);
    with_each_peer(async |meeting| {
        let client = meeting.client();
        let call = client.call_tool("slow").arguments(json!({ "ms": 60_000 })).timeout(AFTER);
        let error = call.send().await.unwrap_err();
        let CallError::Transport(timeout) = &error else { panic!("a timeout: {error:?}") };
        assert_eq!(timeout.kind(), TransportErrorKind::Timeout { after: AFTER });
        assert_eq!(error.delivery(), Delivery::Unknown);
        let record = error.record().unwrap();
        assert_eq!((record.outcome, record.delivery), (OutcomeKind::Timeout, Delivery::Unknown));
        assert_eq!(record.post_count(), 1);
        if let Some(sse) = record.sse {
            assert_eq!((sse.terminal_response, sse.close_cause), (false, Some(CloseCause::Timeout)));
        }
        assert_works(&meeting, &client).await;
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_the_client_as_it_was() {
    with_each_peer(async |meeting| {
        let client = meeting.client();
        let call = client.call_tool("slow").arguments(json!({ "ms": 60_000 })).send();
        tokio::time::timeout(Duration::from_millis(200), call).await.unwrap_err();
        assert_works(&meeting, &client).await;
    })
    .await;
}
