//! Who has an opinion on sending a call again.

mod combine;
mod function;
mod standard;

use std::{fmt, sync::Arc};

use async_trait::async_trait;

pub use self::{
    combine::{GuardedBy, OrElse, RetryPolicyExt},
    function::{PolicyFn, policy_fn},
    standard::{NeverRetry, Standard},
};
use crate::{Attempt, Decision};

/// Says what should be done about a failed attempt.
///
/// A policy gives an opinion; the rules of safety hold whatever it says. It may take its time, even ask a person: it is
/// asked under the call's deadline. A policy that panics counts as one that says stop.
///
/// # Examples
///
/// ```
/// use mcp_retry::{Attempt, Decision, FailureKind, RetryPolicy, async_trait};
///
/// /// Repeats what was rate limited, by the application's own rules.
/// #[derive(Debug)]
/// struct WaitForQuota;
///
/// #[async_trait]
/// impl RetryPolicy for WaitForQuota {
///     async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
///         match attempt.failure().kind() {
///             FailureKind::RateLimited => Decision::retry().by(mcp_retry::Origin::Business),
///             _ => Decision::Abstain,
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait RetryPolicy: Send + Sync + fmt::Debug {
    /// What should be done about this attempt.
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision;

    /// The name that stands in the log (default: that of the type, without its path and parameters).
    fn name(&self) -> String {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }
}

#[async_trait]
impl<P: RetryPolicy + ?Sized> RetryPolicy for Arc<P> {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        (**self).decide(attempt).await
    }

    fn name(&self) -> String {
        (**self).name()
    }
}
