//! What the server was sent.

use mcp_tests::{FaultServer, Kitchen, Post, Reply};
use serde_json::{Value, json};

pub(crate) const TOOL: &str = "run_configured_test_scenario";

/// A Test Kitchen with that scenario.
pub(crate) async fn kitchen(scenario: &str, params: Value) -> Kitchen {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch(scenario, params).unwrap();
    kitchen
}

/// Two POSTs, and no more: the call, and the same call again with a new id, the state as it came, and these answers only.
#[track_caller]
pub(crate) fn assert_answered(kitchen: &Kitchen, state: &str, answers: &Value) {
    let posts = kitchen.posts();
    assert_eq!((posts.len(), kitchen.other_requests().len()), (2, 0), "{posts:#?}");
    assert_round(&posts[0], &posts[1], state, answers);
}

/// A later round of the call that the first POST began.
#[track_caller]
pub(crate) fn assert_round(first: &Post, later: &Post, state: &str, answers: &Value) {
    assert_ne!(first.id, later.id, "a new id");
    assert_eq!((first.at("/params/inputResponses"), first.at("/params/requestState")), (None, None));
    assert_eq!(later.at("/params/inputResponses"), Some(answers));
    assert_eq!(later.at("/params/requestState"), Some(&json!(state)));
    for unchanged in ["/method", "/params/name", "/params/arguments", "/params/_meta"] {
        assert_eq!(first.at(unchanged), later.at(unchanged), "{unchanged}");
    }
}

/// The answer of the Kitchen to the reason.
pub(crate) fn accepted(reason: &str) -> Value {
    json!({ "elicitation": { "action": "accept", "content": { "reason": reason } } })
}

/// A server that asks once with this form, with state `s`, and is content with any answer.
pub(crate) async fn asks(message: &str, schema: &Value) -> FaultServer {
    asks_for(&json!({ "form": { "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } } })).await
}

/// A server that asks once for this, with state `s`, and is content with any answer.
pub(crate) async fn asks_for(requests: &Value) -> FaultServer {
    let asked = json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "s" });
    let ended = json!({ "content": [{ "type": "text", "text": "the tool is done" }] });
    FaultServer::start(
        [asked, ended].map(|result| {
            Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
        }),
    )
    .await
    .unwrap()
}

/// What was sent in the second round: the answers.
#[track_caller]
pub(crate) fn answers(server: &FaultServer) -> Value {
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "{requests:#?}");
    let posts: Vec<Value> = requests.iter().map(|request| request.json().unwrap()).collect();
    assert_ne!(posts[0]["id"], posts[1]["id"]);
    assert_eq!(posts[1]["params"]["requestState"], "s");
    posts[1]["params"]["inputResponses"].clone()
}
