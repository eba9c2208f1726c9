//! The request as it goes over the wire, written once into one buffer.

use http::HeaderMap;
use mcp_types::{RawJson, RawMap, RequestId, RequestState};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    call::Spec,
    client::Client,
    continuation::{MultiRound, State},
    error::{InvalidCall, InvalidKind},
    transport::Outgoing,
};

/// Builds the request of one attempt: the original call, and what the round was answered with.
pub(crate) fn build<M: MultiRound>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    id: RequestId,
) -> Result<Outgoing, InvalidCall> {
    let protocol = client.protocol_meta(spec.kinds);
    let request = Request {
        jsonrpc: "2.0",
        id: &id,
        method: M::NAME,
        params: Params {
            meta: Meta { protocol: &protocol, own: &spec.meta },
            target: (M::TARGET, &spec.target),
            arguments: spec.arguments.as_ref(),
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
        name: Some(spec.target.clone()),
        protocol_version: client.protocol_version(),
        headers: headers(client, spec),
        message: message.into(),
    })
}

/// The client's headers, and those of the call, which win.
fn headers(client: &Client, spec: &Spec) -> HeaderMap {
    let mut headers = client.config().headers.clone();
    for (name, value) in &spec.headers {
        headers.insert(name, value.clone());
    }
    headers
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
    target: (&'static str, &'a str),
    arguments: Option<&'a RawJson>,
    input_responses: Option<&'a [(String, RawJson)]>,
    request_state: Option<&'a RequestState>,
}

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("_meta", &self.meta)?;
        map.serialize_entry(self.target.0, self.target.1)?;
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
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.protocol.iter().chain(self.own.iter()))
    }
}
