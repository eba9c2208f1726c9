//! Ctrl-C: the call is cancelled, and what was done by then is told.

use std::time::Duration;

use mcp_tests::{FaultServer, Reply, Step};
use serde_json::json;

use crate::{
    outcomes::{Expected, assert_line, expect},
    program::{Run, finish, posts, serve, start},
    rounds::asks,
};

/// Starts a call and interrupts it a while after that many requests have arrived.
async fn interrupted(server: &FaultServer, requests: usize, later: Duration, flags: &[&str]) -> Run {
    let child = start(&[&[server.url().as_str(), "x"], flags].concat());
    server.requested(requests).await.unwrap();
    tokio::time::sleep(later).await;
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    finish(child)
}

fn hangs() -> Reply {
    Reply::steps([Step::AwaitClientClose])
}

/// The stream of the call is closed, and the record says that it may have run.
#[tokio::test]
async fn an_interrupt_cancels_the_call() {
    let server = serve([hangs()]).await;
    let run = interrupted(&server, 1, Duration::ZERO, &["--json"]).await;
    assert_line("interrupted", &run, &expect("CANCELLED", &[], "unknown", &[]));
    server.client_closed().await.unwrap();
    posts(&server, 1);
}

#[tokio::test]
async fn an_interrupt_in_a_later_round_tells_the_posts_of_all() {
    let server = serve([asks(&["k"], Some("1")), asks(&["k"], Some("2")), hangs()]).await;
    let run = interrupted(&server, 3, Duration::ZERO, &["--json", "--answer", "k={}"]).await;
    let expected = Expected { posts: 3, ..expect("CANCELLED", &[200, 200], "unknown", &[]) };
    assert_line("in the third round", &run, &expected);
    server.client_closed().await.unwrap();
    posts(&server, 3);
}

/// Between two rounds nothing is under way, and the call is cancelled all the same. The test cannot see where the program
/// is, so it tries until it has met it there.
#[tokio::test]
async fn an_interrupt_between_two_rounds_cancels_the_call() {
    for later in [20, 50, 100, 150, 200, 20, 50, 100, 150, 200] {
        // It always asks for nothing but to come again, which the program does after a pause.
        let server = serve([asks(&[], Some("later"))]).await;
        let flags = ["--json", "--max-rounds", "1000000"];
        let run = interrupted(&server, 2, Duration::from_millis(later), &flags).await;
        let line = run.line();
        assert_eq!((&line["outcome"], &line["layer"]), (&json!("CANCELLED"), &json!("local")), "{line}");
        assert_eq!(run.code, 9);
        let sent = server.requests().len();
        let answered = line["httpStatuses"].as_array().unwrap().len();
        assert!(answered >= 1, "{line}");
        if line["postCount"] == answered {
            let statuses = vec![200; sent];
            let facts = [("/resultType", json!(null)), ("/errorMessage", json!(null))];
            let expected = Expected { posts: sent, ..expect("CANCELLED", &statuses, "answered", &facts) };
            assert_line("between two rounds", &run, &expected);
            return;
        }
    }
    panic!("it was never met between two rounds");
}
