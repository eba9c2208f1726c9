//! What is delivered: all of it, typed, in order, to the call that asked.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_client::{Progress, record::CloseCause, types::LoggingLevel};
use mcp_tests::{Reply, Step};
use serde_json::json;

use super::{Heard, answered_after, done, log, notification, progress, progress_of};
use crate::fault::{ANSWER, assert_good, good, in_time, only_calls, serve, still_usable};

/// Whole numbers and fractions, in order.
#[tokio::test]
async fn prg_03_all_of_a_thousand_are_delivered_typed_and_in_order() {
    let of = |number: u32| f64::from(number) * 0.5;
    let messages = (0..1000).map(|number| {
        let params = json!({
            "progressToken": "TOKEN", "progress": of(number), "total": 500, "message": format!("step {number} \u{2713}"),
        });
        notification("notifications/progress", &params).replace("\"TOKEN\"", "{{id}}")
    });
    let (server, client) = serve([Reply::sse(&answered_after(messages.collect()))]).await;
    let heard = Heard::<Progress>::new();
    let ended = in_time(client.call_tool("x").progress(heard.listener()).send()).await;
    let sse = assert_good(&"thousand", &ended).sse.unwrap();
    assert_eq!((sse.events, sse.skipped, sse.close_cause), (1001, 0, Some(CloseCause::Answered)));
    let heard = heard.all();
    assert_eq!(heard.len(), 1000);
    for (number, progress) in (0..).zip(&heard) {
        assert!((progress.progress - of(number)).abs() < f64::EPSILON, "{progress:?}");
        assert_eq!(progress.total, Some(500.0));
        assert_eq!(progress.message.as_deref(), Some(&*format!("step {number} \u{2713}")));
    }
    assert_eq!(heard[250].fraction(), Some(0.25));
    only_calls(&server, 1);
}

/// The stream hands out what the function would be given, while the call goes on.
#[tokio::test]
async fn prg_05_progress_can_be_read_while_the_call_goes_on() {
    let (server, client) =
        serve([Reply::sse(&[progress(1.0), progress(2.0)]).unfinished().then(Step::AwaitClientClose)]).await;
    let (call, mut updates) = client.call_tool("x").progress_stream();
    let mut call = Box::pin(call.send());
    let mut seen = Vec::new();
    while seen.len() < 2 {
        tokio::select! {
            ended = &mut call => panic!("it must not end by itself: {ended:?}"),
            update = in_time(updates.next()) => seen.extend(update),
        }
    }
    assert_eq!(done(&seen), [1.0, 2.0]);
    assert_eq!(updates.try_next(), None, "and no more so far");
    drop(call);
    // The end of the call is the end of the stream.
    assert_eq!(in_time(updates.next()).await, None);
    server.client_closed().await.unwrap();
}

#[tokio::test]
async fn prg_05_a_server_may_send_none_at_all() {
    for reply in [good(), Reply::sse(&[ANSWER])] {
        let (_server, client) = serve([reply]).await;
        let heard = Heard::<Progress>::new();
        let (call, mut updates) = client.call_tool("x").log_stream(LoggingLevel::Debug);
        let ended = in_time(call.progress(heard.listener()).send()).await;
        assert_good(&"none", &ended);
        assert_eq!(heard.all(), []);
        assert_eq!(in_time(updates.next()).await, None);
    }
}

#[tokio::test]
async fn prg_06_progress_that_stands_still_or_goes_back_is_passed_on() {
    let values = [5.0, 5.0, 1.0, -3.0, 0.1, 1e300];
    let (_server, client) =
        serve([Reply::sse(&answered_after(values.iter().map(|value| progress(*value)).collect()))]).await;
    let heard = Heard::new();
    let ended = in_time(client.call_tool("x").progress(heard.listener()).send()).await;
    assert_good(&"odd", &ended);
    assert_eq!(done(&heard.all()), values);
}

/// Each call hears its own, also where a server sends that of both on each stream.
#[tokio::test]
async fn prg_07_two_calls_at_once_do_not_hear_each_other() {
    let both = |own: f64| {
        let foreign =
            [progress_of(&json!(1), 11.0), progress_of(&json!(2), 22.0), progress_of(&json!(3), 33.0)];
        Reply::sse(&foreign)
            .unfinished()
            .then(Step::event(&progress(own)))
            .then(Step::event(ANSWER))
            .then(Step::LastChunk)
    };
    let (server, client) = serve([both(100.0), both(100.0)]).await;
    let (one, two) = (Heard::new(), Heard::new());
    let (first, second) = tokio::join!(
        in_time(client.call_tool("x").progress(one.listener()).send()),
        in_time(client.call_tool("x").progress(two.listener()).send()),
    );
    for (id, ended) in [(1, &first), (2, &second)] {
        let record = assert_good(&id, ended);
        assert_eq!(record.request_id, Some(id.into()));
        assert_eq!((record.sse.unwrap().events, record.sse.unwrap().skipped), (5, 0));
    }
    assert_eq!(done(&one.all()), [11.0, 100.0]);
    assert_eq!(done(&two.all()), [22.0, 100.0]);
    only_calls(&server, 2);
}

/// A listener is somebody else's code: the call goes on without it, and so does the next update.
#[tokio::test]
async fn a_panicking_listener_changes_nothing() {
    let messages = vec![progress(1.0), log("info", &json!("a")), progress(2.0), log("info", &json!("b"))];
    let (server, client) = serve([Reply::sse(&answered_after(messages)), good()]).await;
    let calls = Arc::new(AtomicUsize::new(0));
    let (of_progress, of_logs) = (Arc::clone(&calls), Arc::clone(&calls));
    let call = client
        .call_tool("x")
        .progress(move |_| {
            of_progress.fetch_add(1, Ordering::SeqCst);
            panic!("no progress, please")
        })
        .log(LoggingLevel::Info, move |_| {
            of_logs.fetch_add(10, Ordering::SeqCst);
            panic!("no logs, please")
        });
    let ended = in_time(call.send()).await;
    assert_eq!(assert_good(&"panics", &ended).sse.unwrap().events, 5);
    assert_eq!(calls.load(Ordering::SeqCst), 22, "each was still given");
    still_usable(&"panics", &client).await;
    only_calls(&server, 2);
}

/// Listeners are let go when the call has ended, in whatever way: nothing is kept by token.
#[tokio::test]
async fn prg_08_listeners_are_dropped_with_their_call() {
    let (_server, client) = serve([
        Reply::sse(&answered_after(vec![progress(1.0)])),
        Reply::sse(&[progress(1.0)]),
        Reply::sse(&[progress(1.0)]).unfinished().then(Step::AwaitClientClose),
    ])
    .await;
    let heard = Heard::new();
    let call = || client.call_tool("x").progress(heard.listener()).send();
    let success = in_time(call()).await;
    assert!(success.is_ok(), "{success:?}");
    let failed = in_time(call()).await;
    assert!(failed.is_err(), "{failed:?}");
    // Also while what they ended in is still held.
    assert_eq!(heard.listeners(), 0);
    let mut dropped = Box::pin(call());
    while heard.all().len() < 3 {
        tokio::select! {
            ended = &mut dropped => panic!("it must not end by itself: {ended:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(heard.listeners(), 1);
    drop(dropped);
    assert_eq!(heard.listeners(), 0);
}
