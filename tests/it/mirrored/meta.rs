//! `_meta`: what every request says of the client, what servers say of themselves, and extensions.

use mcp_client::{
    BuildError, Client, ClientBuilder, Delivery, InputKinds, Outcome, ToolOutcome,
    error::InvalidKind,
    types::{CompletionReference, PromptReference, SubscriptionFilter},
};
use mcp_tests::{FaultServer, Reply};
use serde_json::{Value, json};

use super::{last, result};
use crate::fault::{assert_good, call, good, in_time, serve};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const INFO: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

async fn set_up(
    script: impl Into<Vec<Reply>>,
    set_up: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> (FaultServer, Client) {
    let server = FaultServer::start(script).await.unwrap();
    let client = set_up(crate::support::once(&server.url())).build().unwrap();
    (server, client)
}

fn meta(server: &FaultServer) -> Value {
    last(server).json().unwrap()["params"]["_meta"].clone()
}

fn any_result() -> Reply {
    result(&json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {} }, "tools": [], "resources": [], "prompts": [], "contents": [],
        "messages": [], "completion": { "values": [] }, "content": [], "_meta": {},
    }))
}

#[tokio::test]
async fn meta_01_meta_02_meta_03_every_method_says_version_capabilities_and_client() {
    let (server, client) = set_up([any_result()], ClientBuilder::ignore_capabilities).await;
    let expected = json!({
        VERSION: "2026-07-28",
        INFO: { "name": "mcp-client", "version": env!("CARGO_PKG_VERSION") },
        CAPABILITIES: {},
    });
    client.discover().send().await.unwrap();
    assert_eq!(meta(&server), expected);
    client.list_tools().send().await.unwrap();
    assert_eq!(meta(&server), expected);
    drop(client.read_resource("a:b").send().await.unwrap());
    assert_eq!(meta(&server), expected);
    drop(client.get_prompt("p").send().await.unwrap());
    assert_eq!(meta(&server), expected);
    let of = CompletionReference::Prompt(PromptReference::new("p"));
    client.complete(of, "a", "v").send().await.unwrap();
    assert_eq!(meta(&server), expected);
    drop(client.listen(SubscriptionFilter::default().with_tools()).open().await.unwrap());
    assert_eq!(meta(&server), expected, "META-05: a subscription, too");
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn meta_04_requests_are_valid_without_the_clients_name() {
    let (server, client) = set_up([any_result()], ClientBuilder::without_client_info).await;
    let expected = json!({ VERSION: "2026-07-28", CAPABILITIES: {} });
    call_any(&client).await;
    assert_eq!(meta(&server), expected);
    client.list_tools().send().await.unwrap();
    assert_eq!(meta(&server), expected);
    // Nor is it said elsewhere: the record has a word of its own.
    let outcome = client.call_tool("x").send().await.unwrap();
    assert_eq!(&*outcome.record().client, "anonymous");
    // A call that declares more says as little of who calls.
    drop(client.call_tool("x").accept_input(InputKinds::FORM).send().await.unwrap());
    assert_eq!(meta(&server)[INFO], Value::Null);
}

async fn call_any(client: &Client) {
    drop(client.call_tool("x").send().await.unwrap());
}

#[tokio::test]
async fn meta_05_a_round_declares_what_the_call_declared() {
    let asks = result(&json!({ "resultType": "input_required", "requestState": "s" }));
    let (server, client) = serve([asks.clone(), good(), asks, any_result()]).await;
    let kinds = InputKinds::FORM | InputKinds::SAMPLING;
    let asked = in_time(client.call_tool("x").accept_input(kinds).meta("own", 1).send()).await.unwrap();
    let ToolOutcome::InputRequired(asked) = asked else { panic!("{asked:?}") };
    let first = meta(&server);
    assert_eq!(first[CAPABILITIES], json!({ "elicitation": { "form": {} }, "sampling": {} }));
    assert_good(&"resumed", &in_time(asked.resume()).await);
    assert_eq!(meta(&server), first);
    // Other methods that can ask, too.
    let asked = in_time(client.read_resource("a:b").accept_input(kinds).send()).await.unwrap();
    let Outcome::InputRequired(asked) = asked else { panic!("{asked:?}") };
    drop(in_time(asked.resume()).await.unwrap());
    assert_eq!(meta(&server)[CAPABILITIES], first[CAPABILITIES]);
    assert_eq!(meta(&server)[VERSION], "2026-07-28");
}

#[tokio::test]
async fn meta_12_capabilities_differ_from_request_to_request() {
    let (server, client) = set_up([any_result()], |builder| builder.accept_input(InputKinds::FORM)).await;
    let form = json!({ "elicitation": { "form": {} } });
    drop(client.call_tool("x").send().await.unwrap());
    assert_eq!(meta(&server)[CAPABILITIES], form);
    drop(client.call_tool("x").accept_input(InputKinds::NONE).send().await.unwrap());
    assert_eq!(meta(&server)[CAPABILITIES], json!({}));
    drop(client.read_resource("a:b").accept_input(InputKinds::ROOTS).send().await.unwrap());
    assert_eq!(meta(&server)[CAPABILITIES], json!({ "roots": {} }));
    drop(client.get_prompt("p").send().await.unwrap());
    assert_eq!(meta(&server)[CAPABILITIES], form);
}

#[tokio::test]
async fn meta_06_what_servers_put_there_stays_readable() {
    let own = json!({ "com.example/a": [1.50, null], SERVER_INFO: { "name": "s", "version": "1", "x": 1 } });
    let (_server, client) = set_up(
        [result(&json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": own,
            "content": [{ "type": "text", "text": "t", "_meta": own }],
            "tools": [{ "name": "x", "inputSchema": {}, "_meta": own }],
            "prompts": [{ "name": "p", "_meta": own }],
            "resources": [{ "name": "r", "uri": "a:b", "_meta": own }],
        }))],
        |builder| builder,
    )
    .await;
    let read = |value: &dyn Fn() -> Value| assert_eq!(value(), own);
    let output = client.call_tool("x").send().await.unwrap().into_success().unwrap();
    read(&|| serde_json::to_value(&output.result().meta).unwrap());
    read(&|| serde_json::to_value(&output.result().content[0]).unwrap()["_meta"].clone());
    let tools = client.list_tools().send().await.unwrap();
    read(&|| serde_json::to_value(&tools.items()[0]).unwrap()["_meta"].clone());
    read(&|| serde_json::to_value(tools.result()).unwrap()["_meta"].clone());
    let prompts = client.list_prompts().send().await.unwrap();
    read(&|| serde_json::to_value(&prompts.items()[0]).unwrap()["_meta"].clone());
    let resources = client.list_resources().send().await.unwrap();
    read(&|| serde_json::to_value(&resources.items()[0]).unwrap()["_meta"].clone());
}

/// Whatever stands at a reserved key, and whoever the server says it is: the answer is the same.
#[tokio::test]
async fn meta_09_meta_10_meta_11_nothing_depends_on_what_the_server_calls_itself() {
    for said in [
        json!({}),
        json!({ SERVER_INFO: { "name": "trusted", "version": "1" } }),
        json!({ SERVER_INFO: { "name": "mcp-client", "version": "2025-11-25" } }),
        json!({ SERVER_INFO: null }),
        json!({ SERVER_INFO: "s" }),
        json!({ SERVER_INFO: [7] }),
        json!({ SERVER_INFO: { "name": 7 } }),
        json!({ VERSION: { "a": [] }, CAPABILITIES: 7, INFO: false, "progressToken": {}, "io.modelcontextprotocol/logLevel": 1,
            "io.modelcontextprotocol/subscriptionId": null }),
    ] {
        let answer = result(
            &json!({ "resultType": "complete", "content": [{ "type": "text", "text": "ok" }], "_meta": said }),
        );
        let (server, client) = serve([answer]).await;
        let record = assert_good(&said, &call(&client).await).clone();
        assert_eq!(record.protocol_version, "2026-07-28");
        assert_good(&said, &call(&client).await);
        let [first, second] = [0, 1].map(|at: usize| {
            let mut body = server.requests()[at].json().unwrap();
            body["id"] = Value::Null;
            body
        });
        assert_eq!(first, second, "the next request is as the first: {said}");
        let discovered = result(&json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}, "_meta": said,
        }));
        let (_server, client) = serve([discovered]).await;
        let discovered = client.discover().send().await.unwrap();
        assert_eq!(discovered.common_version().unwrap(), "2026-07-28", "{said}");
    }
}

#[tokio::test]
async fn meta_13_capabilities_that_nobody_knows_are_kept() {
    let capabilities = json!({
        "tools": { "listChanged": true, "x": [1] },
        "com.example/new": { "deep": { "er": null } },
        "experimental": { "a": { "b": 1 } },
        "extensions": { "com.example/e": { "s": 1 }, "io.modelcontextprotocol/tasks": {} },
    });
    let answer = result(&json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
    }));
    let (_server, client) = serve([answer]).await;
    let discovered = client.discover().send().await.unwrap();
    assert_eq!(serde_json::to_value(&discovered.capabilities).unwrap(), capabilities);
    assert_eq!(serde_json::to_value(client.capabilities()).unwrap(), capabilities);
}

#[tokio::test]
async fn meta_14_what_the_server_does_not_offer_is_not_asked_for_once_that_is_known() {
    let answer = |capabilities: &Value| {
        result(&json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities, "tools": [], "prompts": [], "content": [], "completion": { "values": [] },
        }))
    };
    let (server, client) = serve([answer(&json!({ "tools": {} }))]).await;
    // Before it is known, everything is asked for.
    client.list_prompts().send().await.unwrap();
    client.discover().send().await.unwrap();
    let of = || CompletionReference::Prompt(PromptReference::new("p"));
    let refused = [
        client.list_prompts().send().await.unwrap_err(),
        client.get_prompt("p").send().await.unwrap_err(),
        client.list_resources().send().await.unwrap_err(),
        client.list_resource_templates().send().await.unwrap_err(),
        client.read_resource("a:b").send().await.unwrap_err(),
        client.complete(of(), "a", "v").send().await.unwrap_err(),
    ];
    for error in refused {
        let mcp_client::CallError::Invalid(invalid) = &error else { panic!("{error:?}") };
        assert_eq!((invalid.kind(), error.delivery()), (InvalidKind::NotOffered, Delivery::NotSent));
    }
    assert_eq!(server.requests().len(), 2);
    client.list_tools().send().await.unwrap();
    drop(client.call_tool("x").send().await.unwrap());
    assert_eq!(server.requests().len(), 4);

    let (server, client) = set_up([answer(&json!({}))], ClientBuilder::ignore_capabilities).await;
    client.discover().send().await.unwrap();
    drop(client.call_tool("x").send().await.unwrap());
    client.list_prompts().send().await.unwrap();
    assert_eq!(server.requests().len(), 3, "unless the application says otherwise");
}

#[tokio::test]
async fn ext_02_ext_04_extensions_are_declared_where_they_are_asked_for_with_every_request() {
    let (server, client) = serve([any_result()]).await;
    call_any(&client).await;
    assert_eq!(meta(&server)[CAPABILITIES], json!({}), "none by default");

    let (server, client) = set_up([any_result()], |builder| {
        builder
            .extension("com.example/a", json!({}))
            .extension("com.example/b", json!({ "level": 1.50 }))
            .extension("io.modelcontextprotocol/ui", json!({ "mimeTypes": ["text/html"] }))
            .extension("com.example/b", json!({ "level": 2 }))
            .accept_input(InputKinds::FORM)
    })
    .await;
    let extensions = json!({
        "com.example/a": {},
        "com.example/b": { "level": 2 },
        "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html"] },
    });
    drop(client.call_tool("x").send().await.unwrap());
    let expected = json!({ "elicitation": { "form": {} }, "extensions": extensions });
    assert_eq!(meta(&server)[CAPABILITIES], expected);
    client.list_tools().send().await.unwrap();
    assert_eq!(meta(&server)[CAPABILITIES], expected);
    // What a call says of input does not take them away.
    drop(client.call_tool("x").accept_input(InputKinds::NONE).send().await.unwrap());
    assert_eq!(meta(&server)[CAPABILITIES], json!({ "extensions": extensions }));
}

#[tokio::test]
async fn ext_01_an_extension_without_a_prefix_or_with_odd_settings_is_refused() {
    let (server, _client) = serve([good()]).await;
    for (identifier, settings) in [
        ("plain", json!({})),
        ("", json!({})),
        ("/x", json!({})),
        ("com.example/", json!({})),
        ("com..example/x", json!({})),
        ("com.example/a b", json!({})),
        ("com.example/x", json!([])),
        ("com.example/x", json!(null)),
        ("com.example/x", json!("on")),
    ] {
        let refused =
            crate::support::once(&server.url()).extension(identifier, &settings).build().unwrap_err();
        let BuildError::Header(refusal) = &refused else { panic!("{refused:?}") };
        assert_eq!(refusal.kind(), InvalidKind::MetaKey, "{identifier} {settings}");
    }
    assert_eq!(server.connections(), 0);
}

/// A server that answers as an extension asks which this client never declared: no answer that it can use, told as such.
#[tokio::test]
async fn ext_03_answers_of_extensions_that_only_the_server_knows_are_errors() {
    let task = result(&json!({ "resultType": "task", "task": { "taskId": "1", "status": "working" } }));
    let (server, client) = serve([task, good()]).await;
    let error = crate::stage::failed(call(&client).await);
    let mcp_client::CallError::Protocol(protocol) = &error else { panic!("{error:?}") };
    assert!(
        matches!(protocol.fault(), mcp_client::error::ProtocolFault::InvalidResult { .. }),
        "{protocol:?}"
    );
    assert_eq!(error.delivery(), Delivery::Unknown);
    assert_good(&"core behaviour", &call(&client).await);
    assert_eq!(server.requests().len(), 2);
}

/// What this client supports is written where its users look.
#[test]
fn ext_05_the_documentation_says_which_extensions_are_supported() {
    let documented = include_str!("../../../mcp-client/src/builder.rs");
    assert!(documented.contains("this client itself implements none"));
}
