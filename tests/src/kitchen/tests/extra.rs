//! The scenarios beyond the default set.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Kitchen;
use crate::testing::{Received, Sent, connect};
use crate::{Ending, SCENARIOS};

async fn kitchen(scenario: &str, params: Value) -> Kitchen {
    assert!(SCENARIOS.iter().any(|known| known.id == scenario && !known.default_set));
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select(scenario, params).unwrap();
    kitchen
}

fn run(kitchen: &Kitchen, id: u64) -> Received {
    Sent::run(id).to(kitchen.addr())
}

#[tokio::test]
async fn a_connection_is_reset_before_any_byte() {
    use std::io::{ErrorKind, Read, Write};

    let kitchen = kitchen("errors.connection_close", json!({ "onInvocation": 2 })).await;
    assert_eq!(run(&kitchen, 1).status, 200);
    let mut stream = connect(kitchen.addr());
    stream.write_all(&Sent::run(2).bytes()).unwrap();
    assert_eq!(stream.read(&mut [0; 16]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    let cut = &kitchen.posts()[1];
    assert_eq!((cut.status, cut.ending), (None, Ending::Cut));
    assert_eq!(run(&kitchen, 3).status, 200);
    assert_eq!(kitchen.executions("run_configured_test_scenario"), 2);
}

#[tokio::test]
async fn a_connection_can_be_reset_on_initialize() {
    let kitchen = kitchen("errors.connection_close", json!({ "closeOn": "initialize" })).await;
    assert_eq!(run(&kitchen, 1).status, 200);
    let initialize = Sent::legacy(1, "initialize", &json!({}));
    assert!(initialize.try_to(kitchen.addr()).is_none());
    assert!(initialize.try_to(kitchen.addr()).is_some());
}

#[tokio::test]
async fn payloads_are_malformed_by_kind() {
    let one = r#"{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"ok"}]}}"#;
    for (kind, body) in [
        ("invalid_json", "{ not valid json".to_owned()),
        ("anything else", "{ not valid json".to_owned()),
        (
            "wrong_id",
            r#"{"jsonrpc":"2.0","id":99999,"error":{"code":-32602,"message":"Wrong id"}}"#.to_owned(),
        ),
        ("missing_jsonrpc", r#"{"id":1,"result":{}}"#.to_owned()),
        ("duplicate_response", format!("{one}\n{one}")),
    ] {
        let kitchen = kitchen("errors.malformed_payload", json!({ "kind": kind })).await;
        let received = run(&kitchen, 5);
        assert_eq!(received.status, 200);
        assert_eq!(received.header("content-type"), Some("application/json"));
        assert_eq!(received.body, body, "{kind}");
        assert_eq!(run(&kitchen, 6).tool_text()["invocation"], 1);
    }
}

#[tokio::test]
async fn a_malformed_payload_can_hit_any_post() {
    let kitchen =
        kitchen("errors.malformed_payload", json!({ "target": "http_request", "onInvocation": 2 })).await;
    assert_eq!(run(&kitchen, 1).status, 200);
    assert_eq!(Sent::modern(2, "tools/list", json!({})).to(kitchen.addr()).body, "{ not valid json");
}

#[tokio::test]
async fn statuses_go_by_method() {
    let kitchen = kitchen("errors.http_status_per_method", Value::Null).await;
    let call = run(&kitchen, 1);
    assert_eq!((call.status, call.body.as_str(), call.header("www-authenticate")), (401, "", None));
    assert_eq!(Sent::modern(2, "tools/list", json!({})).to(kitchen.addr()).status, 200);
    kitchen.switch("errors.http_status_per_method", json!({ "rules": { "tools/list": 500 } })).unwrap();
    assert_eq!(run(&kitchen, 3).status, 200);
    assert_eq!(Sent::modern(4, "tools/list", json!({})).to(kitchen.addr()).status, 500);
}

#[tokio::test]
async fn a_failure_can_look_like_a_success() {
    let kitchen = kitchen("errors.non_compliant_envelope", json!({ "httpStatus": 500 })).await;
    let received = run(&kitchen, 1);
    assert_eq!(received.status, 500);
    assert_eq!(
        received.message(),
        json!({ "jsonrpc": "2.0", "id": 1, "result": {
            "content": [{ "type": "text", "text": "ok" }], "isError": false,
        } })
    );
    assert_eq!(run(&kitchen, 2).status, 200);
    kitchen.switch("errors.non_compliant_envelope", json!({ "resultPayload": "[1]" })).unwrap();
    let received = run(&kitchen, 3);
    assert_eq!((received.status, received.message()["result"].clone()), (400, json!([1])));
}

#[tokio::test]
async fn a_token_is_refused_for_a_while_or_for_ever() {
    let kitchen = kitchen("auth.token_lifecycle", json!({ "rejectUntilInvocation": 2 })).await;
    let statuses: Vec<_> = (1..=3).map(|id| run(&kitchen, id).status).collect();
    assert_eq!(statuses, [401, 401, 200]);
    kitchen.switch("auth.token_lifecycle", json!({ "rejectForever": true })).unwrap();
    let statuses: Vec<_> = (1..=3).map(|id| run(&kitchen, id).status).collect();
    assert_eq!(statuses, [401, 401, 401]);
}

#[tokio::test]
async fn a_deaf_tool_runs_on_after_the_client_left() {
    use std::io::Write;

    let kitchen = kitchen("timeout.uncooperative_hang", json!({ "hangDurationMs": 400 })).await;
    let mut stream = connect(kitchen.addr());
    stream.write_all(&Sent::run(1).bytes()).unwrap();
    kitchen.posts_when(|posts| posts.len() == 1).await.unwrap();
    drop(stream);
    kitchen.posts_when(|posts| posts[0].ending == Ending::ClientGone).await.unwrap();
    let waiting = Instant::now();
    while kitchen.completions("run_configured_test_scenario") == 0 {
        assert!(waiting.elapsed() < Duration::from_secs(10), "the tool must come to its end");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let next = run(&kitchen, 2);
    assert_eq!(next.tool_text(), json!({ "scenarioId": "timeout.uncooperative_hang", "invocation": 2 }));
}

#[tokio::test]
async fn a_deadline_shows_its_delay() {
    let kitchen = kitchen("timeout.cooperative_deadline", json!({ "delayMs": 300 })).await;
    let started = Instant::now();
    let received = run(&kitchen, 1);
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(
        received.tool_text(),
        json!({ "scenarioId": "timeout.cooperative_deadline", "invocation": 1, "delayMs": 300 })
    );
}

#[tokio::test]
async fn a_late_response_comes_late() {
    let kitchen = kitchen("timeout.late_response", json!({ "delayMs": 300 })).await;
    let started = Instant::now();
    assert_eq!(run(&kitchen, 1).tool_text()["invocation"], 1);
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn only_initialize_hangs() {
    let kitchen = kitchen("timeout.init_hang", json!({ "initDelayMs": 200 })).await;
    let started = Instant::now();
    assert_eq!(Sent::legacy(1, "initialize", &json!({})).to(kitchen.addr()).status, 200);
    assert!(started.elapsed() >= Duration::from_millis(200));
    assert_eq!(run(&kitchen, 2).status, 200);
}

#[tokio::test]
async fn other_elicitations_ask_in_their_own_way() {
    let kitchen = kitchen("elicitation.decline", json!({ "promptMessage": "p" })).await;
    let asked = run(&kitchen, 1).message()["result"]["inputRequests"]["elicitation"]["params"].clone();
    assert_eq!(
        asked["requestedSchema"],
        json!({ "type": "object", "properties": { "confirm": { "type": "string", "maxLength": 32 } } })
    );
    kitchen.switch("elicitation.url_mode", Value::Null).unwrap();
    let asked = run(&kitchen, 2).message()["result"]["inputRequests"]["elicitation"]["params"].clone();
    assert_eq!((&asked["mode"], &asked["url"]), (&json!("url"), &json!("https://example.com/approve")));
    let params = json!({
        "name": "run_configured_test_scenario",
        "inputResponses": { "elicitation": { "action": "accept" } },
    });
    let accepted = Sent::modern(3, "tools/call", params).to(kitchen.addr());
    assert_eq!(accepted.tool_text()["elicitationOutcome"], "accepted");
}

#[tokio::test]
async fn a_facet_is_not_there() {
    let kitchen = kitchen("catalog.facet_unavailable", Value::Null).await;
    let received = Sent::modern(1, "resources/list", json!({})).to(kitchen.addr());
    assert_eq!(received.status, 200);
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(received.message()["error"], json!({ "code": -32601, "message": "Method not found" }));
    assert!(Sent::modern(2, "prompts/list", json!({})).to(kitchen.addr()).message().get("result").is_some());
}

#[tokio::test]
async fn pages_follow_the_counter_and_its_faults() {
    let kitchen = Kitchen::start().await.unwrap();
    let pages = |fault: &str, facet: &str, count: usize| -> Vec<Value> {
        let params =
            json!({ "totalItems": 7, "pageSize": 3, "facet": facet, "fault": fault, "faultAtPage": 2 });
        kitchen.switch("catalog.pagination", params).unwrap();
        let method = if facet == "prompts" { "prompts/list" } else { "resources/list" };
        (0..count).map(|_| Sent::modern(1, method, json!({})).to(kitchen.addr()).message()).collect()
    };
    let plain = pages("none", "resources", 3);
    let names = |page: &Value| page["result"]["resources"].as_array().unwrap().len();
    assert_eq!(plain.iter().map(names).collect::<Vec<_>>(), [3, 3, 1]);
    assert_eq!(plain[0]["result"]["nextCursor"], "page-2");
    assert_eq!(plain[2]["result"].get("nextCursor"), Some(&Value::Null), "written as null");
    assert!(plain[0]["result"].get("resultType").is_none());
    assert!(pages("cursor_loop", "resources", 2).iter().all(|page| page["result"]["nextCursor"] == "loop"));
    let twice = pages("duplicate_page", "prompts", 2);
    assert_eq!(twice[0]["result"]["prompts"], twice[1]["result"]["prompts"]);
    let broken = pages("error_after_page_n", "resources", 3);
    assert_eq!(broken[2]["error"], json!({ "code": -32603, "message": "Internal error after page" }));
}
