//! How a stream ends: too early, never, empty, or well.

use std::time::Duration;

use mcp_client::{
    CallRecord, Client, Delivery, OutcomeKind,
    error::{ProtocolFault, TransportErrorKind},
    record::CloseCause,
};
use mcp_tests::{FaultServer, Reply, Step};

use crate::fault::{
    ANSWER, Ended, NOTIFICATION, assert_ended, assert_good, call, in_time, only_calls, protocol_error, serve,
    serve_once, still_usable, transport_error,
};

/// The stream ended or broke without the answer.
#[track_caller]
fn assert_incomplete<'a>(what: &str, ended: &'a Ended, events: u64, cause: CloseCause) -> &'a CallRecord {
    let record = assert_ended(&what, ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
    let error = transport_error(ended);
    assert_eq!(error.kind(), TransportErrorKind::Incomplete, "{what}");
    assert_eq!((error.sse_events(), error.close_cause()), (Some(events), Some(cause)), "{what}");
    let sse = record.sse.unwrap();
    assert_eq!((sse.events, sse.close_cause, sse.terminal_response), (events, Some(cause), false), "{what}");
    assert_eq!(
        (error.sse_skipped(), record.content_type.as_deref()),
        (sse.skipped, Some("text/event-stream"))
    );
    record
}

#[tokio::test]
async fn c_42_a_stream_that_ends_without_the_answer_is_no_success() {
    let foreign = r#"{"jsonrpc":"2.0","id":99,"result":{"resultType":"complete","content":[]}}"#;
    for (what, reply, events, skipped) in [
        ("comments only", Reply::sse_bytes(": ping\n\n: ping\n\n"), 0, 0),
        ("a notification", Reply::sse(&[NOTIFICATION]), 1, 0),
        ("foreign ids", Reply::sse(&[NOTIFICATION, foreign, foreign]), 3, 2),
        ("half an answer", Reply::sse(&[NOTIFICATION, ANSWER]).half_event(), 1, 0),
        ("an answer without its blank line", Reply::sse_bytes(format!("data: {ANSWER}\n")), 0, 0),
        ("an answer without its line end", Reply::sse_bytes(format!("data: {ANSWER}")), 0, 0),
        ("an answer that is no data", Reply::sse_bytes(format!("{ANSWER}\n\n")), 0, 0),
        ("no event stream at all", Reply::sse_bytes("<html>busy</html>"), 0, 0),
    ] {
        let (server, client) = serve_once(reply).await;
        let ended = call(&client).await;
        let record = assert_incomplete(what, &ended, events, CloseCause::Ended);
        assert_eq!(record.sse.unwrap().skipped, skipped, "{what}");
        let said = ended.unwrap_err().to_string();
        assert!(said.contains(&format!("after {events} events")), "{said}");
        assert_eq!(said.contains("were no answer to this call"), skipped > 0, "{said}");
        still_usable(&what, &client).await;
        only_calls(&server, 2);
        // The stream ended in order, so its connection is good for the next call.
        assert_eq!(server.connections(), 1, "{what}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_says_how_much_came() {
    for (what, step) in [("closed", Step::Close), ("reset", Step::Reset)] {
        for events in [1, 2, 3] {
            let reply = Reply::sse(&vec![NOTIFICATION; events]).unfinished().then(step.clone());
            let (server, client) = serve_once(reply).await;
            assert_incomplete(what, &call(&client).await, events as u64, CloseCause::Broken);
            still_usable(&what, &client).await;
            only_calls(&server, 2);
        }
    }
}

/// The head said that a stream comes: that no event of it came is a fact, too.
#[tokio::test]
async fn a_stream_that_breaks_before_its_first_byte() {
    for (what, step) in [("closed", Step::Close), ("reset", Step::Reset)] {
        let (server, client) = serve_once(Reply::sse_bytes("").unfinished().then(step)).await;
        assert_incomplete(what, &call(&client).await, 0, CloseCause::Broken);
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }
}

/// Event ids and a reconnection time invite to resume, which this revision does not know.
#[tokio::test]
async fn a_stream_with_event_ids_that_ends_early_is_never_resumed() {
    let early = format!("retry: 1\nid: 7\ndata:\n\nid: 8\nretry: 1\ndata: {NOTIFICATION}\n\nid: 9\n");
    for (what, reply, cause) in [
        ("in order", Reply::sse_bytes(early.clone()), CloseCause::Ended),
        ("closed", Reply::sse_bytes(early.clone()).unfinished().then(Step::Close), CloseCause::Broken),
        ("reset", Reply::sse_bytes(early).unfinished().then(Step::Reset), CloseCause::Broken),
    ] {
        let (server, client) = serve_once(reply).await;
        let record = assert_incomplete(what, &call(&client).await, 1, cause).clone();
        assert_eq!(record.attempts.attempts().len(), 1);
        still_usable(&what, &client).await;
        // `only_calls` looks for other methods, `Last-Event-ID`, and repetitions.
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn an_empty_stream_is_no_answer() {
    for (what, body) in [("nothing", ""), ("a line end", "\n"), ("blank lines", "\r\n\r\n \t\n\n")] {
        for reply in [
            Reply::sse_bytes(body),
            Reply::sse_bytes(body).until_close(),
            Reply::sse_bytes(body).content_length(body.len() as u64),
        ] {
            let (server, client) = serve_once(reply).await;
            let ended = call(&client).await;
            let record = assert_ended(&what, &ended, OutcomeKind::NoAnswer, Delivery::Unknown, &[Some(200)]);
            assert_eq!(protocol_error(&ended).fault(), &ProtocolFault::NoAnswer, "{what}");
            assert_eq!(record.content_type.as_deref(), Some("text/event-stream"), "{what}");
            still_usable(&what, &client).await;
            only_calls(&server, 2);
        }
    }
}

#[tokio::test]
async fn a_stream_that_stays_open_after_its_answer_is_closed_by_the_client() {
    for more in [
        vec![],
        vec![Step::event(NOTIFICATION)],
        vec![Step::Pause(Duration::from_millis(200)), Step::LastChunk],
    ] {
        let reply = Reply::sse(&[NOTIFICATION, ANSWER]).unfinished();
        let reply = more.into_iter().fold(reply, Reply::then).then(Step::AwaitClientClose);
        let (server, client) = serve_once(reply).await;
        let ended = call(&client).await;
        let record = assert_good(&"open", &ended);
        assert!(record.duration < Duration::from_secs(5), "took {:?}", record.duration);
        assert_eq!(record.sse.unwrap().close_cause, Some(CloseCause::Answered));
        server.client_closed().await.unwrap();
        still_usable(&"open", &client).await;
        only_calls(&server, 2);
        assert_eq!(server.connections(), 2);
    }
}

#[tokio::test]
async fn a_server_that_keeps_sending_after_its_answer_does_not_hold_the_call() {
    // A server that never stops to send is cut off all the same.
    let flood =
        (0..2000).fold(Reply::sse(&[ANSWER]).unfinished(), |reply, _| reply.then(Step::event(NOTIFICATION)));
    let (server, client) = serve_once(flood.then(Step::AwaitClientClose)).await;
    let ended = call(&client).await;
    let record = assert_good(&"flood", &ended);
    assert_eq!(record.sse.unwrap().events, 1);
    server.client_closed().await.unwrap();
    still_usable(&"flood", &client).await;
    only_calls(&server, 2);
}

#[tokio::test]
async fn streams_that_end_with_their_answer_share_one_connection() {
    let (server, client) = serve([Reply::sse(&[NOTIFICATION, ANSWER])]).await;
    for number in 0..20 {
        assert_good(&number, &call(&client).await);
    }
    let requests = only_calls(&server, 20);
    assert!(requests.iter().all(|request| request.connection == 1));
    assert_eq!((server.connections(), server.client_closes()), (1, 0));
}

/// The events come as they are written, not when the stream ends: the call is over long before that.
#[tokio::test]
async fn an_answer_is_taken_as_soon_as_it_is_there() {
    let pause = Duration::from_millis(30);
    let reply = Reply::sse(&[NOTIFICATION])
        .unfinished()
        .then(Step::Pause(pause))
        .then(Step::event(NOTIFICATION))
        .then(Step::Pause(pause))
        .then(Step::event(ANSWER))
        .then(Step::Hang);
    let (server, client) = serve_once(reply).await;
    let ended = call(&client).await;
    let record = assert_good(&"slow", &ended);
    assert!(record.duration >= 2 * pause, "took {:?}", record.duration);
    assert_eq!(record.sse.unwrap().events, 3);
    server.client_closed().await.unwrap();
    only_calls(&server, 1);
}

/// Several streams at once, each with the answers to all of them: every call takes its own.
#[tokio::test]
async fn concurrent_streams_do_not_mix() {
    let ids: Vec<String> =
        (1..=8).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#)).collect();
    let mut events: Vec<&str> = vec![NOTIFICATION];
    events.extend(ids.iter().map(String::as_str));
    let server = FaultServer::start([Reply::sse(&events)]).await.unwrap();
    let client: Client = crate::support::client(&server.url());
    let ended = in_time(futures_util::future::join_all((0..8).map(|_| call(&client)))).await;
    let mut answered = Vec::new();
    for one in &ended {
        let record =
            assert_ended(&"one of eight", one, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
        let id = record.request_id.clone().unwrap();
        let place: u64 = id.to_string().parse().unwrap();
        // Its answer stands behind the notification and those to smaller ids.
        assert_eq!((record.sse.unwrap().events, record.sse.unwrap().skipped), (place + 1, place - 1));
        answered.push(place);
    }
    answered.sort_unstable();
    assert_eq!(answered, (1..=8).collect::<Vec<_>>());
    only_calls(&server, 8);
}
