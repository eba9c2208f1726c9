//! The store in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, UNIX_EPOCH},
};

use async_trait::async_trait;

use super::{CacheEntry, CacheKey, CacheSelector, CacheStore};

/// How many entries a [`MemoryStore`] holds by default: 1,024.
pub const DEFAULT_MAX_ENTRIES: usize = 1_024;

/// How many bytes a [`MemoryStore`] holds by default: 16 MiB.
pub const DEFAULT_MAX_BYTES: usize = 16 << 20;

/// What an entry takes beside its key and its result, roughly.
const OVERHEAD_BYTES: usize = 256;

/// Keeps results in memory, bounded in number and in bytes.
///
/// When it is full, entries whose time is over go first, then those that were used the longest ago. An entry that would take
/// more than a quarter of the bytes is not kept at all: one large resource must not drive out everything else. Bytes are those
/// of keys and results, and 256 for each entry.
///
/// Entries whose time is over are kept while there is room: callers may ask for stale results when a server is down.
///
/// ```
/// use mcp_client::cache::{CacheOptions, MemoryStore};
///
/// let options = CacheOptions::new().store(MemoryStore::new(64, 1 << 20));
/// # let _ = options;
/// ```
pub struct MemoryStore {
    max_entries: usize,
    max_bytes: usize,
    kept: Mutex<Kept>,
}

impl MemoryStore {
    /// A store for this many entries and bytes.
    pub fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self { max_entries, max_bytes, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    /// A store for 1,024 entries and 16 MiB.
    fn default() -> Self {
        Self::new(DEFAULT_MAX_ENTRIES, DEFAULT_MAX_BYTES)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        f.debug_struct("MemoryStore")
            .field("entries", &kept.slots.len())
            .field("max_entries", &self.max_entries)
            .field("bytes", &kept.bytes)
            .field("max_bytes", &self.max_bytes)
            .finish_non_exhaustive()
    }
}

/// Sorted in three ways, so that nothing needs to look at all entries: by key, for drops by prefix; by the end of their time;
/// by when they were used.
#[derive(Default)]
struct Kept {
    slots: BTreeMap<Arc<str>, Slot>,
    by_end: BTreeSet<(Duration, u64)>,
    by_use: BTreeMap<u64, Arc<str>>,
    bytes: usize,
    uses: u64,
}

struct Slot {
    entry: CacheEntry,
    bytes: usize,
    /// When its time is over, since the epoch.
    end: Duration,
    /// The number of its latest use, which no other slot has.
    used: u64,
}

impl Kept {
    fn get(&mut self, key: &str) -> Option<CacheEntry> {
        let slot = self.slots.get_mut(key)?;
        self.uses += 1;
        let before = std::mem::replace(&mut slot.used, self.uses);
        self.by_end.remove(&(slot.end, before));
        self.by_end.insert((slot.end, slot.used));
        if let Some(key) = self.by_use.remove(&before) {
            self.by_use.insert(slot.used, key);
        }
        Some(slot.entry.clone())
    }

    fn insert(&mut self, key: Arc<str>, entry: CacheEntry, bytes: usize) {
        self.uses += 1;
        let used = self.uses;
        let end = since_epoch(&entry).saturating_add(entry.ttl());
        self.bytes += bytes;
        self.by_end.insert((end, used));
        self.by_use.insert(used, key.clone());
        self.slots.insert(key, Slot { entry, bytes, end, used });
    }

    fn remove(&mut self, key: &str) {
        if let Some(slot) = self.slots.remove(key) {
            self.bytes -= slot.bytes;
            self.by_end.remove(&(slot.end, slot.used));
            self.by_use.remove(&slot.used);
        }
    }

    /// Drops one entry: of those whose time is over, the one whose time was over first; else the one used the longest ago.
    fn evict(&mut self, now: Duration) -> bool {
        let over = self.by_end.first().filter(|(end, _)| *end <= now).map(|(_, used)| *used);
        let oldest = || self.by_use.keys().next().copied();
        let key = over.or_else(oldest).and_then(|used| self.by_use.get(&used)).cloned();
        if let Some(key) = &key {
            self.remove(key);
        }
        key.is_some()
    }

    fn remove_prefix(&mut self, prefix: &str) {
        let range = (Bound::Included(prefix), Bound::Unbounded);
        let keys: Vec<Arc<str>> = self
            .slots
            .range::<str, _>(range)
            .map(|(key, _)| key.clone())
            .take_while(|key| key.starts_with(prefix))
            .collect();
        for key in keys {
            self.remove(&key);
        }
    }
}

fn since_epoch(entry: &CacheEntry) -> Duration {
    entry.received().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[async_trait]
impl CacheStore for MemoryStore {
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        self.kept().get(key.as_str())
    }

    async fn put(&self, key: &CacheKey, entry: CacheEntry) {
        let bytes = OVERHEAD_BYTES + key.as_str().len() + entry.result().get().len();
        // What comes now was just received: that is the time, and no clock is needed.
        let now = since_epoch(&entry);
        let mut kept = self.kept();
        kept.remove(key.as_str());
        if self.max_entries == 0 || bytes > self.max_bytes / 4 {
            return;
        }
        while kept.slots.len() >= self.max_entries || kept.bytes + bytes > self.max_bytes {
            if !kept.evict(now) {
                return;
            }
        }
        kept.insert(key.text().clone(), entry, bytes);
    }

    async fn remove(&self, selector: &CacheSelector) {
        self.kept().remove_prefix(selector.as_prefix());
    }

    async fn clear(&self) {
        *self.kept() = Kept::default();
    }
}

#[cfg(test)]
mod tests;
