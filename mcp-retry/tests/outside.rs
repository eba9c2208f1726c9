//! A policy, a backoff, a budget, an observer and an error of one's own, as another crate would write them.
#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mcp_retry::{
    Attempt, AttemptObserver, AttemptRecord, Backoff, Budget, Call, Classify, Decision, Delivery, Evidence,
    Failure, FailureKind, Layer, Origin, Repeat, Retry, RetryPolicy, RetryPolicyExt, Source, Standard,
    StopReason, async_trait,
};

/// A tool that reports "busy" is asked again, by the rules of the house.
#[derive(Debug)]
struct WhileBusy;

#[async_trait]
impl RetryPolicy for WhileBusy {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        match attempt.failure().message() {
            Some("busy") => Decision::retry().by(Origin::Business),
            _ => Decision::Abstain,
        }
    }
}

/// Waits that grow by the same step each time, and twice as fast when a quota is exceeded.
#[derive(Debug)]
struct Linear(Duration);

impl Backoff for Linear {
    fn delay(&self, retry: u32, failure: &Failure<'_>, _: f64) -> Duration {
        let factor = if failure.kind() == FailureKind::RateLimited { 2 } else { 1 };
        self.0 * retry * factor
    }
}

/// So many repetitions in the life of the process.
#[derive(Debug)]
struct Quota(AtomicU32);

#[async_trait]
impl Budget for Quota {
    async fn withdraw(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn record_success(&self, _: bool) {}
}

/// Collects how attempts ended.
#[derive(Debug, Default)]
struct Journal(Mutex<Vec<String>>);

#[derive(Debug)]
struct Writing(Arc<Journal>);

impl AttemptObserver for Writing {
    fn attempt_ended(&self, call: &Call<'_>, attempt: &AttemptRecord) {
        let line = format!("{} on {}: {:?}", call.name().unwrap_or("-"), call.server(), attempt.failed);
        self.0.0.lock().unwrap().push(line);
    }
}

/// An error of somebody else's client.
#[derive(Debug, PartialEq)]
enum ShopError {
    Busy,
    TooMany,
    ConnectionReset,
}

impl Classify for ShopError {
    fn failure(&self) -> Option<Failure<'_>> {
        Some(match self {
            Self::Busy => Failure::new(Layer::Application, Delivery::Answered, FailureKind::ToolError)
                .with_message("busy"),
            Self::TooMany => Failure::from_status(429, None),
            Self::ConnectionReset => {
                Failure::new(Layer::Transport, Delivery::Unknown, FailureKind::Unavailable)
            }
        })
    }
}

fn retry() -> Retry {
    Retry::builder()
        .policy(WhileBusy.or_else(Standard))
        .backoff(Linear(Duration::from_secs(1)))
        .budget(Quota(AtomicU32::new(4)))
        .max_attempts(4)
        .build()
}

fn order<'a>() -> Call<'a> {
    Call::new("tools/call").on("https://shop.example/mcp").named("order")
}

#[tokio::test(start_paused = true)]
async fn a_policy_and_a_backoff_from_outside() {
    let keyed = order().with_evidence(Evidence::new(Repeat::Keyed, Source::Call));
    let started = tokio::time::Instant::now();
    let (outcome, log) = retry()
        .run(&keyed, |attempt| async move {
            match attempt.number {
                1 => Err(ShopError::Busy),
                2 => Err(ShopError::TooMany),
                3 => Err(ShopError::ConnectionReset),
                _ => Ok("ordered"),
            }
        })
        .await;
    assert_eq!(outcome, Ok("ordered"));
    assert_eq!(started.elapsed(), Duration::from_secs(1 + 2 * 2 + 3));
    let origins: Vec<_> = log.attempts().iter().map(|attempt| attempt.origin).collect();
    assert_eq!(origins, [Origin::None, Origin::Business, Origin::Sdk, Origin::Sdk]);
    let name = log.attempts()[1].decided_by.as_deref().unwrap();
    assert!(name.contains("WhileBusy"), "{name}");
}

#[tokio::test(start_paused = true)]
async fn the_gate_holds_for_policies_from_outside() {
    for error in [|| ShopError::Busy, || ShopError::ConnectionReset] {
        let (outcome, log) = retry().run(&order(), |_| async { Err::<(), _>(error()) }).await;
        assert_eq!(outcome, Err(error()));
        assert_eq!((log.attempts().len(), log.stopped()), (1, Some(&StopReason::MayHaveRun)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_budget_from_outside() {
    let retry = retry();
    for (attempts, reason) in [(4, StopReason::Attempts), (2, StopReason::Budget), (1, StopReason::Budget)] {
        let (_, log) = retry.run(&order(), |_| async { Err::<(), _>(ShopError::TooMany) }).await;
        assert_eq!((log.attempts().len(), log.stopped()), (attempts, Some(&reason)));
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_from_outside() {
    let journal = Arc::new(Journal::default());
    let retry = Retry::builder().observer(Writing(Arc::clone(&journal))).build();
    let (outcome, _) = retry
        .run(
            &order(),
            |attempt| async move { if attempt.number == 1 { Err(ShopError::TooMany) } else { Ok(()) } },
        )
        .await;
    assert_eq!(outcome, Ok(()));
    assert_eq!(
        *journal.0.lock().unwrap(),
        [
            r#"order on https://shop.example/mcp: Some("RateLimited")"#,
            "order on https://shop.example/mcp: None",
        ]
    );
}
