//! What came of it, whatever was asked for.

use mcp_client::{
    Answered, CallError, CallRecord, Continuation, ListFault, MultiRound, Outcome, OutcomeKind, ToolOutcome,
    ToolOutput,
    types::{
        InputRequests,
        method::{CallTool, Discover, GetPrompt, ReadResource},
    },
};

use super::lists::Lists;

/// How it ended.
pub(super) enum Said {
    Tool(ToolOutput),
    Read(Answered<ReadResource>),
    Prompt(Answered<GetPrompt>),
    Discovered(Answered<Discover>),
    Listed(Lists),
    Asked { requests: InputRequests, record: Box<CallRecord> },
    Failed(CallError),
}

/// The methods whose calls can need several rounds.
pub(super) trait Rounds: MultiRound {
    /// What is complete, or the call that waits for input.
    fn sort(outcome: Self::Outcome) -> Result<Said, Continuation<Self>>;
}

impl Rounds for CallTool {
    fn sort(outcome: ToolOutcome) -> Result<Said, Continuation> {
        match outcome {
            ToolOutcome::Success(output) | ToolOutcome::ToolError(output) => Ok(Said::Tool(output)),
            ToolOutcome::InputRequired(asked) => Err(asked),
        }
    }
}

impl Rounds for ReadResource {
    fn sort(outcome: Outcome<Self>) -> Result<Said, Continuation<Self>> {
        outcome.into_complete().map(Said::Read)
    }
}

impl Rounds for GetPrompt {
    fn sort(outcome: Outcome<Self>) -> Result<Said, Continuation<Self>> {
        outcome.into_complete().map(Said::Prompt)
    }
}

impl Said {
    pub(super) fn asked<M: Rounds>(asked: &Continuation<M>) -> Self {
        Self::Asked { requests: asked.requests().clone(), record: Box::new(asked.record().clone()) }
    }

    pub(super) fn record(&self) -> Option<&CallRecord> {
        match self {
            Self::Tool(output) => Some(output.record()),
            Self::Read(read) => Some(read.record()),
            Self::Prompt(prompt) => Some(prompt.record()),
            Self::Discovered(discovered) => Some(discovered.record()),
            Self::Asked { record, .. } => Some(record),
            Self::Failed(error) => error.record(),
            // Each page has its own.
            Self::Listed(_) => None,
        }
    }

    /// The exit code: a layer each.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Tool(output) => u8::from(output.is_error()),
            Self::Asked { .. } => 3,
            Self::Read(_) | Self::Prompt(_) | Self::Discovered(_) => 0,
            Self::Listed(lists) => match lists.fault() {
                None => 0,
                Some(ListFault::Call(error)) => of_error(error),
                // A list that goes in circles is no valid answer.
                Some(_) => 6,
            },
            Self::Failed(error) => of_error(error),
        }
    }
}

fn of_error(error: &CallError) -> u8 {
    match error {
        CallError::Invalid(_) => 2,
        CallError::Http(_) => 4,
        CallError::JsonRpc(_) => 5,
        CallError::Protocol(_) => 6,
        CallError::Auth(_) => 8,
        error if error.outcome() == OutcomeKind::Cancelled => 9,
        _ => 7,
    }
}
