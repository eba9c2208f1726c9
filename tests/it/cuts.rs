//! Answers that are cut off after every single byte, head included: never a success before the answer is whole, and
//! always a typed error that says how far it got.

use std::time::Duration;

use mcp_client::{
    CallRecord, Delivery, OutcomeKind,
    error::{ProtocolFault, TransportErrorKind},
    record::CloseCause,
};
use mcp_tests::{Reply, Step};

use crate::fault::{
    ANSWER, Ended, NOTIFICATION, assert_ended, assert_good, call, good, only_calls, protocol_error, serve,
    still_usable, transport_error,
};

/// How the end of the body is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Framing {
    Length,
    Chunked,
    UntilClose,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    Json,
    Sse,
}

/// How the connection ends after the cut.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Fin,
    Rst,
}

/// The whole answer, byte for byte, and where its parts begin.
struct Wire {
    bytes: Vec<u8>,
    head: usize,
    /// The first byte of the content, after what the framing puts before it.
    content: usize,
    content_end: usize,
    /// Where the first event has ended.
    first_event_end: usize,
}

fn wire(content: Content, framing: Framing, id: usize) -> Wire {
    let answer = ANSWER.replace("{{id}}", &id.to_string());
    let notification = format!("event: message\ndata: {NOTIFICATION}\n\n");
    let (media_type, body) = match content {
        Content::Json => ("application/json", answer),
        Content::Sse => ("text/event-stream", format!("{notification}data: {answer}\n\n")),
    };
    let (header, before, after) = match framing {
        Framing::Length => (format!("Content-Length: {}\r\n", body.len()), String::new(), ""),
        Framing::Chunked => {
            ("Transfer-Encoding: chunked\r\n".to_owned(), format!("{:x}\r\n", body.len()), "\r\n0\r\n\r\n")
        }
        Framing::UntilClose => (String::new(), String::new(), ""),
    };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nConnection: close\r\n{header}\r\n");
    let content = head.len() + before.len();
    Wire {
        head: head.len(),
        content,
        content_end: content + body.len(),
        first_event_end: content + notification.len(),
        bytes: [&head, &before, &body, after].concat().into_bytes(),
    }
}

/// Cuts at every offset, one call each, all by one client.
async fn sweep(content: Content, framing: Framing, end: End) {
    let step = match end {
        End::Fin => Step::Close,
        End::Rst => Step::Reset,
    };
    // The ids of a client count from 1.
    let cuts: Vec<Wire> = (0..)
        .map(|offset| wire(content, framing, offset + 1))
        .enumerate()
        .map_while(|(offset, wire)| (offset <= wire.bytes.len()).then_some(wire))
        .collect();
    let script: Vec<Reply> = cuts
        .iter()
        .enumerate()
        .map(|(offset, wire)| Reply::raw(wire.bytes[..offset].to_vec()).then(step.clone()))
        .chain([good()])
        .collect();
    let (server, client) = serve(script).await;
    for (offset, wire) in cuts.iter().enumerate() {
        let what = format!("{content:?} {framing:?} {end:?}, cut at {offset} of {}", wire.bytes.len());
        let ended = call(&client).await;
        if offset < wire.head {
            // Not even the head came whole.
            let record = not_whole(&what, &ended, OutcomeKind::TransportError, None);
            assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Broken, "{what}");
            assert_eq!((record.content_type.as_deref(), record.sse), (None, None), "{what}");
            continue;
        }
        match content {
            Content::Json => json(&what, &ended, wire, framing, end, offset),
            Content::Sse => sse(&what, &ended, wire, framing, end, offset),
        }
    }
    still_usable(&"after all the cuts", &client).await;
    only_calls(&server, cuts.len() + 1);
    assert_eq!(server.connections(), cuts.len() + 1);
}

/// No success, and in time: none of these calls has a reason to wait for its timeout.
#[track_caller]
fn not_whole<'a>(what: &str, ended: &'a Ended, kind: OutcomeKind, status: Option<u16>) -> &'a CallRecord {
    let record = assert_ended(&what, ended, kind, Delivery::Unknown, &[status]);
    assert!(record.duration < Duration::from_secs(5), "{what}: took {:?}", record.duration);
    record
}

#[track_caller]
fn json(what: &str, ended: &Ended, wire: &Wire, framing: Framing, end: End, offset: usize) {
    let orderly = framing == Framing::UntilClose && end == End::Fin;
    // Without a length or chunks only an orderly end of the connection says that the body is whole.
    let whole = offset == wire.bytes.len() && (framing != Framing::UntilClose || orderly);
    if whole {
        let record = assert_good(&what, ended);
        assert_eq!(record.content_type.as_deref(), Some("application/json"), "{what}");
    } else if orderly {
        let (kind, fault) = match offset - wire.head {
            0 => (OutcomeKind::NoAnswer, ProtocolFault::NoAnswer),
            _ => (OutcomeKind::MalformedJson, ProtocolFault::MalformedJson),
        };
        not_whole(what, ended, kind, Some(200));
        assert_eq!(protocol_error(ended).fault(), &fault, "{what}");
        assert_eq!(protocol_error(ended).raw(), &wire.bytes[wire.head..offset], "{what}");
    } else {
        let record = not_whole(what, ended, OutcomeKind::StreamIncomplete, Some(200));
        let error = transport_error(ended);
        assert_eq!(
            (error.kind(), error.sse_events(), record.sse),
            (TransportErrorKind::Incomplete, None, None),
            "{what}"
        );
    }
}

#[track_caller]
fn sse(what: &str, ended: &Ended, wire: &Wire, framing: Framing, end: End, offset: usize) {
    if offset >= wire.content_end {
        // The answer is whole; how the stream goes on from there is of no account.
        let sse = assert_good(&what, ended).sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (2, 0, true), "{what}");
        assert_eq!(sse.close_cause, Some(CloseCause::Answered), "{what}");
        return;
    }
    let orderly = framing == Framing::UntilClose && end == End::Fin;
    if orderly && offset == wire.content {
        not_whole(what, ended, OutcomeKind::NoAnswer, Some(200));
        assert_eq!(protocol_error(ended).fault(), &ProtocolFault::NoAnswer, "{what}");
        return;
    }
    let record = not_whole(what, ended, OutcomeKind::StreamIncomplete, Some(200));
    let error = transport_error(ended);
    if offset <= wire.content {
        // What is known of a stream of which no byte came: see `stream::a_stream_that_breaks_before_its_first_byte`.
        return;
    }
    let cause = if orderly { CloseCause::Ended } else { CloseCause::Broken };
    let events = u64::from(offset >= wire.first_event_end);
    assert_eq!(error.kind(), TransportErrorKind::Incomplete, "{what}");
    assert_eq!((error.sse_events(), error.close_cause()), (Some(events), Some(cause)), "{what}");
    let sse = record.sse.unwrap();
    assert_eq!((sse.events, sse.skipped, sse.terminal_response), (events, 0, false), "{what}");
    assert_eq!(sse.close_cause, Some(cause), "{what}");
    assert_eq!(record.content_type.as_deref(), Some("text/event-stream"), "{what}");
}

macro_rules! sweeps {
    ($($name:ident: $content:ident $framing:ident $end:ident;)+) => {$(
        #[tokio::test]
        async fn $name() {
            sweep(Content::$content, Framing::$framing, End::$end).await;
        }
    )+};
}

sweeps! {
    json_of_a_length_closed: Json Length Fin;
    json_of_a_length_reset: Json Length Rst;
    json_in_chunks_closed: Json Chunked Fin;
    json_in_chunks_reset: Json Chunked Rst;
    json_until_the_end_closed: Json UntilClose Fin;
    json_until_the_end_reset: Json UntilClose Rst;
    a_stream_of_a_length_closed: Sse Length Fin;
    a_stream_of_a_length_reset: Sse Length Rst;
    a_stream_in_chunks_closed: Sse Chunked Fin;
    a_stream_in_chunks_reset: Sse Chunked Rst;
    a_stream_until_the_end_closed: Sse UntilClose Fin;
    a_stream_until_the_end_reset: Sse UntilClose Rst;
}
