//! Slow answers, cancelled requests, and the end of a Kitchen.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::testing::{Sent, connect, parse};
use crate::{Ending, Kitchen};

const RUN: &str = "run_configured_test_scenario";

/// Reads until the empty line after the headers.
fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).unwrap(), 1);
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn headers_of_a_slow_answer_come_first() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("baseline", json!({ "slowReportDelayMs": 900 })).unwrap();
    let mut stream = connect(kitchen.addr());
    let started = Instant::now();
    stream.write_all(&Sent::run(1).header("Connection", "close").bytes()).unwrap();
    let head = read_head(&mut stream);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let post = &kitchen.posts()[0];
    assert_eq!((post.status, post.ending), (Some(200), Ending::Open), "the headers are out, the body is not");
    assert_eq!(kitchen.completions(RUN), 0);
    let mut bytes = head.into_bytes();
    stream.read_to_end(&mut bytes).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(900));
    let received = parse(&bytes).unwrap();
    assert!(received.complete);
    assert_eq!(received.tool_text()["delayMs"], 900);
}

#[tokio::test]
async fn terminating_cuts_a_stream_whose_headers_are_out() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("baseline", json!({ "slowReportDelayMs": 60_000 })).unwrap();
    let mut stream = connect(kitchen.addr());
    stream.write_all(&Sent::run(1).bytes()).unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 200 OK\r\n"));
    kitchen.terminate_sessions();
    assert_eq!(stream.read(&mut [0; 64]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    let posts = kitchen.posts_when(|posts| posts[0].ending != Ending::Open).await.unwrap();
    assert_eq!((posts[0].status, posts[0].ending), (Some(200), Ending::Cut));
    assert_eq!((kitchen.executions(RUN), kitchen.completions(RUN)), (1, 0));
}

#[tokio::test]
async fn terminating_cuts_a_request_without_an_answer() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("timeout.init_hang", json!({ "initDelayMs": 60_000 })).unwrap();
    let mut stream = connect(kitchen.addr());
    stream.write_all(&Sent::legacy(1, "initialize", &json!({})).bytes()).unwrap();
    kitchen.posts_when(|posts| posts.len() == 1).await.unwrap();
    // It is in the log before it is in its session.
    while kitchen.counters().is_empty() {
        tokio::task::yield_now().await;
    }
    kitchen.terminate_sessions();
    assert_eq!(stream.read(&mut [0; 64]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!((kitchen.posts()[0].status, kitchen.posts()[0].ending), (None, Ending::Cut));
}

#[tokio::test]
async fn a_client_that_leaves_cancels_the_tool() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("baseline", json!({ "slowReportDelayMs": 60_000 })).unwrap();
    // Once after the headers, once before them.
    for (number, after_headers) in [(0, true), (1, false)] {
        let mut stream = connect(kitchen.addr());
        stream.write_all(&Sent::run(1).bytes()).unwrap();
        kitchen.posts_when(|posts| posts.len() == number + 1).await.unwrap();
        if after_headers {
            read_head(&mut stream);
        }
        drop(stream);
        let posts = kitchen.posts_when(|posts| posts[number].ending != Ending::Open).await.unwrap();
        assert_eq!(posts[number].ending, Ending::ClientGone);
        assert_eq!(posts[number].status, after_headers.then_some(200));
    }
    assert_eq!(kitchen.completions(RUN), 0);
}

#[tokio::test]
async fn waiting_for_the_log_gives_up() {
    let kitchen = Kitchen::start().await.unwrap();
    Sent::run(1).to(kitchen.addr());
    tokio::time::pause();
    let error = kitchen.posts_when(|posts| posts.len() > 1).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("tools/call"), "{error}");
}

#[tokio::test]
async fn dropping_frees_the_port_with_requests_open() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("timeout.late_response", json!({ "delayMs": 60_000 })).unwrap();
    let addr = kitchen.addr();
    let mut stream = connect(addr);
    stream.write_all(&Sent::run(1).bytes()).unwrap();
    kitchen.posts_when(|posts| posts.len() == 1).await.unwrap();
    let started = Instant::now();
    drop(kitchen);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(matches!(stream.read(&mut [0; 64]), Ok(0) | Err(_)), "the connection is gone");
    TcpStream::connect(addr).unwrap_err();
}
