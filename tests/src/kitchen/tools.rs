//! The tool that every scenario has, and how tools are called.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::callers::{Caller, Callers};
use super::scenario::Scenario;
use super::validate::Revision;
use super::{approval, compat};
use crate::dotnet_json;

/// The tool of every scenario.
pub(super) const RUN: &str = "run_configured_test_scenario";

/// One call of a tool.
#[derive(Clone)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) responses: Option<Map<String, Value>>,
    pub(super) headers: HeaderMap,
    pub(super) revision: Revision,
    pub(super) scenario: Arc<Scenario>,
    pub(super) caller: Caller,
    pub(super) callers: Arc<Callers>,
}

/// What a tool answers.
pub(super) enum Reply {
    /// A text block with a JSON object in it. No `isError` is written where there is none.
    Complete { text: String, is_error: Option<bool> },
    /// It needs input first.
    InputRequired { key: &'static str, request: Value, state: String },
}

/// An argument is missing or has the wrong type, so the tool did not start.
#[derive(Debug)]
pub(super) struct BadArgument;

impl Reply {
    pub(super) fn success(fields: &[(&str, Value)]) -> Self {
        Self::Complete { text: dotnet_json::object(fields), is_error: None }
    }

    pub(super) fn with_error(fields: &[(&str, Value)], is_error: bool) -> Self {
        Self::Complete { text: dotnet_json::object(fields), is_error: Some(is_error) }
    }

    fn bad_argument(tool: &str) -> Self {
        Self::Complete { text: format!("An error occurred invoking '{tool}'."), is_error: Some(true) }
    }
}

impl ToolCall {
    /// Counts this execution and gives its number.
    pub(super) fn start(&self) -> u64 {
        self.callers.execute(&self.caller, &self.tool)
    }

    /// A string argument; absent and `null` are the same.
    pub(super) fn optional_text(&self, name: &str) -> Result<Option<String>, BadArgument> {
        match self.arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(BadArgument),
        }
    }

    /// A string argument that must be there.
    pub(super) fn text(&self, name: &str) -> Result<String, BadArgument> {
        self.arguments.get(name).and_then(Value::as_str).map(str::to_owned).ok_or(BadArgument)
    }

    /// An integer argument that must be there.
    pub(super) fn integer(&self, name: &str) -> Result<i64, BadArgument> {
        self.arguments.get(name).and_then(Value::as_i64).ok_or(BadArgument)
    }

    /// The input response of a key.
    pub(super) fn response(&self, key: &str) -> Option<&Value> {
        self.responses.as_ref()?.get(key)
    }
}

/// The tools of a scenario.
pub(super) fn list(scenario: &Scenario) -> Vec<Value> {
    let mut tools = vec![json!({
        "name": RUN,
        "description": "Runs the selected scenario",
        "inputSchema": { "type": "object", "properties": { "message": { "type": "string" } } },
    })];
    if matches!(scenario, Scenario::CompatSdkV2 { .. }) {
        tools.extend(compat::tools());
    }
    tools
}

/// Whether the scenario has the tool.
pub(super) fn known(scenario: &Scenario, tool: &str) -> bool {
    tool == RUN || (matches!(scenario, Scenario::CompatSdkV2 { .. }) && compat::NAMES.contains(&tool))
}

/// Runs a known tool to its end. Dropping the future cancels it, unless the scenario says that it does not listen.
pub(super) async fn run(call: ToolCall) -> Reply {
    let tool = call.tool.clone();
    let callers = Arc::clone(&call.callers);
    let deaf = match &*call.scenario {
        Scenario::UncooperativeHang { .. } | Scenario::LateResponse { .. } => true,
        Scenario::CooperativeDeadline { honor, .. } => !honor,
        _ => false,
    };
    let work = async move {
        let reply = dispatch(&call).await.unwrap_or_else(|BadArgument| Reply::bad_argument(&call.tool));
        callers.finish(&call.tool);
        reply
    };
    if deaf {
        // On a task of its own it goes on after the client left.
        tokio::spawn(work).await.unwrap_or_else(|_| Reply::bad_argument(&tool))
    } else {
        work.await
    }
}

async fn dispatch(call: &ToolCall) -> Result<Reply, BadArgument> {
    if let Scenario::CompatSdkV2 { default_close_reason, prompt } = &*call.scenario {
        return compat::run(call, default_close_reason, prompt);
    }
    let message = call.optional_text("message")?;
    let invocation = call.start();
    Ok(run_configured(call, message, invocation).await)
}

async fn run_configured(call: &ToolCall, message: Option<String>, invocation: u64) -> Reply {
    let scenario = &*call.scenario;
    match scenario {
        Scenario::Baseline { delay_ms } => {
            tokio::time::sleep(Duration::from_millis(*delay_ms)).await;
            let mut fields = plain("baseline", invocation);
            fields.push(("delayMs", json!(delay_ms)));
            fields.extend(message.map(|message| ("message", json!(message))));
            Reply::success(&fields)
        }
        Scenario::ToolError { message: error, on } if invocation == *on => {
            let mut fields = plain("errors.tool_error", invocation);
            fields.push(("errorMessage", json!(error)));
            fields.extend(message.map(|message| ("message", json!(message))));
            Reply::with_error(&fields, true)
        }
        Scenario::Approval(_) | Scenario::Decline { .. } | Scenario::UrlMode { .. } => {
            approval::run(call, message, invocation)
        }
        Scenario::UncooperativeHang { on, duration } => {
            if invocation == *on {
                tokio::time::sleep(*duration).await;
            }
            Reply::success(&plain(id(scenario), invocation))
        }
        Scenario::CooperativeDeadline { delay_ms, .. } => {
            tokio::time::sleep(Duration::from_millis(*delay_ms)).await;
            let mut fields = plain(id(scenario), invocation);
            fields.push(("delayMs", json!(delay_ms)));
            Reply::success(&fields)
        }
        Scenario::LateResponse { delay } => {
            tokio::time::sleep(*delay).await;
            Reply::success(&plain(id(scenario), invocation))
        }
        _ => Reply::success(&plain(id(scenario), invocation)),
    }
}

/// The members that each answer starts with.
pub(super) fn plain(id: &'static str, invocation: u64) -> Vec<(&'static str, Value)> {
    vec![("scenarioId", json!(id)), ("invocation", json!(invocation))]
}

/// Id of a scenario.
pub(super) fn id(scenario: &Scenario) -> &'static str {
    match scenario {
        Scenario::Baseline { .. } => "baseline",
        Scenario::HttpStatusSequence { .. } => "errors.http_status_sequence",
        Scenario::JsonRpcError { .. } => "errors.jsonrpc_error",
        Scenario::ToolError { .. } => "errors.tool_error",
        Scenario::Approval(_) => "elicitation.approval",
        Scenario::CompatSdkV2 { .. } => "compat.sdk_v2",
        Scenario::ConnectionClose { .. } => "errors.connection_close",
        Scenario::MalformedPayload { .. } => "errors.malformed_payload",
        Scenario::HttpStatusPerMethod { .. } => "errors.http_status_per_method",
        Scenario::NonCompliantEnvelope { .. } => "errors.non_compliant_envelope",
        Scenario::TokenLifecycle { .. } => "auth.token_lifecycle",
        Scenario::UncooperativeHang { .. } => "timeout.uncooperative_hang",
        Scenario::CooperativeDeadline { .. } => "timeout.cooperative_deadline",
        Scenario::LateResponse { .. } => "timeout.late_response",
        Scenario::InitHang { .. } => "timeout.init_hang",
        Scenario::Decline { .. } => "elicitation.decline",
        Scenario::UrlMode { .. } => "elicitation.url_mode",
        Scenario::FacetUnavailable { .. } => "catalog.facet_unavailable",
        Scenario::Pagination(_) => "catalog.pagination",
    }
}
