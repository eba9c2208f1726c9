//! What a server tells while a call runs, and how that moves its end.

use std::time::Duration;

use mcp_tests::{Reply, Step};
use serde_json::{Value, json};

use crate::{
    calls::TempFile,
    program::{ANSWER, finish, posts, posts_of, run, serve, start},
    rounds::asks,
};

fn progress(params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{{{{id}}}},{params}}}}}"#
    )
}

fn log(params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }).to_string()
}

/// Progress of all kinds, log messages, and the answer.
fn told() -> Reply {
    Reply::sse(&[
        progress(r#""progress":1,"total":4,"message":"reading\nthe\u001b[2J index""#),
        log(&json!({ "level": "info", "logger": "db\u{7}", "data": "slow\u{1b}[31m" })),
        log(&json!({ "level": "debug", "data": "not asked for" })),
        progress(r#""progress":2.5"#),
        progress(r#""progress":1e300,"total":1e301"#),
        log(&json!({ "level": "error", "data": { "disk": [1, 2] } })),
        ANSWER.to_owned(),
    ])
}

/// Not a terminal: a line each, on standard error.
#[tokio::test]
async fn progress_and_log_messages_are_a_line_each() {
    let server = serve([told()]).await;
    let shown = run(&[&server.url(), "x", "--progress"]);
    assert_eq!((shown.code, shown.stdout.as_str()), (0, "ok\n"), "{shown:?}");
    let expected = "progress: 1 of 4: reading\u{FFFD}the\u{FFFD}[2J index\n\
                    log: info: db\u{FFFD}: slow\u{FFFD}[31m\n\
                    progress: 2.5\n\
                    progress: 1e300 of 1e301\n\
                    log: error: {\"disk\":[1,2]}\n";
    assert_eq!(shown.stderr, expected);
    let meta = &posts(&server, 1)[0]["params"]["_meta"];
    assert_eq!(meta["progressToken"], 1);
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "info");
}

/// Who does not ask is told nothing, and asks for nothing.
#[tokio::test]
async fn without_the_flag_nothing_is_asked_for() {
    let server = serve([told()]).await;
    let shown = run(&[&server.url(), "x"]);
    assert_eq!((shown.code, shown.stdout.as_str(), shown.stderr.as_str()), (0, "ok\n", ""));
    let meta = &posts(&server, 1)[0]["params"]["_meta"];
    assert_eq!((meta.get("progressToken"), meta.get("io.modelcontextprotocol/logLevel")), (None, None));
}

/// What is longer than anybody reads is cut.
#[tokio::test]
async fn long_messages_are_cut() {
    let long = "x".repeat(100_000);
    let events = [log(&json!({ "level": "info", "data": long })), ANSWER.to_owned()];
    let server = serve([Reply::sse(&events)]).await;
    let shown = run(&[&server.url(), "x", "--progress", "--json"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert_eq!(shown.stderr, format!("log: info: {}\n", "x".repeat(1_000)));
}

#[cfg(unix)]
#[tokio::test]
async fn on_a_terminal_progress_is_a_bar() {
    let pause = || Step::Pause(Duration::from_millis(150));
    let reply = Reply::sse(&[progress(r#""progress":1,"total":4,"message":"reading\u001b[2J""#)])
        .unfinished()
        .then(pause())
        .then(Step::event(&log(&json!({ "level": "info", "data": "slow" }))))
        .then(Step::event(&progress(r#""progress":3,"total":4"#)))
        .then(pause())
        .then(Step::event(&progress(r#""progress":9,"message":"no end in sight""#)))
        .then(pause())
        .then(Step::event(ANSWER))
        .then(Step::LastChunk);
    let server = serve([reply]).await;
    let shown = crate::program::run_on_terminal(&[&server.url(), "x", "--progress"]);
    assert_eq!((shown.code, shown.stdout.as_str()), (0, "ok\n"), "{shown:?}");
    for part in
        ["[=======>", "] 1 of 4 reading\u{FFFD}[2J", "log: info: slow\r\n", "] 3 of 4", " 9 no end in sight"]
    {
        assert!(shown.stderr.contains(part), "{part:?} in {:?}", shown.stderr);
    }
    // Nothing is left of the bar.
    assert!(shown.stderr.ends_with("\r\u{1b}[2K"), "{:?}", shown.stderr);
}

/// Lists and later rounds are watched, too; so is a call that another process has begun.
#[tokio::test]
async fn every_request_is_watched() {
    let seen = |events: &[String]| Reply::sse(events);
    let tools = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[]}}"#.to_owned();
    let server = serve([seen(&[progress(r#""progress":1"#), tools])]).await;
    let shown = run(&[&server.url(), "--list", "--progress"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, "progress: 1\n"), "{shown:?}");
    posts_of(&server, &["tools/list"]);

    let answered = || seen(&[progress(r#""progress":2"#), ANSWER.to_owned()]);
    let server = serve([asks(&["k"], Some("s")), answered()]).await;
    let shown = run(&[&server.url(), "x", "--progress", "--answer", "k={}"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, "progress: 2\n"), "{shown:?}");

    let server = serve([asks(&["k"], Some("s")), answered()]).await;
    let file = TempFile::absent("watched.json");
    assert_eq!(run(&[&server.url(), "x", "--suspend", file.path()]).code, 3);
    let shown = run(&[&server.url(), "--resume", file.path(), "--progress", "--answer", "k={}"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, "progress: 2\n"), "{shown:?}");
    let posts = posts(&server, 2);
    assert_eq!(posts[1]["params"]["_meta"]["progressToken"], posts[1]["id"]);
    assert_ne!(posts[0]["id"], posts[1]["id"], "a new id, also in another process");
}

/// Six reports, 0.4 s each: longer than the timeout in all, and each begins it anew.
fn slow() -> Reply {
    let mut reply = Reply::sse(&[progress(r#""progress":0"#)]).unfinished();
    for _ in 0..6 {
        let report = Step::event(&progress(r#""progress":1"#));
        reply = reply.then(Step::Pause(Duration::from_millis(400))).then(report);
    }
    reply.then(Step::event(ANSWER)).then(Step::LastChunk)
}

#[tokio::test]
async fn progress_moves_the_end_where_it_is_asked_for() {
    let mut running = Vec::new();
    for (flags, outcome, code) in [
        (&["--timeout", "2"][..], "TIMEOUT", 7),
        (&["--timeout", "2", "--progress"], "TOOL_SUCCESS", 0),
        (&["--timeout", "2", "--max-timeout", "30"], "TOOL_SUCCESS", 0),
        (&["--timeout", "1.9", "--max-timeout", "2"], "TIMEOUT", 7),
        (&["--timeout", "1.9", "--max-timeout", "2", "--progress"], "TIMEOUT", 7),
        (&["--timeout", "30", "--max-timeout", "0.5"], "TIMEOUT", 7),
    ] {
        let server = serve([slow()]).await;
        let child = start(&[&[server.url().as_str(), "x", "--json"], flags].concat());
        running.push((server, child, flags, outcome, code));
    }
    for (server, child, flags, outcome, code) in running {
        let run = finish(child);
        assert_eq!((run.line()["outcome"].as_str(), run.code), (Some(outcome), code), "{flags:?}: {run:?}");
        let asked = posts(&server, 1)[0]["params"]["_meta"].get("progressToken").is_some();
        assert_eq!(asked, flags.len() > 2, "{flags:?}");
    }
}
