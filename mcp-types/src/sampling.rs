//! Sampling: a server asks the client's language model. Deprecated in 2026-07-28.

mod content;
mod request;

pub use content::*;
pub use request::*;

use crate::open_enum::open_enum;
use crate::open_struct::open_struct;
use crate::{Meta, Role};

open_enum! {
    /// Why a language model stopped. Any string is accepted.
    pub enum StopReason {
        /// It was done.
        EndTurn = "endTurn",
        /// It came to a stop sequence.
        StopSequence = "stopSequence",
        /// It came to the limit of tokens.
        MaxTokens = "maxTokens",
        /// It wants to use a tool.
        ToolUse = "toolUse",
    }
}

open_struct! {
    /// What the language model said. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CreateMessageResult {
        /// Who speaks.
        required "role" => role: Role;
        /// What is said.
        required "content" => content: SamplingContent;
        /// The name of the model that was used.
        required "model" => model: String;
        /// Why it stopped, if that is known.
        hint "stopReason" => stop_reason: StopReason;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

impl CreateMessageResult {
    /// A text that the model wrote.
    pub fn text(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, SamplingContentBlock::text(text), model)
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn with_stop_reason(mut self, reason: StopReason) -> Self {
        self.stop_reason = Some(reason);
        self
    }
}

#[cfg(test)]
mod tests;
