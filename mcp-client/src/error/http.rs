//! Answers with a status outside 200–299.

use std::{borrow::Cow, error::Error, fmt, time::Duration};

use bytes::Bytes;
use mcp_retry::{Delivery, Failure};
use mcp_types::{ErrorObject, RequestId};

use super::{Context, Mismatch, protocol::excerpt};
use crate::{
    decode::ErrorBody,
    transport::{EVENT_STREAM, HttpHead},
};

/// One challenge of a `WWW-Authenticate` header ([RFC 9110 §11.6.1]).
///
/// [RFC 9110 §11.6.1]: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme as it was written, such as `Bearer`.
    pub scheme: String,
    /// The parameters in order; names as written, values without their quotes.
    pub params: Vec<(String, String)>,
}

impl Challenge {
    /// A challenge of a scheme, with its parameters.
    pub fn new(scheme: impl Into<String>, params: Vec<(String, String)>) -> Self {
        Self { scheme: scheme.into(), params }
    }

    /// The value of a parameter, by its name without regard to case.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for Challenge {
    /// Values are left out, as those of all headers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Challenge")
            .field("scheme", &self.scheme)
            .field("params", &self.params.iter().map(|(key, _)| key).collect::<Vec<_>>())
            .finish()
    }
}

/// The status was outside 200–299. The status decides, whatever the body looks like.
pub struct HttpError {
    head: HttpHead,
    body: Bytes,
    body_says: ErrorBody,
    retry_after: Option<Duration>,
    challenges: Vec<Challenge>,
    pub(super) mismatch: Option<Box<Mismatch>>,
    pub(crate) context: Context,
}

impl HttpError {
    /// An answer with this head and (the beginning of) this body.
    ///
    /// Reads `Retry-After`, the challenges, and a JSON-RPC error in the body; what cannot be read is left out.
    pub fn new(head: HttpHead, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let is_stream = head.media_type().is_some_and(|media_type| media_type == EVENT_STREAM);
        let body_says = ErrorBody::read(&body, is_stream);
        let retry_after = crate::retry_after::of(&head);
        let challenges = crate::challenge::all(&head);
        Self { head, body, body_says, retry_after, challenges, mismatch: None, context: Context::default() }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The value of a header, by its name without regard to case; of several, the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// All headers.
    pub fn headers(&self) -> &http::HeaderMap {
        &self.head.headers
    }

    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The challenges of all `WWW-Authenticate` headers.
    pub fn challenges(&self) -> &[Challenge] {
        &self.challenges
    }

    /// The JSON-RPC error in the body, if there is one, whatever its id.
    pub fn rpc_error(&self) -> Option<&ErrorObject> {
        self.body_says.error.as_ref()
    }

    pub(crate) fn has_foreign_id(&self, id: &RequestId) -> bool {
        self.body_says.has_foreign_id(id)
    }

    /// The body, or its beginning where it is longer than the client keeps.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The beginning of the body as text.
    pub fn excerpt(&self) -> Cow<'_, str> {
        excerpt(&self.body)
    }

    /// May the request have been executed? A refusal did not; a 5xx without a JSON-RPC error may have.
    pub fn delivery(&self) -> Delivery {
        Failure::from_status(self.status(), self.rpc_error().map(|error| error.code)).delivery()
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered with HTTP status {}", self.head.status)
    }
}

impl fmt::Debug for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpError")
            .field("head", &self.head)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("rpc_code", &self.rpc_error().map(|error| error.code))
            .field("retry_after", &self.retry_after)
            .field("challenges", &self.challenges)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl Error for HttpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.mismatch.as_deref().map(|mismatch| mismatch as _)
    }
}
