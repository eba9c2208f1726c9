//! The scenarios and their parameters.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use http::StatusCode;
use serde_json::{Map, Value};

use super::params::{Expected, Params, STATUS, status_of};

/// A scenario of the Kitchen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScenarioInfo {
    /// Its id, for [`Kitchen::select`](crate::Kitchen::select).
    pub id: &'static str,
    /// Whether the hosted Kitchen offers it. The others are in its source but cannot be selected there.
    pub default_set: bool,
}

/// All scenarios: the default set first, then the extra ones.
pub const SCENARIOS: &[ScenarioInfo] = &[
    ScenarioInfo { id: "baseline", default_set: true },
    ScenarioInfo { id: "errors.http_status_sequence", default_set: true },
    ScenarioInfo { id: "errors.jsonrpc_error", default_set: true },
    ScenarioInfo { id: "errors.tool_error", default_set: true },
    ScenarioInfo { id: "elicitation.approval", default_set: true },
    ScenarioInfo { id: "compat.sdk_v2", default_set: true },
    ScenarioInfo { id: "errors.connection_close", default_set: false },
    ScenarioInfo { id: "errors.malformed_payload", default_set: false },
    ScenarioInfo { id: "errors.http_status_per_method", default_set: false },
    ScenarioInfo { id: "errors.non_compliant_envelope", default_set: false },
    ScenarioInfo { id: "auth.token_lifecycle", default_set: false },
    ScenarioInfo { id: "timeout.uncooperative_hang", default_set: false },
    ScenarioInfo { id: "timeout.cooperative_deadline", default_set: false },
    ScenarioInfo { id: "timeout.late_response", default_set: false },
    ScenarioInfo { id: "timeout.init_hang", default_set: false },
    ScenarioInfo { id: "elicitation.decline", default_set: false },
    ScenarioInfo { id: "elicitation.url_mode", default_set: false },
    ScenarioInfo { id: "catalog.facet_unavailable", default_set: false },
    ScenarioInfo { id: "catalog.pagination", default_set: false },
];

/// A scenario could not be selected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectError {
    /// There is no scenario of this id.
    UnknownScenario(String),
    /// The parameters are not a JSON object.
    ParamsNotAnObject,
    /// A parameter has the wrong type or an impossible value.
    BadParameter {
        /// Id of the scenario.
        scenario: String,
        /// Name of the parameter.
        parameter: String,
        /// What it should be.
        expected: String,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownScenario(id) => write!(f, "there is no scenario '{id}'"),
            Self::ParamsNotAnObject => f.write_str("the parameters of a scenario are a JSON object"),
            Self::BadParameter { scenario, parameter, expected } => {
                write!(f, "parameter '{parameter}' of scenario '{scenario}' must be {expected}")
            }
        }
    }
}

impl std::error::Error for SelectError {}

/// What a scenario does, with its parameters.
#[derive(Clone, Debug)]
pub(super) enum Scenario {
    Baseline { delay_ms: u64 },
    HttpStatusSequence { codes: Vec<StatusCode> },
    JsonRpcError { code: i64, message: String, on: u64 },
    ToolError { message: String, on: u64 },
    Approval(Form),
    CompatSdkV2 { default_close_reason: String, prompt: String },
    ConnectionClose { target: Target, on: u64 },
    MalformedPayload { kind: Malformed, target: Target, on: u64 },
    HttpStatusPerMethod { rules: BTreeMap<String, StatusCode> },
    NonCompliantEnvelope { status: StatusCode, payload: String, on: u64 },
    TokenLifecycle { until: u64, forever: bool },
    UncooperativeHang { on: u64, duration: Duration },
    CooperativeDeadline { delay_ms: u64, honor: bool },
    LateResponse { delay: Duration },
    InitHang { delay: Duration },
    Decline { prompt: String },
    UrlMode { url: String, prompt: String },
    FacetUnavailable { facets: Vec<String> },
    Pagination(Pages),
}

/// What an approval asks for.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) prompt: String,
    pub(super) title: String,
    pub(super) max_length: i64,
    pub(super) required: bool,
}

/// Which requests a wire fault counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    ToolCall,
    Initialize,
    HttpRequest,
}

/// How a payload is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    InvalidJson,
    WrongId,
    MissingJsonrpc,
    DuplicateResponse,
}

/// A paginated list and what goes wrong in it.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    pub(super) total: u64,
    pub(super) size: u64,
    pub(super) facet: String,
    pub(super) fault: String,
    pub(super) at: u64,
}

const APPROVAL_PROMPT: &str =
    "Approve running this MCP test scenario? Provide a short reason for the audit log.";
const CLOSE_PROMPT: &str = "Close ticket '{ticketId}'? Accept the default reason or provide your own.";
const GOOD_RESULT: &str = r#"{"content":[{"type":"text","text":"ok"}],"isError":false}"#;

impl Scenario {
    /// Reads the parameters of a scenario.
    pub(super) fn parse(id: &str, params: &Value) -> Result<Self, SelectError> {
        let empty = Map::new();
        let params = match params {
            Value::Null => &empty,
            Value::Object(members) => members,
            _ => return Err(SelectError::ParamsNotAnObject),
        };
        if !SCENARIOS.iter().any(|scenario| scenario.id == id) {
            return Err(SelectError::UnknownScenario(id.to_owned()));
        }
        Self::default_set(id, &Params(params))
            .and_then(|found| match found {
                Some(scenario) => Ok(Some(scenario)),
                None => Self::extra(id, &Params(params)),
            })
            .map_err(|expected| expected.of(id))?
            .ok_or_else(|| SelectError::UnknownScenario(id.to_owned()))
    }

    fn default_set(id: &str, params: &Params<'_>) -> Result<Option<Self>, Expected> {
        Ok(Some(match id {
            "baseline" => Self::Baseline { delay_ms: params.amount("slowReportDelayMs", 0)? },
            "errors.http_status_sequence" => Self::HttpStatusSequence {
                codes: params.statuses("statusCodes", &[StatusCode::SERVICE_UNAVAILABLE, StatusCode::OK])?,
            },
            "errors.jsonrpc_error" => Self::JsonRpcError {
                code: params.integer("code", -32602)?,
                message: params.text("message", "Invalid params")?,
                on: params.amount("onInvocation", 1)?,
            },
            "errors.tool_error" => Self::ToolError {
                message: params.text("errorMessage", "Tool-side failure")?,
                on: params.amount("onInvocation", 1)?,
            },
            "elicitation.approval" => {
                params.integer("elicitationTimeoutMs", 300_000)?;
                Self::Approval(Form {
                    prompt: params.text("promptMessage", APPROVAL_PROMPT)?,
                    title: params.text("reasonFieldTitle", "Reason (recorded for audit)")?,
                    max_length: params.integer("reasonMaxLength", 200)?,
                    required: params.flag("requireReason", true)?,
                })
            }
            "compat.sdk_v2" => {
                let reason = params.text("defaultCloseReason", "completed")?;
                Self::CompatSdkV2 {
                    default_close_reason: if reason.trim().is_empty() {
                        "completed".to_owned()
                    } else {
                        reason
                    },
                    prompt: params.text("promptMessage", CLOSE_PROMPT)?,
                }
            }
            _ => return Ok(None),
        }))
    }

    fn extra(id: &str, params: &Params<'_>) -> Result<Option<Self>, Expected> {
        Ok(Some(match id {
            "errors.connection_close" => Self::ConnectionClose {
                target: target(params, "closeOn")?,
                on: params.amount("onInvocation", 1)?,
            },
            "errors.malformed_payload" => Self::MalformedPayload {
                kind: match params.text("kind", "invalid_json")?.as_str() {
                    "wrong_id" => Malformed::WrongId,
                    "missing_jsonrpc" => Malformed::MissingJsonrpc,
                    "duplicate_response" => Malformed::DuplicateResponse,
                    _ => Malformed::InvalidJson,
                },
                target: target(params, "target")?,
                on: params.amount("onInvocation", 1)?,
            },
            "errors.http_status_per_method" => Self::HttpStatusPerMethod { rules: rules(params)? },
            "errors.non_compliant_envelope" => Self::NonCompliantEnvelope {
                status: params.status("httpStatus", StatusCode::BAD_REQUEST)?,
                payload: params.text("resultPayload", GOOD_RESULT)?,
                on: params.amount("onInvocation", 1)?,
            },
            "auth.token_lifecycle" => Self::TokenLifecycle {
                until: params.amount("rejectUntilInvocation", 1)?,
                forever: params.flag("rejectForever", false)?,
            },
            "timeout.uncooperative_hang" => Self::UncooperativeHang {
                on: params.amount("hangOnInvocation", 1)?,
                duration: millis(params.amount("hangDurationMs", 60_000)?),
            },
            "timeout.cooperative_deadline" => Self::CooperativeDeadline {
                delay_ms: params.amount("delayMs", 1000)?,
                honor: params.flag("honorCancellation", true)?,
            },
            "timeout.late_response" => Self::LateResponse { delay: millis(params.amount("delayMs", 5000)?) },
            "timeout.init_hang" => {
                params.flag("honorCancellation", true)?;
                Self::InitHang { delay: millis(params.amount("initDelayMs", 2000)?) }
            }
            "elicitation.decline" => {
                Self::Decline { prompt: params.text("promptMessage", "Please decline.")? }
            }
            "elicitation.url_mode" => Self::UrlMode {
                url: params.text("url", "https://example.com/approve")?,
                prompt: params.text("promptMessage", "Open the page to approve.")?,
            },
            "catalog.facet_unavailable" => {
                Self::FacetUnavailable { facets: params.texts("unavailableFacets", &["resources"])? }
            }
            "catalog.pagination" => Self::Pagination(Pages {
                total: params.amount("totalItems", 10)?,
                size: params.amount("pageSize", 3)?.max(1),
                facet: params.text("facet", "resources")?,
                fault: params.text("fault", "none")?,
                at: params.amount("faultAtPage", 2)?,
            }),
            _ => return Ok(None),
        }))
    }
}

fn target(params: &Params<'_>, name: &'static str) -> Result<Target, Expected> {
    match params.text(name, "tool_call")?.as_str() {
        "tool_call" => Ok(Target::ToolCall),
        "initialize" => Ok(Target::Initialize),
        "http_request" => Ok(Target::HttpRequest),
        _ => Err(Expected(name, "tool_call, initialize or http_request")),
    }
}

fn rules(params: &Params<'_>) -> Result<BTreeMap<String, StatusCode>, Expected> {
    match params.0.get("rules") {
        None => Ok(BTreeMap::from([
            ("tools/call".to_owned(), StatusCode::UNAUTHORIZED),
            ("initialize".to_owned(), StatusCode::OK),
        ])),
        Some(Value::Object(rules)) => rules
            .iter()
            .map(|(method, status)| Ok((method.clone(), status_of(status).ok_or(Expected("rules", STATUS))?)))
            .collect(),
        Some(_) => Err(Expected("rules", "an object of HTTP statuses by method")),
    }
}

fn millis(amount: u64) -> Duration {
    Duration::from_millis(amount)
}
