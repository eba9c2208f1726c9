//! What was tried, one entry an attempt.

use std::{borrow::Cow, time::Duration};

use mcp_types::RequestId;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::Origin;

/// Where a delay came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum DelaySource {
    /// The server's `Retry-After`.
    RetryAfter,
    /// The policy.
    Policy,
    /// The backoff.
    Backoff,
}

/// The wait before an attempt, and who chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    /// How long.
    pub length: Duration,
    /// Who chose it.
    pub source: DelaySource,
}

/// One attempt as it ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Counted from 1.
    pub number: u32,
    /// The JSON-RPC id of the attempt; each attempt has its own.
    pub request_id: Option<RequestId>,
    /// On whose behalf it was made; [`Origin::None`] for the first.
    pub origin: Origin,
    /// How long it took.
    pub took: Duration,
    /// How it failed (an outcome name such as `HTTP_ERROR`); `None` when it did not.
    pub failed: Option<Cow<'static, str>>,
    /// The wait before it, for repeated attempts.
    pub delay: Option<Delay>,
    /// The policy that asked for it.
    pub decided_by: Option<Cow<'static, str>>,
    /// Anything else worth knowing, such as the reason for accepting duplicates.
    pub note: Option<Cow<'static, str>>,
}

impl AttemptRecord {
    /// An attempt of which only number and duration are known yet.
    pub fn new(number: u32, took: Duration) -> Self {
        Self {
            number,
            request_id: None,
            origin: Origin::None,
            took,
            failed: None,
            delay: None,
            decided_by: None,
            note: None,
        }
    }
}

impl Serialize for AttemptRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        out.serialize_entry("number", &self.number)?;
        out.serialize_entry("requestId", &self.request_id)?;
        out.serialize_entry("origin", &self.origin)?;
        out.serialize_entry("tookMs", &millis(self.took))?;
        out.serialize_entry("failed", &self.failed)?;
        if let Some(delay) = self.delay {
            out.serialize_entry("delayMs", &millis(delay.length))?;
            out.serialize_entry("delaySource", &delay.source)?;
        }
        if let Some(name) = &self.decided_by {
            out.serialize_entry("decidedBy", name)?;
        }
        if let Some(note) = &self.note {
            out.serialize_entry("note", note)?;
        }
        out.end()
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Why no further attempt was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StopReason {
    /// The call ended with an answer that calls for no repetition.
    Done,
    /// The policy said so.
    Policy(Cow<'static, str>),
    /// The work may already have been done, and nobody vouches for repeating it.
    MayHaveRun,
    /// The limit of attempts was reached.
    Attempts,
    /// The next attempt did not fit the deadline.
    Deadline,
    /// The server asked for a longer delay than is waited for.
    ServerDelay(Duration),
    /// The budget of retries was empty.
    Budget,
}

/// All attempts of one logical call, and why it ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptLog {
    attempts: Vec<AttemptRecord>,
    stopped: Option<StopReason>,
}

impl AttemptLog {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an attempt.
    pub fn push(&mut self, attempt: AttemptRecord) {
        self.attempts.push(attempt);
    }

    /// Notes why the call ended.
    pub fn stop(&mut self, why: StopReason) {
        self.stopped = Some(why);
    }

    /// The call goes on after all.
    #[cfg(feature = "tokio")]
    pub(crate) fn go_on(&mut self) {
        self.stopped = None;
    }

    /// The attempts in order.
    pub fn attempts(&self) -> &[AttemptRecord] {
        &self.attempts
    }

    /// Why the call ended; `None` while it runs.
    pub fn stopped(&self) -> Option<&StopReason> {
        self.stopped.as_ref()
    }

    /// On whose behalf the call was repeated last; [`Origin::None`] if it never was.
    pub fn origin(&self) -> Origin {
        self.attempts
            .iter()
            .rev()
            .map(|attempt| attempt.origin)
            .find(|&o| o != Origin::None)
            .unwrap_or_default()
    }
}

impl Serialize for AttemptLog {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.attempts.serialize(serializer)
    }
}
