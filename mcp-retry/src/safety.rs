//! May a call be sent again without doing its work twice? One pure function answers.

use crate::{Delivery, Evidence, Failure, FailureKind};

/// Whether sending the call again is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Safety {
    /// It cannot have run, or someone vouches for repeating it.
    Safe,
    /// It may have run, and nobody vouches for it.
    MayHaveRun,
    /// There is nothing to repeat: the caller gave up, or the server waits for input.
    Never,
}

impl Safety {
    /// Derives safety from what happened and from who vouches for the call.
    pub fn of(failure: &Failure<'_>, evidence: Evidence) -> Self {
        match (failure.kind(), failure.delivery()) {
            (FailureKind::Cancelled | FailureKind::InputRequired, _) => Self::Never,
            (_, Delivery::NotSent | Delivery::Refused) => Self::Safe,
            (_, Delivery::Unknown | Delivery::Answered) if evidence.repeat().is_safe() => Self::Safe,
            (_, Delivery::Unknown | Delivery::Answered) => Self::MayHaveRun,
        }
    }
}
