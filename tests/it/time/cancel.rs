//! Dropping the future of a call cancels it: the stream is closed, nothing else is sent, and the observer is told.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::Version;
use mcp_client::{CallRecord, Client, Delivery, Layer, Observer, OutcomeKind, record::CloseCause};
use mcp_tests::{Ending, FaultServer, Kitchen, Reply, Step};
use serde_json::json;

use crate::fault::{ANSWER, NOTIFICATION, good, in_time, only_calls, still_usable};

/// Keeps what it is told.
#[derive(Clone, Debug, Default)]
struct Told(Arc<Mutex<Vec<CallRecord>>>);

impl Told {
    fn all(&self) -> Vec<CallRecord> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Told {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

fn observed(url: &str) -> (Client, Told) {
    let told = Told::default();
    (crate::support::once(url).observer(told.clone()).build().unwrap(), told)
}

/// Drops a call as soon as the client has come as far as the test wants: the server cannot see that, so the call is
/// given more time until it has.
async fn drop_when(reply: &Reply, reached: impl Fn(&CallRecord) -> bool) -> (FaultServer, Client, Told) {
    for patience in [20, 100, 500, 2500, 10_000] {
        let server = FaultServer::start([reply.clone(), good()]).await.unwrap();
        let (client, told) = observed(&server.url());
        let mut call = Box::pin(client.call_tool("x").scenario("dropped").send());
        tokio::time::timeout(Duration::from_millis(patience), &mut call)
            .await
            .expect_err("it must not end by itself");
        let arrived = server.requests().len() == 1;
        drop(call);
        if arrived && told.all().last().is_some_and(&reached) {
            return (server, client, told);
        }
    }
    panic!("the client never came that far: {reply:?}");
}

#[tokio::test]
async fn c_45_a_dropped_call_closes_its_stream_and_sends_nothing_else() {
    let half = Bytes::from(&ANSWER.as_bytes()[..40]);
    let stream = Reply::sse(&[NOTIFICATION, NOTIFICATION]).unfinished().then(Step::AwaitClientClose);
    for (what, reply, status, events) in [
        ("the head", Reply::steps([Step::AwaitClientClose]), None, None),
        ("the body", Reply::json(200, half).unfinished().then(Step::AwaitClientClose), Some(200), None),
        ("a stream", stream, Some(200), Some(2)),
        (
            "the body of an error",
            Reply::json(500, "x").unfinished().then(Step::AwaitClientClose),
            Some(500),
            None,
        ),
    ] {
        let (server, client, told) = drop_when(&reply, |record| {
            record.posts == [status] && record.sse.map(|sse| sse.events) == events
        })
        .await;
        server.client_closed().await.unwrap_or_else(|error| panic!("{what}: {error}"));
        let [record] = &told.all()[..] else { panic!("{what}: {told:?}") };
        assert_eq!((record.outcome, record.layer), (OutcomeKind::Cancelled, Layer::Local), "{what}");
        assert_eq!(record.delivery, Delivery::Unknown, "{what}");
        assert_eq!(
            (record.scenario.as_deref(), record.tool.as_deref()),
            (Some("dropped"), Some("x")),
            "{what}"
        );
        assert_eq!(record.attempts.attempts().len(), 1, "{what}");
        if let Some(sse) = record.sse {
            assert_eq!(
                (sse.close_cause, sse.terminal_response),
                (Some(CloseCause::Cancelled), false),
                "{what}"
            );
        }
        still_usable(&what, &client).await;
        // The call and the good one; no `notifications/cancelled`.
        only_calls(&server, 2);
        assert_eq!(told.all().len(), 2, "{what}: each call is told once");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_before_it_is_polled_sends_nothing() {
    let server = FaultServer::start([good()]).await.unwrap();
    let (client, told) = observed(&server.url());
    drop(client.call_tool("x").send());
    drop(client.call_tool("x"));
    still_usable(&"after it", &client).await;
    only_calls(&server, 1);
    assert_eq!(told.all().len(), 1);
}

/// The tool is told by the closed stream, and stops; one that does not listen goes on: so delivery is unknown.
#[tokio::test]
async fn a_dropped_call_reaches_the_tool() {
    let kitchen = Kitchen::start().await.unwrap();
    let tool = "run_configured_test_scenario";
    kitchen.switch("timeout.cooperative_deadline", json!({ "delayMs": 600_000 })).unwrap();
    let (client, told) = observed(&kitchen.url());
    let mut call = Box::pin(client.call_tool(tool).send());
    tokio::select! {
        ended = &mut call => panic!("it must not end by itself: {ended:?}"),
        // The stream is opened, and the tool at work.
        posts = kitchen.posts_when(|posts| posts.len() == 1 && kitchen.executions(tool) == 1) => drop(posts.unwrap()),
    }
    drop(call);
    let posts =
        kitchen.posts_when(|posts| posts.iter().all(|post| post.ending == Ending::ClientGone)).await.unwrap();
    assert_eq!(posts.len(), 1, "nothing but the call");
    assert_eq!(told.all()[0].outcome, OutcomeKind::Cancelled);
    assert_eq!((kitchen.executions(tool), kitchen.completions(tool)), (1, 0));
    assert!(kitchen.other_requests().is_empty());
}

/// On HTTP/2 only the stream of the call is closed; the connection serves the others.
#[tokio::test]
async fn a_dropped_call_on_http_2_leaves_the_connection_open() {
    let kitchen = Kitchen::start().await.unwrap();
    let tool = "run_configured_test_scenario";
    kitchen.switch("timeout.cooperative_deadline", json!({ "delayMs": 600_000 })).unwrap();
    let http = reqwest::Client::builder().http2_prior_knowledge();
    let client = Client::builder().http_with(&kitchen.url(), http).unwrap().build().unwrap();
    let mut call = Box::pin(client.call_tool(tool).send());
    tokio::select! {
        ended = &mut call => panic!("it must not end by itself: {ended:?}"),
        posts = kitchen.posts_when(|posts| posts.len() == 1) => drop(posts.unwrap()),
    }
    drop(call);
    kitchen.posts_when(|posts| posts[0].ending == Ending::ClientGone).await.unwrap();
    kitchen.switch("baseline", json!({})).unwrap();
    let output = in_time(client.call_tool(tool).send()).await.unwrap().into_success().unwrap();
    assert_eq!(output.record().posts, [Some(200)]);
    let posts = kitchen.posts();
    assert_eq!(posts.len(), 2, "nothing but the two calls");
    assert!(posts.iter().all(|post| post.http_version == Version::HTTP_2));
    assert_eq!(kitchen.connections(), 1);
}

/// A caller that gives up by a timer of its own is a caller that drops the future.
#[tokio::test]
async fn a_race_that_is_lost_is_a_dropped_call() {
    let server = FaultServer::start([Reply::steps([Step::AwaitClientClose]), good()]).await.unwrap();
    let (client, told) = observed(&server.url());
    tokio::select! {
        ended = client.call_tool("slow").send() => panic!("it must lose: {ended:?}"),
        requests = server.requested(1) => drop(requests.unwrap()),
    }
    server.client_closed().await.unwrap();
    assert_eq!(told.all()[0].outcome, OutcomeKind::Cancelled);
    assert_eq!(told.all()[0].posts, [None]);
    still_usable(&"after it", &client).await;
    only_calls(&server, 2);
}
