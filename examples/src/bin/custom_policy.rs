//! A retry policy of your own, in ten lines: what the application knows of its tools, and nothing about safety.

use std::error::Error;

use mcp_client::{
    CallError, CallRecord, Client, ToolOutcome, async_trait,
    retry::{
        Attempt, Constant, Decision, FailureKind, Origin, Retry, RetryPolicy, RetryPolicyExt as _, Standard,
    },
};
use mcp_tests::Kitchen;
use serde_json::json;

const TOOL: &str = "run_configured_test_scenario";

/// Our tools say "try again" when a second try helps. Whether a call *can* be made again is not its business.
#[derive(Debug)]
struct ToolSaysSo;

#[async_trait]
impl RetryPolicy for ToolSaysSo {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        let failure = attempt.failure();
        match failure.message() {
            Some(said) if failure.kind() == FailureKind::ToolError && said.contains("try again") => {
                Decision::retry().by(Origin::Business)
            }
            _ => Decision::Abstain,
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let kitchen = Kitchen::start().await?;
    // The first opinion wins: where ours has none, the standard policy is asked.
    let policy = ToolSaysSo.or_else(Standard);
    let pause = Constant(std::time::Duration::from_millis(50));
    let retry = Retry::builder().policy(policy).backoff(pause).build();
    let client = Client::http(&kitchen.url())?.retry(retry).build()?;

    println!("A tool that says \"The desk is busy, try again\" the first time it is called:\n");
    let busy = json!({ "errorMessage": "The desk is busy, try again" });
    kitchen.switch("errors.tool_error", busy.clone())?;
    report("a call that may be repeated", &client.call_tool(TOOL).idempotent().send().await);
    kitchen.switch("errors.tool_error", busy)?;
    report("one that nobody vouches for", &client.call_tool(TOOL).send().await);

    println!("\nA tool that says something else, and a gateway that says 429:\n");
    kitchen.switch("errors.tool_error", json!({ "errorMessage": "No such account" }))?;
    report("our policy has no opinion", &client.call_tool(TOOL).idempotent().send().await);
    kitchen.switch("errors.http_status_sequence", json!({ "statusCodes": [429, 200] }))?;
    report("the standard policy has one", &client.call_tool(TOOL).send().await);
    Ok(())
}

fn report(what: &str, outcome: &Result<ToolOutcome, CallError>) {
    let record = CallRecord::of(outcome);
    if let Some(record) = record {
        let (ended, origin) = (record.outcome.as_str(), record.retry_origin().as_str());
        let posts = record.post_count();
        let stopped = record.attempts.stopped();
        println!("  {what:<28} {ended:<13} POSTs: {posts}  retried by: {origin:<9} stopped: {stopped:?}");
    }
}
