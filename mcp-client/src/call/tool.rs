//! `tools/call`, as the caller writes it.

use std::{fmt, time::Duration};

use mcp_retry::{AttemptLog, IdempotencyKey, Origin, Repeat, Retry};
use mcp_types::{RawJson, Tool, method::CallTool};
use serde::{Serialize, de::DeserializeOwned};

use super::{Spec, key, refuse, run};
use crate::{
    client::Client,
    continuation::{Continuation, MultiRound},
    decode::Decoded,
    error::{CallError, InvalidCall, InvalidKind},
    headers,
    input_kinds::InputKinds,
    outcome::{NotSuccess, ToolOutcome, ToolOutput},
};

/// A call of a tool that has not been sent yet: see [`Client::call_tool`].
#[must_use = "a call does nothing until it is sent with `send().await`"]
pub struct CallToolBuilder {
    client: Client,
    spec: Spec,
    /// Put into its place when the call is sent, once for all attempts.
    key: Option<IdempotencyKey>,
    /// The first thing that was wrong; told when the call is sent, and nothing is sent then.
    refusal: Option<InvalidCall>,
}

impl CallToolBuilder {
    pub(crate) fn new(client: Client, name: String) -> Self {
        Self { client, spec: Spec::new::<CallTool>(name), key: None, refusal: None }
    }

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

    /// How long the whole call may take, its repetitions and repairs included (default: the client's, 60 s).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }

    /// How long one attempt may take (default: as long as the call).
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.spec.attempt_timeout = Some(timeout);
        self
    }

    /// The input requests that can be answered during this call, instead of the client's.
    pub fn accept_input(mut self, kinds: InputKinds) -> Self {
        self.spec.kinds = Some(kinds);
        self
    }

    /// Adds an entry to the `_meta` of the request. Keys of the protocol are refused when the call is sent.
    pub fn meta(mut self, key: &str, value: impl Serialize) -> Self {
        match headers::meta_entry(key, &value) {
            Ok(value) => {
                self.spec.meta.insert(key, value);
            }
            Err(refusal) => self.refuse(refusal),
        }
        self
    }

    /// Adds an HTTP header to the request. Headers that the client owns are refused when the call is sent.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match headers::user_header(name, value) {
            Ok((name, value)) => {
                self.spec.headers.insert(name, value);
            }
            Err(refusal) => self.refuse(refusal),
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

    /// How this call is repeated, instead of the client's way.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.spec.retry = Some(retry);
        self
    }

    /// The definition of the tool, where the caller has it: its annotations are evidence where the client
    /// [trusts](crate::ClientBuilder::trust) the server. That of another tool makes [`send`](Self::send) fail before the wire.
    pub fn tool(mut self, tool: &Tool) -> Self {
        if tool.name != *self.spec.target {
            self.refuse(InvalidCall::new(InvalidKind::Tool, "the definition is that of another tool"));
        }
        self.spec.annotations.clone_from(&tool.annotations);
        self
    }

    /// Continues the attempts of an earlier call on somebody's behalf: a person pressed "try again".
    pub fn continues(mut self, log: AttemptLog, origin: Origin) -> Self {
        self.spec.continues = Some((log, origin));
        self
    }

    /// Labels the record of the call.
    pub fn scenario(mut self, label: impl Into<String>) -> Self {
        self.spec.scenario = Some(label.into());
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
        let Self { client, mut spec, key, refusal } = self;
        let placed = key.map_or(Ok(()), |key| key::place(&mut spec, &key));
        if let Some(refusal) = refusal.or(placed.err()) {
            return Err(refuse(&client, &spec, refusal));
        }
        let (decoded, record) = run::<CallTool>(&client, &spec, None).await?;
        // Continued now; the rounds that may follow do not do it again.
        spec.continues = None;
        Ok(match decoded {
            Decoded::Complete(result) => CallTool::complete(result, record),
            Decoded::InputRequired(asked) => {
                CallTool::input_required(Continuation::asked(client, spec, asked, record, 1))
            }
        })
    }

    /// Sends the call and reads the structured content of its success as a type of yours.
    ///
    /// # Errors
    ///
    /// [`NotSuccess`]: the call failed, the tool reports an error, input is needed, or the structured content does not
    /// fit the type (the work was done then, and the whole output is kept).
    ///
    /// # Cancel safety
    ///
    /// As of [`send`](Self::send).
    pub async fn send_typed<T: DeserializeOwned>(self) -> Result<T, NotSuccess> {
        let output: ToolOutput = self.send().await?.into_success()?;
        match output.structured() {
            Ok(value) => Ok(value),
            Err(error) => Err(NotSuccess::Mismatch(output, error)),
        }
    }

    fn refuse(&mut self, refusal: InvalidCall) {
        self.refusal.get_or_insert(refusal);
    }
}

impl fmt::Debug for CallToolBuilder {
    /// Arguments, `_meta` and headers are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallToolBuilder").field("tool", &self.spec.target).finish_non_exhaustive()
    }
}
