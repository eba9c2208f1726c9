//! A server asks for approval, and you answer at the terminal.
//!
//! Without arguments it is the embedded Test Kitchen that asks. Without a terminal it shows what was asked, and ends: nobody is
//! there who could answer, and nothing is answered for them.

use std::{error::Error, process::ExitCode};

use clap::Parser;
use mcp_client::{Client, ToolOutcome, types::RawJson};
use mcp_examples::terminal::TerminalHandler;
use mcp_tests::Kitchen;
use serde_json::Value;

/// Calls a tool that asks for something before it finishes, and lets you answer.
///
/// Exit codes: 0 success, or nobody was there to answer; 1 the tool reported an error, or the call failed.
#[derive(Debug, Parser)]
struct Args {
    /// The URL of the server [default: the embedded Test Kitchen]
    url: Option<String>,
    /// The tool to call
    #[arg(long, default_value = "run_configured_test_scenario")]
    tool: String,
    /// Its arguments, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    arguments: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args = Args::parse();
    let arguments = RawJson::from_text(args.arguments)?;
    // The embedded server lives as long as the call.
    let (url, _kitchen) = if let Some(url) = args.url {
        (url, None)
    } else {
        let kitchen = Kitchen::start().await?;
        kitchen.select("elicitation.approval", Value::Null)?;
        (kitchen.url(), Some(kitchen))
    };
    let client = Client::http(&url)?.build()?;
    let person = TerminalHandler::new();

    // Asks the person for every round, sends the answers, and ends with what the tool says.
    let outcome = client.call_tool(&args.tool).arguments(arguments).drive(&person).await?;

    Ok(match outcome {
        ToolOutcome::Success(output) => {
            println!("{}", output.text());
            ExitCode::SUCCESS
        }
        ToolOutcome::ToolError(output) => {
            println!("{}", output.text());
            ExitCode::FAILURE
        }
        // Nothing is lost: it could be suspended, and resumed on another day.
        ToolOutcome::InputRequired(asked) => {
            if let Some(stop) = asked.stopped() {
                eprintln!("Not answered: {stop}.");
            }
            if !person.is_interactive() {
                eprintln!(
                    "There is no terminal to answer on. Start this on one, or see `resume_later` and `approve-web`."
                );
            }
            ExitCode::SUCCESS
        }
    })
}
