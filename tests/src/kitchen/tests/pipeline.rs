//! What happens before the protocol layer, and framing.

use std::io::{Read, Write};

use http::Method;
use serde_json::{Value, json};

use crate::testing::{Received, Sent, connect, parse};
use crate::{Ending, Kitchen, KitchenOptions};

fn assert_bare(received: &Received, status: u16) {
    assert_eq!(received.status, status);
    assert_eq!(received.body, "");
    for name in ["content-type", "www-authenticate", "retry-after", "location"] {
        assert_eq!(received.header(name), None, "{name}");
    }
}

#[tokio::test]
async fn baseline_answers_with_one_event() {
    let kitchen = Kitchen::start().await.unwrap();
    let received = Sent::run(7).to(kitchen.addr());
    assert_eq!(received.status, 200);
    assert_eq!(received.header("content-type"), Some("text/event-stream"));
    assert_eq!(received.header("cache-control"), Some("no-cache,no-store"));
    assert_eq!(received.header("content-encoding"), Some("identity"));
    assert_eq!(received.header("x-accel-buffering"), Some("no"));
    assert_eq!(received.header("transfer-encoding"), Some("chunked"));
    assert_eq!(received.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(received.header("mcp-session-id"), None);
    assert!(received.complete);
    assert!(received.body.starts_with("event: message\ndata: {"), "{}", received.body);
    assert!(received.body.ends_with("}\n\n"));
    let message = received.message();
    assert_eq!(message["jsonrpc"], "2.0");
    assert_eq!(message["id"], 7);
    assert_eq!(message["result"]["resultType"], "complete");
    assert!(message["result"].get("isError").is_none());
    assert_eq!(message["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-test-kitchen");
    assert_eq!(received.tool_text(), json!({ "scenarioId": "baseline", "invocation": 1, "delayMs": 0 }));
}

#[tokio::test]
async fn the_text_block_is_escaped_twice() {
    let kitchen = Kitchen::start().await.unwrap();
    let params = json!({ "name": "run_configured_test_scenario", "arguments": { "message": "a'ø" } });
    let received = Sent::modern(1, "tools/call", params).to(kitchen.addr());
    assert_eq!(received.tool_text()["message"], "a'ø");
    let text = received.message()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(text, r#"{"scenarioId":"baseline","invocation":1,"delayMs":0,"message":"a\u0027\u00F8"}"#);
    assert!(received.body.contains(r"\u0022message\u0022:\u0022a\\u0027\\u00F8\u0022"), "{}", received.body);
}

#[tokio::test]
async fn posts_are_logged_as_they_came() {
    let kitchen = Kitchen::start().await.unwrap();
    Sent::run("seven").header("X-Trace", "t1").to(kitchen.addr());
    Sent::post("/mcp", "{not json").to(kitchen.addr());
    let posts = kitchen.posts();
    assert_eq!(posts.len(), 2);
    let [first, second] = &posts[..] else { panic!() };
    assert_eq!((first.seq, first.connection), (1, 1));
    assert_eq!(first.path, "/mcp");
    assert_eq!(first.method.as_deref(), Some("tools/call"));
    assert_eq!(first.id, Some(json!("seven")));
    assert_eq!(first.header("x-trace"), Some("t1"));
    assert_eq!(first.at("/params/name"), Some(&json!("run_configured_test_scenario")));
    assert_eq!(serde_json::from_slice::<Value>(&first.raw).ok(), first.body);
    assert_eq!((first.status, first.ending), (Some(200), Ending::Answered));
    assert_eq!((second.seq, second.connection), (2, 2));
    assert_eq!(&second.raw[..], b"{not json");
    assert_eq!((&second.body, &second.method, &second.id), (&None, &None, &None));
    assert_eq!(second.status, Some(400));
    assert_eq!(kitchen.connections(), 2);

    kitchen.clear_log();
    assert!(kitchen.posts().is_empty());
    Sent::run(1).to(kitchen.addr());
    assert_eq!(kitchen.posts()[0].seq, 3);
}

#[tokio::test]
async fn connections_are_kept_alive() {
    let kitchen = Kitchen::start().await.unwrap();
    let mut stream = connect(kitchen.addr());
    for id in 1..=3 {
        stream.write_all(&Sent::run(id).bytes()).unwrap();
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        let received = loop {
            let read = stream.read(&mut piece).unwrap();
            assert_ne!(read, 0, "the connection must stay open");
            bytes.extend_from_slice(&piece[..read]);
            if let Some(received) = parse(&bytes).filter(|received| received.complete) {
                break received;
            }
        };
        assert_eq!(received.message()["id"], id);
    }
    assert_eq!(kitchen.connections(), 1);
    assert!(kitchen.posts().iter().all(|post| post.connection == 1));
}

#[tokio::test]
async fn http2_with_prior_knowledge_is_served() {
    use http_body_util::{BodyExt, Full};
    use hyper_util::rt::{TokioExecutor, TokioIo};

    let kitchen = Kitchen::start().await.unwrap();
    let stream = tokio::net::TcpStream::connect(kitchen.addr()).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let driver = tokio::spawn(connection);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let request = http::Request::post(kitchen.url())
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Full::new(bytes::Bytes::from_static(body.as_bytes())))
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    assert!(bytes.starts_with(b"event: message\ndata: "));
    assert_eq!(kitchen.posts()[0].http_version, http::Version::HTTP_2);
    driver.abort();
}

#[tokio::test]
async fn rate_then_length_then_token() {
    let options = KitchenOptions {
        require_pat: true,
        pats: vec!["mine".to_owned()],
        rate_limit: Some(3),
        ..KitchenOptions::default()
    };
    let kitchen = Kitchen::start_with(options).await.unwrap();
    let long = "x".repeat(65_537);
    // Each request fails more than one check; the first in order answers.
    assert_bare(&Sent::post("/mcp", long.clone()).to(kitchen.addr()), 413);
    assert_bare(&Sent::post("/mcp", "not json").to(kitchen.addr()), 401);
    let with_pat = Sent::run(1).header("Authorization", "Bearer mine");
    assert_eq!(with_pat.to(kitchen.addr()).status, 200);
    assert_bare(&with_pat.to(kitchen.addr()), 429);
    assert_bare(&Sent::post("/mcp", long).to(kitchen.addr()), 429);
    let statuses: Vec<_> = kitchen.posts().iter().map(|post| post.status.unwrap()).collect();
    assert_eq!(statuses, [413, 401, 200, 429, 429]);
    assert_eq!(kitchen.counters()["http_request"], 1, "refused requests are not counted");
}

#[tokio::test]
async fn the_longest_body_is_let_in() {
    let kitchen = Kitchen::start().await.unwrap();
    assert_eq!(Sent::post("/mcp", " ".repeat(65_536)).to(kitchen.addr()).status, 400);
}

#[tokio::test]
async fn a_long_chunked_body_is_a_parse_error() {
    let kitchen = Kitchen::start().await.unwrap();
    let text = "x".repeat(65_537);
    let chunked = format!("{:x}\r\n{text}\r\n0\r\n\r\n", text.len());
    let received = Sent::post("/mcp", chunked).header("Transfer-Encoding", "chunked").to(kitchen.addr());
    assert_eq!(received.status, 400);
    assert_eq!(received.header("content-type"), Some("application/json"));
    let message = received.message();
    assert_eq!((&message["error"]["code"], &message["id"]), (&json!(-32700), &Value::Null));
    assert!(kitchen.counters().is_empty());
}

#[tokio::test]
async fn unknown_tokens_are_refused() {
    let options = KitchenOptions {
        require_pat: true,
        pats: vec!["mine".to_owned(), "yours".to_owned()],
        shared_pat: Some("all".to_owned()),
        ..KitchenOptions::default()
    };
    let kitchen = Kitchen::start_with(options).await.unwrap();
    kitchen.select("errors.http_status_sequence", json!({ "statusCodes": [418] })).unwrap();
    let status = |header: &str| Sent::run(1).header("Authorization", header).to(kitchen.addr()).status;
    assert_eq!(status(""), 401);
    assert_eq!(status("Bearer wrong"), 401);
    assert_eq!(status("Basic mine"), 401);
    assert_eq!(status("Bearer mine"), 418, "the first token is the default caller");
    assert_eq!(status("bearer yours"), 200);
    assert_eq!(status("Bearer all"), 200, "the shared token has no selection");
}

#[tokio::test]
async fn requests_that_are_no_post() {
    let kitchen = Kitchen::start().await.unwrap();
    let get = Sent::new("GET", "/mcp").header("Accept", "text/event-stream").to(kitchen.addr());
    assert_eq!(get.status, 200);
    assert_eq!(get.header("content-type"), Some("text/html"));
    assert!(get.body.starts_with("<!doctype html>"));
    let delete = Sent::new("DELETE", "/mcp").to(kitchen.addr());
    assert_eq!((delete.status, delete.header("allow")), (405, Some("POST")));
    assert_eq!(Sent::new("GET", "/api/health").to(kitchen.addr()).status, 200);
    assert_eq!(Sent::new("GET", "/nowhere").to(kitchen.addr()).status, 404);
    assert_eq!(Sent::post("/nowhere", "{}").to(kitchen.addr()).status, 404);
    assert_eq!(kitchen.gets().len(), 3);
    assert_eq!(kitchen.gets()[0].headers["accept"], "text/event-stream");
    assert_eq!(kitchen.deletes().len(), 1);
    assert_eq!(kitchen.other_requests()[1].http_method, Method::DELETE);
    assert!(kitchen.counters().is_empty(), "only POSTs to the endpoint are counted");
}

#[tokio::test]
async fn a_batch_fails_inside() {
    let kitchen = Kitchen::start().await.unwrap();
    assert_bare(&Sent::post("/mcp", "[]").to(kitchen.addr()), 500);
    assert_eq!(kitchen.counters()["http_request"], 1);
}

#[tokio::test]
async fn both_endpoints_share_port_and_log() {
    let kitchen = Kitchen::start().await.unwrap();
    let received = Sent::legacy(4, "ping", &json!({})).on("/namebeta/mcp").to(kitchen.addr());
    assert_eq!(received.body, r#"{"result":{},"jsonrpc":"2.0","id":4}"#);
    assert_eq!(received.header("x-content-type-options"), None);
    assert_eq!(kitchen.posts()[0].path, "/namebeta/mcp");
    assert!(kitchen.namebeta_url().ends_with("/namebeta/mcp"));
}
