//! How calls are repeated: policy, backoff, budget and limits in one value.

use std::{sync::Arc, time::Duration};

use crate::{
    AttemptRecord, Backoff, Budget, Call, Delivery, Exponential, Failure, NeverRetry, RetryPolicy, Rules,
    Standard, Tokens,
};

/// The default of [`RetryBuilder::max_attempts`]: 3, that is at most 2 repetitions.
pub const DEFAULT_MAX_ATTEMPTS: u32 = 3;
/// No call has more attempts than this, whatever is set: 10.
pub const MAX_ATTEMPTS_CEILING: u32 = 10;
/// The default of [`RetryBuilder::max_server_delay`]: 30 s.
pub const DEFAULT_MAX_SERVER_DELAY: Duration = Duration::from_secs(30);

/// Is told of each attempt as it ends, before the next one is made.
///
/// It is called on the task of the call, so it must be quick. A panic in it is caught and ignored.
pub trait AttemptObserver: Send + Sync + std::fmt::Debug {
    /// An attempt of a call has ended.
    fn attempt_ended(&self, call: &Call<'_>, attempt: &AttemptRecord);
}

/// How calls are repeated. Cheap to clone; clones share the budget.
///
/// # Examples
///
/// ```
/// use std::{sync::Arc, time::Duration};
///
/// use mcp_retry::{Decision, FailureKind, Origin, Retry, RetryPolicyExt, Standard, Tokens, policy_fn};
///
/// // A tool's own error is worth a second try in this application, with everything else as usual.
/// let tool_errors = policy_fn("tool errors", |attempt| match attempt.failure().kind() {
///     FailureKind::ToolError => Decision::retry().by(Origin::Business).after(Duration::from_secs(1)),
///     _ => Decision::Abstain,
/// });
/// // All clients of a server pay from one budget.
/// let budget = Arc::new(Tokens::new(20));
/// let retry = Retry::builder().policy(tool_errors.or_else(Standard)).budget(budget).max_attempts(5).build();
/// assert_eq!(retry.max_attempts(), 5);
/// ```
#[derive(Clone, Debug)]
pub struct Retry {
    pub(crate) policy: Arc<dyn RetryPolicy>,
    pub(crate) backoff: Arc<dyn Backoff>,
    pub(crate) budget: Option<Arc<dyn Budget>>,
    pub(crate) observer: Option<Arc<dyn AttemptObserver>>,
    pub(crate) rules: Rules,
    pub(crate) seed: Option<u64>,
    refused_statuses: Arc<[u16]>,
}

impl Default for Retry {
    fn default() -> Self {
        Self::standard()
    }
}

impl Retry {
    /// The [`Standard`] policy with exponential backoff, 3 attempts, and a budget of 10 tokens of its own.
    pub fn standard() -> Self {
        Self::builder().build()
    }

    /// Each call is made once.
    pub fn never() -> Self {
        Self::builder().policy(NeverRetry).max_attempts(1).without_budget().build()
    }

    /// A builder with the settings of [`standard`](Self::standard).
    pub fn builder() -> RetryBuilder {
        RetryBuilder {
            policy: Arc::new(Standard),
            backoff: Arc::new(Exponential::default()),
            budget: Some(Arc::new(Tokens::default())),
            observer: None,
            max_attempts: DEFAULT_MAX_ATTEMPTS,
            max_server_delay: DEFAULT_MAX_SERVER_DELAY,
            seed: None,
            refused_statuses: Vec::new(),
        }
    }

    /// How many attempts a call has.
    pub fn max_attempts(&self) -> u32 {
        self.rules.max_attempts
    }

    /// The failure as this configuration sees it: a status of which the application knows that its gateway refuses with it
    /// did not run. An answer in JSON-RPC came from the server itself, so it stays one.
    pub(crate) fn see<'a>(&self, failure: Failure<'a>) -> Failure<'a> {
        match failure.status() {
            Some(status)
                if failure.is_by_status()
                    && failure.delivery() == Delivery::Unknown
                    && self.refused_statuses.contains(&status) =>
            {
                failure.with_delivery(Delivery::Refused)
            }
            _ => failure,
        }
    }
}

/// Builds a [`Retry`].
#[derive(Debug)]
#[must_use = "a builder does nothing until `build()` is called"]
pub struct RetryBuilder {
    policy: Arc<dyn RetryPolicy>,
    backoff: Arc<dyn Backoff>,
    budget: Option<Arc<dyn Budget>>,
    observer: Option<Arc<dyn AttemptObserver>>,
    max_attempts: u32,
    max_server_delay: Duration,
    seed: Option<u64>,
    refused_statuses: Vec<u16>,
}

impl RetryBuilder {
    /// Who is asked (default: [`Standard`]).
    pub fn policy(mut self, policy: impl RetryPolicy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// How long to wait (default: [`Exponential`] from 200 ms up to 8 s).
    pub fn backoff(mut self, backoff: impl Backoff + 'static) -> Self {
        self.backoff = Arc::new(backoff);
        self
    }

    /// What repetitions are paid from; share one by `Arc` among the clients of a server (default: [`Tokens`], 10 of them).
    pub fn budget(mut self, budget: impl Budget + 'static) -> Self {
        self.budget = Some(Arc::new(budget));
        self
    }

    /// Repetitions cost nothing.
    pub fn without_budget(mut self) -> Self {
        self.budget = None;
        self
    }

    /// Is told of each attempt as it ends.
    pub fn observer(mut self, observer: impl AttemptObserver + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// How many attempts a call has, the first included (default: 3; 0 counts as 1, and more than 10 as 10).
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// The longest `Retry-After` that is waited for (default: 30 s). A longer one ends the call at once.
    pub fn max_server_delay(mut self, delay: Duration) -> Self {
        self.max_server_delay = delay;
        self
    }

    /// Fixes the randomness of the waits: each call with the same seed waits the same (default: another one for each call).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Statuses with which the application's own gateway refuses requests before they run, such as its 503 (default: none).
    ///
    /// A JSON-RPC error in the body still counts as the server's own answer.
    pub fn refused_statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.refused_statuses = statuses.into_iter().collect();
        self
    }

    /// Builds the configuration.
    pub fn build(self) -> Retry {
        Retry {
            policy: self.policy,
            backoff: self.backoff,
            budget: self.budget,
            observer: self.observer,
            rules: Rules {
                max_attempts: self.max_attempts.clamp(1, MAX_ATTEMPTS_CEILING),
                max_server_delay: self.max_server_delay,
            },
            seed: self.seed,
            refused_statuses: self.refused_statuses.into(),
        }
    }
}
