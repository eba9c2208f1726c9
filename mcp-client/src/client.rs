//! The client: cheap to clone, without a connection of its own to make.

use std::{
    borrow::Cow,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime},
};

use http::{HeaderMap, header::AUTHORIZATION};
use mcp_retry::{Evidence, Registry, Repeat, Retry, Source, Trust};
use mcp_types::{
    ArgumentText, CompletionReference, Implementation, JsonError, Method, ProtocolVersion, RawJson, RawMap,
    RequestId, ServerCapabilities, SubscriptionFilter, Tool, meta,
    method::{
        CallTool, Complete, Discover, GetPrompt, ListPrompts, ListResourceTemplates, ListResources,
        ListTools, ReadResource,
    },
};
use tokio::time::Instant;

use crate::{
    builder::{BuildError, ClientBuilder},
    cache::{Authorization, Cache, CacheOptions, Principal},
    call::{CallToolBuilder, RequestBuilder, Spec, Walk},
    caught::caught,
    continuation::{Continuation, MultiRound, RestoreError, SuspendedCall},
    decode::Expect,
    error::{InvalidCall, InvalidKind},
    input::InputHandler,
    input_kinds::InputKinds,
    method::Answer,
    observer::Observer,
    offers::Offers,
    pace::Pace,
    record::CallRecord,
    subscription::ListenBuilder,
    token::{BearerToken, TokenError, TokenRefusal, TokenSource},
    tool_book::{KnownTool, ToolBook},
    trace_context::TraceContext,
    transport::{Carrier, Transport},
    whose::Whose,
};

/// A client of one MCP server.
///
/// Cheap to clone, `Send + Sync`, and usable at once: nothing is sent before the first call, and each call stands for
/// itself. Calls are made on a tokio runtime with time and IO enabled.
///
/// # Examples
///
/// ```no_run
/// use mcp_client::{Client, ToolOutcome};
/// use serde_json::json;
///
/// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::http("https://mcp.example.com/mcp")?.build()?;
///
/// match client.call_tool("get_weather").arguments(json!({ "location": "Oslo" })).send().await? {
///     ToolOutcome::Success(output) => println!("{}", output.text()),
///     ToolOutcome::ToolError(output) => println!("the tool says: {}", output.text()),
///     ToolOutcome::InputRequired(asked) => println!("asked for {:?}", asked.unanswered().collect::<Vec<_>>()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    transport: Carrier,
    pub(crate) config: Config,
    /// The `_meta` entries of the protocol, as they stand in each request.
    protocol_meta: String,
    pub(crate) next_id: AtomicI64,
    tools: ToolBook,
    /// Held by the call that lists tools for a repair.
    listing: tokio::sync::Mutex<LastWalk>,
    cache: Cache,
    /// By whose rights requests without headers of their own are made, once somebody wants to know.
    own_context: OnceLock<Authorization>,
    /// What the server offers, once it was asked.
    offers: Offers,
}

/// The last walk through the list of tools for a repair, and when it ended.
pub(crate) type LastWalk = Option<(Walk, Instant)>;

pub(crate) struct Config {
    /// As it stands in records: `name@version`.
    pub(crate) name: Arc<str>,
    pub(crate) info: Option<Implementation>,
    pub(crate) kinds: InputKinds,
    /// The headers that every request carries.
    pub(crate) headers: HeaderMap,
    pub(crate) timeout: Duration,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) lenient: bool,
    pub(crate) strict: bool,
    pub(crate) retry: Retry,
    pub(crate) registry: Registry,
    pub(crate) trust: Trust,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) redact: Option<Arc<Redact>>,
    pub(crate) tokens: Option<Arc<dyn TokenSource>>,
    pub(crate) trace: Option<Arc<TraceProvider>>,
    pub(crate) ignore_capabilities: bool,
    /// How fast completions may be asked for.
    pub(crate) completions: Pace,
    /// How fast a handler is asked for messages of a language model.
    pub(crate) samplings: Pace,
    /// Who answers input requests.
    pub(crate) input_handler: Option<Arc<dyn InputHandler>>,
    /// The extensions that are declared, with their settings.
    pub(crate) extensions: RawMap,
}

/// What says which trace an attempt belongs to.
pub(crate) type TraceProvider = dyn Fn() -> Option<TraceContext> + Send + Sync;

/// What lets error data through into records.
pub(crate) type Redact = dyn Fn(&RawJson) -> Option<serde_json::Value> + Send + Sync;

impl Config {
    pub(crate) fn expect(&self, spec: &Spec) -> Expect {
        Expect { lenient: self.lenient, strict: self.strict, declared: spec.kinds.unwrap_or(self.kinds) }
    }
}

impl Client {
    /// The revisions of the protocol that this client speaks, newest first.
    pub const SPOKEN: [ProtocolVersion; 1] = [ProtocolVersion::V2026_07_28];

    /// A builder for a server at a URL, over Streamable HTTP.
    ///
    /// # Errors
    ///
    /// [`BuildError::Url`] when the URL is not an absolute `http` or `https` URL without credentials in it.
    #[cfg(feature = "http")]
    pub fn http(url: &str) -> Result<ClientBuilder, BuildError> {
        ClientBuilder::new().http(url)
    }

    /// A builder for a server that a transport of your own reaches.
    pub fn with_transport(transport: impl Transport) -> ClientBuilder {
        ClientBuilder::new().transport(transport)
    }

    /// A builder, still without a way to the server.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    pub(crate) fn from_parts(
        transport: Carrier,
        config: Config,
        cache: CacheOptions,
        principal: Principal,
    ) -> Result<Self, BuildError> {
        let protocol_meta = protocol_meta(config.info.as_ref(), config.kinds, &config.extensions)
            .map_err(BuildError::info)?;
        let inner = Inner {
            cache: Cache::new(cache, transport.identity(), principal),
            transport,
            config,
            protocol_meta,
            next_id: AtomicI64::new(1),
            tools: ToolBook::default(),
            listing: tokio::sync::Mutex::default(),
            own_context: OnceLock::new(),
            offers: Offers::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A call of the tool of that name, to be filled in and sent.
    ///
    /// Names are sent as they are: the protocol compares them with regard to case and servers decide what they accept.
    pub fn call_tool(&self, name: impl Into<String>) -> CallToolBuilder {
        RequestBuilder::new(self.clone(), name.into())
    }

    /// Asks the server which versions it speaks and what it offers. Never needed; once it was asked, requests for what it does
    /// not offer are refused here (unless [`ignore_capabilities`](ClientBuilder::ignore_capabilities) is set). What it answers
    /// counts for requests with the same headers and token; where it says that the answer is public, for all.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// let server = client.discover().send().await?;
    /// println!("{:?} speaks {:?}", server.server_info(), server.supported_versions);
    /// if server.common_version().is_none() {
    ///     println!("and this client speaks none of them");
    /// }
    /// // Guidance for a language model, as the server words it: untrusted.
    /// println!("{}", server.instructions.as_deref().unwrap_or_default());
    /// # Ok(())
    /// # }
    /// ```
    pub fn discover(&self) -> RequestBuilder<Discover> {
        RequestBuilder::new(self.clone(), "")
    }

    /// A list of the tools: a page, a stream, or all.
    pub fn list_tools(&self) -> RequestBuilder<ListTools> {
        RequestBuilder::new(self.clone(), "")
    }

    /// A list of the resources: a page, a stream, or all.
    pub fn list_resources(&self) -> RequestBuilder<ListResources> {
        RequestBuilder::new(self.clone(), "")
    }

    /// A list of the resource templates: a page, a stream, or all.
    pub fn list_resource_templates(&self) -> RequestBuilder<ListResourceTemplates> {
        RequestBuilder::new(self.clone(), "")
    }

    /// A list of the prompts: a page, a stream, or all.
    pub fn list_prompts(&self) -> RequestBuilder<ListPrompts> {
        RequestBuilder::new(self.clone(), "")
    }

    /// Reads the resource of that URI, which is sent as it is.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_client::{Outcome, types::ResourceContents};
    ///
    /// let read = match client.read_resource("file:///logo.png").send().await {
    ///     Ok(Outcome::Complete(read)) => read,
    ///     Ok(Outcome::InputRequired(asked)) => return Err(format!("it asks for input: {asked:?}").into()),
    ///     Err(error) if error.is_resource_not_found() => return Ok(()),
    ///     Err(error) => return Err(error.into()),
    /// };
    /// for contents in &read.contents {
    ///     match contents {
    ///         ResourceContents::Text(text) => println!("{}: {}", text.uri, text.text),
    ///         // What is no Base64 is an error of this part alone.
    ///         ResourceContents::Blob(blob) => println!("{}: {} bytes", blob.uri, blob.bytes()?.len()),
    ///         other => println!("not understood: {other:?}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_resource(&self, uri: impl Into<String>) -> RequestBuilder<ReadResource> {
        RequestBuilder::new(self.clone(), uri.into())
    }

    /// Gets the prompt of that name. What it says is untrusted: let the user choose prompts, and see what they say.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// use mcp_client::Outcome;
    ///
    /// match client.get_prompt("review").argument("code", "fn main() {}").send().await? {
    ///     Outcome::Complete(prompt) => println!("{} messages", prompt.messages.len()),
    ///     Outcome::InputRequired(asked) => println!("asked for {:?}", asked.unanswered().collect::<Vec<_>>()),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_prompt(&self, name: impl Into<String>) -> RequestBuilder<GetPrompt> {
        RequestBuilder::new(self.clone(), name.into())
    }

    /// Asks for completions of an argument of a prompt or a resource template, of which the user typed `value` so far.
    ///
    /// Ask when the user pauses, not at every key; no more than 20 a second are sent
    /// ([`completion_rate`](ClientBuilder::completion_rate)). The suggestions are untrusted.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// use mcp_client::types::PromptReference;
    ///
    /// let prompt = PromptReference::new("review");
    /// let found = client.complete(prompt, "framework", "fla").resolved("language", "python").send().await?;
    /// println!("{:?}", found.completion.values);
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete(
        &self,
        of: impl Into<CompletionReference>,
        argument: impl Into<String>,
        value: impl Into<ArgumentText>,
    ) -> RequestBuilder<Complete> {
        RequestBuilder::completion(self.clone(), &of.into(), argument.into(), value.into())
    }

    /// Opens a subscription: what changes at the server is told until it ends.
    pub fn listen(&self, filter: SubscriptionFilter) -> ListenBuilder {
        ListenBuilder::new(self.clone(), filter)
    }

    /// Learns the definitions of tools that were kept from an earlier day or come from a file, as if they had been listed now:
    /// for mirrored headers, output schemas and annotations, and for all credentials. A list that comes later replaces them.
    pub fn learn_tools<'a>(&self, tools: impl IntoIterator<Item = &'a Tool>) {
        for tool in tools {
            self.inner.tools.learn(tool, Whose::EVERYBODYS);
        }
    }

    /// Forgets all results that the cache keeps: of this client, and of all that share its store, whatever their server. Sends
    /// nothing.
    pub async fn clear_cache(&self) {
        self.cache().clear(SystemTime::now()).await;
    }

    /// What the server said of itself when it was last asked by [`discover`](Self::discover), with whatever headers and token.
    pub fn capabilities(&self) -> Option<ServerCapabilities> {
        self.inner.offers.last()
    }

    /// Restores a call that was suspended, maybe in another process. Nothing is sent.
    ///
    /// What it was asked, what was answered, and the caller's word on repeating it are as they were. Headers, time limits, its
    /// own [`Retry`] and the tool's definition are not stored: those of the client hold from here on.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] when it belongs to another server, or was changed so that it makes no sense.
    pub fn restore<M: MultiRound>(
        &self,
        suspended: SuspendedCall<M>,
    ) -> Result<Continuation<M>, RestoreError> {
        suspended.restore(self)
    }

    /// What the server is known by: suspended calls are bound to it. Without credentials.
    pub fn identity(&self) -> &str {
        self.inner.transport.identity()
    }

    /// The input requests that are declared with each call that does not say otherwise.
    pub fn accepted_input(&self) -> InputKinds {
        self.inner.config.kinds
    }

    /// What is known of the tool that is called to whoever has these headers and this token.
    pub(crate) fn known_tool(&self, spec: &Spec, token: Option<&BearerToken>) -> Option<Arc<KnownTool>> {
        if spec.method != CallTool::NAME {
            return None;
        }
        let learnt = || self.inner.tools.get(&spec.target, || self.authorization_context(spec, token));
        spec.tool.clone().or_else(learnt)
    }

    pub(crate) fn tools(&self) -> &ToolBook {
        &self.inner.tools
    }

    /// Waits for the calls that list tools for their repair.
    pub(crate) async fn listing_turn(&self) -> tokio::sync::MutexGuard<'_, LastWalk> {
        self.inner.listing.lock().await
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.inner.cache
    }

    /// By whose rights requests are made that have neither headers nor a token of their own.
    pub(crate) fn own_context(&self) -> Authorization {
        *self.inner.own_context.get_or_init(|| self.cache().authorization(&self.config().headers, None))
    }

    /// Whether a source gives the token of a request: not where the caller has set its `Authorization`.
    pub(crate) fn has_token_source(&self, spec: &Spec) -> bool {
        self.config().tokens.is_some() && !spec.headers.contains_key(AUTHORIZATION)
    }

    /// The token for a request, where a source gives it.
    pub(crate) async fn token(&self, spec: &Spec) -> Result<Option<BearerToken>, TokenError> {
        match self.config().tokens.as_ref().filter(|_| self.has_token_source(spec)) {
            Some(source) => caught(|| source.token()).await.unwrap_or_else(|| Err(TokenError::panicked())),
            None => Ok(None),
        }
    }

    /// What the source has instead of a token that was refused.
    pub(crate) async fn another_token(
        &self,
        refusal: TokenRefusal<'_>,
    ) -> Result<Option<BearerToken>, TokenError> {
        match &self.config().tokens {
            Some(source) => {
                caught(|| source.refused(refusal)).await.unwrap_or_else(|| Err(TokenError::panicked()))
            }
            None => Ok(None),
        }
    }

    /// The trace of a request: the caller's, or what the client was given for all.
    pub(crate) fn trace_context<'a>(&self, spec: &'a Spec) -> Option<Cow<'a, TraceContext>> {
        if let Some(trace) = &spec.trace {
            return Some(Cow::Borrowed(trace));
        }
        let provider = self.config().trace.as_ref()?;
        // What only observes a call must not end it.
        catch_unwind(AssertUnwindSafe(|| provider())).ok().flatten().map(Cow::Owned)
    }

    /// The client's headers, and those of the call, which win.
    pub(crate) fn headers(&self, spec: &Spec) -> HeaderMap {
        let mut headers = self.config().headers.clone();
        for (name, value) in &spec.headers {
            headers.insert(name, value.clone());
        }
        headers
    }

    pub(crate) fn learn_capabilities(&self, capabilities: &ServerCapabilities, whose: Whose) {
        self.inner.offers.learn(capabilities, whose);
    }

    /// Whether the server offers a method to whoever has these headers and this token, as far as it was asked.
    pub(crate) fn check_offered<M: Answer>(
        &self,
        spec: &Spec,
        token: Option<&BearerToken>,
    ) -> Result<(), InvalidCall> {
        let context = || self.authorization_context(spec, token);
        if self.config().ignore_capabilities || self.inner.offers.allow(context, M::is_offered) {
            return Ok(());
        }
        let what =
            "the server says that it does not offer this (`ignore_capabilities` sends it all the same)";
        Err(InvalidCall::new(InvalidKind::NotOffered, what))
    }

    pub(crate) fn transport(&self) -> &Carrier {
        &self.inner.transport
    }

    pub(crate) fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Small integers: some servers keep no more than 32 bits of an id.
    pub(crate) fn next_id(&self) -> RequestId {
        RequestId::Number(self.inner.next_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Greater than all ids that were given so far.
    pub(crate) fn ids_so_far(&self) -> i64 {
        self.inner.next_id.load(Ordering::Relaxed)
    }

    /// Gives no id below this one from now on.
    pub(crate) fn ids_from(&self, least: i64) {
        self.inner.next_id.fetch_max(least, Ordering::Relaxed);
    }

    #[expect(clippy::unused_self, reason = "older revisions are negotiated per server")]
    pub(crate) fn protocol_version(&self) -> ProtocolVersion {
        ProtocolVersion::LATEST
    }

    /// The `_meta` entries of the protocol as JSON text, without the braces around them, and never empty: prepared, unless the
    /// call declares other input requests.
    pub(crate) fn protocol_meta(&self, kinds: Option<InputKinds>) -> Cow<'_, str> {
        let config = self.config();
        kinds
            .filter(|kinds| *kinds != config.kinds)
            .and_then(|kinds| protocol_meta(config.info.as_ref(), kinds, &config.extensions).ok())
            .map_or(Cow::Borrowed(&self.inner.protocol_meta), Cow::Owned)
    }

    /// Who vouches for repeating a call, strongest first: the caller, the registry, the protocol, and, where the
    /// application trusts the server, the tool's own annotations.
    pub(crate) fn evidence(&self, spec: &Spec, tool: Option<&KnownTool>) -> Evidence {
        let config = self.config();
        let caller = spec.repeat.map(|repeat| Evidence::new(repeat, Source::Call));
        let registry =
            || config.registry.find(self.identity(), &spec.target).filter(|_| spec.method == CallTool::NAME);
        let annotated = || {
            let annotations = tool?.annotations.as_ref().filter(|_| config.trust == Trust::Trusted)?;
            let repeat = if annotations.is_read_only() {
                Repeat::ReadOnly
            } else if annotations.is_idempotent() {
                Repeat::Idempotent
            } else {
                return None;
            };
            Some(Evidence::new(repeat, Source::Annotations))
        };
        caller.or_else(registry).or_else(annotated).unwrap_or_else(|| Evidence::of_method(spec.method))
    }

    pub(crate) fn is_observed(&self) -> bool {
        self.inner.config.observer.is_some()
    }

    pub(crate) fn observe(&self, record: &CallRecord) {
        if let Some(observer) = &self.inner.config.observer {
            // A call that has ended must not get lost in somebody else's panic.
            let _ = catch_unwind(AssertUnwindSafe(|| observer.call_ended(record)));
        }
    }

    pub(crate) fn redact(&self, data: &RawJson) -> Option<serde_json::Value> {
        let redact = self.inner.config.redact.as_ref()?;
        catch_unwind(AssertUnwindSafe(|| redact(data))).ok().flatten()
    }
}

fn protocol_meta(
    info: Option<&Implementation>,
    kinds: InputKinds,
    extensions: &RawMap,
) -> Result<String, JsonError> {
    let mut capabilities = kinds.capabilities();
    if !extensions.is_empty() {
        capabilities.extensions = Some(extensions.clone());
    }
    let mut entries = RawMap::new();
    entries.insert(meta::key::PROTOCOL_VERSION, RawJson::from_serialize(&ProtocolVersion::LATEST)?);
    if let Some(info) = info {
        entries.insert(meta::key::CLIENT_INFO, RawJson::from_serialize(info)?);
    }
    entries.insert(meta::key::CLIENT_CAPABILITIES, RawJson::from_serialize(&capabilities)?);
    let object = RawJson::from_serialize(&entries)?;
    let members = object.get().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    Ok(members.unwrap_or_default().to_owned())
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("name", &self.config().name)
            .field("server", &self.identity())
            .field("accepts_input", &self.accepted_input())
            .finish_non_exhaustive()
    }
}
