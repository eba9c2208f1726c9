//! What ends a call from outside: its deadline, which progress may move, and the caller.

use std::{
    future::Future,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::{
    select,
    time::{Instant, sleep_until},
};

use super::Spec;
use crate::{
    cancel::{CancelHandle, cancelled},
    client::Client,
};

/// How far progress may move the end of a call that asks for it and names no limit: 10 minutes, or its timeout where that is
/// longer.
pub const DEFAULT_MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a call may take, whatever progress comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaxTimeout {
    /// 10 minutes, or its timeout where that is longer.
    Default,
    /// So long, and no longer, whatever its timeout is.
    Set(Duration),
}

impl MaxTimeout {
    /// How long that is for a call with this timeout.
    pub(crate) fn of(self, timeout: Duration) -> Duration {
        match self {
            Self::Default => DEFAULT_MAX_TIMEOUT.max(timeout),
            Self::Set(max) => max,
        }
    }
}

/// The end of a whole call, which every progress notification moves, up to a maximum, where the caller asked for it.
#[derive(Debug)]
pub(crate) struct Deadline {
    started: Instant,
    after: Duration,
    /// How far progress may move it, counted from the beginning.
    max: Option<Duration>,
    /// When progress moved it last, in nanoseconds since the beginning.
    moved: AtomicU64,
}

impl Deadline {
    pub(crate) fn new(after: Duration, max: Option<MaxTimeout>) -> Self {
        let max = max.map(|max| max.of(after));
        Self { started: Instant::now(), after, max, moved: AtomicU64::new(0) }
    }

    /// That of a call, from when it began. The time that earlier rounds took is over; that the server asked is progress, too.
    pub(crate) fn of(client: &Client, spec: &Spec) -> Self {
        let mut deadline = Self::new(spec.timeout.unwrap_or(client.config().timeout), spec.max_timeout);
        deadline.started = spec.begun.unwrap_or(deadline.started);
        if let Some(started) = deadline.started.checked_sub(spec.spent) {
            deadline.started = started;
        }
        if !spec.spent.is_zero() {
            deadline.progressed();
        }
        deadline
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// Progress came: the time begins anew.
    pub(crate) fn progressed(&self) {
        if self.max.is_some() {
            let now = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.moved.store(now, Ordering::Relaxed);
        }
    }

    /// How long the call may take as things stand.
    pub(crate) fn allowed(&self) -> Duration {
        let Some(max) = self.max else { return self.after };
        let moved = Duration::from_nanos(self.moved.load(Ordering::Relaxed));
        moved.saturating_add(self.after).min(max)
    }

    /// When it ends as things stand; `None` where no clock can hold it.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.started.checked_add(self.allowed())
    }
}

/// Why something was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutOff {
    /// Time ran out: so much was allowed.
    TimedOut(Duration),
    /// The caller gave up.
    Cancelled,
}

/// Waits for something, no longer than the deadline and the caller allow.
pub(crate) async fn within<T>(
    deadline: &Deadline,
    cancel: Option<&CancelHandle>,
    future: impl Future<Output = T>,
) -> Result<T, CutOff> {
    let mut future = pin!(future);
    let mut cancelled = pin!(cancelled(cancel));
    loop {
        let at = deadline.at();
        let time_out = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            () = &mut cancelled => return Err(CutOff::Cancelled),
            done = &mut future => return Ok(done),
            () = time_out => {
                // Progress may have moved it meanwhile.
                if deadline.at() == at {
                    return Err(CutOff::TimedOut(deadline.allowed()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn progress_moves_a_deadline_up_to_the_maximum_and_only_where_asked() {
        let set = |seconds| Some(MaxTimeout::Set(SECOND * seconds));
        for (max, expected) in [(None, 2), (set(5), 5), (set(1), 1), (Some(MaxTimeout::Default), 600)] {
            let deadline = Deadline::new(SECOND * 2, max);
            let started = Instant::now();
            let forever = async {
                loop {
                    sleep(SECOND).await;
                    deadline.progressed();
                }
            };
            let cut: Result<(), _> = within(&deadline, None, forever).await;
            assert_eq!(cut, Err(CutOff::TimedOut(SECOND * expected)), "{max:?}");
            assert_eq!(started.elapsed().as_secs(), u64::from(expected), "{max:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_done_wins_and_who_gave_up_before_wins_over_all() {
        let deadline = Deadline::new(SECOND, None);
        assert_eq!(within(&deadline, None, async { 7 }).await, Ok(7));
        let cancel = CancelHandle::new();
        cancel.cancel("no more");
        assert_eq!(within(&deadline, Some(&cancel), async { 7 }).await, Err(CutOff::Cancelled));
        for max in [MaxTimeout::Set(Duration::MAX), MaxTimeout::Default] {
            let endless = Deadline::new(Duration::MAX, Some(max));
            assert_eq!(within(&endless, None, async { 7 }).await, Ok(7));
        }
    }

    #[test]
    fn the_default_maximum_is_no_shorter_than_the_timeout() {
        let hour = SECOND * 3600;
        assert_eq!(Deadline::new(hour, Some(MaxTimeout::Default)).allowed(), hour);
        assert_eq!(Deadline::new(hour, Some(MaxTimeout::Set(SECOND))).allowed(), SECOND);
    }
}
