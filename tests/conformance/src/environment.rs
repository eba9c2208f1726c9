//! What the suite tells the program: in variables, and the server's URL as the last argument.

use std::{env, error::Error};

use mcp_client::{BuildError, Client, ClientBuilder};
use serde::Deserialize;
use serde_json::Value;

/// One run of one scenario.
pub(crate) struct Environment {
    pub(crate) scenario: String,
    pub(crate) wire: Wire,
    url: String,
}

/// Which revision is spoken. It is never told from the scenario: many are run in both.
#[derive(Clone, Copy)]
pub(crate) enum Wire {
    V2026_07_28,
    V2025_11_25,
}

/// A call that a scenario asks for.
#[derive(Deserialize)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

impl Environment {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let scenario = variable("MCP_CONFORMANCE_SCENARIO")?;
        let version = variable("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
        let wire = match version.as_str() {
            "2026-07-28" => Wire::V2026_07_28,
            "2025-11-25" => Wire::V2025_11_25,
            _ => return Err(format!("revision `{version}` is unknown here").into()),
        };
        let url = env::args().skip(1).last().ok_or("the server's URL is missing: the last argument")?;
        Ok(Self { scenario, wire, url })
    }

    /// A client of the scenario's server, to be set up further.
    pub(crate) fn client(&self) -> Result<ClientBuilder, BuildError> {
        Client::http(&self.url)
    }
}

/// The calls that the scenario asks for; only one scenario does.
pub(crate) fn calls() -> Result<Vec<Call>, Box<dyn Error>> {
    #[derive(Deserialize)]
    struct Context {
        #[serde(rename = "toolCalls")]
        calls: Vec<Call>,
    }
    let context: Context = serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")?)?;
    Ok(context.calls)
}

fn variable(name: &str) -> Result<String, Box<dyn Error>> {
    env::var(name).map_err(|error| format!("{name}: {error}").into())
}
