//! Ordinary calls beside subscriptions that nobody reads.

use http::Version;
use mcp_client::{Client, Retry, Subscription, SubscriptionEnd};
use serde_json::json;

use super::{
    read_all,
    source::{self, Source, Stream},
    tools,
};
use crate::fault::in_time;

/// Opens some subscriptions, which nobody reads.
async fn open(source: &mut Source, client: &Client, count: usize) -> Vec<(Subscription, Stream)> {
    let mut all = Vec::new();
    for _ in 0..count {
        let (opened, stream) = tokio::join!(in_time(client.listen(tools()).open()), async {
            source.asked().await.acknowledge()
        });
        all.push((opened.unwrap(), stream));
    }
    all
}

/// 8 MiB that no subscription has a use for: more than any window that the client opens for a stream, and three times as
/// much is more than it opens for a connection.
fn noise(stream: &Stream) {
    let foreign = json!({ "jsonrpc": "2.0", "method": "notifications/message",
        "params": { "level": "debug", "data": "x".repeat(1 << 16) } });
    let event = source::event(&foreign);
    for _ in 0..128 {
        stream.write(event.clone());
    }
}

async fn call(client: &Client) {
    let output = in_time(client.call_tool("x").send()).await.unwrap().into_success().unwrap();
    assert_eq!(output.text(), "ok");
}

async fn assert_calls_pass(source: &mut Source, client: &Client) {
    let all = open(source, client, 3).await;
    for (_, stream) in &all {
        noise(stream);
    }
    for _ in 0..3 {
        call(client).await;
    }
    for (opened, stream) in &all {
        assert!(opened.end().is_none() && !stream.is_closed());
    }
    // Now a flood of what was asked for.
    for (_, stream) in &all {
        let event = source::event(&stream.notification("tools/list_changed", json!({})));
        stream.write(event.repeat(20_000));
    }
    call(client).await;
    for (mut opened, stream) in all {
        stream.closed().await;
        let (events, end) = read_all(&mut opened).await;
        assert_eq!(events.len(), 1_024);
        assert!(matches!(end, SubscriptionEnd::Lagged), "{end:?}");
    }
    call(client).await;
}

#[tokio::test]
async fn calls_never_wait_for_subscriptions_over_http_1() {
    let mut source = Source::start();
    let client = source.client();
    assert_calls_pass(&mut source, &client).await;
    assert!(source.posts().iter().all(|post| post.version == Version::HTTP_11));
}

/// All of it shares one connection, and so one window.
#[tokio::test]
async fn calls_never_wait_for_subscriptions_over_http_2() {
    let mut source = Source::start();
    let http = reqwest::Client::builder().http2_prior_knowledge();
    let client =
        Client::builder().http_with(source.url(), http).unwrap().retry(Retry::never()).build().unwrap();
    assert_calls_pass(&mut source, &client).await;
    assert!(source.posts().iter().all(|post| post.version == Version::HTTP_2));
    assert_eq!(source.connections(), 1);
}
