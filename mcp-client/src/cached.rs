//! Requests that the cache may answer.

use std::{future::Future, time::SystemTime};

use mcp_retry::Layer;
use mcp_types::{RawJson, ResultType};
use tokio::time::Instant;

use crate::{
    cache::{CacheEntry, Cacheable, Freshness, Lookup, Variant},
    call::{CutOff, Deadline, Finished, RequestBuilder, Spec, dropped, from_cache, run as run_call, within},
    cancel::CancelHandle,
    client::Client,
    decode::{self, Decoded, Notes},
    error::{CallError, ProtocolError, ProtocolFault},
    method::{Answer, CachedMethod},
    record::{CallRecord, OutcomeKind},
    token::BearerToken,
};

/// Whether the cache may answer one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// With what is fresh.
    #[default]
    Normal,
    /// Not at all; what comes is kept.
    Refresh,
    /// Not at all, and what comes is not kept.
    Off,
    /// With what is fresh, and with what is stale where the server cannot be had.
    StaleIfError,
}

impl<M: CachedMethod> RequestBuilder<M> {
    /// Asks the server whatever is kept; what it answers is kept anew.
    pub fn refresh(mut self) -> Self {
        self.cache = CacheUse::Refresh;
        self
    }

    /// Keeps the cache out of it: it neither answers nor keeps.
    pub fn no_cache(mut self) -> Self {
        self.cache = CacheUse::Off;
        self
    }

    /// Takes a kept result that is no longer fresh where the server cannot be had: no connection, no answer in time or one that
    /// broke off, a status of 5xx, 408, 425 or 429. It shows: see [`Freshness::Stale`]; the record has the POSTs that were made, and why they failed.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// let tools = client.list_tools().stale_if_error().send().await?;
    /// if tools.freshness().is_stale() {
    ///     eprintln!("the server is down; these tools are {:?} old", tools.freshness().age());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stale_if_error(mut self) -> Self {
        self.cache = CacheUse::StaleIfError;
        self
    }
}

/// Makes the call, or lets the cache answer it.
pub(crate) async fn run<M: Answer>(
    client: &Client,
    spec: &mut Spec,
    cache_use: CacheUse,
) -> Result<Finished<M::Result>, CallError> {
    let cache = client.cache();
    spec.fallback = false;
    // What was given up already ends so, whatever is kept.
    let given_up = spec.cancel.as_ref().is_some_and(CancelHandle::is_cancelled);
    if !M::CACHED || cache_use == CacheUse::Off || !cache.is_enabled() || given_up {
        return run_call::<M>(client, spec, None).await;
    }
    let cursor = spec.others.iter().find(|(name, _)| *name == "cursor");
    let cursor = cursor.and_then(|(_, cursor)| cursor.parse::<String>().ok());
    let uri = M::TARGET.map(|_| spec.target.clone());
    let Some(cacheable) = Cacheable::of(M::NAME, cursor.as_deref(), uri.as_deref()) else {
        return run_call::<M>(client, spec, None).await;
    };
    let kinds = spec.kinds.unwrap_or(client.accepted_input());
    let cacheable = cacheable.saying(Variant::of(&spec.meta, kinds, &client.config().extensions));
    // What it takes to learn who asks, and to ask the store, is part of the call's time.
    spec.begun = Some(Instant::now());
    let result = Box::pin(through::<M>(client, spec, cache_use, cacheable)).await;
    spec.begun = None;
    result
}

/// Makes a call whose result may be kept, or lets the cache answer it.
async fn through<M: Answer>(
    client: &Client,
    spec: &mut Spec,
    cache_use: CacheUse,
    cacheable: Cacheable<'_>,
) -> Result<Finished<M::Result>, CallError> {
    let cache = client.cache();
    let mut token = None;
    if client.has_token_source(spec) {
        let Ok(Ok(found)) = in_time(client, spec, None, client.token(spec)).await else {
            // The call itself asks again, and says what came of it.
            spec.keep = false;
            return run_call::<M>(client, spec, None).await;
        };
        token = found;
    }
    let authorization = client.authorization_context(spec, token.as_ref());
    let mut stale = None;
    if cache_use != CacheUse::Refresh {
        let lookup = cache.lookup(cacheable, &authorization, SystemTime::now());
        match in_time(client, spec, None, lookup).await.unwrap_or(Lookup::Miss) {
            Lookup::Fresh(entry) => {
                // What cannot be read any more is no hit.
                if let Some(decoded) = read::<M>(client, spec, &entry) {
                    let record =
                        from_cache(client, spec, Freshness::Fresh { age: entry.age(SystemTime::now()) });
                    return Ok(finished(decoded, record, &entry, token));
                }
            }
            Lookup::Stale(entry) => stale = Some(entry),
            Lookup::Miss => {}
        }
    }
    let ticket = cache.begin(cacheable);
    spec.keep = true;
    spec.fallback = cache_use == CacheUse::StaleIfError;
    let result = run_call::<M>(client, spec, None).await;
    let has_fallback = std::mem::take(&mut spec.fallback);
    match result {
        Ok(mut finished) => {
            if let (Decoded::Complete(result), Some(raw)) = (&finished.decoded, finished.kept.take()) {
                let hint = M::cache_hint(result);
                // A token may have been renewed meanwhile, and the answer is that of the one that was sent.
                let authorization = if finished.token == token {
                    authorization
                } else {
                    client.authorization_context(spec, finished.token.as_ref())
                };
                let raw = || serde_json::from_slice(&raw).map(RawJson::from_raw).ok();
                let kept = cache.store(&ticket, &authorization, raw, hint, SystemTime::now());
                let deadline = Deadline::of(client, spec);
                // As good as progress, which may have moved the end of the call before.
                deadline.progressed();
                // The answer is there, kept or not; and the observer was told.
                let _ = within(&deadline, spec.cancel.as_ref(), kept).await;
            }
            Ok(finished)
        }
        Err(mut error) if has_fallback && error.is_unavailable() => {
            let Some(record) = error.context_mut().record.take() else { return Err(error) };
            let mut pending = Some(record);
            // Only now: what was dropped meanwhile is no answer, and another call may have brought a better one.
            let lookup = cache.lookup(cacheable, &authorization, SystemTime::now());
            let (entry, is_stale) = match in_time(client, spec, Some(&mut pending), lookup).await {
                Ok(Lookup::Fresh(entry)) => (Some(entry), false),
                Ok(Lookup::Stale(entry)) => (Some(entry), true),
                Ok(Lookup::Miss) | Err(CutOff::Cancelled) => (None, false),
                // No time is left for the store, as after an answer that did not come in time: what it had before will do.
                Err(CutOff::TimedOut(_)) => (stale.filter(|entry| !cache.is_dropped(cacheable, entry)), true),
            };
            let found =
                entry.and_then(|entry| read::<M>(client, spec, &entry).map(|decoded| (decoded, entry)));
            instead(client, error, pending, found, is_stale, token)
        }
        Err(error) => Err(error),
    }
}

/// Waits for the token or the store, no longer than the call may take. If the call is dropped meanwhile the observer is told: of
/// what it did so far, where there is a record.
async fn in_time<T>(
    client: &Client,
    spec: &Spec,
    record: Option<&mut Option<Box<CallRecord>>>,
    work: impl Future<Output = T>,
) -> Result<T, CutOff> {
    let mut unheard = Unheard { client, spec, record, is_over: false };
    let done = within(&Deadline::of(client, spec), spec.cancel.as_ref(), work).await;
    unheard.is_over = true;
    done
}

/// A call that the observer is told of when it is dropped.
struct Unheard<'a> {
    client: &'a Client,
    spec: &'a Spec,
    record: Option<&'a mut Option<Box<CallRecord>>>,
    is_over: bool,
}

impl Drop for Unheard<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            dropped(self.client, self.spec, self.record.as_mut().and_then(|record| record.take()));
        }
    }
}

/// A kept result, decoded like one that has just come.
fn read<M: Answer>(client: &Client, spec: &Spec, entry: &CacheEntry) -> Option<Decoded<M::Result>> {
    let expect = client.config().expect(spec);
    let decoded = decode::result::<M>(entry.result().as_raw(), expect, &mut Notes::default()).ok()?;
    matches!(decoded, Decoded::Complete(_)).then_some(decoded)
}

fn finished<R>(
    decoded: Decoded<R>,
    record: Box<CallRecord>,
    entry: &CacheEntry,
    token: Option<BearerToken>,
) -> Finished<R> {
    Finished { decoded, record, kept: None, bytes: entry.result().get().len(), tool: None, token }
}

/// The end of a call whose server could not be had: what is kept, or the error. The observer is told once.
fn instead<R>(
    client: &Client,
    mut error: CallError,
    record: Option<Box<CallRecord>>,
    found: Option<(Decoded<R>, CacheEntry)>,
    is_stale: bool,
    token: Option<BearerToken>,
) -> Result<Finished<R>, CallError> {
    let Some(mut record) = record else { return Err(error) };
    let Some((decoded, entry)) = found else {
        client.observe(&record);
        error.context_mut().record = Some(record);
        return Err(error);
    };
    let age = entry.age(SystemTime::now());
    // All that happened stays in it: POSTs, attempts, what the server said.
    record.freshness = if is_stale { Freshness::Stale { age } } else { Freshness::Fresh { age } };
    record.outcome = OutcomeKind::ToolSuccess;
    record.layer = Layer::Application;
    record.result_type = Some(ResultType::Complete);
    client.observe(&record);
    Ok(finished(decoded, record, &entry, token))
}

/// What the decoder never makes of an answer to this method: only some can ask for input, and only subscriptions are opened.
pub(crate) fn unexpected() -> CallError {
    let fault = ProtocolFault::InvalidResult {
        reason: "it is none that this method can have".into(),
        path: "result".into(),
    };
    ProtocolError::new(fault, bytes::Bytes::new()).into()
}
