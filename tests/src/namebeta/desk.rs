//! The HTTP and JSON-RPC side of `NameBeta`.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde_json::{Value, json};

use super::NameBetaOptions;
use super::tools;
use crate::answer::Answer;
use crate::kitchen::{accepts, bearer, is_json};
use crate::sync::lock;

const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/// Takes requests. It keeps the quota and counts the tools.
#[derive(Debug)]
pub(crate) struct Desk {
    options: NameBetaOptions,
    quota: Mutex<Quota>,
    executions: Mutex<BTreeMap<String, u64>>,
}

#[derive(Debug, Default)]
struct Quota {
    used: usize,
    exceeded_at: Option<Instant>,
}

impl Desk {
    pub(crate) fn new(options: NameBetaOptions) -> Self {
        Self { options, quota: Mutex::default(), executions: Mutex::default() }
    }

    pub(crate) fn executions(&self, tool: &str) -> u64 {
        lock(&self.executions).get(tool).copied().unwrap_or(0)
    }

    /// Answers one HTTP request.
    pub(crate) fn answer(&self, method: &Method, headers: &HeaderMap, raw: &Bytes) -> Answer {
        self.refusal(method, headers).unwrap_or_else(|| self.message(headers, raw))
    }

    fn refusal(&self, method: &Method, headers: &HeaderMap) -> Option<Answer> {
        if self.options.require_token.is_some() && bearer(headers) != self.options.require_token.as_deref() {
            let mut refusal =
                rejected(StatusCode::UNAUTHORIZED, -32000, "Unauthorized: the token is missing or invalid");
            let challenge = HeaderValue::from_str(&self.options.challenge).ok();
            refusal.headers.extend(challenge.map(|challenge| (header::WWW_AUTHENTICATE, challenge)));
            return Some(refusal);
        }
        if method != Method::POST {
            let refusal = rejected(StatusCode::METHOD_NOT_ALLOWED, -32000, "Method not allowed.");
            return Some(refusal.with(header::ALLOW, "POST"));
        }
        if let Some(seconds) = self.exceeded() {
            let mut refusal = rejected(StatusCode::TOO_MANY_REQUESTS, -32000, "Quota exceeded");
            refusal.headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            return Some(refusal);
        }
        if !(accepts(headers, "application/json") && accepts(headers, "text/event-stream")) {
            let text = "Not Acceptable: both JSON and event streams must be accepted";
            return Some(rejected(StatusCode::NOT_ACCEPTABLE, -32000, text));
        }
        if !is_json(headers) {
            let text = "Unsupported Media Type: the content type must be JSON";
            return Some(rejected(StatusCode::UNSUPPORTED_MEDIA_TYPE, -32000, text));
        }
        None
    }

    /// Counts a POST. Some seconds to wait if the quota is used up.
    fn exceeded(&self) -> Option<u64> {
        let allowed = self.options.quota?;
        let wait = self.options.retry_after;
        let mut quota = lock(&self.quota);
        if let Some(since) = quota.exceeded_at {
            let left = wait.saturating_sub(since.elapsed());
            if !left.is_zero() {
                return Some(whole_seconds(left));
            }
            *quota = Quota::default();
        }
        if quota.used < allowed {
            quota.used += 1;
            return None;
        }
        quota.exceeded_at = Some(Instant::now());
        Some(whole_seconds(wait))
    }

    fn message(&self, headers: &HeaderMap, raw: &Bytes) -> Answer {
        let Ok(body) = serde_json::from_slice::<Value>(raw) else {
            return rejected(StatusCode::BAD_REQUEST, -32700, "Parse error: the body is not JSON");
        };
        if body.is_array() {
            return rejected(StatusCode::BAD_REQUEST, -32600, "Invalid Request: batches are not supported");
        }
        let speaks_jsonrpc = body.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
        let method = body.get("method").and_then(Value::as_str);
        let is_answer = body.get("result").is_some() || body.get("error").is_some();
        if !speaks_jsonrpc || (method.is_none() && !is_answer) {
            return rejected(
                StatusCode::BAD_REQUEST,
                -32700,
                "Parse error: the body is not a JSON-RPC message",
            );
        }
        let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
        if let Some(version) = version.filter(|version| !VERSIONS.contains(version)) {
            if method != Some("initialize") {
                let text = format!(
                    "Bad Request: Unsupported protocol version: {version} (supported versions: {})",
                    VERSIONS.join(", ")
                );
                return rejected(StatusCode::BAD_REQUEST, -32000, &text);
            }
        }
        match (method, body.get("id")) {
            (Some(method), Some(id)) => {
                Answer::json(StatusCode::OK, self.request(method, id, body.get("params")))
            }
            _ => Answer::status_only(StatusCode::ACCEPTED),
        }
    }

    fn request(&self, method: &str, id: &Value, params: Option<&Value>) -> String {
        let result = match method {
            "initialize" => {
                let asked = params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
                let newest = "2025-11-25";
                json!({
                    "protocolVersion": asked.filter(|asked| VERSIONS.contains(asked)).unwrap_or(newest),
                    "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "namebeta", "version": "1.0.0" },
                })
            }
            "ping" => json!({}),
            "tools/list" => json!({ "tools": tools::list() }),
            "tools/call" => {
                let name =
                    params.and_then(|params| params.get("name")).and_then(Value::as_str).unwrap_or_default();
                let arguments = params.and_then(|params| params.get("arguments"));
                let outcome = tools::call(name, arguments, self.options.lookup_failure.as_deref());
                if outcome.ran {
                    *lock(&self.executions).entry(name.to_owned()).or_default() += 1;
                }
                outcome.result()
            }
            _ => {
                return format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
                );
            }
        };
        format!(r#"{{"result":{result},"jsonrpc":"2.0","id":{id}}}"#)
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// A status with a JSON-RPC error that has no id.
fn rejected(status: StatusCode, code: i64, message: &str) -> Answer {
    let error = json!({ "code": code, "message": message });
    Answer::json(status, format!(r#"{{"jsonrpc":"2.0","error":{error},"id":null}}"#))
}
