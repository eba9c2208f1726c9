//! Faults on the wire: answers that are forged before the protocol layer sees the request.

use http::StatusCode;
use serde_json::{Value, json};

use super::callers::{Arrival, Caller, Callers};
use super::message::{RpcError, forged_id, response};
use super::scenario::{Malformed, Pages, Scenario, Target};
use crate::answer::Answer;
use crate::dotnet_json;

/// What happens to a request on the wire.
pub(super) enum Verdict {
    /// It goes on to the protocol layer.
    Pass,
    /// It is answered here.
    Forge(Answer),
    /// The connection is broken off without an answer.
    Break,
}

impl Verdict {
    /// A status other than success is an answer of its own; success goes on.
    fn of_status(status: StatusCode) -> Self {
        if status.is_success() { Self::Pass } else { Self::Forge(Answer::status_only(status)) }
    }

    fn forge(body: String) -> Self {
        Self::Forge(Answer::json(StatusCode::OK, body))
    }
}

/// The hook of the session's scenario.
pub(super) async fn judge(
    arrival: &Arrival,
    caller: &Caller,
    callers: &Callers,
    method: Option<&str>,
    body: Option<&Value>,
) -> Verdict {
    match &*arrival.scenario {
        Scenario::HttpStatusSequence { codes } => in_sequence(codes, arrival.http_requests),
        Scenario::JsonRpcError { code, message, on } => {
            if method == Some("tools/call") && arrival.tool_calls == *on {
                Verdict::forge(RpcError::new(*code, message).document(&forged_id(body)))
            } else {
                Verdict::Pass
            }
        }
        Scenario::ConnectionClose { target, on } => {
            if hits(*target, *on, arrival, method) {
                Verdict::Break
            } else {
                Verdict::Pass
            }
        }
        Scenario::MalformedPayload { kind, target, on } => {
            if hits(*target, *on, arrival, method) {
                Verdict::forge(malformed(*kind, body))
            } else {
                Verdict::Pass
            }
        }
        Scenario::HttpStatusPerMethod { rules } => match method.and_then(|method| rules.get(method)) {
            Some(status) => Verdict::of_status(*status),
            None => Verdict::Pass,
        },
        Scenario::NonCompliantEnvelope { status, payload, on } => {
            if arrival.http_requests == *on {
                Verdict::Forge(Answer::json(*status, response(&forged_id(body), payload)))
            } else {
                Verdict::Pass
            }
        }
        Scenario::TokenLifecycle { until, forever } => {
            if *forever || arrival.http_requests <= *until {
                Verdict::Forge(Answer::status_only(StatusCode::UNAUTHORIZED))
            } else {
                Verdict::Pass
            }
        }
        Scenario::InitHang { delay } => {
            if method == Some("initialize") {
                tokio::time::sleep(*delay).await;
            }
            Verdict::Pass
        }
        Scenario::FacetUnavailable { facets } => {
            let missing = facets.iter().any(|facet| is_list_of(method, facet));
            if missing {
                Verdict::forge(RpcError::new(-32601, "Method not found").document(&forged_id(body)))
            } else {
                Verdict::Pass
            }
        }
        Scenario::Pagination(pages) => {
            if is_list_of(method, &pages.facet) {
                Verdict::forge(page(pages, callers.page(caller), &forged_id(body)))
            } else {
                Verdict::Pass
            }
        }
        Scenario::Baseline { .. }
        | Scenario::ToolError { .. }
        | Scenario::Approval(_)
        | Scenario::CompatSdkV2 { .. }
        | Scenario::UncooperativeHang { .. }
        | Scenario::CooperativeDeadline { .. }
        | Scenario::LateResponse { .. }
        | Scenario::Decline { .. }
        | Scenario::UrlMode { .. } => Verdict::Pass,
    }
}

/// The last status of the list repeats for ever.
fn in_sequence(codes: &[StatusCode], number: u64) -> Verdict {
    let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    match codes.get(index).or_else(|| codes.last()) {
        Some(status) => Verdict::of_status(*status),
        None => Verdict::Pass,
    }
}

fn hits(target: Target, on: u64, arrival: &Arrival, method: Option<&str>) -> bool {
    match target {
        Target::ToolCall => method == Some("tools/call") && arrival.tool_calls == on,
        Target::Initialize => method == Some("initialize") && arrival.initializes == on,
        Target::HttpRequest => arrival.http_requests == on,
    }
}

fn malformed(kind: Malformed, body: Option<&Value>) -> String {
    match kind {
        Malformed::InvalidJson => "{ not valid json".to_owned(),
        Malformed::WrongId => RpcError::new(-32602, "Wrong id").document(&json!(99_999)),
        Malformed::MissingJsonrpc => r#"{"id":1,"result":{}}"#.to_owned(),
        Malformed::DuplicateResponse => {
            let one = response(&forged_id(body), r#"{"content":[{"type":"text","text":"ok"}]}"#);
            format!("{one}\n{one}")
        }
    }
}

fn is_list_of(method: Option<&str>, facet: &str) -> bool {
    matches!((method, facet), (Some("resources/list"), "resources") | (Some("prompts/list"), "prompts"))
}

/// A page of a forged list. The session's counter chooses it; the cursor that was sent is ignored.
fn page(pages: &Pages, number: u64, id: &Value) -> String {
    if pages.fault == "error_after_page_n" && number > pages.at {
        return RpcError::new(-32603, "Internal error after page").document(id);
    }
    let shown = if pages.fault == "duplicate_page" && number == pages.at { 1 } else { number };
    let first = (shown - 1).saturating_mul(pages.size);
    let end = first.saturating_add(pages.size).min(pages.total);
    let items: Vec<Value> = (first..end)
        .map(|index| match pages.facet.as_str() {
            "prompts" => json!({ "name": format!("prompt_{index}") }),
            _ => json!({ "name": format!("resource_{index}"), "uri": format!("test://resources/{index}") }),
        })
        .collect();
    let more = number.saturating_mul(pages.size) < pages.total;
    let cursor = match (more, pages.fault.as_str()) {
        (false, _) => Value::Null,
        (true, "cursor_loop") => json!("loop"),
        (true, _) => json!(format!("page-{}", number + 1)),
    };
    let result = dotnet_json::object(&[(pages.facet.as_str(), Value::Array(items)), ("nextCursor", cursor)]);
    response(id, &result)
}
