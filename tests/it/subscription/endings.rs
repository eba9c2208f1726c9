//! How subscriptions end: each way is told apart, once, and the server sees the stream closed.

use std::time::Duration;

use mcp_client::{
    CallError, CancelHandle, DEFAULT_BUFFERED_EVENTS, Delivery, OutcomeKind, Subscription, SubscriptionEnd,
    SubscriptionEvent as Event, error::TransportErrorKind, record::CloseCause, types::SubscriptionFilter,
};
use mcp_tests::{Reply, Step};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    ACKNOWLEDGED, CHANGED, abrupt, memory, read_all, read_script,
    source::{Source, Stream},
    tools,
};
use crate::fault::in_time;

/// Opens a subscription to tools and resources.
async fn open(source: &mut Source, buffer: usize) -> (Subscription, Stream) {
    let client = source.client();
    let filter = tools().with_resource("file:///a");
    let (opened, stream) = tokio::join!(in_time(client.listen(filter).buffer(buffer).open()), async {
        source.asked().await.acknowledge()
    });
    (opened.unwrap(), stream)
}

fn result(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "complete" } })
}

fn cancelled(id: &Value) -> Value {
    let params = json!({ "requestId": id, "reason": "maintenance" });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

#[tokio::test]
async fn sub_09_an_answer_ends_it_in_order_whatever_is_in_it() {
    let mut source = Source::start();
    for result in [
        json!({ "resultType": "complete", "_meta": { super::source::SUBSCRIPTION_ID: 1 } }),
        json!({ "resultType": "complete" }),
        json!({}),
        json!(null),
    ] {
        let (mut opened, stream) = open(&mut source, 8).await;
        stream.notify("tools/list_changed", json!({}));
        stream.event(&json!({ "jsonrpc": "2.0", "id": stream.id, "result": result }));
        // Whatever comes after it is not read.
        stream.notify("tools/list_changed", json!({}));
        let (events, end) = read_all(&mut opened).await;
        assert_eq!(events, [Event::ToolsChanged], "{result}");
        assert!(matches!(end, SubscriptionEnd::Graceful), "{result}: {end:?}");
        stream.closed().await;
        // It stays as it ended.
        opened.close();
        assert!(matches!(opened.end(), Some(SubscriptionEnd::Graceful)));
    }
}

#[tokio::test]
async fn sub_10_both_ends_of_the_server_in_either_order_end_it_once() {
    let mut source = Source::start();
    let (mut opened, stream) = open(&mut source, 8).await;
    stream.event(&cancelled(&json!(stream.id.to_string())));
    stream.event(&cancelled(&json!(99)));
    stream.notify("tools/list_changed", json!({}));
    stream.event(&cancelled(&stream.id));
    stream.event(&result(&stream.id));
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(events, [Event::ToolsChanged]);
    let SubscriptionEnd::Cancelled { reason } = &end else { panic!("{end:?}") };
    assert_eq!(reason.as_deref(), Some("maintenance"));
    assert_eq!(end.to_string(), "the server cancelled it", "its words are left out");
    stream.closed().await;

    let (mut opened, stream) = open(&mut source, 8).await;
    stream.event(&result(&stream.id));
    stream.event(&cancelled(&stream.id));
    let (events, end) = read_all(&mut opened).await;
    assert!(events.is_empty() && matches!(end, SubscriptionEnd::Graceful), "{end:?}");
    assert_eq!(source.methods(), ["subscriptions/listen"; 2]);
}

#[tokio::test]
async fn an_error_and_an_answer_that_breaks_the_protocol_are_kept() {
    let mut source = Source::start();
    let (mut opened, stream) = open(&mut source, 8).await;
    let error = json!({ "code": -32000, "message": "overload" });
    stream.event(&json!({ "jsonrpc": "2.0", "id": stream.id, "error": error }));
    let (_, end) = read_all(&mut opened).await;
    let error = abrupt(&end);
    assert_eq!((error.rpc_code(), error.rpc_message()), (Some(-32000), Some("overload")));
    assert_eq!(error.delivery(), Delivery::Answered);
    stream.closed().await;

    let (mut opened, stream) = open(&mut source, 8).await;
    stream.event(&result(&json!(stream.id.to_string())));
    let (_, end) = read_all(&mut opened).await;
    assert_eq!(abrupt(&end).outcome(), OutcomeKind::InvalidEnvelope);
    stream.closed().await;
}

#[tokio::test]
async fn sub_11_a_stream_that_breaks_off_is_no_orderly_end() {
    let events = [ACKNOWLEDGED, CHANGED];
    for (what, reply, cause, count, changes) in [
        ("an orderly end of the body", Reply::sse(&events), CloseCause::Ended, 2, 1),
        (
            "the end of the connection",
            Reply::sse(&events).unfinished().then(Step::Close),
            CloseCause::Broken,
            2,
            1,
        ),
        ("a reset", Reply::sse(&events).unfinished().then(Step::Reset), CloseCause::Broken, 2, 1),
        (
            "half an event in an orderly body",
            Reply::sse(&[ACKNOWLEDGED, CHANGED, CHANGED]).half_event(),
            CloseCause::Ended,
            2,
            1,
        ),
        (
            "half an event in a cut body",
            Reply::sse(&[ACKNOWLEDGED, CHANGED]).half_event().unfinished().then(Step::Close),
            CloseCause::Broken,
            1,
            0,
        ),
        (
            "an answer that its blank line has not ended",
            Reply::sse_bytes(format!(
                "data: {ACKNOWLEDGED}\n\ndata: {}\n",
                r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete"}}"#
            )),
            CloseCause::Ended,
            1,
            0,
        ),
    ] {
        let (_server, seen, end) = read_script(reply).await;
        assert_eq!(seen, vec![Event::ToolsChanged; changes], "{what}");
        let error = abrupt(&end);
        let CallError::Transport(transport) = error else { panic!("{what}: {error:?}") };
        assert_eq!(transport.kind(), TransportErrorKind::Incomplete, "{what}");
        assert_eq!(transport.close_cause(), Some(cause), "{what}");
        assert_eq!((transport.sse_events(), transport.sse_skipped()), (Some(count), 0), "{what}");
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::StreamIncomplete, Delivery::Unknown));
        assert_eq!(
            end.to_string(),
            format!("it broke off: the event stream ended after {count} events without the answer"),
            "{what}"
        );
    }
}

#[tokio::test]
async fn an_event_above_the_limit_ends_it() {
    let mut source = Source::start();
    let client = source.client_with(|builder| builder.max_event_bytes(4_096));
    let (opened, stream) = tokio::join!(in_time(client.listen(tools()).relisten().open()), async {
        source.asked().await.acknowledge()
    });
    let mut opened = opened.unwrap();
    stream.notify("tools/list_changed", json!({ "pad": "x".repeat(3_000) }));
    stream.notify("tools/list_changed", json!({ "pad": "x".repeat(5_000) }));
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(events, [Event::ToolsChanged]);
    let CallError::Transport(error) = abrupt(&end) else { panic!("{end:?}") };
    assert_eq!(error.kind(), TransportErrorKind::TooLarge { limit: 4_096, setting: "max_event_bytes" });
    assert_eq!((error.close_cause(), error.sse_events()), (Some(CloseCause::Refused), Some(2)));
    stream.closed().await;
    assert!(!source.is_asked(), "asked again, it would be as large");
}

/// An acknowledgement that never ends is bounded, too.
#[tokio::test]
async fn an_acknowledgement_above_the_limit_is_an_error() {
    let mut source = Source::start();
    let client = source.client_with(|builder| builder.max_event_bytes(4_096));
    let (opened, ()) = tokio::join!(in_time(client.listen(tools()).open()), async {
        let stream = source.asked().await.stream();
        stream.write(format!("data: {}", "x".repeat(5_000)));
        stream.closed().await;
    });
    let error = opened.unwrap_err();
    let CallError::Transport(error) = &error else { panic!("{error:?}") };
    assert_eq!(error.kind(), TransportErrorKind::TooLarge { limit: 4_096, setting: "max_event_bytes" });
}

/// Tells that resources changed whose URIs are these numbers.
fn tell(stream: &Stream, uris: std::ops::RangeInclusive<usize>) {
    for uri in uris {
        stream.notify("resources/updated", json!({ "uri": uri.to_string() }));
    }
}

fn uri(event: &Event) -> &str {
    match event {
        Event::ResourceUpdated { uri } => uri,
        other => panic!("{other:?}"),
    }
}

fn uris(events: &[Event]) -> Vec<&str> {
    events.iter().map(uri).collect()
}

#[tokio::test]
async fn who_does_not_read_lags_and_the_latest_events_are_kept() {
    let mut source = Source::start();
    let (mut opened, stream) = open(&mut source, 3).await;
    tell(&stream, 1..=5);
    stream.closed().await;
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(uris(&events), ["2", "3", "4"]);
    assert!(matches!(end, SubscriptionEnd::Lagged), "{end:?}");

    // As many as there is room for are no reason to end it, and what is read makes room.
    let (mut opened, stream) = open(&mut source, 3).await;
    tell(&stream, 1..=3);
    assert_eq!(uris(&[in_time(opened.next()).await.unwrap()]), ["1"]);
    tell(&stream, 4..=4);
    stream.finish();
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(uris(&events), ["2", "3", "4"]);
    assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
}

#[tokio::test]
async fn by_default_1_024_events_wait() {
    assert_eq!(DEFAULT_BUFFERED_EVENTS, 1_024);
    let mut source = Source::start();
    let client = source.client();
    for (count, lagged) in [(1_024, false), (1_025, true)] {
        let filter = SubscriptionFilter::default().with_resource("file:///a");
        let (opened, ()) = tokio::join!(in_time(client.listen(filter).open()), async {
            let stream = source.asked().await.acknowledge();
            tell(&stream, 1..=count);
            stream.event(&result(&stream.id));
            stream.closed().await;
        });
        let mut opened = opened.unwrap();
        let (events, end) = read_all(&mut opened).await;
        assert_eq!(events.len(), 1_024);
        assert_eq!(matches!(end, SubscriptionEnd::Lagged), lagged, "{end:?}");
        assert_eq!(matches!(end, SubscriptionEnd::Graceful), !lagged, "{end:?}");
    }
}

/// Few long events are as much as many short ones.
#[tokio::test]
async fn what_waits_is_bounded_in_bytes() {
    let mut source = Source::start();
    let (mut opened, stream) = open(&mut source, 1_000).await;
    for _ in 0..3 {
        stream.notify("resources/updated", json!({ "uri": "x".repeat(6 << 20) }));
    }
    stream.closed().await;
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(events.len(), 2, "12 MiB are kept, and 18 would be more than 16");
    assert!(matches!(end, SubscriptionEnd::Lagged), "{end:?}");
}

#[tokio::test]
async fn sub_08_closing_it_closes_the_stream_and_sends_nothing() {
    let mut source = Source::start();
    let (mut opened, stream) = open(&mut source, 8).await;
    stream.notify("tools/list_changed", json!({}));
    assert_eq!(in_time(opened.next()).await, Some(Event::ToolsChanged));
    opened.close();
    assert!(matches!(opened.end(), Some(SubscriptionEnd::Closed)), "at once");
    assert_eq!(in_time(opened.next()).await, None);
    stream.closed().await;
    opened.close();
    assert!(format!("{opened:?}").contains("Closed"));

    // What had come is still there to be read.
    let (mut opened, stream) = open(&mut source, 1).await;
    tell(&stream, 1..=2);
    stream.closed().await;
    opened.close();
    assert_eq!(in_time(opened.next()).await, Some(Event::ResourceUpdated { uri: "2".into() }));
    assert!(matches!(opened.end(), Some(SubscriptionEnd::Lagged)), "it had ended before");

    let (opened, stream) = open(&mut source, 8).await;
    drop(opened);
    stream.closed().await;
    assert_eq!(source.methods(), ["subscriptions/listen"; 3]);
}

#[tokio::test]
async fn a_handle_closes_it() {
    let mut source = Source::start();
    let client = source.client();
    let stop = CancelHandle::new();
    let listen = client.listen(tools()).cancel_with(&stop).relisten();
    let (opened, stream) = tokio::join!(in_time(listen.open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    let reader = tokio::spawn(async move { read_all(&mut opened).await });
    stream.notify("tools/list_changed", json!({}));
    let closer = tokio::spawn(async move {
        stop.cancel("shutdown");
        stream.closed().await;
    });
    let (_, end) = in_time(reader).await.unwrap();
    in_time(closer).await.unwrap();
    assert!(matches!(end, SubscriptionEnd::Closed), "{end:?}");
    assert!(!source.is_asked());
}

/// The runtime that read it is gone, and who waits elsewhere is told.
#[test]
fn with_its_runtime_it_is_closed() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut source = Source::start();
    let reading = runtime();
    let (mut opened, stream) = reading.block_on(open(&mut source, 8));
    assert!(opened.end().is_none());
    drop(reading);
    runtime().block_on(async {
        let (events, end) = read_all(&mut opened).await;
        assert!(events.is_empty() && matches!(end, SubscriptionEnd::Closed), "{end:?}");
        stream.closed().await;
    });
}

#[tokio::test(start_paused = true)]
async fn sub_14_no_time_limit_of_calls_cuts_it_once_it_is_acknowledged() {
    let second = Duration::from_secs(1);
    let (client, mut far) = memory::client(|builder| builder.timeout(second).attempt_timeout(second));
    let listen = client.listen(tools()).acknowledgement_timeout(second);
    let (opened, near) = tokio::join!(listen.open(), async { far.request().await.acknowledge() });
    let mut opened = opened.unwrap();
    let begin = Instant::now();
    tokio::time::sleep(Duration::from_secs(7 * 24 * 3_600)).await;
    assert!(opened.end().is_none() && !near.is_closed());
    near.notify("tools/list_changed", json!({}));
    assert_eq!(opened.next().await, Some(Event::ToolsChanged));
    assert_eq!(begin.elapsed(), Duration::from_secs(7 * 24 * 3_600));
    drop(near);
    let (_, end) = read_all(&mut opened).await;
    assert_eq!(abrupt(&end).outcome(), OutcomeKind::StreamIncomplete);
}
