//! The policies that come with the crate.

use async_trait::async_trait;

use super::RetryPolicy;
use crate::{Attempt, Decision, Delivery, FailureKind};

/// Asks for repetition where a second try can help: what was out of reach, rate limited or timed out, and a 5xx of which
/// nobody knows whether it ran. It says nothing about the rest.
///
/// Whether repeating is *safe* is not its business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standard;

#[async_trait]
impl RetryPolicy for Standard {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        let failure = attempt.failure();
        match (failure.kind(), failure.delivery()) {
            (FailureKind::Unavailable | FailureKind::RateLimited | FailureKind::Timeout, _)
            // Refused: the application says that its gateway refuses with this 5xx.
            | (FailureKind::ServerFault, Delivery::Unknown | Delivery::Refused) => Decision::retry(),
            _ => Decision::Abstain,
        }
    }
}

/// Says stop, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeverRetry;

#[async_trait]
impl RetryPolicy for NeverRetry {
    async fn decide(&self, _: &Attempt<'_>) -> Decision {
        Decision::stop("retries are switched off")
    }
}
