//! A handle that is used at each moment of a call: the call ends at once, says what may have happened, and the server
//! sees its stream closed.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use mcp_client::{
    CancelHandle, Delivery, ElicitAnswer, InputKinds, OutcomeKind, ToolOutcome, record::CloseCause,
};
use mcp_tests::{Ending, FaultServer, Kitchen, Reply, Step};
use serde_json::json;

use super::{WHY, assert_cancelled, assert_over, observed};
use crate::{
    fault::{ANSWER, NOTIFICATION, good, in_time, only_calls, still_usable},
    support::record,
};

#[tokio::test]
async fn a_handle_that_was_used_before_sends_nothing() {
    let server = FaultServer::start([good()]).await.unwrap();
    let (client, told) = observed(&server.url());
    let stop = CancelHandle::new();
    stop.cancel(WHY);
    let ended = in_time(client.call_tool("x").cancel_with(&stop).send()).await;
    let record = assert_cancelled("before", &ended, Delivery::NotSent, &[]);
    assert_eq!((record.attempts.attempts().len(), record.request_id, record.sse), (0, None, None));
    assert_eq!(told.records()[0].error_message.as_deref(), Some(WHY));
    // Of any method, and whatever else was set.
    let list = in_time(client.list_tools().cancel_with(&stop).all()).await;
    assert!(list.is_err());
    let read = in_time(client.read_resource("file:///a").cancel_with(&stop).send()).await;
    assert_eq!(read.unwrap_err().delivery(), Delivery::NotSent);
    assert_eq!(server.connections(), 0, "not even a connection");
    still_usable(&"before", &client).await;
    only_calls(&server, 1);
}

#[tokio::test]
async fn can_02_waiting_for_the_head_is_given_up_at_once() {
    let server = FaultServer::start([Reply::steps([Step::AwaitClientClose]), good()]).await.unwrap();
    let (client, told) = observed(&server.url());
    let stop = CancelHandle::new();
    let call = tokio::spawn(client.call_tool("x").cancel_with(&stop).send());
    server.requested(1).await.unwrap();
    stop.cancel(WHY);
    let ended = in_time(call).await.unwrap();
    let cancelled = assert_cancelled("the head", &ended, Delivery::Unknown, &[None]);
    assert_eq!(cancelled.attempts.attempts()[0].failed.as_deref(), Some("CANCELLED"));
    assert_eq!(cancelled.request_id, Some(1.into()));
    assert_over("the head", &server, &client, &stop).await;
    let told = told.records();
    assert_eq!(told.len(), 2, "each call is told once");
    assert_eq!(told[0], cancelled, "can_14: the reason is in what is logged");
}

/// From within the call's own listener, which is as far as the test wants.
#[tokio::test]
async fn can_02_the_middle_of_a_stream_is_given_up_at_once() {
    let progress = super::progress::event();
    let server = FaultServer::start([
        Reply::sse(&[NOTIFICATION, &progress, &progress]).unfinished().then(Step::AwaitClientClose),
        good(),
    ])
    .await
    .unwrap();
    let (client, told) = observed(&server.url());
    let stop = CancelHandle::new();
    let seen = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let in_listener = stop.clone();
    let call = client.call_tool("x").cancel_with(&stop).progress(move |_| {
        if seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1 {
            in_listener.cancel(WHY);
        }
    });
    let ended = in_time(call.send()).await;
    let sse = assert_cancelled("a stream", &ended, Delivery::Unknown, &[Some(200)]).sse.unwrap();
    assert_eq!(
        (sse.events, sse.notifications, sse.terminal_response, sse.close_cause),
        (3, 3, false, Some(CloseCause::Cancelled))
    );
    let error = ended.unwrap_err();
    assert_eq!(error.http_status(), Some(200));
    assert_over("a stream", &server, &client, &stop).await;
    assert_eq!(told.records().len(), 2);
}

/// Where the client is cannot be seen from outside: it is given more time until it has come so far.
#[tokio::test]
async fn can_02_a_body_that_has_begun_is_given_up_at_once() {
    let half = Bytes::from(&ANSWER.as_bytes()[..40]);
    for (what, reply, status) in [
        ("the body", Reply::json(200, half).unfinished().then(Step::AwaitClientClose), 200),
        ("the body of an error", Reply::json(500, "x").unfinished().then(Step::AwaitClientClose), 500),
        ("a silent stream", Reply::sse_bytes("").unfinished().then(Step::AwaitClientClose), 200),
    ] {
        let mut came = false;
        for patience in [20, 100, 500, 1500] {
            let server = FaultServer::start([reply.clone(), good()]).await.unwrap();
            let (client, _) = observed(&server.url());
            let stop = CancelHandle::new();
            let call = tokio::spawn(client.call_tool("x").cancel_with(&stop).send());
            tokio::time::sleep(Duration::from_millis(patience)).await;
            stop.cancel(WHY);
            let ended = in_time(call).await.unwrap();
            came = record(&ended).posts == [Some(status)];
            if came {
                assert_cancelled(what, &ended, Delivery::Unknown, &[Some(status)]);
                assert_over(what, &server, &client, &stop).await;
                break;
            }
        }
        assert!(came, "{what}: the client never came that far");
    }
}

/// The tool is told by the closed stream, and stops.
#[tokio::test]
async fn can_02_a_cancelled_call_reaches_the_tool() {
    let kitchen = Kitchen::start().await.unwrap();
    let tool = "run_configured_test_scenario";
    kitchen.switch("timeout.cooperative_deadline", json!({ "delayMs": 600_000 })).unwrap();
    let (client, _) = observed(&kitchen.url());
    let stop = CancelHandle::new();
    let call = tokio::spawn(client.call_tool(tool).cancel_with(&stop).send());
    kitchen.posts_when(|posts| posts.len() == 1 && kitchen.executions(tool) == 1).await.unwrap();
    stop.cancel(WHY);
    let ended = in_time(call).await.unwrap();
    assert_eq!(record(&ended).delivery, Delivery::Unknown);
    let posts = kitchen.posts_when(|posts| posts[0].ending == Ending::ClientGone).await.unwrap();
    assert_eq!(posts.len(), 1, "no message says so");
    assert_eq!((kitchen.executions(tool), kitchen.completions(tool)), (1, 0));
    assert!(kitchen.other_requests().is_empty());
}

/// The call waits for a person then: nothing is under way, and nothing is sent any more.
#[tokio::test]
async fn between_two_rounds_a_used_handle_keeps_the_next_one_back() {
    let kitchen = Kitchen::start().await.unwrap();
    let tool = "run_configured_test_scenario";
    kitchen.switch("elicitation.approval", json!(null)).unwrap();
    let client = crate::support::once(&kitchen.url()).accept_input(InputKinds::FORM).build().unwrap();
    let stop = CancelHandle::new();
    let outcome = in_time(client.call_tool(tool).cancel_with(&stop).send()).await.unwrap();
    let ToolOutcome::InputRequired(mut asked) = outcome else { panic!("{outcome:?}") };
    asked.answer("elicitation", ElicitAnswer::decline()).unwrap();
    let suspended = asked.suspend();
    stop.cancel(WHY);
    let mut ended = in_time(asked.resume()).await;
    assert_cancelled("between", &ended, Delivery::NotSent, &[]);
    assert_eq!(kitchen.posts().len(), 1);
    // The answers are not lost: the call comes back with its error, and can be restored without the handle.
    let given_back = ended.as_mut().unwrap_err().take_continuation().unwrap();
    assert_eq!(given_back.unanswered().count(), 0);
    let restored = client.restore(suspended).unwrap();
    let outcome = in_time(restored.resume()).await.unwrap();
    assert!(matches!(outcome, ToolOutcome::ToolError(_)), "declined: {outcome:?}");
    assert_eq!((kitchen.posts().len(), kitchen.executions(tool)), (2, 2));
}

/// The handle goes on with the call: it ends a later round as it would have ended the first.
#[tokio::test]
async fn a_later_round_is_given_up_by_the_same_handle() {
    let kitchen = Kitchen::start().await.unwrap();
    let tool = "run_configured_test_scenario";
    kitchen.switch("elicitation.approval", json!(null)).unwrap();
    let client = crate::support::once(&kitchen.url()).accept_input(InputKinds::FORM).build().unwrap();
    let stop = CancelHandle::new();
    let outcome = in_time(client.call_tool(tool).cancel_with(&stop).send()).await.unwrap();
    let ToolOutcome::InputRequired(mut asked) = outcome else { panic!("{outcome:?}") };
    asked.answer("elicitation", ElicitAnswer::decline()).unwrap();
    kitchen.switch("timeout.cooperative_deadline", json!({ "delayMs": 600_000 })).unwrap();
    let resumed = tokio::spawn(asked.resume());
    kitchen.posts_when(|posts| posts.len() == 2 && kitchen.executions(tool) == 2).await.unwrap();
    stop.cancel(WHY);
    let mut ended = in_time(resumed).await.unwrap();
    let record = record(&ended);
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::Cancelled, Delivery::Unknown));
    kitchen.posts_when(|posts| posts[1].ending == Ending::ClientGone).await.unwrap();
    // It may have run: without a word on duplicates it is not sent again.
    let given_back = ended.as_mut().unwrap_err().take_continuation().unwrap();
    let refused = in_time(given_back.resume()).await;
    assert_eq!(crate::support::record(&refused).outcome, OutcomeKind::InvalidCall);
    assert_eq!(kitchen.posts().len(), 2);
}

/// Tool calls are not special.
#[tokio::test]
async fn field_time_01_giving_up_closes_the_stream_whatever_the_method() {
    use crate::load::hall::Hall;
    for cancels in [true, false] {
        let hall = Hall::open(async |_| std::future::pending().await).await;
        let (client, told) = observed(&hall.url());
        let stop = CancelHandle::new();
        let limit = if cancels { Duration::from_secs(60) } else { Duration::from_secs(2) };
        let mut calls = Vec::new();
        for _ in 0..20 {
            let call = client.call_tool("x").cancel_with(&stop).timeout(limit).send();
            calls.push(tokio::spawn(async move { call.await.unwrap_err() }));
            let read = client.read_resource("file:///a").cancel_with(&stop).timeout(limit).send();
            calls.push(tokio::spawn(async move { read.await.unwrap_err() }));
            let prompt = client.get_prompt("p").cancel_with(&stop).timeout(limit).send();
            calls.push(tokio::spawn(async move { prompt.await.unwrap_err() }));
        }
        if cancels {
            hall.when(|counts| counts.waiting == 60).await;
            stop.cancel(WHY);
        }
        for call in calls {
            let error = in_time(call).await.unwrap();
            let expected = if cancels { OutcomeKind::Cancelled } else { OutcomeKind::Timeout };
            assert_eq!((error.outcome(), error.delivery()), (expected, Delivery::Unknown));
        }
        let counts = hall.when(|counts| counts.waiting == 0 && counts.open == 0).await;
        assert_eq!(counts.arrived, counts.gone);
        assert_eq!(told.records().len(), 60);
        let methods: std::collections::BTreeSet<String> =
            hall.requests().iter().map(|request| request["method"].as_str().unwrap().to_owned()).collect();
        assert!(methods.iter().all(|method| !method.starts_with("notifications/")), "{methods:?}");
        if cancels {
            assert_eq!((counts.arrived, methods.len()), (60, 3));
        }
    }
}
