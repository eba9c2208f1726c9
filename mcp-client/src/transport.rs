//! The seam between calls and the wire: one request out, its messages back.

#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "test-util")]
mod memory;
#[cfg(feature = "test-util")]
pub(crate) mod tap;

use std::{borrow::Cow, fmt, pin::Pin, sync::Arc, time::Duration};

use ::http::{HeaderMap, header::CONTENT_TYPE};
use async_trait::async_trait;
use bytes::Bytes;
use futures_core::Stream;
use mcp_types::{ProtocolVersion, RequestId};
use tokio::time::Instant;

#[cfg(feature = "test-util")]
pub use self::memory::MemoryTransport;
use crate::{bare_uri::shown, decode::Notes, error::TransportError};

/// The media type of an answer that is one message.
pub(crate) const JSON: &str = "application/json";
/// The media type of an answer that is a stream of messages.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// Longer media types than this are none that anybody registered (RFC 6838 §4.2: 127 and 127).
const MAX_MEDIA_TYPE_CHARS: usize = 255;

/// Carries JSON-RPC messages as bytes. HTTP is one implementation; your own fits the same method.
///
/// # Examples
///
/// A transport that answers every call from memory:
///
/// ```
/// use mcp_client::{
///     Client, async_trait,
///     error::TransportError,
///     transport::{Exchange, ExchangeContext, Outgoing, Transport},
/// };
///
/// #[derive(Debug)]
/// struct Echo;
///
/// #[async_trait]
/// impl Transport for Echo {
///     async fn exchange(&self, request: Outgoing, cx: &mut ExchangeContext) -> Result<Exchange, TransportError> {
///         cx.sending();
///         let id = request.id;
///         Ok(Exchange::message(format!(
///             r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[]}}}}"#
///         )))
///     }
///     fn identity(&self) -> &str {
///         "memory:echo"
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let client = Client::with_transport(Echo).build()?;
/// let output = client.call_tool("anything").send().await?.into_success()?;
/// assert_eq!(output.text(), "");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[async_trait]
pub trait Transport: fmt::Debug + Send + Sync + 'static {
    /// One request out, its messages back. Dropping the future, or the [`Exchange`], cancels the request.
    ///
    /// Report each request with [`ExchangeContext::sending`], so that it is counted. A call that is dropped meanwhile may
    /// have run, unless [`ExchangeContext::not_sent`] was reported last.
    ///
    /// # Errors
    ///
    /// [`TransportError`] when no answer's beginning could be had. It cannot be built without saying whether the
    /// request may have run: state [`Delivery::NotSent`](crate::Delivery::NotSent) only where that is proven.
    ///
    /// # Cancel safety
    ///
    /// Implementations must be cancel safe: the future is dropped when time runs out or the caller gives up.
    async fn exchange(&self, request: Outgoing, cx: &mut ExchangeContext)
    -> Result<Exchange, TransportError>;

    /// What the server is known by: suspended calls and caches are bound to it. Without credentials.
    fn identity(&self) -> &str;

    /// Whether [`Outgoing::headers`] reach the server, as they do over HTTP (default: no). Then parameters of tools are
    /// mirrored to headers where their schemas ask for it, and tools with annotations that break the rules are left out
    /// of lists ([streamable HTTP], custom headers from tool parameters).
    ///
    /// [streamable HTTP]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
    fn carries_headers(&self) -> bool {
        false
    }
}

#[async_trait]
impl<T: Transport + ?Sized> Transport for Arc<T> {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        (**self).exchange(request, cx).await
    }

    fn identity(&self) -> &str {
        (**self).identity()
    }

    fn carries_headers(&self) -> bool {
        (**self).carries_headers()
    }
}

/// The way to the server: the client's own HTTP, which is spared a box for each call, or any transport.
pub(crate) enum Carrier {
    #[cfg(feature = "http")]
    Http(Arc<http::HttpTransport>),
    Other(Arc<dyn Transport>),
}

impl Carrier {
    fn transport(&self) -> &dyn Transport {
        match self {
            #[cfg(feature = "http")]
            Self::Http(transport) => transport.as_ref(),
            Self::Other(transport) => transport.as_ref(),
        }
    }

    pub(crate) fn identity(&self) -> &str {
        self.transport().identity()
    }

    pub(crate) fn carries_headers(&self) -> bool {
        self.transport().carries_headers()
    }

    /// With something put around it, which is told of each request.
    pub(crate) fn wrapped(self, layer: impl FnOnce(Arc<dyn Transport>) -> Arc<dyn Transport>) -> Self {
        Self::Other(layer(match self {
            #[cfg(feature = "http")]
            Self::Http(transport) => transport,
            Self::Other(transport) => transport,
        }))
    }
}

/// One JSON-RPC request, ready to be sent.
#[non_exhaustive]
pub struct Outgoing {
    /// The id of the request.
    pub id: RequestId,
    /// The JSON-RPC method.
    pub method: &'static str,
    /// The tool, prompt or URI that the request names, for `Mcp-Name`.
    pub name: Option<Arc<str>>,
    /// The protocol revision that the message speaks.
    pub protocol_version: ProtocolVersion,
    /// Headers that the client and the caller added; only HTTP has a use for them.
    pub headers: HeaderMap,
    /// The whole message.
    pub message: Bytes,
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("id", &self.id)
            .field("method", &self.method)
            .field("name", &self.name.as_deref().map(|name| shown(self.method, name)))
            .field("protocol_version", &self.protocol_version)
            .field("message", &format_args!("{} bytes", self.message.len()))
            .finish_non_exhaustive()
    }
}

/// What a transport is told about the call, and what it reports while it works.
#[derive(Debug, Default)]
pub struct ExchangeContext {
    pub(crate) posts: Vec<Option<u16>>,
    pub(crate) content_type: Option<Cow<'static, str>>,
    pub(crate) notes: Notes,
    pub(crate) deadline: Option<Instant>,
    /// How many requests earlier attempts made.
    before: usize,
    proven_unsent: bool,
}

impl ExchangeContext {
    pub(crate) fn begin_attempt(&mut self) {
        self.before = self.posts.len();
        self.proven_unsent = false;
    }

    /// Counts the requests that another exchange made on behalf of this call.
    pub(crate) fn add_posts(&mut self, posts: Vec<Option<u16>>) {
        self.posts.extend(posts);
    }

    /// Nothing is sent before [`go_on`](Self::go_on).
    pub(crate) fn hold_back(&mut self) {
        self.proven_unsent = true;
    }

    pub(crate) fn go_on(&mut self) {
        self.proven_unsent = false;
    }

    pub(crate) fn is_proven_unsent(&self) -> bool {
        self.proven_unsent
    }

    /// Reports that a request is about to be handed over: one HTTP POST, or one line to a process. It is counted.
    pub fn sending(&mut self) {
        self.posts.push(None);
        self.proven_unsent = false;
    }

    /// Takes the last report back: it is proven that nothing was handed over.
    pub fn not_sent(&mut self) {
        if self.posts.len() > self.before {
            self.posts.pop();
        }
        self.proven_unsent = self.posts.len() == self.before;
    }

    /// How much time the call has left; `None` where it has no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Reports the head of the answer to the last request.
    pub fn answered(&mut self, head: &HttpHead) {
        if let Some(last) = self.posts.last_mut() {
            *last = Some(head.status);
        }
        self.content_type = head.media_type();
    }
}

/// The head of an HTTP answer.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpHead {
    /// The status code.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// Whether the connection carries one answer at a time (HTTP/1), so that an answer must be read to its end
    /// before the connection can be used again.
    pub serial: bool,
}

impl HttpHead {
    /// A head with a status and headers, of a connection that carries many answers at once.
    pub fn new(status: u16, headers: HeaderMap) -> Self {
        Self { status, headers, serial: false }
    }

    /// The value of a header, where it is visible ASCII; of several, the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether the status is 200–299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The media type in lower case, without parameters, cut at [`MAX_MEDIA_TYPE_CHARS`] characters.
    pub(crate) fn media_type(&self) -> Option<Cow<'static, str>> {
        let value = self.headers.get(CONTENT_TYPE)?.as_bytes();
        let known = [JSON, EVENT_STREAM];
        // As most servers write it.
        if let Some(known) = known.into_iter().find(|known| value == known.as_bytes()) {
            return Some(Cow::Borrowed(known));
        }
        let essence = value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        if let Some(known) = known.into_iter().find(|known| essence.eq_ignore_ascii_case(known.as_bytes())) {
            return Some(Cow::Borrowed(known));
        }
        let essence: String = String::from_utf8_lossy(essence).chars().take(MAX_MEDIA_TYPE_CHARS).collect();
        (!essence.is_empty()).then(|| essence.to_ascii_lowercase().into())
    }
}

impl fmt::Debug for HttpHead {
    /// Header values are left out: they can hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpHead")
            .field("status", &self.status)
            .field("headers", &self.headers.keys().map(::http::HeaderName::as_str).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A stream of JSON-RPC messages.
pub type MessageStream = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// What came back: a head where the transport is HTTP, and the messages.
pub struct Exchange {
    pub(crate) head: Option<HttpHead>,
    pub(crate) body: Body,
}

/// The messages of an answer.
pub enum Body {
    /// One message, whole.
    Message(Bytes),
    /// Messages as they come; the one that answers the request ends the call.
    Stream(MessageStream),
}

impl Exchange {
    /// An answer that is one whole message.
    pub fn message(message: impl Into<Bytes>) -> Self {
        Self { head: None, body: Body::Message(message.into()) }
    }

    /// An answer that comes as a stream of messages.
    pub fn stream(messages: MessageStream) -> Self {
        Self { head: None, body: Body::Stream(messages) }
    }

    /// Adds the head of the HTTP answer that the messages came in.
    #[must_use]
    pub fn with_head(mut self, head: HttpHead) -> Self {
        self.head = Some(head);
        self
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("head", &self.head).field("body", &self.body).finish()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(message) => write!(f, "Message({} bytes)", message.len()),
            Self::Stream(_) => f.write_str("Stream(..)"),
        }
    }
}

/// Sizes and times that a transport keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest body of one answer, in decoded bytes (default 64 MiB).
    pub max_body_bytes: usize,
    /// The longest event of a stream, in decoded bytes (default 64 MiB).
    pub max_event_bytes: usize,
    /// How much of the body of an error answer is read (default 256 KiB).
    pub max_error_body_bytes: usize,
    /// How long a connection may take to be made (default 10 s).
    pub connect_timeout: Duration,
}

/// The default of [`Limits::max_body_bytes`]: 64 MiB.
pub const DEFAULT_MAX_BODY_BYTES: usize = 64 << 20;
/// The default of [`Limits::max_event_bytes`]: 64 MiB.
pub const DEFAULT_MAX_EVENT_BYTES: usize = 64 << 20;
/// The default of [`Limits::max_error_body_bytes`]: 256 KiB.
pub const DEFAULT_MAX_ERROR_BODY_BYTES: usize = 256 << 10;
/// The default of [`Limits::connect_timeout`]: 10 s.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body_bytes: DEFAULT_MAX_BODY_BYTES,
            max_event_bytes: DEFAULT_MAX_EVENT_BYTES,
            max_error_body_bytes: DEFAULT_MAX_ERROR_BODY_BYTES,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
        }
    }
}
