//! One deadline a call, over all its attempts and waits.

use std::time::Duration;

use mcp_client::{
    Delivery, OutcomeKind,
    error::TransportErrorKind,
    retry::{Backoff, Constant, Decision, Failure, Retry, StopReason, policy_fn},
};
use tokio::time::Instant;

use super::{SECOND, assert_passed, assert_since, millis, steady};
use crate::{
    retry::{Act, Play, attempts, stopped},
    support::record,
};

#[tokio::test(start_paused = true)]
async fn an_attempt_times_out_and_the_next_one_succeeds() {
    let play = Play::new([Act::Hang, Act::good()]);
    let client = play.client().attempt_timeout(2 * SECOND).retry(steady().build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").idempotent().send().await;
    assert_since(started, millis(2100));
    let record = record(&ended);
    assert_eq!(record.outcome, OutcomeKind::ToolSuccess);
    assert_eq!((&record.posts, stopped(&ended)), (&vec![None, Some(200)], Some(&StopReason::Done)));
    let attempts = attempts(&ended);
    assert_eq!((attempts[0].failed.as_deref(), attempts[1].failed.as_deref()), (Some("TIMEOUT"), None));
    assert_passed(attempts[0].took, 2 * SECOND);
    assert_passed(attempts[1].took, Duration::ZERO);
    assert_passed(record.duration, millis(2100));
    let ids: Vec<_> = play.bodies().iter().map(|body| body["id"].clone()).collect();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_times_out_may_have_run() {
    let play = Play::new([Act::Hang, Act::good()]);
    let client = play.client().retry(steady().build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").attempt_timeout(2 * SECOND).send().await;
    assert_since(started, 2 * SECOND);
    assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::MayHaveRun), 1));
    let error = ended.unwrap_err();
    assert_eq!((error.is_timeout(), error.delivery()), (true, Delivery::Unknown));
    assert_eq!(error.to_string(), "no answer came within 2s");
}

#[tokio::test(start_paused = true)]
async fn the_deadline_holds_over_all_attempts() {
    let play = Play::new([Act::Hang]);
    let retry = steady().max_attempts(10).build();
    let client = play.client().timeout(5 * SECOND).attempt_timeout(2 * SECOND).retry(retry).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").idempotent().send().await;
    assert_since(started, 5 * SECOND);
    assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Deadline), 3));
    let took: Vec<_> = attempts(&ended).iter().map(|attempt| attempt.took).collect();
    // The last one has what remains: 5 s - 2 · (2 s + 100 ms).
    for (took, want) in took.into_iter().zip([2000, 2000, 800]) {
        assert!(took <= millis(want) + super::TICK && took + 2 * super::TICK >= millis(want), "{took:?}");
    }
    let Err(mcp_client::CallError::Transport(error)) = ended else { panic!("{ended:?}") };
    assert_eq!(error.kind(), TransportErrorKind::Timeout { after: 5 * SECOND });
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_the_backoff_that_does_not_fit_is_not_begun() {
    // Attempts after 0, 1, 2 and 3 s; the one after 4 s would not fit 3.5 s.
    let play = Play::new([Act::status(503)]);
    let retry = Retry::builder().backoff(Constant(SECOND)).max_attempts(10).build();
    let client = play.client().timeout(millis(3500)).retry(retry).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").idempotent().send().await;
    assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Deadline), 4));
    assert!(started.elapsed() >= 3 * SECOND && started.elapsed() < millis(3500), "{:?}", started.elapsed());
    assert_eq!(ended.unwrap_err().http_status(), Some(503), "the last failure, unchanged");
}

#[tokio::test(start_paused = true)]
async fn absurd_waits_end_the_call_at_once() {
    #[derive(Debug)]
    struct Broken;
    impl Backoff for Broken {
        fn delay(&self, _: u32, _: &Failure<'_>, _: f64) -> Duration {
            panic!("no idea")
        }
    }
    let endless = policy_fn("endless", |_| Decision::retry().after(Duration::MAX));
    for (retry, reason) in [
        (Retry::builder().backoff(Constant(Duration::MAX)).build(), StopReason::Deadline),
        (Retry::builder().policy(endless).build(), StopReason::Deadline),
        (Retry::builder().backoff(Broken).build(), StopReason::Policy("the backoff panicked".into())),
    ] {
        for timeout in [5 * SECOND, Duration::MAX] {
            let play = Play::new([Act::status(429), Act::good()]);
            let client = play.client().timeout(timeout).retry(retry.clone()).build().unwrap();
            let started = Instant::now();
            let ended = client.call_tool("x").send().await;
            assert_eq!((started.elapsed(), play.count()), (Duration::ZERO, 1), "{reason:?}");
            assert_eq!(stopped(&ended), Some(&reason));
        }
    }
}

/// Zero attempts are one, and a hundred are ten.
#[tokio::test(start_paused = true)]
async fn the_limit_of_attempts_has_limits() {
    for (set, made) in [(0, 1), (1, 1), (2, 2), (10, 10), (100, 10), (u32::MAX, 10)] {
        let play = Play::new([Act::status(429)]);
        let client = play.client().retry(steady().max_attempts(set).build()).build().unwrap();
        let ended = client.call_tool("x").send().await;
        assert_eq!((play.count(), attempts(&ended).len()), (made, made), "{set}");
        assert_eq!(stopped(&ended), Some(&StopReason::Attempts));
    }
    let play = Play::new([Act::status(429)]);
    let ended = play.client().build().unwrap().call_tool("x").send().await;
    assert_eq!((play.count(), attempts(&ended).len()), (3, 3), "by default");
    // Doubling from 200 ms, each with full jitter.
    for (gap, full) in play.gaps().into_iter().zip([200, 400]) {
        assert!(gap <= millis(full) + super::TICK, "{gap:?}");
    }
}

/// A call's own deadline, instead of the client's, starts with the call.
#[tokio::test(start_paused = true)]
async fn a_slow_success_within_the_deadline_stays_one() {
    let play = Play::new([Act::status(429), Act::Late(3 * SECOND)]);
    let client = play.client().timeout(SECOND).retry(steady().build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").timeout(millis(3200)).send().await;
    assert_since(started, millis(3100));
    assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess);
    // With the client's deadline the second attempt is cut off, and nobody knows whether it ran.
    let play = Play::new([Act::status(429), Act::Late(3 * SECOND)]);
    let client = play.client().timeout(SECOND).retry(steady().build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").send().await;
    assert_since(started, SECOND);
    assert_eq!(attempts(&ended)[1].failed.as_deref(), Some("TIMEOUT"));
    assert_eq!(stopped(&ended), Some(&StopReason::MayHaveRun));
    assert_eq!(ended.unwrap_err().delivery(), Delivery::Unknown);
}
