//! Sends every kind of message that the client can send. With `MCP_SENT_LOG` set they are logged, to be validated against
//! the official schema.

use std::error::Error;

use mcp_client::{
    Client, Continuation, ElicitAnswer, InputKinds, SuspendedCall, ToolOutcome,
    types::{CreateMessageResult, Implementation, InputResponse, ListRootsResult, RawJson, Root},
};
use mcp_tests::{FaultServer, Kitchen, Reply};
use serde_json::{Value, json};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const GOOD: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[]}}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    calls().await?;
    rounds().await?;
    restored().await?;
    kitchen().await
}

/// Calls of all shapes, by clients of all shapes.
async fn calls() -> Result {
    let server = FaultServer::start([Reply::json(200, GOOD)]).await?;
    let all = InputKinds::FORM | InputKinds::URL | InputKinds::SAMPLING | InputKinds::ROOTS;
    let http = || Client::http(&server.url());
    for client in [
        http()?.build()?,
        http()?.without_client_info().build()?,
        http()?.client_info(Implementation::new("agent ü", "1.2.0")).accept_input(all).build()?,
    ] {
        for name in ["get_weather", "two words", "天気", "", "a\r\nb", "=?base64?YQ==?="] {
            client.call_tool(name).send().await?.into_success()?;
        }
        for arguments in [
            "{}",
            r#"{"a":1,"b":[true,null,{"c":"ü"}],"d":12345678901234567890.5,"e":{}}"#,
            r#"{"inputResponses":1,"name":"x","_meta":[]}"#,
        ] {
            let arguments = RawJson::from_text(arguments.to_owned())?;
            client.call_tool("x").arguments(arguments).send().await?.into_success()?;
        }
        for kinds in [
            InputKinds::NONE,
            InputKinds::FORM,
            InputKinds::URL,
            InputKinds::SAMPLING,
            InputKinds::ROOTS,
            all,
        ] {
            client.call_tool("x").accept_input(kinds).send().await?.into_success()?;
        }
        let call = client.call_tool("x").arguments(json!({ "a": 1 })).meta("com.example/list", [1, 2]);
        let call = call
            .meta("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .meta("plain", ());
        call.scenario("all of it").header("X-Own", "1").send().await?.into_success()?;
    }
    Ok(())
}

/// One request of each kind, under a key that tells which.
fn questions() -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let form = json!({ "mode": "form", "message": "?", "requestedSchema": schema });
    let link = json!({ "mode": "url", "message": "?", "url": "https://example.com/" });
    let sample = json!({ "messages": [], "maxTokens": 10 });
    json!({
        "form": { "method": "elicitation/create", "params": form },
        "declined": { "method": "elicitation/create", "params": form },
        "cancelled": { "method": "elicitation/create", "params": form },
        "link": { "method": "elicitation/create", "params": link },
        "sample": { "method": "sampling/createMessage", "params": sample },
        "roots": { "method": "roots/list" },
        "raw": { "method": "elicitation/create", "params": form },
    })
}

fn reply(result: &Value) -> Reply {
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

/// Answers each request of `questions`. Numbers are whole: the published schema allows no others in a form, though
/// its text does.
fn answer(asked: &mut Continuation) -> Result {
    let keys: Vec<String> = asked.requests().iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        let answer: InputResponse = match key.as_str() {
            "form" => {
                ElicitAnswer::accept(&json!({ "name": "Ada", "age": 36, "ok": true, "tags": ["a", "b"] }))?
                    .into()
            }
            "declined" => ElicitAnswer::decline().into(),
            "cancelled" => ElicitAnswer::cancel().into(),
            "link" => ElicitAnswer::accept_empty().into(),
            "sample" => CreateMessageResult::text("model-1", "hello").into(),
            "roots" => ListRootsResult::new(vec![Root::new("file:///work").with_name("work")]).into(),
            _ => RawJson::from_text(r#"{"action":"accept","content":{"n":150}}"#.to_owned())?.into(),
        };
        asked.answer(&key, answer)?;
    }
    Ok(())
}

fn asked(outcome: ToolOutcome) -> Result<Continuation> {
    match outcome {
        ToolOutcome::InputRequired(asked) => Ok(asked),
        other => Err(format!("no request for input: {other:?}").into()),
    }
}

fn all() -> InputKinds {
    InputKinds::FORM | InputKinds::URL | InputKinds::SAMPLING | InputKinds::ROOTS
}

/// Rounds with all kinds of answers, with and without state, and state alone.
async fn rounds() -> Result {
    let server = FaultServer::start([
        reply(&json!({ "resultType": "input_required", "inputRequests": questions(), "requestState": "s \u{1F980}\n" })),
        reply(&json!({ "resultType": "input_required", "inputRequests": questions() })),
        reply(&json!({ "resultType": "input_required", "requestState": "" })),
        Reply::json(200, GOOD),
    ])
    .await?;
    let client = Client::http(&server.url())?.accept_input(all()).build()?;
    let call = client.call_tool("close_ticket").arguments(json!({ "id": 7 })).meta("com.example/a", 1);
    let mut outcome = call.send().await?;
    for _ in 0..3 {
        let mut round = asked(outcome)?;
        answer(&mut round)?;
        outcome = round.resume().await?;
    }
    outcome.into_success()?;
    Ok(())
}

/// A call that was suspended, stored, and restored by another client.
async fn restored() -> Result {
    let asks = json!({ "resultType": "input_required", "inputRequests": questions(), "requestState": "s" });
    let server = FaultServer::start([reply(&asks), Reply::json(200, GOOD)]).await?;
    let client = Client::http(&server.url())?.accept_input(all()).build()?;
    let first = asked(client.call_tool("x").arguments(json!({ "a": 1 })).send().await?)?;
    let stored = serde_json::to_string(&first.suspend())?;
    let suspended: SuspendedCall = serde_json::from_str(&stored)?;
    let mut round = Client::http(&server.url())?.build()?.restore(suspended)?;
    answer(&mut round)?;
    round.resume().await?.into_success()?;
    Ok(())
}

/// The same, with a server that checks what it gets.
async fn kitchen() -> Result {
    let kitchen = Kitchen::start().await?;
    let client = Client::http(&kitchen.url())?.accept_input(InputKinds::FORM).build()?;
    kitchen.switch("baseline", json!({}))?;
    client.call_tool("run_configured_test_scenario").send().await?.into_success()?;
    kitchen.switch("elicitation.approval", json!({}))?;
    let mut round = asked(client.call_tool("run_configured_test_scenario").send().await?)?;
    round.answer("elicitation", ElicitAnswer::accept(&json!({ "reason": "yes" }))?)?;
    round.resume().await?.into_success()?;
    Ok(())
}
