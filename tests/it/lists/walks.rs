//! From page to page, to the end of the list or of the client's patience.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_client::{ListError, ListFault, WalkEnd, types::method::ListTools};
use serde_json::json;

use super::{cursors, desk::Desk, invalid_cursor, names, page, tool};
use crate::stage::{Canned, OK};

fn some(cursors: &[Option<&str>]) -> Vec<Option<String>> {
    cursors.iter().map(|cursor| cursor.map(str::to_owned)).collect()
}

#[track_caller]
fn is_repetition(error: &ListError<ListTools>) {
    assert!(matches!(error.fault(), ListFault::RepeatedCursor), "{error:?}");
    assert!(!error.partial().is_complete() && error.partial().end().is_none());
    assert!(error.call_error().is_none());
}

#[tokio::test]
async fn pag_02_pag_05_pag_06_a_walk_goes_on_to_the_page_without_a_cursor() {
    // An empty page, pages of different lengths, and a last page that says null.
    let last = json!({ "tools": [tool("d")], "nextCursor": null }).to_string();
    let pages = [
        page(&["a"], Some("1")),
        page(&[], Some("2")),
        page(&["b", "c"], Some("3")),
        page(&[], Some("4")),
        Canned::result(&last),
    ];
    let desk = Desk::script(pages).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!(names(listing.items()), ["a", "b", "c", "d"]);
    assert_eq!((listing.pages(), listing.post_count(), listing.end()), (5, 5, Some(WalkEnd::LastPage)));
    assert_eq!(cursors(&desk.asked()), some(&[None, Some("1"), Some("2"), Some("3"), Some("4")]));

    // A server that knows no pages.
    let desk = Desk::script([page(&["a", "b"], None)]).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!((names(listing.items()), desk.count()), (vec!["a", "b"], 1));
}

#[tokio::test]
async fn pag_03_an_empty_cursor_is_a_cursor() {
    let desk = Desk::script([page(&["a"], Some("")), page(&["b"], None)]).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!((names(listing.items()), listing.is_complete()), (vec!["a", "b"], true));
    assert_eq!(cursors(&desk.asked()), some(&[None, Some("")]));
    // Given twice, it is one that was used before.
    let desk = Desk::script([page(&["a"], Some(""))]).await;
    is_repetition(&desk.client().list_tools().all().await.unwrap_err());
    assert_eq!(cursors(&desk.asked()), some(&[None, Some("")]));
}

#[tokio::test]
async fn field_list_01_the_same_cursor_for_ever_ends_the_walk() {
    let eight = ["1", "2", "3", "4", "5", "6", "7", "8"];
    let desk = Desk::script([page(&eight, Some("8"))]).await;
    let client = desk.client();
    let error = client.list_tools().all().await.unwrap_err();
    is_repetition(&error);
    assert_eq!((desk.count(), error.partial().pages(), error.partial().items().len()), (2, 2, 16));
    assert_eq!(
        error.to_string(),
        "the list ended early, after 16 entries: the server gave out the same cursor twice"
    );
    let (partial, fault) = error.into_parts();
    assert_eq!(
        (partial.into_items().len(), fault.to_string()),
        (16, "the server gave out the same cursor twice".into())
    );

    // The stream ends the same way.
    let mut tools = client.list_tools().stream();
    let mut count = 0;
    let fault = loop {
        match tools.next().await {
            Some(Ok(_)) => count += 1,
            Some(Err(fault)) => break fault,
            None => panic!("it ended without a word"),
        }
    };
    assert!(matches!(fault, ListFault::RepeatedCursor));
    assert!(tools.next().await.is_none() && tools.end().is_none());
    assert_eq!((count, desk.count()), (16, 4));
}

#[tokio::test]
async fn pag_08_a_circle_of_any_length_is_found_wherever_it_begins() {
    // a → b → c → a …
    let desk = Desk::new(|asked| match asked.cursor().as_deref() {
        None | Some("c") => page(&["x"], Some("a")),
        Some("a") => page(&["y"], Some("b")),
        _ => page(&["z"], Some("c")),
    })
    .await;
    let client = desk.client();
    is_repetition(&client.list_tools().all().await.unwrap_err());
    assert_eq!(cursors(&desk.asked()), some(&[None, Some("a"), Some("b"), Some("c")]));
    // A cursor of the caller's own is one that was used.
    is_repetition(&client.list_tools().cursor("b").all().await.unwrap_err());
    assert_eq!(cursors(&desk.asked()[4..]), some(&[Some("b"), Some("c"), Some("a")]));
}

/// A server that makes up a new cursor each time.
async fn endless(per_page: usize) -> Desk {
    Desk::new(move |asked| {
        let names: Vec<String> = (0..per_page).map(|at| format!("t{}.{at}", asked.number)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        page(&names, Some(&format!("c{}", asked.number)))
    })
    .await
}

#[tokio::test]
async fn pag_08_pages_entries_and_bytes_are_bounded() {
    let desk = endless(10).await;
    let client = desk.client();
    let pages = || client.list_tools().pages();
    for (pages, end, fetched) in [
        (pages().max_pages(3), WalkEnd::PageLimit, 3),
        (pages().max_pages(0), WalkEnd::PageLimit, 0),
        (pages().max_items(25), WalkEnd::ItemLimit, 3),
        (pages().max_items(30), WalkEnd::ItemLimit, 3),
        (pages().max_bytes(1), WalkEnd::ByteLimit, 1),
    ] {
        let before = desk.count();
        let listing = pages.all().await.unwrap();
        assert_eq!((listing.end(), listing.is_complete()), (Some(end), false));
        assert_eq!(
            (listing.pages(), listing.items().len(), desk.count() - before),
            (fetched, fetched * 10, fetched)
        );
    }
    // The last page is the last page, however full the list is by then.
    let desk = Desk::script([page(&["a", "b"], None)]).await;
    let listing =
        desk.client().list_tools().pages().max_items(1).max_bytes(1).max_pages(1).all().await.unwrap();
    assert!(listing.is_complete());
}

#[tokio::test]
async fn pag_08_without_a_word_a_walk_ends_after_1_000_pages() {
    let desk = endless(1).await;
    let listing =
        desk.client().list_tools().timeout(std::time::Duration::from_secs(600)).all().await.unwrap();
    assert_eq!((listing.end(), listing.pages(), desk.count()), (Some(WalkEnd::PageLimit), 1_000, 1_000));
}

#[tokio::test]
async fn pag_07_cac_19_an_invalid_cursor_in_the_middle_begins_the_list_anew_once() {
    let desk = Desk::script([
        page(&["old"], Some("1")),
        invalid_cursor(),
        page(&["new 1"], Some("2")),
        page(&["new 2"], None),
    ])
    .await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!(names(listing.items()), ["new 1", "new 2"], "nothing of the list that is no more");
    assert_eq!((listing.pages(), listing.is_complete()), (2, true));
    assert_eq!(cursors(&desk.asked()), some(&[None, Some("1"), None, Some("2")]));

    // Once; then it is an error.
    let desk =
        Desk::new(|asked| if asked.cursor().is_some() { invalid_cursor() } else { page(&["a"], Some("1")) })
            .await;
    let error = desk.client().list_tools().all().await.unwrap_err();
    assert_eq!(error.call_error().unwrap().rpc_code(), Some(-32602));
    assert_eq!(names(error.partial().items()), ["a"]);
    assert_eq!(cursors(&desk.asked()), some(&[None, Some("1"), None, Some("1")]));
}

#[tokio::test]
async fn an_error_that_is_not_about_a_cursor_begins_nothing_anew() {
    let internal = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32603,"message":"no"}}"#;
    for (answers, posts) in [
        (vec![invalid_cursor()], 1),
        (vec![page(&["a"], Some("1")), Canned::json(internal)], 2),
        (vec![page(&["a"], Some("1")), Canned::new(500, "text/plain", "no")], 2),
    ] {
        let desk = Desk::script(answers).await;
        let error = desk.client().list_tools().all().await.unwrap_err();
        assert!(error.call_error().is_some());
        assert_eq!((error.partial().pages(), desk.count()), (posts - 1, posts));
    }
    // The caller's own cursor is the caller's.
    let desk = Desk::script([invalid_cursor()]).await;
    desk.client().list_tools().cursor("mine").all().await.unwrap_err();
    assert_eq!(cursors(&desk.asked()), some(&[Some("mine")]));
}

#[tokio::test]
async fn pag_09_entries_that_stand_twice_are_both_given() {
    let desk = Desk::script([page(&["a", "b"], Some("1")), page(&["b", "c"], None)]).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!(names(listing.items()), ["a", "b", "b", "c"]);
}

/// Three pages of ten; the tool that is called stands on the last one, and wants a header.
#[tokio::test]
async fn field_list_03_tools_of_later_pages_are_known_like_those_of_the_first() {
    let desk = Desk::new(|asked| {
        if asked.method == "tools/call" {
            return Canned::result(OK);
        }
        let number = asked.cursor().map_or(0, |cursor| cursor.parse::<usize>().unwrap());
        let tools: Vec<_> = (number * 10..number * 10 + 10)
            .map(|at| {
                let region = json!({ "type": "string", "x-mcp-header": "Region" });
                json!({ "name": format!("t{at}"),
                        "inputSchema": { "type": "object", "properties": { "region": region } } })
            })
            .collect();
        let mut result = json!({ "tools": tools });
        if number < 2 {
            result["nextCursor"] = json!((number + 1).to_string());
        }
        Canned::result(&result.to_string())
    })
    .await;
    let client = desk.client();
    let listing = client.list_tools().all().await.unwrap();
    assert_eq!((listing.items().len(), listing.is_complete()), (30, true));
    let call = client.call_tool("t25").arguments(json!({ "region": "eu" }));
    call.send().await.unwrap().into_success().unwrap();
    let asked = desk.asked();
    assert_eq!((asked.len(), asked[3].header("mcp-param-region")), (4, Some("eu")));

    // A page that fails leaves no list that looks complete.
    let desk =
        Desk::script([page(&["a"], Some("1")), page(&["b"], Some("2")), Canned::new(503, "", "")]).await;
    let error = desk.client().list_tools().all().await.unwrap_err();
    assert_eq!((names(error.partial().items()), error.partial().is_complete()), (vec!["a", "b"], false));
}

#[tokio::test]
async fn a_page_that_was_not_waited_for_is_asked_for_again() {
    let slow = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&slow);
    let desk = Desk::new(move |asked| {
        seen.fetch_add(1, Ordering::SeqCst);
        if asked.cursor().is_some() { page(&["b"], None) } else { page(&["a"], Some("1")) }
    })
    .await;
    let mut pages = desk.client().list_tools().pages();
    // Polled once, and dropped.
    let polled = tokio::time::timeout(std::time::Duration::ZERO, pages.next()).await;
    assert!(polled.is_err());
    let first = pages.next().await.unwrap().unwrap();
    let second = pages.next().await.unwrap().unwrap();
    assert_eq!((names(first.items()), names(second.items())), (vec!["a"], vec!["b"]));
    assert!(pages.next().await.is_none() && pages.end() == Some(WalkEnd::LastPage));
}
