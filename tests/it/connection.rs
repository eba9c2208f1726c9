//! Connections: those that cannot be made, those that break before an answer, and those that many calls share.

mod shared;
mod tls;

use std::{
    error::Error,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use mcp_client::{Delivery, OutcomeKind, error::TransportErrorKind};
use mcp_tests::{FaultServer, Reply, Step};
use tokio::net::TcpSocket;
use wiremock::{Mock, MockServer, matchers::any};

use crate::{
    fault::{
        ANSWER, Ended, assert_ended, assert_good, call, good, only_calls, serve, still_usable,
        transport_error,
    },
    support::{client, json_body, posts},
};

/// No connection: nothing was sent, and that is certain.
#[track_caller]
fn assert_not_sent(what: &str, ended: &Ended) {
    let record = assert_ended(&what, ended, OutcomeKind::TransportError, Delivery::NotSent, &[]);
    assert_eq!((record.post_count(), record.http_statuses().count()), (0, 0), "{what}");
    let error = transport_error(ended);
    assert_eq!(error.kind(), TransportErrorKind::Connect, "{what}");
    assert!(error.is_connect() && !error.is_timeout(), "{what}");
    assert!(Error::source(error).is_some(), "{what}: the cause is kept");
    assert!(ended.as_ref().unwrap_err().is_connect(), "{what}");
    assert_eq!(ended.as_ref().unwrap_err().http_status(), None, "{what}");
}

/// A port that is taken, and on which nothing listens yet.
fn silent_port() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let addr = socket.local_addr().unwrap();
    (socket, addr)
}

#[tokio::test]
async fn a_refused_connection_was_not_sent() {
    let (_socket, addr) = silent_port();
    let client = client(&format!("http://{addr}/mcp?key=secret"));
    let ended = call(&client).await;
    assert_not_sent("refused", &ended);
    let error = ended.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}

#[tokio::test]
async fn a_name_that_does_not_resolve_was_not_sent() {
    // The top-level domain that never resolves (RFC 6761 §6.4). Some resolvers answer all the same.
    if tokio::net::lookup_host(("nope.invalid", 80)).await.is_ok() {
        return eprintln!("skipped: the resolver of this system resolves `.invalid` names");
    }
    for url in ["http://nope.invalid/", "https://nope.invalid/mcp"] {
        assert_not_sent(url, &call(&client(url)).await);
    }
}

#[tokio::test]
async fn a_client_whose_server_was_away_works_once_it_is_there() {
    let (socket, addr) = silent_port();
    let client = client(&format!("http://{addr}/mcp"));
    assert_not_sent("away", &call(&client).await);
    assert_not_sent("still away", &call(&client).await);
    let listener = socket.listen(16).unwrap().into_std().unwrap();
    let server = MockServer::builder().listener(listener).start().await;
    Mock::given(any()).respond_with(json_body(200, ANSWER.replace("{{id}}", "3"))).mount(&server).await;
    assert_good(&"there", &call(&client).await);
    assert_eq!(posts(&server).await.len(), 1);
}

/// From the connection on nothing is certain: the request may have been read.
#[tokio::test]
async fn a_connection_that_breaks_before_any_byte_leaves_the_fate_of_the_call_unknown() {
    for (what, reply) in [
        ("closed", Reply::steps([Step::Close])),
        ("reset", Reply::steps([Step::Reset])),
        ("closed after a while", Reply::steps([Step::Pause(Duration::from_millis(50)), Step::Close])),
        ("closed after an empty line", Reply::raw("\r\n").then(Step::Close)),
    ] {
        let (server, client) = serve([reply, good()]).await;
        let ended = call(&client).await;
        assert_ended(&what, &ended, OutcomeKind::TransportError, Delivery::Unknown, &[None]);
        let error = transport_error(&ended);
        assert_eq!(error.kind(), TransportErrorKind::Broken, "{what}");
        assert!(!error.is_connect() && Error::source(error).is_some(), "{what}");
        still_usable(&what, &client).await;
        // It was sent once: nothing beneath the client repeats it.
        only_calls(&server, 2);
        assert_eq!(server.connections(), 2, "{what}");
    }
}

/// The server hangs up as soon as it is called, before it reads anything. A reset may come before the connection is
/// made for the client: only then is it certain that nothing was sent.
#[tokio::test]
async fn a_connection_that_is_hung_up_on_is_no_proof_that_nothing_was_sent() {
    for step in [Step::Close, Step::Reset] {
        let (server, client) = serve([Reply::on_accept([step.clone()]), good()]).await;
        let ended = call(&client).await;
        if step == Step::Reset && transport_error(&ended).is_connect() {
            assert_not_sent("reset at once", &ended);
        } else {
            assert_ended(&step, &ended, OutcomeKind::TransportError, Delivery::Unknown, &[None]);
            assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Broken);
        }
        still_usable(&step, &client).await;
        only_calls(&server, 1);
        assert_eq!(server.connections(), 2);
    }
}

#[tokio::test]
async fn what_is_no_http_is_a_broken_connection() {
    let long_header = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let many_headers = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(10_000));
    for bytes in [
        "SSH-2.0-OpenSSH_9.6\r\n",
        "220 mail.example ESMTP\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 99 Low\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\r\n\r\n",
        &long_header,
        &many_headers,
    ] {
        let what = &bytes[..bytes.len().min(40)];
        let (server, client) = serve([Reply::raw(bytes.to_owned()), good()]).await;
        let ended = call(&client).await;
        assert_ended(&what, &ended, OutcomeKind::TransportError, Delivery::Unknown, &[None]);
        assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Broken, "{what}");
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn heads_before_the_head_are_passed_over() {
    let body = ANSWER.replace("{{id}}", "1");
    for informational in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"] {
        let last = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (server, client) = serve([Reply::raw(format!("{informational}{informational}{last}"))]).await;
        assert_good(&informational, &call(&client).await);
        only_calls(&server, 1);
    }
}

/// A server that closes what it had kept alive: the next call takes a new connection.
#[tokio::test]
async fn a_connection_that_was_closed_while_idle_is_replaced() {
    for step in [Step::Close, Step::Reset] {
        let (server, client) = serve([good().then(step.clone()), good()]).await;
        assert_good(&step, &call(&client).await);
        // The time that the connection idles.
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_good(&step, &call(&client).await);
        let requests = only_calls(&server, 2);
        assert_eq!([requests[0].connection, requests[1].connection], [1, 2]);
    }
}

/// The dangerous case: the request went out on an old connection, and then the connection was closed without an
/// answer. The server read it, so it must not be repeated by anyone but the caller.
#[tokio::test]
async fn a_request_that_was_read_on_an_old_connection_is_never_repeated() {
    for step in [Step::Close, Step::Reset] {
        let (server, client) = serve([good(), good(), Reply::steps([step.clone()]), good()]).await;
        assert_good(&step, &call(&client).await);
        assert_good(&step, &call(&client).await);
        let ended = call(&client).await;
        assert_ended(&step, &ended, OutcomeKind::TransportError, Delivery::Unknown, &[None]);
        let requests = only_calls(&server, 3);
        assert!(requests.iter().all(|request| request.connection == 1));
        still_usable(&step, &client).await;
        only_calls(&server, 4);
        assert_eq!(server.connections(), 2);
    }
}

/// A server with one answer for all, for calls that end in every way: the pool has no bad effects on those after them.
#[tokio::test]
async fn calls_that_end_badly_leave_nothing_behind() {
    let bad: Vec<Reply> = vec![
        Reply::json(500, "oops"),
        Reply::status(404),
        Reply::status(204),
        Reply::json(200, "{unclosed"),
        Reply::json(200, ANSWER.replace("{{id}}", "99")),
        Reply::sse(&["1"]),
        Reply::sse_bytes(""),
        Reply::json(200, "<html>").header("Content-Type", "text/html"),
    ];
    let count = bad.len();
    let script: Vec<Reply> = bad.into_iter().flat_map(|reply| [reply, good()]).collect();
    let server = FaultServer::start(script).await.unwrap();
    let client = client(&server.url());
    for number in 0..count {
        call(&client).await.expect_err("a bad answer");
        still_usable(&number, &client).await;
    }
    only_calls(&server, 2 * count);
    // All of those answers were whole, so none of them cost the connection.
    assert_eq!(server.connections(), 1);
}
