//! Calls that need input first: what is shown, what may be answered, and how the call goes on.

mod answers;
mod failure;
mod kitchen;
mod privacy;
mod resume;
mod shown;
mod suspend;

use mcp_client::{Client, Continuation, InputKinds, ToolOutcome};

use crate::stage::{Canned, INPUT_REQUIRED, Stage, assert_ending};

const FORM: &str = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Why?","requestedSchema":{"type":"object","properties":{"reason":{"type":"string","maxLength":9},"count":{"type":"integer","minimum":1},"sure":{"type":"boolean"},"colour":{"type":"string","enum":["red","blue"]}},"required":["reason"]}}}"#;
const URL: &str = r#"{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://a.example/pay?k=v"}}"#;
const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":5}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;

/// Every kind there is.
fn all() -> InputKinds {
    InputKinds::FORM | InputKinds::URL | InputKinds::SAMPLING | InputKinds::ROOTS
}

/// A result that asks for input: the text of the requests, and the JSON text of the state.
fn asks(requests: &[(&str, &str)], state: Option<&str>) -> Canned {
    let list: Vec<String> = requests.iter().map(|(key, request)| format!(r#""{key}":{request}"#)).collect();
    let mut members = String::new();
    if !list.is_empty() {
        members.push_str(r#","inputRequests":{"#);
        members.push_str(&list.join(","));
        members.push('}');
    }
    if let Some(state) = state {
        members.push_str(r#","requestState":"#);
        members.push_str(state);
    }
    Canned::result(&format!(r#"{{"resultType":"input_required"{members}}}"#))
}

/// The continuation of a call with arguments that is answered so.
async fn continuation(stage: &Stage, client: &Client, reply: &Canned) -> Continuation {
    stage.answers(reply);
    let outcome = client.call_tool("x").arguments(serde_json::json!({ "pin": "4711" })).send().await;
    assert_ending(&outcome, INPUT_REQUIRED, &[200], reply);
    match outcome {
        Ok(ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("no request for input: {other:?}"),
    }
}

/// A stage whose client accepts every kind of input.
async fn stage() -> Stage {
    Stage::with(|builder| builder.accept_input(all())).await
}
