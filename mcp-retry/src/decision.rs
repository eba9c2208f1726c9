//! What a policy may say about a failed attempt.

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};

/// On whose behalf an attempt is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Nothing was repeated.
    #[default]
    None,
    /// The library, by its rules.
    Sdk,
    /// The application's own rules.
    Business,
    /// A person pressed "try again".
    User,
}

impl Origin {
    /// The name as it stands in records: `none`, `sdk`, `business`, `user`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sdk => "sdk",
            Self::Business => "business",
            Self::User => "user",
        }
    }
}

/// A policy's opinion. It is heard, and the rules of safety still hold after it.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_retry::{Decision, Origin};
///
/// let decision = Decision::retry().after(Duration::from_secs(2)).by(Origin::Business);
/// let Decision::Retry(plan) = decision else { unreachable!() };
/// assert_eq!((plan.delay(), plan.origin()), (Some(Duration::from_secs(2)), Origin::Business));
/// assert_eq!(plan.accepts_duplicates(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// No opinion: ask the next policy.
    Abstain,
    /// Send the call again, as the plan says, where that is safe.
    Retry(Plan),
    /// Do not send it again, for this reason.
    Stop(Cow<'static, str>),
}

impl Decision {
    /// "Send it again", by the library's backoff and on the library's behalf.
    pub fn retry() -> Self {
        Self::Retry(Plan::default())
    }

    /// "Do not send it again", for a reason that goes into the log.
    pub fn stop(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Stop(why.into())
    }

    /// Sets the delay before the next attempt instead of the backoff's. `Retry-After` still wins over it.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        self.map(|plan| plan.delay = Some(delay))
    }

    /// Sets on whose behalf the call is repeated (default: [`Origin::Sdk`]).
    #[must_use]
    pub fn by(self, origin: Origin) -> Self {
        self.map(|plan| plan.origin = origin)
    }

    /// Accepts that the work may be done twice. The one way past the safety gate; the reason goes into the log.
    #[must_use]
    pub fn accepting_duplicates(self, why: impl Into<Cow<'static, str>>) -> Self {
        let why = why.into();
        self.map(|plan| plan.accepting_duplicates = Some(why))
    }

    fn map(mut self, change: impl FnOnce(&mut Plan)) -> Self {
        if let Self::Retry(plan) = &mut self {
            change(plan);
        }
        self
    }
}

/// How a policy wants a call to be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(crate) delay: Option<Duration>,
    pub(crate) origin: Origin,
    pub(crate) accepting_duplicates: Option<Cow<'static, str>>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { delay: None, origin: Origin::Sdk, accepting_duplicates: None }
    }
}

impl Plan {
    /// The delay that the policy asks for; `None` leaves it to the backoff.
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }
    /// On whose behalf the call is repeated.
    pub fn origin(&self) -> Origin {
        self.origin
    }
    /// Why a second execution is acceptable, if the policy says so.
    pub fn accepts_duplicates(&self) -> Option<&str> {
        self.accepting_duplicates.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_retry_carries_a_plan() {
        let decision = Decision::retry()
            .after(Duration::from_secs(2))
            .by(Origin::Business)
            .accepting_duplicates("ledger dedups");
        let Decision::Retry(plan) = decision else { panic!("a retry") };
        assert_eq!(plan.delay(), Some(Duration::from_secs(2)));
        assert_eq!(plan.origin(), Origin::Business);
        assert_eq!(plan.accepts_duplicates(), Some("ledger dedups"));
        assert_eq!(Decision::stop("no").after(Duration::ZERO), Decision::Stop("no".into()));
    }
}
