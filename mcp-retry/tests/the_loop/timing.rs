//! Exact waits, and the deadline.

use std::{future::ready, sync::Mutex, time::Duration};

use mcp_retry::{AttemptContext, Constant, Decision, DelaySource, Failure, Retry, StopReason, policy_fn};
use tokio::time::{Instant, sleep};

use crate::{
    Outcome, every_second, failing, millis, pay, read, seconds, stopped,
    support::{Fault, broken, not_sent},
    waits,
};

#[tokio::test(start_paused = true)]
async fn a_seed_fixes_the_waits() {
    let retry = Retry::builder().seed(42).max_attempts(10).without_budget().build();
    let started = Instant::now();
    let log = failing(&retry, &pay(), not_sent()).await;
    let expected = GOLDEN.map(Duration::from_nanos);
    assert_eq!(waits(&log), expected);
    let total: Duration = expected.iter().sum();
    // A timer of tokio has a granularity of one millisecond.
    assert!(started.elapsed() >= total && started.elapsed() < total + millis(9));
    assert!(
        log.attempts().iter().skip(1).all(|attempt| attempt.delay.unwrap().source == DelaySource::Backoff)
    );
    for full in [200, 400, 800, 1_600, 3_200, 6_400, 8_000, 8_000, 8_000].into_iter().zip(&expected) {
        assert!(*full.1 < millis(full.0), "full jitter stays below {full:?}");
    }

    // The same configuration, a clone of it, and another one with the same seed.
    assert_eq!(waits(&failing(&retry, &pay(), not_sent()).await), expected);
    assert_eq!(waits(&failing(&retry.clone(), &read(), broken()).await), expected);
    let other = Retry::builder().seed(42).max_attempts(4).build();
    assert_eq!(waits(&failing(&other, &pay(), not_sent()).await), expected[..3]);
    let other = Retry::builder().seed(43).max_attempts(4).build();
    assert_ne!(waits(&failing(&other, &pay(), not_sent()).await), expected[..3]);
}

/// `SplitMix64` with the seed 42, times 200 ms · 2ⁿ, at most 8 s.
const GOLDEN: [u64; 9] = [
    148_312_976,
    63_964_157,
    222_880_904,
    550_705_146,
    121_696_539,
    5_556_659_690,
    1_747_241_550,
    6_405_055_014,
    2_719_448_311,
];

#[tokio::test(start_paused = true)]
async fn without_a_seed_no_two_calls_wait_the_same() {
    let retry = Retry::builder().max_attempts(10).without_budget().build();
    let one = waits(&failing(&retry, &pay(), not_sent()).await);
    let other = waits(&failing(&retry, &pay(), not_sent()).await);
    assert_ne!(one, other);
}

#[tokio::test(start_paused = true)]
async fn no_sleep_that_cannot_fit_is_begun() {
    let started = Instant::now();
    for timeout in [Duration::ZERO, millis(999), seconds(1)] {
        let log = failing(&every_second(), &pay().with_timeout(timeout), not_sent()).await;
        assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline), "{timeout:?}");
        assert_eq!(started.elapsed(), Duration::ZERO, "it is not waited for either");
    }
    let log = failing(&every_second(), &pay().with_timeout(millis(1_001)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (2, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(1));
}

#[tokio::test(start_paused = true)]
async fn a_server_delay_beyond_the_deadline_ends_the_call_at_once() {
    let started = Instant::now();
    let failure = Failure::from_status(429, None).with_retry_after(Some(seconds(10)));
    let log = failing(&Retry::standard(), &pay().with_timeout(seconds(10)), failure).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn attempts_and_waits_share_one_deadline() {
    let retry = Retry::builder().backoff(Constant(seconds(1))).max_attempts(10).without_budget().build();
    let remaining = Mutex::new(Vec::new());
    let started = Instant::now();
    let (_, log) = retry
        .run(&pay().with_timeout(seconds(10)), |attempt: AttemptContext| {
            remaining.lock().unwrap().push(attempt.remaining.unwrap());
            // An attempt takes three seconds, or what is left.
            async move {
                sleep(seconds(3).min(attempt.remaining.unwrap())).await;
                Outcome::Err(Fault(not_sent()))
            }
        })
        .await;
    assert_eq!(*remaining.lock().unwrap(), [seconds(10), seconds(6), seconds(2)]);
    assert_eq!((log.attempts().len(), stopped(&log)), (3, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(10));
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_late_leaves_no_attempt_behind_the_deadline() {
    // Timers of tokio fire at whole milliseconds: this one at 11 ms.
    let retry = Retry::builder().backoff(Constant(Duration::from_micros(10_200))).build();
    let call = pay().with_timeout(Duration::from_micros(10_500));
    let log = failing(&retry, &call, not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
}

#[tokio::test(start_paused = true)]
async fn without_a_timeout_there_is_no_deadline_and_an_endless_timeout_is_none() {
    let seen = Mutex::new(Vec::new());
    for call in [pay(), pay().with_timeout(Duration::MAX)] {
        let _ = every_second()
            .run(&call, |attempt| {
                seen.lock().unwrap().push(attempt.remaining);
                ready(Outcome::Err(Fault(not_sent())))
            })
            .await;
    }
    assert_eq!(*seen.lock().unwrap(), [None; 6]);
}

#[tokio::test(start_paused = true)]
async fn endless_delays_end_the_call_and_hang_nobody() {
    let started = Instant::now();
    let endless = Failure::from_status(429, None).with_retry_after(Some(Duration::MAX));
    for timeout in [None, Some(Duration::MAX), Some(seconds(u64::MAX / 4))] {
        let call = timeout.map_or(pay(), |timeout| pay().with_timeout(timeout));
        let backoff = Retry::builder().backoff(Constant(Duration::MAX)).build();
        let policy = policy_fn("forever", |_| Decision::retry().after(Duration::MAX));
        let policy = Retry::builder().policy(policy).build();
        let server = Retry::builder().max_server_delay(Duration::MAX).build();
        for (retry, failure) in [(backoff, not_sent()), (policy, not_sent()), (server, endless)] {
            let log = failing(&retry, &call, failure).await;
            assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
        }
    }
    assert_eq!(started.elapsed(), Duration::ZERO);
}
