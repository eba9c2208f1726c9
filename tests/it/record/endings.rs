//! Every ending, member by member.

use std::time::Duration;

use mcp_client::types::Implementation;
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::json;

use super::{Diary, Line, line};
use crate::stage::{Canned, Stage};
use crate::support::record;

pub(super) fn info() -> Implementation {
    Implementation::new("agent", "1.2.0")
}

const HTTP: &str = "the server answered with HTTP status";
pub(super) const NO_ENVELOPE: &str = "the answer is not a JSON-RPC response to this call:";

/// What the server answers, and the record of the call.
#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<(Canned, Line)> {
    let protocol = |outcome: &'static str, message: &str| Line {
        outcome,
        layer: "protocol",
        message: message.to_owned(),
        delivery: "unknown",
        ..Line::default()
    };
    let http = |status: &'static str, delivery: &'static str| Line {
        statuses: status,
        outcome: "HTTP_ERROR",
        layer: "transport",
        message: format!("{HTTP} {status}"),
        delivery,
        content_type: "null",
        ..Line::default()
    };
    let success = || Line {
        result_type: "\"complete\"",
        outcome: "TOOL_SUCCESS",
        layer: "application",
        ..Line::default()
    };
    vec![
        (Canned::result(r#"{"resultType":"complete","content":[]}"#), success()),
        // What is assumed is told apart by its note.
        (
            Canned::result(r#"{"content":[7],"_meta":[],"x":1,"x":2}"#),
            Line {
                notes: r#""missing-result-type","unknown-content-block","duplicate-member:x","dropped-hint:_meta""#,
                ..success()
            },
        ),
        (
            Canned::result(r#"{"resultType":"complete","content":[],"isError":true}"#),
            Line { outcome: "TOOL_ERROR", ..success() },
        ),
        (
            Canned::result(
                r#"{"resultType":"input_required","inputRequests":{"k":7,"l":{"method":"roots/list"}}}"#,
            ),
            Line {
                result_type: "\"input_required\"",
                outcome: "INPUT_REQUIRED",
                layer: "interaction",
                notes: r#""unknown-input-request","undeclared-input-request""#,
                ..success()
            },
        ),
        (Canned::new(404, "", ""), http("404", "refused")),
        (Canned::new(503, "", ""), http("503", "unknown")),
        (
            Canned::new(429, "Text/HTML; charset=utf-8", "<b>").header("Retry-After", "soon"),
            Line {
                content_type: "\"text/html\"",
                notes: r#""unreadable-retry-after""#,
                ..http("429", "refused")
            },
        ),
        (
            Canned::new(
                400,
                "application/json",
                r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32000,"message":"Bad \"x\"\n","data":"secret"}}"#,
            ),
            Line {
                code: "-32000",
                message: r#"Bad \"x\"\n"#.to_owned(),
                content_type: "\"application/json\"",
                notes: r#""foreign-error-id""#,
                ..http("400", "refused")
            },
        ),
        (
            Canned::new(
                500,
                "application/json",
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":7,"message":"m"}}"#,
            ),
            Line {
                code: "7",
                message: "m".to_owned(),
                content_type: "\"application/json\"",
                ..http("500", "answered")
            },
        ),
        (
            Canned::json(
                r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"Invalid params","data":"secret"}}"#,
            ),
            Line { code: "-32602", delivery: "answered", ..protocol("JSONRPC_ERROR", "Invalid params") },
        ),
        (
            Canned::json(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}"#),
            Line {
                code: "-32700",
                delivery: "answered",
                notes: r#""missing-error-id""#,
                ..protocol("JSONRPC_ERROR", "<empty>")
            },
        ),
        (Canned::json("{secret"), protocol("MALFORMED_JSON", "the answer is not JSON")),
        (Canned::json("[]"), protocol("INVALID_ENVELOPE", &format!("{NO_ENVELOPE} it is not one object"))),
        (
            Canned::result(r#"{"content":"secret"}"#),
            Line {
                notes: r#""missing-result-type""#,
                ..protocol(
                    "INVALID_TOOL_RESULT",
                    "the result is invalid at `result.content`: it is not a list",
                )
            },
        ),
        (
            Canned::new(200, "text/html", "secret"),
            Line {
                content_type: "\"text/html\"",
                ..protocol(
                    "UNEXPECTED_CONTENT",
                    "the answer has a media type that is neither JSON nor an event stream",
                )
            },
        ),
        (
            Canned::new(202, "", ""),
            Line {
                statuses: "202",
                content_type: "null",
                ..protocol("NO_ANSWER", "the server accepted the request and sent no answer")
            },
        ),
    ]
}

#[tokio::test]
async fn c_27_c_49_every_ending_is_one_compact_line() {
    for (reply, expected) in rows() {
        let diary = Diary::default();
        let observer = diary.clone();
        let stage = Stage::with(|builder| builder.client_info(info()).observer(observer)).await;
        stage.answers(&reply);
        let call =
            stage.client.call_tool("x").arguments(json!({ "pin": "secret" })).header("X-Key", "secret");
        let outcome = call.meta("com.example/key", "secret").send().await;
        let text = line(record(&outcome));
        assert_eq!(text, expected.text().replace("<empty>", ""), "{reply:?}");
        assert!(!text.contains("secret"), "{text}");
        let told = diary.take();
        assert_eq!(told.len(), 1, "the observer is told once: {reply:?}");
        assert_eq!(&told[0], record(&outcome), "{reply:?}");
        assert_eq!(stage.count(), 1);
    }
}

#[tokio::test]
async fn endings_without_an_answer() {
    let failed = |outcome: &'static str, message: &str| Line {
        outcome,
        layer: "transport",
        message: message.to_owned(),
        statuses: "",
        delivery: "unknown",
        content_type: "null",
        ..Line::default()
    };
    let rows = [
        (
            Reply::steps([Step::Close]),
            failed("TRANSPORT_ERROR", "the connection broke before an answer came"),
        ),
        (Reply::steps([Step::AwaitClientClose]), failed("TIMEOUT", "no answer came within 1s")),
        (
            Reply::json(200, r#"{"jsonrpc":"2.0"}"#).content_length(500),
            Line {
                statuses: "200",
                content_type: "\"application/json\"",
                ..failed("STREAM_INCOMPLETE", "the answer broke off")
            },
        ),
        (
            Reply::json(200, "[]").content_length(1 << 40),
            Line {
                statuses: "200",
                content_type: "\"application/json\"",
                ..failed("TRANSPORT_ERROR", "the answer is larger than 67108864 bytes (`max_body_bytes`)")
            },
        ),
    ];
    for (reply, expected) in rows {
        let server = FaultServer::start([reply]).await.unwrap();
        let diary = Diary::default();
        let builder = crate::support::once(&server.url()).client_info(info()).observer(diary.clone());
        let outcome = builder.timeout(Duration::from_secs(1)).build().unwrap().call_tool("x").send().await;
        assert_eq!(line(record(&outcome)), expected.text());
        assert_eq!(diary.take(), [record(&outcome).clone()]);
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn endings_before_anything_was_sent() {
    let not_sent = |outcome: &'static str, layer: &'static str, message: &str| Line {
        posts: 0,
        statuses: "",
        outcome,
        layer,
        message: message.to_owned(),
        delivery: "notSent",
        content_type: "null",
        ..Line::default()
    };
    // A port that was free a moment ago.
    let url = FaultServer::start([]).await.unwrap().url();
    let diary = Diary::default();
    let client = crate::support::once(&url).client_info(info()).observer(diary.clone()).build().unwrap();
    let outcome = client.call_tool("x").send().await;
    let expected = not_sent("TRANSPORT_ERROR", "transport", "no connection to the server could be made");
    assert_eq!(line(record(&outcome)), expected.text());
    assert_eq!(diary.take(), [record(&outcome).clone()]);

    let outcome = client.call_tool("x").arguments(7).scenario("label").send().await;
    let expected = Line {
        id: "null",
        scenario: "\"label\"",
        ..not_sent("INVALID_CALL", "local", "invalid call, not sent: the arguments are not a JSON object")
    };
    assert_eq!(line(record(&outcome)), expected.text());
    assert_eq!(diary.take(), [record(&outcome).clone()]);
}
