//! Stale results: only for those who ask, only where the server cannot be had, and visibly.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use mcp_client::{
    Client, Delivery, Layer, OutcomeKind, Retry,
    cache::Freshness,
    error::{TransportError, TransportErrorKind},
    transport::{Exchange, MemoryTransport},
};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::json;

use super::{Desk, Log, Shelf, number, result};
use crate::stage::Canned;

/// A server that answers well once, and then so; a client of it that holds a stale list, and its log.
async fn then(answer: Canned) -> (Desk, Client, Log) {
    let desk = Desk::new(move |asked| match asked.number {
        0 => result(0, &json!(600_000), &json!("private")),
        _ => answer.clone(),
    })
    .await;
    let (shelf, log) = (Shelf::default(), Log::default());
    let client = desk.builder().cache(shelf.options()).observer(log.clone()).build().unwrap();
    client.list_tools().send().await.unwrap();
    shelf.older(Duration::from_secs(700));
    log.take();
    (desk, client, log)
}

#[tokio::test]
async fn cac_12_where_the_server_cannot_be_had_who_asked_for_it_gets_the_old_one_and_sees_that() {
    for status in [500, 502, 503, 504, 429] {
        let (desk, client, log) =
            then(Canned::new(status, "text/plain", "down").header("Retry-After", "7")).await;
        let error = client.list_tools().send().await.unwrap_err();
        assert_eq!((error.http_status(), log.take().len()), (Some(status), 1), "nobody who did not ask");

        let page = client.list_tools().stale_if_error().send().await.unwrap();
        let Freshness::Stale { age } = page.freshness() else { panic!("{:?}", page.freshness()) };
        assert!(age >= Duration::from_secs(700));
        assert_eq!((number(&page), page.items().len(), desk.count()), (0, 1, 3));
        let record = page.record();
        assert_eq!(
            (record.outcome, record.layer, record.posts.as_slice()),
            (OutcomeKind::ToolSuccess, Layer::Application, &[Some(status)][..])
        );
        assert!(record.error_message.is_some(), "why it is stale");
        let [told] = log.take().try_into().unwrap();
        assert_eq!(told, serde_json::to_value(record).unwrap(), "one call, told once");
        assert_eq!(
            (&told["cache"], &told["postCount"], &told["httpStatuses"]),
            (&json!("stale"), &json!(1), &json!([status]))
        );
        assert_eq!(told["attempts"].as_array().unwrap().len(), 1);

        // Lists say so too.
        let listing = client.list_tools().stale_if_error().all().await.unwrap();
        assert!(listing.freshness().is_stale() && listing.is_complete());
        let mut stream = client.list_tools().stale_if_error().stream();
        assert!(stream.next().await.unwrap().is_ok() && stream.freshness().is_stale());
    }
}

#[tokio::test]
async fn cac_12_a_broken_connection_and_silence_are_a_server_that_cannot_be_had() {
    let good = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[],"ttlMs":600000}}"#;
    for bad in [
        Reply::steps([Step::Reset]),
        Reply::steps([Step::AwaitClientClose]),
        Reply::json(200, good).cut_at(90),
    ] {
        let server = FaultServer::start([Reply::json(200, good), bad]).await.unwrap();
        let shelf = Shelf::default();
        let client = crate::support::once(&server.url()).cache(shelf.options()).build().unwrap();
        client.list_tools().send().await.unwrap();
        shelf.older(Duration::from_secs(700));
        let request = client.list_tools().timeout(Duration::from_secs(1)).stale_if_error();
        let page = request.send().await.unwrap();
        assert!(page.freshness().is_stale());
        assert_eq!((page.record().post_count(), page.record().delivery), (1, Delivery::Unknown));
    }
    // Nobody listens there any more.
    let server = FaultServer::start([Reply::json(200, good)]).await.unwrap();
    let shelf = Shelf::default();
    let client = crate::support::once(&server.url()).cache(shelf.options()).build().unwrap();
    client.list_tools().send().await.unwrap();
    shelf.older(Duration::from_secs(700));
    drop(server);
    assert!(client.list_tools().stale_if_error().send().await.unwrap().freshness().is_stale());
}

/// What fails on this side is no outage: raising a limit, or correcting the call, helps.
#[tokio::test]
async fn what_fails_on_this_side_is_no_server_that_cannot_be_had() {
    for (kind, is_stale) in [
        (TransportErrorKind::TooLarge { limit: 5, setting: "max_body_bytes" }, false),
        (TransportErrorKind::Unsendable, false),
        (TransportErrorKind::Other, false),
        (TransportErrorKind::Connect, true),
        (TransportErrorKind::ConnectTimeout, true),
        (TransportErrorKind::Broken, true),
        (TransportErrorKind::Incomplete, true),
        (TransportErrorKind::Timeout { after: Duration::ZERO }, true),
    ] {
        let asked = AtomicUsize::new(0);
        let transport = MemoryTransport::new(move |request| {
            let is_first = asked.fetch_add(1, Ordering::Relaxed) == 0;
            let result = json!({ "resultType": "complete", "tools": [], "ttlMs": 600_000 });
            let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": result });
            async move {
                if is_first {
                    Ok(Exchange::message(answer.to_string()))
                } else {
                    Err(TransportError::new(kind, Delivery::Unknown))
                }
            }
        });
        let (shelf, log) = (Shelf::default(), Log::default());
        let client = Client::with_transport(transport).retry(Retry::never()).cache(shelf.options());
        let client = client.observer(log.clone()).build().unwrap();
        client.list_tools().send().await.unwrap();
        shelf.older(Duration::from_secs(700));
        log.take();
        let ended = client.list_tools().stale_if_error().send().await;
        assert_eq!(ended.is_ok_and(|page| page.freshness().is_stale()), is_stale, "{kind:?}");
        assert_eq!(log.take().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn a_server_that_says_no_has_said_no() {
    let internal = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32603,"message":"no"}}"#;
    for answer in [
        Canned::json(internal),
        Canned::new(401, "text/plain", "who?"),
        Canned::new(403, "text/plain", "no"),
        Canned::new(404, "text/plain", "no"),
        Canned::new(200, "text/html", "<html>"),
        Canned::result("{}"),
    ] {
        let (desk, client, log) = then(answer.clone()).await;
        assert!(client.list_tools().stale_if_error().send().await.is_err(), "{answer:?}");
        assert_eq!((desk.count(), log.take().len()), (2, 1));
    }
}

#[tokio::test]
async fn without_anything_kept_the_error_stands_and_is_told_once() {
    let log = Log::default();
    let desk = Desk::script([Canned::new(503, "", "")]).await;
    let client = desk.builder().observer(log.clone()).build().unwrap();
    let error = client.list_tools().stale_if_error().send().await.unwrap_err();
    assert_eq!((error.http_status(), error.record().unwrap().post_count()), (Some(503), 1));
    let [told] = log.take().try_into().unwrap();
    assert_eq!((&told["outcome"], told.get("cache")), (&json!("HTTP_ERROR"), None));
}

/// What is fresh needs no server, asked for or not; what the server answers replaces what is stale.
#[tokio::test]
async fn while_it_is_fresh_or_the_server_answers_nothing_is_stale() {
    let (desk, client, _) = then(result(1, &json!(600_000), &json!("private"))).await;
    let page = client.list_tools().stale_if_error().send().await.unwrap();
    assert_eq!((number(&page), page.freshness().is_fetched()), (1, true));
    let page = client.list_tools().stale_if_error().send().await.unwrap();
    assert!(matches!(page.freshness(), Freshness::Fresh { .. }));
    assert_eq!(desk.count(), 2);
}

/// What a server said it offers an hour ago is no reason to refuse anything now.
#[tokio::test]
async fn a_stale_discovery_teaches_nothing() {
    let desk = Desk::new(|asked| match asked.number {
        0 => Canned::result(r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":600000}"#),
        _ => Canned::new(503, "", ""),
    })
    .await;
    let shelf = Shelf::default();
    shelf.client(&desk).discover().send().await.unwrap();
    shelf.older(Duration::from_secs(700));
    let other = shelf.client(&desk);
    let server = other.discover().stale_if_error().send().await.unwrap();
    assert!(server.freshness().is_stale());
    assert_eq!(other.capabilities(), None);
}
