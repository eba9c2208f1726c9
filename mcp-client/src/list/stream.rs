//! The entries of a list as a stream.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{ListFault, Page, Pages, Skipped, WalkEnd, listing::oldest};
#[cfg(doc)]
use crate::RequestBuilder;
use crate::{cache::Freshness, method::ListMethod};

/// How many entries that were left out an [`ItemStream`] remembers: 1,024, the first ones.
pub const MAX_STREAM_SKIPPED: usize = 1_024;

/// The entries of a list as a stream that fetches page after page: see [`RequestBuilder::stream`]. After an error there are
/// no more.
pub struct ItemStream<M: ListMethod> {
    waiting: std::vec::IntoIter<M::Item>,
    skipped: Vec<Skipped>,
    freshness: Freshness,
    end: Option<WalkEnd>,
    walk: Walk<M>,
}

/// What `next` of the pages gives, with the pages themselves.
type Fetched<M> = (Box<Pages<M>>, Option<Result<Page<M>, ListFault>>);

enum Walk<M: ListMethod> {
    Idle(Box<Pages<M>>),
    Fetching(Pin<Box<dyn Future<Output = Fetched<M>> + Send>>),
    Over,
}

impl<M: ListMethod> ItemStream<M> {
    pub(super) fn new(pages: Pages<M>) -> Self {
        Self {
            waiting: Vec::new().into_iter(),
            skipped: Vec::new(),
            freshness: Freshness::Fetched,
            end: None,
            walk: Walk::Idle(Box::new(pages)),
        }
    }

    /// The entries that were left out so far, and why; at most the first 1,024 ([`MAX_STREAM_SKIPPED`]).
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// That of the oldest page so far, stale ones before all others.
    pub fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// How the list ended; `None` while there may be more entries, and after an error.
    pub fn end(&self) -> Option<WalkEnd> {
        self.end
    }

    /// The next entry; `None` after the last one, at the limit of pages, and after an error ([`end`](Self::end) says which).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing: the request under way goes on when it is asked again.
    ///
    /// # Errors
    ///
    /// [`ListFault`], as of [`Pages::next`].
    pub async fn next(&mut self) -> Option<Result<M::Item, ListFault>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<M: ListMethod> Unpin for ItemStream<M> {}

impl<M: ListMethod> Stream for ItemStream<M> {
    type Item = Result<M::Item, ListFault>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.waiting.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match std::mem::replace(&mut self.walk, Walk::Over) {
                Walk::Over => return Poll::Ready(None),
                Walk::Idle(mut pages) => {
                    self.walk = Walk::Fetching(Box::pin(async move {
                        let next = pages.next().await;
                        (pages, next)
                    }));
                }
                Walk::Fetching(mut fetching) => {
                    let Poll::Ready((pages, next)) = fetching.as_mut().poll(cx) else {
                        self.walk = Walk::Fetching(fetching);
                        return Poll::Pending;
                    };
                    match next {
                        None => {
                            self.end = pages.end();
                            return Poll::Ready(None);
                        }
                        Some(Err(fault)) => return Poll::Ready(Some(Err(fault))),
                        Some(Ok(page)) => {
                            self.freshness = oldest(self.freshness, page.freshness());
                            let (items, skipped) = page.take();
                            let room = MAX_STREAM_SKIPPED - self.skipped.len().min(MAX_STREAM_SKIPPED);
                            self.skipped.extend(skipped.into_iter().take(room));
                            self.waiting = items.into_iter();
                            self.walk = Walk::Idle(pages);
                        }
                    }
                }
            }
        }
    }
}

impl<M: ListMethod> fmt::Debug for ItemStream<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemStream")
            .field("method", &M::NAME)
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}
