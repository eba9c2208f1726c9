//! What follows a failed attempt: one pure function, in a fixed order that no policy can change.

use std::{borrow::Cow, time::Duration};

use crate::{Backoff, Decision, Delay, DelaySource, Failure, Origin, Safety, StopReason, backoff::share};

/// The limits that hold whatever a policy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How many attempts a call has, the first included.
    pub max_attempts: u32,
    /// The longest wait that a server may ask for.
    pub max_server_delay: Duration,
}

/// Where the call stands when an attempt has failed.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// How it failed.
    pub failure: &'a Failure<'a>,
    /// Whether repeating is harmless.
    pub safety: Safety,
    /// How many attempts were made.
    pub attempts: u32,
    /// How much time the call has left; `None` without a limit.
    pub remaining: Option<Duration>,
    /// Randomness in `[0, 1)`.
    pub unit: f64,
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The call ends with this failure.
    Stop(StopReason),
    /// The next attempt is made after this wait, if the budget allows it.
    Retry {
        /// The wait, and who chose it.
        delay: Delay,
        /// On whose behalf.
        origin: Origin,
        /// Why a second execution is acceptable, where the policy had to say so.
        accepting_duplicates: Option<Cow<'static, str>>,
    },
}

/// A server's delay is lengthened by at most so much, so that many clients do not come back at once.
const MAX_SPREAD: Duration = Duration::from_secs(1);

/// Applies the rules to a policy's opinion: policy, safety gate, attempt limit, delay, deadline.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_retry::{
///     Call, Constant, Decision, Delivery, Failure, FailureKind, Layer, Rules, Safety, Situation, Step, StopReason, step,
/// };
///
/// // The connection broke after the request was sent, and nobody vouches for the call.
/// let failure = Failure::new(Layer::Transport, Delivery::Unknown, FailureKind::Unavailable);
/// let safety = Safety::of(&failure, Call::new("tools/call").evidence());
/// let situation = Situation { failure: &failure, safety, attempts: 1, remaining: None, unit: 0.5 };
/// let rules = Rules { max_attempts: 3, max_server_delay: Duration::from_secs(30) };
///
/// // Whatever a policy asks for:
/// let next = step(Decision::retry(), &situation, &rules, &Constant(Duration::from_secs(1)));
/// assert_eq!(next, Step::Stop(StopReason::MayHaveRun));
/// ```
pub fn step(decision: Decision, situation: &Situation<'_>, rules: &Rules, backoff: &dyn Backoff) -> Step {
    let plan = match decision {
        Decision::Retry(plan) => plan,
        Decision::Stop(why) => return Step::Stop(StopReason::Policy(why)),
        Decision::Abstain => return Step::Stop(StopReason::Done),
    };
    match situation.safety {
        Safety::Safe => {}
        Safety::MayHaveRun if plan.accepting_duplicates.is_some() => {}
        Safety::MayHaveRun => return Step::Stop(StopReason::MayHaveRun),
        Safety::Never => return Step::Stop(StopReason::Done),
    }
    if situation.attempts >= rules.max_attempts {
        return Step::Stop(StopReason::Attempts);
    }
    let wished = match plan.delay {
        Some(length) => Delay { length, source: DelaySource::Policy },
        None => Delay {
            length: backoff.delay(situation.attempts, situation.failure, situation.unit),
            source: DelaySource::Backoff,
        },
    };
    let delay = match situation.failure.retry_after() {
        Some(asked) if asked > rules.max_server_delay => return Step::Stop(StopReason::ServerDelay(asked)),
        // Never undercut: the server's word is the floor, also under a policy's longer wait.
        Some(asked) => {
            let spread = share((asked / 10).min(MAX_SPREAD), situation.unit);
            let floor = Delay { length: asked.saturating_add(spread), source: DelaySource::RetryAfter };
            if plan.delay.is_some_and(|length| length > floor.length) { wished } else { floor }
        }
        None => wished,
    };
    // A wait that no clock can hold fits no deadline, not even a missing one.
    if delay.length >= situation.remaining.unwrap_or(Duration::MAX) {
        return Step::Stop(StopReason::Deadline);
    }
    // Where repeating is safe anyway, nothing had to be accepted.
    let accepting_duplicates = plan.accepting_duplicates.filter(|_| situation.safety == Safety::MayHaveRun);
    Step::Retry { delay, origin: plan.origin, accepting_duplicates }
}
