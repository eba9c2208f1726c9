//! `resume_later`: one process asks, another one answers.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use mcp_tests::Kitchen;
use serde_json::Value;

use crate::server::{accepted, assert_round, kitchen};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resume_later");

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = Self(std::env::temp_dir().join(format!("mcp-later-{}-{name}.db", std::process::id())));
        place.clear();
        place
    }

    fn clear(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clear();
    }
}

fn process(kitchen: &Kitchen, role: &str, file: &Path, more: &[&str]) -> Command {
    let mut process = Command::new(PROGRAM);
    process.arg(role).arg(kitchen.url()).arg(file).args(more).stdin(Stdio::null());
    process
}

#[track_caller]
fn succeeded(run: &Output) -> String {
    assert!(run.status.success(), "{run:?}");
    String::from_utf8(run.stdout.clone()).unwrap()
}

#[tokio::test]
async fn a_call_goes_on_in_another_process() {
    let kitchen = kitchen("elicitation.approval", Value::Null).await;
    let place = Place::new("goes-on");
    let shown = succeeded(&process(&kitchen, "ask", &place.0, &[]).output().unwrap());
    assert!(shown.contains("keeps the call as"), "{shown}");
    assert_eq!(kitchen.posts().len(), 1);
    let shown = succeeded(&process(&kitchen, "answer", &place.0, &["another day"]).output().unwrap());
    assert!(shown.contains("\"approvalReason\":\"another day\""), "{shown}");
    let posts = kitchen.posts();
    assert_eq!((posts.len(), kitchen.other_requests().len()), (2, 0));
    assert_round(&posts[0], &posts[1], "awaiting-elicitation", &accepted("another day"));
    // Nothing waits any more.
    assert_eq!(succeeded(&process(&kitchen, "answer", &place.0, &["again"]).output().unwrap()), "");
    assert_eq!(kitchen.posts().len(), 2);
}

/// Each call is answered by one of them.
#[tokio::test]
async fn of_two_processes_one_answers() {
    let kitchen = kitchen("elicitation.approval", Value::Null).await;
    let place = Place::new("race");
    for _ in 0..3 {
        succeeded(&process(&kitchen, "ask", &place.0, &[]).output().unwrap());
    }
    let answering = ["one", "two", "three"].map(|who| {
        process(&kitchen, "answer", &place.0, &[who])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    });
    for process in answering {
        succeeded(&process.wait_with_output().unwrap());
    }
    let answered = kitchen.posts().iter().filter(|post| post.at("/params/inputResponses").is_some()).count();
    assert_eq!((answered, kitchen.posts().len()), (3, 6));
}

#[tokio::test]
async fn it_plays_both_by_itself() {
    let run = Command::new(PROGRAM).stdin(Stdio::null()).output().unwrap();
    let shown = succeeded(&run);
    for part in ["keeps the call as", "\"approvalReason\"", "The server saw:", "\"action\":\"accept\""] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
