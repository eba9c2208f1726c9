//! The answer as one JSON line: the record, and what came.

use mcp_client::{
    CallError, CallRecord, ToolOutcome,
    types::{RawJson, RawMap},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Ended;

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
    let record = CallRecord::of(&ended.outcome);
    // Raw members keep what came as it came: numbers lose no digits.
    let mut line: RawMap =
        record.and_then(|record| serde_json::from_str(&record.to_json()).ok()).unwrap_or_default();
    let statuses: Vec<u16> = ended.rounds.iter().flat_map(mcp_client::CallRecord::http_statuses).collect();
    put(&mut line, "postCount", &ended.rounds.iter().map(mcp_client::CallRecord::post_count).sum::<usize>());
    put(&mut line, "httpStatuses", &statuses);
    match &ended.outcome {
        Ok(ToolOutcome::Success(output) | ToolOutcome::ToolError(output)) => {
            put(&mut line, "result", output.result());
        }
        Ok(ToolOutcome::InputRequired(asked)) => {
            put(&mut line, "inputRequests", asked.requests());
        }
        Err(error) => put(&mut line, "error", &error_facts(error)),
    }
    if let Some(continuation) = &ended.continuation {
        put(&mut line, "continuation", continuation);
    }
    serde_json::to_string(&line).unwrap_or_default()
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
pub(super) fn message(error: &CallError) -> String {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}
