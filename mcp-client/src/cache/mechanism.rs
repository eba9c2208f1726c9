//! What calls do with the cache of their server.

use std::{
    fmt,
    future::Future,
    sync::Arc,
    time::{Duration, SystemTime},
};

use http::HeaderMap;
use mcp_types::{CacheHint, RawJson};

use super::{
    Authorization, CacheEntry, CacheKey, CacheOptions, CacheSelector, CacheStore, Cacheable, Freshness,
    Invalidation, Principal,
    guarded::Guarded,
    marks::Marks,
    place::{Place, Server},
};

/// The kept results of one server. No method fails; a cache that is off finds and keeps nothing.
pub(crate) struct Cache {
    identity: Arc<str>,
    principal: Principal,
    server: Server,
    store: Guarded,
    marks: Arc<Marks>,
    max_ttl: Duration,
    enabled: bool,
}

/// What is kept of a request's result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lookup {
    /// It can be used instead of a request.
    Fresh(CacheEntry),
    /// Its time is over: only for callers who asked for it, once the server could not be asked.
    Stale(CacheEntry),
    /// Nothing.
    Miss,
}

/// That a request was about to go out, and what had been dropped by then.
#[must_use = "without it the result cannot be kept"]
pub(crate) struct Ticket(Option<(Place, u64)>);

impl Cache {
    /// The cache of the server that a transport [identifies](crate::transport::Transport::identity).
    pub(crate) fn new(options: CacheOptions, identity: &str, principal: Principal) -> Self {
        Self {
            identity: identity.into(),
            principal,
            server: Server::new(identity),
            enabled: options.is_enabled(),
            max_ttl: options.max_ttl,
            store: Guarded::new(options.store, options.store_timeout),
            marks: options.marks,
        }
    }

    /// Whether anything is ever kept: if not, callers can spare themselves the rest.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Whose results may be used, and as whose they are kept: of all headers that the caller added, for the client and for
    /// the call, the bearer token if it is none of them, and the principal of the client.
    pub(crate) fn authorization(&self, headers: &HeaderMap, bearer_token: Option<&str>) -> Authorization {
        Authorization::of(&self.identity, headers, bearer_token, &self.principal)
    }

    /// What is kept of the result: with these credentials, or for everybody.
    pub(crate) async fn lookup(
        &self,
        request: Cacheable<'_>,
        authorization: &Authorization,
        now: SystemTime,
    ) -> Lookup {
        if !self.enabled {
            return Lookup::Miss;
        }
        let place = &self.server.place(request);
        let found = self.store.within(|store| async move {
            let key = place.key(Some(authorization));
            let own = self.judge(store.get(&key).await, &key, place, now);
            if let Lookup::Fresh(_) = own {
                return own;
            }
            let key = place.key(None);
            let public = self.judge(store.get(&key).await, &key, place, now);
            match (&own, &public) {
                (Lookup::Stale(own_entry), Lookup::Stale(entry))
                    if own_entry.received() >= entry.received() =>
                {
                    own
                }
                (_, Lookup::Miss) => own,
                _ => public,
            }
        });
        found.await.unwrap_or(Lookup::Miss)
    }

    /// Whether what was found before must not be used any more.
    pub(crate) fn is_dropped(&self, request: Cacheable<'_>, entry: &CacheEntry) -> bool {
        self.marks.latest(&self.server.place(request)).covers(entry.received())
    }

    /// What an entry is worth now. Stores may be shared, old or tampered with: nothing in it is taken on trust.
    fn judge(&self, entry: Option<CacheEntry>, key: &CacheKey, place: &Place, now: SystemTime) -> Lookup {
        let Some(entry) = entry else { return Lookup::Miss };
        // After the store was asked: what was dropped meanwhile counts.
        let dropped = self.marks.latest(place).covers(entry.received());
        if dropped || entry.is_public() != key.is_public() || !entry.result().is_object() {
            return Lookup::Miss;
        }
        match Freshness::of_kept(entry.received(), entry.ttl().min(self.max_ttl), now) {
            Some(Freshness::Fresh { .. }) => Lookup::Fresh(entry),
            Some(_) => Lookup::Stale(entry),
            None => Lookup::Miss,
        }
    }

    /// To be taken before the request goes out: what is dropped from then on is not kept.
    pub(crate) fn begin(&self, request: Cacheable<'_>) -> Ticket {
        Ticket(self.enabled.then(|| (self.server.place(request), self.marks.number())))
    }

    /// Keeps a complete result that was received now, if it may be, and in the place of any earlier one. Says whether it was
    /// given to the store.
    ///
    /// Results of requests with `inputResponses` or `requestState`, and `input_required` ones, must not come here.
    pub(crate) async fn store(
        &self,
        ticket: &Ticket,
        authorization: &Authorization,
        result: impl FnOnce() -> Option<RawJson> + Send,
        hint: CacheHint,
        now: SystemTime,
    ) -> bool {
        let Some((place, began)) = &ticket.0 else { return false };
        let is_dropped = || self.marks.latest(place).number > *began;
        if is_dropped() {
            return false;
        }
        let mut hint = hint;
        hint.ttl = hint.ttl.min(self.max_ttl);
        if hint.ttl.is_zero() {
            // An earlier result must not outlive this one. Noted here only: most servers give no time, and asking the
            // store to drop nothing after each of their answers would be a high price.
            self.marks.set(&place.all(), now);
            return false;
        }
        let own = place.key(Some(authorization));
        let public = place.key(None);
        let (key, other) = if hint.public { (public, own) } else { (own, public) };
        let Some(result) = result() else { return false };
        let entry = CacheEntry::new(result, now, hint);
        // An earlier result must not outlive this one, though the store fails, or is given no time to end its work.
        let mut unless_stored = Superseded { marks: &self.marks, place, now, is_over: false };
        let stored = self.store.within(|store| async move {
            store.put(&key, entry).await;
            // The server changed its mind on who may have it: its latest word holds.
            store.remove(&CacheSelector::one(&other)).await;
            let kept = !is_dropped();
            if !kept {
                store.remove(&CacheSelector::one(&key)).await;
            }
            kept
        });
        let stored = stored.await;
        unless_stored.is_over = stored.is_some();
        stored.unwrap_or(false)
    }

    /// Drops results, whatever the credentials.
    ///
    /// From this call on they are not used, also when the future is dropped or the store fails; the future is for the store.
    pub(crate) fn invalidate(
        &self,
        invalidation: &Invalidation<'_>,
        now: SystemTime,
    ) -> impl Future<Output = ()> + Send + use<'_> {
        let selectors = if self.enabled { invalidation.selectors(&self.server) } else { Vec::new() };
        for selector in &selectors {
            self.marks.set(selector, now);
        }
        async move {
            if selectors.is_empty() {
                return;
            }
            let drops = self.store.even_if_paused(|store| async move {
                for selector in &selectors {
                    store.remove(selector).await;
                }
            });
            drops.await.unwrap_or_default();
        }
    }

    /// Empties the store, of all servers. As [`invalidate`](Self::invalidate), at once for this client and those who share its
    /// options.
    pub(crate) fn clear(&self, now: SystemTime) -> impl Future<Output = ()> + Send + use<'_> {
        if self.enabled {
            self.marks.set(&CacheSelector::everything(), now);
        }
        async move {
            if self.enabled {
                self.store.even_if_paused(CacheStore::clear).await.unwrap_or_default();
            }
        }
    }
}

/// What was kept of a request before a result that was not stored.
struct Superseded<'a> {
    marks: &'a Marks,
    place: &'a Place,
    now: SystemTime,
    is_over: bool,
}

impl Drop for Superseded<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.marks.set(&self.place.all(), self.now);
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("enabled", &self.enabled)
            .field("max_ttl", &self.max_ttl)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod bad_stores;
#[cfg(test)]
mod tests;
