//! When a call is sent again, and on whose word.

use mcp_tests::{FaultServer, Reply};

use crate::{
    calls::TempFile,
    program::{ANSWER, run},
};

async fn flaky() -> FaultServer {
    FaultServer::start([Reply::status(503), Reply::json(200, ANSWER)]).await.unwrap()
}

/// A 503 may have run: it takes a word that it can be sent again, and `--retry never` or a stronger word beat it.
#[tokio::test]
async fn somebody_must_vouch_for_a_repetition() {
    let file = TempFile::new(
        "definition.json",
        r#"{"name":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
    );
    let file = file.path();
    for (flags, posts, origin, code) in [
        (&[][..], 1, "none", 4),
        (&["--idempotent"], 2, "sdk", 0),
        (&["--idempotent", "--retry", "never"], 1, "none", 4),
        (&["--idempotency-key-arg", "/request_id"], 2, "sdk", 0),
        (&["--idempotency-key-meta", "com.example/key"], 2, "sdk", 0),
        (&["--tool-definition", file], 1, "none", 4),
        (&["--tool-definition", file, "--trust-annotations"], 2, "sdk", 0),
        (&["--tool-definition", file, "--trust-annotations", "--not-idempotent"], 1, "none", 4),
    ] {
        let server = flaky().await;
        let url = server.url();
        let mut words = vec![url.as_str(), "x", "--json"];
        words.extend(flags);
        let run = run(&words);
        assert_eq!(run.code, code, "{flags:?}: {run:?}");
        let line = run.line();
        assert_eq!(line["postCount"], posts, "{flags:?}");
        assert_eq!(line["retryOrigin"], origin, "{flags:?}");
        assert_eq!(server.requests().len(), posts, "{flags:?}");
    }
}

#[tokio::test]
async fn annotations_cannot_be_trusted_unseen_or_of_another_tool() {
    let server = flaky().await;
    let unseen = run(&[&server.url(), "x", "--trust-annotations"]);
    assert_eq!(unseen.code, 2, "{unseen:?}");
    let file = TempFile::new("other.json", r#"{"name":"other","inputSchema":{"type":"object"}}"#);
    let other = run(&[&server.url(), "x", "--tool-definition", file.path(), "--json"]);
    assert_eq!((other.code, other.line()["outcome"].as_str()), (2, Some("INVALID_CALL")), "{other:?}");
    assert_eq!(server.requests().len(), 0);
}
