//! Servers that say much, and readers that read little.

use std::time::Duration;

use bytes::Bytes;
use mcp_client::{
    CancelHandle, Client, DEFAULT_UPDATES, Delivery, MAX_UPDATE_BYTES, OutcomeKind, Progress, Retry,
    transport::{Exchange, MemoryTransport},
    types::LoggingLevel,
};
use mcp_tests::Reply;
use serde_json::json;

use super::{answered_after, done, log, notification, progress};
use crate::fault::{assert_ended, assert_good, good, in_time, only_calls, serve, still_usable};

/// Nobody reads before the call has ended: it ends all the same, the latest are kept, and the others counted.
#[tokio::test]
async fn prg_09_a_slow_reader_misses_the_oldest_is_told_and_holds_up_nothing() {
    let messages = (0..1000).map(|number| progress(f64::from(number)));
    let (server, client) = serve([Reply::sse(&answered_after(messages.collect())), good()]).await;
    let (call, mut updates) = client.call_tool("x").progress_stream();
    let ended = in_time(call.send()).await;
    assert_eq!(assert_good(&"slow", &ended).sse.unwrap().events, 1001);
    assert_eq!(updates.missed(), 1000 - DEFAULT_UPDATES as u64);
    let mut heard: Vec<Progress> = Vec::new();
    while let Some(update) = in_time(updates.next()).await {
        heard.push(update);
    }
    assert_eq!(done(&heard), (744..1000).map(f64::from).collect::<Vec<_>>());
    assert_eq!(updates.missed(), 744, "reading misses nothing");
    still_usable(&"slow", &client).await;
    only_calls(&server, 2);
}

/// Few long ones are as much as many short ones.
#[tokio::test]
async fn prg_09_long_updates_are_bounded_by_their_bytes() {
    let text = "x".repeat(MAX_UPDATE_BYTES / 10);
    let long = |number: u32| {
        let params = json!({ "progressToken": "TOKEN", "progress": number, "message": text });
        notification("notifications/progress", &params).replace("\"TOKEN\"", "{{id}}")
    };
    let (_server, client) = serve([Reply::sse(&answered_after((0..50).map(long).collect()))]).await;
    let (call, mut updates) = client.call_tool("x").progress_stream();
    assert_good(&"long", &in_time(call.send()).await);
    let mut heard = Vec::new();
    while let Some(update) = updates.next().await {
        assert_eq!(update.message.as_deref(), Some(text.as_str()));
        heard.push(update);
    }
    // Nine of a tenth and a little more.
    assert_eq!(done(&heard), (41..50).map(f64::from).collect::<Vec<_>>());
    assert_eq!(updates.missed(), 41);
}

/// A slow listener holds up its own call alone.
#[tokio::test]
async fn a_slow_reader_of_one_call_does_not_stall_another() {
    let messages = (0..1000).map(|number| progress(f64::from(number)));
    let flood = Reply::sse(&answered_after(messages.collect()));
    let (server, client) = serve([flood.clone(), flood]).await;
    // Of one call nobody ever reads the stream; the reader of the other is there at once.
    let (unread, _updates) = client.call_tool("x").progress_stream();
    let (read, mut updates) = client.call_tool("x").progress_stream();
    let reader = async {
        let mut last = None;
        while let Some(update) = updates.next().await {
            last = Some(update.progress);
        }
        last
    };
    let (first, second, last) =
        in_time(Box::pin(async { tokio::join!(unread.send(), read.send(), reader) })).await;
    assert_good(&"unread", &first);
    assert_good(&"read", &second);
    assert_eq!(last, Some(999.0));
    only_calls(&server, 2);
}

#[tokio::test]
async fn log_07_log_messages_are_bounded_as_progress_is() {
    let messages = (0..400).map(|number| log("info", &json!(number)));
    let (_server, client) = serve([Reply::sse(&answered_after(messages.collect()))]).await;
    let (call, mut logs) = client.call_tool("x").log_stream(LoggingLevel::Debug);
    assert_good(&"logs", &in_time(call.send()).await);
    assert_eq!(logs.missed(), 400 - DEFAULT_UPDATES as u64);
    assert_eq!(logs.next().await.unwrap().data.get(), "144");
    let rest = std::iter::from_fn(|| logs.try_next()).count();
    assert_eq!(rest, DEFAULT_UPDATES - 1);

    let long = "x".repeat(MAX_UPDATE_BYTES);
    let messages = vec![log("error", &json!(long)), log("error", &json!("short"))];
    let (_server, client) = serve([Reply::sse(&answered_after(messages))]).await;
    let (call, mut logs) = client.call_tool("x").log_stream(LoggingLevel::Debug);
    assert_good(&"long", &in_time(call.send()).await);
    assert_eq!(logs.next().await.unwrap().data.get(), "\"short\"", "the long one is no news of a call");
    assert_eq!((logs.missed(), logs.next().await), (0, None));
}

/// A stream that has more progress whenever it is asked.
fn flooded() -> Client {
    let transport = MemoryTransport::new(|request| {
        let message = Bytes::from(progress(1.0).replace("{{id}}", &request.id.to_string()));
        let stream = futures_util::stream::repeat_with(move || Ok(message.clone()));
        async move { Ok(Exchange::stream(Box::pin(stream))) }
    });
    Client::with_transport(transport).retry(Retry::never()).build().unwrap()
}

/// Whoever floods a call keeps neither its time from running out nor the caller from giving up.
#[tokio::test]
async fn a_flood_without_an_end_is_ended_by_the_timeout_and_by_the_caller() {
    let (call, mut updates) = flooded().call_tool("x").progress_stream();
    let after = Duration::from_millis(50);
    let ended = call.timeout(after).send().await;
    assert_ended(&"time", &ended, OutcomeKind::Timeout, Delivery::Unknown, &[None]);
    // How much comes in that time, the machine decides.
    assert!(updates.try_next().is_some());

    let stop = CancelHandle::new();
    let (call, updates) = flooded().call_tool("x").progress_stream();
    // On the one thread that there is, this has its turn only when the call makes a pause.
    tokio::spawn({
        let stop = stop.clone();
        async move { stop.cancel("enough") }
    });
    let ended = call.cancel_with(&stop).send().await;
    let record = assert_ended(&"cancel", &ended, OutcomeKind::Cancelled, Delivery::Unknown, &[None]);
    assert_eq!(record.error_message.as_deref(), Some("enough"));
    let heard = updates.missed() + DEFAULT_UPDATES as u64;
    assert!(heard < 10_000, "at once, not after {heard}");
}
