//! The request as it goes over the wire, written once into one buffer.

use http::HeaderMap;
use mcp_types::{LoggingLevel, RawJson, RawMap, RequestId, RequestState, meta};
use serde::{Serialize, Serializer, ser::SerializeMap};

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

/// Builds the request of one attempt: the original call, and what the round was answered with.
pub(crate) fn build<M: Answer>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    id: RequestId,
    tool: Option<&KnownTool>,
    trace: Option<&TraceContext>,
) -> Result<Outgoing, InvalidCall> {
    let protocol = client.protocol_meta(spec.kinds);
    let request = Request {
        jsonrpc: "2.0",
        id: &id,
        method: M::NAME,
        params: Params {
            meta: Meta {
                protocol: &protocol,
                own: &spec.meta,
                trace,
                // The id is as unique as a token must be, and no state has to be kept of it.
                progress_token: spec.listeners.wants_progress().then_some(&id),
                log_level: spec.listeners.log_level.as_ref(),
            },
            target: M::TARGET.map(|name| (name, &*spec.target)),
            arguments: spec.arguments.as_ref(),
            others: &spec.others,
            input_responses: state
                .map(|state| state.answers.as_slice())
                .filter(|answers| !answers.is_empty()),
            request_state: state.and_then(|state| state.round.state.as_ref()),
        },
    };
    let arguments = spec.arguments.as_ref().map_or(0, |arguments| arguments.get().len());
    let mut message = Vec::with_capacity(512 + arguments);
    serde_json::to_writer(&mut message, &request).map_err(|error| {
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

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    method: &'static str,
    params: Params<'a>,
}

struct Params<'a> {
    meta: Meta<'a>,
    target: Option<(&'static str, &'a str)>,
    arguments: Option<&'a RawJson>,
    others: &'a [(&'static str, RawJson)],
    input_responses: Option<&'a [(String, RawJson)]>,
    request_state: Option<&'a RequestState>,
}

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("_meta", &self.meta)?;
        if let Some((name, target)) = self.target {
            map.serialize_entry(name, target)?;
        }
        for (name, value) in self.others {
            map.serialize_entry(name, value)?;
        }
        if let Some(arguments) = self.arguments {
            map.serialize_entry("arguments", arguments)?;
        }
        if let Some(responses) = self.input_responses {
            map.serialize_entry("inputResponses", &Entries(responses))?;
        }
        if let Some(state) = self.request_state {
            map.serialize_entry("requestState", state)?;
        }
        map.end()
    }
}

struct Entries<'a>(&'a [(String, RawJson)]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The caller's own entries can never replace those of the protocol: their keys are refused when they are added.
struct Meta<'a> {
    protocol: &'a RawMap,
    own: &'a RawMap,
    trace: Option<&'a TraceContext>,
    progress_token: Option<&'a RequestId>,
    log_level: Option<&'a LoggingLevel>,
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.protocol.iter().chain(self.own.iter()) {
            map.serialize_entry(key, value)?;
        }
        for (key, value) in self.trace.into_iter().flat_map(TraceContext::entries) {
            map.serialize_entry(key, &value)?;
        }
        if let Some(token) = self.progress_token {
            map.serialize_entry(meta::key::PROGRESS_TOKEN, token)?;
        }
        if let Some(level) = self.log_level {
            map.serialize_entry(meta::key::LOG_LEVEL, level)?;
        }
        map.end()
    }
}
