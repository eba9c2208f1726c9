//! How long and for whom a result may be kept.

use std::time::Duration;

use crate::open_enum::open_enum;

open_enum! {
    /// Who may be given a kept result.
    pub enum CacheScope {
        /// Whoever asks with the same parameters.
        Public = "public",
        /// Only the one who got it.
        Private = "private",
    }
}

/// A result that says how long it may be kept.
pub trait CacheableResult {
    /// For how long, as sent; may be negative.
    fn ttl_ms(&self) -> Option<i64>;

    /// For whom, as sent.
    fn cache_scope(&self) -> Option<&CacheScope>;

    /// Both with the defaults: no time and private if absent or odd.
    fn cache_hint(&self) -> CacheHint {
        CacheHint {
            ttl: Duration::from_millis(self.ttl_ms().and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0)),
            public: self.cache_scope() == Some(&CacheScope::Public),
        }
    }
}

/// How long and for whom a result may be kept, as [`CacheableResult::cache_hint`] reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CacheHint {
    /// Counted from its arrival; zero means that it is stale at once.
    pub ttl: Duration,
    /// Whether others than the one who got it may have it.
    pub public: bool,
}

macro_rules! cacheable {
    ($($Name:ident),*) => { $(
        impl $crate::CacheableResult for $Name {
            fn ttl_ms(&self) -> Option<i64> {
                self.ttl_ms
            }

            fn cache_scope(&self) -> Option<&$crate::CacheScope> {
                self.cache_scope.as_ref()
            }
        }

        impl $Name {
            /// Says how long and for whom the result may be kept.
            #[must_use]
            pub fn with_cache(mut self, ttl_ms: i64, scope: $crate::CacheScope) -> Self {
                self.ttl_ms = Some(ttl_ms);
                self.cache_scope = Some(scope);
                self
            }
        }
    )* };
}
pub(crate) use cacheable;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::DiscoverResult;

    #[test]
    fn absent_and_odd_values_mean_not_at_all_and_private() {
        for (ttl, scope, millis, public) in [
            (json!(1500), json!("public"), 1500, true),
            (json!(5.0), json!("private"), 5, false),
            (json!(-1), json!("public"), 0, true),
            (json!("1500"), json!("galaxy"), 0, false),
            (json!(1.5), json!(7), 0, false),
            (json!(null), json!(null), 0, false),
        ] {
            let value =
                json!({"supportedVersions": [], "capabilities": {}, "ttlMs": ttl, "cacheScope": scope});
            let hint = serde_json::from_value::<DiscoverResult>(value.clone()).unwrap().cache_hint();
            assert_eq!((hint.ttl, hint.public), (Duration::from_millis(millis), public), "{value}");
        }
        let huge = r#"{"supportedVersions":[],"capabilities":{},"ttlMs":1e21}"#;
        let read: DiscoverResult = serde_json::from_str(huge).unwrap();
        assert_eq!(read.cache_hint(), CacheHint::default());
        assert_eq!(read.dropped_hints().collect::<Vec<_>>(), ["ttlMs"]);
        assert_eq!(read.with_cache(9, CacheScope::Public).cache_hint().ttl, Duration::from_millis(9));
    }
}
