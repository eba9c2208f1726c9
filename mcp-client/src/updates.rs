//! What a server says while a call runs: progress and log messages, bound to the call that asked for them.

mod ring;

use std::{
    borrow::Cow,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use mcp_types::{LoggingLevel, LoggingMessageNotificationParams, NotificationMethod, RequestId, method};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decode::is_plainly;

pub use self::ring::{DEFAULT_UPDATES, Updates};
pub(crate) use self::ring::{Ring, ring_of_bytes};

/// How many bytes of updates wait for a slow reader, as they came over the wire: 1 MiB. A longer one is ignored, whoever
/// listens: it is no news of a call, and may be an attack.
pub const MAX_UPDATE_BYTES: usize = 1 << 20;

/// How far a call is, as its server says. Untrusted, and nothing to rely on: a server may send none, repeat itself,
/// or go backwards.
///
/// Sent by servers only for calls that ask for it ([patterns/progress]).
///
/// [patterns/progress]: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done, in whatever unit the server counts.
    pub progress: f64,
    /// How much there is to do, in the same unit, where the server knows.
    pub total: Option<f64>,
    /// What is being done, in words.
    pub message: Option<String>,
}

impl Progress {
    /// The part that is done, 0 to 1, where a positive total is known.
    pub fn fraction(&self) -> Option<f64> {
        self.total.filter(|total| *total > 0.0).map(|total| (self.progress / total).clamp(0.0, 1.0))
    }
}

/// A log message that a server sent during a call. Deprecated since 2026-07-28; untrusted.
pub type LogMessage = LoggingMessageNotificationParams;

/// Is given what a server says while the call runs, and how many bytes it took.
pub(crate) type Listener<T> = Arc<dyn Fn(T, usize) + Send + Sync>;

/// Who listens to a call, and for what it asks the server.
#[derive(Clone, Default)]
pub(crate) struct Listeners {
    pub(crate) progress: Option<Listener<Progress>>,
    pub(crate) log: Option<Listener<LogMessage>>,
    /// The least level of log messages that is asked for.
    pub(crate) log_level: Option<LoggingLevel>,
    /// Which of them fill streams, whose readers wait for an end.
    streams: Streams,
}

#[derive(Clone, Copy, Default)]
struct Streams {
    progress: bool,
    log: bool,
}

/// What a notification was to the call during which it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Progress of this call.
    Progress,
    /// A log message, asked for.
    Log,
    /// Anything else: of another call, malformed, not asked for. It changes nothing.
    Ignored,
}

impl Listeners {
    /// Whether the request asks for progress.
    pub(crate) fn wants_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Asks for progress, be it that nobody wants to hear of it.
    pub(crate) fn ask_for_progress(&mut self) {
        self.progress.get_or_insert_with(|| Arc::new(|_, _| ()));
    }

    /// Asks for progress, for a function.
    pub(crate) fn call_with_progress(&mut self, listener: impl Fn(Progress) + Send + Sync + 'static) {
        self.progress = Some(Arc::new(move |progress, _| listener(progress)));
        self.streams.progress = false;
    }

    /// Asks for log messages, for a function.
    pub(crate) fn call_with_logs(
        &mut self,
        level: LoggingLevel,
        listener: impl Fn(LogMessage) + Send + Sync + 'static,
    ) {
        self.log = Some(Arc::new(move |message, _| listener(message)));
        self.log_level = Some(level);
        self.streams.log = false;
    }

    /// Asks for progress, for a stream.
    pub(crate) fn stream_progress(&mut self) -> Updates<Progress> {
        let (listener, updates) = stream();
        self.progress = Some(listener);
        self.streams.progress = true;
        updates
    }

    /// Asks for log messages, for a stream.
    pub(crate) fn stream_logs(&mut self, level: LoggingLevel) -> Updates<LogMessage> {
        let (listener, updates) = stream();
        self.log = Some(listener);
        self.log_level = Some(level);
        self.streams.log = true;
        updates
    }

    /// Ends the streams: the call is answered, and who reads them waits for that, even while the answer is held and the call
    /// may go on. Functions stay. `progress` says whether it is asked for all the same, for the sake of time limits.
    pub(crate) fn end_streams(&mut self, progress: bool) {
        let streams = std::mem::take(&mut self.streams);
        if streams.progress {
            self.progress = None;
            if progress {
                self.ask_for_progress();
            }
        }
        if streams.log {
            (self.log, self.log_level) = (None, None);
        }
    }

    /// Passes a notification on that belongs to the call whose id is the progress token.
    pub(crate) fn hear(&self, method: &str, params: Option<&RawValue>, id: &RequestId) -> Heard {
        let Some(params) = params.filter(|params| params.get().len() <= MAX_UPDATE_BYTES) else {
            return Heard::Ignored;
        };
        let bytes = params.get().len();
        match (method, &self.progress, &self.log, &self.log_level) {
            (method::Progress::NAME, Some(_), ..) => {
                read_progress(params, id).map_or(Heard::Ignored, |progress| self.progress(progress, bytes))
            }
            (method::LoggingMessage::NAME, _, Some(_), Some(_)) => {
                let message = serde_json::from_str(params.get()).ok();
                message.map_or(Heard::Ignored, |message| self.log(message, bytes))
            }
            _ => Heard::Ignored,
        }
    }

    /// Passes on how far the call is, as it came in parameters of so many bytes.
    pub(crate) fn progress(&self, progress: Progress, bytes: usize) -> Heard {
        let Some(listener) = &self.progress else { return Heard::Ignored };
        tell(listener, progress, bytes);
        Heard::Progress
    }

    /// Passes a log message on that came in parameters of so many bytes.
    pub(crate) fn log(&self, message: LogMessage, bytes: usize) -> Heard {
        match (&self.log, &self.log_level) {
            (Some(listener), Some(level)) if reaches(&message.level, level) => {
                tell(listener, message, bytes);
                Heard::Log
            }
            _ => Heard::Ignored,
        }
    }
}

/// A stream, and the listener that fills it.
fn stream<T: Send + 'static>() -> (Listener<T>, Updates<T>) {
    let (ring, updates) = ring_of_bytes(DEFAULT_UPDATES, MAX_UPDATE_BYTES);
    let listener = move |update, bytes| {
        ring.push_sized(update, bytes);
    };
    (Arc::new(listener), updates)
}

/// Levels that nobody knows cannot be compared: what has one is passed on.
fn reaches(level: &LoggingLevel, least: &LoggingLevel) -> bool {
    level.severity().zip(least.severity()).is_none_or(|(level, least)| level >= least)
}

/// A call must not get lost in somebody else's panic.
fn tell<T>(listener: &Listener<T>, update: T, bytes: usize) {
    let _ = catch_unwind(AssertUnwindSafe(|| listener(update, bytes)));
}

/// The parameters of `notifications/progress`, as far as they are of use. What is optional and odd is left out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams<'a> {
    #[serde(borrow)]
    progress_token: &'a RawValue,
    progress: f64,
    #[serde(borrow, default)]
    total: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
}

/// Tokens are compared with their JSON type: `"1"` is not `1`.
fn read_progress(params: &RawValue, id: &RequestId) -> Option<Progress> {
    // Members by their place in a list would be read as well.
    if !params.get().starts_with('{') {
        return None;
    }
    let params: ProgressParams<'_> = serde_json::from_str(params.get()).ok()?;
    if !is_plainly(params.progress_token, id) {
        let token: RequestId = serde_json::from_str(params.progress_token.get()).ok()?;
        if token != *id {
            return None;
        }
    }
    Some(Progress {
        progress: params.progress,
        total: params.total.and_then(|raw| serde_json::from_str(raw.get()).ok()),
        message: params
            .message
            .and_then(|raw| serde_json::from_str::<Cow<'_, str>>(raw.get()).ok())
            .map(Cow::into_owned),
    })
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners")
            .field("progress", &self.progress.is_some())
            .field("log_level", &self.log_level)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const ID: RequestId = RequestId::Number(7);

    fn heard(params: &str) -> Vec<Progress> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = seen.clone();
        let listeners = Listeners {
            progress: Some(Arc::new(move |progress, _| sink.lock().unwrap().push(progress))),
            ..Listeners::default()
        };
        let params: &RawValue = serde_json::from_str(params).unwrap();
        let heard = listeners.hear("notifications/progress", Some(params), &ID);
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(heard == Heard::Progress, !seen.is_empty());
        seen
    }

    #[test]
    fn prg_03_fractions_and_odd_optional_members_are_taken() {
        for (params, total, message) in [
            (r#"{"progressToken":7,"progress":0.5}"#, None, None),
            (r#"{"progressToken":7.0,"progress":0.5,"total":2,"message":"h\u00e9"}"#, Some(2.0), Some("hé")),
            (r#"{"progressToken":7,"progress":0.5,"total":null,"message":null,"new":[1]}"#, None, None),
            (r#"{"progressToken":7,"progress":0.5,"total":"2","message":[]}"#, None, None),
        ] {
            let expected = Progress { progress: 0.5, total, message: message.map(str::to_owned) };
            assert_eq!(heard(params), [expected], "{params}");
        }
    }

    #[test]
    fn prg_04_prg_07_progress_of_others_and_malformed_progress_is_ignored() {
        for params in [
            r#"{"progressToken":"7","progress":1}"#,
            r#"{"progressToken":8,"progress":1}"#,
            r#"{"progressToken":null,"progress":1}"#,
            r#"{"progressToken":7}"#,
            r#"{"progressToken":7,"progress":"1"}"#,
            r#"{"progressToken":7,"progress":1e999}"#,
            r#"{"progress":1}"#,
            "[]",
            "[7,1]",
            "null",
            "7",
        ] {
            assert_eq!(heard(params), [], "{params}");
        }
    }

    #[test]
    fn prg_09_an_update_longer_than_a_mebibyte_is_ignored() {
        let params = |length| {
            let empty = r#"{"progressToken":7,"progress":1,"message":""}"#;
            empty.replace("\"\"", &format!("\"{}\"", "x".repeat(length - empty.len())))
        };
        assert_eq!(heard(&params(MAX_UPDATE_BYTES)).len(), 1);
        assert_eq!(heard(&params(MAX_UPDATE_BYTES + 1)), []);
    }

    #[test]
    fn log_02_what_is_less_than_the_level_that_was_asked_for_is_left_out() {
        let listeners = Listeners {
            log: Some(Arc::new(|_, _| ())),
            log_level: Some(LoggingLevel::Warning),
            ..Listeners::default()
        };
        for (level, expected) in [
            ("debug", Heard::Ignored),
            ("info", Heard::Ignored),
            ("notice", Heard::Ignored),
            ("warning", Heard::Log),
            ("error", Heard::Log),
            ("critical", Heard::Log),
            ("alert", Heard::Log),
            ("emergency", Heard::Log),
            ("of another revision", Heard::Log),
        ] {
            let params = format!(r#"{{"level":"{level}","data":null}}"#);
            let params: &RawValue = serde_json::from_str(&params).unwrap();
            assert_eq!(listeners.hear("notifications/message", Some(params), &ID), expected, "{level}");
        }
    }

    #[test]
    fn log_messages_are_heard_only_where_a_level_was_asked_for() {
        let params: &RawValue = serde_json::from_str(r#"{"level":"info","data":{"a":1}}"#).unwrap();
        let count = Arc::new(Mutex::new(0));
        let sink = count.clone();
        let mut listeners =
            Listeners { log: Some(Arc::new(move |_, _| *sink.lock().unwrap() += 1)), ..Listeners::default() };
        assert_eq!(listeners.hear("notifications/message", Some(params), &ID), Heard::Ignored);
        listeners.log_level = Some(LoggingLevel::Info);
        assert_eq!(listeners.hear("notifications/message", Some(params), &ID), Heard::Log);
        assert_eq!(*count.lock().unwrap(), 1);
        let odd: &RawValue = serde_json::from_str(r#"{"data":1}"#).unwrap();
        assert_eq!(listeners.hear("notifications/message", Some(odd), &ID), Heard::Ignored);
        assert_eq!(listeners.hear("notifications/message", None, &ID), Heard::Ignored);
    }

    #[test]
    fn a_panic_in_a_listener_is_caught() {
        let listeners = Listeners { progress: Some(Arc::new(|_, _| panic!("no"))), ..Listeners::default() };
        let params: &RawValue = serde_json::from_str(r#"{"progressToken":7,"progress":1}"#).unwrap();
        assert_eq!(listeners.hear("notifications/progress", Some(params), &ID), Heard::Progress);
    }

    #[test]
    fn fractions_are_clamped_and_need_a_positive_total() {
        let progress = |progress, total| Progress { progress, total, message: None }.fraction();
        assert_eq!(progress(1.0, Some(4.0)), Some(0.25));
        assert_eq!(progress(9.0, Some(4.0)), Some(1.0));
        assert_eq!(progress(-1.0, Some(4.0)), Some(0.0));
        assert_eq!(progress(1.0, Some(0.0)), None);
        assert_eq!(progress(1.0, None), None);
    }
}
