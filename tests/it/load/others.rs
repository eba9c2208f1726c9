//! What one call does, or suffers, is nothing to the others.

use std::{sync::Arc, time::Duration};

use mcp_client::{Delivery, OutcomeKind, error::TransportErrorKind};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{
    VERSIONS,
    hall::{Hall, argument, says},
    once,
};
use crate::fault::{ANSWER, assert_ended, assert_good, call, in_time, only_calls, transport_error};

/// Holds `never` for ever, `later` until it is told, and answers the rest at once.
async fn hall(later: &Arc<Notify>) -> Hall {
    let later = Arc::clone(later);
    Hall::open(move |request: Value| {
        let later = Arc::clone(&later);
        async move {
            let when = argument(&request, "when").as_str().unwrap();
            match when {
                "never" => std::future::pending().await,
                "later" => later.notified().await,
                _ => {}
            }
            says(when)
        }
    })
    .await
}

/// The one that is never answered is ended alone, and on HTTP/2 its connection goes on with the others.
#[tokio::test]
async fn field_time_05_a_call_that_times_out_leaves_the_others_alone() {
    for (version, http_2) in VERSIONS {
        let later = Arc::new(Notify::new());
        let hall = hall(&later).await;
        let client = once(&hall.url(), http_2).build().unwrap();
        let ask = |when: &str| client.call_tool("x").arguments(json!({ "when": when }));
        let second = tokio::spawn(ask("later").send());
        hall.when(|counts| counts.waiting == 1).await;
        let mut after = Duration::from_millis(200);
        // A busy machine may be too slow to have sent it by then.
        let first = loop {
            let before = hall.counts().arrived;
            let ended = in_time(ask("never").timeout(after).send()).await;
            if hall.counts().arrived > before {
                break ended;
            }
            after *= 4;
        };
        assert_ended(&version, &first, OutcomeKind::Timeout, Delivery::Unknown, &[None]);
        hall.when(|counts| counts.waiting == 1).await;
        assert!(!second.is_finished(), "{version}");
        later.notify_one();
        let second = in_time(second).await.unwrap().unwrap().into_success().unwrap();
        assert_eq!((second.text().as_ref(), second.record().posts.as_slice()), ("later", &[Some(200)][..]));
        let third = in_time(ask("now").send()).await.unwrap().into_success().unwrap();
        assert_eq!((third.text().as_ref(), third.record().posts.as_slice()), ("now", &[Some(200)][..]));
        let counts = hall.counts();
        assert_eq!(counts.gone, counts.arrived - 2, "{version}");
        if http_2 {
            assert_eq!((counts.open, counts.opened), (1, 1), "one connection for all of them");
        }
        // No negotiation, nothing but the calls.
        assert!(hall.requests().iter().all(|request| request["method"] == "tools/call"), "{version}");
    }
}

/// Answers may come in any order: nobody waits for the call before.
#[tokio::test]
async fn field_load_03_a_call_that_is_made_later_may_end_earlier() {
    for (version, http_2) in VERSIONS {
        let later = Arc::new(Notify::new());
        let hall = hall(&later).await;
        let client = once(&hall.url(), http_2).build().unwrap();
        let ask = |when: &str| client.call_tool("x").arguments(json!({ "when": when }));
        let first = tokio::spawn(ask("later").send());
        hall.when(|counts| counts.waiting == 1).await;
        for number in 0..3 {
            let output = in_time(ask("now").send()).await.unwrap().into_success().unwrap();
            assert_eq!(output.text(), "now", "{version}: {number}");
        }
        assert!(!first.is_finished(), "{version}");
        later.notify_one();
        assert_eq!(in_time(first).await.unwrap().unwrap().into_success().unwrap().text(), "later");
        assert_eq!(hall.counts().arrived, 4, "{version}");
    }
}

/// A body without an end is refused at the limit; meanwhile, and afterwards, others have their answers.
#[tokio::test]
async fn field_load_06_a_body_without_an_end_leaves_the_others_alone() {
    let spaces = Step::Drip { bytes: " ".repeat(40_000).into(), chunk: 400, every: Duration::from_millis(2) };
    let endless = Reply::json(200, "[").until_close().then(spaces).then(Step::AwaitClientClose);
    let server = FaultServer::start([endless, Reply::json(200, ANSWER)]).await.unwrap();
    let client = once(&server.url(), false).max_body_bytes(20_000).build().unwrap();
    let endless = tokio::spawn(client.call_tool("endless").send());
    server.requested(1).await.unwrap();
    assert_good(&"meanwhile", &call(&client).await);
    let ended = in_time(endless).await.unwrap();
    assert_ended(&"endless", &ended, OutcomeKind::TransportError, Delivery::Unknown, &[Some(200)]);
    let kind = TransportErrorKind::TooLarge { limit: 20_000, setting: "max_body_bytes" };
    assert_eq!(transport_error(&ended).kind(), kind);
    server.client_closed().await.unwrap();
    assert_good(&"afterwards", &call(&client).await);
    only_calls(&server, 3);
}
