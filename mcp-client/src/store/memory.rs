//! A store that forgets all when its process ends.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use async_trait::async_trait;

use super::{ContinuationStore, StoreError, StoreFilter, StoredCall};

/// How many calls a [`MemoryStore`] holds: 10,000.
pub const DEFAULT_MAX_STORED_CALLS: usize = 10_000;

/// Keeps calls in memory: for tests, and for programs of one process whose calls may be lost with it. All clones are one store.
#[derive(Clone, Default)]
pub struct MemoryStore {
    calls: Arc<Mutex<HashMap<String, StoredCall>>>,
}

impl MemoryStore {
    /// An empty store, which holds up to [`DEFAULT_MAX_STORED_CALLS`].
    pub fn new() -> Self {
        Self::default()
    }

    /// The calls whose time is not over.
    fn calls(&self) -> MutexGuard<'_, HashMap<String, StoredCall>> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        calls.retain(|_, call| !call.is_expired(now));
        calls
    }
}

#[async_trait]
impl ContinuationStore for MemoryStore {
    async fn put(&self, call: StoredCall) -> Result<(), StoreError> {
        // As a store that writes it would find it.
        call.to_json()?;
        let mut calls = self.calls();
        if calls.len() >= DEFAULT_MAX_STORED_CALLS && !calls.contains_key(call.id()) {
            return Err(StoreError::Full { max: DEFAULT_MAX_STORED_CALLS });
        }
        calls.insert(call.id().to_owned(), call.into_free());
        Ok(())
    }

    async fn list(&self, filter: &StoreFilter) -> Result<Vec<StoredCall>, StoreError> {
        let mut found: Vec<StoredCall> =
            self.calls().values().filter(|call| filter.matches(call)).cloned().collect();
        found.sort_by(|one, other| (one.created(), one.id()).cmp(&(other.created(), other.id())));
        Ok(found)
    }

    async fn get(&self, id: &str) -> Result<Option<StoredCall>, StoreError> {
        Ok(self.calls().get(id).cloned())
    }

    async fn claim(&self, id: &str) -> Result<Option<StoredCall>, StoreError> {
        let mut calls = self.calls();
        let Some(kept) = calls.get_mut(id).filter(|kept| !kept.is_claimed()) else { return Ok(None) };
        let given = kept.clone();
        *kept = given.clone().into_claimed();
        Ok(Some(given))
    }

    async fn remove(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.calls().remove(id).is_some())
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("calls", &self.calls().len()).finish()
    }
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
