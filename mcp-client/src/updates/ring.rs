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
    /// With the bytes of each.
    waiting: VecDeque<(T, usize)>,
    bytes: usize,
    capacity: usize,
    max_bytes: usize,
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
#[cfg(test)]
pub(crate) fn ring<T>(capacity: usize) -> (Ring<T>, Updates<T>) {
    ring_of_bytes(capacity, usize::MAX)
}

/// A buffer and its two ends, for so many updates, and so many bytes of them besides the latest one: few long ones are as
/// much as many short ones.
pub(crate) fn ring_of_bytes<T>(capacity: usize, max_bytes: usize) -> (Ring<T>, Updates<T>) {
    let shared = Arc::new(Mutex::new(Shared {
        waiting: VecDeque::new(),
        bytes: 0,
        capacity: capacity.max(1),
        max_bytes,
        missed: 0,
        waker: None,
        closed: false,
    }));
    (Ring(shared.clone()), Updates(shared))
}

impl<T> Shared<T> {
    fn pop(&mut self) -> Option<T> {
        let (update, bytes) = self.waiting.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        Some(update)
    }

    /// Whether an update of so many bytes has to take the place of others.
    fn is_full(&self, bytes: usize) -> bool {
        let heavy = !self.waiting.is_empty() && self.bytes.saturating_add(bytes) > self.max_bytes;
        heavy || self.waiting.len() >= self.capacity
    }
}

fn lock<T>(shared: &Mutex<Shared<T>>) -> MutexGuard<'_, Shared<T>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Ring<T> {
    /// Adds an update that is small. False when an older one had to go for it.
    #[cfg(test)]
    pub(crate) fn push(&self, update: T) -> bool {
        self.push_sized(update, 0)
    }

    /// Adds an update that keeps so many bytes. False when older ones had to go for it.
    pub(crate) fn push_sized(&self, update: T, bytes: usize) -> bool {
        let mut shared = lock(&self.0);
        let full = shared.is_full(bytes);
        while shared.is_full(bytes) && shared.pop().is_some() {
            shared.missed = shared.missed.saturating_add(1);
        }
        shared.bytes = shared.bytes.saturating_add(bytes);
        shared.waiting.push_back((update, bytes));
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
        lock(&self.0).pop()
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
        if let Some(update) = shared.pop() {
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

    #[test]
    fn long_updates_are_bounded_by_their_bytes() {
        let (ring, mut updates) = ring_of_bytes(100, 10_000);
        let third = 10_000 / 3;
        for number in 1..=3 {
            assert!(ring.push_sized(number, third), "{number}");
        }
        assert!(!ring.push_sized(4, third));
        assert_eq!((updates.missed(), updates.try_next()), (1, Some(2)));
        // Small ones take none of that room, and what was read makes room.
        assert!(ring.push(5) && ring.push_sized(6, third));
        // The latest one is always kept: its own length has a limit elsewhere.
        assert!(!ring.push_sized(7, usize::MAX));
        assert_eq!((updates.missed(), updates.try_next(), updates.try_next()), (5, Some(7), None));
        assert!(ring.push_sized(8, 10_000));
    }

    #[test]
    fn the_oldest_go_until_the_newest_fits_whatever_its_size() {
        let (ring, mut updates) = ring_of_bytes(8, 100);
        for (number, bytes) in [(1, 40), (2, 40), (3, 20), (4, 41)] {
            ring.push_sized(number, bytes);
        }
        // Of 40, 40, 20 and 41 bytes, the first two had to go.
        assert_eq!((updates.missed(), updates.try_next()), (2, Some(3)));
        ring.push_sized(5, 1000);
        assert_eq!((updates.missed(), updates.try_next(), updates.try_next()), (3, Some(5), None));
        for number in 6..20 {
            ring.push_sized(number, 0);
        }
        assert_eq!((updates.missed(), updates.try_next()), (9, Some(12)));
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
