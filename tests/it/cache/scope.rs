//! For whom.

use mcp_client::cache::CacheOptions;
use serde_json::json;

use super::{Desk, fresh_for, listed, number, result};

#[tokio::test]
async fn cac_13_public_results_are_for_all_clients_that_share_a_store() {
    let desk = fresh_for(json!(600_000), "public").await;
    let shared = CacheOptions::new();
    let client = |token| desk.builder().cache(shared.clone()).bearer_token(token).build().unwrap();
    assert_eq!(
        [listed(&client("a")).await, listed(&client("b")).await, listed(&client("a")).await],
        [0, 0, 0]
    );
    assert_eq!(desk.count(), 1);
    assert_eq!(desk.asked()[0].header("authorization"), Some("Bearer a"));
}

#[tokio::test]
async fn cac_14_cac_15_tool_02_all_others_only_for_the_same_credentials() {
    for scope in [json!("private"), json!(null), json!("galaxy"), json!("Public"), json!(7)] {
        let theirs = scope.clone();
        let desk = Desk::new(move |asked| result(asked.number, &json!(600_000), &theirs)).await;
        let shared = CacheOptions::new();
        let builder = || desk.builder().cache(shared.clone());
        let clients = [
            builder().build().unwrap(),
            builder().bearer_token("a").build().unwrap(),
            builder().bearer_token("b").build().unwrap(),
            builder().bearer_token("a").header("X-Tenant", "1").build().unwrap(),
            builder().header("X-Tenant", "1").build().unwrap(),
            builder().header("X-Tenant", "2").build().unwrap(),
        ];
        for _ in 0..2 {
            for (own, client) in clients.iter().enumerate() {
                assert_eq!(listed(client).await, own, "{scope}: its own list, and no POST more");
            }
        }
        // The same credentials in another client are the same.
        assert_eq!(listed(&builder().bearer_token("b").build().unwrap()).await, 2);
        assert_eq!(desk.count(), clients.len());
    }
}

#[tokio::test]
async fn cac_14_the_headers_of_a_call_count_too() {
    let desk = fresh_for(json!(600_000), "private").await;
    let client = desk.builder().bearer_token("a").build().unwrap();
    assert_eq!(listed(&client).await, 0);
    for _ in 0..2 {
        let page = client.list_tools().header("Authorization", "Bearer b").send().await.unwrap();
        assert_eq!(number(&page), 1);
        let page = client.list_tools().header("Authorization", "Bearer a").send().await.unwrap();
        assert_eq!(number(&page), 0, "the client's own, said again");
    }
    assert_eq!(desk.count(), 2);
}

#[tokio::test]
async fn cac_21_each_server_has_its_own() {
    let [one, other] = [fresh_for(json!(600_000), "public").await, fresh_for(json!(600_000), "public").await];
    let shared = CacheOptions::new();
    for _ in 0..2 {
        for desk in [&one, &other] {
            listed(&desk.builder().cache(shared.clone()).build().unwrap()).await;
        }
    }
    assert_eq!((one.count(), other.count()), (1, 1));
}

/// What one client is told of holds for all that share its options, with whatever credentials.
#[tokio::test]
async fn clients_that_share_a_store_share_what_is_dropped() {
    let invalid =
        super::Canned::json(r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"gone"}}"#);
    let desk = Desk::new(move |asked| match asked.cursor() {
        Some(_) => invalid.clone(),
        None => result(asked.number, &json!(600_000), &json!("private")),
    })
    .await;
    let shared = CacheOptions::new();
    let client = |token| desk.builder().cache(shared.clone()).bearer_token(token).build().unwrap();
    let (one, other) = (client("a"), client("b"));
    assert_eq!([listed(&one).await, listed(&other).await], [0, 1]);
    one.list_tools().cursor("old").send().await.unwrap_err();
    assert_eq!([listed(&one).await, listed(&other).await], [3, 4]);
}

/// A store never sees a secret.
#[tokio::test]
async fn keys_hold_no_credentials() {
    use std::sync::{Arc, Mutex};

    use mcp_client::{
        async_trait,
        cache::{CacheEntry, CacheKey, CacheSelector, CacheStore},
    };

    #[derive(Clone, Debug, Default)]
    struct Keys(Arc<Mutex<Vec<String>>>);

    #[async_trait]
    impl CacheStore for Keys {
        async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
            self.0.lock().unwrap().push(key.as_str().to_owned());
            None
        }

        async fn put(&self, key: &CacheKey, _: CacheEntry) {
            self.0.lock().unwrap().push(key.as_str().to_owned());
        }

        async fn remove(&self, selector: &CacheSelector) {
            self.0.lock().unwrap().push(selector.as_prefix().to_owned());
        }
    }

    let desk = fresh_for(json!(600_000), "private").await;
    let keys = Keys::default();
    let builder = desk.builder().cache(CacheOptions::new().store(keys.clone()));
    let client = builder.bearer_token("hunter2").header("X-Key", "swordfish").build().unwrap();
    listed(&client).await;
    let keys = keys.0.lock().unwrap().clone();
    assert!(keys.len() >= 3, "{keys:?}");
    for key in keys {
        assert!(key.starts_with("mcp1|http://127.0.0.1:") && key.contains("|tools/list|"), "{key}");
        assert!(!key.contains("hunter2") && !key.contains("swordfish") && !key.contains("Bearer"), "{key}");
    }
}
