//! What callers get, over real sockets: one module a layer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod application;
mod cache;
mod cancel;
mod catalogue;
mod completion;
mod connection;
mod contexts;
mod contract;
mod cuts;
mod deployment;
mod discovery;
mod elicitation;
mod fault;
mod interaction;
mod limits;
mod lists;
mod load;
mod mirrored;
mod mrtr;
mod namebeta;
mod prompts;
mod protocol;
mod record;
mod redirects;
mod repair;
mod request;
mod resources;
mod retry;
mod schema;
mod seed_cases;
mod sequences;
mod stage;
mod stream;
mod subscription;
mod support;
mod time;
mod token;
mod trace;
mod transport_http;
mod updates;
