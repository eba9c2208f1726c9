//! What the client mends by itself: a version or headers that a server refused. Once each, and only what was refused.

mod given_up;
mod headers;
mod limits;
mod stampede;
mod version;

use std::sync::Arc;

use mcp_client::{
    CallRecord, async_trait,
    error::TransportError,
    transport::{Exchange, ExchangeContext, MemoryTransport, Outgoing, Transport},
    types::Tool,
};
use mcp_tests::{FaultServer, RawRequest, Reply};
use serde_json::{Value, json};

/// What a server says that speaks only other versions than the one it was asked in.
const LEGACY: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// What the conformance suite says: the version is the one that was just refused.
const MODERN: [&str; 1] = ["2026-07-28"];

const VERSION_NOTE: &str = "the protocol version was agreed on again";
const HEADERS_NOTE: &str = "the tool was listed again for its headers";

/// A JSON-RPC error. `{{id}}` stands for the id of the request.
fn error(code: i64, data: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{{"code":{code},"message":"refused","data":{data}}}}}"#
    )
}

fn unsupported(supported: &[&str]) -> String {
    error(-32022, &json!({ "supported": supported, "requested": "2026-07-28" }))
}

fn mismatch() -> Reply {
    Reply::json(400, error(-32020, &Value::Null))
}

fn result(result: &Value) -> Reply {
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

/// A list of tools that may be kept for an hour.
fn listing(tools: &[Value]) -> Value {
    json!({ "resultType": "complete", "tools": tools, "ttlMs": 3_600_000, "cacheScope": "private" })
}

/// The tool `x`, whose parameter `region` goes into a header of that name; without one where there is none.
fn region(header: Option<&str>) -> Value {
    let mut property = json!({ "type": "string" });
    if let Some(header) = header {
        property["x-mcp-header"] = json!(header);
    }
    json!({ "name": "x", "inputSchema": { "type": "object", "properties": { "region": property } } })
}

fn tool(definition: Value) -> Tool {
    serde_json::from_value(definition).unwrap()
}

/// The requests that came, each a POST with an id of its own: method, and the header of the region.
#[track_caller]
fn seen(server: &FaultServer) -> Vec<(String, Option<String>)> {
    let requests = server.requests();
    let mut ids: Vec<String> = requests.iter().map(|request| body(request)["id"].to_string()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), requests.len(), "no id is used twice");
    requests.iter().map(seen_of).collect()
}

fn seen_of(request: &RawRequest) -> (String, Option<String>) {
    assert!(request.request_line().starts_with("POST "), "{}", request.request_line());
    let method = body(request)["method"].as_str().unwrap().to_owned();
    assert_ne!(method, "initialize", "a refusal never leads to the old handshake");
    (method, request.header("mcp-param-region").map(str::to_owned))
}

fn body(request: &RawRequest) -> Value {
    request.json().unwrap()
}

/// A `tools/call` as [`seen`] has it.
fn called(region: Option<&str>) -> (String, Option<String>) {
    ("tools/call".to_owned(), region.map(str::to_owned))
}

fn listed() -> (String, Option<String>) {
    ("tools/list".to_owned(), None)
}

/// Of each attempt: how it failed, on whose behalf it was made, and its note.
fn attempts(record: &CallRecord) -> Vec<(Option<&str>, &'static str, Option<&str>)> {
    let attempts = record.attempts.attempts().iter();
    attempts
        .map(|attempt| (attempt.failed.as_deref(), attempt.origin.as_str(), attempt.note.as_deref()))
        .collect()
}

/// A transport in memory that has headers, as HTTP has.
#[derive(Debug)]
struct WithHeaders(Arc<MemoryTransport>);

#[async_trait]
impl Transport for WithHeaders {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        self.0.exchange(request, cx).await
    }

    fn identity(&self) -> &str {
        self.0.identity()
    }

    fn carries_headers(&self) -> bool {
        true
    }
}
