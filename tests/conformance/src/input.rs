//! Calls that ask for input before they finish.

use std::error::Error;

use mcp_client::{Client, Continuation, ElicitAnswer, InputKinds, ToolOutcome, types::InputRequest};
use serde_json::json;

use crate::environment::Environment;

/// `sep-2322-client-request-state`: two calls that ask, with and without state, and two that must be left alone.
pub(crate) async fn request_state(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.accept_input(InputKinds::FORM).build()?;

    let stateful = ask(&client, "test_mrtr_echo_state").await?;
    // Between the rounds of another call: nothing of that one may get into it.
    client.call_tool("test_mrtr_unrelated").send().await?.into_success()?;
    confirm(stateful).await?;

    confirm(ask(&client, "test_mrtr_no_state").await?).await?;
    client.call_tool("test_mrtr_no_result_type").send().await?.into_success()?;
    Ok(())
}

async fn ask(client: &Client, tool: &str) -> Result<Continuation, Box<dyn Error>> {
    match client.call_tool(tool).send().await? {
        ToolOutcome::InputRequired(asked) => Ok(asked),
        other => Err(format!("`{tool}` should have asked for input: {other:?}").into()),
    }
}

/// Says yes to each form, once; a call that then asks again fails.
async fn confirm(mut asked: Continuation) -> Result<(), Box<dyn Error>> {
    let keys: Vec<String> = asked.requests().iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        match asked.request(&key) {
            Some(InputRequest::Elicit(_)) => {
                asked.answer(&key, ElicitAnswer::accept(&json!({ "confirmed": true }))?)?;
            }
            other => return Err(format!("no form: {other:?}").into()),
        }
    }
    asked.resume().await?.into_success()?;
    Ok(())
}
