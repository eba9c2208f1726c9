//! Our client against servers on other SDKs, over real sockets: one module a concept.
//!
//! The servers are in `tests/peers`; `MCP_PEERS` names the folder in which what they need is installed (see
//! CONTRIBUTING.md). Where it is not set, each test says that it is skipped, and passes.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod catalogue;
mod content;
mod errors;
mod peers;
mod process;
mod progress;
mod rounds;
mod structured;
mod time;
