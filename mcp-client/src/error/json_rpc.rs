//! Valid JSON-RPC error objects.

use std::{error::Error, fmt};

use mcp_types::{ErrorObject, RequestId};

use super::{Context, Mismatch};

/// A valid JSON-RPC error object answered this call.
pub struct JsonRpcError {
    error: ErrorObject,
    id: Option<RequestId>,
    pub(super) mismatch: Option<Box<Mismatch>>,
    pub(crate) context: Context,
}

impl JsonRpcError {
    /// An error as it stood in the answer, with the id of the answer; `None` where it was absent or null.
    pub fn new(error: ErrorObject, id: Option<RequestId>) -> Self {
        Self { error, id, mismatch: None, context: Context::default() }
    }

    /// The whole error object.
    pub fn error(&self) -> &ErrorObject {
        &self.error
    }
    /// The code: one of [`mcp_types::error_code`], or the server's own.
    pub fn code(&self) -> i64 {
        self.error.code
    }
    /// The message: text from the server.
    pub fn message(&self) -> &str {
        &self.error.message
    }
    /// The `data`: any JSON value.
    pub fn data(&self) -> Option<&mcp_types::RawJson> {
        self.error.data.as_ref()
    }
    /// The id that the answer carried.
    pub fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }
}

impl fmt::Display for JsonRpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered with JSON-RPC error {}", self.error.code)
    }
}

impl fmt::Debug for JsonRpcError {
    /// Message and data are the server's and may repeat arguments: left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRpcError")
            .field("code", &self.error.code)
            .field("id", &self.id)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl Error for JsonRpcError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.mismatch.as_deref().map(|mismatch| mismatch as _)
    }
}
