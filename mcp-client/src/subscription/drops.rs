//! What the store of the cache still has to drop.

use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::SystemTime,
};

use crate::cache::{Cache, Invalidation};

/// How many drops wait for a slow store. One more, and everything is dropped instead of each.
const MAX_WAITING: usize = 16;

type Dropping<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Drops what a subscription tells of. From then on nothing of it is used; only the store is given time, and nobody waits
/// for that: a subscription that is not read would hold up the other streams of its connection.
pub(super) struct Drops<'a> {
    cache: &'a Cache,
    waiting: VecDeque<Dropping<'a>>,
}

impl<'a> Drops<'a> {
    pub(super) fn new(cache: &'a Cache) -> Self {
        Self { cache, waiting: VecDeque::new() }
    }

    pub(super) fn add(&mut self, invalidation: &Invalidation<'_>) {
        if !self.cache.is_enabled() {
            return;
        }
        let dropped = self.cache.invalidate(invalidation, SystemTime::now());
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(Box::pin(dropped));
            return;
        }
        let everything = self.cache.invalidate(&Invalidation::Everything, SystemTime::now());
        self.waiting.clear();
        self.waiting.push_back(Box::pin(everything));
    }

    /// Goes on with it; ready when nothing is left.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(first) = self.waiting.front_mut() {
            if first.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.waiting.pop_front();
        }
        Poll::Ready(())
    }

    /// Goes on with it while something else is waited for.
    pub(super) async fn during<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let _ = self.poll(cx);
            future.as_mut().poll(cx)
        })
        .await
    }

    pub(super) async fn finish(&mut self) {
        poll_fn(|cx| self.poll(cx)).await;
    }
}
