//! Answers that are none.

use std::{borrow::Cow, error::Error, fmt};

use bytes::Bytes;

use super::Context;
use crate::record::OutcomeKind;

/// How many bytes of the raw answer [`ProtocolError::excerpt`] shows: 2 KiB.
pub const MAX_EXCERPT_BYTES: usize = 2048;

/// What is wrong with the bytes that came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolFault {
    /// They are not JSON, or not UTF-8.
    MalformedJson,
    /// They are JSON, but not one JSON-RPC answer to this call.
    InvalidEnvelope(EnvelopeFault),
    /// The envelope is right, the result is none of this method.
    InvalidResult {
        /// What is wrong.
        reason: Cow<'static, str>,
        /// Where, from `result` on, such as `result.content`.
        path: Cow<'static, str>,
    },
    /// The media type is neither `application/json` nor `text/event-stream`.
    UnexpectedContentType(Option<Cow<'static, str>>),
    /// A 2xx without a body, to a request.
    NoAnswer,
    /// A content coding that is not understood, or several.
    UnsupportedEncoding(Cow<'static, str>),
}

/// Why JSON is not one JSON-RPC answer to this call ([JSON-RPC 2.0 §5]).
///
/// [JSON-RPC 2.0 §5]: https://www.jsonrpc.org/specification#response_object
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EnvelopeFault {
    /// Not one object.
    NotAnObject,
    /// `jsonrpc` is missing or not `"2.0"`.
    Version,
    /// The id is that of another request, or missing.
    ForeignId,
    /// The id has our value in another JSON type, such as `"1"` for `1`.
    IdType,
    /// Both `result` and `error` are there.
    ResultAndError,
    /// Neither `result` nor `error` is there.
    NeitherResultNorError,
    /// One of `jsonrpc`, `id`, `result`, `error` stands twice.
    DuplicateMember(&'static str),
    /// `error` is no object with an integer code and a string message.
    InvalidError,
}

impl fmt::Display for EnvelopeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnObject => "it is not one object",
            Self::Version => "`jsonrpc` is not \"2.0\"",
            Self::ForeignId => "its id is not that of the request",
            Self::IdType => "its id has another JSON type than that of the request",
            Self::ResultAndError => "it has both `result` and `error`",
            Self::NeitherResultNorError => "it has neither `result` nor `error`",
            Self::DuplicateMember(name) => return write!(f, "it has `{name}` twice"),
            Self::InvalidError => "`error` is no object with an integer code and a string message",
        })
    }
}

impl fmt::Display for ProtocolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MalformedJson => f.write_str("the answer is not JSON"),
            Self::InvalidEnvelope(fault) => {
                write!(f, "the answer is not a JSON-RPC response to this call: {fault}")
            }
            Self::InvalidResult { reason, path } => write!(f, "the result is invalid at `{path}`: {reason}"),
            Self::UnexpectedContentType(Some(_)) => {
                f.write_str("the answer has a media type that is neither JSON nor an event stream")
            }
            Self::UnexpectedContentType(None) => f.write_str("the answer has no media type"),
            Self::NoAnswer => f.write_str("the server accepted the request and sent no answer"),
            Self::UnsupportedEncoding(_) => {
                f.write_str("the answer has a content coding that is not understood")
            }
        }
    }
}

/// Bytes came, but no valid answer. The call may have run.
pub struct ProtocolError {
    fault: ProtocolFault,
    raw: Bytes,
    source: Option<Box<dyn Error + Send + Sync>>,
    pub(crate) context: Context,
}

impl ProtocolError {
    /// A fault, and the bytes that have it.
    pub fn new(fault: ProtocolFault, raw: impl Into<Bytes>) -> Self {
        Self { fault, raw: raw.into(), source: None, context: Context::default() }
    }

    /// Adds what lies beneath.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What is wrong.
    pub fn fault(&self) -> &ProtocolFault {
        &self.fault
    }

    /// The whole answer as it came, within the client's size limits.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The beginning of the answer as text, at most [`MAX_EXCERPT_BYTES`] bytes of it.
    pub fn excerpt(&self) -> Cow<'_, str> {
        excerpt(&self.raw)
    }

    /// Where in the result the fault is, such as `result.content`.
    pub fn path(&self) -> Option<&str> {
        match &self.fault {
            ProtocolFault::InvalidResult { path, .. } => Some(path),
            _ => None,
        }
    }

    pub(crate) fn outcome(&self) -> OutcomeKind {
        match self.fault {
            ProtocolFault::MalformedJson => OutcomeKind::MalformedJson,
            ProtocolFault::InvalidEnvelope(_) => OutcomeKind::InvalidEnvelope,
            ProtocolFault::InvalidResult { .. } => OutcomeKind::InvalidToolResult,
            ProtocolFault::UnexpectedContentType(_) | ProtocolFault::UnsupportedEncoding(_) => {
                OutcomeKind::UnexpectedContent
            }
            ProtocolFault::NoAnswer => OutcomeKind::NoAnswer,
        }
    }
}

/// The first bytes as text; a character that the limit cuts is left out.
pub(crate) fn excerpt(raw: &[u8]) -> Cow<'_, str> {
    let Some(mut head) = raw.get(..MAX_EXCERPT_BYTES) else {
        return String::from_utf8_lossy(raw);
    };
    // At most three bytes of a character can stand before the cut.
    for _ in 0..3 {
        match std::str::from_utf8(head) {
            Err(error) if error.error_len().is_none() => {
                head = head.get(..error.valid_up_to()).unwrap_or_default();
            }
            _ => break,
        }
    }
    String::from_utf8_lossy(head)
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl fmt::Debug for ProtocolError {
    /// The raw answer is left out: it may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtocolError")
            .field("fault", &self.fault)
            .field("raw", &format_args!("{} bytes", self.raw.len()))
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl Error for ProtocolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_bounded_and_ends_at_a_character() {
        assert_eq!(excerpt(b"short"), "short");
        let long = "é".repeat(MAX_EXCERPT_BYTES);
        assert_eq!(excerpt(long.as_bytes()), "é".repeat(MAX_EXCERPT_BYTES / 2));
        let odd = format!("x{long}");
        assert_eq!(excerpt(odd.as_bytes()).len(), MAX_EXCERPT_BYTES - 1);
        assert!(excerpt(&[0xFF; 4096]).starts_with('\u{FFFD}'));
    }
}
