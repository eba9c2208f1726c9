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

/// Asked for, each notification is delivered typed, under the token of this call.
#[tokio::test]
async fn progress_that_is_asked_for_is_delivered() {
    with_each_peer(async |meeting| {
        let (call, mut updates) = meeting.call("progress", json!({ "steps": 7 })).progress_stream();
        let output = call.send().await.unwrap().into_success().unwrap();
        assert_eq!(output.text(), "7 steps");
        let mut seen = Vec::new();
        while let Some(update) = updates.try_next() {
            seen.push((update.progress, update.total));
        }
        let steps: Vec<_> = (1..=7).map(|step| (f64::from(step), Some(7.0))).collect();
        // Servers that stream nothing without it say first that nothing is done.
        seen.retain(|(progress, _)| *progress > 0.0);
        let expected = if meeting.peer.replies == Replies::Sse { steps } else { Vec::new() };
        assert_eq!(seen, expected, "{}", meeting.peer.name);
    })
    .await;
}
