//! Messages of any kind, told apart by the members they have.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::envelope::{self, Envelope};
use super::response;
use crate::{ErrorResponse, RawJson, RawMap, RequestId, ResultResponse};

/// A request of any method.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JsonRpcRequest {
    /// The id, which the answer repeats.
    pub id: RequestId,
    /// The method.
    pub method: String,
    /// The parameters; absent means none.
    pub params: Option<RawJson>,
    /// Members that JSON-RPC does not name.
    pub extra: RawMap,
}

impl JsonRpcRequest {
    /// A request.
    pub fn new(id: impl Into<RequestId>, method: impl Into<String>, params: Option<RawJson>) -> Self {
        Self { id: id.into(), method: method.into(), params, extra: RawMap::new() }
    }
}

impl Serialize for JsonRpcRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope::write(
            serializer,
            |map| {
                map.serialize_entry("id", &self.id)?;
                map.serialize_entry("method", &self.method)?;
                envelope::entry(map, "params", self.params.as_ref())
            },
            &self.extra,
        )
    }
}

/// A notification of any method.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JsonRpcNotification {
    /// The method.
    pub method: String,
    /// The parameters; absent means none.
    pub params: Option<RawJson>,
    /// Members that JSON-RPC does not name.
    pub extra: RawMap,
}

impl JsonRpcNotification {
    /// A notification.
    pub fn new(method: impl Into<String>, params: Option<RawJson>) -> Self {
        Self { method: method.into(), params, extra: RawMap::new() }
    }
}

impl Serialize for JsonRpcNotification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope::write(
            serializer,
            |map| {
                map.serialize_entry("method", &self.method)?;
                envelope::entry(map, "params", self.params.as_ref())
            },
            &self.extra,
        )
    }
}

/// A response whose result is any JSON.
pub type JsonRpcResultResponse = ResultResponse<RawJson>;
/// A response with an error.
pub type JsonRpcErrorResponse = ErrorResponse;

/// A response of either kind. Exactly one of `result` and `error` must be there, whatever its value.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonRpcResponse {
    /// The request was answered.
    Result(JsonRpcResultResponse),
    /// The request failed.
    Error(JsonRpcErrorResponse),
}

/// A message of any kind, decided by the members that are there: `method` with `id` is a request, `method` alone a
/// notification, `result` or `error` a response. Anything else is an error, as is one of them given twice.
///
/// ```
/// use mcp_types::JsonRpcMessage;
///
/// let message = serde_json::from_str(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)?;
/// assert!(matches!(message, JsonRpcMessage::Result(response) if response.id == 1.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum JsonRpcMessage {
    /// Wants an answer.
    Request(JsonRpcRequest),
    /// Wants none.
    Notification(JsonRpcNotification),
    /// A request was answered.
    Result(JsonRpcResultResponse),
    /// A request failed.
    Error(JsonRpcErrorResponse),
}

impl JsonRpcMessage {
    fn from_envelope<E: de::Error>(mut envelope: Envelope) -> Result<Self, E> {
        if envelope.error.is_some() {
            return response::error(envelope).map(Self::Error);
        }
        if envelope.result.is_some() {
            return response::raw_result(envelope).map(Self::Result);
        }
        let Some(method) = envelope.method.take() else {
            return Err(E::custom("a message must have `method`, `result` or `error`"));
        };
        if envelope.id.is_none() {
            return Ok(Self::Notification(JsonRpcNotification {
                method,
                params: envelope.params,
                extra: envelope.extra,
            }));
        }
        let id = envelope.required_id()?;
        Ok(Self::Request(JsonRpcRequest { id, method, params: envelope.params, extra: envelope.extra }))
    }
}

impl From<JsonRpcResponse> for JsonRpcMessage {
    fn from(response: JsonRpcResponse) -> Self {
        match response {
            JsonRpcResponse::Result(result) => Self::Result(result),
            JsonRpcResponse::Error(error) => Self::Error(error),
        }
    }
}

impl Serialize for JsonRpcMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            Self::Notification(notification) => notification.serialize(serializer),
            Self::Result(response) => response.serialize(serializer),
            Self::Error(response) => response.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for JsonRpcMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_envelope(Envelope::deserialize(deserializer)?)
    }
}

impl Serialize for JsonRpcResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Result(response) => response.serialize(serializer),
            Self::Error(response) => response.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for JsonRpcResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match JsonRpcMessage::deserialize(deserializer)? {
            JsonRpcMessage::Result(result) => Ok(Self::Result(result)),
            JsonRpcMessage::Error(error) => Ok(Self::Error(error)),
            _ => Err(de::Error::custom("a response must have `result` or `error`")),
        }
    }
}

impl<'de> Deserialize<'de> for JsonRpcRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match JsonRpcMessage::deserialize(deserializer)? {
            JsonRpcMessage::Request(request) => Ok(request),
            _ => Err(de::Error::custom("a request must have `method` and `id`")),
        }
    }
}

impl<'de> Deserialize<'de> for JsonRpcNotification {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match JsonRpcMessage::deserialize(deserializer)? {
            JsonRpcMessage::Notification(notification) => Ok(notification),
            _ => Err(de::Error::custom("a notification must have `method` and no `id`")),
        }
    }
}

#[cfg(test)]
mod tests;
