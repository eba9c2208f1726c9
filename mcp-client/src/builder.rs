//! How a client is built.

mod principal;

use std::{error::Error, fmt, sync::Arc, time::Duration};

use http::HeaderMap;
use mcp_retry::{Registry, Retry, Trust};
use mcp_types::{Implementation, JsonError, RawJson, RawMap};
use serde::Serialize;

#[cfg(feature = "http")]
use crate::transport::http::HttpTransport;
use crate::{
    cache::CacheOptions,
    client::{Client, Config, Redact, TraceProvider},
    error::InvalidCall,
    headers,
    input::InputHandler,
    input_kinds::InputKinds,
    observer::Observer,
    pace::Pace,
    token::TokenSource,
    trace_context::TraceContext,
    transport::{Carrier, Limits, Transport},
};

/// The default of [`ClientBuilder::completion_rate`]: 20 a second.
pub const DEFAULT_COMPLETION_RATE: u32 = 20;

/// The default of [`ClientBuilder::sampling_rate`]: 10 a second.
pub const DEFAULT_SAMPLING_RATE: u32 = 10;

/// The default of [`ClientBuilder::timeout`]: 60 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Builds a [`Client`].
#[must_use = "a builder does nothing until `build()` is called"]
pub struct ClientBuilder {
    way: Way,
    info: Option<Implementation>,
    kinds: Option<InputKinds>,
    input_handler: Option<Arc<dyn InputHandler>>,
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
    tokens: Option<Arc<dyn TokenSource>>,
    trace: Option<Arc<TraceProvider>>,
    /// What is put around the transport, innermost first.
    layers: Vec<Layer>,
    cache: CacheOptions,
    /// The principal that was named.
    named: Option<Box<str>>,
    ignore_capabilities: bool,
    completion_rate: u32,
    sampling_rate: u32,
    extensions: RawMap,
}

type Layer = Box<dyn FnOnce(Arc<dyn Transport>) -> Arc<dyn Transport> + Send>;

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
            kinds: None,
            input_handler: None,
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
            tokens: None,
            trace: None,
            layers: Vec::new(),
            cache: CacheOptions::default(),
            named: None,
            ignore_capabilities: false,
            completion_rate: DEFAULT_COMPLETION_RATE,
            sampling_rate: DEFAULT_SAMPLING_RATE,
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
    /// its compression features off; the client undoes content codings itself, within its size limits. Of its default headers,
    /// those of the protocol are replaced. Without a proxy of its own it takes those that the environment names
    /// (`HTTPS_PROXY`, `NO_PROXY`). What of it has to do with TLS needs the feature `rustls`.
    ///
    /// # Examples
    ///
    /// A proxy, an authority of one's own, a name for the server's log, and connections that do not idle for long:
    ///
    /// ```no_run
    /// # #[cfg(feature = "rustls")]
    /// # fn f() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use mcp_client::Client;
    ///
    /// let authority = reqwest::Certificate::from_pem(&std::fs::read("authority.pem")?)?;
    /// let http = reqwest::Client::builder()
    ///     .proxy(reqwest::Proxy::https("http://proxy.example.com:3128")?)
    ///     .add_root_certificate(authority)
    ///     .user_agent("my-agent/1.2.0")
    ///     .pool_idle_timeout(Duration::from_secs(30))
    ///     .http2_keep_alive_interval(Duration::from_secs(20));
    /// let client = Client::builder().http_with("https://mcp.example.com/mcp", http)?.build()?;
    /// # Ok(())
    /// # }
    /// ```
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
    /// # Examples
    ///
    /// ```no_run
    /// # fn f() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_client::Client;
    ///
    /// // One pool of connections for all servers, with what is unsafe for calls switched off.
    /// let shared = reqwest::Client::builder()
    ///     .redirect(reqwest::redirect::Policy::none())
    ///     .retry(reqwest::retry::never())
    ///     .build()?;
    /// let client = Client::builder().http_unguarded("https://mcp.example.com/mcp", shared)?.build()?;
    /// # Ok(())
    /// # }
    /// ```
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

    /// Puts a [transport](Transport) of yours around the one that reaches the server, whatever that is: to count requests, to sign them, to
    /// hold them back. It sees every attempt, those of repairs and lists included; redirects are followed beneath it. Of several
    /// layers, the last one sees a request first.
    ///
    /// The layer hands on [`identity`](Transport::identity) and [`carries_headers`](Transport::carries_headers), and must not
    /// repeat a request: only the client knows which may be.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
    /// use mcp_client::{
    ///     Client, async_trait,
    ///     error::TransportError,
    ///     transport::{Exchange, ExchangeContext, Outgoing, Transport},
    /// };
    ///
    /// /// Counts the requests, and says on whose behalf they are made.
    /// #[derive(Debug)]
    /// struct Counted {
    ///     inner: Arc<dyn Transport>,
    ///     requests: Arc<AtomicUsize>,
    /// }
    ///
    /// #[async_trait]
    /// impl Transport for Counted {
    ///     async fn exchange(
    ///         &self,
    ///         mut request: Outgoing,
    ///         cx: &mut ExchangeContext,
    ///     ) -> Result<Exchange, TransportError> {
    ///         self.requests.fetch_add(1, Ordering::Relaxed);
    ///         if let Ok(value) = "billing".parse() {
    ///             request.headers.insert("x-team", value);
    ///         }
    ///         self.inner.exchange(request, cx).await
    ///     }
    ///     fn identity(&self) -> &str {
    ///         self.inner.identity()
    ///     }
    ///     fn carries_headers(&self) -> bool {
    ///         self.inner.carries_headers()
    ///     }
    /// }
    ///
    /// # fn f() -> Result<(), mcp_client::BuildError> {
    /// let requests = Arc::new(AtomicUsize::new(0));
    /// let counter = Arc::clone(&requests);
    /// let client = Client::http("https://mcp.example.com/mcp")?
    ///     .layer(|inner| Counted { inner, requests: counter })
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer<T: Transport>(
        mut self,
        wrap: impl FnOnce(Arc<dyn Transport>) -> T + Send + 'static,
    ) -> Self {
        self.layers.push(Box::new(|inner| Arc::new(wrap(inner))));
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
        self.kinds = Some(kinds);
        self
    }

    /// Lets this handler answer what servers ask for during a call. The kinds that it answers are declared with each call, unless
    /// [`accept_input`](Self::accept_input) says otherwise, and `send()` goes on until the call is finished, for 10 rounds at most.
    /// Where it comes to an early end it ends in a request for input, and the continuation says
    /// [why](crate::Continuation::stopped): see [`Drive`](crate::Drive).
    ///
    /// A call that says itself [what it accepts](crate::RequestBuilder::accept_input) is not answered by the handler, but handed
    /// out; nor is one that is [resumed](crate::Continuation::resume).
    pub fn input_handler(mut self, handler: impl InputHandler + 'static) -> Self {
        self.input_handler = Some(Arc::new(handler));
        self
    }

    /// How many messages of a language model [handlers](InputHandler::sample) are asked for in a second at most, by all calls of
    /// the client (default: 10), so that a server cannot run up a bill at once ([sampling], security). More wait for their turn;
    /// zero means no limit. Sampling is deprecated since 2026-07-28.
    ///
    /// [sampling]: https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
    pub fn sampling_rate(mut self, per_second: u32) -> Self {
        self.sampling_rate = per_second;
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

    /// Takes the bearer tokens from a source, which is asked before each attempt and told when a token was refused (401); the
    /// call is sent again then, once, with another token if the source has one. By default there is none.
    ///
    /// A header `Authorization` of one call wins, and the source is not asked; one of the client's is replaced by what the source
    /// gives. Tokens go to this server's origin only.
    pub fn token_source(mut self, source: impl TokenSource) -> Self {
        self.tokens = Some(Arc::new(source));
        self
    }

    /// Says which trace each request belongs to: this function is called once for each attempt, on the task of the call; `None`
    /// sends no trace (the default). A panic in it is caught, and means `None`. A request that was
    /// [given](crate::RequestBuilder::trace_context) its trace has that.
    ///
    /// # Examples
    ///
    /// The current context of OpenTelemetry, as its global propagator writes it. With the feature `tracing` and a subscriber
    /// that activates the contexts of its spans, that is the span of the call.
    ///
    /// ```no_run
    /// use std::collections::HashMap;
    /// use mcp_client::{Client, TraceContext};
    ///
    /// # fn f() -> Result<(), mcp_client::BuildError> {
    /// let client = Client::http("https://mcp.example.com/mcp")?
    ///     .trace_context_from(|| {
    ///         let mut carrier = HashMap::<String, String>::new();
    ///         opentelemetry::global::get_text_map_propagator(|propagator| propagator.inject(&mut carrier));
    ///         Some(TraceContext::from_entries(carrier))
    ///     })
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn trace_context_from(
        mut self,
        provider: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(provider));
        self
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

    /// Whether the server's annotations of its tools count as evidence that they can be repeated (default: they do not). Those
    /// of a list that is not public count for calls with the same headers and token only.
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

    /// How many completions are asked for in a second at most (default: 20), so that typing does not flood the server
    /// ([completion], security). More wait for their turn, within the time that they have; zero means no limit.
    ///
    /// [completion]: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
    pub fn completion_rate(mut self, per_second: u32) -> Self {
        self.completion_rate = per_second;
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
        let principal = self.principal();
        let transport = match self.way {
            Way::None => return Err(BuildError::NoTransport),
            Way::Custom(transport) => Carrier::Other(transport),
            #[cfg(feature = "http")]
            Way::Http(url, client) => {
                let without_tls = cfg!(not(feature = "rustls")) && matches!(client, HttpClient::Default);
                if without_tls && url.scheme() == "https" {
                    return Err(BuildError::Url("it needs TLS, which the feature `rustls` brings"));
                }
                let (client, user_agent) = match client {
                    HttpClient::Default => {
                        let builder = reqwest::Client::builder().user_agent(USER_AGENT);
                        (guard(builder, self.limits)?, Some(USER_AGENT))
                    }
                    // What they say of themselves is theirs.
                    HttpClient::Builder(builder) => (guard(*builder, self.limits)?, None),
                    HttpClient::Unguarded(client) => (client, None),
                };
                Carrier::Http(Arc::new(HttpTransport::new(client, url, self.limits, user_agent)))
            }
        };
        let transport = self.layers.into_iter().fold(transport, Carrier::wrapped);
        let name = match &self.info {
            Some(info) => format!("{}@{}", info.name, info.version),
            None => "anonymous".to_owned(),
        };
        let config = Config {
            name: name.into(),
            info: self.info,
            kinds: self
                .kinds
                .or_else(|| self.input_handler.as_ref().map(InputHandler::kinds))
                .unwrap_or_default(),
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
            tokens: self.tokens,
            trace: self.trace,
            ignore_capabilities: self.ignore_capabilities,
            completions: Pace::new(self.completion_rate),
            samplings: Pace::new(self.sampling_rate),
            input_handler: self.input_handler,
            extensions: self.extensions,
        };
        Client::from_parts(transport, config, self.cache, principal)
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
        // Without a copy of each request, which is made for a repetition that never comes.
        .retry(reqwest::retry::never().max_retries_per_request(0))
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
