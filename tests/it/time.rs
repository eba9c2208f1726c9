//! Time: whatever the server waits with, the call ends when its time is up, and says how far it got.

mod cancel;
mod connect;

use std::time::Duration;

use bytes::Bytes;
use mcp_client::{
    CallRecord, Client, ClientBuilder, Delivery, OutcomeKind,
    error::TransportErrorKind,
    record::{CloseCause, Note},
};
use mcp_tests::{FaultServer, Reply, Step};

use crate::fault::{
    ANSWER, Ended, NOTIFICATION, assert_ended, assert_good, call, good, http_error, in_time, only_calls,
    protocol_error, serve, still_usable, transport_error,
};

/// Long enough for an exchange on most machines, short enough to wait for.
const SHORT: Duration = Duration::from_secs(1);
/// Limits of a call within which the server must come so far: the next is tried where a busy machine was too slow.
const LIMITS: [Duration; 3] = [SHORT, Duration::from_secs(4), Duration::from_secs(12)];
/// No call of these tests waits that long.
const LONG: Duration = Duration::from_secs(15);

async fn timed(reply: Reply, set_up: impl FnOnce(ClientBuilder) -> ClientBuilder) -> (FaultServer, Client) {
    let server = FaultServer::start([reply, good()]).await.unwrap();
    let client = set_up(crate::support::once(&server.url())).build().unwrap();
    (server, client)
}

/// A call that runs out of time after that status and so many events; the limit is the time that it had.
async fn timed_out(
    what: &str,
    reply: &Reply,
    status: Option<u16>,
    events: Option<u64>,
) -> (FaultServer, Client, Ended, Duration) {
    for limit in LIMITS {
        let (server, client) = timed(reply.clone(), |builder| builder.timeout(LONG)).await;
        let ended = in_time(client.call_tool("x").timeout(limit).send()).await;
        let record = crate::support::record(&ended);
        if record.posts == [status] && record.sse.map(|sse| sse.events) == events {
            return (server, client, ended, limit);
        }
    }
    panic!("{what}: the client never came that far");
}

/// The three places where a server can stop: before the head, within the body, within the stream.
fn hangs() -> [(&'static str, Reply, Option<u16>, Option<u64>); 6] {
    let half = Bytes::from(&ANSWER.as_bytes()[..40]);
    let stream = Reply::sse(&[NOTIFICATION, NOTIFICATION]).unfinished();
    [
        ("before any byte", Reply::steps([Step::AwaitClientClose]), None, None),
        (
            "within the head",
            Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: app").then(Step::AwaitClientClose),
            None,
            None,
        ),
        (
            "before the body",
            Reply::json(200, "").content_length(100).then(Step::AwaitClientClose),
            Some(200),
            None,
        ),
        (
            "within the body",
            Reply::json(200, half).unfinished().then(Step::AwaitClientClose),
            Some(200),
            None,
        ),
        ("within a stream", stream.clone().then(Step::AwaitClientClose), Some(200), Some(2)),
        (
            "within an event",
            stream.then(Step::write("7\r\ndata: {")).then(Step::AwaitClientClose),
            Some(200),
            Some(2),
        ),
    ]
}

#[track_caller]
fn assert_timed_out<'a>(
    what: &str,
    ended: &'a Ended,
    after: Duration,
    status: Option<u16>,
) -> &'a CallRecord {
    let record = assert_ended(&what, ended, OutcomeKind::Timeout, Delivery::Unknown, &[status]);
    let error = transport_error(ended);
    assert_eq!(error.kind(), TransportErrorKind::Timeout { after }, "{what}");
    assert!(!error.is_connect(), "{what}");
    assert!(record.duration >= after && record.duration < LONG, "{what}: took {:?}", record.duration);
    assert!(error.to_string().contains(&format!("{after:?}")), "{error}");
    record
}

#[tokio::test]
async fn the_timeout_of_a_call_ends_it_wherever_the_server_hangs() {
    futures_util::future::join_all(hangs().map(async |(what, reply, status, events)| {
        let (server, client, ended, limit) = timed_out(what, &reply, status, events).await;
        let record = assert_timed_out(what, &ended, limit, status);
        assert_eq!(ended.as_ref().unwrap_err().http_status(), status, "{what}");
        assert_eq!(transport_error(&ended).sse_events(), events, "{what}");
        assert_eq!(record.sse.map(|sse| sse.events), events, "{what}");
        if let Some(sse) = record.sse {
            assert_eq!(sse.close_cause, Some(CloseCause::Timeout), "{what}");
            assert_eq!(transport_error(&ended).close_cause(), sse.close_cause, "{what}");
        }
        // Time that is up cancels the request.
        server.client_closed().await.unwrap();
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }))
    .await;
}

/// That a stream was opened is known, even if nothing stood in it yet.
#[tokio::test]
async fn a_stream_of_which_no_byte_came_in_time_is_one_of_no_events() {
    let reply = Reply::sse_bytes("").unfinished().then(Step::AwaitClientClose);
    let (server, client, ended, limit) = timed_out("silent", &reply, Some(200), Some(0)).await;
    let record = assert_timed_out("silent", &ended, limit, Some(200));
    assert_eq!(transport_error(&ended).sse_events(), Some(0));
    assert_eq!(transport_error(&ended).close_cause(), Some(CloseCause::Timeout));
    assert_eq!(record.sse.unwrap().events, 0);
    server.client_closed().await.unwrap();
    still_usable(&"silent", &client).await;
    only_calls(&server, 2);
}

/// A stream that has only what is no answer says so when time is up.
#[tokio::test]
async fn a_stream_of_foreign_events_that_times_out_says_how_many_there_were() {
    let foreign = r#"{"jsonrpc":"2.0","id":99,"result":{"content":[]}}"#;
    let reply = Reply::sse(&[foreign, NOTIFICATION, "ping"]).unfinished().then(Step::AwaitClientClose);
    let (server, _client, ended, limit) = timed_out("foreign", &reply, Some(200), Some(3)).await;
    let record = assert_timed_out("foreign", &ended, limit, Some(200));
    assert_eq!((record.sse.unwrap().events, record.sse.unwrap().skipped), (3, 2));
    assert_eq!(transport_error(&ended).sse_skipped(), 2);
    assert!(ended.unwrap_err().to_string().contains("2 events were no answer to this call"));
    only_calls(&server, 1);
}

#[tokio::test]
async fn the_settings_of_the_client_hold_where_the_call_has_none() {
    type SetUp = fn(ClientBuilder) -> ClientBuilder;
    let set_ups: [(&str, SetUp); 3] = [
        ("timeout", |builder| builder.timeout(SHORT)),
        ("attempt", |builder| builder.timeout(LONG).attempt_timeout(SHORT)),
        ("both", |builder| builder.timeout(SHORT).attempt_timeout(LONG)),
    ];
    for (what, set_up) in set_ups {
        let (server, client) = timed(Reply::steps([Step::AwaitClientClose]), set_up).await;
        let ended = call(&client).await;
        assert_timed_out(what, &ended, SHORT, None);
        server.client_closed().await.unwrap();
        // Still usable, with time enough.
        let next = client.call_tool("x").timeout(LONG).attempt_timeout(LONG).send();
        assert_good(&what, &in_time(next).await);
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn the_settings_of_a_call_replace_those_of_the_client() {
    let (server, client) =
        timed(Reply::steps([Step::AwaitClientClose]), |b| b.timeout(LONG).attempt_timeout(LONG)).await;
    let ended = in_time(client.call_tool("x").attempt_timeout(SHORT).send()).await;
    assert_timed_out("shorter", &ended, SHORT, None);
    server.client_closed().await.unwrap();

    let slow = Reply::steps([Step::Pause(2 * SHORT)]).then(Step::write(whole_answer()));
    let (server, client) = timed(slow, |builder| builder.timeout(SHORT).attempt_timeout(SHORT)).await;
    let ended = in_time(client.call_tool("x").timeout(LONG).attempt_timeout(LONG).send()).await;
    assert_good(&"longer", &ended);
    only_calls(&server, 1);
}

/// A whole response, to be written by a step.
fn whole_answer() -> String {
    let body = ANSWER.replace("{{id}}", "1");
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The status has decided: the rest of the body is only waited for a little.
#[tokio::test]
async fn the_body_of_an_error_that_never_ends_does_not_hold_the_call() {
    let rpc = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}"#;
    let bodies =
        [("none of it came", "", None), ("part came", "{\"jsonrpc\"", None), ("all came", rpc, Some(-32000))];
    futures_util::future::join_all(bodies.map(|(what, body, code)| async move {
        let reply =
            Reply::json(503, body).header("Retry-After", "7").unfinished().then(Step::AwaitClientClose);
        let (server, client) = timed(reply, |builder| builder).await;
        let ended = call(&client).await;
        let delivery = if code.is_some() { Delivery::Answered } else { Delivery::Unknown };
        let record = assert_ended(&what, &ended, OutcomeKind::HttpError, delivery, &[Some(503)]);
        assert!(record.duration < LONG, "{what}: took {:?}", record.duration);
        assert_eq!(http_error(&ended).body(), body.as_bytes(), "{what}");
        assert_eq!(http_error(&ended).retry_after(), Some(Duration::from_secs(7)), "{what}");
        assert_eq!((record.error_code, record.notes.as_slice()), (code, &[Note::CutErrorBody][..]), "{what}");
        server.client_closed().await.unwrap();
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }))
    .await;
}

/// As with an error: a page is no answer, however long it is.
#[tokio::test]
async fn a_page_that_never_ends_does_not_hold_the_call() {
    let page = Reply::json(200, "<html>")
        .header("Content-Type", "text/html")
        .unfinished()
        .then(Step::AwaitClientClose);
    let (server, client) = timed(page, |builder| builder).await;
    let ended = call(&client).await;
    let record =
        assert_ended(&"page", &ended, OutcomeKind::UnexpectedContent, Delivery::Unknown, &[Some(200)]);
    assert!(record.duration < LONG, "took {:?}", record.duration);
    assert_eq!(protocol_error(&ended).raw(), b"<html>");
    server.client_closed().await.unwrap();
    still_usable(&"page", &client).await;
    only_calls(&server, 2);
}

/// A status that is known is told, not hidden behind a timeout, however little time is left for the body.
#[tokio::test]
async fn a_short_time_limit_does_not_hide_a_status_that_has_come() {
    for (what, of_call, of_attempt) in [("call", true, false), ("attempt", false, true), ("both", true, true)]
    {
        let mut ended = None;
        for limit in LIMITS {
            let reply = Reply::json(503, "bu").unfinished().then(Step::AwaitClientClose);
            let limit_if = |it: bool| if it { limit } else { LONG };
            let (server, client) =
                timed(reply, |b| b.timeout(limit_if(of_call)).attempt_timeout(limit_if(of_attempt))).await;
            let call = call(&client).await;
            server.client_closed().await.unwrap();
            only_calls(&server, 1);
            let came = crate::support::record(&call).posts == [Some(503)];
            ended = Some(call);
            if came {
                break;
            }
        }
        let ended = ended.unwrap();
        let record = assert_ended(&what, &ended, OutcomeKind::HttpError, Delivery::Unknown, &[Some(503)]);
        assert!(record.duration < LONG, "{what}: took {:?}", record.duration);
        assert_eq!(http_error(&ended).body(), b"bu", "{what}");
    }
}

#[tokio::test]
async fn no_time_at_all_is_a_timeout() {
    for limits in [(Duration::ZERO, LONG), (LONG, Duration::ZERO), (Duration::ZERO, Duration::ZERO)] {
        let (server, client) = serve([Reply::steps([Step::AwaitClientClose])]).await;
        let ended = in_time(client.call_tool("x").timeout(limits.0).attempt_timeout(limits.1).send()).await;
        // Our own timer proves nothing about the request, not even this one.
        assert_timed_out("zero", &ended, Duration::ZERO, None);
        assert!(server.requests().len() <= 1);
    }
}

#[tokio::test]
async fn all_the_time_of_the_world_is_no_limit() {
    for huge in [Duration::MAX, Duration::from_secs(u64::MAX / 2), Duration::from_secs(1 << 40)] {
        let server = FaultServer::start([good(), Reply::json(503, ""), Reply::sse(&[NOTIFICATION, ANSWER])])
            .await
            .unwrap();
        let builder = crate::support::once(&server.url());
        let client = builder.timeout(huge).attempt_timeout(huge).connect_timeout(huge).build().unwrap();
        assert_good(&huge, &in_time(client.call_tool("x").timeout(huge).attempt_timeout(huge).send()).await);
        let ended = call(&client).await;
        assert_ended(&huge, &ended, OutcomeKind::HttpError, Delivery::Unknown, &[Some(503)]);
        assert_good(&huge, &call(&client).await);
        only_calls(&server, 3);
    }
}
