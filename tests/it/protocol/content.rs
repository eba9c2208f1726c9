//! What a 2xx carries: JSON, an event stream, something else, or nothing.

use mcp_client::error::ProtocolFault;

use crate::stage::{
    Canned, NO_ANSWER, OK, STREAM_INCOMPLETE, SUCCESS, Stage, UNEXPECTED_CONTENT, notes, protocol_error,
    response,
};
use crate::support::record;

#[tokio::test]
async fn c_38_the_media_type_decides_without_regard_to_case_and_parameters() {
    let stage = Stage::new().await;
    let good = response(OK);
    for media_type in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "Application/JSON",
        "APPLICATION/JSON ; x=y",
        "application/json;",
    ] {
        let outcome = stage.ends(&Canned::new(200, media_type, good.as_str()), SUCCESS).await;
        assert_eq!(record(&outcome).content_type.as_deref(), Some("application/json"), "{media_type}");
        assert_eq!(record(&outcome).sse, None, "{media_type}");
    }
    for media_type in [
        "text/event-stream",
        "text/event-stream; charset=utf-8",
        "Text/Event-Stream",
        "TEXT/EVENT-STREAM;CHARSET=UTF-8",
    ] {
        let events = format!("data: {good}\n\n");
        let outcome = stage.ends(&Canned::new(200, media_type, events), SUCCESS).await;
        assert_eq!(record(&outcome).content_type.as_deref(), Some("text/event-stream"), "{media_type}");
        assert!(record(&outcome).sse.unwrap().terminal_response, "{media_type}");
    }
}

/// Each is the good answer itself, under a media type that is neither of the two.
#[tokio::test]
async fn other_media_types_are_unexpected_however_good_the_body_looks() {
    let stage = Stage::new().await;
    for (media_type, told) in [
        ("", None),
        ("text/html", Some("text/html")),
        ("Text/HTML; charset=utf-8", Some("text/html")),
        ("text/plain", Some("text/plain")),
        ("text/json", Some("text/json")),
        ("application/jsonp", Some("application/jsonp")),
        ("application/json-rpc", Some("application/json-rpc")),
        ("application/problem+json", Some("application/problem+json")),
        ("application/x-ndjson", Some("application/x-ndjson")),
        ("application/octet-stream", Some("application/octet-stream")),
        ("text/event-stream-x", Some("text/event-stream-x")),
        ("application/json, text/html", Some("application/json, text/html")),
        ("json", Some("json")),
    ] {
        for status in [200, 201, 202, 299] {
            let reply = Canned::new(status, media_type, response(OK));
            let outcome = stage.ends(&reply, UNEXPECTED_CONTENT).await;
            assert_eq!(record(&outcome).content_type.as_deref(), told, "{reply:?}");
            let id = record(&outcome).request_id.clone().unwrap().to_string();
            let error = protocol_error(outcome);
            let fault = ProtocolFault::UnexpectedContentType(told.map(|told| told.to_owned().into()));
            assert_eq!(error.fault(), &fault, "{reply:?}");
            assert_eq!(error.raw(), response(OK).replace("{{id}}", &id).as_bytes(), "{reply:?}");
        }
    }
}

#[tokio::test]
async fn a_login_page_with_status_200_is_no_success() {
    let stage = Stage::new().await;
    let page = "<!DOCTYPE html><title>Sign in</title>";
    let outcome = stage.ends(&Canned::new(200, "text/html; charset=utf-8", page), UNEXPECTED_CONTENT).await;
    let error = protocol_error(outcome);
    assert_eq!(error.excerpt(), page);
    assert_eq!(error.to_string(), "the answer has a media type that is neither JSON nor an event stream");
}

#[tokio::test]
async fn c_44_a_2xx_without_a_body_is_no_answer_whatever_it_says_it_is() {
    let stage = Stage::new().await;
    for status in [200, 201, 202, 203, 204, 205, 206, 299] {
        for media_type in
            ["", "application/json", "text/event-stream", "text/html", "text/plain; charset=utf-8"]
        {
            let outcome = stage.ends(&Canned::new(status, media_type, ""), NO_ANSWER).await;
            assert_eq!(notes(&outcome), [""; 0], "{status} {media_type}");
            assert_eq!(record(&outcome).sse, None, "an empty body is no stream: {status} {media_type}");
            let error = protocol_error(outcome);
            assert_eq!(error.fault(), &ProtocolFault::NoAnswer, "{status} {media_type}");
            assert_eq!((error.raw(), error.excerpt().as_ref()), (&[][..], ""), "{status} {media_type}");
            assert_eq!(error.to_string(), "the server accepted the request and sent no answer");
        }
    }
}

#[tokio::test]
async fn a_body_of_white_space_is_no_answer() {
    let stage = Stage::new().await;
    for media_type in ["", "application/json", "text/event-stream", "text/html"] {
        for body in [" ", "\n", "\r\n\r\n", "\t \n \r\n"] {
            let outcome = stage.ends(&Canned::new(202, media_type, body), NO_ANSWER).await;
            assert_eq!(protocol_error(outcome).fault(), &ProtocolFault::NoAnswer, "{media_type} {body:?}");
        }
    }
}

/// A stream with a comment, or an event without data, has begun: its end without an answer is a cut.
#[tokio::test]
async fn a_stream_that_says_nothing_is_incomplete() {
    let stage = Stage::new().await;
    for body in [": ping\n\n", "event: message\n\n", "id: 7\nretry: 10\n\n", "data\n\n", "data:\n\n"] {
        let outcome = stage.ends(&Canned::new(200, "text/event-stream", body), STREAM_INCOMPLETE).await;
        let sse = record(&outcome).sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (0, 0, false), "{body:?}");
    }
}

#[tokio::test]
async fn a_coding_that_is_not_undone_is_unexpected_content() {
    let stage = Stage::new().await;
    for coding in ["compress", "deflate", "gzip, gzip", "x"] {
        for media_type in ["application/json", "text/event-stream"] {
            let reply = Canned::new(200, media_type, response(OK)).header("Content-Encoding", coding);
            let error = protocol_error(stage.ends(&reply, UNEXPECTED_CONTENT).await);
            assert_eq!(
                error.fault(),
                &ProtocolFault::UnsupportedEncoding(coding.to_owned().into()),
                "{reply:?}"
            );
        }
    }
    let reply = Canned::json(response(OK)).header("Content-Encoding", "identity");
    stage.assert_ends(&reply, SUCCESS).await;
}
