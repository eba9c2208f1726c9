//! A bounded buffer between one who must not wait and one who may be slow: the oldest are lost first, and counted.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use futures_core::Stream;

/// How many updates wait for a slow reader by default: 256.
pub const DEFAULT_UPDATES: usize = 256;

struct Shared<T> {
    waiting: VecDeque<T>,
    capacity: usize,
    missed: u64,
    waker: Option<Waker>,
    closed: bool,
}

/// The end that is written to. Never waits.
pub(crate) struct Ring<T>(Arc<Mutex<Shared<T>>>);

/// A stream of what a server says during a call, from a buffer of fixed size.
///
/// Who reads too slowly misses the oldest ones ([`missed`](Self::missed) counts them) and slows nobody down. The
/// stream ends when the call has ended and everything was read.
pub struct Updates<T>(Arc<Mutex<Shared<T>>>);

/// A buffer and its two ends.
pub(crate) fn ring<T>(capacity: usize) -> (Ring<T>, Updates<T>) {
    let shared = Arc::new(Mutex::new(Shared {
        waiting: VecDeque::new(),
        capacity: capacity.max(1),
        missed: 0,
        waker: None,
        closed: false,
    }));
    (Ring(shared.clone()), Updates(shared))
}

fn lock<T>(shared: &Mutex<Shared<T>>) -> MutexGuard<'_, Shared<T>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Ring<T> {
    /// Adds an update. False when an older one had to go for it.
    pub(crate) fn push(&self, update: T) -> bool {
        let mut shared = lock(&self.0);
        let full = shared.waiting.len() >= shared.capacity;
        if full {
            shared.waiting.pop_front();
            shared.missed = shared.missed.saturating_add(1);
        }
        shared.waiting.push_back(update);
        let waker = shared.waker.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
        !full
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        let mut shared = lock(&self.0);
        shared.closed = true;
        let waker = shared.waker.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Updates<T> {
    /// How many were lost so far because they were not read in time.
    pub fn missed(&self) -> u64 {
        lock(&self.0).missed
    }

    /// The next one, if it is there already.
    pub fn try_next(&mut self) -> Option<T> {
        lock(&self.0).waiting.pop_front()
    }

    /// The next one; `None` once the call has ended and everything was read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<T> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<T> Stream for Updates<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut shared = lock(&self.0);
        if let Some(update) = shared.waiting.pop_front() {
            return Poll::Ready(Some(update));
        }
        if shared.closed {
            return Poll::Ready(None);
        }
        shared.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl<T> fmt::Debug for Updates<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = lock(&self.0);
        f.debug_struct("Updates")
            .field("waiting", &shared.waiting.len())
            .field("missed", &shared.missed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_reader_misses_the_oldest_and_is_told() {
        let (ring, mut updates) = ring(2);
        assert!(ring.push(1));
        assert!(ring.push(2));
        assert!(!ring.push(3));
        assert_eq!(updates.missed(), 1);
        drop(ring);
        assert_eq!(updates.next().await, Some(2));
        assert_eq!(updates.try_next(), Some(3));
        assert_eq!(updates.next().await, None);
        assert_eq!(updates.try_next(), None);
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_an_update_and_by_the_end() {
        let (ring, mut updates) = ring(0);
        let reader = tokio::spawn(async move {
            let mut seen = Vec::new();
            while let Some(update) = updates.next().await {
                seen.push(update);
            }
            seen
        });
        tokio::task::yield_now().await;
        ring.push(1);
        tokio::task::yield_now().await;
        ring.push(2);
        tokio::task::yield_now().await;
        drop(ring);
        assert_eq!(reader.await.unwrap(), [1, 2]);
    }
}
