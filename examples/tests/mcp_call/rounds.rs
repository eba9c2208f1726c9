//! Requests for input: answered, declined, cancelled, kept for later, and continued by another process.

use mcp_tests::{Kitchen, Reply};
use serde_json::{Value, json};

use crate::{
    calls::TempFile,
    program::{ANSWER, Run, call, posts, run, serve},
};

const TOOL: &str = "run_configured_test_scenario";

pub(crate) fn asks(keys: &[&str], state: Option<&str>) -> Reply {
    let form = json!({ "mode": "form", "message": "Sure?", "requestedSchema": { "type": "object", "properties": {} } });
    asks_with(keys, &form, state)
}

/// Asks to open a page.
fn asks_to_open(key: &str, url: &str) -> Reply {
    asks_with(&[key], &json!({ "mode": "url", "message": "Sign in, please", "url": url }), Some("state-1"))
}

fn asks_with(keys: &[&str], params: &Value, state: Option<&str>) -> Reply {
    let mut result = json!({ "resultType": "input_required" });
    if !keys.is_empty() {
        let request = json!({ "method": "elicitation/create", "params": params });
        result["inputRequests"] = keys.iter().map(|key| ((*key).to_owned(), request.clone())).collect();
    }
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

pub(crate) fn good() -> Reply {
    Reply::json(200, ANSWER)
}

#[track_caller]
pub(crate) fn assert_ended(run: &Run, outcome: &str, code: i32, statuses: &[u16]) -> Value {
    let line = run.line();
    assert_eq!((line["outcome"].as_str(), run.code), (Some(outcome), code), "{run:?}");
    assert_eq!(line["httpStatuses"], json!(statuses), "of all rounds");
    assert_eq!(line["postCount"], statuses.len());
    line
}

#[tokio::test]
async fn an_answer_continues_the_call() {
    for (answer, sent) in [
        (r#"k={"reason":"ü=1"}"#, json!({ "action": "accept", "content": { "reason": "ü=1" } })),
        ("k={}", json!({ "action": "accept", "content": {} })),
        (r#"k={"action":"decline"}"#, json!({ "action": "decline" })),
        (r#"k={"action":"accept","content":{"a":1}}"#, json!({ "action": "accept", "content": { "a": 1 } })),
        (r#"k={"action":"cancel","_meta":{"a":1}}"#, json!({ "action": "cancel", "_meta": { "a": 1 } })),
        // Forms that have a field called `action`.
        (r#"k={"action":"approve"}"#, json!({ "action": "accept", "content": { "action": "approve" } })),
        (r#"k={"action":"Accept"}"#, json!({ "action": "accept", "content": { "action": "Accept" } })),
        (
            r#"k={"action":"decline","reason":"no"}"#,
            json!({ "action": "accept", "content": { "action": "decline", "reason": "no" } }),
        ),
        (r#"k={"content":"text"}"#, json!({ "action": "accept", "content": { "content": "text" } })),
    ] {
        let server = serve([asks(&["k"], Some("state-1")), good()]).await;
        let line = assert_ended(&call(&server, &["--answer", answer]), "TOOL_SUCCESS", 0, &[200, 200]);
        assert_eq!(line["jsonrpc"]["id"], 2);
        let posts = posts(&server, 2);
        assert_eq!(posts[0]["params"].get("inputResponses"), None);
        assert_eq!(posts[1]["params"]["inputResponses"], json!({ "k": sent }));
        assert_eq!(posts[1]["params"]["requestState"], "state-1");
        assert_eq!(posts[1]["params"]["_meta"], posts[0]["params"]["_meta"]);
    }
}

/// There is no form behind a link, so there is no content of one.
#[tokio::test]
async fn a_link_is_accepted_without_content() {
    for (flags, sent) in [
        (&["--answer", "k={}"][..], json!({ "action": "accept" })),
        (&["--answer", r#"k={"action":"accept"}"#], json!({ "action": "accept" })),
        (&["--answer", r#"k={"action":"decline"}"#], json!({ "action": "decline" })),
        (&["--decline"], json!({ "action": "decline" })),
    ] {
        let server = serve([asks_to_open("k", "https://login.example/"), good()]).await;
        assert_ended(&call(&server, flags), "TOOL_SUCCESS", 0, &[200, 200]);
        assert_eq!(posts(&server, 2)[1]["params"]["inputResponses"], json!({ "k": sent }), "{flags:?}");
    }
    for answer in [r#"k={"code":"1"}"#, "k=[]", "k=true"] {
        let server = serve([asks_to_open("k", "https://login.example/"), good()]).await;
        let run = call(&server, &["--answer", answer]);
        assert_ended(&run, "INPUT_REQUIRED", 3, &[200]);
        assert!(run.stderr.contains("`k` is a link"), "{}", run.stderr);
        posts(&server, 1);
    }
}

/// It is not opened, but whoever runs the program can decline it, and knows their own network.
#[tokio::test]
async fn a_link_that_must_not_be_opened_can_be_answered_by_the_command_line() {
    for (url, flag, sent) in [
        ("javascript:alert(1)", "--decline", Some(json!({ "action": "decline" }))),
        ("javascript:alert(1)", "--cancel", Some(json!({ "action": "cancel" }))),
        ("javascript:alert(1)", r#"--answer=k={"action":"decline"}"#, Some(json!({ "action": "decline" }))),
        ("javascript:alert(1)", "--answer=k={}", None),
        ("http://intranet.example/", "--answer=k={}", Some(json!({ "action": "accept" }))),
        ("http://intranet.example/", "--answer=k=[]", None),
        ("http://intranet.example/", "--no-cache", None),
    ] {
        let server = serve([asks_to_open("k", url), good()]).await;
        let run = call(&server, &[flag]);
        if let Some(sent) = sent {
            assert_ended(&run, "TOOL_SUCCESS", 0, &[200, 200]);
            assert_eq!(
                posts(&server, 2)[1]["params"]["inputResponses"],
                json!({ "k": sent }),
                "{url} {flag}"
            );
        } else {
            assert_ended(&run, "INPUT_REQUIRED", 3, &[200]);
            assert!(run.stderr.contains("`k` must not be opened"), "{}", run.stderr);
            posts(&server, 1);
        }
    }
}

#[tokio::test]
async fn what_is_not_answered_is_declined_or_cancelled_if_so_told() {
    for (flag, action) in [("--decline", "decline"), ("--cancel", "cancel")] {
        let server = serve([asks(&["a", "b"], None), good()]).await;
        let run = call(&server, &["--answer", r#"a={"x":1}"#, flag]);
        assert_ended(&run, "TOOL_SUCCESS", 0, &[200, 200]);
        let posts = posts(&server, 2);
        let expected =
            json!({ "a": { "action": "accept", "content": { "x": 1 } }, "b": { "action": action } });
        assert_eq!(posts[1]["params"]["inputResponses"], expected);
        assert_eq!(posts[1]["params"].get("requestState"), None);
    }
}

/// Nothing is answered that was not said, and nothing is sent while an answer is missing.
#[tokio::test]
async fn an_answer_that_is_missing_stops_the_call() {
    for flags in [&[][..], &["--answer", "a={}"], &["--answer", "c={}", "--answer", "d={}"]] {
        let server = serve([asks(&["a", "b"], None), good()]).await;
        let line = assert_ended(&call(&server, flags), "INPUT_REQUIRED", 3, &[200]);
        assert_eq!(line["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "b"]);
        posts(&server, 1);
    }
}

#[tokio::test]
async fn every_round_is_answered_up_to_the_limit() {
    let server = serve([asks(&["k"], Some("1")), asks(&["k"], Some("2")), asks(&["k"], None), good()]).await;
    assert_ended(&call(&server, &["--answer", "k={}"]), "TOOL_SUCCESS", 0, &[200; 4]);
    let states: Vec<Value> =
        posts(&server, 4).iter().map(|post| post["params"]["requestState"].clone()).collect();
    assert_eq!(states, [json!(null), json!("1"), json!("2"), json!(null)]);

    // A server that never has enough.
    for (limit, sent) in [("1", 2), ("2", 3), ("5", 6)] {
        let server = serve([asks(&["k"], None)]).await;
        let run = call(&server, &["--answer", "k={}", "--max-rounds", limit]);
        let line = assert_ended(&run, "INPUT_REQUIRED", 3, &vec![200; sent]);
        assert!(line["continuation"].is_string(), "the last round is handed back");
        posts(&server, sent);
    }
}

#[tokio::test]
async fn a_round_of_state_alone_goes_on_by_itself() {
    let server = serve([asks(&[], Some("later")), good()]).await;
    assert_ended(&call(&server, &[]), "TOOL_SUCCESS", 0, &[200, 200]);
    let posts = posts(&server, 2);
    assert_eq!(posts[1]["params"]["requestState"], "later");
    assert_eq!(posts[1]["params"].get("inputResponses"), None);
}

#[tokio::test]
async fn a_round_that_fails_is_told_with_the_posts_of_all_rounds() {
    let server = serve([asks(&["k"], None), Reply::status(503)]).await;
    let line = assert_ended(&call(&server, &["--answer", "k={}"]), "HTTP_ERROR", 4, &[200, 503]);
    assert_eq!(line["error"]["http"]["status"], 503);
    posts(&server, 2);
}

/// An answer that cannot be given is a call that still needs input: it was sent, so it is neither a mistake on the
/// command line nor lost.
#[tokio::test]
async fn an_answer_that_is_refused_leaves_the_call_to_be_answered() {
    for (what, flags) in [
        ("not declared", &["--capability", "none", "--answer", "k={}"][..]),
        ("declined, not declared", &["--capability", "none", "--decline"]),
        ("no content of a form", &["--answer", r#"k={"nested":{"a":1}}"#]),
        ("no object", &["--answer", "k=[1]"]),
    ] {
        let server = serve([asks(&["k"], Some("state")), good()]).await;
        let run = call(&server, flags);
        posts(&server, 1);
        assert!(!run.stderr.is_empty(), "{what}: it says why");
        let line = assert_ended(&run, "INPUT_REQUIRED", 3, &[200]);
        assert!(line["continuation"].is_string(), "{what}");
    }
}

/// The call is not lost when its file cannot be written.
#[tokio::test]
async fn a_call_that_cannot_be_stored_is_still_told() {
    let server = serve([asks(&["k"], Some("state")), good()]).await;
    let run = call(&server, &["--suspend", "/no/such/directory/call.json"]);
    assert!(!run.stderr.is_empty(), "it says why");
    let line = assert_ended(&run, "INPUT_REQUIRED", 3, &[200]);
    assert!(line["continuation"].is_string());
    posts(&server, 1);
}

#[tokio::test]
async fn a_call_is_suspended_and_continued_by_another_process() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch("elicitation.approval", json!({})).unwrap();
    let file = TempFile::absent("suspended.json");
    let url = kitchen.url();
    let arguments = r#"{"message":"from the first process"}"#;
    let run_first = run(&[&url, TOOL, arguments, "--json", "--scenario", "label", "--suspend", file.path()]);
    assert_ended(&run_first, "INPUT_REQUIRED", 3, &[200]);
    let stored = file.read().unwrap();
    assert_eq!(run_first.line()["continuation"].as_str().unwrap(), stored, "the same, for scripts");

    // Nothing was answered yet, so nothing is sent.
    let idle = run(&[&url, "--json", "--resume", file.path()]);
    assert_eq!((idle.code, kitchen.posts().len()), (3, 1), "{idle:?}");

    let last =
        run(&[&url, "--json", "--resume", file.path(), "--answer", r#"elicitation={"reason":"later"}"#]);
    let line = assert_ended(&last, "TOOL_SUCCESS", 0, &[200]);
    assert_eq!(line["scenario"], "label");
    let said: Value = serde_json::from_str(line["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&said["approvalReason"], &said["message"]),
        (&json!("later"), &json!("from the first process"))
    );
    let posts = kitchen.posts();
    assert_eq!((posts.len(), kitchen.other_requests().len()), (2, 0));
    assert_eq!(posts[1].at("/params/requestState"), Some(&json!("awaiting-elicitation")));
    assert_eq!(posts[1].at("/params/arguments"), posts[0].at("/params/arguments"));
}

#[tokio::test]
async fn a_suspended_call_belongs_to_its_server() {
    let server = serve([asks(&["k"], Some("state-of-the-first"))]).await;
    let file = TempFile::absent("of-another-server.json");
    assert_eq!(call(&server, &["--suspend", file.path()]).code, 3);
    let other = serve([good()]).await;
    let run = run(&[&other.url(), "--json", "--resume", file.path(), "--answer", "k={}"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(!run.stderr.contains("state-of-the-first"), "{}", run.stderr);
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn nothing_is_written_where_nothing_is_asked() {
    let server = serve([good()]).await;
    let file = TempFile::absent("unneeded.json");
    assert_eq!(call(&server, &["--suspend", file.path()]).code, 0);
    assert_eq!(file.read(), None);
}

#[tokio::test]
async fn what_is_asked_is_shown_to_a_person() {
    let server = serve([asks(&["login"], Some("secret-state"))]).await;
    let run = run(&[&server.url(), "x"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    for part in ["interaction layer", "login: Sure?", "--answer"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("secret-state"), "{}", run.stderr);
}

/// A person is told where a link leads. Neither it nor a key steers the terminal.
#[tokio::test]
async fn a_link_is_shown_to_a_person() {
    let url = "https://login.example/?session=7\u{1b}]0;title\u{7}";
    let server = serve([asks_to_open("sign\u{1b}[31m in", url)]).await;
    let run = run(&[&server.url(), "x"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    for part in
        ["sign\u{FFFD}[31m in: Sign in, please", "https://login.example/?session=7\u{FFFD}]0;title\u{FFFD}"]
    {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\u{7}'), "{:?}", run.stderr);
}
