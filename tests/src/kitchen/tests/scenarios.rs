//! The default set of scenarios.

use serde_json::{Value, json};

use crate::testing::{Received, Sent};
use crate::{Kitchen, SCENARIOS, SelectError};

async fn kitchen(scenario: &str, params: Value) -> Kitchen {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select(scenario, params).unwrap();
    kitchen
}

fn statuses(kitchen: &Kitchen) -> Vec<u16> {
    kitchen.posts().iter().map(|post| post.status.unwrap()).collect()
}

#[tokio::test]
async fn the_default_set_has_six() {
    let ids: Vec<_> =
        SCENARIOS.iter().filter(|scenario| scenario.default_set).map(|scenario| scenario.id).collect();
    assert_eq!(
        ids,
        [
            "baseline",
            "errors.http_status_sequence",
            "errors.jsonrpc_error",
            "errors.tool_error",
            "elicitation.approval",
            "compat.sdk_v2",
        ]
    );
    let kitchen = Kitchen::start().await.unwrap();
    for scenario in SCENARIOS {
        kitchen.select(scenario.id, Value::Null).unwrap();
        kitchen.select(scenario.id, json!({ "unknown": 1 })).unwrap();
    }
}

#[tokio::test]
async fn wrong_selections_are_refused_and_change_nothing() {
    let kitchen = kitchen("errors.http_status_sequence", json!({ "statusCodes": [418] })).await;
    assert_eq!(kitchen.select("nope", json!({})), Err(SelectError::UnknownScenario("nope".to_owned())));
    assert_eq!(kitchen.select("baseline", json!([])), Err(SelectError::ParamsNotAnObject));
    for (scenario, params) in [
        ("baseline", json!({ "slowReportDelayMs": "1" })),
        ("errors.http_status_sequence", json!({ "statusCodes": null })),
        ("errors.http_status_sequence", json!({ "statusCodes": [100] })),
        ("errors.jsonrpc_error", json!({ "code": 1.5 })),
        ("elicitation.approval", json!({ "requireReason": "yes" })),
        ("errors.http_status_per_method", json!({ "rules": { "tools/call": "401" } })),
        ("catalog.facet_unavailable", json!({ "unavailableFacets": [1] })),
    ] {
        let error = kitchen.select(scenario, params).unwrap_err();
        assert!(matches!(error, SelectError::BadParameter { .. }), "{error}");
    }
    assert_eq!(Sent::run(1).to(kitchen.addr()).status, 418);
}

#[tokio::test]
async fn baseline_counts_and_echoes() {
    let kitchen = kitchen("baseline", json!({ "slowReportDelayMs": 20 })).await;
    Sent::run(1).to(kitchen.addr());
    let params = json!({ "name": "run_configured_test_scenario", "arguments": { "message": "hi" } });
    let received = Sent::modern(2, "tools/call", params).to(kitchen.addr());
    assert_eq!(
        received.tool_text(),
        json!({ "scenarioId": "baseline", "invocation": 2, "delayMs": 20, "message": "hi" })
    );
    assert_eq!(kitchen.completions("run_configured_test_scenario"), 2);
}

#[tokio::test]
async fn statuses_follow_the_sequence_and_the_last_repeats() {
    let kitchen =
        kitchen("errors.http_status_sequence", json!({ "statusCodes": [429, 302, 204, 503] })).await;
    let addr = kitchen.addr();
    // Every kind of POST takes its turn, an unreadable one too.
    let first = Sent::modern(1, "server/discover", json!({})).to(addr);
    assert_eq!((first.status, first.body.as_str(), first.header("retry-after")), (429, "", None));
    let second = Sent::post("/mcp", "{").to(addr);
    assert_eq!((second.status, second.header("location"), second.header("content-type")), (302, None, None));
    let third = Sent::run(3).to(addr);
    assert_eq!(
        (third.status, third.tool_text()["invocation"].clone()),
        (200, json!(1)),
        "success goes on to the tool"
    );
    Sent::new("GET", "/mcp").to(addr);
    for _ in 0..3 {
        Sent::run(4).to(addr);
    }
    assert_eq!(statuses(&kitchen), [429, 302, 200, 503, 503, 503]);
    assert_eq!(kitchen.counters()["tools_call"], 4);
    assert_eq!(kitchen.executions("run_configured_test_scenario"), 1);
}

#[tokio::test]
async fn the_default_sequence_fails_once() {
    let kitchen = kitchen("errors.http_status_sequence", Value::Null).await;
    for id in 1..=3 {
        Sent::run(id).to(kitchen.addr());
    }
    assert_eq!(statuses(&kitchen), [503, 200, 200]);
}

#[tokio::test]
async fn an_empty_sequence_is_no_fault() {
    let kitchen = kitchen("errors.http_status_sequence", json!({ "statusCodes": [] })).await;
    assert_eq!(
        Sent::run(1).to(kitchen.addr()).tool_text(),
        json!({ "scenarioId": "errors.http_status_sequence", "invocation": 1 })
    );
}

#[tokio::test]
async fn a_jsonrpc_error_comes_in_a_200() {
    let kitchen = kitchen("errors.jsonrpc_error", Value::Null).await;
    let addr = kitchen.addr();
    // Other methods do not count.
    Sent::modern(1, "tools/list", json!({})).to(addr);
    let received = Sent::run(2).to(addr);
    assert_eq!(received.status, 200);
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(
        received.message(),
        json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32602, "message": "Invalid params" } })
    );
    let next = Sent::run(3).to(addr);
    assert_eq!(next.header("content-type"), Some("text/event-stream"));
    assert_eq!(next.tool_text(), json!({ "scenarioId": "errors.jsonrpc_error", "invocation": 1 }));
}

#[tokio::test]
async fn a_jsonrpc_error_can_be_shaped() {
    let params = json!({ "code": -32050, "message": "later", "onInvocation": 2 });
    let kitchen = kitchen("errors.jsonrpc_error", params).await;
    assert!(Sent::run(1).to(kitchen.addr()).message().get("error").is_none());
    let second = Sent::run(2).to(kitchen.addr()).message();
    assert_eq!(second["error"], json!({ "code": -32050, "message": "later" }));
    assert!(Sent::run(3).to(kitchen.addr()).message().get("error").is_none());
}

#[tokio::test]
async fn forged_answers_echo_small_ids_only() {
    let kitchen = kitchen("errors.jsonrpc_error", Value::Null).await;
    for (id, echoed) in [
        (json!("a'b"), json!("a'b")),
        (json!(2_147_483_647), json!(2_147_483_647)),
        (json!(-2_147_483_648_i64), json!(-2_147_483_648_i64)),
        (json!(2_147_483_648_i64), Value::Null),
        (json!(1.5), Value::Null),
        (json!(true), Value::Null),
        (Value::Null, Value::Null),
    ] {
        kitchen.terminate_sessions();
        assert_eq!(Sent::run(id.clone()).to(kitchen.addr()).message()["id"], echoed, "{id}");
    }
    // A real answer echoes a big one.
    assert_eq!(
        Sent::run(9_007_199_254_740_993_i64).to(kitchen.addr()).message()["id"],
        9_007_199_254_740_993_i64
    );
}

#[tokio::test]
async fn a_tool_error_is_a_result() {
    let kitchen =
        kitchen("errors.tool_error", json!({ "errorMessage": "no \"luck\"", "onInvocation": 2 })).await;
    let addr = kitchen.addr();
    let first = Sent::run(1).to(addr);
    assert!(first.message()["result"].get("isError").is_none());
    assert_eq!(first.tool_text(), json!({ "scenarioId": "errors.tool_error", "invocation": 1 }));
    let params = json!({ "name": "run_configured_test_scenario", "arguments": { "message": "m" } });
    let second = Sent::modern(2, "tools/call", params).to(addr);
    assert_eq!(second.status, 200);
    assert_eq!(second.message()["result"]["isError"], true);
    assert_eq!(
        second.tool_text(),
        json!({ "scenarioId": "errors.tool_error", "invocation": 2, "errorMessage": "no \"luck\"", "message": "m" })
    );
}

fn answer(id: u64, responses: &Value) -> Sent {
    let params = json!({
        "name": "run_configured_test_scenario",
        "arguments": { "message": "m" },
        "inputResponses": responses,
        "requestState": "anything",
    });
    Sent::modern(id, "tools/call", params)
}

#[tokio::test]
async fn an_approval_takes_two_rounds() {
    let kitchen = kitchen("elicitation.approval", Value::Null).await;
    let addr = kitchen.addr();
    // No capability was declared, and it asks nevertheless.
    let asked = Sent::run(1).to(addr).message()["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(asked["requestState"], "awaiting-elicitation");
    assert!(asked.get("content").is_none());
    assert_eq!(
        asked["inputRequests"],
        json!({ "elicitation": {
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": "Approve running this MCP test scenario? Provide a short reason for the audit log.",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "reason": { "type": "string", "title": "Reason (recorded for audit)", "maxLength": 200 },
                    },
                    "required": ["reason"],
                },
            },
        } })
    );
    let accepted =
        answer(2, &json!({ "elicitation": { "action": "accept", "content": { "reason": "ok" } } })).to(addr);
    assert_eq!(accepted.message()["result"]["isError"], false);
    assert_eq!(accepted.message()["result"]["resultType"], "complete");
    assert_eq!(
        accepted.tool_text(),
        json!({
            "scenarioId": "elicitation.approval",
            "invocation": 2,
            "elicitationOutcome": "accepted",
            "approvalReason": "ok",
            "message": "m",
        })
    );
}

#[tokio::test]
async fn an_approval_can_be_refused() {
    let kitchen = kitchen("elicitation.approval", Value::Null).await;
    for action in ["decline", "cancel"] {
        let received = answer(1, &json!({ "elicitation": { "action": action } })).to(kitchen.addr());
        assert_eq!(received.message()["result"]["isError"], true);
        assert_eq!(received.tool_text()["elicitationOutcome"], action);
        assert!(received.tool_text().get("approvalReason").is_none());
    }
    let bare = answer(2, &json!({ "elicitation": { "action": "accept" } })).to(kitchen.addr());
    assert_eq!(bare.tool_text()["elicitationOutcome"], "accepted", "a missing reason is accepted");
}

#[tokio::test]
async fn an_answer_under_another_key_is_asked_for_again() {
    let kitchen =
        kitchen("elicitation.approval", json!({ "requireReason": false, "reasonMaxLength": 5 })).await;
    for id in 1..=3 {
        let received = answer(id, &json!({ "other": { "action": "accept" } })).to(kitchen.addr());
        let result = &received.message()["result"];
        assert_eq!(result["resultType"], "input_required");
        let schema = &result["inputRequests"]["elicitation"]["params"]["requestedSchema"];
        assert!(schema.get("required").is_none());
        assert_eq!(schema["properties"]["reason"]["maxLength"], 5);
    }
    assert_eq!(kitchen.executions("run_configured_test_scenario"), 3);
}

#[tokio::test]
async fn an_approval_is_unsupported_in_older_versions() {
    let kitchen = kitchen("elicitation.approval", Value::Null).await;
    let received =
        Sent::legacy(1, "tools/call", &json!({ "name": "run_configured_test_scenario" })).to(kitchen.addr());
    let result = &received.message()["result"];
    assert_eq!(result["isError"], true);
    assert!(result.get("resultType").is_none());
    assert_eq!(received.tool_text()["elicitationOutcome"], "unsupported");
}

fn close(id: u64, arguments: &Value) -> Sent {
    Sent::modern(id, "tools/call", json!({ "name": "simulate_ticket_close_mrtr", "arguments": arguments }))
}

fn assert_plain_success(received: &Received) {
    assert_eq!(received.status, 200);
    assert!(received.message()["result"].get("isError").is_none(), "{}", received.body);
}

#[tokio::test]
async fn compat_has_four_tools() {
    let kitchen = kitchen("compat.sdk_v2", Value::Null).await;
    let tools =
        Sent::modern(1, "tools/list", json!({})).to(kitchen.addr()).message()["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "run_configured_test_scenario",
            "simulate_ticket_close_mrtr",
            "show_negotiated_mcp_protocol",
            "verify_order_region_param_header",
        ]
    );
    assert_eq!(tools[3]["inputSchema"]["properties"]["region"]["x-mcp-header"], "Region");
    let index = Sent::run(2).to(kitchen.addr());
    assert_plain_success(&index);
    assert_eq!(index.tool_text()["compatMatrix"].as_array().unwrap().len(), 4);
    // The others are unknown elsewhere.
    kitchen.switch("baseline", Value::Null).unwrap();
    assert_eq!(close(3, &json!({ "ticketId": 1 })).to(kitchen.addr()).message()["error"]["code"], -32602);
}

#[tokio::test]
async fn a_ticket_is_closed_up_front() {
    let kitchen = kitchen("compat.sdk_v2", Value::Null).await;
    let received = close(1, &json!({ "ticketId": 42, "closeReason": "fixed" })).to(kitchen.addr());
    assert_plain_success(&received);
    assert_eq!(
        received.tool_text(),
        json!({
            "scenarioId": "compat.sdk_v2",
            "tool": "simulate_ticket_close_mrtr",
            "path": "upfront",
            "ticketId": 42,
            "closeReason": "fixed",
            "isMrtrSupported": true,
            "negotiatedProtocolVersion": "2026-07-28",
            "transportMode": "stateless",
            "compatCell": "2026-07-28/stateless/native",
            "message": "Closed ticket 42: fixed",
        })
    );
    let missing = close(2, &json!({ "closeReason": "x" })).to(kitchen.addr());
    assert_eq!(missing.message()["result"]["isError"], true);
    assert_eq!(
        missing.message()["result"]["content"][0]["text"],
        "An error occurred invoking 'simulate_ticket_close_mrtr'."
    );
}

#[tokio::test]
async fn a_ticket_is_closed_in_two_rounds() {
    let kitchen = kitchen("compat.sdk_v2", json!({ "defaultCloseReason": "  " })).await;
    let addr = kitchen.addr();
    let asked =
        close(1, &json!({ "ticketId": 42, "closeReason": null })).to(addr).message()["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(asked["requestState"], "42");
    let params = &asked["inputRequests"]["closeReason"]["params"];
    assert_eq!(params["message"], "Close ticket '42'? Accept the default reason or provide your own.");
    let field = &params["requestedSchema"]["properties"]["closeReason"];
    assert_eq!((&field["title"], &field["default"]), (&json!("Close reason"), &json!("completed")));
    let retry = |response: Value| {
        let params = json!({
            "name": "simulate_ticket_close_mrtr",
            "arguments": { "ticketId": 42 },
            "inputResponses": { "closeReason": response },
            "requestState": "42",
        });
        let received = Sent::modern(2, "tools/call", params).to(addr);
        assert_plain_success(&received);
        received.tool_text()
    };
    let own = retry(json!({ "action": "accept", "content": { "closeReason": "mine" } }));
    assert_eq!((&own["path"], &own["message"]), (&json!("mrtr"), &json!("Closed ticket 42: mine")));
    assert_eq!(retry(json!({ "action": "accept", "content": {} }))["closeReason"], "completed");
    let cancelled = retry(json!({ "action": "decline" }));
    assert_eq!(cancelled["path"], "cancelled");
    assert_eq!(cancelled["message"], "Ticket close cancelled");
    assert!(cancelled.get("closeReason").is_none() && cancelled.get("compatCell").is_none());
}

#[tokio::test]
async fn a_ticket_gets_guidance_in_older_versions() {
    let kitchen = kitchen("compat.sdk_v2", Value::Null).await;
    let call = json!({ "name": "simulate_ticket_close_mrtr", "arguments": { "ticketId": 7 } });
    let sent = Sent::legacy(1, "tools/call", &call);
    let received = sent.clone().to(kitchen.addr());
    assert_plain_success(&received);
    let text = received.tool_text();
    assert_eq!(text["path"], "guidance");
    assert_eq!(text["compatCell"], "2025-11-25/stateless/unsupported");
    assert_eq!(text["isMrtrSupported"], false);
    assert!(text.get("closeReason").is_none());
    assert!(text["message"].as_str().unwrap().contains("closeReason"));
    let unknown = sent.header("MCP-Protocol-Version", "").to(kitchen.addr()).tool_text();
    assert_eq!(unknown["compatCell"], "unknown/stateless/unsupported");
    assert_eq!(unknown["negotiatedProtocolVersion"], Value::Null);
}

#[tokio::test]
async fn compat_shows_the_headers() {
    let kitchen = kitchen("compat.sdk_v2", Value::Null).await;
    let shown =
        Sent::modern(1, "tools/call", json!({ "name": "show_negotiated_mcp_protocol" })).to(kitchen.addr());
    assert_plain_success(&shown);
    let text = shown.tool_text();
    assert_eq!(text["isJuly2026OrLater"], true);
    assert_eq!(
        text["headers"],
        json!({
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "show_negotiated_mcp_protocol",
            "Mcp-Session-Id": null,
        })
    );
}

#[tokio::test]
async fn compat_compares_the_mirrored_header() {
    let kitchen = kitchen("compat.sdk_v2", Value::Null).await;
    let sent = |region: &str| {
        let arguments = json!({ "region": region, "orderId": "o1" });
        Sent::modern(
            1,
            "tools/call",
            json!({ "name": "verify_order_region_param_header", "arguments": arguments }),
        )
    };
    let missing = sent("eu").to(kitchen.addr());
    assert_plain_success(&missing);
    assert_eq!(missing.tool_text()["receivedParamHeader"], Value::Null);
    assert_eq!(missing.tool_text()["headerMatchesBody"], false);
    assert_eq!(missing.tool_text()["status"], "ok:eu:o1");
    let matching = |region: &str, header: &str| {
        let text = sent(region).header("Mcp-Param-Region", header).to(kitchen.addr()).tool_text();
        assert_eq!(text["receivedParamHeader"], header);
        text["headerMatchesBody"].clone()
    };
    assert_eq!(matching("eu", "eu"), true);
    assert_eq!(matching("eu", "us"), false);
    assert_eq!(matching("ø", "=?base64?w7g=?="), true);
}
