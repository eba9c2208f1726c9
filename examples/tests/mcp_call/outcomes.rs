//! What came back: outcome, exit code, number of POSTs, and the facts of the error.

mod seed;

use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};

use crate::program::{ANSWER, Run, call, posts, run, serve};

/// The facts that all lines have, and those of one case as JSON pointers.
#[track_caller]
pub(crate) fn assert_line(what: &str, run: &Run, expected: &Expected<'_>) -> Value {
    let line = run.line();
    let (layer, delivery) = expected.where_it_failed;
    assert_eq!(line["outcome"], expected.outcome, "{what}: {line}");
    assert_eq!(run.code, expected.code, "{what}: {line}");
    assert_eq!((&line["layer"], &line["delivery"]), (&json!(layer), &json!(delivery)), "{what}: {line}");
    assert_eq!(line["httpStatuses"], json!(expected.statuses), "{what}");
    assert_eq!(line["postCount"], expected.posts, "{what}");
    assert_eq!((&line["method"], &line["tool"]), (&json!("tools/call"), &json!("x")), "{what}");
    assert_eq!(
        (&line["retryOrigin"], &line["protocolVersion"]),
        (&json!("none"), &json!("2026-07-28")),
        "{what}"
    );
    assert!(line["client"].as_str().unwrap().starts_with("mcp-call@"), "{what}");
    for (pointer, value) in expected.facts {
        assert_eq!(line.pointer(pointer).unwrap_or(&Value::Null), value, "{what}: {pointer} of {line}");
    }
    line
}

pub(crate) struct Expected<'a> {
    pub(crate) outcome: &'a str,
    pub(crate) code: i32,
    pub(crate) where_it_failed: (&'a str, &'a str),
    pub(crate) statuses: &'a [u16],
    pub(crate) posts: usize,
    pub(crate) facts: &'a [(&'a str, Value)],
}

/// One POST, answered with that status.
pub(crate) fn expect<'a>(
    outcome: &'a str,
    statuses: &'a [u16],
    delivery: &'a str,
    facts: &'a [(&'a str, Value)],
) -> Expected<'a> {
    let (code, layer) = match outcome {
        "TOOL_SUCCESS" => (0, "application"),
        "TOOL_ERROR" => (1, "application"),
        "INPUT_REQUIRED" => (3, "interaction"),
        "HTTP_ERROR" => (4, "transport"),
        "JSONRPC_ERROR" => (5, "protocol"),
        "STREAM_INCOMPLETE" | "TIMEOUT" | "TRANSPORT_ERROR" => (7, "transport"),
        "CANCELLED" => (9, "local"),
        _ => (6, "protocol"),
    };
    Expected { outcome, code, where_it_failed: (layer, delivery), statuses, posts: 1, facts }
}

/// Runs one case, and looks at what the server received: one POST.
async fn case(what: &str, reply: Reply, expected: &Expected<'_>) -> Value {
    let server = serve([reply]).await;
    let line = assert_line(what, &call(&server, &[]), expected);
    posts(&server, 1);
    line
}

fn result(result: &str) -> Reply {
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn what_servers_get_wrong() {
    let refusal = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Bad Request"}}"#;
    let quota = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Quota exceeded"}}"#;
    let foreign = r#"{"jsonrpc":"2.0","id":99,"result":{"resultType":"complete","content":[]}}"#;
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let early = format!("id: 7\nretry: 1\ndata: {progress}\n\nid: 8\ndata: {{\"jsonrpc\"");
    for (what, reply, expected) in [
        (
            "a 400 without an id",
            Reply::json(400, refusal),
            expect(
                "HTTP_ERROR",
                &[400],
                "refused",
                &[
                    ("/error/http/status", json!(400)),
                    ("/error/rpc", json!({ "code": -32600, "message": "Bad Request" })),
                    ("/jsonrpc/errorCode", json!(-32600)),
                ],
            ),
        ),
        (
            "a 202",
            Reply::status(202),
            expect("NO_ANSWER", &[202], "unknown", &[("/error/http/status", json!(202))]),
        ),
        (
            "a foreign id before the answer",
            Reply::sse(&[foreign, ANSWER]),
            expect(
                "TOOL_SUCCESS",
                &[200],
                "answered",
                &[
                    (
                        "/sse",
                        json!({ "events": 2, "terminalResponse": true, "skipped": 1, "closeCause": "answered" }),
                    ),
                    ("/result/content/0/text", json!("ok")),
                    ("/contentType", json!("text/event-stream")),
                ],
            ),
        ),
        (
            "a stream with event ids that ends early",
            Reply::sse_bytes(early),
            expect(
                "STREAM_INCOMPLETE",
                &[200],
                "unknown",
                &[(
                    "/sse",
                    json!({ "events": 1, "terminalResponse": false, "skipped": 0, "closeCause": "ended" }),
                )],
            ),
        ),
        (
            "tools in the result of a tool",
            result(r#"{"resultType":"complete","content":[],"tools":[]}"#),
            expect(
                "TOOL_SUCCESS",
                &[200],
                "answered",
                &[("/result", json!({ "resultType": "complete", "content": [], "tools": [] }))],
            ),
        ),
        (
            "a block of an unknown type",
            result(r#"{"resultType":"complete","content":[{"type":"hologram","n":1},{"type":"text"},42]}"#),
            expect(
                "TOOL_SUCCESS",
                &[200],
                "answered",
                &[
                    ("/result/content", json!([{ "type": "hologram", "n": 1 }, { "type": "text" }, 42])),
                    ("/notes", json!(["unknown-content-block"])),
                ],
            ),
        ),
        (
            "a 429",
            Reply::json(429, quota).header("Retry-After", "7"),
            expect(
                "HTTP_ERROR",
                &[429],
                "refused",
                &[
                    ("/error/http/status", json!(429)),
                    ("/error/http/retryAfterMs", json!(7000)),
                    ("/error/http/headers/retry-after", json!("7")),
                    ("/error/rpc", json!({ "code": -32000, "message": "Quota exceeded" })),
                ],
            ),
        ),
        (
            "a 401",
            Reply::json(401, quota).header("WWW-Authenticate", "Bearer scope=\"a b\""),
            expect(
                "HTTP_ERROR",
                &[401],
                "refused",
                &[
                    ("/error/http/headers/www-authenticate", json!("Bearer scope=\"a b\"")),
                    ("/error/rpc/code", json!(-32000)),
                ],
            ),
        ),
        (
            "a page",
            Reply::json(200, "<html>").header("Content-Type", "text/html"),
            expect(
                "UNEXPECTED_CONTENT",
                &[200],
                "unknown",
                &[("/error/excerpt", json!("<html>")), ("/contentType", json!("text/html"))],
            ),
        ),
        (
            "a redirect to elsewhere",
            Reply::status(307).header("Location", "https://elsewhere.example/"),
            expect(
                "HTTP_ERROR",
                &[307],
                "refused",
                &[("/error/http/headers/location", json!("https://elsewhere.example/"))],
            ),
        ),
        (
            "an answer that is cut",
            Reply::json(200, ANSWER).cut_at(120),
            expect("STREAM_INCOMPLETE", &[200], "unknown", &[("/sse", Value::Null)]),
        ),
        ("no answer at all", Reply::steps([Step::Close]), expect("TRANSPORT_ERROR", &[], "unknown", &[])),
    ] {
        case(what, reply, &expected).await;
    }
}

/// A result comes out as it came in: no number loses a digit, no member its place.
#[tokio::test]
async fn the_result_is_that_of_the_server() {
    let text = r#"{"resultType":"complete","content":[],"structuredContent":{"z":1,"a":12345678901234567890123.5},"_meta":{"x":1.10}}"#;
    let server = serve([result(text)]).await;
    let run = call(&server, &[]);
    assert_eq!(run.code, 0);
    assert!(
        run.stdout.contains(r#""structuredContent":{"z":1,"a":12345678901234567890123.5}"#),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains(r#""_meta":{"x":1.10}"#), "{}", run.stdout);
}

#[test]
fn a_server_that_is_not_there() {
    // Nothing listens on port 1.
    let run = run(&["http://127.0.0.1:1/mcp", "x", "--json", "--retry", "never"]);
    let expected = Expected { posts: 0, ..expect("TRANSPORT_ERROR", &[], "notSent", &[]) };
    assert_line("refused", &run, &expected);
}

#[tokio::test]
async fn time_that_runs_out() {
    let server = serve([Reply::steps([Step::AwaitClientClose])]).await;
    assert_line("time", &call(&server, &["--timeout", "0.3"]), &expect("TIMEOUT", &[], "unknown", &[]));
    server.client_closed().await.unwrap();
    posts(&server, 1);
}

/// For a person: the text on standard output, everything about it on standard error.
#[tokio::test]
async fn what_a_person_reads() {
    let says = async |reply: Reply| {
        let server: FaultServer = serve([reply]).await;
        run(&[&server.url(), "x", "--era", "modern", "--retry", "never"])
    };
    let run = says(Reply::json(200, ANSWER)).await;
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "ok\n", ""));

    let failed = r#"{"content":[{"type":"text","text":"no such city"}],"isError":true}"#;
    let run = says(result(failed)).await;
    assert_eq!((run.code, run.stdout.as_str()), (1, "no such city\n"));
    assert!(run.stderr.contains("application layer"), "{}", run.stderr);

    let quota = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Quota \u001b[31mexceeded"}}"#;
    let run = says(Reply::json(429, quota).header("Retry-After", "7")).await;
    assert_eq!((run.code, run.stdout.as_str()), (4, ""));
    for part in
        ["transport layer", "HTTP status 429", "exceeded", "wait for 7 s", "was refused, so nothing was done"]
    {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(!run.stderr.contains('\u{1b}'), "text of a server does not steer the terminal: {:?}", run.stderr);

    let run = says(Reply::json(200, "{unclosed")).await;
    assert_eq!((run.code, run.stdout.as_str()), (6, ""));
    assert!(
        run.stderr.contains("protocol layer") && run.stderr.contains("may have been carried out"),
        "{}",
        run.stderr
    );
}
