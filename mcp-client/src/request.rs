//! The request as it goes over the wire, written once into one buffer.

use http::HeaderMap;
use mcp_types::{RawJson, RequestId, meta};
use serde::Serialize;

use crate::{
    call::Spec,
    client::Client,
    continuation::State,
    error::{InvalidCall, InvalidKind},
    method::Answer,
    tool_book::KnownTool,
    trace_context::TraceContext,
    transport::Outgoing,
};

/// How many parameters are mirrored at most: header maps have room for little more than twice as many, and panic beyond it.
const MAX_MIRRORED: usize = 10_000;

/// Room for what every request has besides its own values.
const ROOM: usize = 192;

/// Builds the request of one attempt: the original call, and what the round was answered with.
pub(crate) fn build<M: Answer>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    id: RequestId,
    tool: Option<&KnownTool>,
    trace: Option<&TraceContext>,
) -> Result<Outgoing, InvalidCall> {
    let message = message::<M>(client, spec, state, &id, trace).map_err(|error| {
        InvalidCall::new(InvalidKind::Message, "the request cannot be put into JSON").with_source(error)
    })?;
    Ok(Outgoing {
        id,
        method: M::NAME,
        name: M::TARGET.map(|_| spec.target.clone()),
        protocol_version: client.protocol_version(),
        headers: headers(client, spec, tool)?,
        message: message.into(),
    })
}

/// The client's headers, those of the call, which win, and what the tool wants mirrored of this attempt's arguments.
fn headers(client: &Client, spec: &Spec, tool: Option<&KnownTool>) -> Result<HeaderMap, InvalidCall> {
    let mut headers = client.headers(spec);
    if let Some(Ok(params)) = tool.map(|tool| &tool.header_params) {
        if client.transport().carries_headers() {
            let mirrored = params.headers(spec.arguments.as_ref());
            if mirrored.len() > MAX_MIRRORED {
                let what = format!("the tool mirrors {} parameters to headers", mirrored.len());
                return Err(InvalidCall::new(InvalidKind::Message, what));
            }
            headers.extend(mirrored);
        }
    }
    Ok(headers)
}

/// The text of the request. The caller's own `_meta` entries can never replace those of the protocol: their keys are refused
/// when they are added.
fn message<M: Answer>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    id: &RequestId,
    trace: Option<&TraceContext>,
) -> serde_json::Result<Vec<u8>> {
    let protocol = client.protocol_meta(spec.kinds);
    let arguments = spec.arguments.as_ref().map_or(0, |arguments| arguments.get().len());
    let mut text = Text(Vec::with_capacity(ROOM + protocol.len() + spec.target.len() + arguments));
    text.push(r#"{"jsonrpc":"2.0","id":"#);
    text.value(id)?;
    text.push(r#","method":""#);
    text.push(M::NAME);
    text.push(r#"","params":{"_meta":{"#);
    text.push(&protocol);
    for (key, value) in &spec.meta {
        text.member(key, value)?;
    }
    for (key, value) in trace.into_iter().flat_map(TraceContext::entries) {
        text.key(key)?;
        text.value(value.as_ref())?;
    }
    if spec.listeners.wants_progress() {
        // The id is as unique as a token must be, and no state has to be kept of it.
        text.key(meta::key::PROGRESS_TOKEN)?;
        text.value(id)?;
    }
    if let Some(level) = &spec.listeners.log_level {
        text.key(meta::key::LOG_LEVEL)?;
        text.value(level)?;
    }
    text.push("}");
    if let Some(name) = M::TARGET {
        text.key(name)?;
        text.value(&*spec.target)?;
    }
    for (name, value) in &spec.others {
        text.member(name, value)?;
    }
    if let Some(arguments) = &spec.arguments {
        text.member("arguments", arguments)?;
    }
    if let Some(state) = state {
        for (at, (key, value)) in state.answers.iter().enumerate() {
            text.push(if at == 0 { r#","inputResponses":{"# } else { "," });
            text.value(key)?;
            text.push(":");
            text.push(value.get());
        }
        if !state.answers.is_empty() {
            text.push("}");
        }
        if let Some(state) = &state.round.state {
            text.key("requestState")?;
            text.value(state)?;
        }
    }
    text.push("}}");
    Ok(text.0)
}

/// JSON under way.
struct Text(Vec<u8>);

impl Text {
    /// Adds what is JSON already.
    fn push(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
        serde_json::to_writer(&mut self.0, value)
    }

    /// Begins another member of an object that has some.
    fn key(&mut self, key: &str) -> serde_json::Result<()> {
        self.push(",");
        self.value(key)?;
        self.push(":");
        Ok(())
    }

    fn member(&mut self, key: &str, value: &RawJson) -> serde_json::Result<()> {
        self.key(key)?;
        self.push(value.get());
        Ok(())
    }
}
