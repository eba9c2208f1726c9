//! Log messages of servers. Deprecated in 2026-07-28.

use crate::open_enum::open_enum;
use crate::open_struct::open_struct;
use crate::{NotificationMeta, RawJson};

open_enum! {
    /// How much a log message matters, as in syslog. Deprecated in 2026-07-28.
    pub enum LoggingLevel {
        /// Details for developers.
        Debug = "debug",
        /// Progress.
        Info = "info",
        /// Normal, but of note.
        Notice = "notice",
        /// Something may go wrong.
        Warning = "warning",
        /// Something went wrong.
        Error = "error",
        /// A part failed.
        Critical = "critical",
        /// Somebody must act.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

impl LoggingLevel {
    /// From 0, debug, to 7, emergency; `None` for an unknown level.
    pub fn severity(&self) -> Option<u8> {
        Some(match self {
            Self::Debug => 0,
            Self::Info => 1,
            Self::Notice => 2,
            Self::Warning => 3,
            Self::Error => 4,
            Self::Critical => 5,
            Self::Alert => 6,
            Self::Emergency => 7,
            Self::Other(_) => return None,
        })
    }
}

open_struct! {
    /// Parameters of `notifications/message`. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct LoggingMessageNotificationParams {
        /// Facts about the notification.
        hint "_meta" => meta: NotificationMeta;
        /// How much it matters.
        required "level" => level: LoggingLevel;
        /// Which part of the server speaks.
        hint "logger" => logger: String;
        /// The message, any JSON; may be `null`.
        required "data" => data: RawJson;
    }
}
