//! JSON-RPC messages, read and written.

use serde_json::{Map, Value, json};

use crate::dotnet_json;

/// A message that a POST carried.
#[derive(Debug)]
pub(super) enum Message {
    Request { id: Value, method: String, params: Option<Value> },
    Notification { method: String, params: Option<Value> },
    Response,
}

impl Message {
    /// Reads a body. None if it is no JSON-RPC message.
    pub(super) fn read(body: Option<&Value>) -> Option<Self> {
        let members = body?.as_object()?;
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return None;
        }
        let Some(method) = members.get("method") else {
            let answers = members.contains_key("result") || members.contains_key("error");
            return answers.then_some(Self::Response);
        };
        let method = method.as_str()?.to_owned();
        let params = members.get("params").cloned();
        match members.get("id") {
            None => Some(Self::Notification { method, params }),
            Some(id) if id.is_string() || id.is_i64() => {
                Some(Self::Request { id: id.clone(), method, params })
            }
            Some(_) => None,
        }
    }

    pub(super) fn method(&self) -> Option<&str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => Some(method),
            Self::Response => None,
        }
    }

    pub(super) fn id(&self) -> &Value {
        match self {
            Self::Request { id, .. } => id,
            Self::Notification { .. } | Self::Response => &Value::Null,
        }
    }

    pub(super) fn params(&self) -> Option<&Value> {
        match self {
            Self::Request { params, .. } | Self::Notification { params, .. } => params.as_ref(),
            Self::Response => None,
        }
    }

    /// A member of `_meta`.
    pub(super) fn meta(&self, key: &str) -> Option<&Value> {
        self.params()?.get("_meta")?.get(key)
    }
}

/// The id as forged answers echo it: strings, and integers of 32 bits. Everything else becomes null.
pub(super) fn forged_id(body: Option<&Value>) -> Value {
    let id = body.and_then(|body| body.get("id"));
    match id {
        Some(Value::String(_)) => id.cloned().unwrap_or_default(),
        Some(Value::Number(number)) if number.as_i64().is_some_and(|id| i32::try_from(id).is_ok()) => {
            id.cloned().unwrap_or_default()
        }
        _ => Value::Null,
    }
}

/// An error object.
#[derive(Clone, Debug)]
pub(super) struct RpcError {
    pub(super) code: i64,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The whole response document.
    pub(super) fn document(&self, id: &Value) -> String {
        let mut error = vec![("code", json!(self.code)), ("message", json!(self.message))];
        if let Some(data) = &self.data {
            error.push(("data", data.clone()));
        }
        format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{}}}"#,
            dotnet_json::to_string(id),
            dotnet_json::object(&error)
        )
    }
}

/// A response document around a result that is written already.
pub(super) fn response(id: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, dotnet_json::to_string(id))
}

/// The members of a result.
pub(super) type Members = Map<String, Value>;

/// Shorthand for an object's members.
pub(super) fn members<const N: usize>(pairs: [(&str, Value); N]) -> Members {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
