//! One kept result.

use std::{
    borrow::Cow,
    fmt,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use mcp_types::{CacheHint, CacheScope, RawJson};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A result as it was received, when that was, and for how long and for whom it may be used.
///
/// Cheap to clone. It serialises for stores outside of the process: times are whole microseconds and milliseconds, the result
/// is a string of JSON text, so that any format of serde can hold it. Reading refuses what is no such entry; a store answers
/// `None` then. `Debug` prints no content.
#[derive(Clone, PartialEq)]
pub struct CacheEntry {
    result: Arc<RawJson>,
    received: SystemTime,
    ttl: Duration,
    public: bool,
}

impl CacheEntry {
    pub(crate) fn new(result: RawJson, received: SystemTime, hint: CacheHint) -> Self {
        Self { result: Arc::new(result), received, ttl: hint.ttl, public: hint.public }
    }

    /// The result of the method, as the server wrote it.
    pub fn result(&self) -> &RawJson {
        &self.result
    }

    /// When it was received, by the clock of the client that received it.
    pub fn received(&self) -> SystemTime {
        self.received
    }

    /// How long it is fresh, counted from when it was received. A store may drop it then; what it keeps longer can still
    /// be given to callers who ask for stale results when the server cannot be reached.
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// For whom it is.
    pub fn scope(&self) -> CacheScope {
        if self.public { CacheScope::Public } else { CacheScope::Private }
    }

    pub(crate) fn is_public(&self) -> bool {
        self.public
    }

    /// How long ago it was received; zero if that was in the future.
    pub fn age(&self, now: SystemTime) -> Duration {
        now.duration_since(self.received).unwrap_or_default()
    }
}

impl fmt::Debug for CacheEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheEntry")
            .field("result", &self.result)
            .field("received", &self.received)
            .field("ttl", &self.ttl)
            .field("public", &self.public)
            .finish()
    }
}

/// As it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    received_us: u64,
    ttl_ms: u64,
    scope: CacheScope,
    result: Cow<'a, str>,
}

impl Serialize for CacheEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Rounded down: it looks a little older than it is, never younger.
        let since_epoch = self.received.duration_since(UNIX_EPOCH).unwrap_or_default();
        Written {
            received_us: u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX),
            ttl_ms: u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX),
            scope: self.scope(),
            result: Cow::Borrowed(self.result.get()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CacheEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        let result = RawJson::from_text(written.result.into_owned()).map_err(de::Error::custom)?;
        let received = UNIX_EPOCH
            .checked_add(Duration::from_micros(written.received_us))
            .ok_or_else(|| de::Error::custom("no such time"))?;
        let ttl = Duration::from_millis(written.ttl_ms);
        // As from servers: what is not known to be public is private.
        Ok(Self { result: Arc::new(result), received, ttl, public: written.scope == CacheScope::Public })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> CacheEntry {
        let mut hint = CacheHint::default();
        (hint.ttl, hint.public) = (Duration::from_millis(1_500), true);
        let result = RawJson::from_text(r#"{"tools": [], "n": 1.50}"#.to_owned()).unwrap();
        CacheEntry::new(result, UNIX_EPOCH + Duration::from_micros(1_234_567), hint)
    }

    #[test]
    fn it_is_written_and_read_back_to_the_byte() {
        let text =
            r#"{"receivedUs":1234567,"ttlMs":1500,"scope":"public","result":"{\"tools\": [], \"n\": 1.50}"}"#;
        assert_eq!(serde_json::to_string(&entry()).unwrap(), text);
        let read: CacheEntry = serde_json::from_str(text).unwrap();
        assert_eq!(read, entry());
        assert_eq!(read.result().get(), r#"{"tools": [], "n": 1.50}"#);
        assert_eq!(serde_json::from_value::<CacheEntry>(serde_json::to_value(&read).unwrap()).unwrap(), read);
    }

    #[test]
    fn what_is_no_entry_is_refused_and_an_unknown_scope_is_private() {
        let with = |member: &str, value: serde_json::Value| {
            let mut written = serde_json::to_value(entry()).unwrap();
            written[member] = value;
            serde_json::from_value::<CacheEntry>(written)
        };
        for (member, value) in [
            ("result", "{".into()),
            ("result", "".into()),
            ("result", serde_json::json!({})),
            ("receivedUs", (-1).into()),
            ("receivedUs", 1e300.into()),
            ("ttlMs", (-1).into()),
            ("ttlMs", 0.5.into()),
            ("scope", 7.into()),
        ] {
            assert!(with(member, value.clone()).is_err(), "{member}: {value}");
        }
        assert_eq!(with("scope", "galaxy".into()).unwrap().scope(), CacheScope::Private);
        // The largest numbers are read; their times lie in the future, or are cut by the client.
        assert_eq!(with("receivedUs", u64::MAX.into()).unwrap().age(UNIX_EPOCH), Duration::ZERO);
        assert_eq!(with("ttlMs", u64::MAX.into()).unwrap().ttl(), Duration::from_millis(u64::MAX));
    }

    #[test]
    fn debug_shows_no_content() {
        let shown = format!("{:?}", entry());
        assert!(shown.contains("RawJson(object, 24 bytes)") && !shown.contains("tools"), "{shown}");
    }
}
