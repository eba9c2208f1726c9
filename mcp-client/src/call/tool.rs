//! A call of a tool: what can be set for it besides what every request has.

use std::sync::Arc;

use mcp_retry::{IdempotencyKey, Repeat};
use mcp_types::{RawJson, Tool, method::CallTool};
use serde::{Serialize, de::DeserializeOwned};

use super::RequestBuilder;
#[cfg(doc)]
use crate::Client;
use crate::{
    decode::Wanted,
    error::{CallError, InvalidCall, InvalidKind},
    outcome::{NotSuccess, ToolOutcome, ToolOutput},
    tool_book::KnownTool,
};

impl RequestBuilder<CallTool> {
    /// The arguments: anything that serialises to a JSON object. Without this the call has none.
    ///
    /// What is no object, or cannot be serialised, makes [`send`](Self::send) fail before the wire.
    pub fn arguments(mut self, arguments: impl Serialize) -> Self {
        match RawJson::from_serialize(&arguments) {
            Ok(arguments) if arguments.is_object() => self.spec.arguments = Some(arguments),
            Ok(_) => {
                self.refuse(InvalidCall::new(InvalidKind::Arguments, "the arguments are not a JSON object"));
            }
            Err(error) => self.refuse(
                InvalidCall::new(InvalidKind::Arguments, "the arguments cannot be put into JSON")
                    .with_source(error),
            ),
        }
        self
    }

    /// Vouches for the call: running it twice has the effect of running it once.
    pub fn idempotent(mut self) -> Self {
        self.spec.repeat = Some(Repeat::Idempotent);
        self
    }

    /// Says that running the call twice does its work twice, whatever others say of the tool.
    pub fn not_idempotent(mut self) -> Self {
        self.spec.repeat = Some(Repeat::Unsafe);
        self
    }

    /// Sends an idempotency key with the call, the same on every attempt, by which the server recognises a repetition.
    ///
    /// A place that is taken, or cannot be, makes [`send`](Self::send) fail before the wire. Where the caller says
    /// [`not_idempotent`](Self::not_idempotent) too, that holds, and the key is only sent.
    pub fn idempotency_key(mut self, key: IdempotencyKey) -> Self {
        if self.spec.repeat != Some(Repeat::Unsafe) {
            self.spec.repeat = Some(Repeat::Keyed);
        }
        self.key = Some(key);
        self
    }

    /// The definition of the tool, where the caller has it, from a list of an earlier day or from a file: its parameters are
    /// mirrored to headers as it says, its output schema holds, and its annotations are evidence where the client
    /// [trusts](crate::ClientBuilder::trust) the server. That of another tool makes [`send`](Self::send) fail before the wire.
    ///
    /// Without it the client knows the tools that it [listed](Client::list_tools) or
    /// [learnt](Client::learn_tools).
    pub fn tool(mut self, tool: &Tool) -> Self {
        if tool.name != *self.spec.target {
            self.refuse(InvalidCall::new(InvalidKind::Tool, "the definition is that of another tool"));
        }
        self.spec.tool = Some(Arc::new(KnownTool::of(tool)));
        self
    }

    /// Sends the call and waits for its one answer.
    ///
    /// # Errors
    ///
    /// [`CallError`], one variant a layer. A tool's own error is no `Err`: it is [`ToolOutcome::ToolError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request by closing its stream. It may have run then.
    pub async fn send(self) -> Result<ToolOutcome, CallError> {
        self.send_round().await
    }

    /// Sends the call and reads the structured content of its success as a type of yours, in the one pass over the answer's bytes.
    ///
    /// That is why it must be `Send`: [`ToolOutput::structured`] reads types that are not.
    ///
    /// # Errors
    ///
    /// [`NotSuccess`]: the call failed, the tool reports an error, input is needed, or the structured content does not
    /// fit the type or, with the feature `schema`, the tool's own output schema where that is known (the work was done then, and
    /// the whole output is kept).
    ///
    /// # Cancel safety
    ///
    /// As of [`send`](Self::send).
    pub async fn send_typed<T: DeserializeOwned + Send + 'static>(mut self) -> Result<T, NotSuccess> {
        let wanted = Arc::new(Wanted::new());
        self.spec.want = Some(wanted.clone());
        let outcome = self.send().await?;
        if let Some(value) = wanted.take() {
            return Ok(value);
        }
        let output: ToolOutput = outcome.into_success()?;
        #[cfg(feature = "schema")]
        if let Err(error) = output.conforms() {
            return Err(NotSuccess::Mismatch(output, error));
        }
        match output.structured() {
            Ok(value) => Ok(value),
            Err(error) => Err(NotSuccess::Mismatch(output, error)),
        }
    }
}
