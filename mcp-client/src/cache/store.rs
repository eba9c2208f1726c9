//! The seam for stores.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use super::{CacheEntry, CacheKey, CacheSelector};

/// Keeps results under keys. [`MemoryStore`](super::MemoryStore) is the default; Redis, a database or files fit too.
///
/// A store is a hint and no more: a call never fails because of one. What it cannot find, read or write in time is a miss.
/// So no method has an error to return: log it where it occurs, and answer `None`. A store that panics counts as one that
/// found nothing; one that takes longer than the [time it has](super::CacheOptions::store_timeout) too, and it then is not
/// asked for 5 s. Never block the thread: no timer can end that.
///
/// The client judges freshness itself with each use, so a store need not look at the clock. It may forget entries at any
/// time. It must not give an entry to another key than it was put under: keys are what separates users. Entries hold results
/// in clear text: protect a store outside of the process as you protect the data of the servers.
///
/// # Cancel safety
///
/// Implementations must be cancel safe: their futures are dropped when time runs out or the caller gives up.
///
/// # Examples
///
/// A store of texts, as one outside of the process is. A real one answers from its connection what is taken from the map here.
///
/// ```
/// use std::{
///     collections::HashMap,
///     sync::{Mutex, MutexGuard, PoisonError},
/// };
///
/// use mcp_client::{
///     async_trait,
///     cache::{CacheEntry, CacheKey, CacheOptions, CacheSelector, CacheStore},
/// };
///
/// #[derive(Debug, Default)]
/// struct Texts(Mutex<HashMap<String, String>>);
///
/// impl Texts {
///     fn map(&self) -> MutexGuard<'_, HashMap<String, String>> {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner)
///     }
/// }
///
/// #[async_trait]
/// impl CacheStore for Texts {
///     async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
///         let map = self.map();
///         // What cannot be read is not there.
///         serde_json::from_str(map.get(key.as_str())?).ok()
///     }
///
///     async fn put(&self, key: &CacheKey, entry: CacheEntry) {
///         if let Ok(text) = serde_json::to_string(&entry) {
///             self.map().insert(key.as_str().to_owned(), text);
///         }
///     }
///
///     async fn remove(&self, selector: &CacheSelector) {
///         self.map().retain(|key, _| !key.starts_with(selector.as_prefix()));
///     }
/// }
///
/// let options = CacheOptions::new().store(Texts::default());
/// assert!(options.is_enabled());
/// ```
///
/// In files, one a result, the name is [`CacheKey::digest`] and the first line [`CacheKey::as_str`], which `remove` compares.
#[async_trait]
pub trait CacheStore: fmt::Debug + Send + Sync + 'static {
    /// The entry that was put under the key last, if it is still there and can be read.
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry>;

    /// Keeps an entry in the place of what was under the key.
    async fn put(&self, key: &CacheKey, entry: CacheEntry);

    /// Drops all entries whose key is selected.
    ///
    /// The client remembers what it dropped: if the store fails to do so, this client uses none of it all the same. Others
    /// that share the store may, until its time is over.
    async fn remove(&self, selector: &CacheSelector);

    /// Drops all entries, of all servers.
    async fn clear(&self) {
        self.remove(&CacheSelector::everything()).await;
    }
}

#[async_trait]
impl<T: CacheStore + ?Sized> CacheStore for Arc<T> {
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        (**self).get(key).await
    }

    async fn put(&self, key: &CacheKey, entry: CacheEntry) {
        (**self).put(key, entry).await;
    }

    async fn remove(&self, selector: &CacheSelector) {
        (**self).remove(selector).await;
    }

    async fn clear(&self) {
        (**self).clear().await;
    }
}
