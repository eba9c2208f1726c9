//! Pages are kept one by one.

use mcp_client::cache::Freshness;
use serde_json::{Value, json};

use super::{Asked, Desk, Shelf};
use crate::stage::Canned;

/// Two pages with a time of their own each; entries are named after the request that brought them.
async fn two_pages(first: Value, second: Value) -> Desk {
    Desk::new(move |asked| {
        let tool = json!({ "name": asked.number.to_string(), "inputSchema": { "type": "object" } });
        let mut result = json!({ "tools": [tool], "ttlMs": first, "cacheScope": "public" });
        if asked.cursor().is_some() {
            result["ttlMs"] = second.clone();
        } else {
            result["nextCursor"] = json!("2");
        }
        Canned::result(&result.to_string())
    })
    .await
}

async fn names(client: &mcp_client::Client) -> (Vec<String>, usize, Freshness) {
    let listing = client.list_tools().all().await.unwrap();
    let names = listing.items().iter().map(|tool| tool.name.clone()).collect();
    assert!(listing.is_complete());
    (names, listing.post_count(), listing.freshness())
}

#[tokio::test]
async fn cac_17_cac_18_each_page_has_its_own_time_and_is_fetched_by_its_own_cursor() {
    let desk = two_pages(json!(600_000), json!(0)).await;
    let client = desk.client();
    let (first, posts, freshness) = names(&client).await;
    assert_eq!((first, posts, freshness.is_fetched()), (vec!["0".into(), "1".into()], 2, true));
    let (second, posts, freshness) = names(&client).await;
    assert_eq!((second, posts), (vec!["0".to_owned(), "2".to_owned()], 1));
    assert!(
        matches!(freshness, Freshness::Fresh { .. }),
        "it says that a part of it was kept: {freshness:?}"
    );
    let cursors: Vec<Option<String>> = desk.asked().iter().map(Asked::cursor).collect();
    assert_eq!(cursors, [None, Some("2".into()), Some("2".into())]);
    // Streams and single pages are answered from the same pages.
    assert_eq!(client.list_tools().stream().next().await.unwrap().unwrap().name, "0");
    assert_eq!(desk.count(), 3);
}

#[tokio::test]
async fn cac_18_a_list_of_one_time_is_fetched_from_the_start() {
    let desk = two_pages(json!(600_000), json!(600_000)).await;
    let client = desk.client();
    assert_eq!(names(&client).await.1, 2);
    assert_eq!(names(&client).await.1, 0);
    let listing = client.list_tools().refresh().all().await.unwrap();
    let fetched: Vec<&str> = listing.items().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((fetched, listing.post_count()), (vec!["2", "3"], 2), "every page anew");
    assert_eq!((names(&client).await.1, desk.count()), (0, 4), "and kept anew");
}

#[tokio::test]
async fn cac_19_pag_07_an_invalid_cursor_drops_all_pages_of_its_list_and_no_other() {
    let desk = Desk::new(|asked| {
        if asked.cursor().as_deref() == Some("gone") || (asked.number == 5 && asked.cursor().is_some()) {
            return Canned::json(
                r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"no such page"}}"#,
            );
        }
        let tool = json!({ "name": asked.number.to_string(), "inputSchema": { "type": "object" } });
        let mut result = json!({ "tools": [tool], "prompts": [], "ttlMs": 600_000, "cacheScope": "private" });
        if asked.method == "tools/list" {
            result["nextCursor"] = json!(asked.cursor().map_or("2", |_| "3"));
        }
        if asked.cursor().as_deref() == Some("2") {
            // The last page; it is not kept.
            result["nextCursor"] = json!(null);
            result["ttlMs"] = json!(0);
        }
        Canned::result(&result.to_string())
    })
    .await;
    let client = desk.client();
    assert_eq!(names(&client).await.0, ["0", "1"]);
    client.list_prompts().send().await.unwrap();
    // By a single page.
    client.list_tools().cursor("gone").send().await.unwrap_err();
    assert_eq!(desk.count(), 4);
    // The first page is fetched again; the second (number 5) is refused, so both are fetched once more.
    assert_eq!(names(&client).await.0, ["6", "7"]);
    let cursors: Vec<Option<String>> = desk.asked()[4..].iter().map(Asked::cursor).collect();
    assert_eq!(cursors, [None, Some("2".into()), None, Some("2".into())]);
    client.list_prompts().send().await.unwrap();
    assert_eq!(desk.count(), 8, "the other list is as fresh as before");
}

/// A walk over kept pages is guarded like any other.
#[tokio::test]
async fn pag_08_kept_pages_go_in_no_circles_either() {
    let desk = Desk::script([Canned::result(
        r#"{"tools":[],"nextCursor":"1","ttlMs":600000,"cacheScope":"public"}"#,
    )])
    .await;
    let shelf = Shelf::default();
    let client = shelf.client(&desk);
    for _ in 0..3 {
        let error = client.list_tools().all().await.unwrap_err();
        assert_eq!((error.partial().pages(), error.call_error().is_none()), (2, true));
    }
    assert_eq!(desk.count(), 2);
}
