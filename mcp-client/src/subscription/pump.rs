//! Reads a subscription in the background.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
};

use mcp_retry::{Backoff, Delivery};
use mcp_types::SubscriptionFilter;
use tokio::{
    select,
    task::yield_now,
    time::{Instant, sleep},
};

use super::{
    Shared, SubscriptionEnd, SubscriptionEvent,
    drops::Drops,
    event::{Told, told},
    waits::Waits,
};
use crate::{
    cache::Invalidation,
    call::{MAX_IN_A_ROW, Spec, run},
    cancel::cancelled,
    client::Client,
    decode::{self, Acknowledged, Decoded, Event, Opened, Reply},
    error::{CallError, JsonRpcError, ProtocolError, TransportError, TransportErrorKind},
    method::Listen,
    record::{CallRecord, CloseCause},
    spans,
    updates::Ring,
};

/// Sends the request. The error is that of a subscription which ended before it was acknowledged.
pub(super) async fn open(
    client: &Client,
    spec: &Spec,
) -> Result<(Result<Acknowledged, SubscriptionEnd>, Box<CallRecord>), CallError> {
    let finished = run::<Listen>(client, spec, None).await?;
    let opened = match finished.decoded {
        Decoded::Opened(opened) => match *opened {
            Opened::Acknowledged(opened) => Ok(opened),
            Opened::Cancelled { reason } => Err(cancelled_by_server(reason)),
        },
        Decoded::Complete(_) | Decoded::InputRequired(_) => Err(SubscriptionEnd::Unacknowledged),
    };
    Ok((opened, finished.record))
}

pub(super) struct Pump {
    pub(super) client: Client,
    pub(super) spec: Spec,
    pub(super) requested: SubscriptionFilter,
    pub(super) relisten: Option<Arc<dyn Backoff>>,
    /// Closed last: who reads is told of the end only when it can be seen.
    pub(super) ring: Ring<SubscriptionEvent>,
    pub(super) shared: Arc<Mutex<Shared>>,
}

impl Pump {
    /// Reads until it has ended for good.
    pub(super) async fn run(self, opened: Acknowledged) {
        let client = self.client.clone();
        let mut drops = Drops::new(client.cache());
        let end = select! {
            biased;
            () = cancelled(self.spec.cancel.as_ref()) => SubscriptionEnd::Closed,
            end = self.read_on(opened, &mut drops) => end,
        };
        self.tell(|shared| {
            shared.end.get_or_insert(end);
        });
        drop(self);
        // Others may share the store.
        drops.finish().await;
    }

    async fn read_on(&self, mut opened: Acknowledged, drops: &mut Drops<'_>) -> SubscriptionEnd {
        let mut waits = self.relisten.as_deref().map(Waits::new);
        loop {
            let since = Instant::now();
            let end = self.read(opened, drops).await;
            let (Some(waits), SubscriptionEnd::Abrupt(error)) = (&mut waits, &end) else { return end };
            waits.held(since.elapsed());
            // From now on nobody tells of changes.
            drops.add(&Invalidation::Everything);
            // Boxed, so that it takes no room while the subscription is open, which is nearly always.
            let opening = Box::pin(self.open_again(waits, error.clone()));
            opened = match drops.during(opening).await {
                Ok(opened) => opened,
                Err(end) => return end,
            };
            // What was fetched meanwhile may have changed since.
            drops.add(&Invalidation::Everything);
            self.tell(|shared| {
                shared.acknowledged = opened.filter.clone();
                shared.relistened += 1;
            });
            if !self.push(SubscriptionEvent::Relistened).await {
                return SubscriptionEnd::Lagged;
            }
        }
    }

    /// Reads one stream to its end.
    async fn read(&self, opened: Acknowledged, drops: &mut Drops<'_>) -> SubscriptionEnd {
        let (id, mut stream) = opened.into_parts();
        // With the acknowledgement.
        let (mut events, mut skipped) = (1_u64, 0);
        loop {
            let message = match drops.during(poll_fn(|cx| stream.as_mut().poll_next(cx))).await {
                Some(Ok(message)) => message,
                broken => return broke_off(broken.and_then(Result::err), events, skipped),
            };
            events += 1;
            if events % MAX_IN_A_ROW == 0 {
                // A stream of messages that are no events, always ready, must not keep others on this thread from their turn.
                yield_now().await;
            }
            match decode::event(&message, &id) {
                Ok(Event::Reply(Reply::Result(_))) => return SubscriptionEnd::Graceful,
                Ok(Event::Reply(Reply::Error(error, id))) => return abrupt(JsonRpcError::new(error, id)),
                Ok(Event::Foreign) => skipped += 1,
                Err(fault) => return abrupt(ProtocolError::new(fault, message)),
                Ok(Event::Notification { method, params }) => {
                    match told(&method, params, &id, &self.requested) {
                        Told::Nothing => {}
                        Told::Cancelled(reason) => return cancelled_by_server(reason),
                        Told::Event(event) => {
                            // Before it is told, so that who asks again upon it gets what is new.
                            if let Some(invalidation) = self.invalidation(&event) {
                                drops.add(&invalidation);
                            }
                            if !self.push(event).await {
                                return SubscriptionEnd::Lagged;
                            }
                        }
                    }
                }
            }
        }
    }

    /// False when an event was lost.
    async fn push(&self, event: SubscriptionEvent) -> bool {
        let bytes = event.bytes();
        let kept = self.ring.push_sized(event, bytes);
        // Many events can come at once. Who waits for them on this thread has a turn after each, and does not lag.
        yield_now().await;
        kept
    }

    /// Waits and opens it again, until that succeeds or is refused.
    async fn open_again(
        &self,
        waits: &mut Waits<'_>,
        mut error: Arc<CallError>,
    ) -> Result<Acknowledged, SubscriptionEnd> {
        while let Some(wait) = waits.after(&error) {
            sleep(wait).await;
            match open(&self.client, &self.spec).await {
                Ok((opened, _)) => return opened,
                Err(failed) => error = Arc::new(failed),
            }
        }
        Err(SubscriptionEnd::Abrupt(error))
    }

    fn tell(&self, change: impl FnOnce(&mut Shared)) {
        change(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn invalidation<'a>(&'a self, event: &'a SubscriptionEvent) -> Option<Invalidation<'a>> {
        Some(match event {
            SubscriptionEvent::ToolsChanged => Invalidation::Tools,
            SubscriptionEvent::PromptsChanged => Invalidation::Prompts,
            SubscriptionEvent::ResourcesChanged => Invalidation::Resources,
            SubscriptionEvent::ResourceUpdated { uri } => {
                let subscribed = self.requested.resource_subscriptions.as_deref().unwrap_or_default();
                Invalidation::Resource { uri, subscribed }
            }
            SubscriptionEvent::Other { .. } | SubscriptionEvent::Relistened => return None,
        })
    }
}

impl Drop for Pump {
    /// Of one whose task was dropped, with its runtime or by hand, nobody else says that it has ended.
    fn drop(&mut self) {
        self.tell(|shared| {
            shared.end.get_or_insert_with(|| {
                if std::thread::panicking() {
                    abrupt(TransportError::new(TransportErrorKind::Other, Delivery::Unknown))
                } else {
                    SubscriptionEnd::Closed
                }
            });
        });
    }
}

/// The end of a stream that ended, or failed, without an answer.
fn broke_off(error: Option<TransportError>, events: u64, skipped: u64) -> SubscriptionEnd {
    let cause = match error.as_ref().map(TransportError::kind) {
        None => CloseCause::Ended,
        Some(TransportErrorKind::TooLarge { .. }) => CloseCause::Refused,
        Some(_) => CloseCause::Broken,
    };
    let incomplete = || TransportError::new(TransportErrorKind::Incomplete, Delivery::Unknown);
    let mut error = error.unwrap_or_else(incomplete);
    error.close_cause = Some(cause);
    error.sse_events = Some(events);
    error.sse_skipped = skipped;
    abrupt(error)
}

fn cancelled_by_server(reason: Option<String>) -> SubscriptionEnd {
    spans::subscription_cancelled(reason.as_deref());
    SubscriptionEnd::Cancelled { reason }
}

fn abrupt(error: impl Into<CallError>) -> SubscriptionEnd {
    SubscriptionEnd::Abrupt(Arc::new(error.into()))
}
