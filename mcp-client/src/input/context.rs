//! What a handler is told besides the question.

use std::{fmt, sync::Arc, time::Instant};

use mcp_types::RawJson;

use crate::{cancel::CancelHandle, continuation::State};

/// Who asks, during which call. A clone is cheap.
#[derive(Clone)]
pub struct InputContext {
    round: Arc<Round>,
    key: Arc<str>,
}

/// What all requests of a round have in common.
struct Round {
    server: String,
    server_name: Option<String>,
    method: &'static str,
    target: Arc<str>,
    arguments: Option<RawJson>,
    number: u32,
    deadline: Option<Instant>,
    stop: CancelHandle,
}

impl InputContext {
    pub(super) fn new(state: &State, deadline: Option<Instant>, stop: &CancelHandle) -> Self {
        let round = Round {
            server: state.client.identity().to_owned(),
            server_name: state.round.server_name.clone(),
            method: state.spec.method,
            target: Arc::clone(&state.spec.target),
            arguments: state.spec.arguments.clone(),
            number: state.rounds,
            deadline,
            stop: stop.clone(),
        };
        Self { round: Arc::new(round), key: "".into() }
    }

    pub(super) fn of_request(&self, key: &str) -> Self {
        Self { round: Arc::clone(&self.round), key: key.into() }
    }

    /// The server that asks: the identity of the transport, its URL for HTTP.
    pub fn server(&self) -> &str {
        &self.round.server
    }

    /// How the server names itself, where it says so with the request: untrusted text.
    pub fn server_name(&self) -> Option<&str> {
        self.round.server_name.as_deref()
    }

    /// The method of the call: `tools/call`, `resources/read` or `prompts/get`.
    pub fn method(&self) -> &str {
        self.round.method
    }

    /// The name of the tool or prompt, or the URI, of the call.
    pub fn target(&self) -> &str {
        &self.round.target
    }

    /// The arguments of the call.
    pub fn arguments(&self) -> Option<&RawJson> {
        self.round.arguments.as_ref()
    }

    /// The key of the request, as the server chose it.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How many times input was asked for in this call, this one included: 1, 2, …
    pub fn round(&self) -> u32 {
        self.round.number
    }

    /// When the answer must be there, if there is a limit ([`Drive::input_timeout`](super::Drive::input_timeout)).
    pub fn deadline(&self) -> Option<Instant> {
        self.round.deadline
    }

    /// Is used when nobody waits for the answer any more: the call was dropped or cancelled, time ran out, or another request
    /// of the round stopped it. The handler's future is dropped then; this is for what it has set going elsewhere, such as a
    /// thread that reads from a terminal. It is another one for each round.
    pub fn cancellation(&self) -> &CancelHandle {
        &self.round.stop
    }
}

impl fmt::Debug for InputContext {
    /// The arguments are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputContext")
            .field("server", &self.round.server)
            .field("method", &self.round.method)
            .field("target", &self.round.target)
            .field("key", &self.key)
            .field("round", &self.round.number)
            .finish_non_exhaustive()
    }
}
