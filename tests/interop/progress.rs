//! A tool that says how far it is.

use mcp_client::OutcomeKind;
use serde_json::json;

use crate::peers::{Replies, with_each_peer};

/// This client asks for no progress, and is told all the same: every event counts, none disturbs.
#[tokio::test]
async fn notifications_before_the_answer_are_counted_and_the_answer_stands() {
    with_each_peer(async |meeting| {
        for steps in [0, 1, 7] {
            let output = meeting.call("progress", json!({ "steps": steps })).send().await.unwrap();
            // With JSON replies there is no way for them.
            let expected = if meeting.peer.replies == Replies::Sse { steps } else { 0 };
            meeting.assert_answered(output.record(), OutcomeKind::ToolSuccess, expected);
            assert_eq!(output.into_success().unwrap().text(), format!("{steps} steps"));
        }
    })
    .await;
}
