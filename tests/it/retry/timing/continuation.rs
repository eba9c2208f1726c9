//! Calls that asked for input, and how their continuation is repeated: only where that is safe.

use mcp_client::{
    CallError, Client, Continuation, Delivery, ElicitAnswer, InputKinds, OutcomeKind, ToolOutcome,
    error::InvalidKind,
    retry::{Origin, StopReason},
};
use serde_json::{Value, json};

use super::steady;
use crate::{
    retry::{Act, Play, always, attempts, stopped},
    support::record,
};

const ASKS: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s1","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"why?","requestedSchema":{"type":"object","properties":{"reason":{"type":"string"}}}}}}}}"#;

fn asks() -> Act {
    Act::Http(200, vec![], ASKS)
}

/// A server that asks first and then goes on so, and a client of it.
fn asking(script: impl IntoIterator<Item = Act>) -> (Play, Client) {
    let play = Play::new(std::iter::once(asks()).chain(script).collect::<Vec<_>>());
    let client = play.client().accept_input(InputKinds::FORM).retry(steady().build()).build().unwrap();
    (play, client)
}

fn asked(outcome: Result<ToolOutcome, CallError>) -> Continuation {
    match outcome {
        Ok(ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("{other:?}"),
    }
}

fn answered(mut asked: Continuation) -> Continuation {
    asked.answer("q", ElicitAnswer::accept(&json!({ "reason": "because" })).unwrap()).unwrap();
    asked
}

/// All that a round sends again, but for the id.
fn params(body: &Value) -> &Value {
    &body["params"]
}

#[tokio::test(start_paused = true)]
async fn input_required_is_not_a_retry() {
    let (play, client) = asking([asks(), Act::good()]);
    let mut outcome =
        client.call_tool("x").idempotent().retry(steady().policy(always()).build()).send().await;
    for round in 1..=2 {
        let continuation = asked(outcome);
        assert_eq!(play.count(), round);
        let record = continuation.record();
        assert_eq!((record.attempts.attempts().len(), record.retry_origin()), (1, Origin::None));
        assert_eq!(record.attempts.stopped(), Some(&StopReason::Done));
        outcome = answered(continuation).resume().await;
    }
    assert_eq!(
        (record(&outcome).outcome, record(&outcome).retry_origin()),
        (OutcomeKind::ToolSuccess, Origin::None)
    );
    assert_eq!(play.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_refused_resumption_is_repeated_with_the_same_answers() {
    let (play, client) = asking([Act::status(429), Act::good()]);
    let call = client.call_tool("x").arguments(json!({ "a": 1 })).meta("com.example/m", 2);
    let ended = answered(asked(call.send().await)).resume().await;
    assert_eq!(
        (record(&ended).outcome, record(&ended).retry_origin()),
        (OutcomeKind::ToolSuccess, Origin::Sdk)
    );
    assert_eq!((attempts(&ended).len(), stopped(&ended)), (2, Some(&StopReason::Done)));
    let bodies = play.bodies();
    assert_eq!(bodies.len(), 3);
    let ids: Vec<_> = bodies.iter().map(|body| body["id"].clone()).collect();
    assert_eq!(ids, [1, 2, 3], "a new id each");
    assert_eq!(params(&bodies[1]), params(&bodies[2]));
    let answers = json!({ "q": { "action": "accept", "content": { "reason": "because" } } });
    assert_eq!(params(&bodies[2])["inputResponses"], answers);
    assert_eq!(params(&bodies[2])["requestState"], "s1");
    assert_eq!(params(&bodies[2])["arguments"], json!({ "a": 1 }));
    assert_eq!(params(&bodies[2])["_meta"]["com.example/m"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_resumption_that_may_have_run_is_repeated_only_where_somebody_vouches_for_it() {
    let (play, client) = asking([Act::status(503), Act::good()]);
    let ended = answered(asked(client.call_tool("x").send().await)).resume().await;
    assert_eq!((play.count(), stopped(&ended)), (2, Some(&StopReason::MayHaveRun)));
    let mut error = ended.unwrap_err();
    assert_eq!(error.delivery(), Delivery::Unknown);
    // The answers are kept, and to send them again is somebody's decision.
    let continuation = error.take_continuation().unwrap();
    assert_eq!(continuation.unanswered().count(), 0);
    let mut error = continuation.resume().await.unwrap_err();
    assert!(
        matches!(&error, CallError::Invalid(refused) if refused.kind() == InvalidKind::MayHaveRun),
        "{error:?}"
    );
    assert_eq!(play.count(), 2);
    let continuation = error.take_continuation().unwrap().accepting_duplicates("the ledger drops duplicates");
    let ended = continuation.resume().await;
    assert_eq!((record(&ended).outcome, play.count()), (OutcomeKind::ToolSuccess, 3));
    let bodies = play.bodies();
    assert_eq!(params(&bodies[1]), params(&bodies[2]));

    // The caller's word holds for the whole call, its later rounds included.
    let (play, client) = asking([Act::status(503), Act::status(503), Act::good()]);
    let ended = answered(asked(client.call_tool("x").idempotent().send().await)).resume().await;
    assert_eq!((record(&ended).outcome, play.count()), (OutcomeKind::ToolSuccess, 4));
    let bodies = play.bodies();
    assert_eq!(params(&bodies[1]), params(&bodies[2]));
    assert_eq!(params(&bodies[1]), params(&bodies[3]));
}

/// The first attempt of the resumption may have run. That the next one was refused changes nothing about that.
#[tokio::test(start_paused = true)]
async fn a_refusal_after_an_attempt_that_may_have_run_does_not_make_resuming_safe() {
    let (play, client) = asking([Act::status(503), Act::status(404)]);
    let ended = answered(asked(client.call_tool("x").idempotent().send().await)).resume().await;
    let mut error = ended.unwrap_err();
    assert_eq!((error.http_status(), error.delivery(), play.count()), (Some(404), Delivery::Unknown, 3));
    let refused = error.take_continuation().unwrap().resume().await.unwrap_err();
    assert_eq!((refused.outcome(), play.count()), (OutcomeKind::InvalidCall, 3));
}

#[tokio::test(start_paused = true)]
async fn not_idempotent_holds_over_all_rounds() {
    let (play, client) = asking([Act::status(503), Act::good()]);
    let call = client.call_tool("x").not_idempotent().retry(steady().policy(always()).build());
    let ended = answered(asked(call.send().await)).resume().await;
    assert_eq!((play.count(), stopped(&ended)), (2, Some(&StopReason::MayHaveRun)));
}

/// "Try again" was pressed once. The rounds that follow are no further tries.
#[tokio::test(start_paused = true)]
async fn the_rounds_of_a_call_that_continues_another_do_not_continue_it_again() {
    let play = Play::new([Act::status(503), asks(), Act::good()]);
    let client = play.client().accept_input(InputKinds::FORM).retry(steady().build()).build().unwrap();
    let log = client.call_tool("x").send().await.unwrap_err().record().unwrap().attempts.clone();
    let continuation = asked(client.call_tool("x").continues(log, Origin::User).send().await);
    assert_eq!(continuation.record().retry_origin(), Origin::User);
    assert_eq!(continuation.record().attempts.attempts().len(), 2);
    let ended = answered(continuation).resume().await;
    assert_eq!((attempts(&ended).len(), record(&ended).retry_origin()), (1, Origin::None));
}
