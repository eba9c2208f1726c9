//! The methods that a server may answer with a request for input.

use mcp_types::{ContentBlock, Method, ResultType, method::CallTool};

use super::Continuation;
use crate::{
    decode::{self, Expect, Members, Notes},
    error::ProtocolFault,
    outcome::{ToolOutcome, ToolOutput},
    record::{CallRecord, OutcomeKind},
};

/// A method whose answer may be a request for input. Sealed: the protocol names them.
pub trait MultiRound: Method + Answer + Sized + 'static {
    /// What the call ends in.
    type Outcome: Send;

    #[doc(hidden)]
    fn complete(result: Self::Result, record: Box<CallRecord>) -> Self::Outcome;

    #[doc(hidden)]
    fn input_required(asked: Continuation<Self>) -> Self::Outcome;
}

/// How the client decodes and records a complete result. Public in name only, to seal [`MultiRound`].
pub trait Answer: Method {
    /// The parameter that names what is called, and that `Mcp-Name` repeats.
    const TARGET: &'static str;

    fn decode(
        members: &Members<'_>,
        result_type: Option<ResultType>,
        expect: Expect,
        notes: &mut Notes,
    ) -> Result<Self::Result, ProtocolFault>;

    fn outcome(result: &Self::Result) -> OutcomeKind;

    /// What the result says in words, for policies that read a tool's own error.
    fn message(result: &Self::Result) -> Option<&str>;
}

impl Answer for CallTool {
    const TARGET: &'static str = "name";

    fn decode(
        members: &Members<'_>,
        result_type: Option<ResultType>,
        expect: Expect,
        notes: &mut Notes,
    ) -> Result<Self::Result, ProtocolFault> {
        decode::call_tool(members, result_type, expect, notes)
    }

    fn outcome(result: &Self::Result) -> OutcomeKind {
        if result.is_error() { OutcomeKind::ToolError } else { OutcomeKind::ToolSuccess }
    }

    fn message(result: &Self::Result) -> Option<&str> {
        result.content.iter().find_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
    }
}

impl MultiRound for CallTool {
    type Outcome = ToolOutcome;

    fn complete(result: Self::Result, record: Box<CallRecord>) -> ToolOutcome {
        let output = ToolOutput::new(result, record);
        if output.is_error() { ToolOutcome::ToolError(output) } else { ToolOutcome::Success(output) }
    }

    fn input_required(asked: Continuation<Self>) -> ToolOutcome {
        ToolOutcome::InputRequired(asked)
    }
}
