//! A person at a terminal answers: the programs run on a pseudo-terminal, and the server's log says what they sent.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod approve;
mod call;
mod fields;
mod later;
mod person;
mod server;
