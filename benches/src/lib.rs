//! What the clients that are written by hand share.

pub mod wire;
