//! Lists: one page, page after page, or all, with what was left out and why.

mod error;
mod listing;
mod page;
mod stream;
mod walk;

use std::{sync::Arc, time::SystemTime};

use mcp_types::{error_code::INVALID_PARAMS, method::ListTools};

pub use self::{
    error::{ListError, ListFault},
    listing::{DEFAULT_MAX_ITEMS, DEFAULT_MAX_LIST_BYTES, Listing},
    page::{Page, SkipReason, Skipped},
    stream::{ItemStream, MAX_STREAM_SKIPPED},
    walk::{DEFAULT_MAX_PAGES, Pages, WalkEnd},
};
use crate::{
    cache::{Freshness, Invalidation},
    cached::{self, CacheUse},
    call::{InnerPosts, RequestBuilder, Spec, refuse},
    client::Client,
    decode::Decoded,
    error::CallError,
    method::ListMethod,
    tool_book::KnownTool,
};

impl<M: ListMethod> RequestBuilder<M> {
    /// Begins at a cursor that an earlier page gave, unchanged: cursors are opaque, and an empty one is one.
    pub fn cursor(self, cursor: impl Into<String>) -> Self {
        self.param("cursor", &cursor.into())
    }

    /// Sends the request and waits for its one page.
    ///
    /// # Errors
    ///
    /// [`CallError`], one variant a layer. An entry that cannot be read costs the others nothing: see [`Page::skipped`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn send(mut self) -> Result<Page<M>, CallError> {
        if let Err(refusal) = self.check() {
            return Err(refuse(&self.client, &self.spec, refusal));
        }
        page(&self.client, &mut self.spec, self.cache).await
    }

    /// The pages, each fetched when it is asked for.
    ///
    /// A time limit of the request is that of each page.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut pages = client.list_prompts().pages().max_pages(10);
    /// while let Some(page) = pages.next().await {
    ///     for prompt in page?.items() {
    ///         println!("{}", prompt.name);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages(self) -> Pages<M> {
        Pages::new(self)
    }

    /// The entries as a stream that fetches page after page.
    ///
    /// A cursor that the server calls invalid ends it with the server's error: entries that were handed out already cannot be
    /// taken back. [`all`](Self::all) begins anew then, and so can you, with [`refresh`](Self::refresh).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut tools = client.list_tools().stream();
    /// while let Some(tool) = tools.next().await {
    ///     println!("{}", tool?.name);
    /// }
    /// for skipped in tools.skipped() {
    ///     eprintln!("left out: {skipped}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(self) -> ItemStream<M> {
        self.pages().stream()
    }

    /// Fetches all pages: see [`Pages::all`]. The time limit of the request (default: the client's, 60 s) is that of all of them
    /// together.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let tools = client.list_tools().all().await?;
    /// for tool in tools.items() {
    ///     println!("{}", tool.name);
    /// }
    /// for skipped in tools.skipped() {
    ///     eprintln!("left out: {skipped}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ListError`], as of [`Pages::all`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request under way and loses what was listed so far.
    pub async fn all(self) -> Result<Listing<M>, ListError<M>> {
        self.pages().all().await
    }
}

/// Fetches one page, and learns from it.
async fn page<M: ListMethod>(
    client: &Client,
    spec: &mut Spec,
    cache: CacheUse,
) -> Result<Page<M>, CallError> {
    let finished = match cached::run::<M>(client, spec, cache).await {
        Ok(finished) => finished,
        Err(error) => {
            if error.rpc_code() == Some(INVALID_PARAMS) && has_cursor(spec) {
                // The pages that were kept belong to a list that is no more.
                client.cache().invalidate(&Invalidation::Pages(M::NAME), SystemTime::now()).await;
            }
            return Err(error);
        }
    };
    let bytes = finished.bytes;
    match finished.decoded {
        Decoded::Complete(result) => {
            let whose = client.whose(spec, finished.token.as_ref(), M::cache_hint(&result).public);
            let is_news = !matches!(finished.record.freshness, Freshness::Stale { .. });
            Ok(Page::new(result, finished.record, bytes, |item| M::learn(client, item, whose, is_news)))
        }
        Decoded::Opened(_) | Decoded::InputRequired(_) => Err(cached::unexpected()),
    }
}

fn has_cursor(spec: &Spec) -> bool {
    spec.others.iter().any(|(name, _)| *name == "cursor")
}

/// Lists the tools past the cache until the one that is called is found. Its POSTs are those of the call.
pub(crate) async fn find_tool(client: &Client, call: &Spec, posts: InnerPosts) -> Option<Arc<KnownTool>> {
    let mut request = RequestBuilder::<ListTools>::new(client.clone(), "");
    *request.spec = call.inner::<ListTools>(posts);
    request.cache = CacheUse::Refresh;
    let mut pages = request.pages();
    while let Some(Ok(page)) = pages.next().await {
        if let Some(tool) = page.items().iter().find(|tool| tool.name == *call.target) {
            return Some(Arc::new(KnownTool::of(tool)));
        }
    }
    None
}
