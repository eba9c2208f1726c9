//! The cases that the design started from, under the numbers of its catalogue.

use mcp_tests::Reply;
use serde_json::{Value, json};

use super::{assert_line, case, expect, result};
use crate::program::{ANSWER, call, posts, serve};

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn the_seed_cases() {
    let ok = r#"{"resultType":"complete","content":[{"type":"text","text":"ok"}]}"#;
    let error =
        r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"Invalid params","data":{"a":1}}}"#;
    let asks = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}}}"#;
    for (what, reply, expected) in [
        (
            "c_16 a complete result",
            result(ok),
            expect(
                "TOOL_SUCCESS",
                &[200],
                "answered",
                &[
                    ("/resultType", json!("complete")),
                    ("/result/content/0/text", json!("ok")),
                    ("/contentType", json!("application/json")),
                    ("/notes", json!([])),
                    ("/errorMessage", Value::Null),
                    ("/error", Value::Null),
                ],
            ),
        ),
        (
            "c_18 a JSON-RPC error in a 200",
            Reply::json(200, error),
            expect(
                "JSONRPC_ERROR",
                &[200],
                "answered",
                &[
                    (
                        "/error/rpc",
                        json!({ "code": -32602, "message": "Invalid params", "data": { "a": 1 } }),
                    ),
                    ("/error/http/status", json!(200)),
                    ("/jsonrpc", json!({ "id": 1, "errorCode": -32602 })),
                    ("/errorMessage", json!("Invalid params")),
                    ("/errorData", Value::Null),
                ],
            ),
        ),
        (
            "c_19 the tool's own error",
            result(r#"{"resultType":"complete","content":[{"type":"text","text":"no"}],"isError":true}"#),
            expect(
                "TOOL_ERROR",
                &[200],
                "answered",
                &[
                    ("/result/isError", json!(true)),
                    ("/result/content/0/text", json!("no")),
                    ("/jsonrpc/errorCode", Value::Null),
                ],
            ),
        ),
        (
            "c_20 a 500 that looks like a success",
            Reply::json(500, ANSWER),
            expect(
                "HTTP_ERROR",
                &[500],
                "unknown",
                &[
                    ("/error/http/status", json!(500)),
                    ("/error/http/headers/content-type", json!("application/json")),
                    ("/error/rpc", Value::Null),
                    ("/result", Value::Null),
                    ("/resultType", Value::Null),
                ],
            ),
        ),
        (
            "c_21 no JSON",
            Reply::json(200, "{unclosed"),
            expect(
                "MALFORMED_JSON",
                &[200],
                "unknown",
                &[
                    ("/error/excerpt", json!("{unclosed")),
                    ("/jsonrpc", json!({ "id": 1, "errorCode": null })),
                ],
            ),
        ),
        (
            "c_22 a result and an error",
            Reply::json(
                200,
                r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[]},"error":{"code":1,"message":"m"}}"#,
            ),
            expect("INVALID_ENVELOPE", &[200], "unknown", &[("/error/rpc", Value::Null)]),
        ),
        (
            "c_23 the id of another request",
            Reply::json(200, r#"{"jsonrpc":"2.0","id":99,"result":{"content":[]}}"#),
            expect(
                "INVALID_ENVELOPE",
                &[200],
                "unknown",
                &[
                    ("/jsonrpc/id", json!(1)),
                    ("/error/excerpt", json!(r#"{"jsonrpc":"2.0","id":99,"result":{"content":[]}}"#)),
                ],
            ),
        ),
        (
            "c_24 a request for input",
            result(asks),
            expect(
                "INPUT_REQUIRED",
                &[200],
                "answered",
                &[
                    ("/resultType", json!("input_required")),
                    ("/inputRequests/k/method", json!("elicitation/create")),
                    ("/result", Value::Null),
                    ("/error", Value::Null),
                ],
            ),
        ),
        (
            "c_25 no resultType",
            result(r#"{"content":[{"type":"text","text":"ok"}]}"#),
            expect(
                "TOOL_SUCCESS",
                &[200],
                "answered",
                &[
                    ("/resultType", json!("complete")),
                    ("/notes", json!(["missing-result-type"])),
                    ("/result/resultType", Value::Null),
                ],
            ),
        ),
        (
            "c_26 content that is a text",
            result(r#"{"resultType":"complete","content":"ok"}"#),
            expect("INVALID_TOOL_RESULT", &[200], "unknown", &[("/resultType", Value::Null)]),
        ),
    ] {
        let line = case(what, reply, &expected).await;
        assert_eq!(line.get("continuation").is_some(), expected.outcome == "INPUT_REQUIRED", "{what}");
        assert_eq!(line.get("error").is_some(), !matches!(expected.code, 0 | 1 | 3), "{what}");
        let said = line.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(
            said.contains("result.content"),
            expected.outcome == "INVALID_TOOL_RESULT",
            "{what}: {said}"
        );
    }
}

/// C-17: no repetition that nobody asked for. A second call is a second run.
#[tokio::test]
async fn c_17_a_503_is_one_post_and_the_next_call_another() {
    let server = serve([Reply::status(503), Reply::json(200, ANSWER)]).await;
    let facts = [("/error/http", json!({ "status": 503, "retryAfterMs": null, "headers": {} }))];
    assert_line("first", &call(&server, &[]), &expect("HTTP_ERROR", &[503], "unknown", &facts));
    posts(&server, 1);
    assert_line("second", &call(&server, &[]), &expect("TOOL_SUCCESS", &[200], "answered", &[]));
    posts(&server, 2);
}
