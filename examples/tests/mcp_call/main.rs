//! `mcp-call` as people and scripts use it: exit codes, the JSON line, and what it sends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod calls;
mod handed_back;
#[cfg(unix)]
mod interrupted;
mod lists;
mod outcomes;
mod program;
mod progress;
mod reads;
mod repeating;
mod rounds;
mod secrets;
mod usage;
