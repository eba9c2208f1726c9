//! The codes of JSON-RPC errors, and the data that some of them carry.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::open_struct::open_struct;
use crate::{ClientCapabilities, ProtocolVersion};

/// The message is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is not a valid request.
pub const INVALID_REQUEST: i64 = -32600;
/// The method is unknown or not offered.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are invalid: an unknown tool, a bad cursor, a missing argument.
pub const INVALID_PARAMS: i64 = -32602;
/// The server failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// An HTTP header disagrees with the body.
pub const HEADER_MISMATCH: i64 = -32020;
/// The request needs a capability that the client did not declare.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not speak the protocol version of the request.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// The code of a JSON-RPC error. Any integer is accepted.
///
/// ```
/// use mcp_types::ErrorCode;
///
/// assert_eq!(ErrorCode::from(-32602), ErrorCode::INVALID_PARAMS);
/// assert_eq!(ErrorCode::INVALID_PARAMS.name(), Some("invalid params"));
/// assert_eq!(ErrorCode::from(7).to_string(), "7");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// [`PARSE_ERROR`].
    pub const PARSE_ERROR: Self = Self(PARSE_ERROR);
    /// [`INVALID_REQUEST`].
    pub const INVALID_REQUEST: Self = Self(INVALID_REQUEST);
    /// [`METHOD_NOT_FOUND`].
    pub const METHOD_NOT_FOUND: Self = Self(METHOD_NOT_FOUND);
    /// [`INVALID_PARAMS`].
    pub const INVALID_PARAMS: Self = Self(INVALID_PARAMS);
    /// [`INTERNAL_ERROR`].
    pub const INTERNAL_ERROR: Self = Self(INTERNAL_ERROR);
    /// [`HEADER_MISMATCH`].
    pub const HEADER_MISMATCH: Self = Self(HEADER_MISMATCH);
    /// [`MISSING_REQUIRED_CLIENT_CAPABILITY`].
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: Self = Self(MISSING_REQUIRED_CLIENT_CAPABILITY);
    /// [`UNSUPPORTED_PROTOCOL_VERSION`].
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(UNSUPPORTED_PROTOCOL_VERSION);

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// What the code means in a few words, for the eight codes that the protocol defines.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            PARSE_ERROR => "parse error",
            INVALID_REQUEST => "invalid request",
            METHOD_NOT_FOUND => "method not found",
            INVALID_PARAMS => "invalid params",
            INTERNAL_ERROR => "internal error",
            HEADER_MISMATCH => "header mismatch",
            MISSING_REQUIRED_CLIENT_CAPABILITY => "missing required client capability",
            UNSUPPORTED_PROTOCOL_VERSION => "unsupported protocol version",
            _ => return None,
        })
    }

    /// Whether JSON-RPC reserves the code: -32768 to -32000.
    pub const fn is_reserved(self) -> bool {
        self.0 >= -32768 && self.0 <= -32000
    }
}

impl From<i64> for ErrorCode {
    fn from(code: i64) -> Self {
        Self(code)
    }
}

impl From<ErrorCode> for i64 {
    fn from(code: ErrorCode) -> Self {
        code.0
    }
}

impl fmt::Display for ErrorCode {
    /// The number, and the name in brackets if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({name})", self.0),
            None => self.0.fmt(f),
        }
    }
}

open_struct! {
    /// The data of an [`UNSUPPORTED_PROTOCOL_VERSION`] error.
    #[derive(Debug, Clone, PartialEq)]
    pub struct UnsupportedProtocolVersionData {
        /// The versions that the server speaks.
        required "supported" => supported: Vec<ProtocolVersion>;
        /// The version that was asked for.
        required "requested" => requested: ProtocolVersion;
    }
}

open_struct! {
    /// The data of a [`MISSING_REQUIRED_CLIENT_CAPABILITY`] error.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MissingRequiredClientCapabilityData {
        /// The capabilities that the request would have needed.
        required "requiredCapabilities" => required_capabilities: ClientCapabilities;
    }
}
