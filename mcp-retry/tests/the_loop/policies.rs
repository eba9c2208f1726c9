//! Policies: what they are shown, and what happens when they misbehave.

use std::{
    future::{Future, pending},
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_retry::{
    Attempt, AttemptObserver, AttemptRecord, Backoff, Call, Constant, Decision, Failure, FailureKind,
    NeverRetry, Origin, Retry, RetryPolicy, RetryPolicyExt, Safety, Standard, StopReason, async_trait,
    policy_fn,
};
use tokio::time::{Instant, sleep};

use crate::{
    Outcome,
    budget::{TestBudget, Withdraw},
    failing, millis, origins, pay, read, seconds, stopped, succeeding_at,
    support::{Fault, not_sent},
};

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
pub(crate) struct AskSomebody;

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

    fn name(&self) -> String {
        panic!("a bug")
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
async fn a_name_is_that_of_the_type_and_shows_no_secret() {
    #[derive(Debug)]
    #[allow(dead_code, reason = "read by Debug")]
    struct Verbose(String);
    #[async_trait]
    impl RetryPolicy for Verbose {
        async fn decide(&self, _: &Attempt<'_>) -> Decision {
            Decision::retry()
        }
    }
    let retry = Retry::builder().policy(Verbose("secret".repeat(500))).build();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!(log.attempts()[1].decided_by.as_deref(), Some("Verbose"));
    let combined = policy_fn("é".repeat(500), |_| Decision::retry()).or_else(Standard);
    let retry = Retry::builder().policy(combined).build();
    let log = succeeding_at(2, &retry, &pay(), not_sent()).await;
    assert_eq!(log.attempts()[1].decided_by.as_deref().unwrap().chars().count(), 64);
}
