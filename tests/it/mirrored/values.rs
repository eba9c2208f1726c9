//! Parameters of tools in `Mcp-Param-…` headers, as servers see them.

use std::sync::{Arc, Mutex};

use http::HeaderMap;
use mcp_client::{
    Client, ToolOutcome,
    error::InvalidKind,
    transport::{Exchange, MemoryTransport},
    types::RawJson,
};
use mcp_tests::{FaultServer, Reply};
use serde_json::{Map, Value, json};

use super::{definition, knowing, last, page, pairs, params, tool};
use crate::{
    fault::{assert_good, good, in_time, only_calls, serve},
    retry::{Act, GOOD, Play},
    stage::failed,
};

fn of_type(kind: &str) -> Value {
    definition("x", &json!({ "p": { "type": kind, "x-mcp-header": "P" } }))
}

#[tokio::test]
async fn xmh_01_xmh_02_xmh_16_annotated_values_are_mirrored_and_no_others() {
    let tool = definition(
        "x",
        &json!({
            "region": { "type": "string", "x-mcp-header": "Region" },
            "method": { "type": "string", "x-mcp-header": "Method" },
            "n": { "type": "integer", "x-mcp-header": "X.n~1" },
            "dry": { "type": "boolean", "x-mcp-header": "dry_run" },
            "secret": { "type": "string" },
        }),
    );
    let (server, client) = serve([page(&[tool], None), good()]).await;
    client.list_tools().send().await.unwrap();
    let arguments =
        json!({ "region": "us-west1", "method": "GET", "n": 7, "dry": true, "secret": "s", "more": 1 });
    assert_good(&"x", &in_time(client.call_tool("x").arguments(&arguments).send()).await);
    let request = last(&server);
    assert_eq!(
        params(&request),
        pairs(&[
            ("mcp-param-dry_run", "true"),
            ("mcp-param-method", "GET"),
            ("mcp-param-region", "us-west1"),
            ("mcp-param-x.n~1", "7"),
        ])
    );
    assert_eq!(request.header("mcp-method"), Some("tools/call"), "no clash");
    assert_eq!(request.json().unwrap()["params"]["arguments"], arguments, "the body stays as it is");
    // Another tool has none of them.
    assert_good(&"y", &in_time(client.call_tool("y").arguments(&arguments).send()).await);
    assert_eq!(params(&last(&server)), []);
}

#[tokio::test]
async fn xmh_08_xmh_13_xmh_14_values_stand_at_their_exact_path() {
    let nested = definition(
        "x",
        &json!({ "place": { "type": "object", "properties": {
            "city": { "type": "string", "x-mcp-header": "City" },
            "floor": { "type": "object", "properties": { "n": { "type": "integer", "x-mcp-header": "Floor" } } },
        } } }),
    );
    let (server, client) = knowing(&[nested]).await;
    for (arguments, expected) in [
        (
            json!({ "place": { "city": "Oslo", "floor": { "n": -1 } } }),
            &[("mcp-param-city", "Oslo"), ("mcp-param-floor", "-1")][..],
        ),
        (json!({ "place": { "city": "Oslo", "floor": null } }), &[("mcp-param-city", "Oslo")]),
        (json!({ "place": { "city": null } }), &[]),
        (json!({ "place": null }), &[]),
        (json!({ "place": "Oslo" }), &[]),
        (json!({ "place": [{ "city": "Oslo" }] }), &[]),
        (json!({ "city": "Oslo", "n": 1, "place/city": "Oslo" }), &[]),
        (json!({}), &[]),
    ] {
        assert_good(&arguments, &in_time(client.call_tool("x").arguments(&arguments).send()).await);
        assert_eq!(params(&last(&server)), pairs(expected), "{arguments}");
    }
    assert_good(&"no arguments", &in_time(client.call_tool("x").send()).await);
    assert_eq!(params(&last(&server)), []);
}

#[tokio::test]
async fn enc_01_xmh_15_types_are_converted_and_integers_stay_exact() {
    for (kind, value, header) in [
        ("integer", "42", Some("42")),
        ("integer", "-7", Some("-7")),
        ("integer", "42.0", Some("42")),
        ("integer", "1e3", Some("1000")),
        ("integer", "9007199254740991", Some("9007199254740991")),
        ("integer", "-9007199254740991", Some("-9007199254740991")),
        ("integer", "9007199254740992", None),
        ("integer", "-9007199254740992", None),
        ("integer", "1.5", None),
        ("integer", "\"42\"", None),
        ("boolean", "true", Some("true")),
        ("boolean", "false", Some("false")),
        ("string", "\"42\"", Some("42")),
        ("string", "null", None),
    ] {
        let (server, client) = knowing(&[of_type(kind)]).await;
        let arguments = RawJson::from_text(format!(r#"{{"p":{value}}}"#)).unwrap();
        assert_good(&value, &in_time(client.call_tool("x").arguments(&arguments).send()).await);
        let request = last(&server);
        assert_eq!(request.header("mcp-param-p"), header, "{kind} {value}");
        // The server gets it all the same, and decides.
        let body = String::from_utf8(request.body.to_vec()).unwrap();
        assert!(body.contains(&format!(r#""arguments":{{"p":{value}}}"#)), "{body}");
    }
}

/// The vectors of the specification and of the proposal that it came from.
#[tokio::test]
async fn enc_02_to_enc_11_strings_are_wrapped_where_they_have_to_be() {
    let (server, client) = knowing(&[of_type("string")]).await;
    for (value, header) in [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        ("日本語", "=?base64?5pel5pys6Kqe?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        (" us-west1", "=?base64?IHVzLXdlc3Qx?="),
        ("us-west1 ", "=?base64?dXMtd2VzdDEg?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("tail\t", "=?base64?dGFpbAk=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="),
        ("a\r\nMcp-Name: y", "=?base64?YQ0KTWNwLU5hbWU6IHk=?="),
        ("\0", "=?base64?AA==?="),
        ("\u{1f}", "=?base64?Hw==?="),
        ("\u{7f}", "=?base64?fw==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?x", "=?base64?x"),
        ("x?=", "x?="),
        ("=?BASE64?x?=", "=?BASE64?x?="),
        ("=?Base64?x?=", "=?Base64?x?="),
        ("\u{3ff}\u{3fe}~~", "=?base64?z7/Pvn5+?="),
    ] {
        assert_good(&value, &in_time(client.call_tool("x").arguments(json!({ "p": value })).send()).await);
        let request = last(&server);
        assert_eq!(params(&request), pairs(&[("mcp-param-p", header)]), "{value:?}");
        assert_eq!(request.header("mcp-name"), Some("x"), "nothing is injected");
        assert_eq!(request.json().unwrap()["params"]["arguments"]["p"], value);
    }
}

#[tokio::test]
async fn decision_24_tabs_and_empty_values_are_wrapped() {
    let (server, client) = knowing(&[of_type("string")]).await;
    for (value, header) in [("a\tb", "=?base64?YQli?="), ("", "=?base64??=")] {
        assert_good(&value, &in_time(client.call_tool("x").arguments(json!({ "p": value })).send()).await);
        assert_eq!(params(&last(&server)), pairs(&[("mcp-param-p", header)]), "{value:?}");
    }
}

#[tokio::test]
async fn xmh_17_the_definition_that_came_last_counts() {
    let with = |header: &str| definition("x", &json!({ "p": { "type": "string", "x-mcp-header": header } }));
    let (server, client) =
        serve([page(&[with("A")], None), good(), page(&[with("B")], None), good(), good()]).await;
    let call = || in_time(client.call_tool("x").arguments(json!({ "p": "v" })).send());
    client.list_tools().send().await.unwrap();
    assert_good(&"A", &call().await);
    assert_eq!(params(&last(&server)), pairs(&[("mcp-param-a", "v")]));
    client.list_tools().send().await.unwrap();
    assert_good(&"B", &call().await);
    assert_eq!(params(&last(&server)), pairs(&[("mcp-param-b", "v")]));
    client.learn_tools([&tool(&with("C"))]);
    assert_good(&"C", &call().await);
    assert_eq!(params(&last(&server)), pairs(&[("mcp-param-c", "v")]));
}

#[tokio::test]
async fn xmh_19_without_a_definition_nothing_is_mirrored_and_nothing_is_asked() {
    let (server, client) = serve([good()]).await;
    assert_good(&"x", &in_time(client.call_tool("x").arguments(json!({ "region": "eu" })).send()).await);
    let request = only_calls(&server, 1).remove(0);
    assert_eq!(params(&request), []);
}

#[tokio::test]
async fn xmh_20_definitions_of_an_earlier_day_need_no_list() {
    let kept = serde_json::to_string(&tool(&of_type("string"))).unwrap();
    let kept: mcp_client::types::Tool = serde_json::from_str(&kept).unwrap();
    let (server, client) = serve([good()]).await;
    let arguments = json!({ "p": "v" });
    // For one call.
    assert_good(&"tool", &in_time(client.call_tool("x").tool(&kept).arguments(&arguments).send()).await);
    assert_eq!(params(&last(&server)), pairs(&[("mcp-param-p", "v")]));
    assert_good(&"not kept", &in_time(client.call_tool("x").arguments(&arguments).send()).await);
    assert_eq!(params(&last(&server)), []);
    // For all calls.
    client.learn_tools([&kept]);
    assert_good(&"learnt", &in_time(client.clone().call_tool("x").arguments(&arguments).send()).await);
    assert_eq!(params(&last(&server)), pairs(&[("mcp-param-p", "v")]));
    only_calls(&server, 3);
}

/// Each attempt is built anew: of a call that is repeated, each has the same headers, and none twice.
#[tokio::test]
async fn hdr_09_every_attempt_mirrors_its_own_body() {
    let server = FaultServer::start([Reply::status(429), Reply::status(429), good()]).await.unwrap();
    let retry = crate::retry::quick().max_attempts(3).build();
    let client = crate::support::once(&server.url()).retry(retry).build().unwrap();
    client.learn_tools([&tool(&of_type("string"))]);
    drop(in_time(client.call_tool("x").arguments(json!({ "p": "ü" })).send()).await.unwrap());
    for request in only_calls(&server, 3) {
        assert_eq!(params(&request), pairs(&[("mcp-param-p", "=?base64?w7w=?=")]));
        let body = request.json().unwrap();
        assert_eq!(body["method"].as_str(), request.header("mcp-method"));
        assert_eq!(body["params"]["name"].as_str(), request.header("mcp-name"));
        assert_eq!(body["params"]["arguments"]["p"], "ü");
    }
}

#[tokio::test]
async fn hdr_09_a_round_mirrors_what_is_known_by_then() {
    let asks = super::result(&json!({ "resultType": "input_required", "requestState": "s" }));
    let (server, client) = serve([asks, good()]).await;
    let first = in_time(client.call_tool("x").arguments(json!({ "p": "v" })).send()).await.unwrap();
    let ToolOutcome::InputRequired(asked) = first else { panic!("{first:?}") };
    assert_eq!(params(&last(&server)), []);
    client.learn_tools([&tool(&of_type("string"))]);
    assert_good(&"resumed", &in_time(asked.resume()).await);
    assert_eq!(params(&last(&server)), pairs(&[("mcp-param-p", "v")]));
    assert_eq!(last(&server).json().unwrap()["params"]["requestState"], "s");
}

/// A definition that would need more headers than a request can have.
#[tokio::test]
async fn a_flood_of_annotations_is_refused_before_the_wire() {
    let count = 10_001;
    let properties: Map<String, Value> = (0..count)
        .map(|n| (format!("p{n}"), json!({ "type": "string", "x-mcp-header": format!("H{n}") })))
        .collect();
    let (server, client) = knowing(&[definition("x", &properties.into())]).await;
    let arguments: Map<String, Value> = (0..count).map(|n| (format!("p{n}"), json!("v"))).collect();
    let error = failed(in_time(client.call_tool("x").arguments(&arguments).send()).await);
    let mcp_client::CallError::Invalid(invalid) = &error else { panic!("{error:?}") };
    assert_eq!(invalid.kind(), InvalidKind::Message);
    assert_eq!(error.to_string(), "invalid call, not sent: the tool mirrors 10001 parameters to headers");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn xmh_12_a_transport_without_headers_ignores_the_annotations() {
    let invalid = definition("x", &json!({ "p": { "type": "number", "x-mcp-header": "" } }));
    let list = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"x","inputSchema":{"properties":{"p":{"x-mcp-header":""}}}}]}}"#;
    let play = Play::new([Act::Http(200, Vec::new(), list), Act::good()]);
    let client = play.client().build().unwrap();
    let tools = client.list_tools().send().await.unwrap();
    assert_eq!((tools.items().len(), tools.skipped().len()), (1, 0));
    client.learn_tools([&tool(&invalid)]);
    let called = client.call_tool("x").arguments(json!({ "p": 1 })).send().await.unwrap();
    assert!(matches!(called, ToolOutcome::Success(_)));
    let called = client.call_tool("x").tool(&tool(&invalid)).send().await.unwrap();
    assert!(matches!(called, ToolOutcome::Success(_)));
    assert_eq!(play.count(), 3);
}

/// Nor does it get headers that it would have to throw away.
#[tokio::test]
async fn xmh_12_a_transport_without_headers_is_given_none() {
    let seen: Arc<Mutex<Vec<HeaderMap>>> = Arc::default();
    let log = Arc::clone(&seen);
    let transport = MemoryTransport::new(move |request| {
        log.lock().unwrap().push(request.headers.clone());
        let answer = GOOD.replace("{{id}}", &request.id.to_string());
        async move { Ok(Exchange::message(answer)) }
    });
    let client = Client::with_transport(transport).build().unwrap();
    client.learn_tools([&tool(&of_type("string"))]);
    drop(client.call_tool("x").arguments(json!({ "p": "v" })).send().await.unwrap());
    assert_eq!(*seen.lock().unwrap(), [HeaderMap::new()]);
}

/// Values of arguments are not printed with the headers that mirror them.
#[tokio::test]
async fn mirrored_values_are_never_printed() {
    let (_server, client) = knowing(&[of_type("string")]).await;
    let call = client.call_tool("x").arguments(json!({ "p": "hunter2" }));
    assert!(!format!("{call:?}").contains("hunter2"));
    let (server, client) =
        serve([Reply::json(400, r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32020,"message":"m"}}"#)])
            .await;
    client.learn_tools([&tool(&of_type("string"))]);
    let error = failed(in_time(client.call_tool("x").arguments(json!({ "p": "hunter2" })).send()).await);
    assert_eq!(server.requests()[0].header("mcp-param-p"), Some("hunter2"));
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.to_string().contains("mcp-param-p"));
    assert!(!format!("{error:?} {error} {source:?} {source}").contains("hunter2"));
}
