//! JSON-RPC 2.0 messages.

mod aliases;
mod envelope;
mod message;
mod notification;
mod request;
mod response;

pub use aliases::*;
pub use message::*;
pub use notification::*;
pub use request::*;
pub use response::*;

/// The version of JSON-RPC, the value of the member `jsonrpc` of each message.
pub const JSONRPC_VERSION: &str = "2.0";
