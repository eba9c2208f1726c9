//! The loop: attempts, waits and opinions under one deadline, on a paused clock.
#![cfg(feature = "tokio")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests, which fail by panicking")]

mod budget;
mod continuing;
mod endings;
mod policies;
#[path = "../support/mod.rs"]
mod support;
mod timing;
mod watching;

use std::{
    future::{Future, ready},
    time::Duration,
};

use mcp_retry::{AttemptLog, Call, Constant, Failure, Origin, Retry, StopReason};
use tokio::time::timeout;

use self::support::Fault;

pub(crate) type Outcome = Result<&'static str, Fault>;

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) fn pay<'a>() -> Call<'a> {
    Call::new("tools/call").on("https://bank.example/mcp").named("pay")
}

pub(crate) fn read<'a>() -> Call<'a> {
    Call::new("resources/read").named("file:///notes")
}

/// Waits of one second, and no budget that could run out.
pub(crate) fn every_second() -> Retry {
    Retry::builder().backoff(Constant(seconds(1))).without_budget().build()
}

/// Fails where a call would hang.
pub(crate) async fn within_a_day<T>(run: impl Future<Output = T>) -> T {
    timeout(seconds(86_400), run).await.unwrap()
}

/// A call that always fails like this, at once.
pub(crate) async fn failing(retry: &Retry, call: &Call<'_>, failure: Failure<'static>) -> AttemptLog {
    let (outcome, log) = within_a_day(retry.run(call, |_| ready(Outcome::Err(Fault(failure))))).await;
    assert_eq!(outcome, Err(Fault(failure)), "the last error, as it was");
    log
}

/// A call that fails like this until its nth attempt, which succeeds.
pub(crate) async fn succeeding_at(
    number: u32,
    retry: &Retry,
    call: &Call<'_>,
    failure: Failure<'static>,
) -> AttemptLog {
    let (outcome, log) = retry
        .run(call, |attempt| ready(if attempt.number < number { Err(Fault(failure)) } else { Ok("done") }))
        .await;
    assert_eq!(outcome, Ok("done"));
    log
}

pub(crate) fn stopped(log: &AttemptLog) -> &StopReason {
    log.stopped().unwrap()
}

pub(crate) fn waits(log: &AttemptLog) -> Vec<Duration> {
    log.attempts().iter().filter_map(|attempt| Some(attempt.delay?.length)).collect()
}

pub(crate) fn origins(log: &AttemptLog) -> Vec<Origin> {
    log.attempts().iter().map(|attempt| attempt.origin).collect()
}
