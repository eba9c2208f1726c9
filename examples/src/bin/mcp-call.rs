//! Calls any MCP server, and says which layer spoke.

use std::process::ExitCode;

use clap::Parser;
use mcp_examples::mcp_call::{Args, run};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    run(Args::parse()).await
}
