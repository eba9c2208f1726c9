//! The loop: attempts, opinions, waits, under one deadline. On tokio's clock.

use std::{
    borrow::Cow,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
    time::Duration,
};

use mcp_types::RequestId;
use tokio::time::{Instant, sleep, timeout_at};

use crate::{
    Attempt, AttemptLog, AttemptRecord, Call, Classify, Decision, Delay, Evidence, Failure, Origin, Retry,
    Safety, Situation, Step, StopReason, random::Random, step,
};

/// Names of policies are cut at this many characters in the log.
const MAX_NAME_CHARS: usize = 64;

/// One logical call under way, for those who make the attempts themselves; [`Retry::run`] does it for you.
///
/// Make an attempt, tell how it ended with [`ended`](Self::ended), and go on while that says so.
#[derive(Debug)]
pub struct Running<'a> {
    retry: &'a Retry,
    call: Call<'a>,
    started: Instant,
    deadline: Option<Instant>,
    attempt_started: Instant,
    random: Random,
    log: AttemptLog,
    /// Attempts of an earlier run that this one continues.
    before: u32,
    /// What the next attempt is made with.
    next: Next,
}

#[derive(Clone, Debug, Default)]
struct Next {
    origin: Origin,
    delay: Option<Delay>,
    decided_by: Option<Cow<'static, str>>,
    note: Option<Cow<'static, str>>,
}

/// What an attempt may know of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptContext {
    /// Counted from 1.
    pub number: u32,
    /// On whose behalf it is made.
    pub origin: Origin,
    /// How much time the call has left; `None` without a limit.
    pub remaining: Option<Duration>,
}

/// How an attempt ended, and what of it goes into the log.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// The JSON-RPC id of the attempt.
    pub request_id: Option<RequestId>,
    /// How it failed, as one word such as `HTTP_ERROR`.
    pub failed: Option<Cow<'static, str>>,
}

impl Retry {
    /// Makes a call: attempts, until one succeeds or nothing more is to be done, and the log of them.
    ///
    /// The last result is handed out unchanged. The attempt is told its number; give each its own request id. It is told
    /// too how much time [remains](AttemptContext::remaining) and must end within it: it is never cut off from here.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the attempt or the wait under way; nothing goes on behind it.
    ///
    /// # Examples
    ///
    /// ```
    /// use mcp_retry::{Call, Classify, Delivery, Failure, FailureKind, Layer, Retry};
    ///
    /// struct Down;
    /// impl Classify for Down {
    ///     fn failure(&self) -> Option<Failure<'_>> {
    ///         Some(Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Unavailable))
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// let retry = Retry::builder().seed(7).build();
    /// let call = Call::new("tools/call").named("get_weather");
    /// let (result, log) = retry
    ///     .run(&call, |attempt| async move { if attempt.number < 3 { Err(Down) } else { Ok("12 °C") } })
    ///     .await;
    /// assert_eq!(result.ok(), Some("12 °C"));
    /// assert_eq!(log.attempts().len(), 3);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn run<O, F, Fut>(&self, call: &Call<'_>, mut attempt: F) -> (O, AttemptLog)
    where
        O: Classify,
        F: FnMut(AttemptContext) -> Fut,
        Fut: Future<Output = O>,
    {
        let mut running = self.begin(*call);
        loop {
            let outcome = attempt(running.attempt()).await;
            if !running.ended(outcome.failure(), Ended::default()).await {
                return (outcome, running.finish());
            }
        }
    }

    /// Begins a call whose attempts you make yourself.
    ///
    /// # Examples
    ///
    /// ```
    /// use mcp_retry::{Call, Ended, Failure, Retry};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// let retry = Retry::standard();
    /// let mut running = retry.begin(Call::new("tools/call").named("get_weather"));
    /// loop {
    ///     let attempt = running.attempt();
    ///     // Here the attempt is made. This one is refused by a rate limit at first.
    ///     let failure = (attempt.number == 1).then(|| Failure::from_status(429, None));
    ///     let ended = Ended { request_id: Some(i64::from(attempt.number).into()), ..Ended::default() };
    ///     if !running.ended(failure, ended).await {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(running.finish().attempts().len(), 2);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn begin<'a>(&'a self, call: Call<'a>) -> Running<'a> {
        let now = Instant::now();
        Running {
            retry: self,
            call,
            started: now,
            // A limit that no clock can hold is none.
            deadline: call.timeout().and_then(|timeout| now.checked_add(timeout)),
            attempt_started: now,
            random: Random::new(self.seed),
            log: AttemptLog::new(),
            before: 0,
            next: Next::default(),
        }
    }
}

impl Running<'_> {
    /// Continues the log of an earlier run, on somebody's behalf: a person pressed "try again". The limits start anew.
    #[must_use]
    pub fn continuing(mut self, log: AttemptLog, origin: Origin) -> Self {
        self.before = u32::try_from(log.attempts().len()).unwrap_or(u32::MAX);
        self.log = log;
        self.log.go_on();
        self.next.origin = origin;
        self
    }

    /// Adds a note to the first attempt, such as why a second execution is acceptable.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.next.note = Some(note.into());
        self
    }

    /// Changes how long the call may take, counted from its beginning: signs of life may have earned it more time, or the
    /// lack of them less than it could have had.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.call = self.call.with_timeout(timeout);
        self.deadline = self.started.checked_add(timeout);
    }

    /// Replaces what is known of repeating the call: some of it is only learnt on the way, such as who asks.
    pub fn set_evidence(&mut self, evidence: Evidence) {
        self.call = self.call.with_only(evidence);
    }

    /// The attempt that is to be made now. Its time begins.
    pub fn attempt(&mut self) -> AttemptContext {
        let now = Instant::now();
        self.attempt_started = now;
        let remaining = self.deadline.map(|deadline| deadline.saturating_duration_since(now));
        AttemptContext { number: self.number(), origin: self.next.origin, remaining }
    }

    /// Ends an attempt that was refused for a reason which the client itself has mended since: a protocol version, a
    /// header, a token. The next attempt is made at once, on behalf of the SDK, with a note of what was mended.
    ///
    /// No policy is asked, and the limit of attempts doesn't count it: whoever repairs sees to it that it is done once.
    /// False when the call has no time left; it is over then.
    pub fn repaired(&mut self, ended: Ended, note: impl Into<Cow<'static, str>>) -> bool {
        self.record(None, ended);
        if self.remaining().is_some_and(|remaining| remaining.is_zero()) {
            self.log.stop(StopReason::Deadline);
            return false;
        }
        self.before = self.before.saturating_add(1);
        self.next = Next { origin: Origin::Sdk, note: Some(note.into()), ..Next::default() };
        true
    }

    /// The attempts so far.
    pub fn log(&self) -> &AttemptLog {
        &self.log
    }

    /// Ends the attempt under way, because the caller gave up on the call.
    pub fn abandon(&mut self, ended: Ended) {
        self.record(None, ended);
    }

    /// The log so far, which is empty from here on.
    pub fn take_log(&mut self) -> AttemptLog {
        std::mem::take(&mut self.log)
    }

    /// The log, complete.
    pub fn finish(self) -> AttemptLog {
        self.log
    }

    /// Tells how the attempt ended. True when, after the wait that has passed by then, another one is to be made.
    pub async fn ended(&mut self, failure: Option<Failure<'_>>, ended: Ended) -> bool {
        let failure = failure.map(|failure| self.retry.see(failure));
        self.record(failure.as_ref(), ended);
        let was_retry = self.own_attempts() > 1;
        let Some(failure) = failure else {
            if let Some(budget) = &self.retry.budget {
                guarded(|| budget.record_success(was_retry));
            }
            self.log.stop(StopReason::Done);
            return false;
        };
        match self.decide(&failure).await {
            Ok(next) => {
                if let Some(delay) = next.delay {
                    sleep(delay.length).await;
                }
                // Timers may be late.
                if self.remaining().is_some_and(|remaining| remaining.is_zero()) {
                    self.log.stop(StopReason::Deadline);
                    return false;
                }
                self.next = next;
                true
            }
            Err(reason) => {
                self.log.stop(reason);
                false
            }
        }
    }

    /// Policy, gate, limits and budget, all under the deadline.
    async fn decide(&mut self, failure: &Failure<'_>) -> Result<Next, StopReason> {
        let safety = Safety::of(failure, self.call.evidence());
        let attempt = Attempt {
            call: &self.call,
            failure,
            number: self.number() - 1,
            elapsed: self.started.elapsed(),
            remaining: self.remaining(),
            safety,
            history: self.log.attempts(),
        };
        let policy = &self.retry.policy;
        let decision = self
            .within_deadline(guard_panics(async { policy.decide(&attempt).await }))
            .await?
            .unwrap_or_else(|| Decision::stop("the policy panicked"));
        let situation = Situation {
            failure,
            safety,
            attempts: self.own_attempts(),
            remaining: self.remaining(),
            unit: self.random.unit(),
        };
        let (rules, backoff) = (&self.retry.rules, self.retry.backoff.as_ref());
        let step = guarded(|| step(decision, &situation, rules, backoff))
            .unwrap_or_else(|| Step::Stop(StopReason::Policy("the backoff panicked".into())));
        let (delay, origin, note) = match step {
            Step::Stop(reason) => return Err(reason),
            Step::Retry { delay, origin, accepting_duplicates } => (delay, origin, accepting_duplicates),
        };
        // What the clock cannot hold would be cut short.
        if Instant::now().checked_add(delay.length).is_none() {
            return Err(StopReason::Deadline);
        }
        if let Some(budget) = &self.retry.budget {
            let paid = self.within_deadline(guard_panics(async { budget.withdraw().await })).await?;
            if paid != Some(true) {
                return Err(StopReason::Budget);
            }
            // The budget may have taken its time.
            if self.remaining().is_some_and(|remaining| delay.length >= remaining) {
                guarded(|| budget.refund());
                return Err(StopReason::Deadline);
            }
        }
        let decided_by = guarded(|| policy.name()).map(|name| name.chars().take(MAX_NAME_CHARS).collect());
        Ok(Next { origin, delay: Some(delay), decided_by, note })
    }

    async fn within_deadline<T>(&self, future: impl Future<Output = T>) -> Result<T, StopReason> {
        match self.deadline {
            Some(deadline) => timeout_at(deadline, future).await.map_err(|_| StopReason::Deadline),
            None => Ok(future.await),
        }
    }

    fn record(&mut self, failure: Option<&Failure<'_>>, ended: Ended) {
        let next = std::mem::take(&mut self.next);
        let mut record = AttemptRecord::new(self.number(), self.attempt_started.elapsed());
        record.request_id = ended.request_id;
        record.origin = next.origin;
        record.failed =
            ended.failed.or_else(|| failure.map(|failure| format!("{:?}", failure.kind()).into()));
        record.delay = next.delay;
        record.decided_by = next.decided_by;
        record.note = next.note;
        if let Some(observer) = &self.retry.observer {
            guarded(|| observer.attempt_ended(&self.call, &record));
        }
        self.log.push(record);
    }

    /// The number of the attempt that is being made.
    fn number(&self) -> u32 {
        u32::try_from(self.log.attempts().len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn own_attempts(&self) -> u32 {
        (self.number() - 1).saturating_sub(self.before)
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// `None` when somebody else's code panics: the call's own failure must not get lost with it.
async fn guard_panics<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match guarded(|| future.as_mut().poll(cx)) {
        Some(Poll::Ready(value)) => Poll::Ready(Some(value)),
        Some(Poll::Pending) => Poll::Pending,
        None => Poll::Ready(None),
    })
    .await
}

/// The same for what is no future.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}
