//! What every error carries besides its own facts.

use std::fmt;

use mcp_retry::Delivery;

use crate::{continuation::State, record::CallRecord};

/// The record of the call, and the continuation whose resumption failed.
#[derive(Default)]
pub(crate) struct Context {
    pub(crate) record: Option<Box<CallRecord>>,
    pub(crate) continuation: Option<Box<State>>,
    /// What became of the attempts.
    pub(crate) fates: Fates,
}

/// What became of the attempts of a call: an earlier one may have run, whatever became of the last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fates {
    /// One of them may have run.
    pub(crate) may_have_run: bool,
    /// The fate of one of them is unknown.
    pub(crate) unknown: bool,
    /// The HTTP status of the last one, where its head came.
    pub(crate) last_status: Option<u16>,
}

impl Fates {
    pub(crate) fn add(&mut self, delivery: Delivery, status: Option<u16>) {
        self.may_have_run |= delivery.may_have_run();
        self.unknown |= delivery == Delivery::Unknown;
        self.last_status = status;
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("record", &self.record)
            .field("continuation", &self.continuation.is_some())
            .finish_non_exhaustive()
    }
}
