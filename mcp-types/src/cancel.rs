//! Cancellation of a request.

use crate::open_struct::open_struct;
use crate::{NotificationMeta, RequestId};

open_struct! {
    /// Parameters of `notifications/cancelled`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CancelledNotificationParams {
        /// Facts about the notification.
        hint "_meta" => meta: NotificationMeta;
        /// The request whose answer nobody waits for any more.
        required "requestId" => request_id: RequestId;
        /// Why, for logs.
        hint "reason" => reason: String;
    }
}

impl CancelledNotificationParams {
    /// Says why.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
