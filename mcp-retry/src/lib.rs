//! Idempotency-aware retry: the vocabulary of attempts.
//!
//! Repeating a tool call whose connection broke may run a payment twice. So this crate turns the usual rule
//! round: the client states **facts** about a failed attempt ([`Failure`]: which [`Layer`] spoke, whether the
//! request may have run ([`Delivery`]), of which [`FailureKind`] it was), someone who knows gives [`Evidence`]
//! that repeating is harmless, and a policy only gives an opinion ([`Decision`]). Nothing here ever says
//! "retryable".
//!
//! The crate holds values and pure functions: no IO, no clock, no runtime.
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

mod decision;
mod evidence;
mod failure;
mod log;

pub use decision::{Decision, Origin, Plan};
pub use evidence::{Evidence, Repeat, Source, Trust};
pub use failure::{Classify, Delivery, Failure, FailureKind, Layer};
pub use log::{AttemptLog, AttemptRecord, Delay, DelaySource, StopReason};
