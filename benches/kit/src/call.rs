//! A client that takes part.

use std::future::Future;

use crate::{
    Result,
    workload::{Ask, Reply},
};

/// One implementation each, in a program of its own.
pub trait Contestant: Send + Sync + Sized + 'static {
    /// Sets up the client; `tuned` is for those whose defaults are not their best.
    fn connect(url: &str, tuned: bool) -> impl Future<Output = Result<Self>> + Send;

    /// Asks once, and looks at what came as the caller would.
    fn ask(&self, ask: &Ask) -> impl Future<Output = Result<Reply>> + Send;
}
