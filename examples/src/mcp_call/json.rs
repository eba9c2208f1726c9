//! The answer as one JSON line: the record, and what came.

use mcp_client::{
    CallError, CallRecord, ListFault,
    types::{RawJson, RawMap},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Ended, lists::Lists, said::Said};

/// Headers that are worth a line; others may hold secrets.
const HEADERS: [&str; 10] = [
    "content-type",
    "date",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "server",
    "www-authenticate",
    "x-correlation-id",
    "x-request-id",
];

pub(super) fn line(ended: &Ended) -> String {
    let record = ended.record();
    let mut line = match &ended.said {
        Said::Listed(lists) => listed(lists, record.as_ref()),
        _ => record.as_ref().map(members).unwrap_or_default(),
    };
    match &ended.said {
        Said::Tool(output) => put(&mut line, "result", output.result()),
        Said::Read(read) => put(&mut line, "result", read.result()),
        Said::Prompt(prompt) => put(&mut line, "result", prompt.result()),
        Said::Discovered(discovered) => put(&mut line, "result", discovered.result()),
        Said::Asked { requests, .. } => put(&mut line, "inputRequests", requests),
        Said::Listed(lists) => {
            if let Some(fault) = lists.fault() {
                match fault {
                    ListFault::Call(error) => put(&mut line, "error", &error_facts(error)),
                    other => put(&mut line, "error", &json!({ "message": other.to_string() })),
                }
            }
        }
        Said::Failed(error) => put(&mut line, "error", &error_facts(error)),
    }
    if let Some(continuation) = &ended.continuation {
        put(&mut line, "continuation", continuation);
    }
    serde_json::to_string(&line).unwrap_or_default()
}

/// Raw members keep what came as it came: numbers lose no digits.
fn members(record: &CallRecord) -> RawMap {
    serde_json::from_str(&record.to_json()).unwrap_or_default()
}

fn listed(lists: &Lists, record: Option<&CallRecord>) -> RawMap {
    let mut line = RawMap::new();
    for list in lists.lists() {
        put(&mut line, list.member, &list.entries.iter().map(|entry| &entry.raw).collect::<Vec<_>>());
    }
    let skipped = lists.lists().iter().flat_map(|list| &list.skipped);
    let skipped: Vec<_> =
        skipped.map(|skipped| json!({ "name": skipped.name, "reason": skipped.reason })).collect();
    put(&mut line, "skipped", &skipped);
    put(&mut line, "complete", &lists.is_complete());
    put(&mut line, "pages", &lists.lists().iter().map(|list| list.pages).sum::<usize>());
    if let Some(record) = record {
        put(&mut line, "record", &members(record));
    }
    line
}

fn put(line: &mut RawMap, key: &str, value: &(impl Serialize + ?Sized)) {
    if let Ok(value) = RawJson::from_serialize(value) {
        line.insert(key, value);
    }
}

#[derive(Serialize)]
struct ErrorFacts<'a> {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rpc: Option<RpcFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

#[derive(Serialize)]
struct RpcFacts<'a> {
    code: i64,
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawJson>,
}

fn error_facts(error: &CallError) -> ErrorFacts<'_> {
    let rpc =
        error.rpc_code().map(|code| RpcFacts { code, message: error.rpc_message(), data: error.rpc_data() });
    let http = error.http_status().map(|status| {
        let headers: Map<String, Value> = HEADERS
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), error.header(name)?.into())))
            .collect();
        let retry_after =
            error.retry_after().map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
        json!({ "status": status, "retryAfterMs": retry_after, "headers": headers })
    });
    let excerpt = match error {
        CallError::Http(error) => Some(error.excerpt().into_owned()),
        CallError::Protocol(error) => Some(error.excerpt().into_owned()),
        _ => None,
    };
    ErrorFacts { message: message(error), rpc, http, excerpt }
}

/// The error and all that lies beneath it.
pub(crate) fn message(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}
