//! The record of a call: one JSON line, safe to log.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use mcp_retry::{AttemptLog, Delivery, Layer, Origin};
use mcp_types::{ProtocolVersion, RequestId, ResultType};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{cache::Freshness, error::CallError, outcome::ToolOutcome};

/// Error messages in records are cut at this many characters.
pub const MAX_ERROR_MESSAGE_CHARS: usize = 256;

/// Names of members in notes are cut at this many characters: they are the server's.
pub const MAX_NOTED_NAME_CHARS: usize = 64;

/// How a call ended, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum OutcomeKind {
    /// The tool answered (or, for other methods, the result is complete).
    ToolSuccess,
    /// The tool reported an error of its own.
    ToolError,
    /// The server asks for input first.
    InputRequired,
    /// A status outside 200–299.
    HttpError,
    /// A valid JSON-RPC error object.
    JsonrpcError,
    /// The body is not JSON.
    MalformedJson,
    /// JSON, but no answer to this call.
    InvalidEnvelope,
    /// A result that is none of this method.
    InvalidToolResult,
    /// A 2xx with another media type, or a content coding that is not understood.
    UnexpectedContent,
    /// A 2xx without a body.
    NoAnswer,
    /// The event stream, or the body, ended before the answer.
    StreamIncomplete,
    /// No connection, or it broke, or a limit was reached.
    TransportError,
    /// No answer in time.
    Timeout,
    /// The caller gave up.
    Cancelled,
    /// No usable credentials.
    AuthError,
    /// Refused here; nothing was sent.
    InvalidCall,
}

impl OutcomeKind {
    /// The name as it stands in the record, such as `TOOL_SUCCESS`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolSuccess => "TOOL_SUCCESS",
            Self::ToolError => "TOOL_ERROR",
            Self::InputRequired => "INPUT_REQUIRED",
            Self::HttpError => "HTTP_ERROR",
            Self::JsonrpcError => "JSONRPC_ERROR",
            Self::MalformedJson => "MALFORMED_JSON",
            Self::InvalidEnvelope => "INVALID_ENVELOPE",
            Self::InvalidToolResult => "INVALID_TOOL_RESULT",
            Self::UnexpectedContent => "UNEXPECTED_CONTENT",
            Self::NoAnswer => "NO_ANSWER",
            Self::StreamIncomplete => "STREAM_INCOMPLETE",
            Self::TransportError => "TRANSPORT_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::AuthError => "AUTH_ERROR",
            Self::InvalidCall => "INVALID_CALL",
        }
    }
}

impl fmt::Display for OutcomeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why an event stream was no longer read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum CloseCause {
    /// The answer came.
    Answered,
    /// The server ended the stream.
    Ended,
    /// The connection broke.
    Broken,
    /// An event was larger than the limit, or broke the protocol.
    Refused,
    /// Time ran out here.
    Timeout,
    /// The caller gave up.
    Cancelled,
}

/// Something that was odd and did not change the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Note {
    /// The result had no `resultType`; it counts as `complete`.
    MissingResultType,
    /// `content` was missing and counted as empty (`lenient_results`).
    MissingContent,
    /// `isError` was null and counted as absent (`lenient_results`).
    NullIsError,
    /// The error object had no id, or a null one; it belongs to this exchange.
    MissingErrorId,
    /// The error in the body of a non-2xx answer has another id.
    ForeignErrorId,
    /// A member stood twice; the last one won. Its name is cut at [`MAX_NOTED_NAME_CHARS`] characters.
    DuplicateMember(String),
    /// A hint of the wrong shape was left out; the raw value is kept.
    DroppedHint(Cow<'static, str>),
    /// A content block could not be decoded and is kept raw.
    UnknownContentBlock,
    /// An input request could not be decoded and is kept raw.
    UnknownInputRequest,
    /// An input request needs a capability that was not declared for this call.
    UndeclaredInputRequest,
    /// `Retry-After` was there and could not be understood.
    UnreadableRetryAfter,
    /// The body of the error answer was longer than what is kept of it, or broke off.
    CutErrorBody,
    /// This part of the trace context was malformed, and was not sent: see
    /// [`TraceContext::faults`](crate::TraceContext::faults).
    DroppedTraceContext(&'static str),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MissingResultType => "missing-result-type",
            Self::MissingContent => "missing-content",
            Self::NullIsError => "null-is-error",
            Self::MissingErrorId => "missing-error-id",
            Self::ForeignErrorId => "foreign-error-id",
            Self::DuplicateMember(name) => return write!(f, "duplicate-member:{name}"),
            Self::DroppedHint(name) => return write!(f, "dropped-hint:{name}"),
            Self::UnknownContentBlock => "unknown-content-block",
            Self::UnknownInputRequest => "unknown-input-request",
            Self::UndeclaredInputRequest => "undeclared-input-request",
            Self::UnreadableRetryAfter => "unreadable-retry-after",
            Self::CutErrorBody => "cut-error-body",
            Self::DroppedTraceContext(key) => return write!(f, "dropped-trace-context:{key}"),
        })
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What was seen of an event stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SseRecord {
    /// Events that carried data, the answer included.
    pub events: u64,
    /// Whether the answer to this call was among them.
    pub terminal_response: bool,
    /// Notifications among them: progress, log messages.
    #[serde(skip)]
    pub notifications: u64,
    /// Events that were no message, or one that belongs to no call of this stream.
    pub skipped: u64,
    /// Why the stream was no longer read.
    pub close_cause: Option<CloseCause>,
}

/// What happened to one call, from the first POST to its ending.
///
/// Serialises to one compact JSON object. It holds no arguments, no header values, no URL, and of error messages at
/// most [`MAX_ERROR_MESSAGE_CHARS`] characters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallRecord {
    /// The client as `name@version`.
    pub client: Arc<str>,
    /// The protocol revision that was spoken.
    pub protocol_version: ProtocolVersion,
    /// A label that the caller set.
    pub scenario: Option<String>,
    /// The JSON-RPC method.
    pub method: &'static str,
    /// The tool, for `tools/call`.
    pub tool: Option<Arc<str>>,
    /// The status of each POST made for this call, in order; `None` where no answer's head came.
    pub posts: Vec<Option<u16>>,
    /// The id of the last attempt.
    pub request_id: Option<RequestId>,
    /// The code of a JSON-RPC error, whatever the HTTP status.
    pub error_code: Option<i64>,
    /// What the result said of itself; `complete` where it said nothing.
    pub result_type: Option<ResultType>,
    /// How the call ended.
    pub outcome: OutcomeKind,
    /// Which layer spoke.
    pub layer: Layer,
    /// What an error said, cut at [`MAX_ERROR_MESSAGE_CHARS`] characters. With a stale result: why the server could not be had.
    pub error_message: Option<String>,
    /// The `data` of a JSON-RPC error, as far as the client's redaction hook lets it through (by default: not at all).
    pub error_data: Option<serde_json::Value>,
    /// Whether the request may have been executed.
    pub delivery: Delivery,
    /// The media type of the last answer, without parameters.
    pub content_type: Option<Cow<'static, str>>,
    /// The event stream, where the answer came as one.
    pub sse: Option<SseRecord>,
    /// How long it took, human time included.
    pub duration: Duration,
    /// Each attempt.
    pub attempts: AttemptLog,
    /// What was odd and changed nothing.
    pub notes: Vec<Note>,
    /// Whether the cache answered.
    pub freshness: Freshness,
}

impl CallRecord {
    /// The record of a tool call, however it ended; `None` only for errors that no client has finished.
    pub fn of(outcome: &Result<ToolOutcome, CallError>) -> Option<&Self> {
        match outcome {
            Ok(outcome) => Some(outcome.record()),
            Err(error) => error.record(),
        }
    }

    /// How many POSTs were made on behalf of the call.
    pub fn post_count(&self) -> usize {
        self.posts.len()
    }

    /// The HTTP statuses in order, of the POSTs that were answered.
    pub fn http_statuses(&self) -> impl Iterator<Item = u16> + '_ {
        self.posts.iter().filter_map(|status| *status)
    }

    /// On whose behalf the call was repeated.
    pub fn retry_origin(&self) -> Origin {
        self.attempts.origin()
    }

    /// The record as one JSON line, without the line end.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them: nothing here can fail to serialise.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The two JSON-RPC facts of a record.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonRpcFacts<'a> {
    id: &'a Option<RequestId>,
    error_code: Option<i64>,
}

impl Serialize for CallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("client", self.client.as_ref())?;
        map.serialize_entry("protocolVersion", &self.protocol_version)?;
        map.serialize_entry("scenario", &self.scenario)?;
        map.serialize_entry("method", self.method)?;
        map.serialize_entry("tool", &self.tool.as_deref())?;
        map.serialize_entry("postCount", &self.post_count())?;
        map.serialize_entry("httpStatuses", &self.http_statuses().collect::<Vec<_>>())?;
        map.serialize_entry("jsonrpc", &JsonRpcFacts { id: &self.request_id, error_code: self.error_code })?;
        map.serialize_entry("resultType", &self.result_type)?;
        map.serialize_entry("outcome", &self.outcome)?;
        map.serialize_entry("layer", &self.layer)?;
        map.serialize_entry("errorMessage", &self.error_message)?;
        if let Some(data) = &self.error_data {
            map.serialize_entry("errorData", data)?;
        }
        map.serialize_entry("retryOrigin", &self.retry_origin())?;
        map.serialize_entry("delivery", &self.delivery)?;
        map.serialize_entry("contentType", &self.content_type)?;
        map.serialize_entry("sse", &self.sse)?;
        map.serialize_entry("durationMs", &u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX))?;
        map.serialize_entry("attempts", &self.attempts)?;
        map.serialize_entry("notes", &self.notes)?;
        match self.freshness {
            Freshness::Fetched => {}
            Freshness::Fresh { .. } => map.serialize_entry("cache", "fresh")?,
            Freshness::Stale { .. } => map.serialize_entry("cache", "stale")?,
        }
        map.end()
    }
}

/// Cuts a message for the record, at a character border.
pub(crate) fn cut_message(message: &str) -> String {
    message.chars().take(MAX_ERROR_MESSAGE_CHARS).collect()
}

impl Note {
    /// A member of that name stood twice.
    pub(crate) fn duplicate(name: &str) -> Self {
        Self::DuplicateMember(name.chars().take(MAX_NOTED_NAME_CHARS).collect())
    }
}
