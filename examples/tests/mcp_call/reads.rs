//! Reading a resource, getting a prompt, asking what a server is: the same outcomes as of a call.

use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};

use crate::{
    calls::TempFile,
    lists::{refused, result},
    program::{Run, posts_of, run, run_with, serve},
    rounds::asks,
};

const URI: &str = "file:///notes.txt";

fn at(server: &FaultServer, flags: &[&str]) -> Run {
    let url = server.url();
    run(&[&[url.as_str(), "--retry", "never"], flags].concat())
}

fn contents() -> Reply {
    result(&json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "contents": [
        { "uri": URI, "mimeType": "text/plain", "text": "first\nsecond" },
        { "uri": "file:///a.png", "mimeType": "image/png", "blob": "AAEC" },
        { "uri": "file:///b", "blob": "?" },
        { "uri": 7 },
    ] }))
}

#[tokio::test]
async fn a_resource_is_read() {
    let server = serve([contents()]).await;
    let run = at(&server, &["--read", URI, "--json", "--scenario", "label"]);
    let line = run.line();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert_eq!(posts_of(&server, &["resources/read"])[0]["params"]["uri"], URI);
    assert_eq!(server.requests()[0].header("mcp-name"), Some(URI));
    assert_eq!((&line["method"], &line["outcome"]), (&json!("resources/read"), &json!("TOOL_SUCCESS")));
    assert_eq!((&line["scenario"], &line["postCount"]), (&json!("label"), &json!(1)));
    assert_eq!(line["result"]["contents"][1]["blob"], "AAEC");

    let server = serve([contents()]).await;
    let shown = at(&server, &["--read", URI]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let expected = "first\nsecond\n[resource: image/png, 3 bytes, file:///a.png]\n\
                    [resource: not valid Base64, file:///b]\n[resource: of an unknown kind]\n";
    assert_eq!(shown.stdout, expected);
}

#[tokio::test]
async fn a_prompt_is_got_with_its_arguments() {
    let prompt = || {
        result(&json!({ "resultType": "complete", "description": "A review", "messages": [
            { "role": "user", "content": { "type": "text", "text": "Review this." } },
            { "role": "assistant", "content": { "type": "image", "mimeType": "image/png", "data": "AA==" } },
        ] }))
    };
    let file = TempFile::new("prompt-arguments.json", r#"{"code":"fn main() {}"}"#);
    let at_file = format!("@{}", file.path());
    for (words, input, arguments) in [
        (&[][..], "", json!(null)),
        (&[r#"{"code":"x"}"#], "", json!({ "code": "x" })),
        (&[at_file.as_str()], "", json!({ "code": "fn main() {}" })),
        (&["-"], r#"{"code":"y"}"#, json!({ "code": "y" })),
    ] {
        let server = serve([prompt()]).await;
        let url = server.url();
        let words = [&[url.as_str()], words, &["--prompt", "review", "--json"]].concat();
        let run = run_with(&words, input, &[]);
        assert_eq!(run.code, 0, "{run:?}");
        let sent = &posts_of(&server, &["prompts/get"])[0]["params"];
        assert_eq!((&sent["name"], &sent["arguments"]), (&json!("review"), &arguments));
        assert_eq!(run.line()["result"]["messages"][0]["content"]["text"], "Review this.");
    }
    let server = serve([prompt()]).await;
    let shown = at(&server, &["--prompt", "review"]);
    assert_eq!(shown.stdout, "user: Review this.\nassistant: [image: image/png, 1 bytes]\n");
    assert_eq!(shown.stderr, "A review\n");
}

/// Arguments of prompts are strings; what is not is never sent.
#[tokio::test]
async fn a_prompt_takes_strings_only() {
    let server = serve([contents()]).await;
    for arguments in [r#"{"n":1}"#, "[]", "7"] {
        let run = at(&server, &["--prompt", "review", arguments, "--json"]);
        let line = run.line();
        assert_eq!((run.code, &line["outcome"]), (2, &json!("INVALID_CALL")), "{arguments}: {run:?}");
        assert_eq!((&line["method"], &line["postCount"]), (&json!("prompts/get"), &json!(0)));
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_server_says_what_it_is() {
    let discovered = |versions: Value| {
        result(&json!({ "resultType": "complete", "supportedVersions": versions,
            "capabilities": { "tools": {}, "logging": {}, "extensions": { "com.example/more": {} } },
            "instructions": "Be kind.\nAsk first.",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "host", "version": "1.2" } } }))
    };
    let server = serve([discovered(json!(["2027-01-01", "2026-07-28"]))]).await;
    let run = at(&server, &["--discover"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    posts_of(&server, &["server/discover"]);
    let expected = "host 1.2\nspeaks: 2027-01-01, 2026-07-28\noffers: tools, logging\n\
                    extension: com.example/more\ninstructions:\n    Be kind.\n    Ask first.\n";
    assert_eq!(run.stdout, expected);

    let server = serve([discovered(json!(["2099-01-01"]))]).await;
    let foreign = at(&server, &["--discover"]);
    assert_eq!(foreign.code, 0, "it did answer");
    assert!(foreign.stderr.contains("speaks none of these versions"), "{}", foreign.stderr);
    let server = serve([discovered(json!(["2026-07-28"]))]).await;
    let line = at(&server, &["--discover", "--json"]).line();
    assert_eq!(line["result"]["instructions"], "Be kind.\nAsk first.");
    assert_eq!((&line["method"], &line["tool"]), (&json!("server/discover"), &json!(null)));
}

/// The exit code names the layer, whatever was asked for.
#[tokio::test]
async fn failures_have_the_exit_codes_of_their_layers() {
    for (reply, code, outcome) in [
        (Reply::status(500), 4, "HTTP_ERROR"),
        (refused(200, -32602), 5, "JSONRPC_ERROR"),
        (Reply::json(200, "no"), 6, "MALFORMED_JSON"),
        (Reply::steps([Step::Close]), 7, "TRANSPORT_ERROR"),
    ] {
        for (flags, method) in [
            (&["--read", URI][..], "resources/read"),
            (&["--prompt", "review"], "prompts/get"),
            (&["--discover"], "server/discover"),
        ] {
            let server = serve([reply.clone()]).await;
            let run = at(&server, &[flags, &["--json"]].concat());
            let line = run.line();
            assert_eq!((run.code, &line["outcome"]), (code, &json!(outcome)), "{flags:?}: {run:?}");
            assert!(line["error"]["message"].is_string(), "{flags:?}: {line}");
            posts_of(&server, &[method]);
            let server = serve([reply.clone()]).await;
            let shown = at(&server, flags);
            assert_eq!((shown.code, shown.stdout.as_str()), (code, ""), "{flags:?}");
            assert!(shown.stderr.contains(" layer: "), "{flags:?}: {}", shown.stderr);
        }
    }
}

/// What asks for input is answered, kept, and gone on with in another process, as calls of tools are.
#[tokio::test]
async fn what_asks_for_input_is_answered_kept_and_continued() {
    let got = || result(&json!({ "resultType": "complete", "messages": [], "contents": [] }));
    for (flags, method, name) in
        [(&["--read", URI][..], "resources/read", URI), (&["--prompt", "review"], "prompts/get", "review")]
    {
        let server = serve([asks(&["k"], Some("s")), got()]).await;
        let run = at(&server, &[flags, &["--json", "--answer", "k={}"]].concat());
        assert_eq!((run.code, &run.line()["postCount"]), (0, &json!(2)), "{run:?}");
        let posts = posts_of(&server, &[method; 2]);
        assert_eq!(posts[1]["params"]["requestState"], "s");
        let answer = json!({ "k": { "action": "accept", "content": {} } });
        assert_eq!(posts[1]["params"]["inputResponses"], answer);

        let server = serve([asks(&["k"], Some("s")), Reply::steps([Step::Close]), got()]).await;
        let file = TempFile::absent(&format!("{}.json", method.replace('/', "-")));
        let first = at(&server, &[flags, &["--json", "--suspend", file.path()]].concat());
        assert_eq!((first.code, &first.line()["outcome"]), (3, &json!("INPUT_REQUIRED")), "{first:?}");
        assert!(first.line()["inputRequests"]["k"].is_object(), "{first:?}");
        let resume = ["--resume", file.path(), "--json", "--answer", "k={}"];
        // It breaks, and may have run; the same command does not send it again.
        let broken = at(&server, &resume);
        assert_eq!((broken.code, &broken.line()["delivery"]), (7, &json!("unknown")), "{broken:?}");
        let again = at(&server, &resume);
        assert_eq!((again.code, &again.line()["outcome"]), (2, &json!("INVALID_CALL")), "{again:?}");
        posts_of(&server, &[method; 2]);
        let last = at(&server, &[&resume[..], &["--accept-duplicates", "reading is harmless"]].concat());
        assert_eq!((last.code, &last.line()["outcome"]), (0, &json!("TOOL_SUCCESS")), "{last:?}");
        posts_of(&server, &[method; 3]);
        assert_eq!(server.requests()[2].header("mcp-name"), Some(name));
    }
}

#[test]
fn the_kitchen_can_be_read() {
    let run = |words: &[&str]| run(&[&["--kitchen", "baseline"], words].concat());
    assert_eq!(run(&["--read", "test://resources/valid"]).stdout, "This resource is valid.\n");
    assert_eq!(
        run(&["--prompt", "valid_prompt", r#"{"topic":"bees"}"#]).stdout,
        "user: Tell me about bees.\n"
    );
    let discovered = run(&["--discover"]);
    assert!(discovered.stdout.starts_with("mcp-test-kitchen 1.0.0\nspeaks: 2026-07-28\n"), "{discovered:?}");
    let missing = run(&["--read", "test://resources/none", "--json"]);
    assert_eq!((missing.code, &missing.line()["error"]["rpc"]["code"]), (5, &json!(-32602)));
}
