//! Progress of a request.

use serde_json::Number;

use crate::open_struct::open_struct;
use crate::{NotificationMeta, ProgressToken};

open_struct! {
    /// Parameters of `notifications/progress`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ProgressNotificationParams {
        /// Facts about the notification.
        hint "_meta" => meta: NotificationMeta;
        /// The token of the request.
        required "progressToken" => progress_token: ProgressToken;
        /// How far the work is; grows with each notification, in units of the server's choice.
        required "progress" => progress: Number;
        /// Where the work ends, if that is known.
        hint "total" => total: Number;
        /// What is being done, for people.
        hint "message" => message: String;
    }
}

impl ProgressNotificationParams {
    /// The part of the work that is done, from 0 to 1; `None` without a positive total.
    pub fn fraction(&self) -> Option<f64> {
        let total = self.total.as_ref()?.as_f64().filter(|total| *total > 0.0)?;
        self.progress.as_f64().map(|done| (done / total).clamp(0.0, 1.0))
    }
}
