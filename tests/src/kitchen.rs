//! The Test Kitchen: an MCP server with faults to choose from.
//!
//! It emulates, on a free loopback port, a stateless MCP host whose scenarios make one layer fail at a time: the
//! connection, HTTP, JSON-RPC, or the tool. A caller selects a scenario; the answers of the next POSTs follow it, and
//! every POST is logged with what was answered.
//!
//! ```
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use mcp_tests::Kitchen;
//! use serde_json::json;
//!
//! let kitchen = Kitchen::start().await?;
//! kitchen.select("errors.http_status_sequence", json!({ "statusCodes": [503, 200] }))?;
//! // ... a client calls `run_configured_test_scenario` at this URL ...
//! println!("{}", kitchen.url());
//! let statuses: Vec<_> = kitchen.posts().iter().map(|post| post.status).collect();
//! # Ok(())
//! # }
//! ```
//!
//! # Sessions
//!
//! A session belongs to a caller (the owner of the bearer token, or everybody without one), not to a connection. It
//! holds the scenario and the counters that scenarios refer to ("on the first POST"). After a new
//! [`select`](Kitchen::select) the session lives on until the caller sends `initialize`, or a POST reaches the
//! protocol layer: so a client of version 2026-07-28, which never sends `initialize`, gets one mixed POST, with
//! the wire faults of the old scenario and the tools of the new one. A scenario that answers every POST on the wire is
//! never left that way. [`switch`](Kitchen::switch) selects and terminates in one step, for a clean start.

mod approval;
mod callers;
mod catalog;
mod compat;
mod host;
mod message;
mod options;
mod params;
mod pipeline;
mod scenario;
mod tools;
mod validate;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::Method;
use serde_json::Value;

use self::callers::Caller;
use self::pipeline::{Core, NAMEBETA_PATH, PATH};
use crate::background::Background;
use crate::log::{OtherRequest, Post};
use crate::serve::serve;

pub use self::options::KitchenOptions;
pub(crate) use self::pipeline::{bearer, entry, receive};
pub use self::scenario::{SCENARIOS, ScenarioInfo, SelectError};
pub(crate) use self::validate::{accepts, is_json};

/// A running Test Kitchen. Dropping it stops it and frees its port.
#[derive(Debug)]
pub struct Kitchen {
    core: Arc<Core>,
    server: Background,
}

impl Kitchen {
    /// Starts a Kitchen on a free loopback port. It speaks HTTP/1.1, and HTTP/2 with prior knowledge.
    ///
    /// # Errors
    ///
    /// If no port or no thread can be had.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(KitchenOptions::default()).await
    }

    /// Starts a Kitchen with other settings.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    #[expect(clippy::unused_async, reason = "callers need not care that binding does not wait")]
    pub async fn start_with(options: KitchenOptions) -> io::Result<Self> {
        let core = Arc::new(Core::new(options));
        let (handler, accepted) = (Arc::clone(&core), Arc::clone(&core.accepted));
        let server = Background::start("test-kitchen", move |listener| serve(listener, handler, accepted))?;
        Ok(Self { core, server })
    }

    /// URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.addr())
    }

    /// URL of the `NameBeta` endpoint on the same port. See [`NameBeta`](crate::NameBeta).
    pub fn namebeta_url(&self) -> String {
        format!("http://{}{NAMEBETA_PATH}", self.addr())
    }

    /// Address that it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// Selects a scenario for the default caller: the owner of the first token of
    /// [`pats`](KitchenOptions::pats) if tokens are required, everybody without a token otherwise.
    ///
    /// It takes effect as the [module](self) says. `Value::Null` stands for the default parameters.
    ///
    /// # Errors
    ///
    /// If there is no such scenario or a parameter is wrong; the selection stays what it was.
    pub fn select(&self, scenario_id: &str, params: Value) -> Result<(), SelectError> {
        self.core.callers.select(&self.core.default_caller(), scenario_id, params)
    }

    /// Selects a scenario for the owner of a personal access token.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn select_for(&self, pat: &str, scenario_id: &str, params: Value) -> Result<(), SelectError> {
        self.core.callers.select(&Caller::Owner(pat.to_owned()), scenario_id, params)
    }

    /// Selects a scenario for the default caller and terminates all sessions, so that the next POST is the first one
    /// of the new scenario.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn switch(&self, scenario_id: &str, params: Value) -> Result<(), SelectError> {
        self.select(scenario_id, params)?;
        self.terminate_sessions();
        Ok(())
    }

    /// Drops the sessions of all callers, with their counters. Requests that are still open are broken off: HTTP/1.1
    /// connections are reset, also where the headers of a 200 have already gone out.
    pub fn terminate_sessions(&self) {
        self.core.callers.terminate();
    }

    /// Sets all counters to zero. Sessions and open requests stay.
    pub fn reset_counters(&self) {
        self.core.callers.reset_counters();
    }

    /// Counters of the default caller's session: `http_request`, `tools_call`, `resources_list`, `prompts_list`, and
    /// one for each tool that ran. Empty without a session.
    pub fn counters(&self) -> BTreeMap<String, u64> {
        self.core.callers.counters(&self.core.default_caller())
    }

    /// Counters of the session of a token's owner.
    pub fn counters_for(&self, pat: &str) -> BTreeMap<String, u64> {
        self.core.callers.counters(&Caller::Owner(pat.to_owned()))
    }

    /// How often a tool was started, by all callers, since the start or the last
    /// [`reset_counters`](Self::reset_counters). A new session does not reset it.
    pub fn executions(&self, tool: &str) -> u64 {
        self.core.callers.started(tool)
    }

    /// How often a tool came to its end, whether or not its answer reached the caller.
    pub fn completions(&self, tool: &str) -> u64 {
        self.core.callers.finished(tool)
    }

    /// All POSTs to any path of this port, in order of arrival.
    pub fn posts(&self) -> Vec<Post> {
        self.core.log.posts()
    }

    /// Waits until the POST log meets a condition, for 10 seconds at most, and returns it.
    ///
    /// # Errors
    ///
    /// `TimedOut` if it never does; the message lists what is in the log.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves everything as it is.
    pub async fn posts_when(&self, met: impl FnMut(&[Post]) -> bool) -> io::Result<Vec<Post>> {
        self.core.log.wait_until(met).await
    }

    /// GET requests, in order of arrival. Those of 2026-07-28 and of a stateless host need none.
    pub fn gets(&self) -> Vec<OtherRequest> {
        self.others(&Method::GET)
    }

    /// DELETE requests, in order of arrival.
    pub fn deletes(&self) -> Vec<OtherRequest> {
        self.others(&Method::DELETE)
    }

    /// All requests that are no POST, in order of arrival.
    pub fn other_requests(&self) -> Vec<OtherRequest> {
        self.core.log.others()
    }

    fn others(&self, method: &Method) -> Vec<OtherRequest> {
        self.core.log.others().into_iter().filter(|other| other.http_method == *method).collect()
    }

    /// Empties the log of requests. Counters and sessions stay.
    pub fn clear_log(&self) {
        self.core.log.clear();
    }

    /// Number of TCP connections accepted so far.
    pub fn connections(&self) -> usize {
        self.core.accepted.load(Ordering::SeqCst)
    }
}
