//! Bytes that are no JSON.

use mcp_client::error::{MAX_EXCERPT_BYTES, ProtocolFault};

use super::is_refused;
use crate::stage::{
    Canned, MALFORMED_JSON, OK, STREAM_INCOMPLETE, Stage, failed, notes, protocol_error, response,
};
use crate::support::record;

fn malformed() -> Vec<Vec<u8>> {
    let good = response(OK);
    let mut bodies: Vec<Vec<u8>> = [
        "{unclosed",
        "{",
        "}",
        "{} {}",
        "nul",
        "[1,",
        "\"open",
        "'single'",
        "<html><body>502</body></html>",
        "Internal Server Error",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":NaN}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":\"\\x\"}",
        "// comment\n{}",
        "{ not valid json",
        "undefined",
        "\u{feff}",
        "\u{a0}",
        "\u{feff}\u{feff}{}",
        "data: {}",
    ]
    .map(|body| body.as_bytes().to_vec())
    .to_vec();
    bodies.push(format!("{good}\n{good}").into_bytes());
    bodies.push(format!("{good}x").into_bytes());
    bodies.push(format!(")]}}',\n{good}").into_bytes());
    bodies.push(good.as_bytes()[..good.len() - 1].to_vec());
    // Not UTF-8: a lone byte, a truncated character, an encoded surrogate, an overlong form, UTF-16, a zero byte.
    for broken in [&b"\xFF"[..], b"\xC3", b"\xED\xA0\x80", b"\xC0\xAF", b"\xF8\x88\x80\x80\x80"] {
        let mut body = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"x\":\"".to_vec();
        body.extend_from_slice(broken);
        body.extend_from_slice(b"\"}}");
        bodies.push(body);
    }
    bodies.push("{}".encode_utf16().flat_map(u16::to_le_bytes).collect());
    bodies.push(b"{}\0".to_vec());
    bodies
}

#[tokio::test]
async fn c_02_what_is_no_json_is_malformed_and_kept() {
    let stage = Stage::new().await;
    for body in malformed() {
        let reply = Canned::json(body.clone());
        let outcome = stage.ends(&reply, MALFORMED_JSON).await;
        assert_eq!(notes(&outcome), [""; 0], "{reply:?}");
        let id = record(&outcome).request_id.clone().unwrap().to_string();
        let error = protocol_error(outcome);
        assert_eq!(error.fault(), &ProtocolFault::MalformedJson, "{reply:?}");
        let sent = match String::from_utf8(body) {
            Ok(text) => text.replace("{{id}}", &id).into_bytes(),
            Err(broken) => broken.into_bytes(),
        };
        assert_eq!(error.raw(), sent, "{reply:?}");
        assert_eq!(error.excerpt(), String::from_utf8_lossy(&sent), "{reply:?}");
        assert_eq!(error.to_string(), "the answer is not JSON");
        assert_eq!(error.path(), None);
    }
}

/// An event that is no message is not the answer: the answer may still come.
#[tokio::test]
async fn on_a_stream_what_is_no_json_is_skipped_and_counted() {
    let stage = Stage::new().await;
    for body in ["{unclosed", "<html>", "[1,", "undefined", "{} {}"] {
        let good = response(OK);
        let before_the_answer = Canned::sse(&[body, body, &good]);
        let outcome = stage.ends(&before_the_answer, crate::stage::SUCCESS).await;
        let sse = record(&outcome).sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (3, 2, true), "{body}");

        let outcome = stage.ends(&Canned::sse(&[body]), STREAM_INCOMPLETE).await;
        let sse = record(&outcome).sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (1, 1, false), "{body}");
        let text = failed(outcome).to_string();
        assert_eq!(
            text,
            "the event stream ended after 1 events without the answer (1 events were no answer to this call)"
        );
    }
    // Not UTF-8 either.
    let mut bytes =
        b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"x\":\"\xFF\"}}\n\n".to_vec();
    let outcome = stage.ends(&Canned::new(200, "text/event-stream", bytes.clone()), STREAM_INCOMPLETE).await;
    assert_eq!(record(&outcome).sse.unwrap().skipped, 1);
    bytes.extend_from_slice(b"data: \xFF\n\n");
    let outcome = stage.ends(&Canned::new(200, "text/event-stream", bytes), STREAM_INCOMPLETE).await;
    assert_eq!(record(&outcome).sse.unwrap().skipped, 2);
}

#[tokio::test]
async fn the_raw_answer_is_whole_and_its_excerpt_bounded() {
    let stage = Stage::new().await;
    let body = format!("<{}", "é".repeat(100_000));
    let outcome = stage.ends(&Canned::json(body.as_str()), MALFORMED_JSON).await;
    let error = protocol_error(outcome);
    assert_eq!(error.raw(), body.as_bytes());
    assert_eq!(error.excerpt(), format!("<{}", "é".repeat((MAX_EXCERPT_BYTES - 1) / 2)));
    assert!(!format!("{error:?}").contains('é'));
}

/// RFC 8259: white space around is fine, and a byte order mark may be skipped.
#[tokio::test]
async fn white_space_and_a_byte_order_mark_do_no_harm() {
    let stage = Stage::new().await;
    let good = response(OK);
    for body in [
        format!(" \r\n\t{good}\n\n"),
        format!("\u{feff}{good}"),
        good.replace(',', " ,\n").replace(':', "\t: "),
        // Escaped names and values are the same names and values.
        good.replace("jsonrpc", r"\u006asonrpc")
            .replace("2.0", r"2\u002e0")
            .replace("result\"", r#"resul\u0074""#),
    ] {
        let outcome = stage.ends(&Canned::json(body.as_str()), crate::stage::SUCCESS).await;
        assert_eq!(notes(&outcome), [""; 0], "{body}");
    }
}

#[tokio::test]
async fn two_answers_in_one_body_are_none() {
    let stage = Stage::new().await;
    let good = response(OK);
    // On a stream they would be one event of two lines, which is no JSON; as JSON it is malformed.
    let reply = Canned::json(format!("{good}{good}"));
    stage.assert_ends(&reply, MALFORMED_JSON).await;
    is_refused(
        &stage,
        &format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{OK},"result":{OK}}}"#),
        crate::stage::INVALID_ENVELOPE,
        &super::envelope(mcp_client::error::EnvelopeFault::DuplicateMember("result")),
        &[],
    )
    .await;
}
