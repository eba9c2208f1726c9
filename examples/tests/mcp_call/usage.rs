//! Command lines that make no call: exit code 2, the reason on standard error, and nothing sent.

use mcp_tests::Reply;

use crate::{
    calls::TempFile,
    program::{ANSWER, run, run_with, serve},
};

#[tokio::test]
async fn what_is_no_call_is_not_sent() {
    let server = serve([Reply::json(200, ANSWER)]).await;
    let url = server.url();
    let url = url.as_str();
    let broken = TempFile::new("broken.json", "{unclosed");
    let foreign = TempFile::new("foreign.json", r#"{"version":99}"#);
    let at_broken = format!("@{}", broken.path());
    for words in [
        &[][..],
        &[url],
        &[url, "x", "{}", "more"],
        &[url, "x", "--no-such-flag"],
        &[url, "x", "{unclosed"],
        &[url, "x", ""],
        &[url, "x", &at_broken],
        &[url, "x", "@/no/such/file"],
        &[url, "x", "-"],
        &["no url", "x"],
        &["ftp://127.0.0.1/", "x"],
        &["http://user:pass@127.0.0.1/", "x"],
        &[url, "x", "--header", "no colon"],
        &[url, "x", "--header", "Content-Type: text/plain"],
        &[url, "x", "--header", "Mcp-Session-Id: 1"],
        &[url, "x", "--bearer-env", "NO_SUCH_VARIABLE_HERE"],
        &[url, "x", "--timeout", "soon"],
        &[url, "x", "--timeout=-1"],
        &[url, "x", "--timeout", "1e400"],
        &[url, "x", "--max-body", "-1"],
        &[url, "x", "--era", "stone"],
        &[url, "x", "--capability", "teleport"],
        &[url, "x", "--answer", "no equals sign"],
        &[url, "x", "--answer", "k={unclosed"],
        &[url, "x", "--decline", "--cancel"],
        &[url, "x", "--strict-results", "--lenient-results"],
        &[url, "x", "--param", "a=1"],
        &[url, "--resume", "/no/such/file"],
        &[url, "--resume", broken.path()],
        &[url, "--resume", foreign.path()],
        &["--kitchen", "no.such.scenario", "x"],
        &["--kitchen", "baseline", "--param", "slowReportDelayMs=true", "x"],
        &["--kitchen", "baseline", "--param", "no equals sign", "x"],
        &["--kitchen", "baseline"],
        &["--kitchen", "baseline", "x", "{}", "more"],
        &["--kitchen", "baseline", "x", "--list"],
        &["--list"],
        &[url, "x", "--list"],
        &[url, "--list", "--list-prompts"],
        &[url, "--list", "--resume", broken.path()],
        &[url, "--list", "--answer", "k={}"],
        &[url, "--discover", "--suspend", "file"],
        &[url, "--discover", "x"],
        &[url, "--list-resources", "--decline"],
        &[url, "--list-prompts", "--idempotent"],
        &[url, "--read"],
        &[url, "--read", "a:b", "{}"],
        &[url, "--read", "a:b", "--prompt", "x"],
        &[url, "--read", "a:b", "--not-idempotent"],
        &[url, "--read", "a:b", "--idempotency-key-arg", "/key"],
        &[url, "--prompt", "x", "{}", "more"],
        &[url, "--prompt", "x", "{unclosed"],
        &[url, "--prompt", "x", "--idempotency-key-meta", "com.example/key"],
        &[url, "--prompt", "x", "--tool-definition", broken.path()],
        &[url, "--resume", broken.path(), "--idempotent"],
        &[url, "x", "--max-timeout", "soon"],
        &[url, "x", "--max-timeout=-1"],
        // Not there yet.
        &[url, "x", "--era", "probe"],
        &[url, "x", "--era", "legacy"],
        &[url, "--list", "--era", "legacy"],
        &["--stdio", "cat", "x"],
    ] {
        let run = run(&[words, &["--json"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{words:?}: {run:?}");
        assert!(!run.stderr.trim().is_empty(), "{words:?}: it says why");
        assert!(!run.stderr.contains("panicked"), "{words:?}: {run:?}");
    }
    assert_eq!(server.connections(), 0);
}

/// A call that the client refuses is a call all the same: it has its line.
#[tokio::test]
async fn arguments_that_are_no_object_are_an_invalid_call() {
    let server = serve([Reply::json(200, ANSWER)]).await;
    for (word, input) in [("[1]", ""), ("7", ""), ("null", ""), ("\"{}\"", ""), ("-", "[]")] {
        let run = run_with(&[&server.url(), "x", word, "--json"], input, &[]);
        let line = run.line();
        assert_eq!((run.code, line["outcome"].as_str()), (2, Some("INVALID_CALL")), "{word}");
        assert_eq!(
            (line["layer"].as_str(), line["delivery"].as_str()),
            (Some("local"), Some("notSent")),
            "{word}"
        );
        assert_eq!(line["postCount"], 0, "{word}");
        assert!(line["error"]["message"].as_str().unwrap().contains("not a JSON object"), "{word}: {line}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn help_and_version_are_no_errors() {
    let help = run(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    for part in [
        "mcp-call",
        "<URL> <TOOL> [ARGUMENTS]",
        "<URL> --prompt <NAME>",
        "--json",
        "--progress",
        "Exit codes",
    ] {
        assert!(help.stdout.contains(part), "{part}: {}", help.stdout);
    }
    let version = run(&["--version"]);
    assert_eq!((version.code, version.stdout.trim()), (0, concat!("mcp-call ", env!("CARGO_PKG_VERSION"))));
}

/// Flags of a later day say so.
#[test]
fn what_is_not_there_yet_says_so() {
    for (words, flag) in [
        (&["http://127.0.0.1:1/", "x", "--era", "legacy"][..], "--era legacy"),
        (&["http://127.0.0.1:1/", "--list", "--era", "probe"], "--era probe"),
        (&["--stdio", "cat", "x"], "--stdio"),
    ] {
        let run = run(words);
        assert_eq!(run.code, 2, "{run:?}");
        assert_eq!(run.stderr, format!("mcp-call: `{flag}` is not there yet\n"));
    }
}
