//! A human's work is never lost: an error gives the continuation back, and says whether it may be sent again.

use std::time::Duration;

use mcp_client::{CallError, Client, Continuation, Delivery, ElicitAnswer, error::InvalidKind};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::json;

use super::{FORM, all, asks, continuation, stage};
use crate::stage::{Canned, INVALID_CALL, OK, assert_ending};

const ASKS: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{"reason":{"type":"string"}}}}}},"requestState":"s"}}"#;

/// The last request's answers and state.
fn resumed(body: &serde_json::Value) -> (serde_json::Value, serde_json::Value) {
    (body["params"]["inputResponses"].clone(), body["params"]["requestState"].clone())
}

/// Failures of a resumption whose fate is certain: it can be resumed at once.
#[tokio::test]
async fn after_a_certain_failure_the_continuation_can_be_resumed_at_once() {
    let stage = stage().await;
    for (reply, delivery) in [
        (Canned::new(400, "", ""), Delivery::Refused),
        (Canned::new(401, "", ""), Delivery::Refused),
        (Canned::new(429, "", "").header("Retry-After", "1"), Delivery::Refused),
        (Canned::new(302, "", "").header("Location", "/x"), Delivery::Refused),
        (
            Canned::new(
                503,
                "application/json",
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
            ),
            Delivery::Answered,
        ),
        (
            Canned::json(r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32603,"message":"m"}}"#),
            Delivery::Answered,
        ),
    ] {
        let mut asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], Some("\"s\""))).await;
        asked.answer("k", ElicitAnswer::accept(&json!({ "reason": "typed" })).unwrap()).unwrap();
        stage.answers(&reply);
        let mut error = asked.resume().await.unwrap_err();
        assert_eq!(error.delivery(), delivery, "{reply:?}");
        let asked = error.take_continuation().expect("the continuation comes back");
        assert!(error.take_continuation().is_none());
        assert_eq!(asked.unanswered().count(), 0, "answers included: {reply:?}");
        assert_eq!(asked.rounds(), 1);
        stage.answers(&Canned::result(OK));
        asked.resume().await.unwrap().into_success().unwrap();
        let bodies = stage.bodies();
        let [.., first, second] = &bodies[..] else { panic!("two resumptions") };
        assert_eq!(resumed(first), resumed(second), "{reply:?}");
        assert_eq!(second["params"]["inputResponses"]["k"]["content"]["reason"], "typed");
        assert_ne!(first["id"], second["id"], "each request has an id of its own");
    }
}

/// Failures after which it may have run: resuming again needs consent, each time.
#[tokio::test]
async fn after_delivery_unknown_resuming_needs_consent() {
    let stage = stage().await;
    for reply in [
        Canned::new(500, "", ""),
        Canned::new(503, "", "").header("Retry-After", "1"),
        Canned::new(502, "text/html", "<html>"),
        Canned::new(202, "", ""),
        Canned::json("{unclosed"),
        Canned::json(r#"{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}"#),
        Canned::result(r#"{"content":"text"}"#),
        Canned::new(200, "text/html", "<html>"),
        Canned::sse(&[r#"{"jsonrpc":"2.0","method":"notifications/message"}"#]),
    ] {
        let mut asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], None)).await;
        asked.answer("k", ElicitAnswer::decline()).unwrap();
        stage.answers(&reply);
        let mut error = asked.resume().await.unwrap_err();
        assert_eq!(error.delivery(), Delivery::Unknown, "{reply:?}");
        let sent = stage.count();

        let mut asked = error.take_continuation().unwrap();
        for _ in 0..2 {
            let outcome = asked.resume().await;
            assert_ending(&outcome, INVALID_CALL, &[], &reply);
            let mut error = outcome.unwrap_err();
            let CallError::Invalid(refusal) = &error else { panic!("an invalid call") };
            assert_eq!(refusal.kind(), InvalidKind::MayHaveRun, "{reply:?}");
            asked = error.take_continuation().expect("a refusal gives it back as well");
        }
        assert_eq!(stage.count(), sent, "nothing was sent: {reply:?}");

        // Consent is for one attempt; and what may have run once stays so, however the next attempt fails.
        stage.answers(&Canned::new(429, "", ""));
        let mut error = asked.accepting_duplicates("harmless").resume().await.unwrap_err();
        assert_eq!((error.delivery(), stage.count()), (Delivery::Refused, sent + 1));
        let mut error = error.take_continuation().unwrap().resume().await.unwrap_err();
        assert_eq!((error.delivery(), stage.count()), (Delivery::NotSent, sent + 1));
        let asked = error.take_continuation().unwrap().accepting_duplicates("harmless");
        asked.resume().await.unwrap().into_success().unwrap();
        assert_eq!(stage.count(), sent + 2);
    }
}

/// A continuation of a server that has gone since: nothing can have been handed over.
#[tokio::test]
async fn a_refused_connection_gives_it_back_and_it_can_be_resumed_at_once() {
    let server = FaultServer::start([Reply::json(200, ASKS).header("Connection", "close").then(Step::Close)])
        .await
        .unwrap();
    let client = crate::support::once(&server.url())
        .accept_input(all())
        .timeout(Duration::from_secs(10))
        .build()
        .unwrap();
    let mut asked = ask(&client).await;
    asked.answer("k", ElicitAnswer::accept(&json!({ "reason": "typed" })).unwrap()).unwrap();
    drop(server);
    for _ in 0..2 {
        let mut error = asked.resume().await.unwrap_err();
        assert!(error.is_connect(), "{error:?}");
        assert_eq!(error.delivery(), Delivery::NotSent);
        assert_eq!(error.record().unwrap().post_count(), 0);
        asked = error.take_continuation().expect("it comes back each time");
        assert_eq!(asked.unanswered().count(), 0);
    }
}

async fn ask(client: &Client) -> Continuation {
    match client.call_tool("x").send().await {
        Ok(mcp_client::ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("no request for input: {other:?}"),
    }
}

#[tokio::test]
async fn a_reset_and_a_timeout_leave_its_fate_unknown() {
    for last in [Reply::steps([Step::Reset]), Reply::steps([Step::AwaitClientClose])] {
        let server = FaultServer::start([
            Reply::json(200, ASKS).header("Connection", "close").then(Step::Close),
            last,
        ])
        .await
        .unwrap();
        let client = crate::support::once(&server.url())
            .accept_input(all())
            .timeout(Duration::from_secs(1))
            .build()
            .unwrap();
        let mut asked = ask(&client).await;
        asked.answer("k", ElicitAnswer::decline()).unwrap();
        let mut error = asked.resume().await.unwrap_err();
        assert_eq!(error.delivery(), Delivery::Unknown, "{error:?}");
        let asked = error.take_continuation().unwrap();
        let error = asked.resume().await.unwrap_err();
        assert!(matches!(&error, CallError::Invalid(refusal) if refusal.kind() == InvalidKind::MayHaveRun));
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn errors_of_calls_that_were_no_resumption_have_no_continuation() {
    let stage = stage().await;
    for reply in [Canned::new(503, "", ""), Canned::json("{"), Canned::new(400, "", "")] {
        assert!(stage.call(&reply).await.unwrap_err().take_continuation().is_none());
    }
    let mut error = stage.client.call_tool("x").arguments(1).send().await.unwrap_err();
    assert!(error.take_continuation().is_none());
}
