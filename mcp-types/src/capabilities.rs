//! What clients and servers can do. A capability is there if its object is: `{}` differs from absent.

mod client;
mod server;

pub use client::*;
pub use server::*;
