//! Streamable HTTP: each message is a POST of its own, answered with JSON or an event stream.

mod body;
mod event_stream;
mod upload;

use std::{
    borrow::Cow,
    error::Error,
    fmt,
    future::poll_fn,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Version,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION, USER_AGENT},
};
use mcp_retry::Delivery;
use mcp_types::{LATEST_PROTOCOL_VERSION, ProtocolVersion, header_value};
use reqwest::{Method, Request};
use url::Url;

use self::{body::BodyReader, event_stream::EventStream};
use super::{EVENT_STREAM, Exchange, ExchangeContext, HttpHead, JSON, Limits, Outgoing, Transport};
use crate::{
    builder::BuildError,
    error::{TransportError, TransportErrorKind},
    record::Note,
};

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 3;

const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");

/// How long a body is waited for that cannot change the outcome: the head has decided already.
const ERROR_BODY_GRACE: Duration = Duration::from_secs(2);

/// The endpoint, checked.
pub(crate) fn endpoint(url: &str) -> Result<Url, BuildError> {
    let mut url = Url::parse(url).map_err(|_| BuildError::Url("it is not an absolute URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BuildError::Url("its scheme is neither `http` nor `https`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BuildError::Url("it holds credentials; send them as a header"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Sends requests with `reqwest`, and follows redirects within the origin itself.
pub(crate) struct HttpTransport {
    client: reqwest::Client,
    url: Arc<Url>,
    /// Where it has moved within the origin, as a 308 said (RFC 9110 §15.4.9) and a success there confirmed. What a 307 says
    /// holds for one request only (§15.4.8).
    moved: RwLock<Option<Arc<Url>>>,
    identity: String,
    prepared: Prepared,
    limits: Limits,
}

/// The headers of every request, those of the protocol with values that stand in: where all names are there already, a request
/// only puts its values in, and its map need not grow.
struct Prepared {
    /// Of requests that name something.
    named: HeaderMap,
    /// Of those that do not.
    nameless: HeaderMap,
}

impl Prepared {
    fn new(user_agent: Option<HeaderValue>) -> Self {
        let mut nameless = HeaderMap::with_capacity(8);
        nameless.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        nameless.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        nameless.insert(ACCEPT_ENCODING, HeaderValue::from_static(body::ACCEPT_ENCODING));
        if let Some(user_agent) = user_agent {
            nameless.insert(USER_AGENT, user_agent);
        }
        nameless.insert(MCP_PROTOCOL_VERSION, HeaderValue::from_static(LATEST_PROTOCOL_VERSION));
        nameless.insert(MCP_METHOD, HeaderValue::from_static(""));
        let mut named = nameless.clone();
        named.insert(MCP_NAME, HeaderValue::from_static(""));
        Self { named, nameless }
    }

    fn of(&self, request: &Outgoing) -> Result<HeaderMap, TransportError> {
        let mut headers = if request.name.is_some() { self.named.clone() } else { self.nameless.clone() };
        // What a layer or the caller sets takes the place of ours; several values of one name stay several.
        for name in request.headers.keys() {
            headers.remove(name);
        }
        for (name, value) in &request.headers {
            headers.append(name, value.clone());
        }
        let version = &request.protocol_version;
        if *version == ProtocolVersion::LATEST {
            headers.insert(MCP_PROTOCOL_VERSION, HeaderValue::from_static(LATEST_PROTOCOL_VERSION));
        } else {
            headers.insert(MCP_PROTOCOL_VERSION, sendable(HeaderValue::try_from(version.as_str()))?);
        }
        headers.insert(MCP_METHOD, HeaderValue::from_static(request.method));
        if let Some(name) = &request.name {
            headers.insert(MCP_NAME, name_header(name)?);
        }
        Ok(headers)
    }
}

/// The header that names the target: shared with the request where that can be, not copied.
fn name_header(name: &Arc<str>) -> Result<HeaderValue, TransportError> {
    struct Shared(Arc<str>);

    impl AsRef<[u8]> for Shared {
        fn as_ref(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }

    sendable(match header_value::encode(name) {
        Cow::Borrowed(_) => HeaderValue::from_maybe_shared(Bytes::from_owner(Shared(name.clone()))),
        Cow::Owned(wrapped) => HeaderValue::try_from(wrapped),
    })
}

impl HttpTransport {
    pub(crate) fn new(
        client: reqwest::Client,
        url: Url,
        limits: Limits,
        user_agent: Option<HeaderValue>,
    ) -> Self {
        let identity = identity(&url);
        let url = Arc::new(url);
        Self { client, url, moved: RwLock::default(), identity, prepared: Prepared::new(user_agent), limits }
    }

    /// Where requests are sent first.
    fn place(&self) -> Arc<Url> {
        let moved = self.moved.read().unwrap_or_else(PoisonError::into_inner);
        moved.as_ref().unwrap_or(&self.url).clone()
    }

    fn moved_to(&self, place: Option<Arc<Url>>) {
        *self.moved.write().unwrap_or_else(PoisonError::into_inner) = place;
    }

    /// Makes one POST. What is no proof that nothing was handed over leaves its fate unknown.
    async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        message: &Bytes,
        cx: &mut ExchangeContext,
    ) -> Result<(HttpHead, reqwest::Body), TransportError> {
        let mut request = Request::new(Method::POST, url.clone());
        *request.headers_mut() = headers;
        *request.body_mut() = Some(upload::body(message));
        cx.sending();
        let response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                let error = failed_to_send(error);
                if error.delivery() == Delivery::NotSent {
                    cx.not_sent();
                }
                return Err(error);
            }
        };
        let (parts, body) = http::Response::from(response).into_parts();
        let mut head = HttpHead::new(parts.status.as_u16(), parts.headers);
        head.serial = parts.version < Version::HTTP_2;
        cx.answered(&head);
        Ok((head, body))
    }

    async fn read(
        &self,
        mut head: HttpHead,
        body: reqwest::Body,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        let length = http_body::Body::size_hint(&body).exact();
        let mut reader = BodyReader::new(body, &mut head.headers);
        let media_type = cx.content_type.clone();
        let undone = !head.headers.contains_key(CONTENT_ENCODING);
        match media_type.as_deref() {
            Some(EVENT_STREAM) if undone && head.is_success() => {
                let mut events = EventStream::new(reader, self.limits.max_event_bytes);
                // An empty body is no stream, whatever its type.
                if !poll_fn(|cx| events.poll_begin(cx)).await? {
                    return Ok(Exchange::message(Bytes::new()).with_head(head));
                }
                Ok(Exchange::stream(Box::pin(events)).with_head(head))
            }
            Some(JSON) if undone && head.is_success() => {
                let bytes = reader.collect(self.limits.max_body_bytes, length).await?;
                Ok(Exchange::message(bytes).with_head(head))
            }
            // No answer to decode: the head has decided, and of the body only an excerpt matters.
            _ => {
                let limit = self.limits.max_error_body_bytes;
                let grace = cx.remaining().map_or(ERROR_BODY_GRACE, |left| (left / 2).min(ERROR_BODY_GRACE));
                let (bytes, whole) = reader.collect_what_comes(limit, grace).await;
                if !whole {
                    cx.notes.add(Note::CutErrorBody);
                }
                Ok(Exchange::message(bytes).with_head(head))
            }
        }
    }

    /// One request out, its messages back; the same as [`exchange`](Transport::exchange), without a box around it.
    pub(crate) async fn carry(
        &self,
        request: &Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        let headers = self.prepared.of(request)?;
        let start = self.place();
        let mut url = start.clone();
        let (mut head, mut body) = self.post(&url, headers, &request.message, cx).await?;
        let mut for_good = true;
        for _ in 0..MAX_REDIRECTS {
            let Some(target) = redirect(&url, &head) else {
                break;
            };
            for_good &= head.status == 308;
            url = Arc::new(target);
            (head, body) = self.post(&url, self.prepared.of(request)?, &request.message, cx).await?;
        }
        if url != start && for_good && head.is_success() {
            self.moved_to(Some(url));
        } else if url == start && start != self.url && matches!(head.status, 404 | 405 | 410) {
            self.moved_to(None);
        }
        self.read(head, body, cx).await
    }
}

#[async_trait]
impl Transport for HttpTransport {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        self.carry(&request, cx).await
    }

    fn identity(&self) -> &str {
        &self.identity
    }

    fn carries_headers(&self) -> bool {
        true
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport")
            .field("identity", &self.identity)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Where a redirect leads that keeps the method and the body, within the origin. Others are answers of their own:
/// nothing of the call ever goes to another origin.
fn redirect(from: &Url, head: &HttpHead) -> Option<Url> {
    if !matches!(head.status, 307 | 308) {
        return None;
    }
    let location = head.headers.get(LOCATION)?.to_str().ok()?;
    let target = from.join(location).ok()?;
    let no_credentials = target.username().is_empty() && target.password().is_none();
    (target.origin() == from.origin() && no_credentials).then_some(target)
}

/// The URL without its query, which may hold a key; a checksum of the query still tells two servers apart.
fn identity(url: &Url) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    match url.query() {
        None => bare.into(),
        Some(query) => {
            // FNV-1a: stable over releases, which the standard library's hashers are not.
            let sum = query.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            format!("{bare}?#{sum:016x}")
        }
    }
}

fn sendable<E>(value: Result<HeaderValue, E>) -> Result<HeaderValue, TransportError>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    value.map_err(|error| {
        TransportError::new(TransportErrorKind::Unsendable, Delivery::NotSent).with_source(error)
    })
}

/// `NotSent` is proven by a connection that was never made, and by a request that could not be built; nothing else.
fn failed_to_send(error: reqwest::Error) -> TransportError {
    let (kind, delivery) = if error.is_builder() {
        (TransportErrorKind::Unsendable, Delivery::NotSent)
    } else if error.is_connect() && error.is_timeout() {
        (TransportErrorKind::ConnectTimeout, Delivery::NotSent)
    } else if error.is_connect() {
        (TransportErrorKind::Connect, Delivery::NotSent)
    } else {
        (TransportErrorKind::Broken, Delivery::Unknown)
    };
    TransportError::new(kind, delivery).with_source(error.without_url())
}

/// The answer began and broke off.
fn broke_off(source: Box<dyn Error + Send + Sync>) -> TransportError {
    TransportError::new(TransportErrorKind::Incomplete, Delivery::Unknown).with_source(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, location: &str) -> HttpHead {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_str(location).unwrap());
        HttpHead::new(status, headers)
    }

    #[test]
    fn only_307_and_308_within_the_origin_are_followed() {
        let from = Url::parse("https://a.example/mcp").unwrap();
        let target = |status, location| redirect(&from, &head(status, location)).map(String::from);
        assert_eq!(target(307, "/mcp/"), Some("https://a.example/mcp/".into()));
        assert_eq!(target(308, "https://A.example:443/x"), Some("https://a.example/x".into()));
        for (status, location) in [
            (301, "/x"),
            (302, "/x"),
            (303, "/x"),
            (307, "http://a.example/x"),
            (307, "https://a.example:8443/x"),
            (307, "https://b.example/x"),
            (307, "//b.example/x"),
            (307, "https://user:pass@a.example/x"),
            (307, "https://"),
        ] {
            assert_eq!(target(status, location), None, "{status} {location}");
        }
    }

    #[test]
    fn an_identity_tells_servers_apart_and_no_secret() {
        let identity = |url| super::identity(&endpoint(url).unwrap());
        assert_eq!(identity("https://A.example/mcp#x"), "https://a.example/mcp");
        let with_key = identity("https://a.example/mcp?key=secret");
        assert!(!with_key.contains("secret"), "{with_key}");
        assert_ne!(with_key, identity("https://a.example/mcp?key=other"));
        assert_ne!(with_key, identity("https://a.example/mcp"));
    }

    #[test]
    fn urls_that_cannot_be_used_are_refused() {
        for url in
            ["", "mcp", "/mcp", "ftp://a.example", "https://u:p@a.example/", "https://u@a.example", "http://"]
        {
            assert!(matches!(endpoint(url), Err(BuildError::Url(_))), "{url}");
        }
    }
}
