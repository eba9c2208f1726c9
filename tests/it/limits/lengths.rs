//! Lengths and chunks that lie.

use mcp_client::{Delivery, OutcomeKind, error::TransportErrorKind};
use mcp_tests::{Reply, Step};

use crate::fault::{
    ANSWER, assert_ended, call, only_calls, protocol_error, serve_once, still_usable, transport_error,
};

#[tokio::test]
async fn a_length_that_is_too_long_is_an_answer_that_broke_off() {
    for step in [Step::Close, Step::Reset] {
        let whole = ANSWER.replace("{{id}}", "1");
        let reply = Reply::json(200, whole.clone()).content_length(whole.len() as u64 + 1).then(step.clone());
        let (server, client) = serve_once(reply).await;
        let ended = call(&client).await;
        let record =
            assert_ended(&step, &ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
        assert_eq!((transport_error(&ended).kind(), record.sse), (TransportErrorKind::Incomplete, None));
        still_usable(&step, &client).await;
        only_calls(&server, 2);
    }
}

/// What stands behind the length is no part of this answer, and above all not the answer to the next call.
#[tokio::test]
async fn a_length_that_is_too_short_cannot_answer_the_next_call() {
    let first = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
    let smuggled = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"smuggled"}]}}"#;
    let response = |body: &str| {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let both = format!("{}{}", response(first), response(smuggled));
    let (server, client) = serve_once(Reply::raw(both).then(Step::KeepAlive)).await;
    let ended = call(&client).await;
    assert_ended(&"first", &ended, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    still_usable(&"the answer of the server's own", &client).await;
    let requests = only_calls(&server, 2);
    assert_eq!([requests[0].connection, requests[1].connection], [1, 2]);

    let cut = Reply::json(200, first).content_length(20).then(Step::KeepAlive);
    let (server, client) = serve_once(cut).await;
    let ended = call(&client).await;
    assert_ended(&"cut", &ended, OutcomeKind::MalformedJson, Delivery::Unknown, &[Some(200)]);
    assert_eq!(protocol_error(&ended).raw(), &first.as_bytes()[..20]);
    still_usable(&"cut", &client).await;
    only_calls(&server, 2);
}

#[tokio::test]
async fn lengths_that_mean_nothing_are_a_broken_answer() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    for lengths in [
        "Content-Length: 18446744073709551615",
        "Content-Length: 99999999999999999999999",
        "Content-Length: -1",
        "Content-Length: 1e3",
        "Content-Length: ",
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: 2, 3",
    ] {
        let (server, client) = serve_once(Reply::raw(format!("{head}{lengths}\r\n\r\n{{}}"))).await;
        let ended = call(&client).await;
        assert_ended(&lengths, &ended, OutcomeKind::TransportError, Delivery::Unknown, &[None]);
        assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Broken, "{lengths}");
        still_usable(&lengths, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn broken_chunks_are_an_answer_that_broke_off() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    for chunks in ["zz\r\n", "-1\r\n", "5\r\n{\"a\":1}\r\n0\r\n\r\n", "ffffffffffffffffff\r\n{", "2\r\n{}"] {
        let (server, client) = serve_once(Reply::raw(format!("{head}{chunks}"))).await;
        let ended = call(&client).await;
        assert_ended(&chunks, &ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
        still_usable(&chunks, &client).await;
        only_calls(&server, 2);
    }
}
