//! Ctrl-C: the call is cancelled, and what was done by then is told.

use std::{process::Child, time::Duration};

use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};

use crate::{
    calls::TempFile,
    lists::result,
    outcomes::{Expected, assert_line, expect},
    program::{Run, call, finish, posts, posts_of, run, serve, start},
    rounds::{asks, good},
};

/// Starts a call and interrupts it a while after that many requests have arrived.
async fn interrupted(server: &FaultServer, requests: usize, later: Duration, flags: &[&str]) -> Run {
    let child = start(&[&[server.url().as_str(), "x"], flags].concat());
    server.requested(requests).await.unwrap();
    tokio::time::sleep(later).await;
    signal(&child, "-INT");
    finish(child)
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn hangs() -> Reply {
    Reply::steps([Step::AwaitClientClose])
}

/// The stream of the call is closed, and the record says that it may have run.
#[tokio::test]
async fn an_interrupt_cancels_the_call() {
    let server = serve([hangs()]).await;
    let run = interrupted(&server, 1, Duration::ZERO, &["--json"]).await;
    let facts = [("/errorMessage", json!("interrupted"))];
    let line = assert_line("interrupted", &run, &expect("CANCELLED", &[], "unknown", &facts));
    assert_eq!(line["error"]["message"], "the call was cancelled");
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
        assert!(line["continuation"].is_string(), "it can go on: {line}");
        if line["postCount"] == answered {
            let statuses = vec![200; sent];
            let expected = Expected { posts: sent, ..expect("CANCELLED", &statuses, "notSent", &[]) };
            assert_line("between two rounds", &run, &expected);
            return;
        }
    }
    panic!("it was never met between two rounds");
}

#[tokio::test]
async fn a_person_is_told_what_an_interrupt_left_behind() {
    let server = serve([hangs()]).await;
    let run = interrupted(&server, 1, Duration::ZERO, &[]).await;
    assert_eq!((run.code, run.stdout.as_str()), (9, ""), "{run:?}");
    assert_eq!(
        run.stderr,
        "local layer: the call was cancelled\nThe request may have been carried out. Call again only if doing it twice \
         is harmless.\n"
    );
}

const ANSWER: [&str; 2] = ["--answer", "k={}"];

/// Suspends a call of that server in a file of its own.
fn suspended(server: &FaultServer, name: &str) -> TempFile {
    let file = TempFile::absent(name);
    assert_eq!(call(server, &["--suspend", file.path()]).code, 3);
    assert_eq!(stored(&file)["mayHaveRun"], false);
    file
}

fn stored(file: &TempFile) -> Value {
    serde_json::from_str(&file.read().unwrap()).unwrap()
}

/// Starts to resume the call of the file, and waits until it is sent.
async fn resumed(server: &FaultServer, file: &TempFile) -> Child {
    let url = server.url();
    let words = [url.as_str(), "--json", "--retry", "never", "--resume", file.path()];
    let child = start(&[&words, &ANSWER[..]].concat());
    server.requested(2).await.unwrap();
    child
}

/// The same command again: nothing is sent, since the call may have run.
#[track_caller]
fn assert_not_sent_again(server: &FaultServer, file: &TempFile) {
    let url = server.url();
    let again = run(&[&[url.as_str(), "--json", "--resume", file.path()], &ANSWER[..]].concat());
    assert_eq!((again.code, &again.line()["outcome"]), (2, &json!("INVALID_CALL")), "{again:?}");
    posts(server, 2);
}

/// Its file says that it may have run.
#[tokio::test]
async fn an_interrupt_of_a_resumed_call_is_written_to_its_file() {
    let server = serve([asks(&["k"], Some("state")), hangs(), good()]).await;
    let file = suspended(&server, "interrupted.json");
    let child = resumed(&server, &file).await;
    signal(&child, "-INT");
    let run = finish(child);
    let line = run.line();
    assert_eq!((run.code, &line["outcome"]), (9, &json!("CANCELLED")), "{run:?}");
    assert_eq!((&line["delivery"], &line["layer"]), (&json!("unknown"), &json!("local")));
    assert_eq!(line["continuation"].as_str(), file.read().as_deref());
    let call = stored(&file);
    assert_eq!((&call["mayHaveRun"], &call["answers"]["k"]["action"]), (&json!(true), &json!("accept")));
    server.client_closed().await.unwrap();
    assert_not_sent_again(&server, &file);
}

/// Nor is it sent again when the process could not say anything any more.
#[tokio::test]
async fn a_resumed_call_whose_process_was_killed_is_not_sent_again() {
    let server = serve([asks(&["k"], Some("state")), hangs(), good()]).await;
    let file = suspended(&server, "killed.json");
    let mut child = resumed(&server, &file).await;
    signal(&child, "-KILL");
    assert!(!child.wait().unwrap().success());
    assert_eq!(stored(&file)["mayHaveRun"], true);
    assert_not_sent_again(&server, &file);
}

/// Nor when it has succeeded.
#[tokio::test]
async fn a_resumed_call_that_has_ended_is_not_sent_again() {
    let server = serve([asks(&["k"], Some("state")), good()]).await;
    let file = suspended(&server, "ended.json");
    assert_eq!(finish(resumed(&server, &file).await).code, 0);
    assert_not_sent_again(&server, &file);
}

/// The next round is in the file then, and the command goes on from there.
#[tokio::test]
async fn a_resumed_call_that_asks_again_is_written_back() {
    let server = serve([asks(&["k"], Some("1")), asks(&["other"], Some("2")), good()]).await;
    let file = suspended(&server, "asks-again.json");
    let run_again = finish(resumed(&server, &file).await);
    assert_eq!(run_again.code, 3, "{run_again:?}");
    let call = stored(&file);
    assert_eq!(
        (&call["requestState"], &call["rounds"], &call["mayHaveRun"]),
        (&json!("2"), &json!(2), &json!(false))
    );
    let url = server.url();
    let last = run(&[&url, "--json", "--resume", file.path(), "--answer", "other={}"]);
    assert_eq!(last.code, 0, "{last:?}");
    assert_eq!(posts(&server, 3)[2]["params"]["requestState"], "2");
}

/// A list tells what it has by then.
#[tokio::test]
async fn an_interrupt_ends_a_list() {
    let page = result(&json!({ "resultType": "complete", "nextCursor": "2",
        "tools": [{ "name": "first", "inputSchema": { "type": "object" } }] }));
    let server = serve([page, hangs()]).await;
    let url = server.url();
    let child = start(&[&url, "--list", "--json"]);
    server.requested(2).await.unwrap();
    signal(&child, "-INT");
    let run = finish(child);
    let line = run.line();
    assert_eq!((run.code, &line["tools"][0]["name"]), (9, &json!("first")), "{run:?}");
    assert_eq!((&line["complete"], &line["record"]["outcome"]), (&json!(false), &json!("CANCELLED")));
    posts_of(&server, &["tools/list"; 2]);
}
