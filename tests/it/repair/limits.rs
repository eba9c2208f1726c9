//! Repairs beside repetitions: what counts as an attempt of the policy, and what is known of the call at the end.

use mcp_client::{
    Delivery, OutcomeKind, Retry,
    retry::{Origin, StopReason, Tokens},
};
use mcp_tests::{FaultServer, Reply};
use serde_json::json;

use super::{HEADERS_NOTE, MODERN, VERSION_NOTE, attempts, listing, mismatch, region, result, unsupported};
use crate::{
    fault::{good, in_time},
    retry::{quick, stopped},
    support::record,
};

/// Plays a script to one call of a tool that may be repeated.
async fn play(script: Vec<Reply>, retry: Retry) -> (FaultServer, crate::fault::Ended) {
    let server = FaultServer::start(script).await.unwrap();
    let client = crate::support::once(&server.url()).retry(retry).build().unwrap();
    let call = client.call_tool("x").arguments(json!({ "region": "eu" }));
    let ended = in_time(call.idempotent().send()).await;
    (server, ended)
}

fn refused() -> Reply {
    Reply::json(400, unsupported(&MODERN))
}

fn fresh() -> Reply {
    result(&listing(&[region(Some("Region"))]))
}

#[tokio::test]
async fn a_repair_is_no_attempt_of_the_policy() {
    let limit = |attempts| quick().max_attempts(attempts).build();
    // Two attempts of the policy: the one that was refused is neither.
    let down = || Reply::status(503);
    let (server, ended) = play(vec![down(), refused(), good()], limit(2)).await;
    assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(record(&ended).retry_origin(), Origin::Sdk);
    assert_eq!(
        attempts(record(&ended)),
        [
            (Some("HTTP_ERROR"), "none", None),
            (Some("HTTP_ERROR"), "sdk", None),
            (None, "sdk", Some(VERSION_NOTE))
        ]
    );
    let (server, ended) = play(vec![down(), refused(), down(), good()], limit(2)).await;
    assert_eq!((server.requests().len(), stopped(&ended)), (3, Some(&StopReason::Attempts)));
    let (server, ended) = play(vec![refused(), down(), down(), good()], limit(2)).await;
    assert_eq!((server.requests().len(), stopped(&ended)), (3, Some(&StopReason::Attempts)));
    let (server, ended) = play(vec![down(), refused(), down(), good()], limit(3)).await;
    assert_eq!((server.requests().len(), record(&ended).outcome), (4, OutcomeKind::ToolSuccess));
}

#[tokio::test]
async fn a_repair_needs_no_permission_to_repeat_and_is_done_once_a_call() {
    let (server, ended) = play(vec![refused(), good()], Retry::never()).await;
    assert_eq!((server.requests().len(), record(&ended).outcome), (2, OutcomeKind::ToolSuccess));
    // Not once an attempt: repetitions do not begin it anew.
    let script = vec![refused(), Reply::status(503), refused(), good()];
    let (server, ended) = play(script, quick().max_attempts(5).build()).await;
    assert_eq!(server.requests().len(), 3);
    assert_eq!(ended.unwrap_err().rpc_code(), Some(-32022));
    let script = vec![mismatch(), fresh(), Reply::status(503), mismatch(), good()];
    let (server, ended) = play(script, quick().max_attempts(5).build()).await;
    assert_eq!(server.requests().len(), 4);
    assert_eq!(record(&ended).posts, [Some(400), Some(200), Some(503), Some(400)]);
    assert_eq!(ended.unwrap_err().rpc_code(), Some(-32020));
}

/// The list is a request of its own: it is repeated as any list is.
#[tokio::test]
async fn a_list_that_fails_is_repeated_as_the_policy_says() {
    let script = vec![mismatch(), Reply::status(503), fresh(), good()];
    let (server, ended) = play(script, quick().max_attempts(2).build()).await;
    assert_eq!(server.requests().len(), 4);
    assert_eq!(record(&ended).posts, [Some(400), Some(503), Some(200), Some(200)]);
    assert_eq!(
        attempts(record(&ended)),
        [(Some("HTTP_ERROR"), "none", None), (None, "sdk", Some(HEADERS_NOTE))]
    );
}

/// That the last attempts were refused does not speak for the first one.
#[tokio::test]
async fn what_may_have_run_before_a_repair_may_still_have_run() {
    let cut = Reply::json(200, "{}").cut_at(20);
    let (server, ended) = play(vec![cut, refused(), refused()], quick().max_attempts(2).build()).await;
    assert_eq!(server.requests().len(), 3);
    let error = ended.unwrap_err();
    assert_eq!((error.rpc_code(), error.delivery()), (Some(-32022), Delivery::Unknown));
    // Where nobody vouches for the call, a cut is the end of it.
    let server = FaultServer::start([Reply::json(200, "{}").cut_at(20), refused()]).await.unwrap();
    let client = crate::support::once(&server.url()).retry(quick().build()).build().unwrap();
    let error = in_time(client.call_tool("x").send()).await.unwrap_err();
    assert_eq!((server.requests().len(), error.delivery()), (1, Delivery::Unknown));
}

#[tokio::test]
async fn the_budget_is_not_asked_for_repairs() {
    let retry = quick().budget(Tokens::new(0)).build();
    let (server, ended) = play(vec![refused(), good()], retry).await;
    assert_eq!((server.requests().len(), record(&ended).outcome), (2, OutcomeKind::ToolSuccess));
}
