//! A policy from a closure.

use std::{borrow::Cow, fmt};

use async_trait::async_trait;

use super::RetryPolicy;
use crate::{Attempt, Decision};

/// A policy that is one function, with the name that stands in the log.
///
/// ```
/// use mcp_retry::{Decision, policy_fn};
///
/// let patient = policy_fn("patient", |attempt| match attempt.failure().status() {
///     Some(503) => Decision::retry().after(std::time::Duration::from_secs(1)),
///     _ => Decision::Abstain,
/// });
/// ```
pub fn policy_fn<F>(name: impl Into<Cow<'static, str>>, decide: F) -> PolicyFn<F>
where
    F: Fn(&Attempt<'_>) -> Decision + Send + Sync,
{
    PolicyFn { name: name.into(), decide }
}

/// See [`policy_fn`].
#[derive(Clone)]
pub struct PolicyFn<F> {
    name: Cow<'static, str>,
    decide: F,
}

#[async_trait]
impl<F: Fn(&Attempt<'_>) -> Decision + Send + Sync> RetryPolicy for PolicyFn<F> {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        (self.decide)(attempt)
    }

    fn name(&self) -> String {
        self.name.clone().into_owned()
    }
}

impl<F> fmt::Debug for PolicyFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PolicyFn({})", self.name)
    }
}
