//! What the protocol layer checks before it looks at the method, in its order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};

use super::message::{Message, RpcError};
use crate::answer::Answer;

pub(super) const MODERN: &str = "2026-07-28";
const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The revision that a request speaks.
#[derive(Clone, Debug)]
pub(super) struct Revision {
    /// The header's value, if there is one.
    pub(super) version: Option<String>,
    /// Whether it is the one with `_meta` on each request.
    pub(super) modern: bool,
}

/// A request that passed: its message and revision.
#[derive(Debug)]
pub(super) struct Valid {
    pub(super) message: Message,
    pub(super) revision: Revision,
}

/// Checks a request. The rejection is ready to be sent.
pub(super) fn validate(headers: &HeaderMap, body: Option<&Value>) -> Result<Valid, Box<Answer>> {
    if !(accepts(headers, "application/json") && accepts(headers, "text/event-stream")) {
        let error = RpcError::new(-32000, "Not Acceptable: both JSON and event streams must be accepted");
        return Err(reject(StatusCode::NOT_ACCEPTABLE, &error, &Value::Null));
    }
    if !is_json(headers) {
        // The host fails on it before it can answer.
        return Err(Box::new(Answer::status_only(StatusCode::INTERNAL_SERVER_ERROR)));
    }
    let Some(message) = Message::read(body) else {
        let error = RpcError::new(-32600, "Bad Request: the body is not a JSON-RPC message");
        return Err(reject(StatusCode::BAD_REQUEST, &error, &Value::Null));
    };
    let checked = revision(headers)
        .and_then(|revision| same_version(&revision, &message).map(|()| revision))
        .and_then(|revision| {
            if revision.modern {
                standard_headers(headers, &message)?;
                capabilities(&message)?;
            }
            Ok(revision)
        });
    let revision = match checked {
        Ok(revision) => revision,
        Err(error) => return Err(reject(StatusCode::BAD_REQUEST, &error, message.id())),
    };
    if revision.modern && matches!(message, Message::Request { .. }) && message.method().is_some_and(removed)
    {
        let name = message.method().unwrap_or_default();
        let error = RpcError::new(-32601, format!("Method '{name}' does not exist in version {MODERN}"));
        return Err(reject(StatusCode::NOT_FOUND, &error, message.id()));
    }
    if !revision.modern && headers.contains_key("mcp-session-id") {
        let error = RpcError::new(-32000, "Bad Request: this server has no sessions");
        return Err(reject(StatusCode::BAD_REQUEST, &error, message.id()));
    }
    Ok(Valid { message, revision })
}

fn reject(status: StatusCode, error: &RpcError, id: &Value) -> Box<Answer> {
    Box::new(Answer::json(status, error.document(id)))
}

/// Whether a media type is among the accepted ones. `*/*` counts for both.
pub(crate) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| range.split(';').next())
        .any(|range| {
            let range = range.trim();
            let main = wanted.split('/').next().unwrap_or_default();
            range == "*/*"
                || range.eq_ignore_ascii_case(wanted)
                || range.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(main))
        })
}

/// Whether the request body is declared as JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case("application/json"))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

fn revision(headers: &HeaderMap) -> Result<Revision, RpcError> {
    let version = text(headers, "mcp-protocol-version").filter(|version| !version.is_empty());
    match version {
        None => Ok(Revision { version: None, modern: false }),
        Some(version) if version == MODERN || LEGACY.contains(&version) => {
            Ok(Revision { version: Some(version.to_owned()), modern: version == MODERN })
        }
        Some(version) => {
            Err(RpcError::new(-32022, format!("Bad Request: version '{version}' is not supported"))
                .with_data(json!({ "supported": [MODERN], "requested": version })))
        }
    }
}

/// Header and body must name the same version as soon as one of them names the modern one.
fn same_version(revision: &Revision, message: &Message) -> Result<(), RpcError> {
    let mismatch = |text: &str| Err(RpcError::new(-32020, format!("Bad Request: {text}")));
    let header = revision.version.as_deref();
    if message.method() == Some("initialize") {
        let asked = message.params().and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
        if asked.is_some() && header.is_some() && asked != header {
            return mismatch("MCP-Protocol-Version differs from params.protocolVersion");
        }
    }
    let declared = message.meta(VERSION_KEY).and_then(Value::as_str).filter(|version| !version.is_empty());
    if !revision.modern && declared != Some(MODERN) {
        return Ok(());
    }
    match (header, declared, message) {
        (None, ..) => mismatch("MCP-Protocol-Version is missing"),
        (_, None, Message::Request { .. }) => {
            Err(RpcError::new(-32602, format!("params._meta lacks '{VERSION_KEY}'")))
        }
        (_, None, _) => Ok(()),
        (Some(header), Some(declared), _) if header == declared => Ok(()),
        _ => mismatch("MCP-Protocol-Version differs from the version in _meta"),
    }
}

fn standard_headers(headers: &HeaderMap, message: &Message) -> Result<(), RpcError> {
    let mismatch = |text: String| Err(RpcError::new(-32020, text));
    let Some(method) = message.method() else {
        return Ok(());
    };
    match text(headers, "mcp-method") {
        None => return mismatch("Mcp-Method is missing".to_owned()),
        Some(sent) if sent != method => {
            return mismatch(format!("Mcp-Method '{sent}' differs from the method '{method}'"));
        }
        Some(_) => {}
    }
    let parameter = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let Some(sent) = headers.get("mcp-name") else {
        return mismatch("Mcp-Name is missing".to_owned());
    };
    let Some(decoded) = sent.to_str().ok().and_then(|sent| decode_sentinel(sent.trim())) else {
        return mismatch("Mcp-Name cannot be decoded".to_owned());
    };
    let named = message.params().and_then(|params| params.get(parameter)).and_then(Value::as_str);
    if named == Some(decoded.as_str()) {
        Ok(())
    } else {
        mismatch(format!("Mcp-Name '{decoded}' differs from params.{parameter}"))
    }
}

/// Decodes a header value that may be wrapped as `=?base64?…?=`. None if the wrapping is broken.
pub(super) fn decode_sentinel(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(value.to_owned()),
        Some(wrapped) => String::from_utf8(STANDARD.decode(wrapped).ok()?).ok(),
    }
}

fn capabilities(message: &Message) -> Result<(), RpcError> {
    let declared = message.meta(CAPABILITIES_KEY).is_some_and(Value::is_object);
    if declared || !matches!(message, Message::Request { .. }) {
        Ok(())
    } else {
        Err(RpcError::new(-32602, format!("params._meta lacks the object '{CAPABILITIES_KEY}'")))
    }
}

fn removed(method: &str) -> bool {
    matches!(
        method,
        "initialize" | "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
    )
}
