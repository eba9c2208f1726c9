//! Servers to test MCP clients against.
//!
//! * [`Kitchen`]: an MCP server whose scenarios make one layer fail at a time, with a log of every POST.
//! * [`NameBeta`]: a service behind an older protocol stack, with its own way of reporting failures.
//! * [`FaultServer`]: a raw TCP server that plays scripted replies, byte for byte.
//! * [`TlsServer`]: an HTTPS server with HTTP/2.

mod answer;
mod background;
mod dotnet_json;
pub mod fault;
pub mod kitchen;
mod log;
pub mod namebeta;
mod serve;
mod sync;
#[cfg(test)]
mod testing;
pub mod tls;

pub use fault::{FaultServer, RawRequest, Reply, Step};
pub use kitchen::{Kitchen, KitchenOptions, SCENARIOS, ScenarioInfo, SelectError};
pub use log::{Ending, OtherRequest, Post};
pub use namebeta::{NameBeta, NameBetaOptions};
pub use tls::{TlsOptions, TlsServer};
