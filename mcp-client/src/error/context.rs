//! What every error carries besides its own facts.

use std::fmt;

use crate::{continuation::State, record::CallRecord};

/// The record of the call, and the continuation whose resumption failed.
#[derive(Default)]
pub(crate) struct Context {
    pub(crate) record: Option<Box<CallRecord>>,
    pub(crate) continuation: Option<Box<State>>,
    /// Whether an attempt of the call may have run, be it an earlier one than the one that failed so.
    pub(crate) may_have_run: bool,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("record", &self.record)
            .field("continuation", &self.continuation.is_some())
            .finish_non_exhaustive()
    }
}
