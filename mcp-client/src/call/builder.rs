//! A request that has not been sent yet, whatever its method: what can be set for each of them.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use mcp_retry::{AttemptLog, IdempotencyKey, Origin, Retry};
use mcp_types::{LoggingLevel, RawJson, method::CallTool};
use serde::Serialize;

#[cfg(doc)]
use super::DEFAULT_MAX_TIMEOUT;
use super::{Spec, bounds::MaxTimeout};
use crate::{
    bare_uri::shown,
    cached::CacheUse,
    cancel::CancelHandle,
    client::Client,
    error::{InvalidCall, InvalidKind},
    headers,
    method::Answer,
    trace_context::{self, TraceContext},
    updates::{LogMessage, Progress, Updates},
};

/// A call of a tool that has not been sent yet: see [`Client::call_tool`].
pub type CallToolBuilder = RequestBuilder<CallTool>;

/// A request of one method that has not been sent yet. Made by the methods of [`Client`], filled in, and sent by one verb.
#[must_use = "a request does nothing until it is sent"]
pub struct RequestBuilder<M: Answer> {
    pub(crate) client: Client,
    /// On the heap: a request is moved from hand to hand.
    pub(crate) spec: Box<Spec>,
    /// Put into its place when the call is sent, once for all attempts.
    pub(crate) key: Option<IdempotencyKey>,
    /// The first thing that was wrong; told when the call is sent, and nothing is sent then.
    pub(crate) refusal: Option<InvalidCall>,
    /// Whether the cache may answer, where the method can be cached.
    pub(crate) cache: CacheUse,
    method: PhantomData<fn() -> M>,
}

impl<M: Answer> RequestBuilder<M> {
    pub(crate) fn new(client: Client, target: impl Into<Arc<str>>) -> Self {
        let spec = Box::new(Spec::new::<M>(target));
        Self { client, spec, key: None, refusal: None, cache: CacheUse::Normal, method: PhantomData }
    }

    /// How long the whole call may take, its repetitions and repairs included (default: the client's, 60 s). Each round
    /// of a call that needs input has this time anew, all rounds together where it is [driven](crate::Continuation::drive); what a person needs
    /// in between does not count.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }

    /// How long one attempt may take (default: as long as the call).
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.spec.attempt_timeout = Some(timeout);
        self
    }

    /// Lets each progress notification of the call begin the [`timeout`](Self::timeout) anew (default: it does not). The call
    /// asks for progress then. It ends after 10 minutes all the same ([`DEFAULT_MAX_TIMEOUT`]), or as
    /// [`max_timeout`](Self::max_timeout) says ([patterns/cancellation], timeouts).
    ///
    /// [patterns/cancellation]: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// use std::time::Duration;
    ///
    /// // As long as it says every half minute how far it is, for an hour at most.
    /// let outcome = client
    ///     .call_tool("build_index")
    ///     .timeout(Duration::from_secs(30))
    ///     .max_timeout(Duration::from_secs(3600))
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn timeout_from_last_progress(mut self) -> Self {
        self.spec.max_timeout.get_or_insert(MaxTimeout::Default);
        self.spec.listeners.ask_for_progress();
        self
    }

    /// How long the call may take whatever progress comes, and whatever its timeout is (default: 10 minutes, or its timeout
    /// where that is longer). Means [`timeout_from_last_progress`](Self::timeout_from_last_progress), too.
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.spec.max_timeout = Some(MaxTimeout::Set(timeout));
        self.timeout_from_last_progress()
    }

    /// Lets this handle cancel the call.
    pub fn cancel_with(mut self, handle: &CancelHandle) -> Self {
        self.spec.cancel = Some(handle.clone());
        self
    }

    /// Asks for progress, and gives each notification to this function. It is called on the task of the call, for each one
    /// and in order, so it must be quick; a slow one holds up nothing but its own call. A panic in it is caught.
    ///
    /// Progress that is malformed, longer than 1 MiB or of another call is ignored. A repetition of the call may report from the
    /// start. What the server tells is untrusted.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// let outcome = client
    ///     .call_tool("build_index")
    ///     .progress(|progress| println!("{:.0} %", progress.fraction().unwrap_or(0.0) * 100.0))
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.spec.listeners.call_with_progress(listener);
        self
    }

    /// Asks for progress, and gives it out as a stream, from a buffer of 256 ([`DEFAULT_UPDATES`](crate::DEFAULT_UPDATES)) that holds 1 MiB at most
    /// ([`MAX_UPDATE_BYTES`](crate::MAX_UPDATE_BYTES)). Who reads too slowly misses the oldest ones. Read it while the call is awaited: it is the call
    /// that fills it. It ends when the call is answered, also by a request for input; the rounds that follow can have streams
    /// of their own ([`Continuation::progress_stream`](crate::Continuation::progress_stream)).
    ///
    /// # Examples
    ///
    /// ```
    /// # use mcp_client::{Client, transport::MemoryTransport};
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// # let answer = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[]}}"#;
    /// # let client = Client::with_transport(MemoryTransport::reply(answer)).build()?;
    /// let (call, mut progress) = client.call_tool("build_index").progress_stream();
    /// let show = async {
    ///     while let Some(update) = progress.next().await {
    ///         println!("{} of {:?}", update.progress, update.total);
    ///     }
    /// };
    /// let (outcome, ()) = tokio::join!(call.send(), show);
    /// # outcome?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn progress_stream(mut self) -> (Self, Updates<Progress>) {
        let updates = self.spec.listeners.stream_progress();
        (self, updates)
    }

    /// Asks for log messages of this level and above, and gives each to this function, as [`progress`](Self::progress)
    /// does; others are left out. Logging is deprecated since 2026-07-28; by default none is asked for. What servers log is
    /// untrusted.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// use mcp_client::types::LoggingLevel;
    ///
    /// let outcome = client
    ///     .call_tool("build_index")
    ///     .log(LoggingLevel::Warning, |message| eprintln!("{:?}: {:.200}", message.level, message.data.get()))
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn log(mut self, level: LoggingLevel, listener: impl Fn(LogMessage) + Send + Sync + 'static) -> Self {
        self.spec.listeners.call_with_logs(level, listener);
        self
    }

    /// Asks for log messages of this level and above, and gives them out as a stream, from a buffer of 256
    /// ([`DEFAULT_UPDATES`](crate::DEFAULT_UPDATES)) that holds 1 MiB at most ([`MAX_UPDATE_BYTES`](crate::MAX_UPDATE_BYTES)). Who reads too slowly misses the oldest ones.
    /// It ends as [`progress_stream`](Self::progress_stream) does.
    pub fn log_stream(mut self, level: LoggingLevel) -> (Self, Updates<LogMessage>) {
        let updates = self.spec.listeners.stream_logs(level);
        (self, updates)
    }

    /// Adds an entry to the `_meta` of the request. Keys of the protocol are refused when the call is sent; `traceparent`,
    /// `tracestate` and `baggage` must be well-formed, and are part of the request's
    /// [trace context](Self::trace_context).
    pub fn meta(mut self, key: &str, value: impl Serialize) -> Self {
        let added = if trace_context::is_key(key) {
            headers::json(key, &value)
                .and_then(|value| self.spec.trace.get_or_insert_default().set_meta(key, &value))
        } else {
            headers::meta_entry(key, &value).map(|value| {
                self.spec.meta.insert(key, value);
            })
        };
        if let Err(refusal) = added {
            self.refuse(refusal);
        }
        self
    }

    /// Says which trace the request belongs to, instead of what the client
    /// [says for all](crate::ClientBuilder::trace_context_from): all attempts, and the rounds of this call that follow in this
    /// process. A call that is suspended is stored without it.
    pub fn trace_context(mut self, context: TraceContext) -> Self {
        self.spec.trace = Some(Box::new(context));
        self
    }

    /// Adds an HTTP header to the request. Headers that the client owns are refused when the call is sent.
    ///
    /// Any header may tell the server who asks: private results that are kept, and what private results say of tools and
    /// capabilities, count for requests with the same headers only.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match headers::user_header(name, value) {
            Ok((name, value)) => {
                self.spec.headers.insert(name, value);
            }
            Err(refusal) => self.refuse(refusal),
        }
        self
    }

    /// How this call is repeated, instead of the client's way.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.spec.retry = Some(retry);
        self
    }

    /// Continues the attempts of an earlier call on somebody's behalf: a person pressed "try again".
    pub fn continues(mut self, log: AttemptLog, origin: Origin) -> Self {
        self.spec.continues = Some((log, origin));
        self
    }

    /// Labels the record of the call.
    pub fn scenario(mut self, label: impl Into<String>) -> Self {
        self.spec.scenario = Some(label.into());
        self
    }

    pub(crate) fn refuse(&mut self, refusal: InvalidCall) {
        self.refusal.get_or_insert(refusal);
    }

    /// Sets a parameter of the method.
    pub(crate) fn param(mut self, name: &'static str, value: &impl Serialize) -> Self {
        match RawJson::from_serialize(value) {
            Ok(value) => {
                self.spec.others.retain(|(known, _)| *known != name);
                self.spec.others.push((name, value));
            }
            Err(error) => {
                let what = format!("the parameter `{name}` cannot be put into JSON");
                self.refuse(InvalidCall::new(InvalidKind::Arguments, what).with_source(error));
            }
        }
        self
    }

    /// What was wrong so far, or is wrong now: then nothing is sent.
    pub(crate) fn check(&mut self) -> Result<(), InvalidCall> {
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        if let Some(trace) = &self.spec.trace {
            trace.check()?;
        }
        // What is offered to whoever has the token is known once the token is.
        if self.client.has_token_source(&self.spec) {
            return Ok(());
        }
        self.client.check_offered::<M>(&self.spec, None)
    }
}

impl<M: Answer> fmt::Debug for RequestBuilder<M> {
    /// Arguments, `_meta` and headers are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBuilder")
            .field("method", &M::NAME)
            .field("target", &shown(M::NAME, &self.spec.target))
            .finish_non_exhaustive()
    }
}
