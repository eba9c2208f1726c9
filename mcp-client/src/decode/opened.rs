//! A subscription that the server acknowledged.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use mcp_types::{RequestId, SubscriptionFilter};

use crate::transport::MessageStream;

/// What opening a subscription gives: what was acknowledged, and the stream of what it brings.
pub(crate) struct Opened {
    /// The id of the request, by which its notifications are known.
    id: RequestId,
    pub(crate) acknowledged: SubscriptionFilter,
    /// In a lock that nobody ever waits for: it makes shareable what only one can read.
    stream: Mutex<MessageStream>,
}

impl Opened {
    pub(crate) fn new(id: RequestId, acknowledged: SubscriptionFilter, stream: MessageStream) -> Self {
        Self { id, acknowledged, stream: Mutex::new(stream) }
    }

    /// The id of the request, and the stream.
    pub(crate) fn into_parts(self) -> (RequestId, MessageStream) {
        (self.id, self.stream.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("id", &self.id)
            .field("acknowledged", &self.acknowledged)
            .finish_non_exhaustive()
    }
}
