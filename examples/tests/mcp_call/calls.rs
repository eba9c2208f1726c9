//! What the flags and arguments make the program send.

use mcp_tests::{FaultServer, Kitchen, Reply};
use serde_json::{Value, json};

use crate::program::{ANSWER, call, posts, run, run_with, serve};

async fn good() -> FaultServer {
    serve([Reply::json(200, ANSWER)]).await
}

/// A file of this test run, gone with the value.
pub(crate) struct TempFile(std::path::PathBuf);

impl TempFile {
    pub(crate) fn new(name: &str, content: &str) -> Self {
        let file = Self::absent(name);
        std::fs::write(&file.0, content).unwrap();
        file
    }

    /// A name under which there is no file yet.
    pub(crate) fn absent(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("mcp-call-{}-{name}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub(crate) fn read(&self) -> Option<String> {
        std::fs::read_to_string(&self.0).ok()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn arguments_come_from_the_command_line_a_file_or_standard_input() {
    let text = r#"{"n":12345678901234567890.5,"city":"Köln"}"#;
    let file = TempFile::new("arguments.json", &format!("\n{text}\n"));
    let at_file = format!("@{}", file.path());
    for (word, input) in [(text, ""), (&*at_file, ""), ("-", &*format!("  {text}\r\n"))] {
        let server = good().await;
        let run = run_with(&[&server.url(), "x", word, "--json"], input, &[]);
        assert_eq!(run.code, 0, "{run:?}");
        posts(&server, 1);
        let body = String::from_utf8(server.requests()[0].body.to_vec()).unwrap();
        assert!(body.contains(&format!(r#""arguments":{text}"#)), "byte for byte: {body}");
    }
}

#[tokio::test]
async fn no_arguments_are_none() {
    let server = good().await;
    assert_eq!(call(&server, &[]).code, 0);
    assert_eq!(posts(&server, 1)[0]["params"].get("arguments"), None);
}

#[tokio::test]
async fn headers_and_the_token_are_sent() {
    let server = good().await;
    let words = [
        &*server.url(),
        "x",
        "--header",
        "X-One: 1",
        "--header",
        "X-Two:  a: b ",
        "--bearer-env",
        "TOKEN_OF_TEST",
    ];
    assert_eq!(run_with(&words, "", &[("TOKEN_OF_TEST", "secret")]).code, 0);
    posts(&server, 1);
    let request = &server.requests()[0];
    assert_eq!((request.header("x-one"), request.header("x-two")), (Some("1"), Some("a: b")));
    assert_eq!(request.header("authorization"), Some("Bearer secret"));
}

#[tokio::test]
async fn the_program_names_itself_and_declares_what_it_can_ask() {
    let form = json!({ "elicitation": { "form": {} } });
    let both = json!({ "elicitation": { "form": {}, "url": {} } });
    for (flags, capabilities) in [
        (&[][..], both),
        (&["--capability", "none"], json!({})),
        (&["--capability", "elicitation.form"], form),
        (&["--capability", "sampling", "--capability", "roots"], json!({ "sampling": {}, "roots": {} })),
    ] {
        let server = good().await;
        assert_eq!(call(&server, flags).code, 0);
        let meta = posts(&server, 1)[0]["params"]["_meta"].clone();
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], capabilities, "{flags:?}");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-call");
    }
}

#[tokio::test]
async fn settings_of_results_and_sizes() {
    let bare = || Reply::json(200, r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[]}}"#);
    let structured =
        || Reply::json(200, r#"{"jsonrpc":"2.0","id":{{id}},"result":{"structuredContent":{"a":1}}}"#);
    for (reply, flags, outcome, code) in [
        (bare(), &[][..], "TOOL_SUCCESS", 0),
        (bare(), &["--strict-results"], "INVALID_TOOL_RESULT", 6),
        (structured(), &[], "INVALID_TOOL_RESULT", 6),
        (structured(), &["--lenient-results"], "TOOL_SUCCESS", 0),
        (Reply::json(200, ANSWER), &["--max-body", "50"], "TRANSPORT_ERROR", 7),
        (Reply::sse(&[ANSWER]), &["--max-body", "50"], "TRANSPORT_ERROR", 7),
        (Reply::json(200, ANSWER), &["--max-body", "5000"], "TOOL_SUCCESS", 0),
        (Reply::json(200, ANSWER), &["--no-cache"], "TOOL_SUCCESS", 0),
    ] {
        let server = serve([reply]).await;
        let run = call(&server, flags);
        assert_eq!((run.line()["outcome"].as_str(), run.code), (Some(outcome), code), "{flags:?}");
        posts(&server, 1);
    }
}

#[tokio::test]
async fn the_label_is_in_the_record_and_not_on_the_wire() {
    let server = good().await;
    let line = call(&server, &["--scenario", "label-of-mine"]).line();
    assert_eq!(line["scenario"], "label-of-mine");
    assert!(!format!("{:?}", server.requests()).contains("label-of-mine"));
}

#[test]
fn the_kitchen_is_built_in() {
    let tool = "run_configured_test_scenario";
    for (flags, outcome, code) in [
        (&["--kitchen", "baseline"][..], "TOOL_SUCCESS", 0),
        (&["--kitchen", "errors.tool_error", "--param", "errorMessage=as text"], "TOOL_ERROR", 1),
        (&["--kitchen", "elicitation.approval"], "INPUT_REQUIRED", 3),
        (&["--kitchen", "errors.http_status_sequence", "--param", "statusCodes=[418]"], "HTTP_ERROR", 4),
        (&["--kitchen", "errors.jsonrpc_error", "--param", "code=-32001"], "JSONRPC_ERROR", 5),
        (&["--kitchen", "errors.malformed_payload", "--param", "kind=wrong_id"], "INVALID_ENVELOPE", 6),
        (&["--kitchen", "errors.connection_close"], "TRANSPORT_ERROR", 7),
    ] {
        let run =
            run(&[flags, &[tool, r#"{"message":"hi"}"#, "--json", "--era", "modern", "--retry", "never"]]
                .concat());
        assert_eq!((run.line()["outcome"].as_str(), run.code), (Some(outcome), code), "{flags:?}: {run:?}");
        assert_eq!(run.line()["postCount"], 1, "{flags:?}");
    }
}

/// With a server that checks what it gets, over event streams.
#[tokio::test]
async fn a_call_of_a_real_host() {
    let kitchen = Kitchen::start().await.unwrap();
    let run = run(&[&kitchen.url(), "run_configured_test_scenario", r#"{"message":"hi"}"#, "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let said: Value =
        serde_json::from_str(run.line()["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(said["message"], "hi");
    assert_eq!(run.line()["sse"]["terminalResponse"], true);
    assert_eq!((kitchen.posts().len(), kitchen.other_requests().len()), (1, 0));
}
