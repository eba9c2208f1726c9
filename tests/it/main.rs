//! What callers get, over real sockets: one module a layer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod application;
mod connection;
mod contract;
mod cuts;
mod fault;
mod limits;
mod redirects;
mod protocol;
mod request;
mod retry;
mod stage;
mod stream;
mod support;
mod time;
mod transport_http;
