//! The entries as a stream.

use std::{future::Future, pin::pin, task::Poll};

use futures_util::StreamExt;
use mcp_client::{ListFault, MAX_STREAM_SKIPPED, WalkEnd};
use serde_json::{Value, json};

use super::{cursors, desk::Desk, page, tool};
use crate::stage::Canned;

#[tokio::test]
async fn pages_are_fetched_when_their_entries_are_asked_for() {
    let desk = Desk::script([page(&["a", "b"], Some("1")), page(&[], Some("2")), page(&["c"], None)]).await;
    let mut tools = desk.client().list_tools().stream();
    assert_eq!(desk.count(), 0, "nothing is sent before it is asked");
    let mut seen = Vec::new();
    while let Some(tool) = tools.next().await {
        seen.push((tool.unwrap().name, desk.count()));
        assert_eq!(tools.end(), None);
    }
    let expected = [("a", 1), ("b", 1), ("c", 3)].map(|(name, posts)| (name.to_owned(), posts));
    assert_eq!(seen, expected, "each page when it is needed, and no sooner");
    assert_eq!((tools.end(), tools.freshness().is_fetched()), (Some(WalkEnd::LastPage), true));
    assert!(tools.next().await.is_none());
    assert_eq!(cursors(&desk.asked()).len(), 3);
}

#[tokio::test]
async fn it_is_a_stream_like_any_other() {
    let desk = Desk::script([page(&["a", "b"], Some("1")), page(&["c"], None)]).await;
    let names: Vec<String> =
        desk.client().list_tools().stream().map(|tool| tool.unwrap().name).take(3).collect().await;
    assert_eq!(names, ["a", "b", "c"]);
}

#[tokio::test]
async fn pag_08_the_limit_of_pages_is_told_apart_from_the_end() {
    let desk = Desk::script([page(&["a"], Some("1")), page(&["b"], Some("2"))]).await;
    let mut tools = desk.client().list_tools().pages().max_pages(2).stream();
    assert_eq!(tools.by_ref().count().await, 2);
    assert_eq!((tools.end(), desk.count()), (Some(WalkEnd::PageLimit), 2));
}

#[tokio::test]
async fn an_error_comes_after_what_was_listed_and_ends_it() {
    let desk = Desk::script([page(&["a"], Some("1")), Canned::new(503, "", "")]).await;
    let mut tools = desk.client().list_tools().stream();
    assert_eq!(tools.next().await.unwrap().unwrap().name, "a");
    let Some(Err(ListFault::Call(error))) = tools.next().await else { panic!("an error") };
    assert_eq!(error.http_status(), Some(503));
    assert!(tools.next().await.is_none());
    assert_eq!((tools.end(), desk.count()), (None, 2), "nothing is asked after an error");
}

#[tokio::test]
async fn what_is_left_out_can_be_seen_and_is_bounded() {
    let bad: Vec<Value> = (0..MAX_STREAM_SKIPPED).map(Value::from).collect();
    let first = json!({ "tools": [7, tool("a"), { "name": "odd" }], "nextCursor": "1" });
    let second = json!({ "tools": bad });
    let desk = Desk::script([&first, &second].map(|result| Canned::result(&result.to_string()))).await;
    let mut tools = desk.client().list_tools().stream();
    assert_eq!(tools.next().await.unwrap().unwrap().name, "a");
    let skipped: Vec<(usize, Option<String>)> =
        tools.skipped().iter().map(|skipped| (skipped.position(), skipped.name())).collect();
    assert_eq!(skipped, [(0, None), (2, Some("odd".to_owned()))]);
    assert!(tools.next().await.is_none());
    assert_eq!(tools.skipped().len(), MAX_STREAM_SKIPPED, "the first ones are kept");
}

#[tokio::test]
async fn a_wait_that_is_dropped_loses_nothing() {
    let desk = Desk::script([page(&["a"], None)]).await;
    let mut tools = desk.client().list_tools().stream();
    {
        let mut next = pin!(tools.next());
        let polled = std::future::poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx).is_pending())).await;
        assert!(polled, "the request is under way");
    }
    assert_eq!(tools.next().await.unwrap().unwrap().name, "a");
    assert!(tools.next().await.is_none());
    assert_eq!(desk.count(), 1, "the request under way went on");
}
