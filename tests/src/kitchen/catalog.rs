//! The catalogue that every scenario has: two resources and two prompts, one of each broken.

use http::StatusCode;
use serde_json::{Value, json};

use super::message::{Members, RpcError, forged_id, members, response};
use crate::answer::Answer;
use crate::dotnet_json;

const VALID_RESOURCE: &str = "test://resources/valid";
const INVALID_RESOURCE: &str = "test://resources/invalid";

/// Reads of the broken ones are forged on the wire.
pub(super) fn intercept(method: Option<&str>, body: Option<&Value>) -> Option<Answer> {
    let param = |name| body?.get("params")?.get(name)?.as_str();
    let result = match method? {
        "resources/read" if param("uri") == Some(INVALID_RESOURCE) => json!({
            "contents": [{ "type": "blob", "blob": "not-valid-base64!!!", "mimeType": "not-a-mime-type" }],
        }),
        "prompts/get" if param("name") == Some("invalid_prompt") => json!({
            "messages": [{ "content": { "type": "unknown_type", "text": "missing role field" } }],
        }),
        _ => return None,
    };
    let document = response(&forged_id(body), &dotnet_json::to_string(&result));
    Some(Answer::json(StatusCode::OK, document))
}

pub(super) fn resources() -> Members {
    members([(
        "resources",
        json!([
            { "name": "valid_resource", "uri": VALID_RESOURCE, "mimeType": "text/plain" },
            { "name": "invalid_resource", "uri": INVALID_RESOURCE },
        ]),
    )])
}

pub(super) fn prompts() -> Members {
    members([(
        "prompts",
        json!([
            { "name": "valid_prompt", "description": "A prompt that is as it should be",
              "arguments": [{ "name": "topic", "description": "What it is about", "required": false }] },
            { "name": "invalid_prompt", "description": "A prompt that breaks the rules" },
        ]),
    )])
}

pub(super) fn read_resource(params: Option<&Value>, modern: bool) -> Result<Members, RpcError> {
    let uri = text_param(params, "uri")?;
    if uri == VALID_RESOURCE {
        Ok(members([(
            "contents",
            json!([{ "uri": uri, "mimeType": "text/plain", "text": "This resource is valid." }]),
        )]))
    } else {
        let code = if modern { -32602 } else { -32002 };
        Err(RpcError::new(code, format!("Unknown resource URI: '{uri}'")))
    }
}

pub(super) fn get_prompt(params: Option<&Value>) -> Result<Members, RpcError> {
    let name = text_param(params, "name")?;
    if name != "valid_prompt" {
        return Err(RpcError::new(-32602, format!("Unknown prompt: '{name}'")));
    }
    let topic = params.and_then(|params| params.pointer("/arguments/topic")).and_then(Value::as_str);
    let text = format!("Tell me about {}.", topic.unwrap_or("testing"));
    Ok(members([
        ("description", json!("A prompt that is as it should be")),
        ("messages", json!([{ "role": "user", "content": { "type": "text", "text": text } }])),
    ]))
}

fn text_param<'a>(params: Option<&'a Value>, name: &str) -> Result<&'a str, RpcError> {
    params
        .and_then(|params| params.get(name))
        .and_then(Value::as_str)
        .ok_or_else(|| RpcError::new(-32602, format!("Parameter '{name}' is missing")))
}
