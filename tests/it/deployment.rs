//! HTTP as it is deployed: proxies, certificates, headers, connections that die.

mod around;
mod certificates;
mod headers;
mod proxies;

use std::time::Duration;

use mcp_client::{Client, Delivery, OutcomeKind, Retry, error::TransportErrorKind};
use mcp_tests::{FaultServer, Reply, Step};

use crate::fault::{assert_ended, assert_good, call, good, in_time, only_calls, serve, transport_error};

/// A client with connections of one's own, that makes each call once.
fn with(url: &str, http: reqwest::ClientBuilder) -> Client {
    Client::builder().http_with(url, http).unwrap().retry(Retry::never()).build().unwrap()
}

fn moved(status: u16, location: &str) -> Reply {
    Reply::status(status).header("Location", location)
}

fn lines(server: &FaultServer) -> Vec<String> {
    server.requests().iter().map(|request| request.request_line().to_owned()).collect()
}

const ASKED: &str = "POST /mcp HTTP/1.1";
const MOVED: &str = "POST /mcp/ HTTP/1.1";

#[tokio::test]
async fn field_net_03_a_308_is_remembered_and_a_307_is_not() {
    let (server, client) = serve([moved(308, "/mcp/"), good(), good(), good()]).await;
    for posts in [&[Some(308), Some(200)][..], &[Some(200)], &[Some(200)]] {
        assert_ended(&"moved", &call(&client).await, OutcomeKind::ToolSuccess, Delivery::Answered, posts);
    }
    assert_eq!(lines(&server), [ASKED, MOVED, MOVED, MOVED]);
    // What the server is known by does not change.
    assert_eq!(client.identity(), server.url());

    // RFC 9110 §15.4.8: the next request goes to where it went first.
    let (server, client) = serve([moved(307, "/mcp/"), good(), good()]).await;
    for posts in [&[Some(307), Some(200)][..], &[Some(200)]] {
        assert_ended(&"307", &call(&client).await, OutcomeKind::ToolSuccess, Delivery::Answered, posts);
    }
    assert_eq!(lines(&server), [ASKED, MOVED, ASKED]);

    // A chain is as lasting as its weakest part, and only a success confirms it.
    for script in [
        [moved(308, "/a"), moved(307, "/mcp/"), good(), good()],
        [moved(308, "/mcp/"), Reply::status(404), good(), good()],
    ] {
        let (server, client) = serve(script).await;
        let _ = call(&client).await;
        assert_good(&"from the start", &call(&client).await);
        assert_eq!(lines(&server).last().unwrap(), ASKED);
    }
}

#[tokio::test]
async fn a_place_that_is_gone_is_forgotten() {
    for status in [404, 405, 410] {
        let (server, client) = serve([moved(308, "/mcp/"), good(), Reply::status(status), good()]).await;
        let _ = call(&client).await;
        let ended = call(&client).await;
        assert_ended(&status, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(status)]);
        assert_good(&"as at first", &call(&client).await);
        assert_eq!(lines(&server), [ASKED, MOVED, MOVED, ASKED]);
    }
    // An outage says nothing about the place.
    let (server, client) = serve([moved(308, "/mcp/"), good(), Reply::status(503), good()]).await;
    for _ in 0..3 {
        let _ = call(&client).await;
    }
    assert_eq!(lines(&server), [ASKED, MOVED, MOVED, MOVED]);
}

/// The third way in which an idle connection dies: without a word. Orderly ends and resets are in `connection.rs`.
#[tokio::test]
async fn field_net_06_a_connection_that_died_silently_is_not_used_again() {
    let (server, client) = serve([good(), Reply::steps([Step::AwaitClientClose]), good(), good()]).await;
    assert_good(&"first", &call(&client).await);
    let ended = in_time(client.call_tool("x").timeout(Duration::from_millis(300)).send()).await;
    // It may have been read by then, whatever the socket looks like.
    assert_ended(&"silent", &ended, OutcomeKind::Timeout, Delivery::Unknown, &[None]);
    assert!(matches!(transport_error(&ended).kind(), TransportErrorKind::Timeout { .. }));
    assert_good(&"after it", &call(&client).await);
    assert_good(&"and on", &call(&client).await);
    let connections: Vec<usize> = only_calls(&server, 4).iter().map(|request| request.connection).collect();
    assert_eq!(connections, [1, 1, 2, 2]);
}

#[tokio::test]
async fn field_net_06_repetitions_take_a_new_connection() {
    for step in [Step::Close, Step::Reset] {
        let server = FaultServer::start([good(), Reply::steps([step]), good()]).await.unwrap();
        let retry = Retry::builder().backoff(mcp_client::retry::Constant(Duration::from_millis(1)));
        let client = Client::http(&server.url()).unwrap().retry(retry.build()).build().unwrap();
        let _ = call(&client).await;
        let ended = in_time(client.call_tool("x").idempotent().send()).await;
        assert_eq!(crate::support::record(&ended).posts, [None, Some(200)]);
        let connections: Vec<usize> = only_calls(&server, 3).iter().map(|post| post.connection).collect();
        assert_eq!(connections, [1, 1, 2]);
    }
}

/// How long idle connections are kept is the application's to say.
#[tokio::test]
async fn field_net_06_connections_can_be_kept_from_idling() {
    let server = FaultServer::start([good()]).await.unwrap();
    let client = with(&server.url(), reqwest::Client::builder().pool_max_idle_per_host(0));
    for _ in 0..3 {
        assert_good(&"alone", &call(&client).await);
    }
    assert_eq!(server.connections(), 3);

    let server = FaultServer::start([good()]).await.unwrap();
    let client = with(&server.url(), reqwest::Client::builder());
    for _ in 0..3 {
        assert_good(&"kept", &call(&client).await);
    }
    assert_eq!(server.connections(), 1);
}
