//! Headers that are on every request.

use mcp_client::{
    CallError, Client, Outcome, Retry, ToolOutcome,
    retry::Constant,
    types::{PromptReference, SubscriptionFilter, Tool},
};
use serde_json::json;

use super::*;

const BAD_VERSION: &str = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"v","data":{"supported":["2026-07-28"],"requested":"x"}}}"#;
const MISMATCH: &str = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32020,"message":"headers"}}"#;
const TOOLS: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"x","inputSchema":{"type":"object"}}]}}"#;
const ASKS: &str =
    r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s"}}"#;

fn builder(url: &str) -> mcp_client::ClientBuilder {
    let retry = Retry::builder().backoff(Constant(Duration::from_millis(1)));
    Client::http(url)
        .unwrap()
        .retry(retry.build())
        .header("X-Api-Key", "k")
        .header("User-Agent", "agent/7")
        .bearer_token("t")
}

/// Every request has the configured headers, and the protocol's own once each.
#[track_caller]
fn assert_all_have_them(server: &FaultServer, count: usize) {
    let requests = server.requests();
    assert_eq!(requests.len(), count, "{requests:#?}");
    for request in &requests {
        for (name, value) in [
            ("x-api-key", "k"),
            ("authorization", "Bearer t"),
            ("user-agent", "agent/7"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
        ] {
            let found: Vec<&str> = request
                .headers
                .iter()
                .filter(|(found, _)| found.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.as_str())
                .collect();
            assert_eq!(found, [value], "{name}: {}", request.head);
        }
    }
}

#[tokio::test]
async fn field_net_01_configured_headers_are_on_repetitions_repairs_redirects_and_rounds() {
    let server = FaultServer::start([
        Reply::status(503),
        moved(307, "/other"),
        Reply::json(400, BAD_VERSION),
        Reply::json(400, MISMATCH),
        Reply::json(200, TOOLS),
        Reply::json(200, ASKS),
        moved(308, "/other"),
        good(),
    ])
    .await
    .unwrap();
    let client = builder(&server.url()).build().unwrap();
    client.learn_tools([&Tool::new("x", json!({ "type": "object" }))]);
    let outcome = in_time(client.call_tool("x").header("X-Call", "1").idempotent().send()).await.unwrap();
    let ToolOutcome::InputRequired(asked) = outcome else { panic!("input required") };
    assert_eq!(asked.record().http_statuses().collect::<Vec<_>>(), [503, 307, 400, 400, 200, 200]);
    in_time(asked.resume()).await.unwrap().into_success().unwrap();
    assert_all_have_them(&server, 8);
    // Those of the call are on all of them as well, the list on its behalf included.
    assert!(server.requests().iter().all(|request| request.header("x-call") == Some("1")));
    let methods: Vec<String> = server
        .requests()
        .iter()
        .map(|request| request.json().unwrap()["method"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(methods.iter().position(|method| method == "tools/list"), Some(4));
}

#[tokio::test]
async fn field_net_01_field_net_07_configured_headers_and_exact_types_are_on_every_method() {
    let server = FaultServer::start([Reply::status(400)]).await.unwrap();
    let client = builder(&server.url()).build().unwrap();
    let _ = in_time(client.discover().send()).await;
    let _ = in_time(client.list_tools().send()).await;
    let _ = in_time(client.list_resources().send()).await;
    let _ = in_time(client.list_resource_templates().send()).await;
    let _ = in_time(client.list_prompts().send()).await;
    let _: Result<Outcome<_>, CallError> = in_time(client.read_resource("file:///x").send()).await;
    let _ = in_time(client.get_prompt("x").send()).await;
    let _ = in_time(client.complete(PromptReference::new("x"), "a", "b").send()).await;
    let _ = in_time(client.listen(SubscriptionFilter::default().with_tools()).open()).await;
    let _ = in_time(client.call_tool("x").send()).await;
    assert_all_have_them(&server, 10);
    let mut methods: Vec<String> = server
        .requests()
        .iter()
        .map(|request| {
            let method = request.json().unwrap()["method"].as_str().unwrap().to_owned();
            assert_eq!(request.header("mcp-method"), Some(method.as_str()));
            assert!(request.request_line().starts_with("POST "));
            method
        })
        .collect();
    methods.sort();
    methods.dedup();
    assert_eq!(methods.len(), 10);
}

/// A server that takes nothing but the exact type.
#[tokio::test]
async fn field_net_07_the_request_type_has_no_parameters() {
    let (server, client) = serve([good()]).await;
    assert_good(&"call", &call(&client).await);
    let request = &only_calls(&server, 1)[0];
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(request.head.contains("\r\ncontent-type: application/json\r\n"), "{}", request.head);
}

/// What the HTTP client of the application adds cannot replace what the message says.
#[tokio::test]
async fn field_net_01_default_headers_of_the_http_client_replace_none_of_the_protocol() {
    let server = FaultServer::start([good()]).await.unwrap();
    let mut defaults = http::HeaderMap::new();
    for (name, value) in [
        ("content-type", "application/json; charset=utf-8"),
        ("accept", "*/*"),
        ("mcp-method", "tools/list"),
        ("mcp-protocol-version", "2025-06-18"),
        ("x-default", "1"),
    ] {
        defaults.insert(name, value.parse().unwrap());
    }
    let client =
        with(&server.url(), reqwest::Client::builder().default_headers(defaults).user_agent("own/1"));
    assert_good(&"call", &call(&client).await);
    let request = &only_calls(&server, 1)[0];
    for (name, value) in [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-method", "tools/call"),
        ("mcp-protocol-version", "2026-07-28"),
        ("x-default", "1"),
        ("user-agent", "own/1"),
    ] {
        assert_eq!(request.header(name), Some(value), "{name}");
    }
}
