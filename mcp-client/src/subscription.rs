//! Subscriptions: a request that stays open and tells what changes at the server ([patterns/subscriptions]).
//!
//! [patterns/subscriptions]: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions

mod drops;
mod end;
mod event;
mod listen;
mod pump;
mod waits;

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use futures_core::Stream;
use mcp_types::SubscriptionFilter;
use tokio::task::JoinHandle;

pub(crate) use self::event::{Begun, begun};
pub use self::{
    end::SubscriptionEnd,
    event::SubscriptionEvent,
    listen::{DEFAULT_BUFFERED_EVENTS, ListenBuilder},
};
use crate::{record::CallRecord, updates::Updates};

/// An open subscription: a stream of what changes at the server, and in the end how it ended.
///
/// It is read in the background, on the runtime that it was opened on, so that the cache learns of changes at once, ordinary
/// calls never wait on it, and nothing is lost while you do something else; at most 1,024 events
/// ([`DEFAULT_BUFFERED_EVENTS`]) wait for you. The stream ends when the subscription has ended and everything was read;
/// [`end`](Self::end) says how. Dropping it closes it.
///
/// Over HTTP/1.1 an open subscription takes a connection of its own.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
/// use mcp_client::{SubscriptionEvent, types::SubscriptionFilter};
///
/// let filter = SubscriptionFilter::default().with_tools().with_resource("file:///notes.txt");
/// let mut changes = client.listen(filter).open().await?;
/// if let Some(resources) = &changes.unsupported().resource_subscriptions {
///     println!("the server will not tell about {resources:?}");
/// }
/// while let Some(event) = changes.next().await {
///     match event {
///         SubscriptionEvent::ToolsChanged => println!("list the tools again"),
///         SubscriptionEvent::ResourceUpdated { uri } => println!("read {uri} again"),
///         SubscriptionEvent::Relistened => println!("something may have been missed"),
///         _ => {}
///     }
/// }
/// if let Some(end) = changes.end() {
///     println!("{end}");
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping a subscription closes it"]
pub struct Subscription {
    events: Updates<SubscriptionEvent>,
    shared: Arc<Mutex<Shared>>,
    requested: SubscriptionFilter,
    record: Box<CallRecord>,
    pump: Option<JoinHandle<()>>,
}

/// What the background task tells besides events.
#[derive(Default)]
struct Shared {
    acknowledged: SubscriptionFilter,
    end: Option<SubscriptionEnd>,
    relistened: u64,
}

impl Subscription {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next event; `None` once it has ended and everything was read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<SubscriptionEvent> {
        self.events.next().await
    }

    /// The next event, if it is there already.
    pub fn try_next(&mut self) -> Option<SubscriptionEvent> {
        self.events.try_next()
    }

    /// What the server acknowledged, the last time; nothing where it ended the subscription without.
    pub fn acknowledged(&self) -> SubscriptionFilter {
        self.lock().acknowledged.clone()
    }

    /// What was asked for and not acknowledged: nothing will be told of it.
    pub fn unsupported(&self) -> SubscriptionFilter {
        event::missing(&self.requested, &self.lock().acknowledged)
    }

    /// How it ended; `None` while it is open, or while it is being opened again. It is known before [`next`](Self::next)
    /// gives `None`.
    pub fn end(&self) -> Option<SubscriptionEnd> {
        self.lock().end.clone()
    }

    /// How many times it was opened again.
    pub fn relistened(&self) -> u64 {
        self.lock().relistened
    }

    /// The record of the request that opened it first. Its stream goes on, so why that was closed is not in it; of requests
    /// that opened it again the [`Observer`](crate::Observer) is told.
    pub fn record(&self) -> &CallRecord {
        &self.record
    }

    /// Closes it, by closing its stream. What was not read yet can still be read.
    pub fn close(&mut self) {
        if let Some(pump) = self.pump.take() {
            pump.abort();
        }
        self.lock().end.get_or_insert(SubscriptionEnd::Closed);
    }
}

impl Stream for Subscription {
    type Item = SubscriptionEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.events).poll_next(cx)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("events", &self.events)
            .field("end", &self.end())
            .finish_non_exhaustive()
    }
}
