//! A suspended call as stores keep it.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use mcp_types::{InputRequests, RawMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::StoreError;
use crate::continuation::{MAX_SUSPENDED_BYTES, MultiRound, RestoreError, Stored, SuspendedCall};

/// A suspended call of any method, with an id, as a [store](super::ContinuationStore) keeps it.
///
/// It serialises, and is read again by [`from_json`](Self::from_json): a store keeps that text, and what it wants to search by
/// beside it. The text is as private as the [call](SuspendedCall). `Debug` shows none of what is in it.
#[derive(Clone)]
pub struct StoredCall {
    id: String,
    created: SystemTime,
    expires: Option<SystemTime>,
    claimed: bool,
    call: Stored,
}

impl StoredCall {
    /// A call to be stored, under a new id that cannot be guessed (a UUID of version 4), and how long it is kept: for ever, or
    /// for so long from now.
    pub fn new<M: MultiRound>(call: &SuspendedCall<M>, ttl: Option<Duration>) -> Self {
        // Milliseconds, as they are stored.
        let created = from_millis(to_millis(SystemTime::now()));
        let expires = ttl.and_then(|ttl| created.checked_add(ttl)).map(to_millis).map(from_millis);
        let id = uuid::Uuid::new_v4().to_string();
        Self { id, created, expires, claimed: false, call: call.stored().clone() }
    }

    /// Sets the id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// The call as it is by now, under the same id and with the same end, and free to be claimed.
    #[must_use]
    pub fn with_call<M: MultiRound>(mut self, call: &SuspendedCall<M>) -> Self {
        self.call = call.stored().clone();
        self.claimed = false;
        self
    }

    /// What a store keeps of a call that it gives out to be resumed: claimed, and in doubt.
    #[must_use]
    pub fn into_claimed(mut self) -> Self {
        self.claimed = true;
        self.call.may_have_run = true;
        self
    }

    /// What a store keeps of a call that is put into it: free to be claimed.
    #[must_use]
    pub fn into_free(mut self) -> Self {
        self.claimed = false;
        self
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The server that the call belongs to: the identity of the transport.
    pub fn server(&self) -> &str {
        &self.call.server
    }

    /// The method of the call.
    pub fn method(&self) -> &str {
        &self.call.method
    }

    /// The name of the tool or prompt, or the URI.
    pub fn target(&self) -> &str {
        &self.call.target
    }

    /// What is asked for.
    pub fn requests(&self) -> &InputRequests {
        self.call.requests()
    }

    /// How many times input was asked for, this one included.
    pub fn rounds(&self) -> u32 {
        self.call.rounds
    }

    /// When it was first stored.
    pub fn created(&self) -> SystemTime {
        self.created
    }

    /// Until when it is kept; `None` for ever.
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    /// Whether its time is over.
    pub fn is_expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether somebody has taken it to resume it: they are at it, or have gone away without a word.
    pub fn is_claimed(&self) -> bool {
        self.claimed
    }

    /// Whether the last attempt to resume it may have run.
    pub fn may_have_run(&self) -> bool {
        self.call.may_have_run
    }

    /// The call, to be [restored](crate::Client::restore).
    ///
    /// # Errors
    ///
    /// [`RestoreError::Method`] where it is a call of another method.
    pub fn suspended<M: MultiRound>(&self) -> Result<SuspendedCall<M>, RestoreError> {
        SuspendedCall::from_stored(self.call.clone())
    }

    /// The text of it.
    ///
    /// # Errors
    ///
    /// [`StoreError::TooLarge`] when it is longer than [`MAX_SUSPENDED_BYTES`], and would not be read again.
    pub fn to_json(&self) -> Result<String, StoreError> {
        let text = serde_json::to_string(self).map_err(StoreError::failed)?;
        match text.len() {
            bytes if bytes > MAX_SUSPENDED_BYTES => Err(StoreError::TooLarge { bytes }),
            _ => Ok(text),
        }
    }

    /// Reads the text of a stored call.
    ///
    /// # Errors
    ///
    /// [`RestoreError`]: it is longer than [`MAX_SUSPENDED_BYTES`], of another version, or makes no sense.
    pub fn from_json(text: &[u8]) -> Result<Self, RestoreError> {
        if text.len() > MAX_SUSPENDED_BYTES {
            return Err(RestoreError::TooLarge { bytes: text.len() });
        }
        let form: Form<RawMap> = serde_json::from_slice(text).map_err(|_| RestoreError::Malformed("json"))?;
        let call = Stored::read(&form.call)?;
        Ok(Self::of(form, call))
    }

    fn of<C>(form: Form<C>, call: Stored) -> Self {
        let Form { id, created, expires, claimed, .. } = form;
        Self { id, created: from_millis(created), expires: expires.map(from_millis), claimed, call }
    }
}

/// How it is written: times in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct Form<C> {
    id: String,
    created: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    #[serde(default)]
    claimed: bool,
    call: C,
}

impl Serialize for StoredCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = Form {
            id: self.id.clone(),
            created: to_millis(self.created),
            expires: self.expires.map(to_millis),
            claimed: self.claimed,
            call: &self.call,
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::<RawMap>::deserialize(deserializer)?;
        let call = Stored::read(&form.call).map_err(de::Error::custom)?;
        Ok(Self::of(form, call))
    }
}

fn to_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The latest time that there is stands for those beyond it.
fn from_millis(millis: u64) -> SystemTime {
    /// The year 9999: every clock holds it.
    const LATEST: u64 = 253_402_300_799_000;
    UNIX_EPOCH + Duration::from_millis(millis.min(LATEST))
}

impl fmt::Debug for StoredCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredCall")
            .field("id", &self.id)
            .field("server", &self.server())
            .field("method", &self.method())
            .field("target", &self.target())
            .field("claimed", &self.claimed)
            .finish_non_exhaustive()
    }
}
