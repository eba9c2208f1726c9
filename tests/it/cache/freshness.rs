//! For how long.

use std::time::Duration;

use mcp_client::cache::{CacheOptions, Freshness};
use serde_json::json;

use super::{Shelf, fresh_for, listed};

const MS: Duration = Duration::from_millis(1);

#[tokio::test]
async fn cac_04_cac_06_cac_07_without_a_time_each_access_asks() {
    for ttl in
        [json!(0), json!(null), json!(-1), json!(-600_000), json!("600000"), json!(600_000.5), json!(true)]
    {
        let desk = fresh_for(ttl.clone(), "public").await;
        let client = desk.client();
        assert_eq!([listed(&client).await, listed(&client).await, listed(&client).await], [0, 1, 2], "{ttl}");
    }
}

#[tokio::test]
async fn cac_05_cac_08_fresh_until_its_time_is_over_and_fetched_at_the_next_access() {
    let desk = fresh_for(json!(600_000), "private").await;
    let shelf = Shelf::default();
    let client = shelf.client(&desk);
    assert_eq!(listed(&client).await, 0);
    shelf.older(500_000 * MS);
    let page = client.list_tools().send().await.unwrap();
    let Freshness::Fresh { age } = page.freshness() else { panic!("{:?}", page.freshness()) };
    assert!(age >= 500_000 * MS && age < 600_000 * MS, "{age:?}");
    assert_eq!(desk.count(), 1);
    shelf.older(600_000 * MS);
    assert_eq!((listed(&client).await, desk.count()), (1, 2), "the boundary is stale");
    assert_eq!((listed(&client).await, desk.count()), (1, 2), "its time began anew");
}

/// No request is ever made by itself: neither when a time is over nor before.
#[tokio::test]
async fn cac_09_cac_10_what_is_stale_stays_so_until_somebody_asks() {
    let desk = fresh_for(json!(600_000), "private").await;
    let shelf = Shelf::default();
    let client = shelf.client(&desk);
    listed(&client).await;
    shelf.older(700_000 * MS);
    client.list_prompts().send().await.unwrap();
    client.call_tool("x").send().await.unwrap().into_success().unwrap();
    let methods: Vec<String> = desk.asked().into_iter().map(|asked| asked.method).collect();
    assert_eq!(methods, ["tools/list", "prompts/list", "tools/call"]);
}

#[tokio::test]
async fn cac_20_any_time_can_be_had_and_no_longer_than_is_set() {
    for ttl in [json!(9_007_199_254_740_991_u64), json!(i64::MAX), json!(86_400_000)] {
        let desk = fresh_for(ttl.clone(), "public").await;
        let shelf = Shelf::default();
        let client = shelf.client(&desk);
        listed(&client).await;
        shelf.older(Duration::from_secs(86_000));
        assert_eq!((listed(&client).await, desk.count()), (0, 1), "{ttl}");
        shelf.older(Duration::from_secs(86_400));
        assert_eq!((listed(&client).await, desk.count()), (1, 2), "a day at most: {ttl}");
    }
    // A number that no integer holds is none.
    let desk = fresh_for(json!(1e300), "public").await;
    let client = desk.client();
    assert_eq!([listed(&client).await, listed(&client).await], [0, 1]);

    let desk = fresh_for(json!(i64::MAX), "public").await;
    let shelf = Shelf::default();
    let options: CacheOptions = shelf.options().max_ttl(Duration::from_secs(10));
    let client = desk.builder().cache(options).build().unwrap();
    listed(&client).await;
    shelf.older(Duration::from_secs(10));
    assert_eq!((listed(&client).await, desk.count()), (1, 2), "and no longer than the caller says");
}

/// The time holds whether or not the server would tell of changes.
#[tokio::test]
async fn cac_20_no_subscription_is_needed() {
    let desk = fresh_for(json!(600_000), "public").await;
    let client = desk.client();
    client.discover().send().await.unwrap();
    assert_eq!([listed(&client).await, listed(&client).await], [1, 1]);
}
