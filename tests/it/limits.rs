//! Sizes: the client's limits, and answers that are large on purpose.

mod coding;
mod lengths;

use std::time::Duration;

use bytes::Bytes;
use mcp_client::{
    CallRecord, Client, ClientBuilder, Delivery, OutcomeKind,
    error::{ProtocolFault, TransportErrorKind},
    record::{CloseCause, Note},
};
use mcp_tests::{FaultServer, Reply, Step};

use crate::fault::{
    ANSWER, Ended, NOTIFICATION, assert_ended, assert_good, call, good, http_error, in_time, only_calls,
    protocol_error, serve_once, still_usable, transport_error,
};

/// No call of these tests takes that long.
const LONG: Duration = Duration::from_secs(10);

/// A server that plays one reply and then good ones, and a client of it that is set up by the test.
async fn limited(reply: Reply, set_up: impl FnOnce(ClientBuilder) -> ClientBuilder) -> (FaultServer, Client) {
    let server = FaultServer::start([reply, good()]).await.unwrap();
    let client = set_up(crate::support::once(&server.url())).build().unwrap();
    (server, client)
}

/// The answer to the first call, made exactly that long by spaces in its text.
fn answer_of(length: usize) -> String {
    let empty = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""}]}}"#;
    empty.replace(r#""text":"""#, &format!(r#""text":"{}""#, " ".repeat(length - empty.len())))
}

#[track_caller]
fn assert_too_large<'a>(what: &str, ended: &'a Ended, limit: usize, setting: &'static str) -> &'a CallRecord {
    let record = assert_ended(&what, ended, OutcomeKind::TransportError, Delivery::Unknown, &[Some(200)]);
    assert_eq!(transport_error(ended).kind(), TransportErrorKind::TooLarge { limit, setting }, "{what}");
    // The error says which limit it was, and how to raise it.
    let said = transport_error(ended).to_string();
    assert!(said.contains(&limit.to_string()) && said.contains(setting), "{said}");
    assert!(record.duration < LONG, "{what}: took {:?}", record.duration);
    record
}

/// The framings of a JSON body, so that its length is announced, seen by and by, or seen at the end.
fn framings(body: &str) -> [(&'static str, Reply); 4] {
    let halves = body.split_at(body.len() / 2);
    let piecewise = Reply::json(200, halves.0.to_owned())
        .unfinished()
        .then(Step::Chunk(Bytes::from(halves.1.to_owned())))
        .then(Step::LastChunk);
    [
        ("announced", Reply::json(200, body.to_owned())),
        ("in one chunk", Reply::json(200, body.to_owned()).chunked()),
        ("in chunks", piecewise),
        ("until the end", Reply::json(200, body.to_owned()).until_close()),
    ]
}

#[tokio::test]
async fn a_body_may_be_as_long_as_the_limit_and_no_longer() {
    let limit = 4096;
    for (what, reply) in framings(&answer_of(limit)) {
        let (server, client) = limited(reply, |builder| builder.max_body_bytes(limit)).await;
        assert_ended(&what, &call(&client).await, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
        only_calls(&server, 1);
    }
    for (what, reply) in framings(&answer_of(limit + 1)) {
        let (server, client) = limited(reply, |builder| builder.max_body_bytes(limit)).await;
        let ended = call(&client).await;
        assert_eq!(assert_too_large(what, &ended, limit, "max_body_bytes").sse, None);
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn an_announced_length_over_the_limit_is_refused_before_the_body_comes() {
    for length in [1_000_001, 1 << 40, u64::MAX - 2] {
        let reply = Reply::json(200, "").content_length(length).then(Step::AwaitClientClose);
        let (server, client) = limited(reply, |builder| builder.max_body_bytes(1_000_000)).await;
        let ended = call(&client).await;
        assert_too_large(&length.to_string(), &ended, 1_000_000, "max_body_bytes");
        server.client_closed().await.unwrap();
        still_usable(&length, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn a_body_that_never_ends_is_refused_at_the_limit() {
    let chunk = Bytes::from(" ".repeat(10_000));
    let endless =
        (0..200).fold(Reply::json(200, "[").unfinished(), |reply, _| reply.then(Step::Chunk(chunk.clone())));
    let (server, client) = limited(endless.then(Step::AwaitClientClose), |b| b.max_body_bytes(100_000)).await;
    assert_too_large("endless", &call(&client).await, 100_000, "max_body_bytes");
    server.client_closed().await.unwrap();
    still_usable(&"endless", &client).await;
    only_calls(&server, 2);
}

#[tokio::test]
async fn an_event_may_be_as_long_as_the_limit_and_no_longer() {
    let limit = 1000;
    let fits = format!("data: {NOTIFICATION}\n\ndata: {}\n\n", answer_of(limit - "data: ".len()));
    let (server, client) = limited(Reply::sse_bytes(fits), |builder| builder.max_event_bytes(limit)).await;
    assert_ended(&"fits", &call(&client).await, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    only_calls(&server, 1);

    let long = "x".repeat(limit + 1);
    let lines = format!("data: {}\n", "x".repeat(90)).repeat(limit / 90 + 1);
    for (what, event) in [
        ("one line", format!("data: {long}\n\n")),
        ("many lines", format!("{lines}\n")),
        ("a line that does not end", format!("data: {long}")),
        ("a comment that does not end", format!(": {long}")),
        ("a field that nobody knows", format!("x: {long}\n\n")),
        ("an id", format!("id: {long}\n\n")),
        ("a name", format!("event: {long}\ndata: 1\n\n")),
        ("a line without a colon", long.clone()),
        ("the answer", format!("data: {}\n\n", answer_of(limit + 1))),
    ] {
        let reply = Reply::sse_bytes(format!("data: {NOTIFICATION}\n\n{event}"))
            .unfinished()
            .then(Step::AwaitClientClose);
        let (server, client) = limited(reply, |builder| builder.max_event_bytes(limit)).await;
        let ended = call(&client).await;
        let sse = assert_too_large(what, &ended, limit, "max_event_bytes").sse.unwrap();
        assert_eq!((sse.events, sse.close_cause), (1, Some(CloseCause::Refused)), "{what}");
        assert_eq!(transport_error(&ended).close_cause(), Some(CloseCause::Refused), "{what}");
        server.client_closed().await.unwrap();
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }
}

/// The limit is one of each event; a long stream of small ones is fine, whatever the limit of a body is.
#[tokio::test]
async fn a_stream_may_be_longer_than_any_limit_of_one_message() {
    let event = format!("data: {NOTIFICATION}\n\n");
    let stream = format!("{}data: {ANSWER}\n\n", event.repeat(5000));
    let (server, client) =
        limited(Reply::sse_bytes(stream), |builder| builder.max_event_bytes(200).max_body_bytes(200)).await;
    assert_eq!(assert_good(&"long", &call(&client).await).sse.unwrap().events, 5001);
    only_calls(&server, 1);
}

#[tokio::test]
async fn of_the_body_of_an_error_only_its_beginning_is_kept() {
    let rpc = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}"#;
    let limit = rpc.len();
    let longer = format!("{rpc} ");
    let endless = || Reply::json(503, longer.clone()).unfinished().then(Step::AwaitClientClose);
    for (what, reply, code, cut) in [
        ("fits", Reply::json(503, rpc), Some(-32000), false),
        ("fits in chunks", Reply::json(503, rpc).chunked(), Some(-32000), false),
        ("too long", Reply::json(503, longer.clone()), Some(-32000), true),
        ("too long, in chunks", Reply::json(503, longer.clone()).chunked(), Some(-32000), true),
        ("much too long", Reply::json(503, format!("[{}]", "0,".repeat(500_000))), None, true),
        ("without an end", endless(), Some(-32000), true),
    ] {
        let (server, client) = limited(reply, |builder| builder.max_error_body_bytes(limit)).await;
        let ended = call(&client).await;
        let delivery = if code.is_some() { Delivery::Answered } else { Delivery::Unknown };
        let record = assert_ended(&what, &ended, OutcomeKind::HttpError, delivery, &[Some(503)]);
        let error = http_error(&ended);
        assert_eq!(error.body().len(), limit, "{what}");
        assert_eq!((error.rpc_error().map(|error| error.code), record.error_code), (code, code), "{what}");
        assert_eq!(record.notes.contains(&Note::CutErrorBody), cut, "{what}: {:?}", record.notes);
        assert!(record.duration < LONG, "{what}: took {:?}", record.duration);
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }
}

/// What is no answer to be read is no more than an excerpt, either.
#[tokio::test]
async fn a_page_in_place_of_an_answer_is_cut_as_the_body_of_an_error() {
    let page = Reply::json(200, "<p>".repeat(100_000)).header("Content-Type", "text/html");
    let (server, client) = limited(page, |builder| builder.max_error_body_bytes(1000)).await;
    let ended = call(&client).await;
    let record =
        assert_ended(&"page", &ended, OutcomeKind::UnexpectedContent, Delivery::Unknown, &[Some(200)]);
    assert_eq!(
        protocol_error(&ended).fault(),
        &ProtocolFault::UnexpectedContentType(Some("text/html".into()))
    );
    assert_eq!(protocol_error(&ended).raw().len(), 1000);
    assert_eq!(record.content_type.as_deref(), Some("text/html"));
    still_usable(&"page", &client).await;
    only_calls(&server, 2);
}

/// Few bytes that would become many values: refused, and quickly.
#[tokio::test]
async fn an_answer_of_millions_of_tiny_blocks_is_refused_quickly() {
    for block in ["1", "{}", r#"{"type":"text","text":""}"#] {
        let blocks = vec![block; 2_200_000 / (block.len() + 1)].join(",");
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[{blocks}]}}}}"#
        );
        for reply in [Reply::json(200, body.clone()), Reply::sse(&[&body])] {
            let (server, client) = serve_once(reply).await;
            let ended = call(&client).await;
            let record =
                assert_ended(&block, &ended, OutcomeKind::InvalidToolResult, Delivery::Unknown, &[Some(200)]);
            let error = protocol_error(&ended);
            assert_eq!((error.path(), error.raw().len()), (Some("result.content"), body.len()));
            assert!(record.duration < LONG, "{block}: took {:?}", record.duration);
            still_usable(&block, &client).await;
            only_calls(&server, 2);
        }
    }
}

#[tokio::test]
async fn a_stream_of_very_many_tiny_events_ends_with_its_answer() {
    let stream = format!("{}data: {ANSWER}\n\n", "data:1\n\n".repeat(200_000));
    let (server, client) = serve_once(Reply::sse_bytes(stream)).await;
    let ended = in_time(client.call_tool("x").send()).await;
    let sse = assert_good(&"tiny", &ended).sse.unwrap();
    assert_eq!((sse.events, sse.skipped), (200_001, 200_000));
    still_usable(&"tiny", &client).await;
    only_calls(&server, 2);
}
