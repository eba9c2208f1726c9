//! Opening a subscription.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_retry::{Backoff, Exponential, Retry};
use mcp_types::SubscriptionFilter;
use serde::Serialize;

use super::{
    Shared, Subscription,
    pump::{Pump, open},
};
use crate::{
    call::{RequestBuilder, refuse},
    cancel::CancelHandle,
    client::Client,
    error::CallError,
    method::Listen,
    updates::ring_of_bytes,
};

/// How many events wait for a reader by default: 1,024.
pub const DEFAULT_BUFFERED_EVENTS: usize = 1_024;

/// How many bytes of URIs and parameters wait for a reader, besides those of the latest event: 16 MiB.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// A subscription that has not been opened yet: see [`Client::listen`].
#[must_use = "a subscription does nothing until it is opened with `open().await`"]
pub struct ListenBuilder {
    request: RequestBuilder<Listen>,
    filter: SubscriptionFilter,
    buffer: usize,
    relisten: Option<Arc<dyn Backoff>>,
}

impl ListenBuilder {
    pub(crate) fn new(client: Client, filter: SubscriptionFilter) -> Self {
        let request = RequestBuilder::new(client, "").param("notifications", &filter);
        Self { request, filter, buffer: DEFAULT_BUFFERED_EVENTS, relisten: None }
    }

    /// How long the acknowledgement is waited for (default: the client's timeout, 60 s). After it there is no limit.
    pub fn acknowledgement_timeout(mut self, timeout: Duration) -> Self {
        self.request = self.request.timeout(timeout);
        self
    }

    /// How many events wait for a reader (default: 1,024). One more ends the subscription as
    /// [`Lagged`](super::SubscriptionEnd::Lagged). So does an event with which more than 16 MiB of URIs and parameters would
    /// wait.
    pub fn buffer(mut self, events: usize) -> Self {
        self.buffer = events.max(1);
        self
    }

    /// Opens it again when it breaks off, after waits that grow from 200 ms to 8 s (default: it is not opened again).
    ///
    /// The request is sent again with a new id, and repeated as its [`retry`](Self::retry) says. What the cache keeps of the
    /// server is forgotten when it breaks off, and once more when it is open again; then [`Relistened`](super::SubscriptionEvent::Relistened) is told once: fetch again what you
    /// hold. The waits are no shorter than a `Retry-After` asks for, and begin anew once the subscription held for 10 s.
    ///
    /// Not opened again is one that the server ended itself, by whatever answer or message, or refuses, and one that lagged, had
    /// an event larger than [`max_event_bytes`](crate::ClientBuilder::max_event_bytes) or failed on this side
    /// ([`TransportErrorKind::Other`](crate::error::TransportErrorKind::Other) included) ([patterns/subscriptions], graceful
    /// closure).
    ///
    /// [patterns/subscriptions]: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
    pub fn relisten(self) -> Self {
        self.relisten_with(Exponential::default())
    }

    /// Opens it again when it breaks off, after waits of yours: see [`relisten`](Self::relisten). [`Duration::MAX`] ends it.
    pub fn relisten_with(mut self, backoff: impl Backoff + 'static) -> Self {
        self.relisten = Some(Arc::new(backoff));
        self
    }

    /// Adds an entry to the `_meta` of the request. Keys of the protocol are refused when it is opened.
    pub fn meta(mut self, key: &str, value: impl Serialize) -> Self {
        self.request = self.request.meta(key, value);
        self
    }

    /// Adds an HTTP header to the request. Headers that the client owns are refused when it is opened.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// How opening it is repeated, instead of the client's way.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.request = self.request.retry(retry);
        self
    }

    /// Lets this handle cancel the opening of it, and close it later.
    pub fn cancel_with(mut self, handle: &CancelHandle) -> Self {
        self.request = self.request.cancel_with(handle);
        self
    }

    /// Labels the record of the request.
    pub fn scenario(mut self, label: impl Into<String>) -> Self {
        self.request = self.request.scenario(label);
        self
    }

    /// Sends the request and waits for its acknowledgement.
    ///
    /// # Errors
    ///
    /// [`CallError`] when it is refused, breaks off before the acknowledgement, or is not acknowledged in time.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn open(self) -> Result<Subscription, CallError> {
        let Self { mut request, filter, buffer, relisten } = self;
        if let Err(refusal) = request.check() {
            return Err(refuse(&request.client, &request.spec, refusal));
        }
        let (client, spec) = (request.client, *request.spec);
        let (opened, record) = open(&client, &spec).await?;
        let (ring, events) = ring_of_bytes(buffer, MAX_WAITING_BYTES);
        let mut known = Shared::default();
        let opened = match opened {
            Ok(opened) => {
                known.acknowledged = opened.filter.clone();
                Some(opened)
            }
            Err(end) => {
                known.end = Some(end);
                None
            }
        };
        let shared = Arc::new(Mutex::new(known));
        let pump = opened.map(|opened| {
            let requested = filter.clone();
            let pump = Pump { client, spec, requested, relisten, ring, shared: shared.clone() };
            tokio::spawn(pump.run(opened))
        });
        Ok(Subscription { events, shared, requested: filter, record, pump })
    }
}

impl fmt::Debug for ListenBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListenBuilder")
            .field("filter", &self.filter)
            .field("buffer", &self.buffer)
            .field("relisten", &self.relisten)
            .finish_non_exhaustive()
    }
}
