//! Requests that the cache may answer.

use std::time::SystemTime;

use crate::{
    cache::{CacheEntry, Cacheable, Freshness, Lookup},
    call::{Finished, RequestBuilder, Spec, from_cache, run as run_call},
    client::Client,
    decode::{self, Decoded, Notes},
    error::{CallError, ProtocolError, ProtocolFault},
    method::{Answer, CachedMethod},
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

    /// Takes a kept result that is no longer fresh where the server cannot be had: no connection, no answer in time, a status
    /// of 5xx or 429. It shows: see [`Freshness::Stale`](crate::cache::Freshness::Stale).
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
    if !M::CACHED || cache_use == CacheUse::Off || !cache.is_enabled() {
        return run_call::<M>(client, spec, None).await;
    }
    let cursor = spec.others.iter().find(|(name, _)| *name == "cursor");
    let cursor = cursor.and_then(|(_, cursor)| cursor.parse::<String>().ok());
    let uri = M::TARGET.map(|_| spec.target.clone());
    let Some(cacheable) = Cacheable::of(M::NAME, cursor.as_deref(), uri.as_deref()) else {
        return run_call::<M>(client, spec, None).await;
    };
    let authorization = client.authorization_context(spec);
    let mut stale = None;
    if cache_use != CacheUse::Refresh {
        match cache.lookup(cacheable, &authorization, SystemTime::now()).await {
            Lookup::Fresh(entry) => {
                // What cannot be read any more is no hit.
                if let Some(finished) = kept::<M>(client, spec, &entry, false) {
                    return Ok(finished);
                }
            }
            Lookup::Stale(entry) => stale = Some(entry),
            Lookup::Miss => {}
        }
    }
    let ticket = cache.begin(cacheable);
    spec.keep = true;
    match run_call::<M>(client, spec, None).await {
        Ok(mut finished) => {
            if let (Decoded::Complete(result), Some(raw)) = (&finished.decoded, finished.kept.take()) {
                let hint = M::cache_hint(result);
                cache.store(&ticket, &authorization, raw.as_raw(), hint, SystemTime::now()).await;
            }
            Ok(finished)
        }
        Err(error) => {
            let usable = stale.filter(|_| cache_use == CacheUse::StaleIfError && error.is_unavailable());
            usable.and_then(|entry| kept::<M>(client, spec, &entry, true)).ok_or(error)
        }
    }
}

/// A kept result, decoded like one that has just come.
fn kept<M: Answer>(
    client: &Client,
    spec: &Spec,
    entry: &CacheEntry,
    is_stale: bool,
) -> Option<Finished<M::Result>> {
    let expect = client.config().expect(spec);
    let decoded = decode::result::<M>(entry.result().as_raw(), expect, &mut Notes::default()).ok()?;
    let Decoded::Complete(_) = &decoded else { return None };
    let age = entry.age(SystemTime::now());
    let freshness = if is_stale { Freshness::Stale { age } } else { Freshness::Fresh { age } };
    Some(Finished { decoded, record: from_cache(client, spec, freshness), kept: None, tool: None })
}

/// What the decoder never makes of an answer to this method: only some can ask for input, and only subscriptions are opened.
pub(crate) fn unexpected() -> CallError {
    let fault = ProtocolFault::InvalidResult {
        reason: "it is none that this method can have".into(),
        path: "result".into(),
    };
    ProtocolError::new(fault, bytes::Bytes::new()).into()
}
