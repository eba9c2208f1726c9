//! How a client is built.

use std::{error::Error, fmt, sync::Arc, time::Duration};

use http::HeaderMap;
use mcp_retry::{Registry, Retry, Trust};
use mcp_types::{Implementation, JsonError, RawJson, RawMap};
use serde::Serialize;

use crate::{
    cache::CacheOptions,
    client::{Client, Config, Redact},
    error::InvalidCall,
    headers,
    input_kinds::InputKinds,
    observer::Observer,
    transport::{Limits, Transport},
};

/// The default of [`ClientBuilder::timeout`]: 60 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Builds a [`Client`].
#[must_use = "a builder does nothing until `build()` is called"]
pub struct ClientBuilder {
    way: Way,
    info: Option<Implementation>,
    kinds: InputKinds,
    timeout: Duration,
    attempt_timeout: Option<Duration>,
    limits: Limits,
    headers: HeaderMap,
    /// The first thing that was wrong, told by `build`.
    refusal: Option<InvalidCall>,
    lenient: bool,
    strict: bool,
    retry: Retry,
    registry: Registry,
    trust: Trust,
    observer: Option<Arc<dyn Observer>>,
    redact: Option<Arc<Redact>>,
    cache: CacheOptions,
    ignore_capabilities: bool,
    extensions: RawMap,
}

/// How the server is reached.
enum Way {
    None,
    Custom(Arc<dyn Transport>),
    #[cfg(feature = "http")]
    Http(url::Url, HttpClient),
}

#[cfg(feature = "http")]
enum HttpClient {
    Default,
    Builder(Box<reqwest::ClientBuilder>),
    Unguarded(reqwest::Client),
}

impl ClientBuilder {
    pub(crate) fn new() -> Self {
        Self {
            way: Way::None,
            info: Some(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))),
            kinds: InputKinds::NONE,
            timeout: DEFAULT_TIMEOUT,
            attempt_timeout: None,
            limits: Limits::default(),
            headers: HeaderMap::new(),
            refusal: None,
            lenient: false,
            strict: false,
            retry: Retry::standard(),
            registry: Registry::new(),
            trust: Trust::Untrusted,
            observer: None,
            redact: None,
            cache: CacheOptions::default(),
            ignore_capabilities: false,
            extensions: RawMap::new(),
        }
    }

    /// Reaches the server at a URL, over Streamable HTTP, with a connection pool of the client's own.
    ///
    /// # Errors
    ///
    /// [`BuildError::Url`] when the URL is not an absolute `http` or `https` URL without credentials in it.
    #[cfg(feature = "http")]
    pub fn http(self, url: &str) -> Result<Self, BuildError> {
        self.http_way(url, HttpClient::Default)
    }

    /// Reaches the server at a URL with connections as this builder makes them: proxies, certificates, pool.
    ///
    /// Redirects, retries and the connect timeout are the client's: their settings in the builder are replaced. Leave
    /// its compression features off; the client undoes content codings itself, within its size limits.
    ///
    /// # Errors
    ///
    /// As of [`http`](Self::http).
    #[cfg(feature = "http")]
    pub fn http_with(self, url: &str, builder: reqwest::ClientBuilder) -> Result<Self, BuildError> {
        self.http_way(url, HttpClient::Builder(Box::new(builder)))
    }

    /// Reaches the server at a URL with an HTTP client that is already built.
    ///
    /// What the client promises elsewhere cannot be guaranteed then: a redirect policy of the HTTP client's may send
    /// the call, headers included, to another origin, and repeat it without its being counted; a retry policy may run a
    /// tool twice; its timeouts look like broken connections; its decompression escapes the size limits.
    ///
    /// # Errors
    ///
    /// As of [`http`](Self::http).
    #[cfg(feature = "http")]
    pub fn http_unguarded(self, url: &str, client: reqwest::Client) -> Result<Self, BuildError> {
        self.http_way(url, HttpClient::Unguarded(client))
    }

    #[cfg(feature = "http")]
    fn http_way(mut self, url: &str, client: HttpClient) -> Result<Self, BuildError> {
        self.way = Way::Http(crate::transport::http::endpoint(url)?, client);
        Ok(self)
    }

    /// Reaches the server by a transport of your own.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.way = Way::Custom(Arc::new(transport));
        self
    }

    /// How the client names itself to servers and in records (default: this crate and its version).
    pub fn client_info(mut self, info: Implementation) -> Self {
        self.info = Some(info);
        self
    }

    /// Leaves the client's name out of requests; the specification asks to send it unless configured not to.
    pub fn without_client_info(mut self) -> Self {
        self.info = None;
        self
    }

    /// The input requests that the application can answer (default: none). Declare only those.
    pub fn accept_input(mut self, kinds: InputKinds) -> Self {
        self.kinds = kinds;
        self
    }

    /// How long a call may take, its repetitions and repairs included (default: 60 s).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long one attempt of a call may take (default: as long as the call).
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = Some(timeout);
        self
    }

    /// How long a connection may take to be made (default: 10 s). This and the limits of sizes are those of the built-in
    /// HTTP transport; an HTTP client that is already built keeps its own.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.limits.connect_timeout = timeout;
        self
    }

    /// The longest body of one answer, in decoded bytes (default: 64 MiB).
    pub fn max_body_bytes(mut self, limit: usize) -> Self {
        self.limits.max_body_bytes = limit;
        self
    }

    /// The longest event of a stream, in decoded bytes (default: 64 MiB).
    pub fn max_event_bytes(mut self, limit: usize) -> Self {
        self.limits.max_event_bytes = limit;
        self
    }

    /// How much of the body of an error answer is read (default: 256 KiB).
    pub fn max_error_body_bytes(mut self, limit: usize) -> Self {
        self.limits.max_error_body_bytes = limit;
        self
    }

    /// Adds an HTTP header to every request; transports of your own find it in
    /// [`Outgoing::headers`](crate::transport::Outgoing::headers). Headers that the client owns make [`build`](Self::build) fail.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match headers::user_header(name, value) {
            Ok((name, value)) => {
                self.headers.insert(name, value);
            }
            Err(refusal) => {
                self.refusal.get_or_insert(refusal);
            }
        }
        self
    }

    /// Sends this bearer token ([RFC 6750 §2.1]) with every request, to this server's origin only.
    ///
    /// [RFC 6750 §2.1]: https://www.rfc-editor.org/rfc/rfc6750#section-2.1
    pub fn bearer_token(self, token: &str) -> Self {
        self.header(http::header::AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// Accepts a result without `content` that has `structuredContent`, and a null `isError`; both are noted in the
    /// record (default: off).
    pub fn lenient_results(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// Refuses a result without `resultType`, which counts as `complete` otherwise (default: off).
    pub fn strict_results(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// How calls are repeated (default: [`Retry::standard`]). A call that may have run is only repeated where somebody
    /// vouches for it; [`Retry::never`] switches repetition off.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// The application's own word on the tools of its servers (default: none).
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Whether the server's annotations of its tools count as evidence that they can be repeated (default: they do not).
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Is told of every call that ends.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Lets the `data` of JSON-RPC errors into records, as far as this function gives it back (default: none of it).
    pub fn redact_error_data(
        mut self,
        redact: impl Fn(&RawJson) -> Option<serde_json::Value> + Send + Sync + 'static,
    ) -> Self {
        self.redact = Some(Arc::new(redact));
        self
    }

    /// How results that may be kept are kept (default: in memory, for as long as the server says).
    pub fn cache(mut self, options: CacheOptions) -> Self {
        self.cache = options;
        self
    }

    /// Sends requests also for what the server says it does not offer (default: they are refused here, once
    /// [`discover`](Client::discover) has asked it).
    pub fn ignore_capabilities(mut self) -> Self {
        self.ignore_capabilities = true;
        self
    }

    /// Declares an extension with each request, with its settings (an object; `{}` for none). By default none is declared.
    /// Declare only what the application serves: this client itself implements none so far.
    ///
    /// The identifier is a `_meta` key with a prefix, such as `com.example/feature` ([versioning], extension negotiation).
    /// One that is not, or settings that are no object, make [`build`](Self::build) fail.
    ///
    /// [versioning]: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
    pub fn extension(mut self, identifier: &str, settings: impl Serialize) -> Self {
        match headers::extension(identifier, &settings) {
            Ok(settings) => {
                self.extensions.insert(identifier, settings);
            }
            Err(refusal) => {
                self.refusal.get_or_insert(refusal);
            }
        }
        self
    }

    /// Builds the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when there is no way to the server, a header is refused, or the HTTP client cannot be built.
    pub fn build(self) -> Result<Client, BuildError> {
        if let Some(refusal) = self.refusal {
            return Err(BuildError::Header(refusal));
        }
        let transport = match self.way {
            Way::None => return Err(BuildError::NoTransport),
            Way::Custom(transport) => transport,
            #[cfg(feature = "http")]
            Way::Http(url, client) => {
                let without_tls = cfg!(not(feature = "rustls")) && matches!(client, HttpClient::Default);
                if without_tls && url.scheme() == "https" {
                    return Err(BuildError::Url("it needs TLS, which the feature `rustls` brings"));
                }
                let client = match client {
                    HttpClient::Default => {
                        guard(reqwest::Client::builder().user_agent(USER_AGENT), self.limits)?
                    }
                    HttpClient::Builder(builder) => guard(*builder, self.limits)?,
                    HttpClient::Unguarded(client) => client,
                };
                Arc::new(crate::transport::http::HttpTransport::new(client, url, self.limits))
            }
        };
        let name = match &self.info {
            Some(info) => format!("{}@{}", info.name, info.version),
            None => "anonymous".to_owned(),
        };
        let config = Config {
            name: name.into(),
            info: self.info,
            kinds: self.kinds,
            headers: self.headers,
            timeout: self.timeout,
            attempt_timeout: self.attempt_timeout,
            lenient: self.lenient,
            strict: self.strict,
            retry: self.retry,
            registry: self.registry,
            trust: self.trust,
            observer: self.observer,
            redact: self.redact,
            ignore_capabilities: self.ignore_capabilities,
            extensions: self.extensions,
        };
        Client::from_parts(transport, config, self.cache)
    }
}

#[cfg(feature = "http")]
const USER_AGENT: http::HeaderValue =
    http::HeaderValue::from_static(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")));

/// Redirects and repetitions are the client's own: each POST is seen and counted.
#[cfg(feature = "http")]
fn guard(builder: reqwest::ClientBuilder, limits: Limits) -> Result<reqwest::Client, BuildError> {
    builder
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(limits.connect_timeout)
        .build()
        .map_err(|error| BuildError::Http(Box::new(error.without_url())))
}

impl fmt::Debug for ClientBuilder {
    /// The URL and header values are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("kinds", &self.kinds)
            .field("timeout", &self.timeout)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Why a client cannot be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// No way to the server was given.
    NoTransport,
    /// The URL cannot be used, for this reason.
    Url(&'static str),
    /// A header is malformed, or owned by the client.
    Header(InvalidCall),
    /// The client's name cannot be put into JSON.
    Info(Box<dyn Error + Send + Sync>),
    /// The HTTP client cannot be built.
    Http(Box<dyn Error + Send + Sync>),
}

impl BuildError {
    pub(crate) fn info(error: JsonError) -> Self {
        Self::Info(Box::new(error))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTransport => f.write_str("no way to the server was given"),
            Self::Url(why) => write!(f, "the URL cannot be used: {why}"),
            Self::Header(refusal) => f.write_str(refusal.what()),
            Self::Info(_) => f.write_str("the client's name cannot be put into JSON"),
            Self::Http(_) => f.write_str("the HTTP client cannot be built"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Info(source) | Self::Http(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}
