//! One logical call: from the arguments to the answer, with its record.

mod bounds;
mod builder;
mod flight;
mod inner;
mod key;
mod reading;
mod repair;
mod round;
mod send;
mod tool;

use std::{pin::pin, sync::Arc, time::Duration};

use http::{HeaderMap, header::AUTHORIZATION};
use mcp_retry::{AttemptLog, Delivery, Origin, Repeat, Retry};
use mcp_types::{Method, RawJson, RawMap};
use tokio::{
    select,
    time::{Instant, timeout_at},
};

pub use self::{
    bounds::DEFAULT_MAX_TIMEOUT,
    builder::{CallToolBuilder, RequestBuilder},
};
pub(crate) use self::{
    bounds::{CutOff, Deadline, MaxTimeout, within},
    flight::{Finished, dropped, from_cache, no_record, refuse},
    inner::InnerPosts,
    reading::MAX_IN_A_ROW,
    repair::Walk,
};
use self::{flight::Flight, reading::Reading, repair::Repair};
use crate::{
    cancel::{CancelHandle, cancelled},
    client::Client,
    continuation::State,
    decode::{Decoded, Want},
    error::{CallError, TransportError, TransportErrorKind},
    input_kinds::InputKinds,
    method::Answer,
    request,
    spans::CallSpan,
    tool_book::KnownTool,
    trace_context::TraceContext,
    transport::Carrier,
    updates::Listeners,
};

/// A call as the caller made it: all that its attempts and rounds are built from.
#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) method: &'static str,
    /// The tool, prompt or URI; empty for methods that name none.
    pub(crate) target: Arc<str>,
    pub(crate) arguments: Option<RawJson>,
    /// Other parameters of the method.
    pub(crate) others: Vec<(&'static str, RawJson)>,
    /// The caller's own `_meta` entries.
    pub(crate) meta: RawMap,
    /// The trace, where the caller gave one: instead of the client's, and not stored with the call.
    pub(crate) trace: Option<Box<TraceContext>>,
    pub(crate) headers: HeaderMap,
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    /// How far progress may move the end of the call; `None` where it does not.
    pub(crate) max_timeout: Option<MaxTimeout>,
    pub(crate) cancel: Option<CancelHandle>,
    pub(crate) listeners: Listeners,
    /// Instead of the client's.
    pub(crate) kinds: Option<InputKinds>,
    pub(crate) scenario: Option<String>,
    /// The caller's word on repeating it.
    pub(crate) repeat: Option<Repeat>,
    /// The tool, where the caller has its definition.
    pub(crate) tool: Option<Arc<KnownTool>>,
    /// Instead of the client's.
    pub(crate) retry: Option<Retry>,
    /// The attempts of an earlier call that this one continues.
    pub(crate) continues: Option<(AttemptLog, Origin)>,
    /// When it began, where that was before its first attempt.
    pub(crate) begun: Option<Instant>,
    /// How much of its time earlier rounds took.
    pub(crate) spent: Duration,
    /// Whether the result is kept as it came, for the cache.
    pub(crate) keep: bool,
    /// Whether there may be another answer where the server cannot be had: its error is not the end of the call then.
    pub(crate) fallback: bool,
    /// Where structured content goes that the caller wants as a type of theirs.
    pub(crate) want: Option<Arc<dyn Want>>,
    /// Made on behalf of another call, whose record counts its POSTs.
    pub(crate) inner: Option<InnerPosts>,
}

impl Spec {
    pub(crate) fn new<M: Method>(target: impl Into<Arc<str>>) -> Self {
        Self {
            method: M::NAME,
            target: target.into(),
            arguments: None,
            others: Vec::new(),
            meta: RawMap::new(),
            trace: None,
            headers: HeaderMap::new(),
            timeout: None,
            attempt_timeout: None,
            max_timeout: None,
            cancel: None,
            listeners: Listeners::default(),
            kinds: None,
            scenario: None,
            repeat: None,
            tool: None,
            retry: None,
            continues: None,
            begun: None,
            spent: Duration::ZERO,
            keep: false,
            fallback: false,
            want: None,
            inner: None,
        }
    }

    /// The call was answered: streams of what the server said meanwhile end, whoever holds the call.
    pub(crate) fn end_streams(&mut self) {
        self.listeners.end_streams(self.max_timeout.is_some());
    }

    /// A request of another method, on behalf of this call: same headers, same limits, no listeners.
    pub(crate) fn inner<M: Method>(&self, posts: InnerPosts) -> Self {
        Self {
            trace: self.trace.clone(),
            headers: self.headers.clone(),
            timeout: self.timeout,
            attempt_timeout: self.attempt_timeout,
            retry: self.retry.clone(),
            inner: Some(posts),
            ..Self::new::<M>("")
        }
    }
}

/// Makes the call and says how it ended. `state` is that of the continuation which is resumed.
///
/// # Cancel safety
///
/// Dropping the future drops the exchange, which cancels the request; the observer is told.
pub(crate) async fn run<M: Answer>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
) -> Result<Finished<M::Result>, CallError> {
    let span = CallSpan::begin(client, spec);
    // Not on the heap of its own: it has a few KiB, which a task keeps there anyway.
    span.within(make::<M>(client, spec, state, span.clone())).await
}

async fn make<M: Answer>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    span: CallSpan,
) -> Result<Finished<M::Result>, CallError> {
    let deadline = Deadline::of(client, spec);
    let note = state.and_then(|state| state.accepting_duplicates.clone());
    let cancel = spec.cancel.as_ref();
    let mut flight = Flight::new(client, spec, &deadline, note, span);
    if let Some(refusal) = flight.refusal() {
        return flight.finish::<M>(Err(refusal.into()));
    }
    let mut is_over = flight.is_over();
    loop {
        if cancel.is_some_and(CancelHandle::is_cancelled) {
            let error = flight.give_up();
            return flight.finish::<M>(Err(error));
        }
        if std::mem::take(&mut is_over) {
            let error = timed_out(deadline.allowed(), Delivery::NotSent);
            return flight.finish::<M>(Err(error));
        }
        let ended = {
            let attempt = pin!(attempt::<M>(client, spec, state, &deadline, &mut flight));
            within(&deadline, cancel, attempt).await
        };
        let mut result = match ended {
            Ok(result) => result,
            Err(CutOff::TimedOut(after)) => Err(flight.timed_out(after)),
            // Told at the head of the loop.
            Err(CutOff::Cancelled) => continue,
        };
        if let Err(error) = &result {
            if let Some(repair) = Repair::of::<M>(client, error, &flight) {
                flight.refused(error);
                let mending = Box::pin(repair.mend(client, spec, error, &mut flight));
                let mended = within(&deadline, cancel, mending).await.unwrap_or(Ok(false));
                flight.count_inner();
                match mended {
                    Ok(true) if flight.end_repaired(error, repair.note()) => continue,
                    // Mended, and no time is left to make use of it.
                    Ok(true) => return flight.finish::<M>(result),
                    Ok(false) => {}
                    Err(instead) => result = Err(instead),
                }
            }
        }
        let again = select! {
            biased;
            () = cancelled(cancel) => continue,
            again = flight.end_attempt::<M>(&mut result) => again,
        };
        if !again {
            return flight.finish::<M>(result);
        }
    }
}

fn timed_out(after: Duration, delivery: Delivery) -> CallError {
    TransportError::new(TransportErrorKind::Timeout { after }, delivery).into()
}

/// One attempt: a request with an id of its own, and what came back.
async fn attempt<M: Answer>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    deadline: &Deadline,
    flight: &mut Flight<'_>,
) -> Result<Decoded<M::Result>, CallError> {
    let id = client.next_id();
    flight.begin_attempt(&id);
    let authorization = flight.authorization::<M>().await?;
    let trace = flight.trace();
    let mut outgoing =
        request::build::<M>(client, spec, state, id.clone(), flight.tool.as_deref(), trace.as_deref())?;
    if let Some(authorization) = authorization {
        outgoing.headers.insert(AUTHORIZATION, authorization);
    }
    let limit = spec.attempt_timeout.or(client.config().attempt_timeout);
    let until = limit.and_then(|limit| Instant::now().checked_add(limit));
    flight.exchange.deadline = [deadline.at(), until].into_iter().flatten().min();
    #[cfg(feature = "test-util")]
    crate::transport::tap::sent(&outgoing);
    let exchange = pin!(async {
        let exchange = match client.transport() {
            // Lent, not given: each hand that it passed through would keep room for it.
            #[cfg(feature = "http")]
            Carrier::Http(transport) => transport.carry(&outgoing, &mut flight.exchange).await?,
            Carrier::Other(transport) => transport.exchange(outgoing, &mut flight.exchange).await?,
        };
        let expect = client.config().expect(spec);
        Reading { spec, deadline, until, id: &id, expect, flight }.read::<M>(exchange).await
    });
    match (limit, until) {
        (Some(after), Some(until)) => {
            // Our own timer proves nothing about the request.
            timeout_at(until, exchange).await.unwrap_or_else(|_| Err(timed_out(after, Delivery::Unknown)))
        }
        _ => exchange.await,
    }
}
