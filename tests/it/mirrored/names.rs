//! `Mcp-Method` and `Mcp-Name`, and the other headers of every request, whatever its method.

use mcp_client::{
    Client, Delivery,
    error::InvalidKind,
    types::{CompletionReference, PromptReference, SubscriptionFilter, header_value},
};
use mcp_tests::{FaultServer, RawRequest, Reply, Step};
use serde_json::{Value, json};

use super::{last, result};
use crate::{
    fault::{call, good, in_time, only_calls, serve, still_usable},
    stage::failed,
    support::record,
};

/// A result that every method can make something of.
fn any_result() -> Reply {
    result(&json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "resources": {}, "prompts": {}, "completions": {} },
        "tools": [], "resources": [], "resourceTemplates": [], "prompts": [], "contents": [],
        "messages": [], "completion": { "values": [] }, "content": [], "_meta": {},
    }))
}

/// One request of each method, with the name that its header carries.
async fn one_of_each() -> (FaultServer, Vec<(&'static str, Option<&'static str>)>) {
    let (server, client) = serve([any_result()]).await;
    drop(client.call_tool("tool name").send().await.unwrap());
    drop(client.get_prompt("prompt name").argument("a", "v").send().await.unwrap());
    drop(client.read_resource("FILE:///a/../B%2fc?x=1#f").send().await.unwrap());
    client.discover().send().await.unwrap();
    client.list_tools().send().await.unwrap();
    client.list_prompts().cursor("c").send().await.unwrap();
    client.list_resources().send().await.unwrap();
    client.list_resource_templates().send().await.unwrap();
    let of = CompletionReference::Prompt(PromptReference::new("prompt name"));
    client.complete(of, "a", "v").send().await.unwrap();
    drop(client.listen(SubscriptionFilter::default().with_tools()).open().await.unwrap());
    let expected = vec![
        ("tools/call", Some("tool name")),
        ("prompts/get", Some("prompt name")),
        ("resources/read", Some("FILE:///a/../B%2fc?x=1#f")),
        ("server/discover", None),
        ("tools/list", None),
        ("prompts/list", None),
        ("resources/list", None),
        ("resources/templates/list", None),
        ("completion/complete", None),
        ("subscriptions/listen", None),
    ];
    (server, expected)
}

#[tokio::test]
async fn hdr_01_to_hdr_07_each_message_is_a_post_with_the_headers_of_its_body() {
    let (server, expected) = one_of_each().await;
    let requests = server.requests();
    assert_eq!(requests.len(), expected.len(), "each message is one POST");
    for (request, (method, name)) in requests.iter().zip(&expected) {
        let body: Value = request.json().unwrap();
        assert!(body.is_object(), "no batches");
        assert_eq!(request.request_line(), "POST /mcp HTTP/1.1");
        assert_eq!(request.header("accept"), Some("application/json, text/event-stream"), "{method}");
        assert_eq!(request.header("content-type"), Some("application/json"), "{method}");
        assert_eq!(body["method"], *method);
        assert_eq!(request.header("mcp-method"), Some(*method));
        assert_eq!(request.header("mcp-name"), *name, "{method}");
        let named =
            if *method == "resources/read" { &body["params"]["uri"] } else { &body["params"]["name"] };
        assert_eq!(named.as_str(), *name, "{method}");
        let version = &body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
        assert_eq!(version, "2026-07-28");
        assert_eq!(request.header("mcp-protocol-version"), version.as_str());
    }
}

#[tokio::test]
async fn hdr_10_to_hdr_13_no_session_no_resumption_no_get_no_delete_no_notification() {
    let (server, expected) = one_of_each().await;
    let requests: Vec<RawRequest> = server.requests();
    // Clients that are gone have nothing to say: there is no session to end.
    assert_eq!(requests.len(), expected.len());
    for request in requests {
        assert!(request.request_line().starts_with("POST "));
        for name in ["mcp-session-id", "last-event-id"] {
            assert_eq!(request.header(name), None, "{name}");
        }
        let body: Value = request.json().unwrap();
        assert!(body["id"].is_number(), "every message is a request: {body}");
    }
}

/// A call that is given up is cancelled by its connection; no notification says so.
#[tokio::test]
async fn hdr_13_not_even_a_cancelled_call_sends_a_notification() {
    let (server, client) = serve([Reply::steps([Step::AwaitClientClose]), good()]).await;
    let under_way = tokio::spawn({
        let client = client.clone();
        async move { call(&client).await }
    });
    server.requested(1).await.unwrap();
    under_way.abort();
    server.client_closed().await.unwrap();
    still_usable(&"after it", &client).await;
    only_calls(&server, 2);
}

/// Names and URIs that no header can carry as they are.
#[tokio::test]
async fn enc_07_field_hdr_01_names_that_are_not_safe_in_headers_are_wrapped() {
    let (server, client) = serve([any_result()]).await;
    for (name, header) in [
        ("价格", "=?base64?5Lu35qC8?="),
        ("file:///r/naïve.txt", "=?base64?ZmlsZTovLy9yL25hw692ZS50eHQ=?="),
        (" lead", "=?base64?IGxlYWQ=?="),
        ("a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="),
        ("", "=?base64??="),
        ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ("=?BASE64?YQ==?=", "=?BASE64?YQ==?="),
        ("file:///plain", "file:///plain"),
    ] {
        for (method, parameter) in
            [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")]
        {
            match method {
                "tools/call" => drop(client.call_tool(name).send().await.unwrap()),
                "prompts/get" => drop(client.get_prompt(name).send().await.unwrap()),
                _ => drop(client.read_resource(name).send().await.unwrap()),
            }
            let request = last(&server);
            assert_eq!(request.header("mcp-name"), Some(header), "{method} {name:?}");
            assert_eq!(header_value::decode(header).unwrap(), name);
            assert_eq!(request.json().unwrap()["params"][parameter], name, "the body has it as it is");
            assert_eq!(request.header("x-evil"), None);
            let names = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("mcp-name"));
            assert_eq!(names.count(), 1);
        }
    }
}

/// Names of headers are compared without regard to case, whatever the server writes.
#[tokio::test]
async fn hdr_08_headers_of_answers_are_found_whatever_their_case() {
    for name in ["CONTENT-TYPE", "content-type", "cOnTeNt-TyPe"] {
        let reply = good().without_header("Content-Type").header(name, "Application/JSON");
        let (_server, client) = serve([reply]).await;
        still_usable(&name, &client).await;
    }
    for name in ["RETRY-AFTER", "retry-after"] {
        let (_server, client) = serve([Reply::status(429).header(name, "7")]).await;
        let error = failed(call(&client).await);
        assert_eq!(error.retry_after().map(|after| after.as_secs()), Some(7), "{name}");
        assert_eq!(error.header("Retry-After"), Some("7"));
    }
}

#[tokio::test]
async fn hdr_14_too_large_is_told_as_such_and_never_repeated() {
    for (status, body) in
        [(413, "<html>Request Entity Too Large</html>"), (431, ""), (413, "{"), (431, "not json")]
    {
        let server = FaultServer::start([Reply::json(status, body), good()]).await.unwrap();
        let retry = crate::retry::quick().max_attempts(5).build();
        let client = crate::support::once(&server.url()).retry(retry).build().unwrap();
        let ended = in_time(client.call_tool("x").idempotent().send()).await;
        only_calls(&server, 1);
        assert_eq!(record(&ended).posts, [Some(status)]);
        let error = failed(ended);
        assert!(matches!(error, mcp_client::CallError::Http(_)), "{error:?}");
        assert_eq!((error.http_status(), error.delivery()), (Some(status), Delivery::Refused));
        assert_eq!(error.to_string(), format!("the server answered with HTTP status {status}"));
    }
}

/// On every method: what the body decides, no caller's header can say otherwise.
#[tokio::test]
async fn hdr_15_headers_of_the_protocol_cannot_be_set_by_callers() {
    let (server, client) = serve([any_result()]).await;
    for name in [
        "accept",
        "MCP-Protocol-Version",
        "Mcp-Method",
        "mcp-name",
        "Mcp-Param-Region",
        "MCP-PARAM-X",
        "Content-Type",
    ] {
        let errors = [
            client.call_tool("x").header(name, "evil").send().await.unwrap_err(),
            client.read_resource("a:b").header(name, "evil").send().await.unwrap_err(),
            client.list_tools().header(name, "evil").send().await.unwrap_err(),
            client.listen(SubscriptionFilter::default()).header(name, "evil").open().await.unwrap_err(),
        ];
        for error in errors {
            let mcp_client::CallError::Invalid(invalid) = &error else { panic!("{error:?}") };
            assert_eq!(invalid.kind(), InvalidKind::Header, "{name}");
            assert_eq!(error.delivery(), Delivery::NotSent);
        }
        assert!(Client::http(&server.url()).unwrap().header(name, "evil").build().is_err(), "{name}");
    }
    assert_eq!(server.connections(), 0);
}
