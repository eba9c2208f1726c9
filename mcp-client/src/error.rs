//! How a call fails: one variant a layer, facts kept.

mod auth;
mod context;
mod http;
mod invalid;
mod json_rpc;
mod mismatch;
mod protocol;
mod transport;

use std::{fmt, time::Duration};

use mcp_retry::{AttemptRecord, Classify, Delivery, Failure, FailureKind, Layer};
use mcp_types::{ClientCapabilities, ProtocolVersion, RequestId, method::CallTool};

pub(crate) use self::context::{Context, Fates};
pub use self::{
    auth::{AuthError, AuthStep},
    http::{Challenge, HttpError},
    invalid::{InvalidCall, InvalidKind},
    json_rpc::JsonRpcError,
    mismatch::Mismatch,
    protocol::{EnvelopeFault, MAX_EXCERPT_BYTES, ProtocolError, ProtocolFault},
    transport::{TransportError, TransportErrorKind},
};
use crate::{
    continuation::{Continuation, MultiRound},
    record::{CallRecord, OutcomeKind},
};

/// Why a call has no answer that it can use.
///
/// Match on the variant to learn which layer spoke; read facts through the accessors, which work on every
/// variant. What a tool says of itself (`isError`) is no error here: it is
/// [`ToolOutcome::ToolError`](crate::ToolOutcome::ToolError).
///
/// `Display` says one short sentence about its own layer; what lies beneath is in
/// [`source()`](std::error::Error::source). Neither it nor `Debug` prints arguments, tokens, header values or
/// bodies.
///
/// # Troubleshooting
///
/// | you see | it means | what to do |
/// |---|---|---|
/// | [`delivery()`](Self::delivery) `notSent` or `refused` | the work was not done | correct the cause, call again |
/// | `unknown` | the work may have been done | call again only if doing it twice is harmless |
/// | `answered` | the server gave its answer | read it |
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The call was refused here; nothing was sent. Correct the call.
    Invalid(Box<InvalidCall>),
    /// No usable credentials could be had; the call was not executed. Authorize, then call again.
    Auth(Box<AuthError>),
    /// No complete answer came: no connection, a cut stream, a timeout, a limit.
    ///
    /// Read [`delivery()`](CallError::delivery) before calling again.
    Transport(Box<TransportError>),
    /// The status was outside 200–299. The status decides, whatever the body looks like.
    ///
    /// A 4xx was refused and did not run; after a 5xx it may have.
    Http(Box<HttpError>),
    /// A valid JSON-RPC error object answered this call. The server has decided: the same call fails again.
    JsonRpc(Box<JsonRpcError>),
    /// Bytes came, but no valid answer. The call may have run; the raw answer is kept.
    Protocol(Box<ProtocolError>),
}

impl CallError {
    /// Which layer spoke.
    pub fn layer(&self) -> Layer {
        match self {
            Self::Invalid(_) => Layer::Local,
            Self::Transport(error) if error.kind() == TransportErrorKind::Cancelled => Layer::Local,
            Self::Auth(_) | Self::Transport(_) | Self::Http(_) => Layer::Transport,
            Self::JsonRpc(_) | Self::Protocol(_) => Layer::Protocol,
        }
    }

    /// How the call ended, in the words of the record.
    pub fn outcome(&self) -> OutcomeKind {
        match self {
            Self::Invalid(_) => OutcomeKind::InvalidCall,
            Self::Auth(_) => OutcomeKind::AuthError,
            Self::Transport(error) => error.outcome(),
            Self::Http(_) => OutcomeKind::HttpError,
            Self::JsonRpc(_) => OutcomeKind::JsonrpcError,
            Self::Protocol(error) => error.outcome(),
        }
    }

    /// May the call have been executed, by any of its attempts?
    pub fn delivery(&self) -> Delivery {
        let delivery = self.last_delivery();
        // That a repetition was refused says nothing about the attempt before it.
        if self.context().fates.may_have_run && !delivery.may_have_run() {
            Delivery::Unknown
        } else {
            delivery
        }
    }

    fn last_delivery(&self) -> Delivery {
        match self {
            Self::Invalid(_) => Delivery::NotSent,
            Self::Auth(error) => error.delivery(),
            Self::Transport(error) => error.delivery(),
            Self::Http(error) => error.delivery(),
            Self::JsonRpc(_) => Delivery::Answered,
            Self::Protocol(_) => Delivery::Unknown,
        }
    }

    /// The HTTP status of the last attempt, where the head of an answer came, whatever became of its body.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Http(error) => Some(error.status()),
            Self::Auth(error) => error.status(),
            _ => self.context().fates.last_status,
        }
    }

    /// The value of a header of an HTTP error, by its name without regard to case; of several, the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        match self {
            Self::Http(error) => error.header(name),
            _ => None,
        }
    }

    /// How long the server asks to wait (`Retry-After`, [RFC 9110 §10.2.3]), measured against its own `Date`.
    ///
    /// [RFC 9110 §10.2.3]: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Http(error) => error.retry_after(),
            _ => None,
        }
    }

    /// The challenges of all `WWW-Authenticate` headers ([RFC 9110 §11.6.1]).
    ///
    /// [RFC 9110 §11.6.1]: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
    pub fn challenges(&self) -> &[Challenge] {
        match self {
            Self::Http(error) => error.challenges(),
            Self::Auth(error) => error.challenges(),
            _ => &[],
        }
    }

    /// The JSON-RPC error, whether it came with a 2xx or in the body of another status.
    fn rpc(&self) -> Option<&mcp_types::ErrorObject> {
        match self {
            Self::Http(error) => error.rpc_error(),
            Self::JsonRpc(error) => Some(error.error()),
            _ => None,
        }
    }

    /// The code of the JSON-RPC error, whatever the HTTP status.
    pub fn rpc_code(&self) -> Option<i64> {
        self.rpc().map(|error| error.code)
    }

    /// The message of the JSON-RPC error: text from the server.
    pub fn rpc_message(&self) -> Option<&str> {
        self.rpc().map(|error| error.message.as_str())
    }

    /// The `data` of the JSON-RPC error: any JSON value.
    pub fn rpc_data(&self) -> Option<&mcp_types::RawJson> {
        self.rpc()?.data.as_ref()
    }

    /// The versions that the server supports, from the data of a -32022; of a long list the first 256.
    pub fn supported_versions(&self) -> Option<Vec<ProtocolVersion>> {
        let error = self.rpc()?;
        if error.code != mcp_types::error_code::UNSUPPORTED_PROTOCOL_VERSION {
            return None;
        }
        mismatch::supported_versions(error.data.as_ref()?)
    }

    /// What the two sides do not agree on, where the server refused the call for its version or its headers.
    ///
    /// ```
    /// # use mcp_client::{CallError, error::Mismatch};
    /// # fn f(error: &CallError) {
    /// if let Some(Mismatch::Versions { spoken, supported }) = error.mismatch() {
    ///     eprintln!("this client speaks {spoken:?}, that server {supported:?}");
    /// }
    /// # }
    /// ```
    pub fn mismatch(&self) -> Option<&Mismatch> {
        match self {
            Self::Http(error) => error.mismatch.as_deref(),
            Self::JsonRpc(error) => error.mismatch.as_deref(),
            _ => None,
        }
    }

    pub(crate) fn set_mismatch(&mut self, mismatch: Mismatch) {
        match self {
            Self::Http(error) => error.mismatch = Some(Box::new(mismatch)),
            Self::JsonRpc(error) => error.mismatch = Some(Box::new(mismatch)),
            _ => {}
        }
    }

    /// The capabilities that the server needs, from the data of a -32021.
    pub fn required_capabilities(&self) -> Option<ClientCapabilities> {
        let error = self.rpc()?;
        if error.code != mcp_types::error_code::MISSING_REQUIRED_CLIENT_CAPABILITY {
            return None;
        }
        let data: mcp_types::MissingRequiredClientCapabilityData = error.data.as_ref()?.parse().ok()?;
        Some(data.required_capabilities)
    }

    /// Whether a resource does not exist, as servers say it: -32602 with nothing but the URI in its data, or the older -32002 with
    /// the URI in its data ([resources], error handling). Other invalid parameters have the same code.
    ///
    /// [resources]: https://modelcontextprotocol.io/specification/2026-07-28/server/resources
    pub fn is_resource_not_found(&self) -> bool {
        let Some(data) = self.rpc_data().and_then(|data| data.parse::<mcp_types::RawMap>().ok()) else {
            return false;
        };
        let names_uri = data.get("uri").is_some_and(|uri| uri.get().starts_with('"'));
        match self.rpc_code() {
            Some(mcp_types::error_code::INVALID_PARAMS) => names_uri && data.len() == 1,
            Some(-32002) => names_uri,
            _ => false,
        }
    }

    /// Whether the server could not be had, as opposed to having said something, or to a fault on this side: no connection, no
    /// answer in time or none that was whole, a status of 5xx, 408, 425 or 429.
    pub(crate) fn is_unavailable(&self) -> bool {
        match self {
            Self::Transport(error) => match error.kind() {
                TransportErrorKind::Connect
                | TransportErrorKind::ConnectTimeout
                | TransportErrorKind::Broken
                | TransportErrorKind::Incomplete
                | TransportErrorKind::Timeout { .. } => true,
                TransportErrorKind::TooLarge { .. }
                | TransportErrorKind::Cancelled
                | TransportErrorKind::Unsendable
                | TransportErrorKind::Other => false,
            },
            Self::Http(error) => error.status() >= 500 || matches!(error.status(), 408 | 425 | 429),
            _ => false,
        }
    }

    /// The JSON-RPC id of the last attempt.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.record()?.request_id.as_ref()
    }

    /// Whether time ran out: the call's, an attempt's, or the connection's.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_timeout())
    }

    /// Whether no connection could be made: the request was not sent.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_connect())
    }

    /// Whether a quota was exceeded (429).
    pub fn is_rate_limited(&self) -> bool {
        matches!(self, Self::Http(error) if error.status() == 429)
    }

    /// Each attempt that was made.
    pub fn attempts(&self) -> &[AttemptRecord] {
        self.record().map_or(&[], |record| record.attempts.attempts())
    }

    /// The record of the call; `None` only on errors that no client has finished, such as those built in tests.
    pub fn record(&self) -> Option<&CallRecord> {
        self.context().record.as_deref()
    }

    /// The continuation of a tool call whose resumption failed, answers included.
    ///
    /// After [`Delivery::Unknown`] it refuses to be resumed without
    /// [`accepting_duplicates`](Continuation::accepting_duplicates).
    pub fn take_continuation(&mut self) -> Option<Continuation> {
        self.take_continuation_of::<CallTool>()
    }

    /// The continuation of a call of any method whose resumption failed, answers included.
    pub fn take_continuation_of<M: MultiRound>(&mut self) -> Option<Continuation<M>> {
        let context = self.context_mut();
        if context.continuation.as_ref()?.spec.method != M::NAME {
            return None;
        }
        context.continuation.take().map(Continuation::from_state)
    }

    /// One short sentence that a language model may be shown: what went wrong and whether to try again, without
    /// headers or bodies.
    pub fn for_model(&self) -> String {
        let mut text = match self {
            Self::JsonRpc(error) => {
                format!(
                    "The tool call failed with error {}: {}",
                    error.code(),
                    crate::record::cut_message(error.message())
                )
            }
            Self::Http(error) => {
                format!("The tool call failed: the server answered with HTTP status {}", error.status())
            }
            other => format!("The tool call failed: {other}"),
        };
        if !text.ends_with(['.', '!', '?']) {
            text.push('.');
        }
        if self.delivery() == Delivery::Unknown {
            text.push_str(" It may have been carried out all the same.");
        }
        text
    }

    pub(crate) fn context(&self) -> &Context {
        match self {
            Self::Invalid(error) => &error.context,
            Self::Auth(error) => &error.context,
            Self::Transport(error) => &error.context,
            Self::Http(error) => &error.context,
            Self::JsonRpc(error) => &error.context,
            Self::Protocol(error) => &error.context,
        }
    }

    pub(crate) fn context_mut(&mut self) -> &mut Context {
        match self {
            Self::Invalid(error) => &mut error.context,
            Self::Auth(error) => &mut error.context,
            Self::Transport(error) => &mut error.context,
            Self::Http(error) => &mut error.context,
            Self::JsonRpc(error) => &mut error.context,
            Self::Protocol(error) => &mut error.context,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::Auth(error) => error.fmt(f),
            Self::Transport(error) => error.fmt(f),
            Self::Http(error) => error.fmt(f),
            Self::JsonRpc(error) => error.fmt(f),
            Self::Protocol(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Invalid(error) => error.source(),
            Self::Auth(error) => error.source(),
            Self::Transport(error) => error.source(),
            Self::Http(error) => error.source(),
            Self::JsonRpc(error) => error.source(),
            Self::Protocol(error) => error.source(),
        }
    }
}

impl Classify for CallError {
    fn failure(&self) -> Option<Failure<'_>> {
        let failure = match self {
            Self::Http(error) => {
                let failure = Failure::from_status(error.status(), self.rpc_code());
                let failure = failure.with_retry_after(self.retry_after());
                error.rpc_error().map_or(failure, |said| failure.with_message(&said.message))
            }
            Self::JsonRpc(error) => {
                Failure::from_code(error.code()).with_status(self.http_status()).with_message(error.message())
            }
            other => {
                let kind = match other {
                    Self::Invalid(_) => FailureKind::Invalid,
                    Self::Auth(error) => error.failure_kind(),
                    Self::Transport(error) => error.failure_kind(),
                    _ => FailureKind::BadReply,
                };
                Failure::new(other.layer(), other.delivery(), kind).with_status(other.http_status())
            }
        };
        // Of a call that was repeated, the last status does not speak for the attempts before it.
        let repeated = self.attempts().len() > 1 || failure.delivery() != self.delivery();
        Some(if repeated { failure.with_delivery(self.delivery()) } else { failure })
    }
}

macro_rules! from_boxed {
    ($($variant:ident: $error:ty),+ $(,)?) => {$(
        impl From<$error> for CallError {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )+};
}

from_boxed! {
    Invalid: InvalidCall,
    Auth: AuthError,
    Transport: TransportError,
    Http: HttpError,
    JsonRpc: JsonRpcError,
    Protocol: ProtocolError,
}
