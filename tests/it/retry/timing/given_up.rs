//! Calls that nobody waits for any more are never sent again.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    Delivery, Layer, OutcomeKind,
    error::TransportErrorKind,
    retry::{AttemptObserver, AttemptRecord, Call, Origin, StopReason},
};
use tokio::time::timeout;

use super::{SECOND, millis, steady};
use crate::{
    retry::{Act, Play, Told, always, attempts, stopped},
    support::record,
};

#[tokio::test(start_paused = true)]
async fn dropped_during_the_wait() {
    for (first, delivery) in [(Act::status(503), Delivery::Unknown), (Act::status(429), Delivery::Refused)] {
        let play = Play::new([first, Act::good()]);
        let told = Told::default();
        let client = play.client().observer(told.clone()).retry(steady().build()).build().unwrap();
        let call = client.call_tool("x").idempotent().send();
        assert!(timeout(millis(50), call).await.is_err(), "in the middle of the wait");
        let records = told.records();
        assert_eq!(records.len(), 1);
        assert_eq!((records[0].outcome, records[0].layer), (OutcomeKind::Cancelled, Layer::Local));
        assert_eq!(records[0].delivery, delivery, "what was refused was not done");
        // One attempt was made, so one is in the log: the next one never began.
        let attempts = records[0].attempts.attempts();
        assert_eq!(attempts.len(), 1);
        assert_eq!(attempts[0].failed.as_deref(), Some("HTTP_ERROR"));
        assert_eq!((records[0].post_count(), records[0].retry_origin()), (1, Origin::None));
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert_eq!((play.count(), told.records().len()), (1, 1), "nothing goes on behind it");
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_during_an_attempt() {
    // The second attempt is under way, and the first one was refused: the second may have run.
    let play = Play::new([Act::status(429), Act::Hang]);
    let told = Told::default();
    let client =
        play.client().observer(told.clone()).retry(steady().policy(always()).build()).build().unwrap();
    assert!(timeout(SECOND, client.call_tool("x").idempotent().send()).await.is_err());
    let records = told.records();
    assert_eq!((records.len(), records[0].outcome), (1, OutcomeKind::Cancelled));
    assert_eq!((records[0].delivery, &records[0].posts), (Delivery::Unknown, &vec![Some(429), None]));
    let failed: Vec<_> =
        records[0].attempts.attempts().iter().map(|attempt| attempt.failed.as_deref()).collect();
    assert_eq!(failed, [Some("HTTP_ERROR"), Some("CANCELLED")]);
    assert_eq!(records[0].attempts.stopped(), None);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(play.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn cancelled_is_never_repeated_whoever_asks() {
    for delivery in [Delivery::Unknown, Delivery::NotSent] {
        let play = Play::new([Act::Fails(TransportErrorKind::Cancelled, delivery), Act::good()]);
        let client = play.client().retry(steady().policy(always()).build()).build().unwrap();
        let ended = client.call_tool("x").idempotent().send().await;
        assert_eq!((record(&ended).outcome, record(&ended).layer), (OutcomeKind::Cancelled, Layer::Local));
        assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Done), 1));
        assert_eq!((attempts(&ended).len(), ended.unwrap_err().delivery()), (1, delivery));
    }
}

/// Keeps what it is told of, as a string an attempt.
#[derive(Clone, Debug, Default)]
struct Watch(Arc<Mutex<Vec<String>>>);

impl AttemptObserver for Watch {
    fn attempt_ended(&self, call: &Call<'_>, attempt: &AttemptRecord) {
        let failed = attempt.failed.as_deref().unwrap_or("-");
        let line = format!("{} {:?} {} {failed}", call.method(), call.name(), attempt.number);
        self.0.lock().unwrap().push(line);
        assert!(failed != "HTTP_ERROR", "a panic in an observer is nobody's business");
    }
}

/// Who watches the attempts needs no observer of calls to see the one that was given up.
#[tokio::test(start_paused = true)]
async fn each_attempt_is_told_of_as_it_ends() {
    let watch = Watch::default();
    let seen = || watch.0.lock().unwrap().clone();
    let play = Play::new([Act::status(429), Act::Hang]);
    let client = play.client().retry(steady().observer(watch.clone()).build()).build().unwrap();
    let call = client.call_tool("x").send();
    tokio::pin!(call);
    assert!(timeout(millis(50), &mut call).await.is_err());
    let first = r#"tools/call Some("x") 1 HTTP_ERROR"#;
    assert_eq!(seen(), [first], "before the next one is made");
    assert!(timeout(SECOND, &mut call).await.is_err());
    assert_eq!(seen().len(), 1, "the second one is under way");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_given_up_is_told_of_too() {
    let watch = Watch::default();
    let play = Play::new([Act::Hang]);
    let client = play.client().retry(steady().observer(watch.clone()).build()).build().unwrap();
    assert!(timeout(SECOND, client.call_tool("x").send()).await.is_err());
    assert_eq!(*watch.0.lock().unwrap(), [r#"tools/call Some("x") 1 CANCELLED"#]);
}
