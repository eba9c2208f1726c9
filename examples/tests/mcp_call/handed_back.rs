//! A round that fails hands the call back: nothing is lost, and nothing runs twice unasked.

use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};

use crate::{
    calls::TempFile,
    program::{Run, call, posts, serve},
    rounds::{asks, assert_ended, good},
};

const ANSWER: [&str; 2] = ["--answer", r#"k={"reason":"fine"}"#];

fn breaks() -> Reply {
    Reply::steps([Step::Close])
}

/// Resumes the call of that file.
fn resume(server: &FaultServer, file: &TempFile, flags: &[&str]) -> Run {
    let url = server.url();
    let words = [url.as_str(), "--json", "--retry", "never", "--resume", file.path()];
    crate::program::run(&[&words, flags].concat())
}

/// What is in the file, after the check that the line has the same.
#[track_caller]
fn stored(run: &Run, file: &TempFile) -> Value {
    let text = file.read().unwrap_or_else(|| panic!("nothing was stored: {run:?}"));
    assert_eq!(run.line()["continuation"].as_str(), Some(text.as_str()), "the same, for scripts");
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_round_that_may_have_run_is_stored_as_one() {
    let server = serve([asks(&["k"], Some("state")), breaks(), good()]).await;
    let file = TempFile::absent("may-have-run.json");
    let run = call(&server, &[&ANSWER[..], &["--suspend", file.path()]].concat());
    let line = run.line();
    assert_eq!((line["outcome"].as_str(), run.code), (Some("TRANSPORT_ERROR"), 7), "{run:?}");
    assert_eq!((&line["postCount"], &line["httpStatuses"]), (&json!(2), &json!([200])));
    let call = stored(&run, &file);
    assert_eq!(call["mayHaveRun"], true);
    assert_eq!(call["answers"]["k"]["content"], json!({ "reason": "fine" }), "the answers are kept");
    posts(&server, 2);

    // It may have run, so it is not sent again, however often it is resumed.
    for _ in 0..2 {
        let run = resume(&server, &file, &[]);
        assert_ended(&run, "INVALID_CALL", 2, &[]);
        assert_eq!(stored(&run, &file)["mayHaveRun"], true);
        posts(&server, 2);
    }

    // Somebody accepts that it may be done twice.
    let run = resume(&server, &file, &["--accept-duplicates", "the ledger knows its entries"]);
    let line = assert_ended(&run, "TOOL_SUCCESS", 0, &[200]);
    assert_eq!(line["attempts"][0]["note"], "the ledger knows its entries");
    assert_eq!(posts(&server, 3)[2]["params"]["requestState"], "state");
}

/// The same command a second time does not find the file as it was before the first.
#[tokio::test]
async fn a_failure_is_written_back_to_where_the_call_came_from() {
    for (what, reply, code, statuses, may_have_run) in [
        ("broken", breaks(), 7, &[][..], true),
        ("an error of the server", Reply::status(503), 4, &[503], true),
        ("refused", Reply::status(429), 4, &[429], false),
    ] {
        let server = serve([asks(&["k"], Some("state")), reply, good()]).await;
        let file = TempFile::absent("written-back.json");
        let first = call(&server, &["--suspend", file.path()]);
        assert_ended(&first, "INPUT_REQUIRED", 3, &[200]);
        assert_eq!(stored(&first, &file)["mayHaveRun"], false, "{what}");

        let run = resume(&server, &file, &ANSWER);
        assert_eq!((run.code, &run.line()["httpStatuses"]), (code, &json!(statuses)), "{what}: {run:?}");
        assert_eq!(stored(&run, &file)["mayHaveRun"], may_have_run, "{what}");
        posts(&server, 2);

        let again = resume(&server, &file, &ANSWER);
        if may_have_run {
            assert_ended(&again, "INVALID_CALL", 2, &[]);
            assert_eq!(stored(&again, &file)["mayHaveRun"], true, "{what}");
            posts(&server, 2);
        } else {
            assert_ended(&again, "TOOL_SUCCESS", 0, &[200]);
            posts(&server, 3);
        }
    }
}

#[tokio::test]
async fn where_both_files_are_named_the_one_to_write_is_written() {
    let server = serve([asks(&["k"], Some("state")), breaks(), good()]).await;
    let (from, to) = (TempFile::absent("from.json"), TempFile::absent("to.json"));
    assert_eq!(call(&server, &["--suspend", from.path()]).code, 3);
    let before = from.read().unwrap();
    let run = resume(&server, &from, &[&ANSWER[..], &["--suspend", to.path()]].concat());
    assert_eq!(run.code, 7, "{run:?}");
    assert_eq!(stored(&run, &to)["mayHaveRun"], true);
    // The other one only says that it was sent: what was asked and answered is as it was.
    let mut marked: Value = serde_json::from_str(&from.read().unwrap()).unwrap();
    assert_eq!(marked["mayHaveRun"], true);
    marked["mayHaveRun"] = false.into();
    marked.as_object_mut().unwrap().remove("answers");
    assert_eq!(marked, serde_json::from_str::<Value>(&before).unwrap());
    posts(&server, 2);
}

#[tokio::test]
async fn a_call_that_cannot_be_written_back_is_still_told() {
    let server = serve([asks(&["k"], None), breaks(), good()]).await;
    let run = call(&server, &[&ANSWER[..], &["--suspend", "/no/such/directory/call.json"]].concat());
    assert_eq!(run.code, 7, "{run:?}");
    assert!(run.stderr.contains("could not be stored"), "{}", run.stderr);
    let call: Value = serde_json::from_str(run.line()["continuation"].as_str().unwrap()).unwrap();
    assert_eq!(call["mayHaveRun"], true);
    posts(&server, 2);
}

/// A call that failed before anything was asked has nothing to go on with.
#[tokio::test]
async fn a_first_round_that_fails_is_not_stored() {
    let server = serve([breaks()]).await;
    let file = TempFile::absent("first-round.json");
    let run = call(&server, &["--suspend", file.path()]);
    assert_eq!((run.code, file.read()), (7, None), "{run:?}");
    assert_eq!(run.line().get("continuation"), None);
    posts(&server, 1);
}
