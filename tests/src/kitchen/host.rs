//! The protocol layer: checks a request, runs its method, and chooses status and framing.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::callers::{Caller, Callers};
use super::catalog;
use super::message::{Members, Message, RpcError, members, response};
use super::scenario::Scenario;
use super::tools::{self, Reply, ToolCall};
use super::validate::{MODERN, Revision, Valid, validate};
use crate::answer::{Answer, Broken, Content, event};

/// A first message within this time decides the status; after it the headers have gone out as 200.
const HEADER_DELAY: Duration = Duration::from_millis(250);

const INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// Answers a request that no fault on the wire took.
pub(super) async fn answer(
    headers: &HeaderMap,
    body: Option<&Value>,
    caller: &Caller,
    callers: &Arc<Callers>,
    mut terminated: watch::Receiver<()>,
) -> Answer {
    let Valid { message, revision } = match validate(headers, body) {
        Ok(valid) => valid,
        Err(rejection) => return *rejection,
    };
    let scenario = callers.enter_host(caller);
    let Message::Request { id, method, params } = message else {
        return Answer::status_only(StatusCode::ACCEPTED);
    };
    if method == "tools/call" {
        let call = match tool_call(params.as_ref(), &scenario) {
            Ok((tool, arguments, responses)) => ToolCall {
                tool,
                arguments,
                responses,
                headers: headers.clone(),
                revision: revision.clone(),
                scenario,
                caller: caller.clone(),
                callers: Arc::clone(callers),
            },
            Err(error) => return failure(&error, &id, &revision),
        };
        let mut work = Box::pin(async move { written(tools::run(call).await, &id, &revision) });
        return match tokio::time::timeout(HEADER_DELAY, &mut work).await {
            Ok(document) => Answer::event(StatusCode::OK, &document),
            Err(_) => Answer::event_stream(
                StatusCode::OK,
                Content::Late(Box::pin(async move {
                    tokio::select! {
                        document = work => Ok(event(&document)),
                        _ = terminated.changed() => Err(Broken),
                    }
                })),
            ),
        };
    }
    if method == "subscriptions/listen" && revision.modern {
        return listen(&id);
    }
    match result(&method, params.as_ref(), &revision, &scenario) {
        Ok(result) => Answer::event(StatusCode::OK, &response(&id, &finished(result, &revision))),
        Err(error) => failure(&error, &id, &revision),
    }
}

type CallParts = (String, Members, Option<Members>);

fn tool_call(params: Option<&Value>, scenario: &Scenario) -> Result<CallParts, RpcError> {
    let tool = params
        .and_then(|params| params.get("name"))
        .and_then(Value::as_str)
        .ok_or_else(|| RpcError::new(-32602, "Parameter 'name' is missing"))?;
    let object = |name: &str| match params.and_then(|params| params.get(name)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members.clone())),
        Some(_) => Err(RpcError::new(-32602, format!("Parameter '{name}' is not an object"))),
    };
    let arguments = object("arguments")?.unwrap_or_default();
    let responses = object("inputResponses")?;
    if tools::known(scenario, tool) {
        Ok((tool.to_owned(), arguments, responses))
    } else {
        Err(RpcError::new(-32602, format!("Unknown tool: '{tool}'")))
    }
}

/// The result of a method that needs no time.
fn result(
    method: &str,
    params: Option<&Value>,
    revision: &Revision,
    scenario: &Scenario,
) -> Result<Members, RpcError> {
    let modern = revision.modern;
    match method {
        "server/discover" if modern => {
            Ok(cached(members([("supportedVersions", json!([MODERN])), ("capabilities", capabilities())])))
        }
        "initialize" if !modern => {
            let asked = params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
            Ok(members([
                ("protocolVersion", json!(asked.filter(|asked| *asked != MODERN).unwrap_or("2025-11-25"))),
                ("capabilities", capabilities()),
                ("serverInfo", server_info()),
            ]))
        }
        "ping" | "logging/setLevel" if !modern => Ok(Members::new()),
        "tools/list" => Ok(listed(members([("tools", Value::Array(tools::list(scenario)))]), modern)),
        "resources/list" => Ok(listed(catalog::resources(), modern)),
        "resources/templates/list" => Ok(listed(members([("resourceTemplates", json!([]))]), modern)),
        "prompts/list" => Ok(listed(catalog::prompts(), modern)),
        "resources/read" => catalog::read_resource(params, modern).map(|result| listed(result, modern)),
        "prompts/get" => catalog::get_prompt(params),
        _ => Err(RpcError::new(-32601, format!("Method '{method}' is not available."))),
    }
}

fn capabilities() -> Value {
    json!({ "logging": {}, "tools": {}, "resources": {}, "prompts": {} })
}

fn server_info() -> Value {
    json!({ "name": "mcp-test-kitchen", "version": "1.0.0" })
}

fn listed(result: Members, modern: bool) -> Members {
    if modern { cached(result) } else { result }
}

fn cached(mut result: Members) -> Members {
    result.insert("ttlMs".to_owned(), json!(0));
    result.insert("cacheScope".to_owned(), json!("private"));
    result
}

/// Adds what every modern result carries, and writes it. Legacy results have no `resultType`.
fn finished(mut result: Members, revision: &Revision) -> String {
    if revision.modern {
        result.entry("resultType").or_insert_with(|| json!("complete"));
        let meta = result.entry("_meta").or_insert_with(|| json!({}));
        if let Value::Object(meta) = meta {
            meta.insert(INFO_KEY.to_owned(), server_info());
        }
    }
    crate::dotnet_json::to_string(&Value::Object(result))
}

fn written(reply: Reply, id: &Value, revision: &Revision) -> String {
    let result = match reply {
        Reply::Complete { text, is_error } => {
            let mut result = members([("content", json!([{ "type": "text", "text": text }]))]);
            if let Some(is_error) = is_error {
                result.insert("isError".to_owned(), json!(is_error));
            }
            result
        }
        Reply::InputRequired { key, request, state } => members([
            ("resultType", json!("input_required")),
            ("inputRequests", json!({ key: request })),
            ("requestState", json!(state)),
        ]),
    };
    response(id, &finished(result, revision))
}

/// An error answer. On the modern revision an unknown method has a status of its own; the framing stays the same. (The
/// codes that go with a 400 are found before the method is looked at.)
fn failure(error: &RpcError, id: &Value, revision: &Revision) -> Answer {
    let status = match error.code {
        -32601 if revision.modern => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    };
    Answer::event(status, &error.document(id))
}

/// A stateless host has nothing to tell later: it acknowledges without granting anything, and ends.
fn listen(id: &Value) -> Answer {
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": { "notifications": {}, "_meta": { SUBSCRIPTION_KEY: id } },
    });
    let result = json!({
        "resultType": "complete",
        "_meta": { SUBSCRIPTION_KEY: id, INFO_KEY: server_info() },
    });
    let mut stream = event(&crate::dotnet_json::to_string(&acknowledged)).to_vec();
    stream.extend_from_slice(&event(&response(id, &crate::dotnet_json::to_string(&result))));
    Answer::event_stream(StatusCode::OK, Content::Streamed(Bytes::from(stream)))
}
