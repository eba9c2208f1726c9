//! What the programs of this package share.
#![forbid(unsafe_code)]

pub mod mcp_call;
