//! Results that servers let clients keep: for how long, for whom, and where they are kept.
//!
//! Six methods have such results: `server/discover`, the four lists, and `resources/read` (specification 2026-07-28,
//! [Caching]). Their results say how long they stay fresh (`ttlMs`) and for whom (`cacheScope`). What they leave out counts
//! as "not at all" and "private". A fresh result is used instead of a request; nothing is fetched in the background.
//!
//! * [`CacheOptions`]: where results are kept and for how long at most, or that nothing is kept.
//! * [`MemoryStore`]: where they are kept by default, bounded in number and bytes.
//! * [`CacheStore`]: the seam for a store of your own, such as Redis or files.
//! * [`Freshness`]: how old a result is that the caller is given.
//!
//! A result is used again for the same request only: the same parameters, the same entries of `_meta`, the same declared
//! capabilities and extensions. Progress tokens, log levels and trace contexts do not count.
//!
//! A private result is only ever used again with the same credentials: all headers that the caller added, and the bearer
//! token, are part of its key, as a SHA-256 digest. What the client cannot see is not: credentials that a
//! [transport](crate::ClientBuilder::transport) or a [layer](crate::ClientBuilder::layer) of yours adds, and default headers,
//! cookies or a TLS identity of an HTTP client of yours ([`http_with`](crate::ClientBuilder::http_with),
//! [`http_unguarded`](crate::ClientBuilder::http_unguarded)). A client that is built with one of them shares its private results
//! with its own clones only, and with no other process, unless
//! [`ClientBuilder::cache_principal`](crate::ClientBuilder::cache_principal) says whose they are. One client is one user in what
//! it cannot see: a transport that signs for many users in turn needs [`CacheOptions::off`], or a client for each of them.
//!
//! A notification of a change, an invalid cursor or a new subscription after a broken one drops what it concerns, for all
//! credentials. Calls that were already on their way then are answered, but what they bring is not kept.
//!
//! [Caching]: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_client::cache::{CacheOptions, MemoryStore};
//!
//! // No result is kept for more than an hour, and at most 4 MiB of them.
//! let options = CacheOptions::new().store(MemoryStore::new(256, 4 << 20)).max_ttl(Duration::from_secs(3600));
//! assert!(options.is_enabled());
//! assert!(!CacheOptions::off().is_enabled());
//! ```

mod authorization;
mod entry;
mod freshness;
mod guarded;
mod invalidation;
mod key;
mod marks;
mod mechanism;
mod memory;
mod options;
mod place;
mod store;
mod variant;

pub(crate) use self::{
    authorization::{Authorization, Principal},
    invalidation::Invalidation,
    mechanism::{Cache, Lookup},
    place::Cacheable,
    variant::Variant,
};
pub use self::{
    entry::CacheEntry,
    freshness::Freshness,
    key::{CacheKey, CacheSelector},
    memory::{DEFAULT_MAX_BYTES, DEFAULT_MAX_ENTRIES, MemoryStore},
    options::{CacheOptions, DEFAULT_MAX_TTL, DEFAULT_STORE_TIMEOUT},
    store::CacheStore,
};
