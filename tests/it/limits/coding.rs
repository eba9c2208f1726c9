//! Content codings: undone as the bytes come, within the limits of what they decode to, or named and refused.

use std::time::Duration;

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZstdEncoder};
use bytes::Bytes;
use mcp_client::{
    Delivery, OutcomeKind,
    error::{ProtocolFault, TransportErrorKind},
    record::{CloseCause, Note},
};
use mcp_tests::{Reply, Step};
use tokio::io::AsyncWriteExt;

use super::{assert_too_large, limited};
use crate::fault::{
    ANSWER, NOTIFICATION, assert_ended, assert_good, call, http_error, only_calls, protocol_error, serve,
    serve_once, still_usable, transport_error,
};
use crate::support::record;

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// Encodes pieces so that each can be decoded as soon as it has come. The end of the coding is a piece of its own.
async fn encode(coding: &str, pieces: &[&str]) -> Vec<Bytes> {
    macro_rules! with {
        ($encoder:expr) => {{
            let mut encoder = $encoder;
            let mut ends = Vec::new();
            for piece in pieces {
                encoder.write_all(piece.as_bytes()).await.unwrap();
                encoder.flush().await.unwrap();
                ends.push(encoder.get_ref().len());
            }
            encoder.shutdown().await.unwrap();
            (encoder.into_inner(), ends)
        }};
    }
    let (all, ends) = match coding {
        "gzip" => with!(GzipEncoder::new(Vec::new())),
        "br" => with!(BrotliEncoder::new(Vec::new())),
        "zstd" => with!(ZstdEncoder::new(Vec::new())),
        other => panic!("no encoder of {other}"),
    };
    let all = Bytes::from(all);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied().chain([all.len()])).map(|(start, end)| all.slice(start..end)).collect()
}

async fn encoded(coding: &str, text: &str) -> Bytes {
    encode(coding, &[text]).await.concat().into()
}

/// The answer to request 1, as the text of a body that is encoded beforehand.
fn answer() -> String {
    ANSWER.replace("{{id}}", "1")
}

#[tokio::test]
async fn the_codings_that_are_undone_are_the_ones_that_are_asked_for() {
    let (server, client) = serve_once(Reply::json(200, ANSWER)).await;
    still_usable(&"plain", &client).await;
    assert_eq!(server.requests()[0].header("accept-encoding"), Some("gzip, br, zstd"));
}

#[tokio::test]
async fn an_answer_in_each_coding_is_read() {
    for coding in CODINGS {
        let body = encoded(coding, &answer()).await;
        for named in [coding.to_owned(), coding.to_uppercase(), format!(" {coding} ")] {
            for reply in [
                Reply::json(200, body.clone()),
                Reply::json(200, body.clone()).chunked(),
                Reply::json(200, body.clone()).until_close(),
            ] {
                let (server, client) = serve_once(reply.header("Content-Encoding", &named)).await;
                assert_good(&named, &call(&client).await);
                still_usable(&named, &client).await;
                only_calls(&server, 2);
            }
        }
    }
    for named in ["x-gzip", "X-GZIP"] {
        let reply = Reply::json(200, encoded("gzip", &answer()).await).header("Content-Encoding", named);
        let (_server, client) = serve_once(reply).await;
        assert_good(&named, &call(&client).await);
    }
    for named in ["identity", "Identity", ""] {
        let (_server, client) = serve_once(Reply::json(200, ANSWER).header("Content-Encoding", named)).await;
        assert_good(&named, &call(&client).await);
    }
}

#[tokio::test]
async fn a_body_of_several_gzip_members_is_one_body() {
    let whole = answer();
    let (start, end) = whole.split_at(40);
    let body = [encoded("gzip", start).await, encoded("gzip", end).await].concat();
    let (_server, client) = serve_once(Reply::json(200, body).header("Content-Encoding", "gzip")).await;
    assert_good(&"members", &call(&client).await);
}

#[tokio::test]
async fn codings_work_on_one_connection_and_with_the_server_of_these_tests() {
    let (server, client) =
        serve([Reply::json(200, ANSWER).gzip(), Reply::sse(&[ANSWER]).gzip(), Reply::json(200, ANSWER)])
            .await;
    for number in 0..6 {
        assert_good(&number, &call(&client).await);
    }
    only_calls(&server, 6);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_coded_body_that_is_cut_is_an_answer_that_broke_off() {
    for coding in CODINGS {
        let body = encoded(coding, &answer()).await;
        // The HTTP body ends in order, the coding does not.
        let cuts = 1..body.len();
        let cut = |length| Reply::json(200, body.slice(..length)).header("Content-Encoding", coding);
        let script: Vec<Reply> = cuts.clone().map(cut).chain([Reply::json(200, ANSWER)]).collect();
        let (server, client) = serve(script).await;
        for length in cuts {
            let what = format!("{coding}, {length} of {}", body.len());
            let ended = call(&client).await;
            assert_ended(&what, &ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
            assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Incomplete, "{what}");
        }
        still_usable(&coding, &client).await;
        only_calls(&server, body.len());
    }
}

#[tokio::test]
async fn a_coded_body_that_is_corrupt_is_no_answer() {
    for coding in CODINGS {
        let body = encoded(coding, &answer()).await;
        let mut flipped = body.to_vec();
        let middle = flipped.len() / 2;
        flipped[middle..middle + 4].copy_from_slice(&[0xFF; 4]);
        let mut wrong_sum = body.to_vec();
        let last = wrong_sum.len() - 5;
        wrong_sum[last] ^= 0x55;
        let mut bodies = vec![("flipped", flipped), ("not coded", answer().into_bytes())];
        if coding == "gzip" {
            bodies.push(("a wrong checksum", wrong_sum));
        }
        for (what, body) in bodies {
            let (server, client) =
                serve_once(Reply::json(200, body).header("Content-Encoding", coding)).await;
            let ended = call(&client).await;
            let what = format!("{coding}, {what}");
            assert_ended(&what, &ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
            assert!(std::error::Error::source(transport_error(&ended)).is_some(), "{what}");
            still_usable(&what, &client).await;
            only_calls(&server, 2);
        }
    }
}

#[tokio::test]
async fn limits_count_decoded_bytes() {
    let spaces = " ".repeat(4 << 20);
    for coding in CODINGS {
        let bomb = encoded(coding, &spaces).await;
        assert!(bomb.len() < 10_000, "{coding}: {} bytes", bomb.len());
        let json = Reply::json(200, bomb.clone()).header("Content-Encoding", coding);
        let (server, client) = limited(json, |builder| builder.max_body_bytes(256 << 10)).await;
        assert_too_large(coding, &call(&client).await, 256 << 10, "max_body_bytes");
        still_usable(&coding, &client).await;
        only_calls(&server, 2);

        let line = encoded(coding, &format!("data: {NOTIFICATION}\n\ndata: {spaces}")).await;
        let sse = Reply::sse_bytes(line).header("Content-Encoding", coding);
        let (server, client) = limited(sse, |builder| builder.max_event_bytes(256 << 10)).await;
        let ended = call(&client).await;
        let sse = assert_too_large(coding, &ended, 256 << 10, "max_event_bytes").sse.unwrap();
        assert_eq!((sse.events, sse.close_cause), (1, Some(CloseCause::Refused)));
        still_usable(&coding, &client).await;
        only_calls(&server, 2);

        let error = Reply::json(500, bomb).header("Content-Encoding", coding);
        let (server, client) = limited(error, |builder| builder.max_error_body_bytes(256 << 10)).await;
        let ended = call(&client).await;
        let record = assert_ended(&coding, &ended, OutcomeKind::HttpError, Delivery::Unknown, &[Some(500)]);
        assert_eq!(http_error(&ended).body().len(), 256 << 10);
        assert_eq!(record.notes, [Note::CutErrorBody]);
        still_usable(&coding, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn the_body_of_an_error_is_readable_in_each_coding() {
    for coding in CODINGS {
        let body =
            encoded(coding, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#).await;
        let (server, client) = serve_once(Reply::json(404, body).header("Content-Encoding", coding)).await;
        let ended = call(&client).await;
        let record = assert_ended(&coding, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(404)]);
        assert_eq!(record.error_code, Some(-32601));
        assert!(http_error(&ended).excerpt().contains("-32601"));
        still_usable(&coding, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn a_coding_that_is_not_understood_is_named() {
    let two_headers = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
        Content-Encoding: gzip\r\nContent-Encoding: br\r\n\r\n{}";
    let named = |coding: &str| Reply::json(200, ANSWER).header("Content-Encoding", coding);
    let stream = Reply::sse(&[ANSWER]).header("Content-Encoding", "snappy");
    for (coding, reply) in [
        ("deflate", named("deflate")),
        ("compress", named("compress")),
        ("aes128gcm", named("aes128gcm")),
        ("gzip, br", named("gzip, br")),
        ("gzip, gzip", named("gzip, gzip")),
        ("identity, gzip", named("identity, gzip")),
        ("gzip;q=1", named("gzip;q=1")),
        ("gzip, br", Reply::raw(two_headers)),
        ("snappy", stream),
    ] {
        let (server, client) = serve_once(reply).await;
        let ended = call(&client).await;
        assert_ended(&coding, &ended, OutcomeKind::UnexpectedContent, Delivery::Unknown, &[Some(200)]);
        let fault = ProtocolFault::UnsupportedEncoding(coding.to_owned().into());
        assert_eq!(protocol_error(&ended).fault(), &fault);
        assert!(!protocol_error(&ended).raw().is_empty(), "{coding}: the bytes are kept");
        still_usable(&coding, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn of_an_empty_body_no_coding_matters() {
    for coding in ["gzip", "br", "zstd", "deflate", "gzip, br"] {
        for reply in [
            Reply::json(200, ""),
            Reply::sse_bytes(""),
            Reply::json(200, "").until_close(),
            Reply::status(202),
        ] {
            let (server, client) = serve_once(reply.clone().header("Content-Encoding", coding)).await;
            let ended = call(&client).await;
            let status = record(&ended).posts[0];
            let what = format!("{coding}, {reply:?}");
            assert_ended(&what, &ended, OutcomeKind::NoAnswer, Delivery::Unknown, &[status]);
            still_usable(&what, &client).await;
            only_calls(&server, 2);
        }
    }
}

/// A coded stream is decoded as it comes: what the server has flushed is there, before the stream ends.
#[tokio::test]
async fn events_of_a_coded_stream_come_as_they_are_flushed() {
    for coding in CODINGS {
        let notification = format!("data: {NOTIFICATION}\n\n");
        let last = format!("data: {}\n\n", answer());
        let pieces = encode(coding, &[&notification, &notification, &last]).await;
        let pause = Duration::from_millis(20);
        let reply = pieces[..3]
            .iter()
            .fold(Reply::sse_bytes("").header("Content-Encoding", coding).unfinished(), |reply, piece| {
                reply.then(Step::Chunk(piece.clone())).then(Step::Pause(pause))
            });
        let (server, client) = serve_once(reply.then(Step::AwaitClientClose)).await;
        let ended = call(&client).await;
        let record = assert_good(&coding, &ended);
        assert_eq!(record.sse.unwrap().events, 3, "{coding}");
        assert!(record.duration < Duration::from_secs(5), "{coding}: took {:?}", record.duration);
        server.client_closed().await.unwrap();
        still_usable(&coding, &client).await;
        only_calls(&server, 2);
    }
}

#[tokio::test]
async fn a_coded_stream_that_is_cut_tells_what_came() {
    for coding in CODINGS {
        let notification = format!("data: {NOTIFICATION}\n\n");
        let pieces = encode(coding, &[&notification, &format!("data: {}\n\n", answer())]).await;
        let reply = Reply::sse_bytes(pieces[0].clone()).header("Content-Encoding", coding);
        for (what, reply) in [("in order", reply.clone()), ("closed", reply.unfinished().then(Step::Close))] {
            let (server, client) = serve_once(reply).await;
            let ended = call(&client).await;
            let what = format!("{coding}, {what}");
            let record =
                assert_ended(&what, &ended, OutcomeKind::StreamIncomplete, Delivery::Unknown, &[Some(200)]);
            let sse = record.sse.unwrap();
            // The coding itself was cut, even where the body that carries it was not.
            assert_eq!((sse.events, sse.close_cause), (1, Some(CloseCause::Broken)), "{what}");
            still_usable(&what, &client).await;
            only_calls(&server, 2);
        }
    }
}
