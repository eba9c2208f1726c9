//! The entries of a list as a stream.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{ListFault, Page, Pages};
#[cfg(doc)]
use crate::RequestBuilder;
use crate::method::ListMethod;

/// The entries of a list as a stream that fetches page after page: see [`RequestBuilder::stream`]. After an error there are
/// no more.
pub struct ItemStream<M: ListMethod> {
    waiting: std::vec::IntoIter<M::Item>,
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
        Self { waiting: Vec::new().into_iter(), walk: Walk::Idle(Box::new(pages)) }
    }

    /// The next entry; `None` after the last one, at the limit of pages, and after an error.
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
                        None => return Poll::Ready(None),
                        Some(Err(fault)) => return Poll::Ready(Some(Err(fault))),
                        Some(Ok(page)) => {
                            self.waiting = page.into_items().into_iter();
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
