//! A whole list.

use std::fmt;

use super::{ListError, ListFault, Page, Pages, Skipped, WalkEnd};
use crate::{cache::Freshness, method::ListMethod};

/// How many entries are listed at most by [`all`](crate::RequestBuilder::all): 100,000.
pub const DEFAULT_MAX_ITEMS: usize = 100_000;

/// How many bytes of results are listed at most by [`all`](crate::RequestBuilder::all): 256 MiB.
pub const DEFAULT_MAX_LIST_BYTES: usize = 256 << 20;

/// All that was listed.
pub struct Listing<M: ListMethod> {
    items: Vec<M::Item>,
    skipped: Vec<Skipped>,
    pages: usize,
    posts: usize,
    bytes: usize,
    freshness: Freshness,
    end: Option<WalkEnd>,
}

impl<M: ListMethod> Listing<M> {
    /// The entries, in the order of the pages. Lists that change meanwhile can have gaps and repetitions.
    pub fn items(&self) -> &[M::Item] {
        &self.items
    }

    /// The entries, without the rest.
    pub fn into_items(self) -> Vec<M::Item> {
        self.items
    }

    /// The entries that were left out, and why.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// How many pages were fetched, from the server or the cache.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// How many POSTs were made for these pages; pages that the cache had need none.
    pub fn post_count(&self) -> usize {
        self.posts
    }

    /// That of its oldest page, stale ones before all others: pages are kept one by one.
    pub fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// Whether the last page was reached.
    pub fn is_complete(&self) -> bool {
        self.end == Some(WalkEnd::LastPage)
    }

    /// How the walk ended; `None` in what an error holds.
    pub fn end(&self) -> Option<WalkEnd> {
        self.end
    }

    fn add(&mut self, page: Page<M>) {
        self.pages += 1;
        self.posts += page.record().post_count();
        self.bytes = self.bytes.saturating_add(page.bytes());
        self.freshness = oldest(self.freshness, page.freshness());
        let (items, skipped) = page.take();
        self.items.extend(items);
        self.skipped.extend(skipped);
    }
}

/// The one that says more against using a result.
pub(super) fn oldest(one: Freshness, other: Freshness) -> Freshness {
    let rank = |freshness: Freshness| (freshness.is_stale(), !freshness.is_fetched(), freshness.age());
    if rank(other) > rank(one) { other } else { one }
}

impl<M: ListMethod> Default for Listing<M> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            skipped: Vec::new(),
            pages: 0,
            posts: 0,
            bytes: 0,
            freshness: Freshness::Fetched,
            end: None,
        }
    }
}

impl<M: ListMethod> fmt::Debug for Listing<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing")
            .field("method", &M::NAME)
            .field("items", &self.items.len())
            .field("skipped", &self.skipped)
            .field("pages", &self.pages)
            .field("freshness", &self.freshness)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// Fetches all pages; once more from the beginning where a cursor became invalid on the way.
pub(super) async fn all<M: ListMethod>(mut pages: Pages<M>) -> Result<Listing<M>, ListError<M>> {
    let mut listing = Listing::default();
    let mut restarted = false;
    loop {
        match pages.next().await {
            Some(Ok(page)) => {
                listing.add(page);
                if pages.end().is_none() {
                    listing.end =
                        pages.limits.reached(listing.items.len() + listing.skipped.len(), listing.bytes);
                    if listing.end.is_some() {
                        return Ok(listing);
                    }
                }
            }
            Some(Err(ListFault::Call(error))) if !restarted && pages.is_invalid_cursor(&error) => {
                restarted = true;
                pages.restart();
                listing = Listing::default();
            }
            Some(Err(fault)) => return Err(ListError { fault, partial: listing }),
            None => {
                listing.end = pages.end();
                return Ok(listing);
            }
        }
    }
}
