//! A store that cannot hurt a call: it has little time, its panics end here, and after either it is left alone for a while.

use std::{
    fmt,
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, timeout};

use super::CacheStore;
use crate::caught::caught;

/// How long a store is left alone once it took too long or panicked: a dead one must not slow down each call.
pub(super) const PAUSE: Duration = Duration::from_secs(5);

pub(super) struct Guarded {
    store: Arc<dyn CacheStore>,
    timeout: Duration,
    paused_until: Mutex<Option<Instant>>,
}

impl Guarded {
    pub(super) fn new(store: Arc<dyn CacheStore>, timeout: Duration) -> Self {
        Self { store, timeout, paused_until: Mutex::new(None) }
    }

    /// What the work on the store comes to; `None` if it is left alone, or comes to nothing.
    pub(super) async fn within<'a, T, F>(&'a self, work: impl FnOnce(&'a dyn CacheStore) -> F) -> Option<T>
    where
        F: Future<Output = T>,
    {
        if self.is_paused() { None } else { self.even_if_paused(work).await }
    }

    /// The same, also while the store is left alone: for drops, which are worth a try.
    pub(super) async fn even_if_paused<'a, T, F>(
        &'a self,
        work: impl FnOnce(&'a dyn CacheStore) -> F,
    ) -> Option<T>
    where
        F: Future<Output = T>,
    {
        let work = caught(|| work(self.store.as_ref()));
        let value = timeout(self.timeout, work).await.ok().flatten();
        if value.is_none() {
            *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + PAUSE);
        }
        value
    }

    fn is_paused(&self) -> bool {
        let until = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded")
            .field("store", &self.store)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
