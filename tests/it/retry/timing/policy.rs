//! Policies and budgets of the application's: heard, bounded, and never trusted with safety.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mcp_client::{
    Delivery, OutcomeKind, async_trait,
    retry::{
        Attempt, Budget, Decision, FailureKind, Layer, NeverRetry, Origin, Retry, RetryPolicy,
        RetryPolicyExt as _, Safety, Standard, StopReason, Tokens, policy_fn,
    },
};
use serde_json::Value;
use tokio::time::Instant;

use super::{SECOND, assert_since, millis, steady};
use crate::{
    retry::{Act, Play, TOOL_ERROR, always, attempts, stopped},
    support::record,
};

/// Takes its time to say what it says.
#[derive(Debug)]
struct Slow(Duration, Decision);

#[async_trait]
impl RetryPolicy for Slow {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        tokio::time::sleep(self.0).await;
        self.1.clone()
    }
}

/// Panics, at once or after a while.
#[derive(Debug)]
struct Panics(Duration);

#[async_trait]
impl RetryPolicy for Panics {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        if !self.0.is_zero() {
            tokio::time::sleep(self.0).await;
        }
        panic!("no idea")
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_never_returns_is_bounded_by_the_deadline() {
    let play = Play::new([Act::limited("1"), Act::good()]);
    let forever = Slow(Duration::MAX, Decision::retry());
    let client = play.client().timeout(5 * SECOND).retry(steady().policy(forever).build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").send().await;
    assert_since(started, 5 * SECOND);
    assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Deadline), 1));
    // The failure is the call's own: the policy adds none.
    let error = ended.unwrap_err();
    assert_eq!(
        (error.http_status(), error.retry_after(), error.is_timeout()),
        (Some(429), Some(SECOND), false)
    );
}

#[tokio::test(start_paused = true)]
async fn a_policy_may_take_its_time() {
    let play = Play::new([Act::status(429), Act::good()]);
    let slow = Slow(3 * SECOND, Decision::retry().by(Origin::User));
    let client = play.client().timeout(5 * SECOND).retry(steady().policy(slow).build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").send().await;
    assert_since(started, millis(3100));
    assert_eq!(
        (record(&ended).outcome, record(&ended).retry_origin()),
        (OutcomeKind::ToolSuccess, Origin::User)
    );
    // What it takes is part of the deadline: the wait has to fit what is left.
    let play = Play::new([Act::status(429), Act::good()]);
    let slow = Slow(3 * SECOND, Decision::retry().after(2 * SECOND));
    let client = play.client().timeout(5 * SECOND).retry(steady().policy(slow).build()).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").send().await;
    assert_since(started, 3 * SECOND);
    assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Deadline), 1));
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_panics_stops_and_breaks_nothing() {
    for after in [Duration::ZERO, SECOND] {
        let play = Play::new([Act::status(429), Act::good()]);
        let client = play.client().retry(steady().policy(Panics(after)).build()).build().unwrap();
        let started = Instant::now();
        let ended = client.call_tool("x").send().await;
        assert_since(started, after);
        assert_eq!(stopped(&ended), Some(&StopReason::Policy("the policy panicked".into())));
        assert_eq!(ended.unwrap_err().http_status(), Some(429));
        assert!(client.call_tool("x").send().await.is_ok(), "the client is as good as before");
        assert_eq!(play.count(), 2);
    }
}

/// What a policy is shown, of each failure.
#[tokio::test(start_paused = true)]
async fn a_policy_sees_the_facts() {
    let seen: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&seen);
    let policy = policy_fn("watching", move |attempt| {
        let failure = attempt.failure();
        notes.lock().unwrap().push(format!(
            "{} {:?} {} {} {:?} {:?} {:?} {:?} {} {} {} {:?} {}",
            attempt.call().method(),
            attempt.call().name(),
            failure.layer(),
            failure.delivery(),
            failure.kind(),
            failure.status(),
            failure.code(),
            failure.message(),
            attempt.number(),
            attempt.elapsed().as_secs(),
            // Timers are late by a tick.
            (attempt.remaining().unwrap() + millis(10)).as_secs(),
            attempt.safety(),
            attempt.history().len(),
        ));
        Decision::retry().after(SECOND)
    });
    let error = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32000,"message":"busy"}}"#;
    let play = Play::new([
        Act::Http(429, vec![], error),
        Act::Http(200, vec![], TOOL_ERROR),
        Act::Http(200, vec![], error),
        Act::Http(200, vec![], "{"),
        Act::good(),
    ]);
    let retry = Retry::builder().policy(policy).max_attempts(10).build();
    let client = play.client().timeout(30 * SECOND).retry(retry).build().unwrap();
    assert!(client.call_tool("x").idempotent().send().await.is_ok());
    let seen = seen.lock().unwrap();
    let call = r#"tools/call Some("x")"#;
    assert_eq!(
        *seen,
        [
            format!(
                r#"{call} transport refused RateLimited Some(429) Some(-32000) Some("busy") 1 0 30 Safe 1"#
            ),
            format!(
                r#"{call} application answered ToolError Some(200) None Some("try again later") 2 1 29 Safe 2"#
            ),
            format!(
                r#"{call} protocol answered ServerFault Some(200) Some(-32000) Some("busy") 3 2 28 Safe 3"#
            ),
            format!("{call} protocol unknown BadReply Some(200) None None 4 3 27 Safe 4"),
        ]
    );
}

/// A tool's own error is an answer. The application may know better, where repeating is harmless.
fn business() -> impl RetryPolicy + 'static {
    policy_fn("quota", |attempt| match attempt.failure().kind() {
        FailureKind::ToolError => Decision::retry().by(Origin::Business),
        _ => Decision::Abstain,
    })
}

#[tokio::test(start_paused = true)]
async fn a_business_retry_of_a_tools_own_error() {
    let script = || Play::new([Act::Http(200, vec![], TOOL_ERROR), Act::good()]);
    let play = script();
    let client = play.client().retry(steady().policy(business().or_else(Standard)).build()).build().unwrap();
    let ended = client.call_tool("x").idempotent().send().await;
    let record = record(&ended);
    assert_eq!((record.outcome, record.retry_origin()), (OutcomeKind::ToolSuccess, Origin::Business));
    let line: Value = serde_json::from_str(&record.to_json()).unwrap();
    assert_eq!(line["retryOrigin"], "business");
    assert_eq!(line["attempts"][0]["failed"], "TOOL_ERROR");
    assert_eq!(line["attempts"][1]["origin"], "business");

    // Without evidence it was done once, and stays a tool's error.
    let play = script();
    let client = play.client().retry(steady().policy(business()).build()).build().unwrap();
    let ended = client.call_tool("x").send().await;
    assert_eq!((play.count(), stopped(&ended)), (1, Some(&StopReason::MayHaveRun)));
    assert_eq!(crate::support::record(&ended).outcome, OutcomeKind::ToolError);
    // And nobody but the application asks for it.
    let play = script();
    let client = play.client().retry(steady().build()).build().unwrap();
    let ended = client.call_tool("x").idempotent().send().await;
    assert_eq!((play.count(), stopped(&ended)), (1, Some(&StopReason::Done)));
    assert_eq!(crate::support::record(&ended).outcome, OutcomeKind::ToolError);
}

#[tokio::test(start_paused = true)]
async fn the_first_opinion_wins_and_a_guards_stop_wins_over_it() {
    let no = || policy_fn("no", |_| Decision::stop("not today"));
    for (policy, count, reason) in [
        (steady().policy(no().or_else(Standard)), 1, StopReason::Policy("not today".into())),
        (steady().policy(Standard.or_else(no())), 3, StopReason::Attempts),
        (steady().policy(Standard.guarded_by(no())), 1, StopReason::Policy("not today".into())),
        (steady().policy(Standard.guarded_by(always())), 3, StopReason::Attempts),
        (
            steady().policy(NeverRetry.or_else(Standard)),
            1,
            StopReason::Policy("retries are switched off".into()),
        ),
    ] {
        let play = Play::new([Act::status(429)]);
        let client = play.client().retry(policy.build()).build().unwrap();
        let ended = client.call_tool("x").send().await;
        assert_eq!((play.count(), stopped(&ended)), (count, Some(&reason)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_calls_way_overrides_the_clients() {
    let play = Play::new([Act::status(429)]);
    let client = play.client().retry(Retry::never()).build().unwrap();
    let ended = client.call_tool("x").retry(steady().max_attempts(2).build()).send().await;
    assert_eq!((play.count(), stopped(&ended)), (2, Some(&StopReason::Attempts)));
    // For that call only.
    let ended = client.call_tool("x").idempotent().send().await;
    assert_eq!((play.count(), attempts(&ended).len()), (3, 1));
    let off = StopReason::Policy("retries are switched off".into());
    assert_eq!(stopped(&ended), Some(&off));

    let play = Play::new([Act::status(429)]);
    let client = play.client().retry(steady().build()).build().unwrap();
    let ended = client.call_tool("x").idempotent().retry(Retry::never()).send().await;
    assert_eq!((play.count(), stopped(&ended)), (1, Some(&off)));
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_shared_by_the_clients_of_a_server() {
    let budget = Arc::new(Tokens::new(3));
    let (one, other) = (Play::new([Act::status(429)]), Play::new([Act::status(429)]));
    let client =
        |play: &Play| play.client().retry(steady().budget(Arc::clone(&budget)).build()).build().unwrap();
    let (first, second) = (client(&one), client(&other));
    let ended = first.call_tool("x").send().await;
    assert_eq!((one.count(), stopped(&ended), budget.left()), (3, Some(&StopReason::Attempts), 1));
    let ended = second.call_tool("x").send().await;
    assert_eq!((other.count(), stopped(&ended), budget.left()), (2, Some(&StopReason::Budget), 0));
    // Empty: first attempts are still made, and end at once.
    let started = Instant::now();
    let ended = first.call_tool("x").send().await;
    assert_eq!((one.count(), stopped(&ended)), (4, Some(&StopReason::Budget)));
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(ended.unwrap_err().http_status(), Some(429));
}

#[tokio::test(start_paused = true)]
async fn successes_fill_a_budget_again() {
    let budget = Arc::new(Tokens::new(1));
    let retry = steady().budget(Arc::clone(&budget)).build();
    let play = Play::new([Act::status(429), Act::good(), Act::status(429), Act::status(429), Act::good()]);
    let client = play.client().retry(retry).build().unwrap();
    assert!(client.call_tool("x").send().await.is_ok());
    assert_eq!(budget.left(), 1, "a repetition that helped costs nothing");
    assert!(client.call_tool("x").send().await.is_err());
    assert_eq!((budget.left(), play.count()), (0, 4));
    for _ in 0..9 {
        assert!(client.call_tool("x").send().await.is_ok());
        assert_eq!(budget.left(), 0, "a tenth each");
    }
    assert!(client.call_tool("x").send().await.is_ok());
    assert_eq!(budget.left(), 1);
}

/// The budget of one configuration is one, also where nobody named it: clones share it.
#[tokio::test(start_paused = true)]
async fn clones_of_a_configuration_share_its_budget() {
    let retry = steady().build();
    let play = Play::new([Act::status(429)]);
    let mut posts = 0;
    for (call, count) in [(1, 3), (2, 3), (3, 3), (4, 3), (5, 3), (6, 1), (7, 1)] {
        let client = play.client().retry(retry.clone()).build().unwrap();
        let ended = client.call_tool("x").send().await;
        posts += count;
        assert_eq!((attempts(&ended).len(), play.count()), (count, posts), "{call}");
    }
    // Unless it has none.
    let client = play.client().retry(steady().without_budget().build()).build().unwrap();
    for _ in 0..7 {
        assert_eq!(attempts(&client.call_tool("x").send().await).len(), 3);
    }
}

/// What a budget of somebody else's may do, and what follows.
#[derive(Debug)]
enum Odd {
    Blocks,
    Panics,
    PanicsOnSuccess,
}

#[async_trait]
impl Budget for Odd {
    async fn withdraw(&self) -> bool {
        match self {
            Self::Blocks => std::future::pending().await,
            Self::Panics => panic!("overdrawn"),
            Self::PanicsOnSuccess => true,
        }
    }

    fn record_success(&self, _: bool) {
        assert!(!matches!(self, Self::PanicsOnSuccess), "no thanks");
    }
}

#[tokio::test(start_paused = true)]
async fn odd_budgets_are_bounded_too() {
    for (budget, reason, took, count) in [
        (Odd::Blocks, StopReason::Deadline, 5 * SECOND, 1),
        (Odd::Panics, StopReason::Budget, Duration::ZERO, 1),
        (Odd::PanicsOnSuccess, StopReason::Done, millis(100), 2),
    ] {
        let play = Play::new([Act::status(429), Act::good()]);
        let client =
            play.client().timeout(5 * SECOND).retry(steady().budget(budget).build()).build().unwrap();
        let started = Instant::now();
        let ended = client.call_tool("x").send().await;
        assert_since(started, took);
        assert_eq!((stopped(&ended), play.count()), (Some(&reason), count));
    }
}

/// A person pressed "try again": the log goes on, and the limits start anew.
#[tokio::test(start_paused = true)]
async fn a_call_that_continues_another_one() {
    let play = Play::new([Act::status(503), Act::status(429), Act::good()]);
    let client = play.client().retry(steady().build()).build().unwrap();
    let error = client.call_tool("pay").send().await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::Unknown);
    let log = error.record().unwrap().attempts.clone();
    assert_eq!(log.stopped(), Some(&StopReason::MayHaveRun));

    let ended = client.call_tool("pay").continues(log, Origin::User).send().await;
    let record = record(&ended);
    assert_eq!((record.outcome, stopped(&ended)), (OutcomeKind::ToolSuccess, Some(&StopReason::Done)));
    let attempts: Vec<_> = attempts(&ended)
        .iter()
        .map(|attempt| {
            let id = attempt.request_id.as_ref().unwrap().to_string();
            (attempt.number, id, attempt.origin, attempt.failed.as_deref())
        })
        .collect();
    assert_eq!(
        attempts,
        [
            (1, "1".to_owned(), Origin::None, Some("HTTP_ERROR")),
            (2, "2".to_owned(), Origin::User, Some("HTTP_ERROR")),
            (3, "3".to_owned(), Origin::Sdk, None),
        ]
    );
    assert_eq!(record.post_count(), 2, "its own");

    // Where the person's try was the last one, it was on the person's behalf.
    let play = Play::new([Act::status(503), Act::good()]);
    let client = play.client().retry(steady().build()).build().unwrap();
    let log = client.call_tool("pay").send().await.unwrap_err().record().unwrap().attempts.clone();
    let ended = client.call_tool("pay").continues(log, Origin::User).send().await;
    let line: Value = serde_json::from_str(&crate::support::record(&ended).to_json()).unwrap();
    assert_eq!(line["retryOrigin"], "user");
    assert_eq!(line["attempts"][1]["number"], 2);
    assert_eq!(line["attempts"][1]["origin"], "user");
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_attempts_starts_anew_where_a_call_continues_another() {
    let play = Play::new([Act::status(429)]);
    let client = play.client().retry(steady().build()).build().unwrap();
    let log = client.call_tool("x").send().await.unwrap_err().record().unwrap().attempts.clone();
    assert_eq!(log.attempts().len(), 3);
    let ended = client.call_tool("x").continues(log, Origin::User).send().await;
    let numbers: Vec<_> = attempts(&ended).iter().map(|attempt| attempt.number).collect();
    assert_eq!((numbers.as_slice(), play.count()), ([1, 2, 3, 4, 5, 6].as_slice(), 6));
}

/// The gate is not the policy's: it is told, and cannot say otherwise.
#[tokio::test(start_paused = true)]
async fn a_policy_is_told_what_the_gate_will_say() {
    let safety: Arc<AtomicU32> = Arc::default();
    let seen = Arc::clone(&safety);
    let policy = policy_fn("always", move |attempt| {
        seen.store(
            match attempt.safety() {
                Safety::Safe => 1,
                Safety::MayHaveRun => 2,
                Safety::Never => 3,
            },
            Ordering::SeqCst,
        );
        assert_eq!(attempt.failure().layer(), Layer::Transport);
        Decision::retry().after(Duration::ZERO).by(Origin::Business)
    });
    let retry = steady().policy(policy).build();
    for (act, vouched, expected) in [(503, false, 2), (503, true, 1), (429, false, 1)] {
        let play = Play::new([Act::status(act)]);
        let client = play.client().retry(retry.clone()).build().unwrap();
        let call = client.call_tool("x");
        let ended = if vouched { call.idempotent() } else { call }.send().await;
        assert_eq!(safety.load(Ordering::SeqCst), expected);
        assert_eq!(attempts(&ended).len(), if expected == 2 { 1 } else { 3 });
    }
}
