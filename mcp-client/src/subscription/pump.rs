//! Reads a subscription in the background.

use std::{
    future::poll_fn,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use mcp_retry::{Backoff, Classify as _, Delivery, Failure, FailureKind, Layer};
use mcp_types::SubscriptionFilter;
use tokio::{select, time::sleep};

use super::{
    Shared, SubscriptionEnd, SubscriptionEvent,
    event::{Told, told},
};
use crate::{
    cache::Invalidation,
    call::{Spec, run},
    cancel::cancelled,
    client::Client,
    decode::{self, Decoded, Event, Opened, Reply},
    error::{CallError, JsonRpcError, ProtocolError, TransportError, TransportErrorKind},
    method::Listen,
    record::CallRecord,
    updates::Ring,
};

/// Sends the request. `None` when the server ended the subscription before it acknowledged it.
pub(super) async fn open(
    client: &Client,
    spec: &Spec,
) -> Result<(Option<Opened>, Box<CallRecord>), CallError> {
    let finished = run::<Listen>(client, spec, None).await?;
    let opened = if let Decoded::Opened(opened) = finished.decoded { Some(*opened) } else { None };
    Ok((opened, finished.record))
}

pub(super) struct Pump {
    pub(super) client: Client,
    pub(super) spec: Spec,
    pub(super) requested: SubscriptionFilter,
    pub(super) relisten: Option<Arc<dyn Backoff>>,
    pub(super) ring: Ring<SubscriptionEvent>,
    pub(super) shared: Arc<Mutex<Shared>>,
}

impl Pump {
    /// Reads until it has ended for good.
    pub(super) async fn run(self, opened: Opened) {
        let spec = self.spec.clone();
        let end = select! {
            biased;
            () = cancelled(spec.cancel.as_ref()) => SubscriptionEnd::Closed,
            end = self.read_on(opened) => end,
        };
        self.tell(|shared| {
            shared.end.get_or_insert(end);
        });
        // Dropped last: who reads is told of the end only when it can be seen.
        drop(self.ring);
    }

    async fn read_on(&self, mut opened: Opened) -> SubscriptionEnd {
        loop {
            let end = self.read(opened).await;
            let Some(backoff) = self.relisten.as_ref() else { return end };
            let SubscriptionEnd::Abrupt(error) = &end else { return end };
            match self.open_again(backoff.as_ref(), error.clone()).await {
                Ok(again) => opened = again,
                Err(end) => return end,
            }
            // What changed meanwhile was told to nobody.
            self.forget_all().await;
            if !self.ring.push(SubscriptionEvent::Relistened) {
                return SubscriptionEnd::Lagged;
            }
        }
    }

    /// Reads one stream to its end.
    async fn read(&self, opened: Opened) -> SubscriptionEnd {
        let (id, mut stream) = opened.into_parts();
        loop {
            let message = match poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
                Some(Ok(message)) => message,
                Some(Err(error)) => return abrupt(error),
                None => {
                    return abrupt(TransportError::new(TransportErrorKind::Incomplete, Delivery::Unknown));
                }
            };
            match decode::event(&message, &id) {
                Ok(Event::Reply(Reply::Result(_))) => return SubscriptionEnd::Graceful,
                Ok(Event::Reply(Reply::Error(error, id))) => return abrupt(JsonRpcError::new(error, id)),
                Ok(Event::Foreign) => {}
                Err(fault) => return abrupt(ProtocolError::new(fault, message)),
                Ok(Event::Notification { method, params }) => {
                    match told(&method, params, &id, &self.requested) {
                        Told::Nothing => {}
                        Told::Cancelled(reason) => return SubscriptionEnd::Cancelled { reason },
                        Told::Event(event) => {
                            // Before it is told, so that who asks again upon it gets what is new.
                            self.forget(&event).await;
                            if !self.ring.push(event) {
                                return SubscriptionEnd::Lagged;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Waits and opens it again, until that succeeds or is refused.
    async fn open_again(
        &self,
        backoff: &dyn Backoff,
        mut error: Arc<CallError>,
    ) -> Result<Opened, SubscriptionEnd> {
        let random = RandomState::new();
        let mut retry = 0_u32;
        loop {
            retry = retry.saturating_add(1);
            let failure = error.failure().unwrap_or_else(|| {
                Failure::new(Layer::Transport, Delivery::Unknown, FailureKind::Unavailable)
            });
            // 53 bits are what a double holds exactly.
            #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
            let unit = (random.hash_one(retry) >> 11) as f64 / (1_u64 << 53) as f64;
            sleep(backoff.delay(retry, &failure, unit)).await;
            match open(&self.client, &self.spec).await {
                Ok((Some(opened), _)) => {
                    self.tell(|shared| {
                        shared.acknowledged = opened.acknowledged.clone();
                        shared.relistened += 1;
                    });
                    return Ok(opened);
                }
                Ok((None, _)) => return Err(SubscriptionEnd::Graceful),
                Err(failed) => {
                    error = Arc::new(failed);
                    if !error.is_unavailable() {
                        return Err(SubscriptionEnd::Abrupt(error));
                    }
                }
            }
        }
    }

    fn tell(&self, change: impl FnOnce(&mut Shared)) {
        change(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner));
    }

    async fn forget(&self, event: &SubscriptionEvent) {
        let invalidation = match event {
            SubscriptionEvent::ToolsChanged => Invalidation::Tools,
            SubscriptionEvent::PromptsChanged => Invalidation::Prompts,
            SubscriptionEvent::ResourcesChanged => Invalidation::Resources,
            SubscriptionEvent::ResourceUpdated { uri } => {
                let subscribed = self.requested.resource_subscriptions.as_deref().unwrap_or_default();
                Invalidation::Resource { uri, subscribed }
            }
            SubscriptionEvent::Other { .. } | SubscriptionEvent::Relistened => return,
        };
        self.client.cache().invalidate(&invalidation, SystemTime::now()).await;
    }

    async fn forget_all(&self) {
        self.client.cache().invalidate(&Invalidation::Everything, SystemTime::now()).await;
    }
}

fn abrupt(error: impl Into<CallError>) -> SubscriptionEnd {
    SubscriptionEnd::Abrupt(Arc::new(error.into()))
}
