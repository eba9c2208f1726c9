//! Calls any MCP server, and says which layer spoke.

use std::process::ExitCode;

use clap::Parser;
use mcp_examples::mcp_call::{Args, run};
use tokio::runtime::Builder;

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("mcp-call: {error}");
            return ExitCode::from(2);
        }
    };
    let code = runtime.block_on(run(args));
    // A name that is still being looked up holds nothing up: the answer was told.
    runtime.shutdown_background();
    code
}
