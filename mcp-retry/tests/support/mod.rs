//! What several tests need.
#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(clippy::panic, reason = "helpers of tests, which fail by panicking")]

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use mcp_retry::{Attempt, Classify, Decision, Delivery, Failure, FailureKind, Layer, RetryPolicy};

/// An error that is nothing but its facts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fault(pub(crate) Failure<'static>);

impl Classify for Fault {
    fn failure(&self) -> Option<Failure<'_>> {
        Some(self.0)
    }
}

/// The value of a future that needs no time.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("this one does not wait"),
    }
}

/// The opinion of a policy that needs no time.
pub(crate) fn opinion(policy: &dyn RetryPolicy, attempt: &Attempt<'_>) -> Decision {
    now(policy.decide(attempt))
}

/// The connection could not be made.
pub(crate) fn not_sent() -> Failure<'static> {
    Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Unavailable)
}

/// The connection broke after the request was sent.
pub(crate) fn broken() -> Failure<'static> {
    Failure::new(Layer::Transport, Delivery::Unknown, FailureKind::Unavailable)
}

pub(crate) const DELIVERIES: [Delivery; 4] =
    [Delivery::NotSent, Delivery::Refused, Delivery::Unknown, Delivery::Answered];

pub(crate) const KINDS: [FailureKind; 10] = [
    FailureKind::Invalid,
    FailureKind::Unavailable,
    FailureKind::RateLimited,
    FailureKind::Repair,
    FailureKind::ServerFault,
    FailureKind::Timeout,
    FailureKind::BadReply,
    FailureKind::ToolError,
    FailureKind::InputRequired,
    FailureKind::Cancelled,
];
