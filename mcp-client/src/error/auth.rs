//! Calls for which no credentials could be had.

use std::{error::Error, fmt};

use mcp_retry::{Delivery, FailureKind};

use super::{Challenge, Context};

/// The step of authorization that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuthStep {
    /// Finding the authorization server.
    Discovery,
    /// Registering the client.
    Registration,
    /// Asking the user, or receiving the answer.
    Authorization,
    /// Exchanging or refreshing a token.
    Token,
    /// The server refused the credentials that were sent.
    Refused,
}

/// No usable credentials could be had; the call itself was not sent, or was refused.
#[derive(Debug)]
pub struct AuthError {
    step: AuthStep,
    delivery: Delivery,
    status: Option<u16>,
    challenges: Vec<Challenge>,
    permanent: bool,
    source: Option<Box<dyn Error + Send + Sync>>,
    pub(crate) context: Context,
}

impl AuthError {
    /// A failure at a step before the call was sent, or (`AuthStep::Refused`) a refusal by the server.
    pub fn new(step: AuthStep) -> Self {
        let delivery = if step == AuthStep::Refused { Delivery::Refused } else { Delivery::NotSent };
        Self {
            step,
            delivery,
            status: None,
            challenges: Vec::new(),
            permanent: false,
            source: None,
            context: Context::default(),
        }
    }

    /// Adds the status and the challenges of the refusal.
    #[must_use]
    pub fn with_refusal(mut self, status: u16, challenges: Vec<Challenge>) -> Self {
        self.status = Some(status);
        self.challenges = challenges;
        self.delivery = Delivery::Refused;
        self
    }

    /// Adds what lies beneath.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Says that trying again is of no use before somebody does something.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.permanent = true;
        self
    }

    pub(crate) fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    pub(crate) fn failure_kind(&self) -> FailureKind {
        match self.step {
            AuthStep::Discovery | AuthStep::Token if self.permanent => FailureKind::Invalid,
            AuthStep::Discovery | AuthStep::Token => FailureKind::Unavailable,
            AuthStep::Registration | AuthStep::Authorization => FailureKind::Invalid,
            AuthStep::Refused => FailureKind::Repair,
        }
    }

    /// Which step failed.
    pub fn step(&self) -> AuthStep {
        self.step
    }
    /// Whether the call itself was sent and refused, or not sent at all.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }
    /// Whether trying again is of no use before somebody does something.
    pub fn is_permanent(&self) -> bool {
        self.permanent
    }
    /// The status of the refusal.
    pub fn status(&self) -> Option<u16> {
        self.status
    }
    /// The challenges of the refusal.
    pub fn challenges(&self) -> &[Challenge] {
        &self.challenges
    }
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.step {
            AuthStep::Discovery => "the authorization server could not be found",
            AuthStep::Registration => "the client could not be registered",
            AuthStep::Authorization => "the user's authorization could not be had",
            AuthStep::Token => "no token could be had",
            AuthStep::Refused => "the server refused the credentials",
        })
    }
}

impl Error for AuthError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
