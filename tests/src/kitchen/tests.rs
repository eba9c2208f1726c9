//! The Kitchen over real sockets.

mod extra;
mod lifetime;
mod pipeline;
mod scenarios;
mod sessions;
mod validation;
