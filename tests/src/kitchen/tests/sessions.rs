//! Sessions, selection and counters.

use serde_json::{Value, json};

use crate::testing::Sent;
use crate::{Kitchen, KitchenOptions};

const RUN: &str = "run_configured_test_scenario";

fn teapot() -> Value {
    json!({ "statusCodes": [418] })
}

#[tokio::test]
async fn a_modern_client_gets_one_mixed_post() {
    let kitchen = Kitchen::start().await.unwrap();
    let addr = kitchen.addr();
    kitchen.select("errors.http_status_sequence", json!({ "statusCodes": [200] })).unwrap();
    assert_eq!(Sent::run(1).to(addr).tool_text()["scenarioId"], "errors.http_status_sequence");
    kitchen.select("errors.jsonrpc_error", Value::Null).unwrap();
    // The wire fault of the new scenario would answer this with an error; its tool answers.
    let mixed = Sent::run(2).to(addr);
    assert_eq!(mixed.tool_text(), json!({ "scenarioId": "errors.jsonrpc_error", "invocation": 1 }));
    // From now on all is new, and the counters began with the new session: this is its first tools/call.
    assert_eq!(Sent::run(3).to(addr).message()["error"]["code"], -32602);
}

#[tokio::test]
async fn a_scenario_that_always_blocks_is_never_left() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("errors.http_status_sequence", teapot()).unwrap();
    assert_eq!(Sent::run(1).to(kitchen.addr()).status, 418);
    kitchen.select("baseline", Value::Null).unwrap();
    for id in 2..=4 {
        assert_eq!(Sent::run(id).to(kitchen.addr()).status, 418);
    }
    kitchen.terminate_sessions();
    assert_eq!(Sent::run(5).to(kitchen.addr()).tool_text()["scenarioId"], "baseline");
}

#[tokio::test]
async fn initialize_takes_the_new_selection_at_once() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("errors.http_status_sequence", teapot()).unwrap();
    assert_eq!(Sent::run(1).to(kitchen.addr()).status, 418);
    kitchen.select("baseline", Value::Null).unwrap();
    let initialize = Sent::legacy(2, "initialize", &json!({}));
    let with_session = initialize.clone().header("Mcp-Session-Id", "s");
    assert_eq!(with_session.to(kitchen.addr()).status, 418, "not with a session id");
    assert_eq!(initialize.to(kitchen.addr()).status, 200);
}

#[tokio::test]
async fn counters_outlive_connections_and_initialize() {
    let kitchen = Kitchen::start().await.unwrap();
    Sent::run(1).to(kitchen.addr());
    Sent::legacy(2, "initialize", &json!({})).to(kitchen.addr());
    Sent::modern(3, "tools/call", json!({ "name": "unknown" })).to(kitchen.addr());
    assert_eq!(Sent::run(4).to(kitchen.addr()).tool_text()["invocation"], 2);
    let counters = kitchen.counters();
    assert_eq!((counters["http_request"], counters["tools_call"], counters[RUN]), (4, 3, 2));

    // The same selection again changes nothing.
    kitchen.select("baseline", json!({})).unwrap();
    assert_eq!(Sent::run(5).to(kitchen.addr()).tool_text()["invocation"], 3);

    kitchen.terminate_sessions();
    assert!(kitchen.counters().is_empty());
    assert_eq!(Sent::run(6).to(kitchen.addr()).tool_text()["invocation"], 1);
    assert_eq!(kitchen.executions(RUN), 4, "the total goes on");

    kitchen.reset_counters();
    assert_eq!((kitchen.executions(RUN), kitchen.completions(RUN)), (0, 0));
    assert_eq!(Sent::run(7).to(kitchen.addr()).tool_text()["invocation"], 1);
}

#[tokio::test]
async fn a_new_selection_resets_the_counters() {
    let kitchen = Kitchen::start().await.unwrap();
    Sent::run(1).to(kitchen.addr());
    kitchen.select("baseline", json!({ "slowReportDelayMs": 1 })).unwrap();
    assert_eq!(
        Sent::run(2).to(kitchen.addr()).tool_text(),
        json!({
            "scenarioId": "baseline", "invocation": 1, "delayMs": 1,
        })
    );
    assert_eq!(kitchen.counters().get("http_request"), None, "the mixed POST was counted on the old session");
}

#[tokio::test]
async fn callers_have_sessions_of_their_own() {
    let options = KitchenOptions { shared_pat: Some("all".to_owned()), ..KitchenOptions::default() };
    let kitchen = Kitchen::start_with(options).await.unwrap();
    kitchen.select("errors.http_status_sequence", teapot()).unwrap();
    kitchen.select_for("a", "errors.tool_error", Value::Null).unwrap();
    let run = |token: &str| Sent::run(1).header("Authorization", token).to(kitchen.addr());
    assert_eq!(run("").status, 418);
    assert_eq!(run("Bearer a").tool_text()["scenarioId"], "errors.tool_error");
    assert_eq!(run("Bearer b").tool_text()["scenarioId"], "baseline");
    assert_eq!(run("Bearer b").tool_text()["invocation"], 2);
    kitchen.select_for("all", "errors.tool_error", Value::Null).unwrap();
    assert_eq!(run("Bearer all").tool_text()["scenarioId"], "baseline", "the shared token selects nothing");
    assert_eq!(kitchen.counters()["http_request"], 1);
    assert_eq!(kitchen.counters_for("b")["http_request"], 2);
    assert_eq!(kitchen.executions(RUN), 4);
}
