//! What a subscription does to the cache.

use std::{future::pending, time::Duration};

use mcp_client::{
    Client, SubscriptionEnd, SubscriptionEvent as Event, async_trait,
    cache::{CacheEntry, CacheKey, CacheOptions, CacheSelector, CacheStore, Freshness, MemoryStore},
    types::SubscriptionFilter,
};
use serde_json::json;

use super::{everything, read_all, source::Source, tools};
use crate::fault::in_time;

/// Asks for everything that can be kept, in the order of the names, and says which were asked of the server.
async fn fetched(client: &Client) -> Vec<&'static str> {
    let fresh = [
        ("tools", client.list_tools().send().await.unwrap().freshness()),
        ("prompts", client.list_prompts().send().await.unwrap().freshness()),
        ("resources", client.list_resources().send().await.unwrap().freshness()),
        ("templates", client.list_resource_templates().send().await.unwrap().freshness()),
        ("a", client.read_resource("file:///a").send().await.unwrap().into_complete().unwrap().freshness()),
        ("b", client.read_resource("file:///b").send().await.unwrap().into_complete().unwrap().freshness()),
    ];
    fresh
        .into_iter()
        .filter(|(_, freshness)| *freshness == Freshness::Fetched)
        .map(|(name, _)| name)
        .collect()
}

/// Field case SUB-03: the list may be kept for five minutes and changes before.
#[tokio::test]
async fn field_sub_03_a_changed_list_is_fetched_at_once() {
    let mut source = Source::start();
    let client = source.client();
    let name = || async { client.list_tools().send().await.unwrap().into_items()[0].name.clone() };
    let (opened, stream) =
        tokio::join!(in_time(client.listen(tools()).open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    assert_eq!((name().await, name().await), ("v1".to_owned(), "v1".to_owned()));
    stream.notify("tools/list_changed", json!({}));
    assert_eq!(in_time(opened.next()).await, Some(Event::ToolsChanged));
    assert_eq!((name().await, name().await), ("v2".to_owned(), "v2".to_owned()));
    let lists = source.methods().iter().filter(|method| *method == "tools/list").count();
    assert_eq!(lists, 2, "fetched once, and the new one is used then");
}

#[tokio::test]
async fn each_event_drops_what_it_concerns_before_it_is_told() {
    let mut source = Source::start();
    let client = source.client();
    let (opened, stream) = tokio::join!(in_time(client.listen(everything()).open()), async {
        source.asked().await.acknowledge()
    });
    let mut opened = opened.unwrap();
    assert_eq!(fetched(&client).await.len(), 6);
    assert!(fetched(&client).await.is_empty());
    for (method, params, dropped) in [
        ("tools/list_changed", json!({}), &["tools"][..]),
        ("prompts/list_changed", json!({}), &["prompts"]),
        ("resources/list_changed", json!({}), &["resources", "templates"]),
        ("resources/updated", json!({ "uri": "file:///a" }), &["a"]),
        // Part of the one that was asked for.
        ("resources/updated", json!({ "uri": "file:///a/part" }), &["a"]),
        ("resources/updated", json!({ "uri": "file:///b" }), &["a", "b"]),
    ] {
        stream.notify(method, params.clone());
        assert!(in_time(opened.next()).await.is_some());
        assert_eq!(fetched(&client).await, dropped, "{method} {params}");
        assert!(fetched(&client).await.is_empty(), "{method} {params}");
    }
}

/// Of what was not asked for, and of others, nothing is believed.
#[tokio::test]
async fn what_is_ignored_drops_nothing() {
    let mut source = Source::start();
    let client = source.client();
    let prompts = SubscriptionFilter::default().with_prompts();
    let (opened, stream) =
        tokio::join!(in_time(client.listen(prompts).open()), async { source.asked().await.acknowledge() });
    assert_eq!(fetched(&client).await.len(), 6);
    stream.notify("tools/list_changed", json!({}));
    stream.notify("resources/updated", json!({ "uri": "file:///a" }));
    let mut foreign = stream.notification("prompts/list_changed", json!({}));
    foreign["params"]["_meta"][super::source::SUBSCRIPTION_ID] = json!(99);
    stream.event(&foreign);
    stream.finish();
    let (events, _) = read_all(&mut opened.unwrap()).await;
    assert!(events.is_empty() && fetched(&client).await.is_empty());
}

#[tokio::test]
async fn the_cache_learns_of_changes_while_nobody_reads() {
    let mut source = Source::start();
    let client = source.client();
    let (opened, stream) =
        tokio::join!(in_time(client.listen(tools()).open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    assert_eq!(fetched(&client).await.len(), 6);
    stream.notify("tools/list_changed", json!({}));
    stream.event(&json!({ "jsonrpc": "2.0", "id": stream.id, "result": {} }));
    // It was read to its end, and not by us.
    stream.closed().await;
    assert_eq!(fetched(&client).await, ["tools"]);
    assert_eq!(in_time(opened.next()).await, Some(Event::ToolsChanged));
}

/// Keeps, and never comes to an end with a drop.
#[derive(Debug, Default)]
struct Stuck(MemoryStore);

#[async_trait]
impl CacheStore for Stuck {
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        self.0.get(key).await
    }

    async fn put(&self, key: &CacheKey, entry: CacheEntry) {
        self.0.put(key, entry).await;
    }

    async fn remove(&self, selector: &CacheSelector) {
        // Other results of one key go away as usual: that is not what this is about.
        if selector.as_prefix().contains("public") {
            return;
        }
        pending::<()>().await;
    }
}

/// A store that takes its time holds up neither the events nor the end, and what it still has is not used.
#[tokio::test]
async fn a_store_that_is_stuck_holds_up_nothing() {
    let mut source = Source::start();
    let options = CacheOptions::new().store(Stuck::default()).store_timeout(Duration::from_secs(3_600));
    let client = source.client_with(|builder| builder.cache(options));
    let (opened, stream) =
        tokio::join!(in_time(client.listen(tools()).open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    let name = || async { client.list_tools().send().await.unwrap().into_items()[0].name.clone() };
    assert_eq!((in_time(name()).await, in_time(name()).await), ("v1".to_owned(), "v1".to_owned()));
    for number in 2..100 {
        stream.notify("tools/list_changed", json!({}));
        assert_eq!(in_time(opened.next()).await, Some(Event::ToolsChanged));
        let expected = format!("v{number}");
        assert_eq!((in_time(name()).await, in_time(name()).await), (expected.clone(), expected));
    }
    stream.finish();
    assert!(matches!(read_all(&mut opened).await.1, SubscriptionEnd::Graceful));
}
