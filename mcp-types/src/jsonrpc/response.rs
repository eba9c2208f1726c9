//! Responses.

use serde::de::DeserializeOwned;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::envelope::{self, Envelope};
use crate::{CodedError, ErrorObject, RawJson, RawMap, RequestId, error_code};

/// A response with a result of type `R`; [`RawJson`] accepts any.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResultResponse<R> {
    /// The id of the request.
    pub id: RequestId,
    /// The result.
    pub result: R,
    /// Members that JSON-RPC does not name.
    pub extra: RawMap,
}

impl<R> ResultResponse<R> {
    /// A response.
    pub fn new(id: impl Into<RequestId>, result: impl Into<R>) -> Self {
        Self { id: id.into(), result: result.into(), extra: RawMap::new() }
    }
}

impl<R: Serialize> Serialize for ResultResponse<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope::write(
            serializer,
            |map| {
                map.serialize_entry("id", &self.id)?;
                map.serialize_entry("result", &self.result)
            },
            &self.extra,
        )
    }
}

impl<'de, R: DeserializeOwned> Deserialize<'de> for ResultResponse<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ResultResponse { id, result, extra } = raw_result(Envelope::deserialize(deserializer)?)?;
        Ok(Self { id, result: envelope::parse(&result, "result")?, extra })
    }
}

/// A response of the envelope's result, which must be there, and be the only thing there.
pub(super) fn raw_result<E: de::Error>(mut envelope: Envelope) -> Result<ResultResponse<RawJson>, E> {
    if envelope.error.is_some() || envelope.method.is_some() {
        return Err(E::custom("a result must be without `error` and `method`"));
    }
    let result = envelope.result.take().ok_or_else(|| E::missing_field("result"))?;
    Ok(ResultResponse { id: envelope.required_id()?, result, extra: envelope.extra })
}

/// A response with an error. The id is absent if the server could not read it; `null` is read as absent.
///
/// `E` is the type of the error object, [`ErrorObject`] for any.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ErrorResponse<E = ErrorObject> {
    /// The id of the request, if the server knows it.
    pub id: Option<RequestId>,
    /// What went wrong.
    pub error: E,
    /// Members that JSON-RPC does not name.
    pub extra: RawMap,
}

impl<E> ErrorResponse<E> {
    /// A response.
    pub fn new(id: Option<RequestId>, error: impl Into<E>) -> Self {
        Self { id, error: error.into(), extra: RawMap::new() }
    }
}

impl<E: Serialize> Serialize for ErrorResponse<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope::write(
            serializer,
            |map| {
                envelope::entry(map, "id", self.id.as_ref())?;
                map.serialize_entry("error", &self.error)
            },
            &self.extra,
        )
    }
}

impl<'de, E: DeserializeOwned> Deserialize<'de> for ErrorResponse<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        error(Envelope::deserialize(deserializer)?)
    }
}

/// A response of the envelope's error, which must be there, and be the only thing there.
pub(super) fn error<T: DeserializeOwned, E: de::Error>(
    mut envelope: Envelope,
) -> Result<ErrorResponse<T>, E> {
    if envelope.result.is_some() || envelope.method.is_some() {
        return Err(E::custom("an error must be without `result` and `method`"));
    }
    let id = envelope.optional_id()?;
    let error = envelope.error.ok_or_else(|| E::missing_field("error"))?;
    Ok(ErrorResponse { id, error: envelope::parse(&error, "error")?, extra: envelope.extra })
}

/// A response that an HTTP header disagrees with the body.
pub type HeaderMismatchError = ErrorResponse<CodedError<{ error_code::HEADER_MISMATCH }>>;
/// A response that the request needs a capability that the client did not declare; see
/// [`ErrorObject::missing_required_client_capability`].
pub type MissingRequiredClientCapabilityError =
    ErrorResponse<CodedError<{ error_code::MISSING_REQUIRED_CLIENT_CAPABILITY }>>;
/// A response that the server does not speak the version of the request; see
/// [`ErrorObject::unsupported_protocol_version`].
pub type UnsupportedProtocolVersionError =
    ErrorResponse<CodedError<{ error_code::UNSUPPORTED_PROTOCOL_VERSION }>>;
