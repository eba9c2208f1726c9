//! Policies made of policies.

use async_trait::async_trait;

use super::RetryPolicy;
use crate::{Attempt, Decision};

/// Combines policies.
///
/// ```
/// use mcp_retry::{Decision, RetryPolicyExt, Standard, policy_fn};
///
/// let patient = policy_fn("patient", |attempt| match attempt.failure().status() {
///     Some(429) => Decision::retry().after(std::time::Duration::from_secs(5)),
///     _ => Decision::Abstain,
/// });
/// let office_hours = policy_fn("office hours", |attempt| match attempt.call().name() {
///     Some("wire_transfer") => Decision::stop("transfers are repeated by people"),
///     _ => Decision::Abstain,
/// });
/// // Whatever the first two say, the guard's stop holds.
/// let policy = patient.or_else(Standard).guarded_by(office_hours);
/// # drop(policy);
/// ```
pub trait RetryPolicyExt: RetryPolicy + Sized {
    /// Asks this policy first, and the next one where it abstains: the first opinion wins.
    fn or_else<P: RetryPolicy>(self, next: P) -> OrElse<Self, P> {
        OrElse { first: self, next }
    }

    /// Lets a guard have the last word: its stop wins over whatever this policy says. Its other opinions count for
    /// nothing.
    fn guarded_by<P: RetryPolicy>(self, guard: P) -> GuardedBy<Self, P> {
        GuardedBy { policy: self, guard }
    }
}

impl<P: RetryPolicy> RetryPolicyExt for P {}

/// See [`RetryPolicyExt::or_else`].
#[derive(Clone, Debug)]
pub struct OrElse<A, B> {
    first: A,
    next: B,
}

#[async_trait]
impl<A: RetryPolicy, B: RetryPolicy> RetryPolicy for OrElse<A, B> {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        match self.first.decide(attempt).await {
            Decision::Abstain => self.next.decide(attempt).await,
            opinion => opinion,
        }
    }

    fn name(&self) -> String {
        format!("{} or else {}", self.first.name(), self.next.name())
    }
}

/// See [`RetryPolicyExt::guarded_by`].
#[derive(Clone, Debug)]
pub struct GuardedBy<A, B> {
    policy: A,
    guard: B,
}

#[async_trait]
impl<A: RetryPolicy, B: RetryPolicy> RetryPolicy for GuardedBy<A, B> {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        match self.guard.decide(attempt).await {
            stop @ Decision::Stop(_) => stop,
            _ => self.policy.decide(attempt).await,
        }
    }

    fn name(&self) -> String {
        format!("{} guarded by {}", self.policy.name(), self.guard.name())
    }
}
