//! Time that progress gives anew, where the caller asks for it, and no further than the caller says.

use std::time::Duration;

use bytes::Bytes;
use mcp_client::{
    CallToolBuilder, Client, Delivery, OutcomeKind, Retry,
    error::TransportErrorKind,
    retry::Constant,
    transport::{Exchange, MemoryTransport},
};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{
    fault::{ANSWER, Ended, assert_ended, assert_good, in_time, only_calls, transport_error},
    retry::{attempts, stopped},
};

const SECOND: Duration = Duration::from_secs(1);

/// Progress of the request, for scripts.
pub(super) fn event() -> String {
    of_token("{{id}}")
}

fn of_token(token: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
    )
}

/// A message every second, and the answer after that many.
fn every_second(message: &str, count: u32) -> (Client, std::sync::Arc<MemoryTransport>) {
    let message = message.to_owned();
    let transport = std::sync::Arc::new(MemoryTransport::new(move |request| {
        let (id, message) = (request.id.to_string(), message.clone());
        let stream = futures_util::stream::unfold(0, move |sent| {
            let text =
                if sent < count { message.replace("{{id}}", &id) } else { ANSWER.replace("{{id}}", &id) };
            async move {
                sleep(SECOND).await;
                Some((Ok(Bytes::from(text)), sent + 1))
            }
        });
        async move { Ok(Exchange::stream(Box::pin(stream))) }
    }));
    let client = Client::with_transport(std::sync::Arc::clone(&transport)).retry(Retry::never());
    (client.build().unwrap(), transport)
}

/// How long it took to end in an answer, or in a timeout after so long.
async fn run(call: CallToolBuilder) -> (u64, Option<Duration>, Ended) {
    let started = Instant::now();
    let ended = call.send().await;
    let timeout = match &ended {
        Ok(_) => None,
        Err(_) => match transport_error(&ended).kind() {
            TransportErrorKind::Timeout { after } => Some(after),
            other => panic!("{other:?}"),
        },
    };
    let took = started.elapsed();
    assert!(took.subsec_millis() <= 2, "{took:?}");
    (took.as_secs(), timeout, ended)
}

fn asked_for_progress(transport: &MemoryTransport) -> bool {
    let sent: Value = serde_json::from_slice(&transport.sent()[0]).unwrap();
    sent["params"]["_meta"].get("progressToken").is_some()
}

/// Eight seconds of progress, a limit of three: as long as progress comes, and no longer than the maximum.
#[tokio::test(start_paused = true)]
async fn field_time_03_can_12_can_13_progress_begins_the_timeout_anew_up_to_a_maximum() {
    type SetUp = fn(CallToolBuilder) -> CallToolBuilder;
    let cases: [(&str, SetUp, u64, Option<u64>, bool); 7] = [
        ("without asking", |call| call, 3, Some(3), false),
        ("with a listener alone", |call| call.progress(|_| ()), 3, Some(3), true),
        ("by default", CallToolBuilder::timeout_from_last_progress, 9, None, true),
        ("up to 20 s", |call| call.max_timeout(20 * SECOND), 9, None, true),
        ("up to 5 s", |call| call.max_timeout(5 * SECOND), 5, Some(5), true),
        ("in any order", |call| call.max_timeout(5 * SECOND).timeout_from_last_progress(), 5, Some(5), true),
        ("less than the timeout", |call| call.max_timeout(2 * SECOND), 2, Some(2), true),
    ];
    for (what, set_up, seconds, timeout, asked) in cases {
        let (client, transport) = every_second(&event(), 8);
        let (took, after, ended) = run(set_up(client.call_tool("x").timeout(3 * SECOND))).await;
        assert_eq!((took, after), (seconds, timeout.map(Duration::from_secs)), "{what}: {ended:?}");
        assert_eq!(asked_for_progress(&transport), asked, "{what}");
        if ended.is_err() {
            let sse =
                assert_ended(&what, &ended, OutcomeKind::Timeout, Delivery::Unknown, &[None]).sse.unwrap();
            // That of the last second may have come, or not.
            assert!(sse.events == seconds || sse.events == seconds - 1, "{what}: {sse:?}");
        }
    }
}

/// Ten minutes are the maximum where none is named, and a longer timeout is not cut short by it.
#[tokio::test(start_paused = true)]
async fn can_13_there_is_a_maximum_by_default() {
    let (client, _) = every_second(&event(), u32::MAX);
    let (took, after, _) = run(client.call_tool("x").timeout(3 * SECOND).timeout_from_last_progress()).await;
    assert_eq!((took, after), (600, Some(mcp_client::DEFAULT_MAX_TIMEOUT)));
    let (client, _) = every_second(&event(), u32::MAX);
    let (took, after, _) =
        run(client.call_tool("x").timeout(900 * SECOND).timeout_from_last_progress()).await;
    assert_eq!((took, after), (900, Some(900 * SECOND)));
}

/// Nothing else is a sign of life: no progress of others, no malformed one, no log message, no event of another name.
#[tokio::test(start_paused = true)]
async fn field_time_03_only_progress_of_the_call_itself_counts() {
    for message in [
        of_token("99"),
        of_token("\"{{id}}\""),
        of_token("{{id}}").replace("\"progress\":1", "\"progress\":\"1\""),
        crate::fault::NOTIFICATION.to_owned(),
        "ping".to_owned(),
        String::new(),
        r#"{"jsonrpc":"2.0","id":99,"result":{"content":[]}}"#.to_owned(),
    ] {
        let (client, _) = every_second(&message, 8);
        let call = client.call_tool("x").timeout(3 * SECOND).max_timeout(20 * SECOND);
        let (took, after, ended) = run(call.log("debug".into(), |_| ())).await;
        assert_eq!((took, after), (3, Some(3 * SECOND)), "{message}: {ended:?}");
    }
}

/// The limit of one attempt is its own.
#[tokio::test(start_paused = true)]
async fn progress_does_not_move_the_limit_of_an_attempt() {
    let (client, _) = every_second(&event(), 8);
    let call = client.call_tool("x").timeout(3 * SECOND).attempt_timeout(4 * SECOND).max_timeout(20 * SECOND);
    let (took, after, _) = run(call).await;
    assert_eq!((took, after), (4, Some(4 * SECOND)));
}

/// What an attempt earned is there for the next one, and no more than that.
#[tokio::test(start_paused = true)]
async fn progress_of_one_attempt_gives_time_to_the_next() {
    let transport = MemoryTransport::new(|request| {
        let (id, first) = (request.id.to_string(), request.id == 1.into());
        async move {
            if !first {
                return std::future::pending().await;
            }
            // Progress after 2 s; half a second later the stream ends.
            let stream = futures_util::stream::unfold(0, move |step| {
                let message = event().replace("{{id}}", &id);
                async move {
                    sleep(if step == 0 { 2 * SECOND } else { SECOND / 2 }).await;
                    (step == 0).then(|| (Ok(Bytes::from(message)), 1))
                }
            });
            Ok(Exchange::stream(Box::pin(stream)))
        }
    });
    let retry = Retry::builder().backoff(Constant(SECOND)).max_attempts(3).build();
    let client = Client::with_transport(transport).retry(retry).build().unwrap();
    let call = client.call_tool("x").idempotent().timeout(3 * SECOND).max_timeout(20 * SECOND);
    let (took, after, ended) = run(call).await;
    // From 2 s on, 3 s anew.
    assert_eq!((took, after), (5, Some(5 * SECOND)), "{ended:?}");
    assert_eq!(attempts(&ended).len(), 2);
    assert_eq!(stopped(&ended), Some(&mcp_client::retry::StopReason::Deadline));
}

/// Bytes keep flowing, and none of them is an answer: the limit is one of the whole call.
#[tokio::test]
async fn field_time_06_comments_without_an_end_do_not_hold_a_call() {
    let comments =
        Step::Drip { bytes: "4\r\n: a\n\r\n".repeat(5000).into(), chunk: 9, every: Duration::from_millis(5) };
    let server = FaultServer::start([Reply::sse_bytes("").unfinished().then(comments)]).await.unwrap();
    let client = crate::support::client(&server.url());
    let call = client.call_tool("x").timeout(SECOND).timeout_from_last_progress();
    let ended = in_time(call.send()).await;
    let record = assert_ended(&"comments", &ended, OutcomeKind::Timeout, Delivery::Unknown, &[Some(200)]);
    assert_eq!(record.sse.unwrap().events, 0);
    assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Timeout { after: SECOND });
    assert!(record.duration >= SECOND && record.duration < 10 * SECOND, "{:?}", record.duration);
    server.client_closed().await.unwrap();
    only_calls(&server, 1);
}

/// Over a socket: a call that takes longer than its timeout, since its server says every now and then how far it is.
#[tokio::test]
async fn can_12_a_slow_call_with_progress_outlives_its_timeout() {
    let limit = SECOND;
    let mut reply = Reply::sse(&[event()]).unfinished();
    for _ in 0..8 {
        reply = reply.then(Step::Pause(limit / 4)).then(Step::event(&event()));
    }
    let reply = reply.then(Step::event(ANSWER)).then(Step::LastChunk);
    let server = FaultServer::start([reply]).await.unwrap();
    let client = crate::support::client(&server.url());
    let call = client.call_tool("x").timeout(limit).max_timeout(20 * SECOND);
    let ended = in_time(call.send()).await;
    let record = assert_good(&"slow", &ended);
    assert!(record.duration >= 2 * limit, "{:?}", record.duration);
    assert_eq!(record.sse.unwrap().events, 10);
    only_calls(&server, 1);
    // Its end was read in time, though the first limit was long over: the connection serves on.
    assert_good(
        &"next",
        &in_time(client.call_tool("x").timeout(limit).max_timeout(20 * SECOND).send()).await,
    );
    assert_eq!(server.connections(), 1);
}
