//! Two clients of one server and one budget: when the server is down, they do not knock twice as often.

use std::{error::Error, sync::Arc, time::Duration};

use mcp_client::{
    CallError, CallRecord, Client, ToolOutcome,
    retry::{Constant, Retry, Tokens},
};
use mcp_tests::Kitchen;
use serde_json::json;

const TOOL: &str = "run_configured_test_scenario";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let kitchen = Kitchen::start().await?;
    // A repetition costs one token; a success at the first try gives a tenth back. First tries are free.
    let budget = Arc::new(Tokens::new(3));
    let pause = Constant(Duration::from_millis(20));
    let retry = Retry::builder().budget(Arc::clone(&budget)).backoff(pause).build();
    let agent = Client::http(&kitchen.url())?.retry(retry.clone()).build()?;
    let batch = Client::http(&kitchen.url())?.retry(retry).build()?;

    println!("The server refuses everything (429):\n");
    kitchen.switch("errors.http_status_sequence", json!({ "statusCodes": [429] }))?;
    for (name, client) in [("agent", &agent), ("batch", &batch), ("agent", &agent), ("batch", &batch)] {
        report(name, &client.call_tool(TOOL).send().await, &budget);
    }

    println!("\nIt is well again, and ten calls of either client fill the budget by one token:\n");
    kitchen.switch("baseline", json!({}))?;
    for _ in 0..9 {
        agent.call_tool(TOOL).send().await?.into_success()?;
    }
    report("batch", &batch.call_tool(TOOL).send().await, &budget);

    println!("\nIt refuses once, and a repetition helps. That costs nothing:\n");
    kitchen.switch("errors.http_status_sequence", json!({ "statusCodes": [429, 200] }))?;
    report("agent", &agent.call_tool(TOOL).send().await, &budget);
    Ok(())
}

fn report(name: &str, outcome: &Result<ToolOutcome, CallError>, budget: &Tokens) {
    let record = CallRecord::of(outcome);
    if let Some(record) = record {
        let (ended, posts) = (record.outcome.as_str(), record.post_count());
        let (stopped, left) = (record.attempts.stopped(), budget.left());
        println!("  {name}  {ended:<13} POSTs: {posts}  stopped: {stopped:?}  tokens left: {left}");
    }
}
