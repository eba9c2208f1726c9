//! The loop: attempts, waits and opinions under one deadline, on a paused clock.
#![cfg(feature = "tokio")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests, which fail by panicking")]

mod support;

use std::{
    future::{Future, pending, ready},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mcp_retry::{
    Attempt, AttemptContext, AttemptLog, AttemptObserver, AttemptRecord, Backoff, Budget, Call, Constant,
    Decision, Delay, DelaySource, Ended, Evidence, Failure, FailureKind, Layer, NeverRetry, Origin, Repeat,
    Retry, RetryPolicy, RetryPolicyExt, Safety, Source, Standard, StopReason, Tokens, async_trait, policy_fn,
};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use self::support::{Fault, broken, not_sent};

type Outcome = Result<&'static str, Fault>;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn pay<'a>() -> Call<'a> {
    Call::new("tools/call").on("https://bank.example/mcp").named("pay")
}

fn read<'a>() -> Call<'a> {
    Call::new("resources/read").named("file:///notes")
}

/// Waits of one second, and no budget that could run out.
fn every_second() -> Retry {
    Retry::builder().backoff(Constant(seconds(1))).without_budget().build()
}

/// Fails where a call would hang.
async fn within_a_day<T>(run: impl Future<Output = T>) -> T {
    timeout(seconds(86_400), run).await.unwrap()
}

/// A call that always fails like this, at once.
async fn failing(retry: &Retry, call: &Call<'_>, failure: Failure<'static>) -> AttemptLog {
    let (outcome, log) = within_a_day(retry.run(call, |_| ready(Outcome::Err(Fault(failure))))).await;
    assert_eq!(outcome, Err(Fault(failure)), "the last error, as it was");
    log
}

/// A call that fails like this until its nth attempt, which succeeds.
async fn succeeding_at(number: u32, retry: &Retry, call: &Call<'_>, failure: Failure<'static>) -> AttemptLog {
    let (outcome, log) = retry
        .run(call, |attempt| ready(if attempt.number < number { Err(Fault(failure)) } else { Ok("done") }))
        .await;
    assert_eq!(outcome, Ok("done"));
    log
}

fn stopped(log: &AttemptLog) -> &StopReason {
    log.stopped().unwrap()
}

fn waits(log: &AttemptLog) -> Vec<Duration> {
    log.attempts().iter().filter_map(|attempt| Some(attempt.delay?.length)).collect()
}

fn origins(log: &AttemptLog) -> Vec<Origin> {
    log.attempts().iter().map(|attempt| attempt.origin).collect()
}

// ---- the log, and each reason to stop

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

// ---- exact waits

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

// ---- the deadline

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

// ---- policies that misbehave

/// Never comes to a decision.
#[derive(Debug)]
struct Undecided;

#[async_trait]
impl RetryPolicy for Undecided {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_never_returns_is_bounded_by_the_deadline() {
    let retry = Retry::builder().policy(Undecided).build();
    let started = Instant::now();
    let log = failing(&retry, &pay().with_timeout(seconds(5)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(5));
    // Also one that is hidden behind others.
    let retry = Retry::builder().policy(Standard.guarded_by(Undecided).or_else(NeverRetry)).build();
    let log = failing(&retry, &pay().with_timeout(seconds(5)), not_sent()).await;
    assert_eq!(stopped(&log), &StopReason::Deadline);
}

/// Asks a person, who needs two seconds.
#[derive(Debug)]
struct AskSomebody;

#[async_trait]
impl RetryPolicy for AskSomebody {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        sleep(seconds(2)).await;
        Decision::retry().by(Origin::User)
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_that_a_policy_takes_counts() {
    let retry = Retry::builder().policy(AskSomebody).backoff(Constant(seconds(1))).build();
    let started = Instant::now();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!(started.elapsed(), seconds(3));
    assert_eq!((origins(&log), log.origin()), (vec![Origin::None, Origin::User], Origin::User));
    assert_eq!(log.attempts()[1].decided_by.as_deref(), Some("AskSomebody"));
    // The wait would have fitted before the question, and does not after it.
    let started = Instant::now();
    let log = failing(&retry, &pay().with_timeout(millis(2_500)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(2));
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_panics_says_stop_and_the_error_survives() {
    let log = failing(&panicking_policy(policy_fn("bug", |_| panic!("a bug"))), &read(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Policy("the policy panicked".into())));
    // After it has waited, and before it has even made a future.
    for retry in [panicking_policy(PanicsLater), panicking_policy(PanicsEarly)] {
        let log = failing(&retry, &read(), not_sent()).await;
        assert!(matches!(stopped(&log), StopReason::Policy(_)), "{log:?}");
    }
    // Nobody else is asked then: what the policy was about to say is unknown.
    let retry = panicking_policy(policy_fn("bug", |_| panic!("a bug")).or_else(Standard));
    assert!(matches!(stopped(&failing(&retry, &read(), not_sent()).await), StopReason::Policy(_)));
    let retry = panicking_policy(Standard.guarded_by(policy_fn("bug", |_| panic!("a bug"))));
    assert!(matches!(stopped(&failing(&retry, &read(), not_sent()).await), StopReason::Policy(_)));
}

fn panicking_policy(policy: impl RetryPolicy + 'static) -> Retry {
    Retry::builder().policy(policy).build()
}

#[derive(Debug)]
struct PanicsLater;

#[async_trait]
impl RetryPolicy for PanicsLater {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        sleep(seconds(1)).await;
        panic!("a bug")
    }
}

#[derive(Debug)]
struct PanicsEarly;

impl RetryPolicy for PanicsEarly {
    fn decide<'a, 'b, 'c, 'd>(
        &'a self,
        _: &'b Attempt<'c>,
    ) -> Pin<Box<dyn Future<Output = Decision> + Send + 'd>>
    where
        'a: 'd,
        'b: 'd,
        'c: 'd,
    {
        panic!("a bug")
    }
}

/// Panics wherever it is asked for more than its opinion.
struct Nameless;

impl std::fmt::Debug for Nameless {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("a bug")
    }
}

#[async_trait]
impl RetryPolicy for Nameless {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        Decision::retry()
    }
}

#[derive(Debug)]
struct BrokenBackoff;

impl Backoff for BrokenBackoff {
    fn delay(&self, _: u32, _: &Failure<'_>, _: f64) -> Duration {
        panic!("a bug")
    }
}

#[derive(Debug)]
struct BrokenObserver;

impl AttemptObserver for BrokenObserver {
    fn attempt_ended(&self, _: &Call<'_>, _: &AttemptRecord) {
        panic!("a bug")
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_somebody_elses_code_never_loses_the_outcome() {
    let retry = Retry::builder().policy(Nameless).build();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!(log.attempts()[1].decided_by, None);

    let retry = Retry::builder().backoff(BrokenBackoff).build();
    let log = failing(&retry, &pay(), not_sent()).await;
    assert_eq!(
        (log.attempts().len(), stopped(&log)),
        (1, &StopReason::Policy("the backoff panicked".into()))
    );

    let retry = Retry::builder().observer(BrokenObserver).build();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (2, &StopReason::Done));

    let retry = Retry::builder().budget(TestBudget::new(Withdraw::Yes).panicking_on_success()).build();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!(stopped(&log), &StopReason::Done);
}

/// Number, time passed, time left, safety, length of the history, kind.
type Shown = (u32, Duration, Option<Duration>, Safety, usize, FailureKind);

/// Remembers what it was shown.
#[derive(Debug, Default)]
struct Witness(Mutex<Vec<Shown>>);

#[async_trait]
impl RetryPolicy for Witness {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        self.0.lock().unwrap().push((
            attempt.number(),
            attempt.elapsed(),
            attempt.remaining(),
            attempt.safety(),
            attempt.history().len(),
            attempt.failure().kind(),
        ));
        Decision::retry().by(Origin::Business)
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_shown_facts_and_durations() {
    let witness = Arc::new(Witness::default());
    let retry =
        Retry::builder().policy(Arc::clone(&witness)).backoff(Constant(seconds(1))).max_attempts(2).build();
    let _ = retry
        .run(&pay().with_timeout(seconds(10)), |attempt| async move {
            sleep(seconds(2)).await;
            Outcome::Err(Fault(if attempt.number == 1 {
                not_sent()
            } else {
                Failure::from_status(500, None)
            }))
        })
        .await;
    assert_eq!(
        *witness.0.lock().unwrap(),
        [
            (1, seconds(2), Some(seconds(8)), Safety::Safe, 1, FailureKind::Unavailable),
            (2, seconds(5), Some(seconds(5)), Safety::MayHaveRun, 2, FailureKind::ServerFault),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_first_opinion_wins_and_a_guards_stop_wins_over_all() {
    let log_of = |policy: Arc<dyn RetryPolicy>| async move {
        let retry = Retry::builder().policy(policy).max_attempts(2).backoff(Constant(seconds(1))).build();
        failing(&retry, &pay(), not_sent()).await
    };
    let abstains = || policy_fn("abstains", |_| Decision::Abstain);
    let business = || policy_fn("business", |_| Decision::retry().by(Origin::Business));
    let no = |why: &'static str| policy_fn("no", move |_| Decision::stop(why));

    let log = log_of(Arc::new(abstains().or_else(business()).or_else(no("too late")))).await;
    assert_eq!((log.attempts().len(), log.origin()), (2, Origin::Business));
    let log = log_of(Arc::new(no("first").or_else(business()))).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Policy("first".into())));
    let log = log_of(Arc::new(business().guarded_by(no("guard")))).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Policy("guard".into())));
    // A guard that asks for a repetition asks in vain.
    let log = log_of(Arc::new(abstains().guarded_by(business()))).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Done));
    let log = log_of(Arc::new(business().guarded_by(abstains()))).await;
    assert_eq!((log.attempts().len(), log.origin()), (2, Origin::Business));
}

#[tokio::test(start_paused = true)]
async fn a_long_name_is_cut() {
    #[derive(Debug)]
    #[allow(dead_code, reason = "read by Debug")]
    struct Verbose(String);
    #[async_trait]
    impl RetryPolicy for Verbose {
        async fn decide(&self, _: &Attempt<'_>) -> Decision {
            Decision::retry()
        }
    }
    let retry = Retry::builder().policy(Verbose("é".repeat(500))).build();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!(log.attempts()[1].decided_by.as_deref().unwrap().chars().count(), 64);
}

// ---- the budget

#[derive(Clone, Copy, Debug)]
enum Withdraw {
    Yes,
    No,
    After(Duration),
    Never,
    Panic,
}

/// Counts what it is asked, and answers as it is told.
#[derive(Debug)]
struct TestBudget {
    answer: Withdraw,
    withdrawals: AtomicU32,
    successes: Mutex<Vec<bool>>,
    panics_on_success: bool,
}

impl TestBudget {
    fn new(answer: Withdraw) -> Self {
        Self { answer, withdrawals: AtomicU32::new(0), successes: Mutex::default(), panics_on_success: false }
    }

    fn panicking_on_success(mut self) -> Self {
        self.panics_on_success = true;
        self
    }

    fn seen(&self) -> (u32, Vec<bool>) {
        (self.withdrawals.load(Ordering::Relaxed), self.successes.lock().unwrap().clone())
    }
}

#[async_trait]
impl Budget for TestBudget {
    async fn withdraw(&self) -> bool {
        self.withdrawals.fetch_add(1, Ordering::Relaxed);
        match self.answer {
            Withdraw::Yes => true,
            Withdraw::No => false,
            Withdraw::After(delay) => {
                sleep(delay).await;
                true
            }
            Withdraw::Never => pending().await,
            Withdraw::Panic => panic!("a bug"),
        }
    }

    fn record_success(&self, was_retry: bool) {
        self.successes.lock().unwrap().push(was_retry);
        assert!(!self.panics_on_success, "a bug");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_budget_stops_at_once() {
    let started = Instant::now();
    for answer in [Withdraw::No, Withdraw::Panic] {
        let retry = Retry::builder().budget(TestBudget::new(answer)).build();
        let log = failing(&retry, &pay(), not_sent()).await;
        assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Budget), "{answer:?}");
        // The first attempt is never gated.
        assert_eq!(succeeding_at(1, &retry, &pay(), not_sent()).await.attempts().len(), 1);
    }
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_blocks_is_bounded_by_the_deadline() {
    let retry = Retry::builder().budget(TestBudget::new(Withdraw::Never)).build();
    let started = Instant::now();
    let log = failing(&retry, &pay().with_timeout(seconds(5)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(5));
    // One that takes its time: the wait does not fit any more, and is not begun.
    let slow = TestBudget::new(Withdraw::After(seconds(3)));
    let retry = Retry::builder().budget(slow).backoff(Constant(seconds(2))).build();
    let started = Instant::now();
    let log = failing(&retry, &pay().with_timeout(seconds(5)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(3));
    let log = succeeding_at(2, &retry, &pay().with_timeout(millis(5_001)), not_sent()).await;
    assert_eq!(log.attempts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_asked_last_and_told_of_successes() {
    let budget = Arc::new(TestBudget::new(Withdraw::Yes));
    let retry = Retry::builder().budget(Arc::clone(&budget)).backoff(Constant(seconds(1))).build();
    let server_delay = not_sent().with_retry_after(Some(seconds(31)));
    failing(&retry, &pay(), broken()).await;
    failing(&retry, &pay(), Failure::from_code(-32602)).await;
    failing(&retry, &pay(), server_delay).await;
    failing(&retry, &pay().with_timeout(seconds(1)), not_sent()).await;
    assert_eq!(budget.seen(), (0, vec![]), "nothing is paid for what is not repeated");
    failing(&retry, &pay(), not_sent()).await;
    assert_eq!(budget.seen(), (2, vec![]), "two repetitions, and no third");
    succeeding_at(1, &retry, &pay(), not_sent()).await;
    succeeding_at(3, &retry, &pay(), not_sent()).await;
    assert_eq!(budget.seen(), (4, vec![false, true]));
}

#[tokio::test(start_paused = true)]
async fn two_configurations_share_a_budget_by_arc() {
    let budget = Arc::new(Tokens::new(3));
    let [one, other] =
        [(); 2].map(|()| Retry::builder().budget(Arc::clone(&budget)).backoff(Constant(seconds(1))).build());
    assert_eq!(failing(&one, &pay(), not_sent()).await.attempts().len(), 3);
    assert_eq!(budget.left(), 1);
    let log = failing(&other, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (2, &StopReason::Budget));
    let log = failing(&one, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Budget));
    // Ten first-try successes of one client pay for a repetition of the other.
    for _ in 0..10 {
        succeeding_at(1, &one, &pay(), not_sent()).await;
    }
    let log = succeeding_at(2, &other, &pay(), not_sent()).await;
    assert_eq!(log.attempts().len(), 2);
    assert_eq!(budget.left(), 1, "a successful repetition gives its cost back");
}

#[tokio::test(start_paused = true)]
async fn clones_share_the_default_budget_and_other_configurations_do_not() {
    let retry = Retry::builder().backoff(Constant(seconds(1))).build();
    for _ in 0..5 {
        assert_eq!(stopped(&failing(&retry.clone(), &pay(), not_sent()).await), &StopReason::Attempts);
    }
    assert_eq!(stopped(&failing(&retry, &pay(), not_sent()).await), &StopReason::Budget, "ten tokens");
    assert_eq!(stopped(&failing(&Retry::standard(), &pay(), not_sent()).await), &StopReason::Attempts);
}

// ---- observers, continuing, dropping

type Events = Arc<Mutex<Vec<String>>>;

#[derive(Debug)]
struct Observer(Events);

impl AttemptObserver for Observer {
    fn attempt_ended(&self, call: &Call<'_>, attempt: &AttemptRecord) {
        let name = call.name().unwrap_or_default();
        let outcome = attempt.failed.as_deref().unwrap_or("fine");
        self.0.lock().unwrap().push(format!("{name} {} ended: {outcome}", attempt.number));
    }
}

#[tokio::test(start_paused = true)]
async fn observers_see_each_attempt_before_the_next() {
    let events = Events::default();
    let policy = {
        let events = Arc::clone(&events);
        policy_fn("listed", move |attempt| {
            events.lock().unwrap().push(format!("asked about {}", attempt.number()));
            Decision::retry()
        })
    };
    let retry = Retry::builder().observer(Observer(Arc::clone(&events))).policy(policy).build();
    let _ = retry
        .run(&pay(), |attempt| {
            events.lock().unwrap().push(format!("attempt {}", attempt.number));
            ready(if attempt.number < 3 { Err(Fault(not_sent())) } else { Ok(()) })
        })
        .await;
    assert_eq!(
        *events.lock().unwrap(),
        [
            "attempt 1",
            "pay 1 ended: Unavailable",
            "asked about 1",
            "attempt 2",
            "pay 2 ended: Unavailable",
            "asked about 2",
            "attempt 3",
            "pay 3 ended: fine",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_person_tries_again_and_the_log_goes_on() {
    let retry = every_second();
    let log = failing(&retry, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (3, &StopReason::Attempts));

    let started = Instant::now();
    let mut running = retry.begin(pay().with_timeout(seconds(10))).continuing(log, Origin::User);
    assert_eq!(running.log().stopped(), None, "it runs again");
    let first = running.attempt();
    assert_eq!((first.number, first.origin, first.remaining), (4, Origin::User, Some(seconds(10))));
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    let second = running.attempt();
    assert_eq!((second.number, second.origin, second.remaining), (5, Origin::Sdk, Some(seconds(9))));
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    assert_eq!(running.attempt().number, 6);
    // The limits start anew: three attempts again, and no more.
    assert!(!running.ended(Some(not_sent()), Ended::default()).await);
    assert_eq!(started.elapsed(), seconds(2), "a person is not made to wait");
    let log = running.finish();
    assert_eq!(log.attempts().iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let (none, sdk, user) = (Origin::None, Origin::Sdk, Origin::User);
    assert_eq!(origins(&log), [none, sdk, sdk, user, sdk, sdk]);
    assert_eq!(stopped(&log), &StopReason::Attempts);
    assert_eq!(log.attempts()[3].delay, None);
}

#[tokio::test(start_paused = true)]
async fn trying_again_at_last_succeeds_on_the_persons_behalf() {
    let budget = Arc::new(TestBudget::new(Withdraw::Yes));
    let retry = Retry::builder().budget(Arc::clone(&budget)).build();
    let log = failing(&retry, &pay(), broken()).await;
    let mut running = retry.begin(pay()).continuing(log, Origin::User);
    running.attempt();
    assert!(!running.ended(None, Ended::default()).await);
    let log = running.finish();
    assert_eq!((log.attempts().len(), stopped(&log), log.origin()), (2, &StopReason::Done, Origin::User));
    assert_eq!(budget.seen(), (0, vec![false]), "a new first attempt");
}

#[tokio::test(start_paused = true)]
async fn continuing_opens_no_gate() {
    let retry = every_second();
    let log = failing(&retry, &pay(), broken()).await;
    let mut running = retry.begin(pay()).continuing(log, Origin::User);
    running.attempt();
    assert!(!running.ended(Some(broken()), Ended::default()).await);
    assert_eq!(stopped(running.log()), &StopReason::MayHaveRun);
}

#[tokio::test(start_paused = true)]
async fn a_note_belongs_to_the_first_attempt_of_the_person() {
    let retry = every_second();
    let log = failing(&retry, &pay(), not_sent()).await;
    let mut running =
        retry.begin(pay()).continuing(log, Origin::User).with_note("the user accepts a second payment");
    running.attempt();
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    running.attempt();
    assert!(!running.ended(None, Ended::default()).await);
    let log = running.finish();
    let notes: Vec<_> = log.attempts().iter().map(|attempt| attempt.note.as_deref()).collect();
    assert_eq!(notes, [None, None, None, Some("the user accepts a second payment"), None]);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_attempt_stands_in_the_log_that_is_taken() {
    let retry = every_second();
    let mut running = retry.begin(pay());
    running.attempt();
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    running.attempt();
    sleep(millis(300)).await;
    running.abandon(Ended { request_id: Some(2_i64.into()), failed: Some("CANCELLED".into()) });
    let log = running.take_log();
    let last = log.attempts().last().unwrap();
    assert_eq!((last.number, last.took, last.failed.as_deref()), (2, millis(300), Some("CANCELLED")));
    assert_eq!((last.origin, last.delay.map(|delay| delay.length)), (Origin::Sdk, Some(seconds(1))));
    assert!(running.log().attempts().is_empty());
}

/// Notes when it is dropped.
struct Dropped(Events);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.lock().unwrap().push("dropped".into());
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_stops_everything() {
    // During the wait: at 1.5 s the second attempt has failed, and the third would come at 2 s.
    let events = Events::default();
    let (retry, call) = (every_second(), pay());
    let run = retry.run(&call, |attempt| {
        events.lock().unwrap().push(format!("attempt {}", attempt.number));
        ready(Outcome::Err(Fault(not_sent())))
    });
    assert!(timeout(millis(1_500), run).await.is_err());
    sleep(seconds(3_600)).await;
    assert_eq!(*events.lock().unwrap(), ["attempt 1", "attempt 2"]);

    // During an attempt: it is dropped too.
    let events = Events::default();
    let observer = Observer(Arc::clone(&events));
    let retry = Retry::builder().observer(observer).backoff(Constant(seconds(1))).build();
    let call = pay();
    let run = retry.run(&call, |attempt| {
        events.lock().unwrap().push(format!("attempt {}", attempt.number));
        let dropped = Dropped(Arc::clone(&events));
        async move {
            let _dropped = dropped;
            pending::<Outcome>().await
        }
    });
    assert!(timeout(seconds(1), run).await.is_err());
    sleep(seconds(3_600)).await;
    assert_eq!(*events.lock().unwrap(), ["attempt 1", "dropped"]);

    // While a policy is asked.
    let attempts = AtomicU32::new(0);
    let retry = Retry::builder().policy(AskSomebody).build();
    let run = retry.run(&call, |_| {
        attempts.fetch_add(1, Ordering::Relaxed);
        ready(Outcome::Err(Fault(not_sent())))
    });
    assert!(timeout(seconds(1), run).await.is_err());
    sleep(seconds(3_600)).await;
    assert_eq!(attempts.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_can_be_spawned() {
    fn assert_shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    let retry = Retry::standard();
    assert_shared(&retry);
    let task = tokio::spawn(async move {
        let call = pay();
        let (outcome, log) = retry.run(&call, |_| async { Outcome::Ok("paid") }).await;
        (outcome, log.attempts().len())
    });
    assert_eq!(task.await.unwrap(), (Ok("paid"), 1));
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
