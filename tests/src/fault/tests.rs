//! The fault server over real sockets, byte for byte.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::read::GzDecoder;
use serde_json::json;

use crate::testing::{Sent, connect};
use crate::{FaultServer, Reply, Step};

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{}}"#;

async fn server(script: impl Into<Vec<Reply>>) -> FaultServer {
    FaultServer::start(script).await.unwrap()
}

/// Sends a call and gives the open connection.
fn call(server: &FaultServer, id: impl Into<serde_json::Value>) -> TcpStream {
    let mut stream = connect(server.addr());
    stream.write_all(&Sent::run(id).bytes()).unwrap();
    stream
}

/// All that comes before the server closes the connection in order.
fn read_all(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn read_some(stream: &mut TcpStream, count: usize) -> String {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn json_with_the_id_of_the_request() {
    let server = server([Reply::json(200, ANSWER).then(Step::Close)]).await;
    for (id, text) in [(json!(7), "7"), (json!("a\"b"), r#""a\"b""#), (json!(null), "null")] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{text},"result":{{}}}}"#);
        assert_eq!(
            read_all(call(&server, id)),
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
        );
    }
}

#[tokio::test]
async fn replies_go_in_order_and_the_last_repeats() {
    let server = server([Reply::status(503), Reply::status(204)]).await;
    let mut stream = connect(server.addr());
    let sent = Sent::run(1).bytes();
    let unavailable = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    let no_content = "HTTP/1.1 204 No Content\r\n\r\n";
    for expected in [unavailable, no_content, no_content] {
        stream.write_all(&sent).unwrap();
        assert_eq!(read_some(&mut stream, expected.len()), expected);
    }
    assert_eq!(server.connections(), 1, "complete replies keep the connection");
    assert_eq!(server.requests().len(), 3);
    assert_eq!(server.client_closes(), 0);
}

#[tokio::test]
async fn requests_are_logged_as_they_came() {
    let server = server([Reply::status(202)]).await;
    let sent = Sent::run(9).header("X-Trace", "t").bytes();
    let mut stream = connect(server.addr());
    // In two pieces, cut in the middle of the head.
    stream.write_all(&sent[..20]).unwrap();
    stream.write_all(&sent[20..]).unwrap();
    let requests = server.requested(1).await.unwrap();
    let request = &requests[0];
    let end = sent.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    assert_eq!(request.head.as_bytes(), &sent[..end]);
    assert_eq!(&request.body[..], &sent[end + 4..]);
    assert_eq!(request.request_line(), "POST /mcp HTTP/1.1");
    assert_eq!(request.header("x-trace"), Some("t"));
    assert_eq!(request.headers[0], ("Host".to_owned(), "localhost".to_owned()));
    assert_eq!(request.json().unwrap()["id"], 9);
    assert_eq!(request.connection, 1);
}

#[tokio::test]
async fn event_streams_are_chunked() {
    let server = server([Reply::sse(&["1", "2"]).then(Step::Close)]).await;
    let events = "event: message\ndata: 1\n\nevent: message\ndata: 2\n\n";
    assert_eq!(
        read_all(call(&server, 1)),
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
             {:x}\r\n{events}\r\n0\r\n\r\n",
            events.len()
        )
    );
}

#[tokio::test]
async fn an_unfinished_stream_goes_on_by_steps() {
    let server = server([Reply::sse_bytes(": hello\r\n")
        .unfinished()
        .then(Step::event("{{id}}"))
        .then(Step::Chunk(Bytes::from_static(b"\xEF\xBB\xBF")))
        .then(Step::LastChunk)])
    .await;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let expected =
        format!("{head}9\r\n: hello\r\n\r\n19\r\nevent: message\ndata: 12\n\n\r\n3\r\n\u{feff}\r\n0\r\n\r\n");
    // The stream is complete now, so the connection stays.
    let mut stream = call(&server, 12);
    assert_eq!(read_some(&mut stream, expected.len()), expected);
    stream.write_all(&Sent::run(12).bytes()).unwrap();
    assert_eq!(read_some(&mut stream, expected.len()), expected);
}

#[tokio::test]
async fn half_an_event_ends_in_order_or_not() {
    let script = [
        Reply::sse(&["1", "2233"]).half_event().then(Step::Close),
        Reply::sse(&["2233"]).half_event().unfinished(),
    ];
    let server = server(script).await;
    let first = read_all(call(&server, 1));
    assert!(first.ends_with("event: message\ndata: 1\n\nevent: message\ndata: 22\r\n0\r\n\r\n"), "{first}");
    let second = read_all(call(&server, 1));
    assert!(second.ends_with("event: message\ndata: 22\r\n"), "{second}");
}

#[tokio::test]
async fn lengths_can_be_wrong() {
    let server =
        server([Reply::json(200, "{}").content_length(10), Reply::json(200, "{}").content_length(1)]).await;
    let long = read_all(call(&server, 1));
    assert!(long.ends_with("Content-Length: 10\r\n\r\n{}"), "{long}");
    let short = read_all(call(&server, 1));
    assert!(short.ends_with("Content-Length: 1\r\n\r\n{}"), "{short}");
}

#[tokio::test]
async fn framing_and_headers_can_be_chosen() {
    let script = [
        Reply::json(200, "{}").chunked().then(Step::Close),
        Reply::json(200, "{}").until_close(),
        Reply::json(429, "{}")
            .header("content-type", "text/plain")
            .header("Retry-After", "2")
            .then(Step::Close),
        Reply::json(299, "{}").without_header("Content-Type").then(Step::Close),
    ];
    let server = server(script).await;
    let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    assert_eq!(
        read_all(call(&server, 1)),
        format!("{json}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n")
    );
    assert_eq!(read_all(call(&server, 1)), format!("{json}\r\n{{}}"));
    assert_eq!(
        read_all(call(&server, 1)),
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\nRetry-After: 2\r\nContent-Length: 2\r\n\r\n{}"
    );
    assert_eq!(read_all(call(&server, 1)), "HTTP/1.1 299 Unknown\r\nContent-Length: 2\r\n\r\n{}");
}

#[tokio::test]
async fn a_response_is_cut_at_any_byte() {
    let whole = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    for offset in [0, 1, 12, 40, whole.len() - 1, whole.len()] {
        let server = server([Reply::json(200, "{}").cut_at(offset)]).await;
        assert_eq!(read_all(call(&server, 1)), whole[..offset]);
    }
}

#[tokio::test]
async fn a_cut_can_be_a_reset() {
    let server = server([Reply::json(200, "{}").cut_at(12).then(Step::Reset)]).await;
    let mut stream = call(&server, 1);
    assert_eq!(read_some(&mut stream, 12), "HTTP/1.1 200");
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn gzip_compresses_after_the_id_is_filled_in() {
    let server = server([Reply::json(200, ANSWER).gzip().then(Step::Close)]).await;
    let mut bytes = Vec::new();
    call(&server, 5).read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    assert!(head.contains("Content-Encoding: gzip"));
    assert!(head.contains(&format!("Content-Length: {}", bytes.len() - end - 4)));
    let mut body = String::new();
    GzDecoder::new(&bytes[end + 4..]).read_to_string(&mut body).unwrap();
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
}

#[tokio::test]
async fn raw_bytes_are_not_touched() {
    let server = server([Reply::raw("SSH-2.0-OpenSSH {{id}}\r\n")]).await;
    assert_eq!(read_all(call(&server, 3)), "SSH-2.0-OpenSSH 3\r\n");
    let server = FaultServer::start([]).await.unwrap();
    assert_eq!(read_all(call(&server, 3)), "", "an empty script closes");
}

#[tokio::test]
async fn close_and_reset_before_any_byte() {
    let server = server([Reply::steps([Step::Close]), Reply::steps([Step::Reset])]).await;
    assert_eq!(read_all(call(&server, 1)), "");
    assert_eq!(call(&server, 1).read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.client_closes(), 0);
}

#[tokio::test]
async fn faults_on_accept_read_nothing() {
    let script = [
        Reply::on_accept([Step::Close]),
        Reply::on_accept([Step::Reset]),
        Reply::on_accept([Step::write("HTTP/1.1 408 Request Timeout\r\n\r\n"), Step::Close]),
        Reply::on_accept([Step::Hang]),
        Reply::json(200, "{}").then(Step::Close),
    ];
    let server = server(script).await;
    assert_eq!(read_all(connect(server.addr())), "");
    assert_eq!(connect(server.addr()).read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(read_all(connect(server.addr())), "HTTP/1.1 408 Request Timeout\r\n\r\n");
    let silent = call(&server, 1);
    silent.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    assert_eq!((&silent).read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    assert!(server.requests().is_empty());
    drop(silent);
    server.client_closed().await.unwrap();
    assert!(read_all(call(&server, 1)).ends_with("{}"));
    assert_eq!(server.connections(), 5);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_closing_client_is_seen() {
    for step in [
        Step::AwaitClientClose,
        Step::Hang,
        Step::Pause(Duration::from_secs(60)),
        Step::Drip { bytes: Bytes::from_static(b"abc"), chunk: 1, every: Duration::from_secs(60) },
    ] {
        let server = server([Reply::sse(&["1"]).unfinished().then(step.clone())]).await;
        let mut stream = call(&server, 1);
        read_some(&mut stream, 20);
        assert_eq!(server.client_closes(), 0, "{step:?}");
        drop(stream);
        server.client_closed().await.unwrap();
        assert_eq!(server.client_closes(), 1, "{step:?}");
    }
}

#[tokio::test]
async fn a_client_that_closes_after_its_answer_is_no_event() {
    let server = server([Reply::json(200, "{}")]).await;
    let mut stream = call(&server, 1);
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(read_all(stream.try_clone().unwrap()).ends_with("{}"));
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the server has closed as well");
    assert_eq!(server.client_closes(), 0);
}

#[tokio::test]
async fn waiting_for_the_client_gives_up() {
    let server = server([Reply::steps([Step::AwaitClientClose])]).await;
    let stream = call(&server, 1);
    server.requested(1).await.unwrap();
    tokio::time::pause();
    assert_eq!(server.client_closed().await.unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(server.requested(2).await.unwrap_err().kind(), ErrorKind::TimedOut);
    drop(stream);
}

#[tokio::test]
async fn pauses_and_drips_take_their_time() {
    let script = [
        Reply::raw("a").then(Step::Pause(Duration::from_millis(100))).then(Step::write("b")),
        Reply::steps([Step::Drip {
            bytes: Bytes::from_static(b"id={{id}}"),
            chunk: 2,
            every: Duration::from_millis(50),
        }]),
    ];
    let server = server(script).await;
    let started = Instant::now();
    let mut stream = call(&server, 1);
    assert_eq!(read_some(&mut stream, 1), "a");
    assert_eq!(read_all(stream), "b");
    assert!(started.elapsed() >= Duration::from_millis(100));

    let started = Instant::now();
    let mut stream = call(&server, 42);
    let mut pieces = Vec::new();
    let mut buffer = [0; 16];
    loop {
        match stream.read(&mut buffer).unwrap() {
            0 => break,
            count => pieces.push(String::from_utf8_lossy(&buffer[..count]).into_owned()),
        }
    }
    assert_eq!(pieces.concat(), "id=42");
    assert!(started.elapsed() >= Duration::from_millis(150), "three pieces, a wait before each");
}

#[tokio::test]
async fn keep_alive_can_follow_a_damaged_reply() {
    let script = [
        Reply::json(200, "{}").content_length(1).then(Step::KeepAlive),
        Reply::json(200, "[]").then(Step::Close),
    ];
    let server = server(script).await;
    let mut stream = call(&server, 1);
    let first = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{}";
    assert_eq!(read_some(&mut stream, first.len()), first);
    stream.write_all(&Sent::run(2).bytes()).unwrap();
    assert!(read_all(stream).ends_with("[]"));
    assert_eq!(server.connections(), 1);
}
