//! From page to page, with guards against a server that never comes to an end.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasher, RandomState},
    marker::PhantomData,
    time::Duration,
};

use mcp_types::{RawJson, error_code::INVALID_PARAMS};
use tokio::time::Instant;

use super::{
    DEFAULT_MAX_ITEMS, DEFAULT_MAX_LIST_BYTES, ItemStream, ListError, ListFault, Listing, Page, listing,
};
use crate::{
    cached::CacheUse,
    call::{MaxTimeout, RequestBuilder, Spec, refuse},
    client::Client,
    error::{CallError, InvalidCall},
    method::ListMethod,
};

/// How many pages are fetched by default: 1,000.
pub const DEFAULT_MAX_PAGES: usize = 1_000;

/// The pages of a list, each fetched when it is asked for. After an error there are no more.
pub struct Pages<M: ListMethod> {
    client: Client,
    spec: Spec,
    cache: CacheUse,
    refusal: Option<InvalidCall>,
    limit: usize,
    fetched: usize,
    /// Checksums of the cursors that were used: cursors can be long.
    used: HashSet<u64>,
    hasher: RandomState,
    state: WalkState,
    /// When all of it must have ended, where it has an end in common.
    until: Option<Instant>,
    pub(super) limits: ListLimits,
    method: PhantomData<fn() -> M>,
}

/// How much is collected at most.
#[derive(Clone, Copy)]
pub(super) struct ListLimits {
    pub(super) items: usize,
    pub(super) bytes: usize,
}

impl ListLimits {
    /// Which limit was reached by so much, if any.
    pub(super) fn reached(self, items: usize, bytes: usize) -> Option<WalkEnd> {
        if items >= self.items {
            Some(WalkEnd::ItemLimit)
        } else if bytes >= self.bytes {
            Some(WalkEnd::ByteLimit)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WalkState {
    UnderWay,
    Ended(WalkEnd),
    Failed,
}

/// How a walk over the pages of a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WalkEnd {
    /// The last page was fetched: the list is complete, as far as lists that change meanwhile can be.
    LastPage,
    /// The limit of pages was reached.
    PageLimit,
    /// The limit of entries was reached.
    ItemLimit,
    /// The limit of bytes was reached.
    ByteLimit,
}

impl<M: ListMethod> Pages<M> {
    pub(super) fn new(mut request: RequestBuilder<M>) -> Self {
        let refusal = request.check().err();
        let RequestBuilder { client, spec, cache, .. } = request;
        Self {
            client,
            spec: *spec,
            cache,
            refusal,
            limit: DEFAULT_MAX_PAGES,
            fetched: 0,
            used: HashSet::new(),
            hasher: RandomState::new(),
            state: WalkState::UnderWay,
            until: None,
            limits: ListLimits { items: DEFAULT_MAX_ITEMS, bytes: DEFAULT_MAX_LIST_BYTES },
            method: PhantomData,
        }
    }

    /// How many pages are fetched at most (default: 1,000).
    #[must_use]
    pub fn max_pages(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// How many entries [`all`](Self::all) collects at most (default: 100,000); the page that reaches it is kept whole.
    #[must_use]
    pub fn max_items(mut self, limit: usize) -> Self {
        self.limits.items = limit;
        self
    }

    /// How many bytes of results [`all`](Self::all) collects at most (default: 256 MiB); the page that reaches it is kept
    /// whole.
    #[must_use]
    pub fn max_bytes(mut self, limit: usize) -> Self {
        self.limits.bytes = limit;
        self
    }

    /// The entries of the pages that are left, as a stream.
    pub fn stream(self) -> ItemStream<M> {
        ItemStream::new(self)
    }

    /// Fetches all pages that are left, within the time that one request has (default: the client's, 60 s).
    ///
    /// A list that says in the middle that its cursor is invalid is fetched from the beginning once more. Lists that change
    /// meanwhile can have gaps and repetitions; [`refresh`](RequestBuilder::refresh) keeps older pages of the cache out.
    ///
    /// # Errors
    ///
    /// [`ListError`], which has what was listed so far, when a page fails, time runs out, or the server hands out a cursor
    /// twice. Too many pages, entries or bytes are no error: [`Listing::is_complete`] says so.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request under way and loses what was listed so far.
    pub async fn all(mut self) -> Result<Listing<M>, ListError<M>> {
        let (timeout, max) = (self.timeout(), self.spec.max_timeout);
        self.until = Instant::now().checked_add(max.map_or(timeout, |max| max.of(timeout)));
        listing::all(self).await
    }

    /// How long one page may take.
    fn timeout(&self) -> Duration {
        self.spec.timeout.unwrap_or(self.client.config().timeout)
    }

    /// Fetches the next page; `None` after the last one, at the limit, and after an error.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request under way; asked again, the same page is fetched again.
    ///
    /// # Errors
    ///
    /// [`ListFault`] when the page cannot be had, or its cursor was used in this walk before.
    pub async fn next(&mut self) -> Option<Result<Page<M>, ListFault>> {
        if self.state != WalkState::UnderWay {
            return None;
        }
        if let Some(refusal) = self.refusal.take() {
            self.state = WalkState::Failed;
            return Some(Err(refuse(&self.client, &self.spec, refusal).into()));
        }
        if self.is_going_in_circles() {
            self.state = WalkState::Failed;
            return Some(Err(ListFault::RepeatedCursor));
        }
        if self.fetched >= self.limit {
            self.state = WalkState::Ended(WalkEnd::PageLimit);
            return None;
        }
        if let Some(until) = self.until {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = self.timeout();
            self.spec.timeout = Some(timeout.min(left));
            self.spec.max_timeout =
                self.spec.max_timeout.map(|max| MaxTimeout::Set(max.of(timeout).min(left)));
        }
        // On the heap: whoever walks a list holds this beside all that was listed, and may wrap it again.
        match Box::pin(super::page::<M>(&self.client, &mut self.spec, self.cache)).await {
            Ok(page) => {
                self.fetched += 1;
                match page.next_cursor() {
                    None => self.state = WalkState::Ended(WalkEnd::LastPage),
                    Some(cursor) => self.go_to(cursor),
                }
                Some(Ok(page))
            }
            Err(error) => {
                self.state = WalkState::Failed;
                Some(Err(error.into()))
            }
        }
    }

    /// How the walk ended; `None` while it goes on, and after an error.
    pub fn end(&self) -> Option<WalkEnd> {
        if let WalkState::Ended(end) = self.state { Some(end) } else { None }
    }

    /// Whether the server gave out a cursor that was used in this walk before: it would never come to an end.
    fn is_going_in_circles(&self) -> bool {
        self.fetched > 0
            && self.cursor().is_some_and(|cursor| self.used.contains(&self.hasher.hash_one(cursor.get())))
    }

    fn go_to(&mut self, cursor: &str) {
        if let Some(used) = self.cursor().map(|cursor| self.hasher.hash_one(cursor.get())) {
            self.used.insert(used);
        }
        // A string can always be put into JSON.
        if let Ok(cursor) = RawJson::from_serialize(cursor) {
            self.spec.others.retain(|(name, _)| *name != "cursor");
            self.spec.others.push(("cursor", cursor));
        }
    }

    fn cursor(&self) -> Option<&RawJson> {
        self.spec.others.iter().find(|(name, _)| *name == "cursor").map(|(_, cursor)| cursor)
    }

    pub(super) fn is_invalid_cursor(&self, error: &CallError) -> bool {
        error.rpc_code() == Some(INVALID_PARAMS) && self.fetched > 0 && self.cursor().is_some()
    }

    /// Begins anew, with what was kept forgotten.
    pub(super) fn restart(&mut self) {
        self.spec.others.retain(|(name, _)| *name != "cursor");
        self.fetched = 0;
        self.used.clear();
        self.state = WalkState::UnderWay;
    }
}

impl<M: ListMethod> fmt::Debug for Pages<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("method", &M::NAME)
            .field("fetched", &self.fetched)
            .field("end", &self.end())
            .finish_non_exhaustive()
    }
}
