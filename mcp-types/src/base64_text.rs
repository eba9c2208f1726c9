//! Base64 as the protocol uses it: the standard alphabet with padding.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The text is not Base64 of the standard alphabet with padding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not base64 text of the standard alphabet with padding")]
#[non_exhaustive]
pub struct Base64Error;

pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    STANDARD.decode(text).map_err(|_| Base64Error)
}
