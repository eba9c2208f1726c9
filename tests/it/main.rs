//! What callers get, over real sockets: one module a layer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod application;
mod catalogue;
mod connection;
mod contract;
mod cuts;
mod fault;
mod interaction;
mod limits;
mod namebeta;
mod protocol;
mod record;
mod redirects;
mod request;
mod retry;
mod seed_cases;
mod sequences;
mod stage;
mod stream;
mod support;
mod time;
mod transport_http;
