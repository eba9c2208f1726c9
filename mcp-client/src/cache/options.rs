//! Whether results are kept, where, and for how long at most.

use std::{fmt, sync::Arc, time::Duration};

use super::{CacheStore, MemoryStore, marks::Marks};

/// The default of [`CacheOptions::max_ttl`]: 24 hours.
pub const DEFAULT_MAX_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// The default of [`CacheOptions::store_timeout`]: 250 ms.
pub const DEFAULT_STORE_TIMEOUT: Duration = Duration::from_millis(250);

/// How results are kept: by default in a [`MemoryStore`] of the client's own.
///
/// Clones share the store, and what they know of changes: give clones of one value to several clients, of one server or
/// many, and what one client is told of no other uses any more. Public results are for all of them, private ones for those
/// with the same headers and token; clients with a transport, a layer or an HTTP client of yours keep their private ones to
/// themselves unless they [say whose these are](crate::ClientBuilder::cache_principal).
///
/// ```
/// use std::time::Duration;
///
/// use mcp_client::cache::CacheOptions;
///
/// let shared = CacheOptions::new().max_ttl(Duration::from_secs(600));
/// let (for_alice, for_bob) = (shared.clone(), shared);
/// # let _ = (for_alice, for_bob);
/// ```
#[derive(Clone)]
#[must_use = "options do nothing until a client is built with them"]
pub struct CacheOptions {
    pub(super) store: Arc<dyn CacheStore>,
    pub(super) marks: Arc<Marks>,
    pub(super) max_ttl: Duration,
    pub(super) store_timeout: Duration,
    pub(super) enabled: bool,
}

impl CacheOptions {
    /// Results are kept in memory, as long as servers say, and no longer than 24 hours.
    pub fn new() -> Self {
        Self {
            store: Arc::new(MemoryStore::default()),
            marks: Arc::default(),
            max_ttl: DEFAULT_MAX_TTL,
            store_timeout: DEFAULT_STORE_TIMEOUT,
            enabled: true,
        }
    }

    /// Nothing is kept: every call asks the server.
    pub fn off() -> Self {
        Self { enabled: false, ..Self::new() }
    }

    /// Where results are kept (default: a [`MemoryStore`] of its default size).
    pub fn store(mut self, store: impl CacheStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// The longest time for which a result is fresh, whatever its server says (default: 24 hours). Zero keeps nothing.
    pub fn max_ttl(mut self, max: Duration) -> Self {
        self.max_ttl = max;
        self
    }

    /// How long a store may take each time that it is asked, which a call does at most twice (default: 250 ms). Then the call
    /// goes on as if the store were empty. That time is part of the call's own: a store is waited for no longer than the call may
    /// take, or until it is cancelled, and an answer that cannot be kept in time is handed out all the same.
    pub fn store_timeout(mut self, timeout: Duration) -> Self {
        self.store_timeout = timeout;
        self
    }

    /// Whether results are kept.
    pub fn is_enabled(&self) -> bool {
        self.enabled && !self.max_ttl.is_zero()
    }
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for CacheOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheOptions")
            .field("enabled", &self.is_enabled())
            .field("store", &self.store)
            .field("max_ttl", &self.max_ttl)
            .field("store_timeout", &self.store_timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_what_the_documentation_says() {
        let options = CacheOptions::default();
        assert!(options.is_enabled());
        assert_eq!(options.max_ttl, Duration::from_secs(86_400));
        assert_eq!(options.store_timeout, Duration::from_millis(250));
        assert!(!CacheOptions::off().is_enabled());
        assert!(!CacheOptions::new().max_ttl(Duration::ZERO).is_enabled());
        let shown = format!("{options:?}");
        assert!(shown.contains("MemoryStore") && shown.contains("86400s"), "{shown}");
    }
}
