//! Serves a page on which a person answers what tools ask, without JavaScript, now or after a restart.

use std::process::ExitCode;

use clap::Parser;
use mcp_examples::approve_web::{Args, run};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("approve-web: {error}");
            ExitCode::from(2)
        }
    }
}
