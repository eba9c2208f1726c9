//! The methods whose calls can need input, and what such a call ends in.

use std::sync::Arc;

use mcp_types::{
    Method,
    method::{CallTool, GetPrompt, ReadResource},
};

use super::Continuation;
use crate::{
    answered::{Answered, Outcome},
    method::Answer,
    outcome::{ToolOutcome, ToolOutput},
    record::CallRecord,
    tool_book::KnownTool,
};

/// A method whose answer may be a request for input. Sealed: the protocol names them.
pub trait MultiRound: Method + Answer + Sized + 'static {
    /// What the call ends in.
    type Outcome: Send;

    #[doc(hidden)]
    fn complete(result: Self::Result, record: Box<CallRecord>, tool: Option<Arc<KnownTool>>)
    -> Self::Outcome;

    #[doc(hidden)]
    fn input_required(asked: Continuation<Self>) -> Self::Outcome;
}

impl MultiRound for CallTool {
    type Outcome = ToolOutcome;

    fn complete(result: Self::Result, record: Box<CallRecord>, tool: Option<Arc<KnownTool>>) -> ToolOutcome {
        let output = ToolOutput::new(result, record).of_tool(tool);
        if output.is_error() { ToolOutcome::ToolError(output) } else { ToolOutcome::Success(output) }
    }

    fn input_required(asked: Continuation<Self>) -> ToolOutcome {
        ToolOutcome::InputRequired(asked)
    }
}

/// Methods without an error of their own in the result.
macro_rules! complete_or_input {
    ($($Marker:ty),*) => { $(
        impl MultiRound for $Marker {
            type Outcome = Outcome<$Marker>;

            fn complete(
                result: Self::Result,
                record: Box<CallRecord>,
                _: Option<Arc<KnownTool>>,
            ) -> Self::Outcome {
                Outcome::Complete(Answered::new(result, record))
            }

            fn input_required(asked: Continuation<Self>) -> Self::Outcome {
                Outcome::InputRequired(asked)
            }
        }
    )* };
}

complete_or_input!(ReadResource, GetPrompt);
