//! How long a subscription that broke off waits before it is opened again.

use std::{
    hash::{BuildHasher, RandomState},
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use mcp_retry::{Backoff, Classify as _, Delivery, Failure, FailureKind, Layer};

use crate::error::CallError;

/// A subscription that was open for this long is taken to work: the waits after it begin anew. One that breaks off sooner,
/// again and again, is asked for ever more seldom.
pub(super) const SETTLED: Duration = Duration::from_secs(10);

/// Counts the breaks since the subscription last worked.
pub(super) struct Waits<'a> {
    backoff: &'a dyn Backoff,
    random: RandomState,
    breaks: u32,
}

impl<'a> Waits<'a> {
    pub(super) fn new(backoff: &'a dyn Backoff) -> Self {
        Self { backoff, random: RandomState::new(), breaks: 0 }
    }

    pub(super) fn held(&mut self, long: Duration) {
        if long >= SETTLED {
            self.breaks = 0;
        }
    }

    /// The next wait, no shorter than the server asks for; `None` when it is not opened again.
    pub(super) fn after(&mut self, error: &CallError) -> Option<Duration> {
        if !may_help(error) {
            return None;
        }
        self.breaks = self.breaks.saturating_add(1);
        let unknown = || Failure::new(Layer::Transport, Delivery::Unknown, FailureKind::Unavailable);
        let failure = error.failure().unwrap_or_else(unknown);
        // 53 bits are what a double holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let unit = (self.random.hash_one(self.breaks) >> 11) as f64 / (1_u64 << 53) as f64;
        // As in the loop of calls, one that panics ends it, and so does a wait without end.
        let delay =
            catch_unwind(AssertUnwindSafe(|| self.backoff.delay(self.breaks, &failure, unit))).ok()?;
        (delay < Duration::MAX).then(|| delay.max(failure.retry_after().unwrap_or_default()))
    }
}

/// Whether asking again can help: the server, or a token for it, could not be had, as opposed to having said something.
fn may_help(error: &CallError) -> bool {
    if let CallError::Auth(error) = error {
        return error.delivery() == Delivery::NotSent && !error.is_permanent();
    }
    error.is_unavailable()
}

#[cfg(test)]
mod tests {
    use mcp_retry::Constant;

    use super::*;
    use crate::error::{HttpError, JsonRpcError, TransportError, TransportErrorKind};
    use crate::transport::HttpHead;

    fn broken(kind: TransportErrorKind) -> CallError {
        TransportError::new(kind, Delivery::Unknown).into()
    }

    fn http(status: u16, retry_after: Option<&'static str>) -> CallError {
        let mut headers = http::HeaderMap::new();
        if let Some(seconds) = retry_after {
            headers.insert("retry-after", http::HeaderValue::from_static(seconds));
        }
        HttpError::new(HttpHead::new(status, headers), bytes::Bytes::new()).into()
    }

    #[test]
    fn sub_11_only_what_broke_off_is_opened_again() {
        let error = mcp_types::InternalError::new("shutting down").into();
        for (error, again) in [
            (broken(TransportErrorKind::Incomplete), true),
            (broken(TransportErrorKind::Connect), true),
            (broken(TransportErrorKind::Timeout { after: SETTLED }), true),
            (http(503, None), true),
            (http(429, None), true),
            (broken(TransportErrorKind::TooLarge { limit: 1, setting: "max_event_bytes" }), false),
            (broken(TransportErrorKind::Unsendable), false),
            (broken(TransportErrorKind::Other), false),
            (broken(TransportErrorKind::Cancelled), false),
            (http(401, None), false),
            (http(404, None), false),
            (JsonRpcError::new(error, None).into(), false),
        ] {
            let wait = Waits::new(&Constant(Duration::ZERO)).after(&error);
            assert_eq!(wait.is_some(), again, "{error:?}");
        }
    }

    #[test]
    fn the_server_says_how_long_at_least() {
        let wait = |seconds, error| Waits::new(&Constant(Duration::from_secs(seconds))).after(&error);
        assert_eq!(wait(1, http(503, Some("30"))), Some(Duration::from_secs(30)));
        assert_eq!(wait(60, http(503, Some("30"))), Some(Duration::from_secs(60)));
    }

    #[test]
    fn waits_grow_until_the_subscription_works_and_a_backoff_can_end_it() {
        #[derive(Debug)]
        struct Counts;
        impl Backoff for Counts {
            fn delay(&self, retry: u32, _: &Failure<'_>, unit: f64) -> Duration {
                assert!((0.0..1.0).contains(&unit));
                match retry {
                    4 => Duration::MAX,
                    5 => panic!("no more"),
                    _ => Duration::from_secs(retry.into()),
                }
            }
        }
        let mut waits = Waits::new(&Counts);
        let mut next = || waits.after(&broken(TransportErrorKind::Incomplete)).map(|wait| wait.as_secs());
        assert_eq!((next(), next(), next()), (Some(1), Some(2), Some(3)));
        assert_eq!((next(), next()), (None, None));
        waits.held(SETTLED.saturating_sub(Duration::from_nanos(1)));
        assert_eq!(waits.breaks, 5);
        waits.held(SETTLED);
        assert_eq!(waits.breaks, 0);
    }
}
