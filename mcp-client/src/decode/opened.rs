//! How a subscription began.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use mcp_types::{RequestId, SubscriptionFilter};

use crate::transport::MessageStream;

/// What opening a subscription comes to, besides an answer.
pub(crate) enum Opened {
    /// It was acknowledged: its stream goes on.
    Acknowledged(Acknowledged),
    /// The server cancelled it before, maybe for this reason.
    Cancelled { reason: Option<String> },
}

/// A subscription that the server acknowledged.
pub(crate) struct Acknowledged {
    /// The id of the request, by which its notifications are known.
    id: RequestId,
    pub(crate) filter: SubscriptionFilter,
    /// In a lock that nobody ever waits for: it makes shareable what only one can read.
    stream: Mutex<MessageStream>,
}

impl Acknowledged {
    pub(crate) fn new(id: RequestId, filter: SubscriptionFilter, stream: MessageStream) -> Self {
        Self { id, filter, stream: Mutex::new(stream) }
    }

    /// The id of the request, and the stream.
    pub(crate) fn into_parts(self) -> (RequestId, MessageStream) {
        (self.id, self.stream.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Acknowledged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acknowledged")
            .field("id", &self.id)
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
