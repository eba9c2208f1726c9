//! What a server tells of changes makes the next access a request.

use mcp_client::{Client, SubscriptionEvent, types::SubscriptionFilter};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};

/// A result that answers every method, fresh for five minutes.
fn kept() -> Reply {
    let result = json!({
        "resultType": "complete", "ttlMs": 300_000, "cacheScope": "private", "tools": [], "prompts": [],
        "resources": [], "resourceTemplates": [], "contents": [],
    });
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

/// A stream that acknowledges everything and then tells this.
fn tells(method: &str, params: Option<Value>) -> Reply {
    let acknowledged = json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": { "notifications": {
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["file:///d"],
        } },
    });
    let mut told = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(params) = params {
        told["params"] = params;
    }
    Reply::sse(&[acknowledged.to_string(), told.to_string()]).unfinished().then(Step::AwaitClientClose)
}

/// Asks for all that is kept; which of it was fetched.
async fn fetched(client: &Client) -> Vec<&'static str> {
    let read = |uri| async move {
        client.read_resource(uri).send().await.unwrap().into_complete().unwrap().freshness()
    };
    let kept = [
        ("tools", client.list_tools().send().await.unwrap().freshness()),
        ("prompts", client.list_prompts().send().await.unwrap().freshness()),
        ("resources", client.list_resources().send().await.unwrap().freshness()),
        ("templates", client.list_resource_templates().send().await.unwrap().freshness()),
        ("d", read("file:///d").await),
        ("d/a", read("file:///d/a").await),
        ("e", read("file:///e").await),
    ];
    kept.into_iter().filter(|(_, freshness)| freshness.is_fetched()).map(|(name, _)| name).collect()
}

const ALL: usize = 7;

#[tokio::test]
async fn field_sub_03_cac_16_sub_15_what_changed_is_fetched_at_the_next_access_and_nothing_else_is() {
    let filter =
        SubscriptionFilter::default().with_tools().with_prompts().with_resources().with_resource("file:///d");
    for (told, params, expected) in [
        // Servers of older versions leave the params out.
        ("notifications/tools/list_changed", None, &["tools"][..]),
        ("notifications/tools/list_changed", Some(json!({})), &["tools"]),
        ("notifications/prompts/list_changed", None, &["prompts"]),
        ("notifications/resources/list_changed", None, &["resources", "templates"]),
        ("notifications/resources/updated", Some(json!({ "uri": "file:///d" })), &["d"]),
        // A part of what is watched: both are old now.
        ("notifications/resources/updated", Some(json!({ "uri": "file:///d/a" })), &["d", "d/a"]),
    ] {
        let mut script = vec![kept(); ALL];
        script.push(tells(told, params.clone()));
        script.push(kept());
        let server = FaultServer::start(script).await.unwrap();
        let client = crate::support::client(&server.url());
        assert_eq!(fetched(&client).await.len(), ALL);
        assert_eq!(fetched(&client).await, Vec::<&str>::new(), "five minutes");
        let mut changes = client.listen(filter.clone()).open().await.unwrap();
        let event = changes.next().await.unwrap();
        let uri = params.as_ref().and_then(|params| params["uri"].as_str());
        match (&event, uri) {
            (SubscriptionEvent::ResourceUpdated { uri }, Some(expected)) => assert_eq!(uri, expected),
            (_, Some(_)) => panic!("{event:?}"),
            _ => {}
        }
        assert_eq!(fetched(&client).await, expected, "{told}: {params:?}");
        assert_eq!(fetched(&client).await, Vec::<&str>::new(), "once");
        assert_eq!(server.requests().len(), ALL + 1 + expected.len());
    }
}

/// What was not asked for is not told, and drops nothing.
#[tokio::test]
async fn tool_22_a_change_that_was_not_asked_for_changes_nothing() {
    let acknowledged = json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": { "notifications": { "promptsListChanged": true } } });
    let told =
        |what: &str| json!({ "jsonrpc": "2.0", "method": format!("notifications/{what}/list_changed") });
    let events = [acknowledged, told("tools"), told("prompts")].map(|event| event.to_string());
    let stream = Reply::sse(&events).unfinished().then(Step::AwaitClientClose);
    let server = FaultServer::start([kept(), stream, kept()]).await.unwrap();
    let client = crate::support::client(&server.url());
    client.list_tools().send().await.unwrap();
    let mut changes = client.listen(SubscriptionFilter::default().with_prompts()).open().await.unwrap();
    assert_eq!(changes.next().await, Some(SubscriptionEvent::PromptsChanged));
    assert!(!client.list_tools().send().await.unwrap().freshness().is_fetched());
    assert_eq!(server.requests().len(), 2);
}
