//! No complete answer came.

use std::{error::Error, fmt, time::Duration};

use mcp_retry::{Delivery, FailureKind};

use super::Context;
use crate::record::{CloseCause, OutcomeKind};

/// What kept an answer from coming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection: DNS, TCP or TLS failed.
    Connect,
    /// No connection was made in time.
    ConnectTimeout,
    /// The connection broke before any answer came.
    Broken,
    /// The answer began and broke off, or its stream ended without the answer.
    Incomplete,
    /// No answer in time.
    Timeout {
        /// How long was waited.
        after: Duration,
    },
    /// The answer is larger than a limit.
    TooLarge {
        /// The limit, in decoded bytes.
        limit: usize,
        /// The setting that raises it.
        setting: &'static str,
    },
    /// The caller gave up.
    Cancelled,
    /// The request could not be put on the wire at all.
    Unsendable,
    /// Anything else that a transport reports. It does not count as a server that cannot be had: say so by one of the others.
    Other,
}

/// No complete answer came.
///
/// Whether the request may have run is in [`delivery`](Self::delivery), and cannot be left open.
pub struct TransportError {
    kind: TransportErrorKind,
    delivery: Delivery,
    pub(crate) close_cause: Option<CloseCause>,
    pub(crate) sse_events: Option<u64>,
    pub(crate) sse_skipped: u64,
    source: Option<Box<dyn Error + Send + Sync>>,
    pub(crate) context: Context,
}

impl TransportError {
    /// A failure of a kind, and whether the request may have run.
    ///
    /// State [`Delivery::NotSent`] only where it is proven that nothing was handed over; everything after that is
    /// [`Delivery::Unknown`].
    pub fn new(kind: TransportErrorKind, delivery: Delivery) -> Self {
        Self {
            kind,
            delivery,
            close_cause: None,
            sse_events: None,
            sse_skipped: 0,
            source: None,
            context: Context::default(),
        }
    }

    /// Adds what lies beneath.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kept the answer from coming.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }
    /// May the request have been executed?
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }
    /// Why an event stream was no longer read, where the answer came as one.
    pub fn close_cause(&self) -> Option<CloseCause> {
        self.close_cause
    }
    /// How many events had come, where the answer came as a stream.
    pub fn sse_events(&self) -> Option<u64> {
        self.sse_events
    }
    /// Whether time ran out.
    pub fn is_timeout(&self) -> bool {
        matches!(self.kind, TransportErrorKind::Timeout { .. } | TransportErrorKind::ConnectTimeout)
    }
    /// Whether no connection could be made.
    pub fn is_connect(&self) -> bool {
        matches!(self.kind, TransportErrorKind::Connect | TransportErrorKind::ConnectTimeout)
    }

    /// How many of the events were no message, or one that belongs to no call of the stream.
    pub fn sse_skipped(&self) -> u64 {
        self.sse_skipped
    }

    fn fmt_skipped(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sse_skipped > 0 {
            write!(f, " ({} events were no answer to this call)", self.sse_skipped)?;
        }
        Ok(())
    }

    pub(crate) fn outcome(&self) -> OutcomeKind {
        match self.kind {
            TransportErrorKind::ConnectTimeout | TransportErrorKind::Timeout { .. } => OutcomeKind::Timeout,
            TransportErrorKind::Incomplete => OutcomeKind::StreamIncomplete,
            TransportErrorKind::Cancelled => OutcomeKind::Cancelled,
            _ => OutcomeKind::TransportError,
        }
    }

    pub(crate) fn failure_kind(&self) -> FailureKind {
        match self.kind {
            TransportErrorKind::Timeout { .. } => FailureKind::Timeout,
            TransportErrorKind::TooLarge { .. } => FailureKind::BadReply,
            TransportErrorKind::Cancelled => FailureKind::Cancelled,
            TransportErrorKind::Unsendable => FailureKind::Invalid,
            _ => FailureKind::Unavailable,
        }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TransportErrorKind::Connect => f.write_str("no connection to the server could be made"),
            TransportErrorKind::ConnectTimeout => {
                f.write_str("no connection to the server could be made in time")
            }
            TransportErrorKind::Broken => f.write_str("the connection broke before an answer came"),
            TransportErrorKind::Incomplete => match self.sse_events {
                Some(events) => {
                    write!(f, "the event stream ended after {events} events without the answer")?;
                    self.fmt_skipped(f)
                }
                None => f.write_str("the answer broke off"),
            },
            TransportErrorKind::Timeout { after } => {
                write!(f, "no answer came within {after:?}")?;
                self.fmt_skipped(f)
            }
            TransportErrorKind::TooLarge { limit, setting } => {
                write!(f, "the answer is larger than {limit} bytes (`{setting}`)")
            }
            TransportErrorKind::Cancelled => f.write_str("the call was cancelled"),
            TransportErrorKind::Unsendable => f.write_str("the request could not be sent"),
            TransportErrorKind::Other => f.write_str("the transport failed"),
        }
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportError")
            .field("kind", &self.kind)
            .field("delivery", &self.delivery)
            .field("close_cause", &self.close_cause)
            .field("sse_events", &self.sse_events)
            .field("sse_skipped", &self.sse_skipped)
            .field("source", &self.source)
            .field("context", &self.context)
            .finish()
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
