//! The log of a call, and each reason to end it.

use std::{
    future::ready,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcp_retry::{
    AttemptRecord, Constant, Decision, Delay, DelaySource, Ended, Evidence, Failure, FailureKind, Layer,
    Origin, Repeat, Retry, Source, StopReason, policy_fn,
};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    Outcome, every_second, failing, millis, pay, read, seconds, stopped, succeeding_at,
    support::{Fault, broken, not_sent},
    within_a_day,
};

#[tokio::test(start_paused = true)]
async fn a_success_is_done_at_the_first_attempt() {
    let log = succeeding_at(1, &Retry::standard(), &pay(), broken()).await;
    assert_eq!(log.attempts(), [AttemptRecord::new(1, Duration::ZERO)]);
    assert_eq!(stopped(&log), &StopReason::Done);
    assert_eq!(log.origin(), Origin::None);
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_logged_with_all_that_led_to_it() {
    let policy = policy_fn("house rules", |attempt| match attempt.number() {
        1 => Decision::retry().by(Origin::Business).accepting_duplicates("ledger dedups"),
        _ => Decision::retry().after(seconds(4)).accepting_duplicates("unused"),
    });
    let retry = Retry::builder().policy(policy).backoff(Constant(seconds(1))).build();
    let started = Instant::now();
    let (outcome, log) = retry
        .run(&pay(), |attempt| async move {
            sleep(millis(100 * u64::from(attempt.number))).await;
            match attempt.number {
                1 => Err(Fault(broken())),
                2 => Err(Fault(not_sent())),
                _ => Ok("paid"),
            }
        })
        .await;
    assert_eq!(outcome, Ok("paid"));
    assert_eq!(started.elapsed(), millis(100 + 1_000 + 200 + 4_000 + 300));

    let mut first = AttemptRecord::new(1, millis(100));
    first.failed = Some("Unavailable".into());
    let mut second = AttemptRecord::new(2, millis(200));
    second.failed = Some("Unavailable".into());
    second.origin = Origin::Business;
    second.delay = Some(Delay { length: seconds(1), source: DelaySource::Backoff });
    second.decided_by = Some("house rules".into());
    second.note = Some("ledger dedups".into());
    let mut third = AttemptRecord::new(3, millis(300));
    third.origin = Origin::Sdk;
    third.delay = Some(Delay { length: seconds(4), source: DelaySource::Policy });
    third.decided_by = Some("house rules".into());
    assert_eq!(log.attempts(), [first, second, third]);
    assert_eq!(log.stopped(), Some(&StopReason::Done));
    assert_eq!(log.origin(), Origin::Sdk);
    assert_eq!(
        serde_json::to_value(&log).unwrap(),
        json!([
            { "number": 1, "requestId": null, "origin": "none", "tookMs": 100, "failed": "Unavailable" },
            {
                "number": 2, "requestId": null, "origin": "business", "tookMs": 200, "failed": "Unavailable",
                "delayMs": 1000, "delaySource": "backoff", "decidedBy": "house rules", "note": "ledger dedups",
            },
            {
                "number": 3, "requestId": null, "origin": "sdk", "tookMs": 300, "failed": null,
                "delayMs": 4000, "delaySource": "policy", "decidedBy": "house rules",
            },
        ])
    );
}

#[tokio::test(start_paused = true)]
async fn those_who_make_the_attempts_name_them() {
    let retry = every_second();
    let mut running = retry.begin(pay());
    for (number, failed) in [(1, "TRANSPORT_ERROR"), (2, "HTTP_ERROR")] {
        assert_eq!(running.attempt().number, number);
        let ended = Ended { request_id: Some(i64::from(number).into()), failed: Some(failed.into()) };
        assert!(running.ended(Some(not_sent()), ended).await);
        assert_eq!(running.log().stopped(), None, "it runs");
    }
    running.attempt();
    assert!(!running.ended(None, Ended { request_id: Some(3_i64.into()), failed: None }).await);
    let log = running.finish();
    let named: Vec<_> = log
        .attempts()
        .iter()
        .map(|attempt| (attempt.request_id.clone(), attempt.failed.as_deref()))
        .collect();
    assert_eq!(
        named,
        [
            (Some(1_i64.into()), Some("TRANSPORT_ERROR")),
            (Some(2_i64.into()), Some("HTTP_ERROR")),
            (Some(3_i64.into()), None),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_wants_repeated_is_done() {
    let log = failing(&Retry::standard(), &read(), Failure::from_code(-32602)).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Done));
}

#[tokio::test(start_paused = true)]
async fn a_policy_stops_with_its_reason() {
    let policy = policy_fn("moods", |attempt| match attempt.number() {
        1 => Decision::retry(),
        _ => Decision::stop("enough"),
    });
    let retry = Retry::builder().policy(policy).build();
    let log = failing(&retry, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (2, &StopReason::Policy("enough".into())));

    let log = failing(&Retry::never(), &pay(), not_sent()).await;
    assert_eq!(log.attempts().len(), 1);
    assert!(matches!(stopped(&log), StopReason::Policy(_)));
}

#[tokio::test(start_paused = true)]
async fn what_may_have_run_is_not_repeated() {
    for failure in [broken(), Failure::from_status(500, None), Failure::from_status(503, None)] {
        let started = Instant::now();
        let log = failing(&Retry::standard(), &pay(), failure).await;
        assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::MayHaveRun));
        assert_eq!(started.elapsed(), Duration::ZERO, "and nobody waits for that");
        let log = failing(&Retry::standard(), &read(), failure).await;
        assert_eq!((log.attempts().len(), stopped(&log)), (3, &StopReason::Attempts));
    }
}

#[tokio::test(start_paused = true)]
async fn a_repetition_that_may_have_run_is_the_last() {
    // Harmless twice, then the connection breaks after the request was sent.
    let retry = Retry::builder().max_attempts(10).backoff(Constant(seconds(1))).build();
    let (outcome, log) = retry
        .run(&pay(), |attempt| {
            ready(Outcome::Err(Fault(if attempt.number < 3 { not_sent() } else { broken() })))
        })
        .await;
    assert_eq!(outcome, Err(Fault(broken())));
    assert_eq!((log.attempts().len(), stopped(&log)), (3, &StopReason::MayHaveRun));
}

#[tokio::test(start_paused = true)]
async fn attempts_are_counted() {
    for (set, made) in [(0, 1), (1, 1), (2, 2), (3, 3), (10, 10), (11, 10), (u32::MAX, 10)] {
        let retry = Retry::builder().max_attempts(set).backoff(Constant(seconds(1))).without_budget().build();
        let calls = AtomicU32::new(0);
        let started = Instant::now();
        let call = pay();
        let run = retry.run(&call, |attempt| {
            assert_eq!(calls.fetch_add(1, Ordering::Relaxed) + 1, attempt.number);
            ready(Outcome::Err(Fault(not_sent())))
        });
        let (_, log) = within_a_day(run).await;
        assert_eq!(calls.load(Ordering::Relaxed), made, "{set}");
        assert_eq!(
            log.attempts().iter().map(|attempt| attempt.number).collect::<Vec<_>>(),
            (1..=made).collect::<Vec<_>>()
        );
        assert_eq!(stopped(&log), &StopReason::Attempts);
        // No wait after the last one.
        assert_eq!(started.elapsed(), seconds(u64::from(made) - 1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_servers_delay_is_waited_for_or_handed_out() {
    let failure = |delay| Failure::from_status(429, Some(-32000)).with_retry_after(Some(delay));
    let started = Instant::now();
    let log = succeeding_at(2, &Retry::standard(), &pay(), failure(seconds(20))).await;
    let delay = log.attempts()[1].delay.unwrap();
    assert_eq!(delay.source, DelaySource::RetryAfter);
    assert!((seconds(20)..=seconds(21)).contains(&delay.length), "{delay:?}");
    assert!(started.elapsed() >= delay.length && started.elapsed() < delay.length + millis(1));

    let started = Instant::now();
    let log = failing(&Retry::standard(), &pay(), failure(seconds(31))).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::ServerDelay(seconds(31))));
    assert_eq!(started.elapsed(), Duration::ZERO, "surfaced at once");

    let patient = Retry::builder().max_server_delay(seconds(60)).build();
    let log = succeeding_at(2, &patient, &pay(), failure(seconds(31))).await;
    assert_eq!(log.attempts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_gate_knows_who_vouches() {
    let caller = |repeat| Evidence::new(repeat, Source::Call);
    for (call, made) in [
        (pay(), 1),
        (pay().with_evidence(caller(Repeat::Keyed)), 3),
        (pay().with_evidence(caller(Repeat::Idempotent)), 3),
        (read(), 3),
        (read().with_evidence(caller(Repeat::Unsafe)), 1),
    ] {
        assert_eq!(failing(&every_second(), &call, broken()).await.attempts().len(), made, "{call:?}");
    }
    let cancelled = Failure::new(Layer::Local, mcp_retry::Delivery::NotSent, FailureKind::Cancelled);
    let always = Retry::builder().policy(policy_fn("always", |_| Decision::retry())).build();
    assert_eq!(failing(&always, &read(), cancelled).await.attempts().len(), 1);
}
