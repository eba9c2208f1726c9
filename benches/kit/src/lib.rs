//! What the comparison and the guard share.

pub mod allocator;
pub mod call;
pub mod job;
#[cfg(feature = "ours")]
pub mod ours;
pub mod payload;
pub mod process;
pub mod server;
pub mod workload;

/// Whatever goes wrong ends the run with its text.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
