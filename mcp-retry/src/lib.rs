//! Idempotency-aware retry: facts about attempts, evidence, opinions, and the loop that keeps to the rules.
//!
//! Repeating a tool call whose connection broke may run a payment twice. So this crate turns the usual rule
//! round: the client states **facts** about a failed attempt ([`Failure`]: which [`Layer`] spoke, whether the
//! request may have run ([`Delivery`]), of which [`FailureKind`] it was), someone who knows gives [`Evidence`]
//! that repeating is harmless, and a policy only gives an opinion ([`Decision`]). Nothing here ever says
//! "retryable".
//!
//! The rules are one pure function, [`step`]. With the feature `tokio` (on by default) a [`Retry`] applies them in a loop,
//! on tokio's clock; without it the crate holds values and pure functions, and knows no IO, no clock and no runtime.
//!
//! ```
//! use mcp_retry::{Delivery, Failure, FailureKind};
//!
//! // A gateway answered 503 without a JSON-RPC body: the call may have run behind it.
//! let failure = Failure::from_status(503, None);
//! assert_eq!(failure.delivery(), Delivery::Unknown);
//! assert_eq!(failure.kind(), FailureKind::Unavailable);
//!
//! // 429 is a refusal: the tool was not reached.
//! assert_eq!(Failure::from_status(429, Some(-32000)).delivery(), Delivery::Refused);
//! ```
#![forbid(unsafe_code)]

mod attempt;
mod backoff;
mod budget;
mod decision;
mod evidence;
mod failure;
mod idempotency_key;
mod log;
mod policy;
#[cfg(feature = "tokio")]
mod random;
mod registry;
#[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "what the loop reads"))]
mod retry;
#[cfg(feature = "tokio")]
mod run;
mod safety;
mod step;

pub use async_trait::async_trait;

#[cfg(feature = "backoff")]
pub use self::backoff::{FromBackoff, from_backoff};
#[cfg(feature = "tokio")]
pub use self::run::{AttemptContext, Ended, Running};
pub use self::{
    attempt::{Attempt, Call},
    backoff::{Backoff, Constant, DEFAULT_BACKOFF_BASE, DEFAULT_BACKOFF_CAP, Exponential},
    budget::{Budget, DEFAULT_TOKENS, Tokens},
    decision::{Decision, Origin, Plan},
    evidence::{Evidence, Repeat, Source, Trust},
    failure::{Classify, Delivery, Failure, FailureKind, Layer},
    idempotency_key::{IdempotencyKey, KeyAt, KeyPlace},
    log::{AttemptLog, AttemptRecord, Delay, DelaySource, StopReason},
    policy::{GuardedBy, NeverRetry, OrElse, PolicyFn, RetryPolicy, RetryPolicyExt, Standard, policy_fn},
    registry::Registry,
    retry::{
        AttemptObserver, DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_SERVER_DELAY, MAX_ATTEMPTS_CEILING, Retry,
        RetryBuilder,
    },
    safety::Safety,
    step::{Rules, Situation, Step, step},
};
