//! How long is waited, and who may cut it short: on the in-memory transport, with the clock paused.

mod continuation;
mod deadline;
mod given_up;
mod policy;
mod retry_after;

use std::time::Duration;

use mcp_client::retry::{Constant, Retry, RetryBuilder};
use tokio::time::Instant;

/// Timers go by the millisecond, and by the next one.
const TICK: Duration = Duration::from_millis(2);

const SECOND: Duration = Duration::from_secs(1);

fn millis(amount: u64) -> Duration {
    Duration::from_millis(amount)
}

/// The standard policy with a wait of 100 ms.
fn steady() -> RetryBuilder {
    Retry::builder().backoff(Constant(millis(100)))
}

/// That so much time has passed, and no more than a timer's tick besides.
#[track_caller]
fn assert_passed(passed: Duration, want: Duration) {
    assert!(passed >= want && passed < want + TICK, "{passed:?} instead of {want:?}");
}

/// That so much time has passed since then.
#[track_caller]
fn assert_since(started: Instant, want: Duration) {
    assert_passed(started.elapsed(), want);
}
