//! How a subscription ends.

use std::{fmt, sync::Arc};

use crate::error::CallError;

/// How a subscription ended.
///
/// `Display` says it in one short sentence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SubscriptionEnd {
    /// The server ended it in order, by its answer to the request.
    Graceful,
    /// The server ended it in order before it acknowledged it: it told of nothing. Asked again, it will most likely do the
    /// same.
    Unacknowledged,
    /// The server ended it by `notifications/cancelled`, maybe for this reason (untrusted text).
    Cancelled {
        /// Why, as the server says.
        reason: Option<String>,
    },
    /// The stream broke off, what came was no answer, or the server answered with an error.
    Abrupt(Arc<CallError>),
    /// Events came faster than they were read, and the oldest were lost.
    Lagged,
    /// It was closed here: by [`close`](super::Subscription::close), by its [`CancelHandle`](crate::CancelHandle), or with the
    /// runtime that it was opened on.
    Closed,
}

impl fmt::Display for SubscriptionEnd {
    /// What the server says is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graceful => f.write_str("the server ended it in order"),
            Self::Unacknowledged => f.write_str("the server ended it without acknowledging it"),
            Self::Cancelled { .. } => f.write_str("the server cancelled it"),
            Self::Abrupt(error) => write!(f, "it broke off: {error}"),
            Self::Lagged => f.write_str("events came faster than they were read"),
            Self::Closed => f.write_str("it was closed here"),
        }
    }
}
