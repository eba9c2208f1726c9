//! The gate between "please repeat it" and a second execution: who opens it, and what is told of it.

use mcp_client::{
    Delivery, OutcomeKind,
    retry::{Classify, Decision, Registry, Repeat, Retry, policy_fn},
};
use mcp_tests::{FaultServer, Reply, Step};

use super::{Stage, rpc_error};
use crate::{
    retry::{GOOD, attempts, plain, quick},
    support::record,
};

/// The way past the gate is said aloud, and stands in the log.
#[tokio::test]
async fn accepting_duplicates_is_the_one_way_past_the_gate() {
    let stage = Stage::playing([Reply::status(503), Reply::json(200, GOOD)]).await;
    let careless =
        policy_fn("ledger", |_| Decision::retry().accepting_duplicates("the ledger drops duplicates"));
    let retry: Retry = quick().policy(careless).build();
    let ended = stage.wary.call_tool("x").retry(retry.clone()).send().await;
    assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess);
    let notes: Vec<_> = attempts(&ended).iter().map(|attempt| attempt.note.as_deref()).collect();
    assert_eq!(notes, [None, Some("the ledger drops duplicates")]);
    assert_eq!(attempts(&ended)[1].decided_by.as_deref(), Some("ledger"));
    assert_eq!(stage.seen(2).await, ["1", "2"]);
    // Where it was safe anyway, nothing had to be accepted.
    let stage = Stage::playing([Reply::status(429), Reply::json(200, GOOD)]).await;
    let ended = stage.wary.call_tool("x").retry(retry).send().await;
    assert_eq!((attempts(&ended).len(), &attempts(&ended)[1].note), (2, &None));
}

/// The last failure decides what the error is, and all of them whether the work may have been done.
#[tokio::test]
async fn an_error_says_whether_any_attempt_may_have_run() {
    for (first, delivery) in [
        (Reply::status(503), Delivery::Unknown),
        (Reply::steps([Step::Reset]), Delivery::Unknown),
        (Reply::status(429), Delivery::Refused),
    ] {
        let stage = Stage::playing([first, Reply::status(404)]).await;
        let error = stage.wary.call_tool("x").idempotent().send().await.unwrap_err();
        assert_eq!(error.http_status(), Some(404));
        assert_eq!((error.delivery(), error.record().unwrap().delivery), (delivery, delivery));
        assert_eq!(error.for_model().contains("may have been carried out"), delivery == Delivery::Unknown);
        assert_eq!(Classify::failure(&error).unwrap().delivery(), delivery);
        assert_eq!(error.attempts().len(), 2);
    }
}

/// The registry's word counts as the caller's does, for the tools and servers that it names.
#[tokio::test]
async fn the_registry_vouches_for_tools() {
    for (registry, executions) in [
        (Registry::new(), 1),
        (Registry::new().tool("x", Repeat::ReadOnly), 3),
        (Registry::new().tool("get_*", Repeat::ReadOnly), 1),
        (Registry::new().tool_on("http://127.0.0.1:*/mcp", "*", Repeat::Idempotent), 3),
        (Registry::new().tool_on("https://*", "*", Repeat::Idempotent), 1),
        (Registry::new().tool("x", Repeat::Unsafe).tool("*", Repeat::ReadOnly), 1),
    ] {
        let server = FaultServer::start([Reply::status(503)]).await.unwrap();
        let client = plain(&server.url()).retry(quick().build()).registry(registry.clone());
        let ended = client.build().unwrap().call_tool("x").send().await;
        assert_eq!(attempts(&ended).len(), executions, "{registry:?}");
        assert_eq!(server.requests().len(), executions, "{registry:?}");
    }
}

/// A 503 of a gateway of which the application knows that it refuses: the loop treats it as a refusal.
#[tokio::test]
async fn a_5xx_that_the_application_knows_to_be_a_refusal() {
    let stage = Stage::playing([Reply::status(503), Reply::status(503), Reply::json(200, GOOD)]).await;
    let retry = quick().refused_statuses([503]).build();
    let ended = stage.wary.call_tool("x").retry(retry.clone()).send().await;
    assert_eq!((record(&ended).outcome, attempts(&ended).len()), (OutcomeKind::ToolSuccess, 3));
    // Another one is not, and a JSON-RPC error still is an answer.
    for fault in [Reply::status(502), Reply::json(503, rpc_error(-32000))] {
        let stage = Stage::playing([fault]).await;
        let ended = stage.wary.call_tool("x").retry(retry.clone()).send().await;
        assert_eq!((record(&ended).outcome, attempts(&ended).len()), (OutcomeKind::HttpError, 1));
        assert_eq!(stage.seen(1).await.len(), 1);
    }
}
