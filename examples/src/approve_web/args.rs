//! The command line.

use std::{net::SocketAddr, path::PathBuf};

use clap::Parser;
use mcp_client::types::{JsonError, RawJson};

use super::desk::Offer;

/// Serves a page on which a person answers what tools ask.
///
/// Without a URL it calls the embedded Test Kitchen. Stop it with Ctrl-C; with --store, what waits is there at the next start.
#[derive(Debug, Parser)]
#[command(name = "approve-web", version)]
pub struct Args {
    /// The server to call [default: the embedded Test Kitchen]
    #[arg(long)]
    pub url: Option<String>,
    /// The tool that the page offers to call
    #[arg(long, default_value = "run_configured_test_scenario")]
    pub tool: String,
    /// The arguments that the page offers to call it with: a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub arguments: String,
    /// Keep calls that wait in this file, a database [default: in memory, gone at the end]
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// The loopback address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Send the bearer token in this environment variable
    #[arg(long, value_name = "VARIABLE")]
    pub bearer_env: Option<String>,
    /// How long the server may take for one round, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub timeout: f64,
}

impl Args {
    /// What the page offers to call.
    pub(super) fn offer(&self) -> Result<Offer, JsonError> {
        // Shown to be edited, so it is checked when it is sent; but a slip on the command line is told at once.
        RawJson::from_text(self.arguments.clone())?;
        Ok(Offer { tool: self.tool.clone(), arguments: self.arguments.clone() })
    }
}
