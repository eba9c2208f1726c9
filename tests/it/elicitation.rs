//! Forms and links of servers: what is declared, shown, checked and sent.

mod declared;
mod forms;
mod links;

use mcp_client::{Client, Continuation, InputKinds, ToolOutcome};
use serde_json::Value;

use crate::stage::{Canned, Stage};

/// A stage whose client takes forms and links.
async fn stage() -> Stage {
    Stage::with(|builder| builder.accept_input(InputKinds::FORM | InputKinds::URL)).await
}

/// A result that asks for one elicitation, `k`, with these parameters, and hands out a state.
fn asks(params: &str, state: &str) -> Canned {
    let request = format!(r#"{{"method":"elicitation/create","params":{params}}}"#);
    Canned::result(&format!(
        r#"{{"resultType":"input_required","inputRequests":{{"k":{request}}},"requestState":"{state}"}}"#
    ))
}

/// A form with these properties.
fn form(properties: &str, required: &str) -> String {
    format!(
        r#"{{"message":"Who?","requestedSchema":{{"type":"object","properties":{properties},"required":{required}}}}}"#
    )
}

/// The continuation of a call that is answered so.
async fn ask(stage: &Stage, client: &Client, reply: &Canned) -> Continuation {
    stage.answers(reply);
    match client.call_tool("x").arguments(serde_json::json!({ "pin": "4711" })).send().await {
        Ok(ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("no request for input: {other:?}"),
    }
}

/// The log of POSTs: of each the id, the answers and the state.
fn log(stage: &Stage) -> Vec<(Value, Value, Value)> {
    let part = |body: &Value, name: &str| body["params"].get(name).cloned().unwrap_or_default();
    stage
        .bodies()
        .iter()
        .map(|body| (body["id"].clone(), part(body, "inputResponses"), part(body, "requestState")))
        .collect()
}
