//! One call a layer, against the embedded Test Kitchen: what the server did, what the caller got, and whether the work
//! may have been done.

use std::error::Error;

use mcp_client::{CallError, CallRecord, Client, ElicitAnswer, InputKinds, ToolOutcome};
use mcp_tests::{FaultServer, Kitchen, Reply};
use serde_json::{Value, json};

const TOOL: &str = "run_configured_test_scenario";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("What the server does, and what the caller gets:\n");
    row("THE SERVER", "OUTCOME", "LAYER", "DELIVERY", "POSTS");
    let kitchen = Kitchen::start().await?;
    for (what, scenario, params) in [
        ("answers", "baseline", json!({})),
        ("says isError: true", "errors.tool_error", json!({})),
        ("asks for approval", "elicitation.approval", json!({})),
        ("answers with HTTP 503", "errors.http_status_sequence", json!({ "statusCodes": [503] })),
        ("answers with HTTP 429", "errors.http_status_sequence", json!({ "statusCodes": [429] })),
        ("answers with JSON-RPC -32602", "errors.jsonrpc_error", json!({})),
        ("sends text that is no JSON", "errors.malformed_payload", json!({ "kind": "invalid_json" })),
        ("answers with another id", "errors.malformed_payload", json!({ "kind": "wrong_id" })),
        ("closes the connection", "errors.connection_close", json!({})),
    ] {
        kitchen.switch(scenario, params)?;
        let client = Client::http(&kitchen.url())?.build()?;
        report(what, &client.call_tool(TOOL).arguments(json!({ "message": "hello" })).send().await);
    }
    let answer = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[]}}"#;
    let cutter = FaultServer::start([Reply::sse(&[answer]).half_event()]).await?;
    let client = Client::http(&cutter.url())?.build()?;
    report("cuts its event stream", &client.call_tool(TOOL).send().await);
    let client = Client::http("http://127.0.0.1:1/mcp")?.build()?;
    report("is not there", &client.call_tool(TOOL).send().await);
    report("(arguments are no object)", &client.call_tool(TOOL).arguments(7).send().await);

    approve(&kitchen).await?;
    repeat(&kitchen).await
}

/// A call that needs a person: asked in one exchange, answered in the next.
async fn approve(kitchen: &Kitchen) -> Result<(), Box<dyn Error>> {
    println!("\nA call that needs approval, in two rounds:\n");
    kitchen.switch("elicitation.approval", json!({}))?;
    let client = Client::http(&kitchen.url())?.accept_input(InputKinds::FORM).build()?;

    let mut outcome = client.call_tool(TOOL).send().await?;
    while let ToolOutcome::InputRequired(mut asked) = outcome {
        let keys: Vec<String> = asked.requests().iter().map(|(key, _)| key.to_owned()).collect();
        for key in keys {
            println!("  asked     `{key}` by request {}", id(asked.record()));
            // A real application shows the form to a person here.
            asked.answer(&key, ElicitAnswer::accept(&json!({ "reason": "the quickstart says so" }))?)?;
        }
        outcome = asked.resume().await?;
    }
    let ToolOutcome::Success(output) = outcome else {
        return Err("the call was not approved".into());
    };
    let said: Value = serde_json::from_str(&output.text())?;
    let said = said.get("elicitationOutcome").and_then(Value::as_str).unwrap_or("nothing");
    println!("  {said}  by request {}, a new id", id(output.record()));
    println!("\nThe record of that call, one JSON line:\n\n{}", output.record().to_json());
    Ok(())
}

/// A call that may have run is sent again only because somebody vouches for it.
async fn repeat(kitchen: &Kitchen) -> Result<(), Box<dyn Error>> {
    println!(
        "\nThe server answers 503, then works. The same call, without and with a word that it only reads:\n"
    );
    for vouched in [false, true] {
        kitchen.switch("errors.http_status_sequence", json!({ "statusCodes": [503, 200] }))?;
        let client = Client::http(&kitchen.url())?.build()?;
        let call = client.call_tool(TOOL);
        let outcome = if vouched { call.idempotent() } else { call }.send().await;
        let record = CallRecord::of(&outcome);
        let Some(record) = record else { continue };
        println!("  {}: {}", if vouched { "vouched for" } else { "unknown tool" }, record.outcome);
        for attempt in record.attempts.attempts() {
            let waited = attempt.delay.map(|delay| format!(" after {:?} ({:?})", delay.length, delay.source));
            let failed = attempt.failed.as_deref().unwrap_or("ok");
            println!("    attempt {}: {failed}{}", attempt.number, waited.unwrap_or_default());
        }
        if let Some(why) = record.attempts.stopped() {
            println!("    stopped: {why:?}");
        }
    }
    Ok(())
}

fn report(what: &str, outcome: &Result<ToolOutcome, CallError>) {
    let record = CallRecord::of(outcome);
    if let Some(record) = record {
        let posts = record.post_count().to_string();
        row(what, record.outcome.as_str(), record.layer.as_str(), record.delivery.as_str(), &posts);
    }
}

fn id(record: &CallRecord) -> String {
    record.request_id.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn row(what: &str, outcome: &str, layer: &str, delivery: &str, posts: &str) {
    println!("  {what:<30}{outcome:<20}{layer:<13}{delivery:<10}{posts}");
}
