//! What is wrong with a trace context.

use std::{error::Error, fmt};

use super::{BAGGAGE, TRACEPARENT, TRACESTATE};

pub(super) const GRAMMAR: &str = "breaks the grammar";
pub(super) const ZERO: &str = "has an id of zeros";
pub(super) const ALONE: &str = "stands without a `traceparent`";
pub(super) const NO_STRING: &str = "is no string";
pub(super) const TOO_MANY: &str = "has too many entries";
pub(super) const TOO_LONG: &str = "is too long";
pub(super) const TWICE: &str = "has a key twice";
pub(super) const NAME: &str = "has a name that is no token";

/// What is wrong with one of the three parts of a trace context. It names the part and never its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContextFault {
    key: &'static str,
    what: &'static str,
}

impl TraceContextFault {
    pub(super) const fn new(key: &'static str, what: &'static str) -> Self {
        Self { key, what }
    }

    pub(super) fn of(key: &str, what: &'static str) -> Self {
        let known = [TRACEPARENT, TRACESTATE].into_iter().find(|known| *known == key);
        Self::new(known.unwrap_or(BAGGAGE), what)
    }

    /// Which part: `traceparent`, `tracestate` or `baggage`.
    pub fn key(&self) -> &'static str {
        self.key
    }
}

impl fmt::Display for TraceContextFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the `{}` of the trace context {}", self.key, self.what)
    }
}

impl Error for TraceContextFault {}
