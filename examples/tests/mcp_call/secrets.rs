//! What is printed holds no secrets, however much is asked for.

use std::net::ToSocketAddrs as _;

use mcp_tests::{Reply, Step};

use crate::{
    calls::TempFile,
    program::{ANSWER, Run, run_with, serve},
};

const TOKEN: &str = "s3cret-token";
const HEADER: &str = "X-Api-Key: s3cret-header";
const ARGUMENTS: &str = r#"{"password":"s3cret-argument"}"#;

fn run(url: &str, flags: &[&str]) -> Run {
    let words = [url, "x", ARGUMENTS, "--era", "modern", "--retry", "never", "--bearer-env", "TOKEN_OF_TEST"];
    run_with(&[&words, &["--header", HEADER][..], flags].concat(), "", &[("TOKEN_OF_TEST", TOKEN)])
}

#[tokio::test]
async fn the_trace_shows_what_was_sent_and_received_without_secrets() {
    let asks = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s3cret-state"}}"#;
    let refused =
        r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"no","data":"s3cret-data"}}"#;
    let cookie = |reply: Reply| {
        reply.header("Set-Cookie", "id=s3cret-cookie").header("Mcp-Session-Id", "s3cret-session")
    };
    for (what, script, code, trace) in [
        (
            "success",
            vec![cookie(Reply::json(200, ANSWER))],
            0,
            &["POST tools/call x (id 1) -> 200 application/json"][..],
        ),
        (
            "two rounds",
            vec![Reply::json(200, asks), cookie(Reply::sse(&[ANSWER]))],
            0,
            &["(id 1) -> 200 application/json", "(id 2) -> 200 text/event-stream"],
        ),
        ("JSON-RPC error", vec![cookie(Reply::json(200, refused))], 5, &["(id 1) -> 200"]),
        ("HTTP error", vec![cookie(Reply::json(403, "s3cret-body"))], 4, &["(id 1) -> 403"]),
        ("no JSON", vec![cookie(Reply::json(200, "s3cret-body"))], 6, &["(id 1) -> 200"]),
        (
            "a redirect",
            vec![Reply::status(302).header("Location", "/?key=s3cret-location")],
            4,
            &["(id 1) -> 302"],
        ),
        ("nothing", vec![Reply::steps([Step::Close])], 7, &["(id 1) -> no answer"]),
    ] {
        for flags in [&["-v"][..], &["-vv"], &["-v", "-v", "--scenario", "label"]] {
            let server = serve(script.clone()).await;
            let run = run(&format!("{}?key=s3cret-query", server.url()), flags);
            assert_eq!(run.code, code, "{what}: {run:?}");
            for line in trace {
                assert!(run.stderr.contains(line), "{what}: {line} in {}", run.stderr);
            }
            let posts = run.stderr.lines().filter(|line| line.starts_with("POST ")).count();
            assert_eq!(posts, server.requests().len(), "{what}: a line for each POST: {}", run.stderr);
            for output in [&run.stdout, &run.stderr] {
                assert!(!output.contains("s3cret"), "{what} {flags:?}: {output}");
            }
            let sent = &server.requests()[0];
            assert_eq!(sent.header("authorization"), Some("Bearer s3cret-token"));
            assert_eq!(sent.header("x-api-key"), Some("s3cret-header"));
        }
    }
}

/// Whether that name has an address, which it must not have.
fn resolves(url: &str) -> bool {
    url.contains("nope.invalid") && ("nope.invalid", 80).to_socket_addrs().is_ok()
}

/// Connections that fail know the URL; it is not told with its query.
#[tokio::test]
async fn errors_of_connections_do_not_tell_the_query() {
    for url in ["http://127.0.0.1:1/mcp?key=s3cret-query", "http://nope.invalid/?key=s3cret-query"] {
        for flags in [&["-vv"][..], &["-vv", "--json"]] {
            let run = run(url, flags);
            // Some resolvers answer for names that do not exist.
            assert!(run.code == 7 || resolves(url), "{run:?}");
            assert!(!format!("{run:?}").contains("s3cret"), "{run:?}");
        }
    }
}

/// The JSON line holds what the server said, since that is what was asked for, and nothing of what was sent.
#[tokio::test]
async fn the_json_line_holds_nothing_of_the_request() {
    for reply in [
        Reply::json(200, ANSWER),
        Reply::json(401, "no").header("Set-Cookie", "s3cret-cookie"),
        Reply::status(202),
    ] {
        let server = serve([reply]).await;
        let run = run(&format!("{}?key=s3cret-query", server.url()), &["--json", "-vv"]);
        assert!(!format!("{run:?}").contains("s3cret"), "{run:?}");
        assert_eq!(server.requests().len(), 1);
    }
}

/// A mistake on the command line is explained without repeating its secrets.
#[test]
fn usage_errors_do_not_repeat_secrets() {
    let url = "http://127.0.0.1:1/";
    let changed = TempFile::new("changed.json", r#"{"version":"s3cret","server":"s3cret"}"#);
    for words in [
        &["http://user:s3cret@127.0.0.1/", "x"][..],
        &[url, "x", "--header", "Authorization: s3cret\u{7f}"],
        &[url, "x", "--header", "Mcp-Session-Id: s3cret"],
        &[url, "x", "--header", "Authorization s3cret"],
        &[url, "x", "--header", ": s3cret"],
        &[url, "x", "--header", "no name: s3cret"],
        &[url, "x", "--headr", "Authorization: s3cret"],
        &[url, "x", "--headr=Authorization: s3cret"],
        &[url, "x", "--bearer-env", "s3cret"],
        &[url, "x", r#"["s3cret"]"#],
        &[url, "x", r#"{"password":"s3cret"#],
        &[url, "x", r#"{"password":s3cret}"#],
        &[url, "x", "{}", r#"{"password":"s3cret"}"#],
        &[url, "x", "{}", "more", "s3cret"],
        &["--kitchen", "baseline", "x", "{}", "s3cret"],
        &[url, "x", "--answer", r#"k={"password":"s3cret"#],
        &[url, "x", "--answer", r#"{"password":"s3cret"}"#],
        &[url, "--resume", changed.path()],
        &[url, "s3cret", "--resume", changed.path()],
    ] {
        let run = run_with(words, "", &[]);
        assert_eq!(run.code, 2, "{words:?}: {run:?}");
        assert!(!format!("{run:?}").contains("s3cret"), "{run:?}");
        assert!(!run.stderr.trim().is_empty(), "{words:?}: it says why");
    }
}
