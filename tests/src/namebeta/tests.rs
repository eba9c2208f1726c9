//! `NameBeta` over real sockets.

use serde_json::{Value, json};

use crate::testing::{Received, Sent};
use crate::{Ending, NameBeta, NameBetaOptions};

/// A request with neither version header nor handshake.
fn request(id: u64, method: &str, params: &Value) -> Sent {
    Sent::post("/mcp", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
}

fn call(id: u64, tool: &str, arguments: &Value) -> Sent {
    request(id, "tools/call", &json!({ "name": tool, "arguments": arguments }))
}

/// A refusal by status: a JSON-RPC error without id.
fn assert_refused(received: &Received, status: u16, code: i64) {
    assert_eq!(received.status, status, "{received:?}");
    assert_eq!(received.header("content-type"), Some("application/json"));
    let message = received.message();
    assert_eq!(message["jsonrpc"], "2.0");
    assert_eq!(message["error"]["code"], code);
    assert_eq!(message.get("id"), Some(&Value::Null));
}

/// Text of a failed result, after checking its exact shape.
fn failure(received: &Received, id: u64) -> String {
    assert_eq!(received.status, 200);
    assert_eq!(received.header("content-type"), Some("application/json"));
    let message = received.message();
    let text = message["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let expected = json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": { "content": [{ "type": "text", "text": text }], "isError": true },
    });
    assert_eq!(message, expected);
    assert!(received.body.starts_with(r#"{"result":{"content":"#), "result comes first: {}", received.body);
    text
}

#[tokio::test]
async fn documented_failures_word_for_word() {
    let server = NameBeta::start().await.unwrap();
    let fail = |tool: &str, arguments: Value| failure(&call(4, tool, &arguments).to(server.addr()), 4);
    assert_eq!(fail("check_availability", json!({ "domains": ["!!!"] })), "Invalid domain format");
    assert_eq!(
        fail("compare_prices", json!({ "domain": "kettlory" })),
        "MCP error -32602: Input validation error: Invalid arguments for tool compare_prices: \
         A full domain name is required at domain"
    );
    assert_eq!(
        fail("check_availability", json!({ "domains": vec!["a.com"; 21] })),
        "MCP error -32602: Input validation error: Invalid arguments for tool check_availability: \
         Too big: expected array to have <=20 items at domains"
    );
    assert_eq!(fail("nope", json!({})), "MCP error -32602: Tool nope not found");
    assert_eq!(fail("check_availability", json!({ "domains": ["a.com", "b.zzz"] })), "Invalid domain format");
    assert_eq!(fail("compare_prices", json!({ "domain": "!!!.zzz" })), "Invalid domain format");
    assert_eq!(server.executions("check_availability"), 2, "refused calls do not reach the tool");
    assert_eq!(server.executions("compare_prices"), 1);
    assert_eq!(server.executions("nope"), 0);
}

#[tokio::test]
async fn wrong_types_are_named() {
    let server = NameBeta::start().await.unwrap();
    let fail = |tool: &str, arguments: Value| {
        let text = failure(&call(1, tool, &arguments).to(server.addr()), 1);
        text.rsplit_once(": ").map(|(_, detail)| detail.to_owned()).unwrap()
    };
    assert_eq!(fail("check_availability", json!({})), "expected array, received undefined at domains");
    assert_eq!(
        fail("check_availability", json!({ "domains": [] })),
        "expected array to have >=1 items at domains"
    );
    assert_eq!(
        fail("check_availability", json!({ "domains": ["a.com", 1] })),
        "expected string, received number at domains[1]"
    );
    assert_eq!(fail("compare_prices", json!({ "domain": null })), "expected string, received null at domain");
}

#[tokio::test]
async fn a_success_says_neither_complete_nor_no_error() {
    let server = NameBeta::start().await.unwrap();
    let received =
        call(1, "check_availability", &json!({ "domains": ["Ket tlory.COM", "taken.io"] })).to(server.addr());
    let result = received.message()["result"].clone();
    assert_eq!(result.as_object().unwrap().keys().collect::<Vec<_>>(), ["content"]);
    assert_eq!(
        received.tool_text()["results"],
        json!([{ "domain": "kettlory.com", "available": true }, { "domain": "taken.io", "available": false }]),
        "stray characters are dropped silently"
    );
    let twenty = call(2, "check_availability", &json!({ "domains": vec!["a.com"; 20] })).to(server.addr());
    assert_eq!(twenty.tool_text()["results"].as_array().unwrap().len(), 20);
    let prices = call(3, "compare_prices", &json!({ "domain": "kettlory.com" })).to(server.addr());
    assert_eq!(prices.tool_text()["offers"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_lookup_can_fail() {
    let options =
        NameBetaOptions { lookup_failure: Some("WHOIS timed out".to_owned()), ..NameBetaOptions::default() };
    let server = NameBeta::start_with(options).await.unwrap();
    let received = call(1, "compare_prices", &json!({ "domain": "a.com" })).to(server.addr());
    assert_eq!(failure(&received, 1), "WHOIS timed out");
    assert_eq!(server.executions("compare_prices"), 1);
    let refused = call(2, "compare_prices", &json!({ "domain": "a" })).to(server.addr());
    assert!(failure(&refused, 2).starts_with("MCP error -32602:"));
}

#[tokio::test]
async fn the_modern_version_is_refused() {
    let server = NameBeta::start().await.unwrap();
    for sent in
        [Sent::modern(1, "server/discover", json!({})), Sent::modern(2, "tools/call", json!({ "name": "x" }))]
    {
        let received = sent.to(server.addr());
        assert_refused(&received, 400, -32000);
        let message = received.message();
        let text = message["error"]["message"].as_str().unwrap();
        assert!(
            text.starts_with(
                "Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25, "
            ),
            "{text}"
        );
    }
}

#[tokio::test]
async fn older_versions_need_no_handshake() {
    let server = NameBeta::start().await.unwrap();
    let call = call(1, "compare_prices", &json!({ "domain": "a.com" }));
    assert_eq!(call.to(server.addr()).status, 200);
    assert_eq!(call.header("MCP-Protocol-Version", "2025-11-25").to(server.addr()).status, 200);
    let asked = json!({ "protocolVersion": "2026-07-28" });
    let received =
        request(1, "initialize", &asked).header("MCP-Protocol-Version", "2026-07-28").to(server.addr());
    assert_eq!(received.message()["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(received.header("mcp-session-id"), None);
    let tools = request(2, "tools/list", &json!({})).to(server.addr()).message()["result"]["tools"].clone();
    assert_eq!(tools[0]["name"], "check_availability");
    assert_eq!(tools[0]["inputSchema"]["properties"]["domains"]["maxItems"], 20);
    assert_eq!(tools[1]["name"], "compare_prices");
}

#[tokio::test]
async fn unknown_methods_and_notifications() {
    let server = NameBeta::start().await.unwrap();
    let received = request(3, "no/such", &json!({})).to(server.addr());
    assert_eq!(received.status, 200);
    assert_eq!(
        received.message(),
        json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": -32601, "message": "Method not found" } })
    );
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let received = Sent::post("/mcp", body).to(server.addr());
    assert_eq!((received.status, received.body.as_str()), (202, ""));
}

/// A request that is wrong everywhere, repaired one check at a time: so the order is seen.
#[tokio::test]
async fn refusals_come_in_order() {
    let options =
        NameBetaOptions { require_token: Some("t".to_owned()), quota: Some(5), ..NameBetaOptions::default() };
    let server = NameBeta::start_with(options).await.unwrap();
    let addr = server.addr();
    for verb in ["GET", "DELETE"] {
        let get = Sent::new(verb, "/mcp");
        let received = get.to(addr);
        assert_refused(&received, 401, -32000);
        assert_eq!(
            received.header("www-authenticate"),
            Some(r#"Bearer realm="namebeta", error="invalid_token""#)
        );
        let received = get.header("Authorization", "Bearer t").to(addr);
        assert_refused(&received, 405, -32000);
        assert_eq!(received.header("allow"), Some("POST"));
    }
    let wrong = |body: &str| {
        Sent::post("/mcp", body)
            .header("Authorization", "Bearer t")
            .header("MCP-Protocol-Version", "1999-01-01")
            .header("Accept", "application/json")
            .header("Content-Type", "text/plain")
    };
    let accept = "text/event-stream, application/json";
    assert_refused(&wrong("[").header("Authorization", "Bearer u").to(addr), 401, -32000);
    assert_refused(&wrong("[").to(addr), 406, -32000);
    assert_refused(&wrong("[").header("Accept", accept).to(addr), 415, -32000);
    let json = |body: &str| wrong(body).header("Accept", accept).header("Content-Type", "application/json");
    assert_refused(&json("[").to(addr), 400, -32700);
    assert_refused(&json("[{}, {}]").to(addr), 400, -32600);
    assert_refused(&json(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).to(addr), 400, -32000);
    // The five that reached the quota have used it up.
    let received = wrong("[").to(addr);
    assert_refused(&received, 429, -32000);
    assert_eq!(received.header("retry-after"), Some("1"));
    assert_refused(&wrong("[").header("Authorization", "").to(addr), 401, -32000);
    let statuses: Vec<_> = server.posts().iter().map(|post| post.status.unwrap()).collect();
    assert_eq!(statuses, [401, 406, 415, 400, 400, 400, 429, 401]);
    assert_eq!(server.other_requests().len(), 4);
}

#[tokio::test]
async fn a_quota_is_refilled_after_its_time() {
    let options = NameBetaOptions {
        quota: Some(1),
        retry_after: std::time::Duration::from_millis(1500),
        ..NameBetaOptions::default()
    };
    let server = NameBeta::start_with(options).await.unwrap();
    let ping = request(1, "ping", &json!({}));
    assert_eq!(ping.to(server.addr()).status, 200);
    let refused = ping.to(server.addr());
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("2")),
        "whole seconds, never too few"
    );
    assert_eq!(ping.to(server.addr()).status, 429);
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    assert_eq!(ping.to(server.addr()).status, 200);
    assert_eq!(ping.to(server.addr()).status, 429);
}

#[tokio::test]
async fn the_log_shows_what_came() {
    let server = NameBeta::start().await.unwrap();
    assert!(server.url().starts_with("http://127.0.0.1:"));
    request(1, "ping", &json!({})).to(server.addr());
    let posts = server.posts_when(|posts| posts.len() == 1).await.unwrap();
    assert_eq!((posts[0].method.as_deref(), posts[0].ending), (Some("ping"), Ending::Answered));
    assert_eq!(request(1, "ping", &json!({})).on("/other").to(server.addr()).status, 404);
    assert_eq!(server.connections(), 2);
    server.clear_log();
    assert!(server.posts().is_empty());
}
