//! Facts about one failed attempt.

use std::{fmt, time::Duration};

use mcp_types::error_code::{
    INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, MISSING_REQUIRED_CLIENT_CAPABILITY, PARSE_ERROR,
};
use serde::{Deserialize, Serialize};

/// Which layer spoke when a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Layer {
    /// The network or HTTP: no connection, a cut stream, a status outside 200–299.
    Transport,
    /// JSON-RPC or MCP: an error object, or bytes that are no valid answer.
    Protocol,
    /// The server asks for input before it can finish.
    Interaction,
    /// The tool itself: success, or its own `isError`.
    Application,
    /// This process: the call was refused before it was sent, or the caller gave up.
    Local,
}

/// May the request have been executed? The answer to the question that decides about repeating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// The request was never handed over: it cannot have run.
    NotSent,
    /// The server, or a gateway before it, refused the request before executing it.
    Refused,
    /// The request was handed over and no proof of its fate came back: it may have run.
    Unknown,
    /// A complete answer came back.
    Answered,
}

impl Delivery {
    /// Whether the work may already have been done.
    pub fn may_have_run(self) -> bool {
        matches!(self, Self::Unknown | Self::Answered)
    }

    /// The name as it stands in records: `notSent`, `refused`, `unknown`, `answered`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotSent => "notSent",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Answered => "answered",
        }
    }
}

impl Layer {
    /// The name as it stands in records: `transport`, `protocol`, `interaction`, `application`, `local`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Protocol => "protocol",
            Self::Interaction => "interaction",
            Self::Application => "application",
            Self::Local => "local",
        }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What sort of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum FailureKind {
    /// The request itself is wrong; the same request fails again.
    Invalid,
    /// The server or the way to it is out of reach for now.
    Unavailable,
    /// A quota was exceeded.
    RateLimited,
    /// The client can change the request (credentials, version, headers) and send it once more.
    Repair,
    /// The server failed while working.
    ServerFault,
    /// No complete answer came in time.
    Timeout,
    /// Bytes came, but no valid answer.
    BadReply,
    /// The tool reported an error of its own (`isError: true`).
    ToolError,
    /// The server asks for input first.
    InputRequired,
    /// The caller gave up.
    Cancelled,
}

/// Facts about one failed attempt; an opinion is what policies add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure<'a> {
    layer: Layer,
    delivery: Delivery,
    kind: FailureKind,
    status: Option<u16>,
    code: Option<i64>,
    retry_after: Option<Duration>,
    progress_seen: bool,
    message: Option<&'a str>,
    /// The status itself is what failed, and not one that came on the way.
    by_status: bool,
}

impl<'a> Failure<'a> {
    /// A failure of which only the three facts are known that decide about safety.
    pub fn new(layer: Layer, delivery: Delivery, kind: FailureKind) -> Self {
        Self {
            layer,
            delivery,
            kind,
            status: None,
            code: None,
            retry_after: None,
            progress_seen: false,
            message: None,
            by_status: false,
        }
    }

    /// The facts of an HTTP answer outside 200–299.
    ///
    /// `code` is the code of a JSON-RPC error in its body, if there is one. The status wins: a body never makes a
    /// refusal of a 5xx. 503 stays [`Delivery::Unknown`], since gateways send it after an upstream reset too.
    pub fn from_status(status: u16, code: Option<i64>) -> Self {
        let (delivery, kind) = match status {
            401 | 403 => (Delivery::Refused, FailureKind::Repair),
            429 => (Delivery::Refused, FailureKind::RateLimited),
            408 | 421 | 425 => (Delivery::Refused, FailureKind::Unavailable),
            300..=499 => match code {
                Some(
                    mcp_types::error_code::UNSUPPORTED_PROTOCOL_VERSION
                    | mcp_types::error_code::HEADER_MISMATCH,
                ) => (Delivery::Refused, FailureKind::Repair),
                _ => (Delivery::Refused, FailureKind::Invalid),
            },
            500..=599 if code.is_some() => (Delivery::Answered, FailureKind::ServerFault),
            502..=504 => (Delivery::Unknown, FailureKind::Unavailable),
            _ => (Delivery::Unknown, FailureKind::ServerFault),
        };
        let mut failure = Self::new(Layer::Transport, delivery, kind);
        failure.status = Some(status);
        failure.by_status = true;
        failure.code = code;
        failure
    }

    /// The facts of a valid JSON-RPC error object in a 2xx answer.
    pub fn from_code(code: i64) -> Self {
        let kind = match code {
            PARSE_ERROR
            | INVALID_REQUEST
            | METHOD_NOT_FOUND
            | INVALID_PARAMS
            | MISSING_REQUIRED_CLIENT_CAPABILITY => FailureKind::Invalid,
            _ => FailureKind::ServerFault,
        };
        let mut failure = Self::new(Layer::Protocol, Delivery::Answered, kind);
        failure.code = Some(code);
        failure
    }

    /// Says what is known better about the request's fate; the status is no longer what speaks for it.
    #[must_use]
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self.by_status = false;
        self
    }

    /// Adds the delay that the server asked for.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Option<Duration>) -> Self {
        self.retry_after = delay;
        self
    }

    /// Adds the HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: Option<u16>) -> Self {
        self.status = status;
        self
    }

    /// Adds whether progress notifications had arrived: the work had certainly begun.
    #[must_use]
    pub fn with_progress_seen(mut self, seen: bool) -> Self {
        self.progress_seen = seen;
        self
    }

    /// Adds what the failure said.
    #[must_use]
    pub fn with_message(mut self, message: &'a str) -> Self {
        self.message = Some(message);
        self
    }

    pub(crate) fn is_by_status(&self) -> bool {
        self.by_status
    }

    /// Which layer spoke.
    pub fn layer(&self) -> Layer {
        self.layer
    }
    /// Whether the request may have been executed.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }
    /// What sort of failure it was.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }
    /// The HTTP status, where there was an HTTP answer.
    pub fn status(&self) -> Option<u16> {
        self.status
    }
    /// The JSON-RPC error code, where one came, whatever the status.
    pub fn code(&self) -> Option<i64> {
        self.code
    }
    /// The delay that the server asked for in `Retry-After`.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
    /// Whether progress notifications had arrived for this attempt.
    pub fn progress_seen(&self) -> bool {
        self.progress_seen
    }
    /// What the failure said; untrusted text from the server, or a local message.
    pub fn message(&self) -> Option<&'a str> {
        self.message
    }
}

/// Something that can be asked whether it is a failure, and which: what makes this crate usable on its own.
///
/// ```
/// use mcp_retry::{Classify, Delivery, Failure, FailureKind, Layer};
///
/// enum MyError {
///     Status(u16),
///     TimedOut,
/// }
///
/// impl Classify for MyError {
///     fn failure(&self) -> Option<Failure<'_>> {
///         Some(match self {
///             Self::Status(status) => Failure::from_status(*status, None),
///             Self::TimedOut => Failure::new(Layer::Transport, Delivery::Unknown, FailureKind::Timeout),
///         })
///     }
/// }
///
/// // A result is a failure when its error is one.
/// let result: Result<(), _> = Err(MyError::Status(429));
/// assert_eq!(result.failure().map(|failure| failure.delivery()), Some(Delivery::Refused));
/// assert!(Err::<(), _>(MyError::TimedOut).failure().is_some_and(|failure| failure.delivery().may_have_run()));
/// assert_eq!(Ok::<(), MyError>(()).failure(), None);
/// ```
pub trait Classify {
    /// The facts, or `None` for a success.
    fn failure(&self) -> Option<Failure<'_>>;
}

impl<T, E: Classify> Classify for Result<T, E> {
    fn failure(&self) -> Option<Failure<'_>> {
        self.as_ref().err().and_then(Classify::failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_and_the_code_is_a_fact() {
        for (status, code, delivery, kind) in [
            (401, None, Delivery::Refused, FailureKind::Repair),
            (401, Some(-32000), Delivery::Refused, FailureKind::Repair),
            (403, None, Delivery::Refused, FailureKind::Repair),
            (429, None, Delivery::Refused, FailureKind::RateLimited),
            (429, Some(-32000), Delivery::Refused, FailureKind::RateLimited),
            (408, None, Delivery::Refused, FailureKind::Unavailable),
            (421, None, Delivery::Refused, FailureKind::Unavailable),
            (425, Some(1), Delivery::Refused, FailureKind::Unavailable),
            (400, None, Delivery::Refused, FailureKind::Invalid),
            (400, Some(-32602), Delivery::Refused, FailureKind::Invalid),
            (400, Some(-32022), Delivery::Refused, FailureKind::Repair),
            (400, Some(-32020), Delivery::Refused, FailureKind::Repair),
            (404, Some(-32601), Delivery::Refused, FailureKind::Invalid),
            (307, None, Delivery::Refused, FailureKind::Invalid),
            (413, None, Delivery::Refused, FailureKind::Invalid),
            (500, None, Delivery::Unknown, FailureKind::ServerFault),
            (501, None, Delivery::Unknown, FailureKind::ServerFault),
            (502, None, Delivery::Unknown, FailureKind::Unavailable),
            (503, None, Delivery::Unknown, FailureKind::Unavailable),
            (504, None, Delivery::Unknown, FailureKind::Unavailable),
            (599, None, Delivery::Unknown, FailureKind::ServerFault),
            (500, Some(-32603), Delivery::Answered, FailureKind::ServerFault),
            (503, Some(-32000), Delivery::Answered, FailureKind::ServerFault),
            (999, None, Delivery::Unknown, FailureKind::ServerFault),
            (100, None, Delivery::Unknown, FailureKind::ServerFault),
        ] {
            let failure = Failure::from_status(status, code);
            assert_eq!((failure.delivery(), failure.kind()), (delivery, kind), "{status} {code:?}");
            assert_eq!((failure.status(), failure.code()), (Some(status), code));
            assert_eq!(failure.layer(), Layer::Transport);
        }
    }

    #[test]
    fn a_json_rpc_error_was_answered() {
        for (code, kind) in [
            (-32700, FailureKind::Invalid),
            (-32600, FailureKind::Invalid),
            (-32601, FailureKind::Invalid),
            (-32602, FailureKind::Invalid),
            (-32021, FailureKind::Invalid),
            (-32603, FailureKind::ServerFault),
            (-32000, FailureKind::ServerFault),
            (4711, FailureKind::ServerFault),
        ] {
            let failure = Failure::from_code(code);
            assert_eq!(failure.kind(), kind, "{code}");
            assert_eq!(failure.delivery(), Delivery::Answered);
            assert_eq!(failure.layer(), Layer::Protocol);
        }
    }

    #[test]
    fn names_are_those_of_the_record() {
        for (delivery, name) in [
            (Delivery::NotSent, "notSent"),
            (Delivery::Refused, "refused"),
            (Delivery::Unknown, "unknown"),
            (Delivery::Answered, "answered"),
        ] {
            assert_eq!(delivery.to_string(), name);
        }
        assert!(!Delivery::Refused.may_have_run());
        assert!(!Delivery::NotSent.may_have_run());
        assert!(Delivery::Unknown.may_have_run());
    }
}
