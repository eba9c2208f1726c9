//! How long to wait between attempts.

use std::{fmt, time::Duration};

use crate::Failure;

/// Computes the wait before a repetition. Stateless: all it needs is handed in.
///
/// [`Duration::MAX`] fits no deadline, so it ends the call. One that panics ends it too.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_retry::{Backoff, Failure};
///
/// /// Waits that grow by the same step each time, with a jitter of a tenth.
/// #[derive(Debug)]
/// struct Linear(Duration);
///
/// impl Backoff for Linear {
///     fn delay(&self, retry: u32, _: &Failure<'_>, unit: f64) -> Duration {
///         self.0.saturating_mul(retry).mul_f64(1.0 + unit / 10.0)
///     }
/// }
///
/// let failure = Failure::from_status(429, None);
/// assert_eq!(Linear(Duration::from_secs(1)).delay(3, &failure, 0.0), Duration::from_secs(3));
/// ```
pub trait Backoff: Send + Sync + fmt::Debug {
    /// The wait before the `retry`th repetition (counted from 1) after this failure.
    ///
    /// `unit` is the randomness to use, in `[0, 1)`: the same seed gives the same waits.
    fn delay(&self, retry: u32, failure: &Failure<'_>, unit: f64) -> Duration;
}

/// Waits that double, with full jitter: a random part of `base · 2^(retry − 1)`, which never exceeds the cap.
///
/// The default is a base of 200 ms and a cap of 8 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exponential {
    base: Duration,
    cap: Duration,
}

/// The default base of [`Exponential`]: 200 ms.
pub const DEFAULT_BACKOFF_BASE: Duration = Duration::from_millis(200);
/// The default cap of [`Exponential`]: 8 s.
pub const DEFAULT_BACKOFF_CAP: Duration = Duration::from_secs(8);

impl Default for Exponential {
    fn default() -> Self {
        Self { base: DEFAULT_BACKOFF_BASE, cap: DEFAULT_BACKOFF_CAP }
    }
}

impl Exponential {
    /// Doubling waits from this base up to this cap.
    pub fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap }
    }
}

impl Backoff for Exponential {
    fn delay(&self, retry: u32, _: &Failure<'_>, unit: f64) -> Duration {
        let doublings = retry.saturating_sub(1).min(31);
        let full = self.base.saturating_mul(1 << doublings).min(self.cap);
        share(full, unit)
    }
}

/// The same wait each time, without jitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Constant(pub Duration);

impl Backoff for Constant {
    fn delay(&self, _: u32, _: &Failure<'_>, _: f64) -> Duration {
        self.0
    }
}

/// A part of a duration. A unit outside `[0, 1]` counts as the nearer end, and no number as 0.
pub(crate) fn share(full: Duration, unit: f64) -> Duration {
    let unit = if unit.is_nan() { 0.0 } else { unit.clamp(0.0, 1.0) };
    Duration::try_from_secs_f64(full.as_secs_f64() * unit).unwrap_or(full).min(full)
}

/// A backoff from the `backoff` crate: a fresh one is made for each wait and asked as often as repetitions were made, so
/// that its own state never leaks from one call into another. Where it gives up (`None`), the wait is as long as can be,
/// which fits no deadline.
#[cfg(feature = "backoff")]
pub fn from_backoff<B, F>(make: F) -> FromBackoff<F>
where
    B: ::backoff::backoff::Backoff,
    F: Fn() -> B + Send + Sync,
{
    FromBackoff(make)
}

/// See [`from_backoff`].
#[cfg(feature = "backoff")]
#[derive(Clone)]
pub struct FromBackoff<F>(F);

#[cfg(feature = "backoff")]
impl<F> fmt::Debug for FromBackoff<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FromBackoff")
    }
}

#[cfg(feature = "backoff")]
impl<B, F> Backoff for FromBackoff<F>
where
    B: ::backoff::backoff::Backoff,
    F: Fn() -> B + Send + Sync,
{
    fn delay(&self, retry: u32, _: &Failure<'_>, _: f64) -> Duration {
        let mut backoff = (self.0)();
        let mut delay = None;
        for _ in 0..retry.max(1) {
            delay = backoff.next_backoff();
            if delay.is_none() {
                break;
            }
        }
        delay.unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delivery, FailureKind, Layer};

    fn delay(backoff: &dyn Backoff, retry: u32, unit: f64) -> Duration {
        let failure = Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Unavailable);
        backoff.delay(retry, &failure, unit)
    }

    #[test]
    fn waits_double_up_to_the_cap_with_full_jitter() {
        let standard = Exponential::default();
        for (retry, full) in [(1, 200), (2, 400), (3, 800), (6, 6400), (7, 8000), (8, 8000), (u32::MAX, 8000)]
        {
            let full = Duration::from_millis(full);
            assert_eq!(delay(&standard, retry, 0.0), Duration::ZERO);
            assert_eq!(delay(&standard, retry, 0.5), full / 2);
            assert!(delay(&standard, retry, 0.999_999) < full);
        }
        assert_eq!(delay(&standard, 0, 0.5), DEFAULT_BACKOFF_BASE / 2);
        let absurd = Exponential::new(Duration::MAX, Duration::MAX);
        assert!(delay(&absurd, 9, 0.5) > Duration::from_secs(1 << 40));
    }

    #[test]
    fn odd_randomness_stays_within_the_wait() {
        let second = Duration::from_secs(1);
        for (unit, expected) in
            [(f64::NAN, Duration::ZERO), (-3.0, Duration::ZERO), (7.0, second), (f64::INFINITY, second)]
        {
            assert_eq!(share(second, unit), expected);
        }
        assert!(share(Duration::MAX, 1.0) <= Duration::MAX);
    }

    #[cfg(feature = "backoff")]
    #[test]
    fn a_backoff_of_the_old_crate_can_be_used() {
        let make = || {
            let mut backoff = ::backoff::ExponentialBackoff {
                initial_interval: Duration::from_millis(100),
                randomization_factor: 0.0,
                multiplier: 3.0,
                max_interval: Duration::from_millis(500),
                ..Default::default()
            };
            ::backoff::backoff::Backoff::reset(&mut backoff);
            backoff
        };
        let adapted = from_backoff(make);
        let waits: Vec<_> = (1..=4).map(|retry| delay(&adapted, retry, 0.9).as_millis()).collect();
        assert_eq!(waits, [100, 300, 500, 500]);
        assert_eq!(delay(&adapted, 1, 0.1).as_millis(), 100);
        assert_eq!(delay(&from_backoff(|| ::backoff::backoff::Stop {}), 1, 0.1), Duration::MAX);
    }
}
