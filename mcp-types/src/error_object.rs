//! The error object inside a JSON-RPC error response.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error_code::{self, ErrorCode};
use crate::open_struct::open_struct;
use crate::{JsonError, MissingRequiredClientCapabilityData, RawJson, UnsupportedProtocolVersionData};

open_struct! {
    /// A JSON-RPC error. `Debug` shows the kind and size of `data` only.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ErrorObject {
        /// The code, see [`error_code`]; `-32602.0` is read as -32602.
        integer "code" => code: i64;
        /// One sentence for people.
        required "message" => message: String;
        /// More about the error, any JSON; `null` is a value.
        value "data" => data: RawJson;
    }
}

impl ErrorObject {
    /// Sets [`data`](Self::data).
    #[must_use]
    pub fn with_data(mut self, data: impl Into<RawJson>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// The code as a type with names.
    pub fn error_code(&self) -> ErrorCode {
        ErrorCode(self.code)
    }

    /// Reads the data into a type; `None` if there is none.
    pub fn data_as<T: DeserializeOwned>(&self) -> Option<Result<T, JsonError>> {
        self.data.as_ref().map(RawJson::parse)
    }

    /// The versions at odds, if this is a well-formed [`error_code::UNSUPPORTED_PROTOCOL_VERSION`].
    pub fn unsupported_protocol_version(&self) -> Option<UnsupportedProtocolVersionData> {
        self.typed(error_code::UNSUPPORTED_PROTOCOL_VERSION)
    }

    /// The capabilities asked for, if this is a well-formed [`error_code::MISSING_REQUIRED_CLIENT_CAPABILITY`].
    pub fn missing_required_client_capability(&self) -> Option<MissingRequiredClientCapabilityData> {
        self.typed(error_code::MISSING_REQUIRED_CLIENT_CAPABILITY)
    }

    fn typed<T: DeserializeOwned>(&self, code: i64) -> Option<T> {
        if self.code == code { self.data_as()?.ok() } else { None }
    }
}

/// An [`ErrorObject`] whose code is known beforehand. Another code is an error when reading.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedError<const CODE: i64>(ErrorObject);

impl<const CODE: i64> CodedError<CODE> {
    /// An error with this code.
    pub fn new(message: impl Into<String>) -> Self {
        Self(ErrorObject::new(CODE, message))
    }

    /// The error object.
    pub fn as_object(&self) -> &ErrorObject {
        &self.0
    }

    /// Gives the error object back.
    pub fn into_object(self) -> ErrorObject {
        self.0
    }
}

impl<const CODE: i64> TryFrom<ErrorObject> for CodedError<CODE> {
    type Error = ErrorObject;

    /// Fails with the error object itself if it has another code.
    fn try_from(error: ErrorObject) -> Result<Self, ErrorObject> {
        if error.code == CODE { Ok(Self(error)) } else { Err(error) }
    }
}

impl<const CODE: i64> From<CodedError<CODE>> for ErrorObject {
    fn from(error: CodedError<CODE>) -> Self {
        error.0
    }
}

impl<const CODE: i64> Serialize for CodedError<CODE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, const CODE: i64> Deserialize<'de> for CodedError<CODE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let error = ErrorObject::deserialize(deserializer)?;
        Self::try_from(error)
            .map_err(|error| de::Error::custom(format_args!("`code`: expected {CODE}, found {}", error.code)))
    }
}

/// A message that is not JSON.
pub type ParseError = CodedError<{ error_code::PARSE_ERROR }>;
/// A message that is not a valid request.
pub type InvalidRequestError = CodedError<{ error_code::INVALID_REQUEST }>;
/// A method that is unknown or not offered.
pub type MethodNotFoundError = CodedError<{ error_code::METHOD_NOT_FOUND }>;
/// Invalid parameters.
pub type InvalidParamsError = CodedError<{ error_code::INVALID_PARAMS }>;
/// A failure inside the server.
pub type InternalError = CodedError<{ error_code::INTERNAL_ERROR }>;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_data_is_a_value() {
        let absent: ErrorObject = serde_json::from_str(r#"{"code":-32603,"message":"no"}"#).unwrap();
        let null: ErrorObject =
            serde_json::from_str(r#"{"code":-32603,"message":"no","data":null}"#).unwrap();
        assert_eq!(absent.data, None);
        assert_eq!(null.data, Some(RawJson::null()));
        assert_eq!(serde_json::to_string(&null).unwrap(), r#"{"code":-32603,"message":"no","data":null}"#);
    }

    #[test]
    fn codes_are_integers() {
        let read =
            |code: &str| serde_json::from_str::<ErrorObject>(&format!(r#"{{"code":{code},"message":""}}"#));
        assert_eq!(read("-32602.0").unwrap().error_code(), ErrorCode::INVALID_PARAMS);
        for code in ["\"-32602\"", "1.5", "null", "1e30", "18446744073709551615", "[]"] {
            let error = read(code).unwrap_err().to_string();
            assert!(error.contains("`code`"), "{code}: {error}");
        }
        assert!(
            serde_json::from_str::<ErrorObject>(r#"{"code":1}"#).unwrap_err().to_string().contains("message")
        );
    }

    #[test]
    fn typed_data_needs_the_right_code_and_shape() {
        let data = json!({"supported": ["2026-07-28"], "requested": "2027-01-01", "more": 1});
        let error = ErrorObject::new(error_code::UNSUPPORTED_PROTOCOL_VERSION, "no").with_data(data.clone());
        let typed = error.unsupported_protocol_version().unwrap();
        assert_eq!(typed.supported, ["2026-07-28"]);
        assert_eq!(serde_json::to_value(&typed).unwrap(), data);
        assert!(error.missing_required_client_capability().is_none());
        assert!(error.with_data(json!({"supported": "x"})).unsupported_protocol_version().is_none());

        let data = json!({"requiredCapabilities": {"elicitation": {"url": {}}}});
        let error = ErrorObject::new(error_code::MISSING_REQUIRED_CLIENT_CAPABILITY, "no").with_data(data);
        let typed = error.missing_required_client_capability().unwrap();
        assert!(typed.required_capabilities.elicitation.unwrap().allows_url());
    }

    #[test]
    fn coded_errors_check_their_code() {
        assert!(serde_json::from_str::<InternalError>(r#"{"code":-32603,"message":"x"}"#).is_ok());
        let error = serde_json::from_str::<InternalError>(r#"{"code":-32600,"message":"x"}"#).unwrap_err();
        assert!(error.to_string().contains("expected -32603, found -32600"), "{error}");
        assert_eq!(ParseError::new("x").into_object().code, -32700);
    }
}
