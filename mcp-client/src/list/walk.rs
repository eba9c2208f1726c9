//! From page to page, with guards against a server that never comes to an end.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasher, RandomState},
    marker::PhantomData,
    time::SystemTime,
};

use mcp_types::{RawJson, error_code::INVALID_PARAMS};

use super::{ListFault, Page};
use crate::{
    cache::Invalidation,
    cached::CacheUse,
    call::{RequestBuilder, Spec, refuse},
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
    method: PhantomData<fn() -> M>,
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
}

impl<M: ListMethod> Pages<M> {
    pub(super) fn new(mut request: RequestBuilder<M>) -> Self {
        let refusal = request.check().err();
        let RequestBuilder { client, spec, cache, .. } = request;
        Self {
            client,
            spec,
            cache,
            refusal,
            limit: DEFAULT_MAX_PAGES,
            fetched: 0,
            used: HashSet::new(),
            hasher: RandomState::new(),
            state: WalkState::UnderWay,
            method: PhantomData,
        }
    }

    /// How many pages are fetched at most (default: 1,000).
    #[must_use]
    pub fn max_pages(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
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
        match super::page::<M>(&self.client, &mut self.spec, self.cache).await {
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
                if self.is_invalid_cursor(&error) {
                    // The pages that were kept belong to a list that is no more.
                    let pages = Invalidation::Pages(M::NAME);
                    self.client.cache().invalidate(&pages, SystemTime::now()).await;
                }
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
