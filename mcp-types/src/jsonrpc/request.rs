//! Requests of a known method.

use std::fmt;

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::envelope::{self, Envelope};
use crate::{Method, RawMap, RequestId};

/// A request of the method `M`. Reading checks `jsonrpc` and `method`.
///
/// ```
/// use mcp_types::{CallToolParams, CallToolRequest, ClientCapabilities, ProtocolVersion, RawJson, RequestMeta};
/// use serde_json::json;
///
/// let meta = RequestMeta::new(ProtocolVersion::LATEST, ClientCapabilities::new());
/// let params = CallToolParams::new(meta, "get_weather").with_arguments(json!({"location": "Oslo"}));
/// let request = CallToolRequest::new(1, params);
/// assert!(serde_json::to_string(&request)?.starts_with(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[non_exhaustive]
pub struct Request<M: Method> {
    /// The id, which the answer repeats.
    pub id: RequestId,
    /// The parameters.
    pub params: M::Params,
    /// Members that JSON-RPC does not name.
    pub extra: RawMap,
}

impl<M: Method> Request<M> {
    /// A request.
    pub fn new(id: impl Into<RequestId>, params: impl Into<M::Params>) -> Self {
        Self { id: id.into(), params: params.into(), extra: RawMap::new() }
    }

    /// The name of the method.
    pub const fn method(&self) -> &'static str {
        M::NAME
    }
}

impl<M: Method> Clone for Request<M> {
    fn clone(&self) -> Self {
        Self { id: self.id.clone(), params: self.params.clone(), extra: self.extra.clone() }
    }
}

impl<M: Method> PartialEq for Request<M> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.params == other.params && self.extra == other.extra
    }
}

impl<M: Method> fmt::Debug for Request<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id)
            .field("method", &M::NAME)
            .field("params", &self.params)
            .field("extra", &self.extra)
            .finish()
    }
}

impl<M: Method> Serialize for Request<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope::write(
            serializer,
            |map| {
                map.serialize_entry("id", &self.id)?;
                map.serialize_entry("method", M::NAME)?;
                map.serialize_entry("params", &self.params)
            },
            &self.extra,
        )
    }
}

impl<'de, M: Method> Deserialize<'de> for Request<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut envelope = Envelope::deserialize(deserializer)?;
        envelope.check_method(M::NAME)?;
        Ok(Self {
            id: envelope.required_id()?,
            params: envelope::parse_params(envelope.params.as_ref())?,
            extra: envelope.extra,
        })
    }
}
