//! How fast requests of one kind may follow each other. Sans-IO.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Lets so many requests through at once, and from then on so many a second: the generic cell rate algorithm.
#[derive(Debug)]
pub(crate) struct Pace {
    every: Duration,
    /// How far ahead of its time a turn may be taken.
    ahead: Duration,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    /// So many a second, and at once; none of them means that there is no limit.
    pub(crate) fn new(per_second: u32) -> Self {
        let every = Duration::from_secs(1).checked_div(per_second).unwrap_or_default();
        Self { every, ahead: every * per_second.saturating_sub(1), next: Mutex::new(None) }
    }

    /// Takes a turn: how long to wait for it. `None`, and no turn is taken, where that is longer than the patience.
    pub(crate) fn take(&self, now: Instant, patience: Duration) -> Option<Duration> {
        if self.every.is_zero() {
            return Some(Duration::ZERO);
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or(now, |next| next.max(now));
        let wait = turn.saturating_duration_since(now).saturating_sub(self.ahead);
        if wait > patience {
            return None;
        }
        *next = turn.checked_add(self.every);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn so_many_at_once_and_then_one_after_the_other() {
        let (pace, now) = (Pace::new(4), Instant::now());
        let waits = |now, count: usize| {
            (0..count).map(|_| pace.take(now, Duration::MAX).unwrap().as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(waits(now, 7), [0, 0, 0, 0, 250, 500, 750]);
        // All turns are over, and one second's worth can be taken at once again.
        assert_eq!(waits(now + 5_000 * MS, 5), [0, 0, 0, 0, 250]);
    }

    #[test]
    fn who_has_no_patience_takes_no_turn() {
        let (pace, now) = (Pace::new(1), Instant::now());
        assert_eq!(pace.take(now, Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(pace.take(now, 999 * MS), None);
        assert_eq!(pace.take(now, 999 * MS), None);
        assert_eq!(pace.take(now, 1_000 * MS), Some(1_000 * MS));
    }

    #[test]
    fn none_is_no_limit_and_no_number_overflows() {
        let now = Instant::now();
        for pace in [Pace::new(0), Pace::new(u32::MAX)] {
            assert!((0..1_000).all(|_| pace.take(now, Duration::ZERO) == Some(Duration::ZERO)));
        }
    }
}
