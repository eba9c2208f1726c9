//! What is asked for stands in `_meta`, and nothing else does.

use std::time::Duration;

use mcp_client::{
    CallToolBuilder, ElicitAnswer, InputKinds, ToolOutcome,
    retry::{Constant, Retry},
    types::{LoggingLevel, PromptReference},
};
use mcp_tests::{FaultServer, RawRequest, Reply};
use serde_json::{Value, json};

use super::{Heard, answered_after, done, progress};
use crate::{
    fault::{ANSWER, call, good, in_time, serve},
    stage::Canned,
};

fn meta(request: &RawRequest) -> Value {
    request.json().unwrap()["params"]["_meta"].clone()
}

/// The tokens of all requests, each of which is proven to be the id of its own.
fn tokens(requests: &[RawRequest]) -> Vec<Value> {
    let tokens = requests.iter().map(|request| {
        let token = meta(request)["progressToken"].clone();
        assert_eq!(token, request.json().unwrap()["id"]);
        token
    });
    tokens.collect()
}

#[tokio::test]
async fn prg_01_log_06_nothing_is_asked_for_by_default() {
    let (server, client) = serve([good()]).await;
    assert!(call(&client).await.is_ok());
    let meta = meta(&server.requests()[0]);
    let keys: Vec<&String> = meta.as_object().unwrap().keys().collect();
    let own = ["clientCapabilities", "clientInfo", "protocolVersion"];
    assert_eq!(keys, own.map(|key| format!("io.modelcontextprotocol/{key}")).iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn prg_01_each_way_of_asking_sends_the_id_as_the_token() {
    type Ask = fn(CallToolBuilder) -> CallToolBuilder;
    let ways: [(&str, Ask); 4] = [
        ("a function", |call| call.progress(|_| ())),
        ("a stream", |call| call.progress_stream().0),
        ("time from progress", CallToolBuilder::timeout_from_last_progress),
        ("a maximum", |call| call.max_timeout(Duration::from_secs(60))),
    ];
    for (what, ask) in ways {
        let (server, client) = serve([good()]).await;
        // Another call first, so that the id is not that of every first call.
        assert!(call(&client).await.is_ok());
        assert!(in_time(ask(client.call_tool("x")).send()).await.is_ok());
        let requests = server.requests();
        assert_eq!(meta(&requests[0]).get("progressToken"), None, "{what}");
        assert_eq!(tokens(&requests[1..]), [json!(2)], "{what}");
        assert_eq!(meta(&requests[1]).get("io.modelcontextprotocol/logLevel"), None, "{what}");
    }
}

/// Whatever the method, and for each page anew.
#[tokio::test]
async fn prg_02_every_method_asks_with_a_token_of_its_own() {
    let reply = |result: &Value| {
        let answer = json!({ "jsonrpc": "2.0", "id": "ID", "result": result }).to_string();
        Reply::sse(&[progress(1.0), answer.replace("\"ID\"", "{{id}}")])
    };
    let (server, client) = serve([
        reply(&json!({ "resultType": "complete", "contents": [] })),
        reply(&json!({ "resultType": "complete", "messages": [] })),
        reply(&json!({ "resultType": "complete", "completion": { "values": [] } })),
        reply(&json!({ "resultType": "complete", "tools": [], "nextCursor": "2", "ttlMs": 0, "cacheScope": "private" })),
        reply(&json!({ "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private" })),
        reply(&json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
            "ttlMs": 0, "cacheScope": "private",
        })),
    ])
    .await;
    let heard = Heard::new();
    assert!(client.read_resource("file:///a").progress(heard.listener()).send().await.is_ok());
    assert!(client.get_prompt("p").progress(heard.listener()).send().await.is_ok());
    let prompt = PromptReference::new("p");
    client.complete(prompt, "a", "v").progress(heard.listener()).send().await.unwrap();
    client.list_tools().progress(heard.listener()).all().await.unwrap();
    client.discover().progress(heard.listener()).send().await.unwrap();
    assert_eq!(tokens(&server.requests()), (1..=6).map(|id| json!(id)).collect::<Vec<_>>());
    assert_eq!(done(&heard.all()), [1.0; 6]);
}

#[tokio::test]
async fn prg_02_each_attempt_has_a_token_of_its_own() {
    let broken = Reply::sse(&[progress(0.25), progress(0.5)]);
    let (server, client) =
        serve([broken, Reply::status(503), Reply::sse(&[progress(0.75), ANSWER.into()])]).await;
    let heard = Heard::new();
    let retry = Retry::builder().backoff(Constant(Duration::from_millis(1))).build();
    let call = client.call_tool("x").idempotent().retry(retry).progress(heard.listener());
    let output = in_time(call.send()).await.unwrap().into_success().unwrap();
    assert_eq!(output.record().posts, [Some(200), Some(503), Some(200)]);
    assert_eq!(tokens(&server.requests()), [json!(1), json!(2), json!(3)]);
    assert_eq!(done(&heard.all()), [0.25, 0.5, 0.75], "of each attempt, in order");
}

/// The same listeners over all rounds of a call.
#[tokio::test]
async fn prg_10_each_round_has_a_token_of_its_own() {
    let form = r#"{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}"#;
    let asks = format!(
        r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{{"resultType":"input_required","inputRequests":{{"k":{form}}},"requestState":"s"}}}}"#
    );
    let server = FaultServer::start([
        Reply::sse(&[progress(1.0), asks.clone()]),
        // The token of the round before means nothing any more.
        Reply::sse(&[super::progress_of(&json!(1), 99.0), progress(2.0), asks]),
        Reply::sse(&answered_after(vec![progress(3.0)])),
    ])
    .await
    .unwrap();
    let client = crate::support::once(&server.url()).accept_input(InputKinds::FORM).build().unwrap();
    let heard = Heard::new();
    let call = client.call_tool("x").log(LoggingLevel::Info, |_| ()).progress(heard.listener());
    let mut outcome = in_time(call.send()).await.unwrap();
    for round in 1..=2 {
        let ToolOutcome::InputRequired(mut asked) = outcome else { panic!("{round}: {outcome:?}") };
        asked.answer("k", ElicitAnswer::accept_empty()).unwrap();
        outcome = in_time(asked.resume()).await.unwrap();
    }
    assert!(matches!(outcome, ToolOutcome::Success(_)), "{outcome:?}");
    let requests = server.requests();
    assert_eq!(tokens(&requests), [json!(1), json!(2), json!(3)]);
    for request in &requests {
        assert_eq!(meta(request)["io.modelcontextprotocol/logLevel"], "info", "asked for in each round");
    }
    assert_eq!(done(&heard.all()), [1.0, 2.0, 3.0]);
}

/// A token that the caller makes up would be that of another request.
#[tokio::test]
async fn prg_02_a_token_cannot_be_set_by_hand() {
    let stage = crate::stage::Stage::new().await;
    let refused = stage.client.call_tool("x").meta("progressToken", 7).send().await;
    crate::stage::assert_ending(&refused, crate::stage::INVALID_CALL, &[], &"token");
    let call = stage.client.call_tool("x").meta("io.modelcontextprotocol/logLevel", "debug");
    crate::stage::assert_ending(&call.send().await, crate::stage::INVALID_CALL, &[], &"level");
    assert_eq!(stage.count(), 0);
    stage.assert_ends(&Canned::result(crate::stage::OK), crate::stage::SUCCESS).await;
}
