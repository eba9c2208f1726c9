//! The protocol layer's checks, their order, and the status of errors.

use serde_json::{Value, json};

use crate::Kitchen;
use crate::testing::{Received, Sent};

/// A JSON rejection before the method was looked at.
fn assert_rejected(received: &Received, status: u16, code: i64, id: &Value) {
    assert_eq!(received.status, status, "{received:?}");
    assert_eq!(received.header("content-type"), Some("application/json"));
    let message = received.message();
    assert_eq!(message["error"]["code"], code, "{message}");
    assert_eq!(&message["id"], id);
}

/// A real answer that is an error: always an event stream.
fn assert_failed(received: &Received, status: u16, code: i64, id: &Value) {
    assert_eq!(received.status, status, "{received:?}");
    assert_eq!(received.header("content-type"), Some("text/event-stream"));
    let message = received.message();
    assert_eq!(message["error"]["code"], code, "{message}");
    assert_eq!(&message["id"], id);
}

/// A request that is wrong everywhere, repaired one check at a time: so the order is seen.
#[tokio::test]
async fn checks_come_in_order() {
    let kitchen = Kitchen::start().await.unwrap();
    let addr = kitchen.addr();
    let send = |body: &Value, headers: &[(&str, &str)]| {
        let mut sent = Sent::post("/mcp", body.to_string());
        for (name, value) in headers {
            sent = sent.header(name, value);
        }
        sent.to(addr)
    };
    let wrong = json!({ "id": 5, "method": "tools/call", "params": {} });
    let headers = [("Accept", "application/json"), ("MCP-Protocol-Version", "1999-01-01")];
    assert_rejected(&send(&wrong, &headers), 406, -32000, &Value::Null);
    assert_rejected(&send(&wrong, &headers[1..]), 400, -32600, &Value::Null);

    let mut body = wrong.clone();
    body["jsonrpc"] = json!("2.0");
    let received = send(&body, &headers[1..]);
    assert_rejected(&received, 400, -32022, &json!(5));
    assert_eq!(
        received.message()["error"]["data"],
        json!({ "supported": ["2026-07-28"], "requested": "1999-01-01" })
    );

    let modern = [("MCP-Protocol-Version", "2026-07-28")];
    assert_rejected(&send(&body, &modern), 400, -32602, &json!(5));
    body["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2025-11-25" });
    assert_rejected(&send(&body, &modern), 400, -32020, &json!(5));
    body["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });

    let mut headers = vec![modern[0]];
    assert_rejected(&send(&body, &headers), 400, -32020, &json!(5));
    headers.push(("Mcp-Method", "tools/list"));
    assert_rejected(&send(&body, &headers), 400, -32020, &json!(5));
    headers[1].1 = "tools/call";
    assert_rejected(&send(&body, &headers), 400, -32020, &json!(5));
    body["params"]["name"] = json!("run_configured_test_scenario");
    headers.push(("Mcp-Name", "another"));
    assert_rejected(&send(&body, &headers), 400, -32020, &json!(5));
    headers[2].1 = "run_configured_test_scenario";
    let received = send(&body, &headers);
    assert_rejected(&received, 400, -32602, &json!(5));
    assert!(received.message()["error"]["message"].as_str().unwrap().contains("clientCapabilities"));
    assert_eq!(kitchen.executions("run_configured_test_scenario"), 0);

    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    assert_eq!(send(&body, &headers).status, 200);
    assert_eq!(kitchen.executions("run_configured_test_scenario"), 1);
    assert_eq!(kitchen.counters()["http_request"], 11, "rejected POSTs are counted");
}

#[tokio::test]
async fn bodies_that_are_no_message() {
    let kitchen = Kitchen::start().await.unwrap();
    for body in [
        "",
        "{",
        "1",
        "null",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
    ] {
        assert_rejected(&Sent::post("/mcp", body).to(kitchen.addr()), 400, -32600, &Value::Null);
    }
}

#[tokio::test]
async fn another_content_type_fails_inside() {
    let kitchen = Kitchen::start().await.unwrap();
    let received = Sent::run(1).header("Content-Type", "text/plain").to(kitchen.addr());
    assert_eq!((received.status, received.body.as_str()), (500, ""));
    let received = Sent::run(1).header("Content-Type", "Application/JSON; charset=utf-8").to(kitchen.addr());
    assert_eq!(received.status, 200);
}

#[tokio::test]
async fn names_may_be_wrapped_in_base64() {
    let kitchen = Kitchen::start().await.unwrap();
    let call = Sent::run(1);
    // run_configured_test_scenario
    let wrapped = "=?base64?cnVuX2NvbmZpZ3VyZWRfdGVzdF9zY2VuYXJpbw==?=";
    assert_eq!(call.clone().header("Mcp-Name", wrapped).to(kitchen.addr()).status, 200);
    let broken = call.header("Mcp-Name", "=?base64?****?=").to(kitchen.addr());
    assert_rejected(&broken, 400, -32020, &json!(1));
}

#[tokio::test]
async fn a_header_that_the_body_contradicts() {
    let kitchen = Kitchen::start().await.unwrap();
    let missing = Sent::run(1).header("MCP-Protocol-Version", "").to(kitchen.addr());
    assert_rejected(&missing, 400, -32020, &json!(1));
    let older = Sent::run(1).header("MCP-Protocol-Version", "2025-11-25").to(kitchen.addr());
    assert_rejected(&older, 400, -32020, &json!(1));
    let initialize = Sent::legacy(1, "initialize", &json!({ "protocolVersion": "2025-06-18" }));
    assert_rejected(&initialize.to(kitchen.addr()), 400, -32020, &json!(1));
}

#[tokio::test]
async fn removed_methods_are_not_found() {
    let kitchen = Kitchen::start().await.unwrap();
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        let received = Sent::modern("a", method, json!({})).to(kitchen.addr());
        assert_rejected(&received, 404, -32601, &json!("a"));
    }
}

#[tokio::test]
async fn errors_have_the_status_of_their_code() {
    let kitchen = Kitchen::start().await.unwrap();
    let addr = kitchen.addr();
    assert_failed(&Sent::modern(1, "no/such", json!({})).to(addr), 404, -32601, &json!(1));
    assert_failed(&Sent::legacy(1, "no/such", &json!({})).to(addr), 200, -32601, &json!(1));
    assert_failed(&Sent::legacy(1, "server/discover", &json!({})).to(addr), 200, -32601, &json!(1));
    let unknown = Sent::modern(2, "tools/call", json!({ "name": "nope" })).to(addr);
    assert_failed(&unknown, 200, -32602, &json!(2));
    assert_eq!(unknown.message()["error"]["message"], "Unknown tool: 'nope'");
    let gone = json!({ "uri": "test://gone" });
    assert_failed(&Sent::modern(3, "resources/read", gone.clone()).to(addr), 200, -32602, &json!(3));
    assert_failed(&Sent::legacy(3, "resources/read", &gone).to(addr), 200, -32002, &json!(3));
    assert_failed(&Sent::modern(4, "prompts/get", json!({ "name": "x" })).to(addr), 200, -32602, &json!(4));
    let odd = json!({ "name": "run_configured_test_scenario", "arguments": [] });
    assert_failed(&Sent::modern(5, "tools/call", odd).to(addr), 200, -32602, &json!(5));
}

#[tokio::test]
async fn discover_offers_the_modern_version_only() {
    let kitchen = Kitchen::start().await.unwrap();
    let received = Sent::modern(1, "server/discover", json!({})).to(kitchen.addr());
    let result = &received.message()["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["resultType"], "complete");
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(0), &json!("private")));
    assert!(result["capabilities"]["tools"].is_object());
}

#[tokio::test]
async fn lists_have_the_catalogue() {
    let kitchen = Kitchen::start().await.unwrap();
    let result = |method: &str| {
        let result = Sent::modern(1, method, json!({})).to(kitchen.addr()).message()["result"].clone();
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(0), &json!("private")));
        result
    };
    let tools = result("tools/list")["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 1);
    assert_eq!(tools[0]["name"], "run_configured_test_scenario");
    assert_eq!(tools[0]["inputSchema"]["properties"]["message"], json!({ "type": "string" }));
    assert!(tools[0].get("annotations").is_none() && tools[0].get("outputSchema").is_none());
    let resources = result("resources/list")["resources"].clone();
    assert_eq!(resources[0]["uri"], "test://resources/valid");
    assert_eq!(resources[1]["name"], "invalid_resource");
    let prompts = result("prompts/list")["prompts"].clone();
    assert_eq!(prompts[0]["arguments"][0]["name"], "topic");
    assert_eq!(prompts[1]["name"], "invalid_prompt");
    assert_eq!(result("resources/templates/list")["resourceTemplates"], json!([]));
    assert_eq!(kitchen.counters()["resources_list"], 1);
    assert_eq!(kitchen.counters()["prompts_list"], 1);
}

#[tokio::test]
async fn the_valid_ones_can_be_read() {
    let kitchen = Kitchen::start().await.unwrap();
    let read =
        |method, params| Sent::modern(1, method, params).to(kitchen.addr()).message()["result"].clone();
    let resource = read("resources/read", json!({ "uri": "test://resources/valid" }));
    assert_eq!(resource["contents"][0]["mimeType"], "text/plain");
    assert!(resource["contents"][0]["text"].is_string());
    let prompt = read("prompts/get", json!({ "name": "valid_prompt", "arguments": { "topic": "rust" } }));
    assert_eq!(prompt["messages"][0]["role"], "user");
    assert_eq!(prompt["messages"][0]["content"]["text"], "Tell me about rust.");
    assert!(prompt.get("ttlMs").is_none());
}

#[tokio::test]
async fn the_invalid_ones_are_forged() {
    let kitchen = Kitchen::start().await.unwrap();
    // Not even the checks of the protocol layer come first.
    let body = r#"{"id":9,"method":"resources/read","params":{"uri":"test://resources/invalid"}}"#;
    let received = Sent::post("/mcp", body).header("Accept", "").to(kitchen.addr());
    assert_eq!(received.status, 200);
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(
        received.message(),
        json!({ "jsonrpc": "2.0", "id": 9, "result": { "contents": [
            { "type": "blob", "blob": "not-valid-base64!!!", "mimeType": "not-a-mime-type" },
        ] } })
    );
    let received = Sent::modern(10, "prompts/get", json!({ "name": "invalid_prompt" })).to(kitchen.addr());
    assert_eq!(
        received.message()["result"],
        json!({ "messages": [{ "content": { "type": "unknown_type", "text": "missing role field" } }] })
    );
}

#[tokio::test]
async fn older_versions_need_no_handshake() {
    let kitchen = Kitchen::start().await.unwrap();
    let call = Sent::legacy(1, "tools/call", &json!({ "name": "run_configured_test_scenario" }));
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", ""] {
        let received = call.clone().header("MCP-Protocol-Version", version).to(kitchen.addr());
        assert_eq!(received.status, 200, "{version}");
        let result = &received.message()["result"];
        assert!(result.get("resultType").is_none() && result.get("_meta").is_none());
        assert_eq!(result["content"][0]["type"], "text");
    }
    let list = Sent::legacy(1, "tools/list", &json!({})).to(kitchen.addr()).message();
    assert!(list["result"].get("ttlMs").is_none());
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {} });
    let received = Sent::legacy(1, "initialize", &initialize).to(kitchen.addr());
    assert_eq!(received.message()["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(received.header("mcp-session-id"), None);
    assert_eq!(Sent::legacy(1, "ping", &json!({})).to(kitchen.addr()).message()["result"], json!({}));
}

#[tokio::test]
async fn a_session_id_is_an_error_in_older_versions_only() {
    let kitchen = Kitchen::start().await.unwrap();
    let call = json!({ "name": "run_configured_test_scenario" });
    let legacy = Sent::legacy(1, "tools/call", &call).header("Mcp-Session-Id", "s").to(kitchen.addr());
    assert_rejected(&legacy, 400, -32000, &json!(1));
    assert_eq!(Sent::run(1).header("Mcp-Session-Id", "s").to(kitchen.addr()).status, 200);
}

#[tokio::test]
async fn notifications_are_accepted() {
    let kitchen = Kitchen::start().await.unwrap();
    let body = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let sent = Sent::post("/mcp", body).header("MCP-Protocol-Version", "2026-07-28");
    let received = sent.clone().header("Mcp-Method", "notifications/cancelled").to(kitchen.addr());
    assert_eq!((received.status, received.body.as_str()), (202, ""));
    assert_eq!(received.header("content-type"), None);
    assert_rejected(&sent.to(kitchen.addr()), 400, -32020, &Value::Null);
    assert_eq!(Sent::post("/mcp", body).to(kitchen.addr()).status, 202);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(Sent::post("/mcp", answer).to(kitchen.addr()).status, 202);
    assert_eq!(kitchen.counters()["http_request"], 4);
}

#[tokio::test]
async fn badly_typed_arguments_do_not_start_the_tool() {
    let kitchen = Kitchen::start().await.unwrap();
    let params = json!({ "name": "run_configured_test_scenario", "arguments": { "message": 5 } });
    let received = Sent::modern(1, "tools/call", params).to(kitchen.addr());
    let result = &received.message()["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["content"],
        json!([{ "type": "text", "text": "An error occurred invoking 'run_configured_test_scenario'." }])
    );
    assert_eq!(kitchen.executions("run_configured_test_scenario"), 0);
    assert_eq!(kitchen.counters()["tools_call"], 1);
}

#[tokio::test]
async fn listening_ends_at_once_without_grants() {
    let kitchen = Kitchen::start().await.unwrap();
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let received = Sent::modern("s", "subscriptions/listen", wanted).to(kitchen.addr());
    let events: Vec<Value> = received
        .body
        .split_terminator("\n\n")
        .map(|event| serde_json::from_str(event.strip_prefix("event: message\ndata: ").unwrap()).unwrap())
        .collect();
    assert_eq!(events[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(events[0]["params"]["notifications"], json!({}));
    assert_eq!(events[1]["id"], "s");
    assert_eq!(events[1]["result"]["resultType"], "complete");
}
