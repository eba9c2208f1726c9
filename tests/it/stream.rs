//! Event streams: what may stand in one before the answer, and how it may be written.

mod answers;
mod endings;

use std::time::Duration;

use bytes::Bytes;
use mcp_client::{Delivery, OutcomeKind, record::CloseCause};
use mcp_tests::{Reply, Step};

use crate::fault::{
    ANSWER, NOTIFICATION, assert_ended, assert_good, call, only_calls, serve, serve_once, still_usable,
};

const FOREIGN: &str = r#"{"jsonrpc":"2.0","id":99,"result":{"resultType":"complete","content":[]}}"#;

/// Plays each reply once, to one client; every call must be a success after that many events, of which so many were
/// skipped.
async fn successes(table: Vec<(&str, Reply, u64, u64)>) {
    let script: Vec<Reply> = table.iter().map(|(_, reply, ..)| reply.clone()).collect();
    let (server, client) = serve(script).await;
    for (what, _, events, skipped) in &table {
        let ended = call(&client).await;
        let record = assert_good(what, &ended);
        assert_eq!(record.content_type.as_deref(), Some("text/event-stream"), "{what}");
        let sse = record.sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (*events, *skipped, true), "{what}");
        assert_eq!(sse.close_cause, Some(CloseCause::Answered), "{what}");
        assert_eq!(record.notes, [], "{what}");
    }
    only_calls(&server, table.len());
}

#[tokio::test]
async fn c_40_what_comes_before_the_answer_is_not_the_answer() {
    let before = |events: &[&str]| {
        let all: Vec<&str> = events.iter().copied().chain([ANSWER]).collect();
        Reply::sse(&all)
    };
    successes(vec![
        ("nothing", before(&[]), 1, 0),
        ("a notification", before(&[NOTIFICATION]), 2, 0),
        ("many notifications", before(&[NOTIFICATION; 500]), 501, 0),
        ("a notification of a method nobody knows", before(&[r#"{"jsonrpc":"2.0","method":"x/y"}"#]), 2, 0),
        ("a foreign id", before(&[FOREIGN]), 2, 1),
        (
            "a foreign error",
            before(&[r#"{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}"#]),
            2,
            1,
        ),
        ("a result without an id", before(&[r#"{"jsonrpc":"2.0","result":{"content":[]}}"#]), 2, 1),
        (
            "a result of the null id",
            before(&[r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#]),
            2,
            1,
        ),
        ("no JSON", before(&["{unclosed", "ping", "\u{1F980}"]), 4, 3),
        ("no objects", before(&["[]", "null", "7", "\"text\""]), 5, 4),
        ("an array with our answer in it", before(&[r#"[{"jsonrpc":"2.0","id":{{id}},"result":{}}]"#]), 2, 1),
        ("an empty object", before(&["{}"]), 2, 1),
        ("our id and neither result nor error", before(&[r#"{"jsonrpc":"2.0","id":{{id}}}"#]), 2, 1),
        ("a request of the server's", before(&[r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#]), 2, 1),
        (
            "one with our id",
            before(&[r#"{"jsonrpc":"2.0","id":{{id}},"method":"sampling/createMessage"}"#]),
            2,
            1,
        ),
    ])
    .await;
}

#[tokio::test]
async fn an_answer_is_read_however_the_stream_is_written() {
    let (start, end) = ANSWER.split_once(r#","result""#).unwrap();
    let lines = format!("event: message\ndata: {start},\ndata:\ndata: \"result\"\ndata:{end}\n\n");
    let ids = format!("id: 1\nretry: 5\ndata:\n\nid: 2\ndata: {ANSWER}\n\n");
    let text = |text: String| Reply::sse_bytes(text);
    let typed = Reply::sse(&[ANSWER]).header("Content-Type", "Text/EVENT-Stream ; charset=utf-8");
    successes(vec![
        ("no event name, no space", text(format!("data:{ANSWER}\n\n")), 1, 0),
        ("an empty event name", text(format!("event: x\nevent:\ndata: {ANSWER}\n\n")), 1, 0),
        ("CRLF", text(format!("event: message\r\ndata: {ANSWER}\r\n\r\n")), 1, 0),
        ("CR", text(format!("event: message\rdata: {ANSWER}\r\r")), 1, 0),
        ("all line ends", text(format!(": c\rdata: {NOTIFICATION}\r\n\ndata: {ANSWER}\n\r")), 2, 0),
        ("a byte order mark", text(format!("\u{FEFF}data: {ANSWER}\n\n")), 1, 0),
        (
            "comments and blank lines",
            text(format!(": hi\n\n\n:\n\n:\ndata: {ANSWER}\n: x\n\n: bye\n\n")),
            1,
            0,
        ),
        ("blank lines first", text(format!("\n\r\n\r\n\n  \n\ndata: {ANSWER}\n\n")), 1, 0),
        ("data over several lines", text(lines), 1, 0),
        ("ids, a retry time, an event without data", text(ids), 1, 0),
        ("unknown fields", text(format!("foo: bar\nDATA: x\ndata: {ANSWER}\nfoo\n\n")), 1, 0),
        ("an event without data but with a name", text(format!("event: ping\n\ndata: {ANSWER}\n\n")), 1, 0),
        ("the answer twice", Reply::sse(&[ANSWER, ANSWER]), 1, 0),
        ("notifications after the answer", Reply::sse(&[ANSWER, NOTIFICATION]), 1, 0),
        ("junk after the answer", text(format!("data: {ANSWER}\n\n\u{0}\u{1}\r\r{{")), 1, 0),
        ("a media type in another case", typed, 1, 0),
        ("ended by the end of the connection", Reply::sse(&[ANSWER]).until_close(), 1, 0),
    ])
    .await;
}

#[tokio::test]
async fn an_answer_is_read_wherever_the_bytes_are_cut() {
    let body = format!("\u{FEFF}: \u{1F980}\r\ndata: {NOTIFICATION}\r\n\r\ndata: {}\r\n\r\n", odd_answer());
    // One chunk of one byte each, all at once; then dripped in small pieces, which cut characters and line ends.
    let bytes = body.bytes().map(|byte| Step::Chunk(Bytes::from(vec![byte])));
    let at_once = bytes.fold(Reply::sse_bytes("").unfinished(), Reply::then).then(Step::LastChunk);
    let dripped = |size| {
        let bytes = Bytes::from(body.clone());
        Reply::sse_bytes("").until_close().then(Step::Drip {
            bytes,
            chunk: size,
            every: Duration::from_millis(1),
        })
    };
    for (what, reply) in
        [("bytes", at_once), ("pieces of 1", dripped(1)), ("of 2", dripped(2)), ("of 7", dripped(7))]
    {
        let (server, client) = serve_once(reply).await;
        let ended = call(&client).await;
        let record = assert_ended(&what, &ended, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
        assert_eq!(record.sse.unwrap().events, 2, "{what}");
        assert_eq!(ended.unwrap().into_success().unwrap().text(), "Øresund \u{1F980} 世界", "{what}");
        still_usable(&what, &client).await;
        only_calls(&server, 2);
    }
}

/// An answer to the first call, of characters of two, three and four bytes.
fn odd_answer() -> String {
    let text = "Øresund \u{1F980} 世界";
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

#[tokio::test]
async fn events_of_other_names_are_no_messages_and_are_counted_as_skipped() {
    for name in ["ping", "Message", "MESSAGE", "message ", " message", "error", "endpoint", "response"] {
        let body = format!("event: {name}\ndata: {ANSWER}\n\nevent: message\ndata: {ANSWER}\n\n");
        // The real answer may stand after it, or not at all.
        let (server, client) =
            serve([Reply::sse_bytes(body), Reply::sse_bytes(format!("event: {name}\ndata: {ANSWER}\n\n"))])
                .await;
        let ended = call(&client).await;
        let sse = assert_good(&name, &ended).sse.unwrap();
        assert_eq!((sse.events, sse.skipped), (2, 1), "{name}");
        let ended = call(&client).await;
        let record =
            assert_ended(&name, &ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
        let sse = record.sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.close_cause), (1, 1, Some(CloseCause::Ended)), "{name}");
        only_calls(&server, 2);
    }
}
