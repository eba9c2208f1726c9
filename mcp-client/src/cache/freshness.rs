//! How old a result is, and whether that is too old: pure functions of three times.

use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer, ser::SerializeMap};

/// Where a result comes from, and how old it is.
///
/// As JSON it is `{"state":"fetched"}`, `{"state":"fresh","ageMs":…}` or `{"state":"stale","ageMs":…}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Freshness {
    /// The server was asked, and this is its answer.
    Fetched,
    /// It was kept, and the server's time for it is not over.
    Fresh {
        /// How long ago it came.
        age: Duration,
    },
    /// It was kept, its time is over, and the server could not be asked. Only given to callers who ask for that.
    Stale {
        /// How long ago it came.
        age: Duration,
    },
}

impl Freshness {
    /// How long ago the result came; zero if it came with this call.
    pub fn age(self) -> Duration {
        match self {
            Self::Fetched => Duration::ZERO,
            Self::Fresh { age } | Self::Stale { age } => age,
        }
    }

    /// Whether the server was asked for it in this call.
    pub fn is_fetched(self) -> bool {
        matches!(self, Self::Fetched)
    }

    /// Whether its time is over.
    pub fn is_stale(self) -> bool {
        matches!(self, Self::Stale { .. })
    }

    /// What a result is that was received and kept: fresh while `now < received + ttl`, stale from then on.
    ///
    /// `None` when it was received in the future: the clock was set back, or a store was tampered with. Nothing can be said
    /// about its age then.
    pub(crate) fn of_kept(received: SystemTime, ttl: Duration, now: SystemTime) -> Option<Self> {
        let age = now.duration_since(received).ok()?;
        // The same as `now < received + ttl`, and no sum that could overflow.
        Some(if age < ttl { Self::Fresh { age } } else { Self::Stale { age } })
    }
}

impl Serialize for Freshness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (state, age) = match self {
            Self::Fetched => ("fetched", None),
            Self::Fresh { age } => ("fresh", Some(age)),
            Self::Stale { age } => ("stale", Some(age)),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("state", state)?;
        if let Some(age) = age {
            map.serialize_entry("ageMs", &u64::try_from(age.as_millis()).unwrap_or(u64::MAX))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use proptest::prelude::*;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn cac_05_fresh_until_the_boundary_which_is_stale() {
        let received = UNIX_EPOCH + Duration::from_secs(1_000);
        let (before, ttl) = (Duration::from_millis(299_999), Duration::from_secs(300));
        let of = |age: Duration| Freshness::of_kept(received, ttl, received + age);
        assert_eq!(of(Duration::ZERO), Some(Freshness::Fresh { age: Duration::ZERO }));
        assert_eq!(of(before), Some(Freshness::Fresh { age: before }));
        assert_eq!(of(ttl), Some(Freshness::Stale { age: ttl }));
        assert_eq!(of(ttl + MS), Some(Freshness::Stale { age: ttl + MS }));
    }

    #[test]
    fn cac_04_no_time_is_stale_at_once() {
        let now = UNIX_EPOCH + MS;
        assert_eq!(
            Freshness::of_kept(now, Duration::ZERO, now),
            Some(Freshness::Stale { age: Duration::ZERO })
        );
    }

    #[test]
    fn the_future_has_no_age() {
        assert_eq!(Freshness::of_kept(UNIX_EPOCH + MS, Duration::MAX, UNIX_EPOCH), None);
    }

    #[test]
    fn it_is_written_with_its_age() {
        for (freshness, text) in [
            (Freshness::Fetched, r#"{"state":"fetched"}"#),
            (Freshness::Fresh { age: 7 * MS }, r#"{"state":"fresh","ageMs":7}"#),
            (Freshness::Stale { age: Duration::MAX }, r#"{"state":"stale","ageMs":18446744073709551615}"#),
        ] {
            assert_eq!(serde_json::to_string(&freshness).unwrap(), text);
        }
        assert_eq!(Freshness::Fetched.age(), Duration::ZERO);
        assert!(Freshness::Fetched.is_fetched() && !Freshness::Fetched.is_stale());
        assert!(Freshness::Stale { age: MS }.is_stale());
    }

    proptest! {
        #[test]
        fn cac_20_no_times_overflow(received in any::<u32>(), now in any::<u32>(), ttl in any::<u64>()) {
            let at = |secs: u32| UNIX_EPOCH + Duration::from_secs(u64::from(secs));
            for ttl in [Duration::from_millis(ttl), Duration::from_secs(ttl), Duration::MAX] {
                let expected = (now >= received).then(|| Duration::from_secs(u64::from(now - received))).map(|age| {
                    if age < ttl { Freshness::Fresh { age } } else { Freshness::Stale { age } }
                });
                prop_assert_eq!(Freshness::of_kept(at(received), ttl, at(now)), expected);
            }
        }
    }
}
