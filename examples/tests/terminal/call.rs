//! `mcp-call` asks the person where a terminal is there, and hands the call back where it is not answered.

use std::{
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use mcp_tests::Kitchen;
use serde_json::{Value, json};

use crate::{
    person::{BACKSPACE, CTRL_C, DOWN, ENTER, Person},
    server::{TOOL, accepted, answers, asks_for, assert_answered, assert_round, kitchen},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-call");
const LABEL: &str = "Reason (recorded for audit)";

/// A file that is removed at the end.
struct TempFile(PathBuf);

impl TempFile {
    fn absent(name: &str) -> Self {
        let file = Self(std::env::temp_dir().join(format!("mcp-terminal-{}-{name}", std::process::id())));
        let _ = std::fs::remove_file(&file.0);
        file
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn read(&self) -> Value {
        serde_json::from_slice(&std::fs::read(&self.0).unwrap()).unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Without a terminal.
fn run(words: &[&str]) -> Output {
    Command::new(PROGRAM).args(words).stdin(Stdio::null()).output().unwrap()
}

async fn approval() -> Kitchen {
    kitchen("elicitation.approval", json!({ "reasonMaxLength": 8 })).await
}

/// A Kitchen that has asked, and the file with its call.
async fn suspended(name: &str) -> (Kitchen, TempFile) {
    let (kitchen, file) = (approval().await, TempFile::absent(name));
    let run = run(&[&kitchen.url(), TOOL, "--suspend", file.path()]);
    assert_eq!((run.status.code(), kitchen.posts().len()), (Some(3), 1), "{run:?}");
    (kitchen, file)
}

/// Resumes the call of the file on a terminal, until it is asked.
fn resumed(kitchen: &Kitchen, file: &TempFile) -> Person {
    let mut person = Person::start(PROGRAM, &[&kitchen.url(), "--resume", file.path()]);
    person.sees("Your answer?").sees("Cancel");
    person
}

/// The call in the file is as it was, and can go on.
#[track_caller]
fn assert_goes_on(kitchen: &Kitchen, file: &TempFile, before: &Value) {
    assert_eq!((&file.read(), kitchen.posts().len()), (before, 1));
    let run =
        run(&[&kitchen.url(), "--resume", file.path(), "--answer", r#"elicitation={"reason":"later"}"#]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let posts = kitchen.posts();
    assert_eq!(posts.len(), 2);
    assert_round(&posts[0], &posts[1], "awaiting-elicitation", &accepted("later"));
}

#[tokio::test]
async fn a_person_is_asked() {
    let kitchen = approval().await;
    let mut person = Person::start(PROGRAM, &[&kitchen.url(), TOOL, r#"{"message":"from the terminal"}"#]);
    person.sees(&format!("server: {}", kitchen.url())).sees("Your answer?").sees("Cancel").types(ENTER);
    person.sees(LABEL).types("much too long").types(ENTER).sees("must be at most 8 characters long");
    person.types(&BACKSPACE.repeat(" too long".len())).types(ENTER);
    person.sees(&format!("{LABEL}: much")).sees("Send this?").sees("Cancel").types(ENTER);
    let (code, shown) = person.sees("\"approvalReason\":\"much\"").sees("from the terminal").ends();
    assert_eq!(code, 0, "{shown}");
    assert_answered(&kitchen, "awaiting-elicitation", &accepted("much"));
}

#[tokio::test]
async fn a_person_can_decline() {
    let kitchen = approval().await;
    let mut person = Person::start(PROGRAM, &[&kitchen.url(), TOOL]);
    person.sees("Your answer?").sees("Cancel").types(DOWN).types(ENTER);
    let (code, shown) = person.sees("\"elicitationOutcome\":\"decline\"").ends();
    assert_eq!(code, 1, "{shown}");
    assert_answered(&kitchen, "awaiting-elicitation", &json!({ "elicitation": { "action": "decline" } }));
}

/// What the command line answers, nobody is asked.
#[tokio::test]
async fn only_what_is_left_open_is_asked() {
    let form = |message: &str| {
        json!({ "method": "elicitation/create", "params": { "message": message,
        "requestedSchema": { "type": "object", "properties": {} } } })
    };
    let server = asks_for(&json!({ "one": form("First?"), "two": form("Second?") })).await;
    let mut person = Person::start(PROGRAM, &[&server.url(), "x", "--answer", "one={}"]);
    person.sees("Second?").sees("Your answer?").sees("Cancel").types(DOWN).types(ENTER);
    let (code, shown) = person.sees("the tool is done").ends();
    assert_eq!((code, shown.contains("First?")), (0, false), "{shown}");
    let expected = json!({ "one": { "action": "accept", "content": {} }, "two": { "action": "decline" } });
    assert_eq!(answers(&server), expected);
}

/// A script reads JSON, and a call that is to be suspended is asked about later.
#[tokio::test]
async fn nobody_is_asked_for_json_or_to_suspend() {
    let file = TempFile::absent("not-asked.json");
    for flags in [&["--json"][..], &["--suspend", file.path()]] {
        let kitchen = approval().await;
        let mut person = Person::start(PROGRAM, &[&[kitchen.url().as_str(), TOOL], flags].concat());
        let (code, shown) = person.ends();
        assert_eq!((code, shown.contains("Your answer?"), kitchen.posts().len()), (3, false, 1), "{shown}");
    }
    assert_eq!(file.read()["mayHaveRun"], false);
}

#[tokio::test]
async fn an_interrupt_while_asked_hands_the_call_back() {
    let (kitchen, file) = suspended("interrupted.json").await;
    let before = file.read();
    let mut person = resumed(&kitchen, &file);
    let (code, shown) = person.types(CTRL_C).sees("the call was cancelled").ends();
    assert_eq!(code, 9, "{shown}");
    assert_goes_on(&kitchen, &file, &before);
}

/// A signal from elsewhere does the same, and the terminal is as it was.
#[tokio::test]
async fn a_signal_while_asked_hands_the_call_back() {
    let (kitchen, file) = suspended("signalled.json").await;
    let before = file.read();
    let mut person = resumed(&kitchen, &file);
    let signalled = Command::new("kill").args(["-INT", &person.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    person.sees("The question is no longer open.").sees("the call was cancelled");
    assert!(person.echoes(), "the terminal is not in raw mode any more");
    let (code, shown) = person.ends();
    assert_eq!(code, 9, "{shown}");
    assert_goes_on(&kitchen, &file, &before);
}

/// The file is marked when the call is sent, not while a person thinks.
#[tokio::test]
async fn a_process_that_is_killed_while_it_asks_has_sent_nothing() {
    let (kitchen, file) = suspended("killed.json").await;
    let before = file.read();
    let mut person = resumed(&kitchen, &file);
    let killed = Command::new("kill").args(["-KILL", &person.id().to_string()]).status().unwrap();
    assert!(killed.success());
    person.is_gone();
    assert_goes_on(&kitchen, &file, &before);
}

/// The call of another process, answered at the terminal.
#[tokio::test]
async fn a_suspended_call_is_answered_at_the_terminal() {
    let (kitchen, file) = suspended("resumed.json").await;
    let mut person = resumed(&kitchen, &file);
    person.types(ENTER).sees(LABEL).types("fine").types(ENTER).sees("Send this?").sees("Cancel").types(ENTER);
    let (code, shown) = person.sees("\"approvalReason\":\"fine\"").ends();
    assert_eq!(code, 0, "{shown}");
    let posts = kitchen.posts();
    assert_eq!(posts.len(), 2);
    assert_round(&posts[0], &posts[1], "awaiting-elicitation", &accepted("fine"));
    // The same command again does not do the work twice.
    let again = run(&[&kitchen.url(), "--resume", file.path(), "--decline"]);
    assert_eq!((again.status.code(), kitchen.posts().len()), (Some(2), 2), "{again:?}");
}
