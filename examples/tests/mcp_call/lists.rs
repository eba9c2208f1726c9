//! What a server has, page by page: tools, resources, prompts.

use mcp_tests::{FaultServer, Reply};
use serde_json::{Value, json};

use crate::program::{Run, posts_of, run, serve};

pub(crate) fn result(result: &Value) -> Reply {
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

pub(crate) fn refused(status: u16, code: i64) -> Reply {
    let error = json!({ "code": code, "message": "No\u{1b}[2J" });
    Reply::json(status, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{error}}}"#))
}

fn list(server: &FaultServer, flags: &[&str]) -> Run {
    let url = server.url();
    run(&[&[url.as_str(), "--retry", "never"], flags].concat())
}

/// A page of tools, one of which asks for a header that the protocol forbids, and one of which is malformed.
fn tools() -> [Reply; 2] {
    let bad_header = json!({ "type": "object",
        "properties": { "a": { "type": "string", "x-mcp-header": "no token" } } });
    let first = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "nextCursor": "2", "tools": [
        { "name": "get_weather", "title": "Weather", "description": "Says what\nthe weather\u{1b}[2J is.",
          "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true, "openWorldHint": false },
          "com.example/more": 12 },
        { "name": "bad_header", "inputSchema": bad_header },
        { "name": "no_schema" },
    ] });
    let last = json!({ "resultType": "complete", "tools": [
        { "name": "plain", "inputSchema": { "type": "object" } },
        { "name": 7 },
    ] });
    [result(&first), result(&last)]
}

#[tokio::test]
async fn all_pages_of_the_tools_are_one_json_line() {
    let server = serve(tools()).await;
    let run = list(&server, &["--list", "--json", "--scenario", "label"]);
    let line = run.line();
    assert_eq!(run.code, 0, "{run:?}");
    let posts = posts_of(&server, &["tools/list"; 2]);
    assert_eq!((posts[0]["params"].get("cursor"), &posts[1]["params"]["cursor"]), (None, &json!("2")));
    let names: Vec<_> = line["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["get_weather", "plain"]);
    assert_eq!(line["tools"][0]["com.example/more"], 12, "as it came");
    assert_eq!((&line["complete"], &line["pages"]), (&json!(true), &json!(2)));
    let record = &line["record"];
    assert_eq!((&record["method"], &record["scenario"]), (&json!("tools/list"), &json!("label")));
    assert_eq!((&record["outcome"], &record["postCount"]), (&json!("TOOL_SUCCESS"), &json!(2)));
    assert_eq!(record["httpStatuses"], json!([200, 200]));
    let skipped: Vec<_> =
        line["skipped"].as_array().unwrap().iter().map(|entry| entry["name"].clone()).collect();
    assert_eq!(skipped, [json!("bad_header"), json!("no_schema"), json!(null)]);
    for (index, reason) in ["x-mcp-header", "it is malformed", "it is malformed"].into_iter().enumerate() {
        let told = line["skipped"][index]["reason"].as_str().unwrap();
        assert!(told.contains(reason), "{reason}: {told}");
    }
    assert_eq!(line.get("error"), None);
    assert_eq!(run.stderr, "");
}

/// A person reads the tools on standard output, and what was left out on standard error.
#[tokio::test]
async fn tools_are_listed_for_a_person() {
    let server = serve(tools()).await;
    let run = list(&server, &["--list"]);
    assert_eq!(run.code, 0, "{run:?}");
    let expected = "get_weather (Weather)\n    Says what\n    the weather\u{FFFD}[2J is.\n    \
                    says of itself: read-only, closed world\nplain\n";
    assert_eq!(run.stdout, expected);
    let told: Vec<_> = run.stderr.lines().collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("left out: `bad_header`: "), "{told:?}");
    assert!(told[1].starts_with("left out: `no_schema`: it is malformed: "), "{told:?}");
    assert!(told[2].starts_with("left out: entry 1 of its page: it is malformed: "), "{told:?}");
}

fn resources() -> Reply {
    result(&json!({ "resultType": "complete", "resources": [
        { "uri": "file:///a.txt", "name": "a", "title": "The first", "mimeType": "text/plain", "size": 12 },
        { "uri": "no name" },
    ] }))
}

fn templates() -> Reply {
    result(&json!({ "resultType": "complete", "resourceTemplates": [
        { "uriTemplate": "file:///{path}", "name": "files", "description": "Any file" },
    ] }))
}

#[tokio::test]
async fn resources_come_with_their_templates() {
    let server = serve([resources(), templates()]).await;
    let run = list(&server, &["--list-resources", "--json"]);
    let line = run.line();
    assert_eq!(run.code, 0, "{run:?}");
    posts_of(&server, &["resources/list", "resources/templates/list"]);
    assert_eq!(line["resources"][0]["uri"], "file:///a.txt");
    assert_eq!(line["resourceTemplates"][0]["uriTemplate"], "file:///{path}");
    assert_eq!((&line["complete"], &line["pages"]), (&json!(true), &json!(2)));
    assert_eq!(line["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(line["record"]["postCount"], 2);

    let server = serve([resources(), templates()]).await;
    let shown = list(&server, &["--list-resources"]);
    assert_eq!(
        shown.stdout,
        "file:///a.txt (The first)\n    text/plain\n    12 bytes\nfile:///{path} (files)\n    Any file\n"
    );
    assert!(shown.stderr.starts_with("left out: entry 1 of its page: "), "{}", shown.stderr);
}

/// Many servers have resources, and do not know of templates.
#[tokio::test]
async fn a_server_without_templates_has_none() {
    for status in [200, 404] {
        let server = serve([resources(), refused(status, -32601)]).await;
        let run = list(&server, &["--list-resources", "--json"]);
        let line = run.line();
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(line["resourceTemplates"], json!([]));
        assert_eq!((&line["complete"], &line["pages"]), (&json!(true), &json!(1)));
        assert_eq!(line["record"]["method"], "resources/list");
        assert_eq!(line["record"]["httpStatuses"], json!([200, status]));
        assert_eq!(line.get("error"), None);
        assert_eq!(run.stderr, "mcp-call: the server does not list resource templates\n");
    }
    // Any other failure is one.
    let server = serve([resources(), Reply::status(503)]).await;
    let run = list(&server, &["--list-resources", "--json"]);
    let line = run.line();
    assert_eq!((run.code, &line["complete"]), (4, &json!(false)), "{run:?}");
    assert_eq!(line["resources"][0]["name"], "a", "what came is told");
    assert_eq!(line["error"]["http"]["status"], 503);
    assert_eq!(line["record"]["outcome"], "HTTP_ERROR");
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments() {
    let prompts = result(&json!({ "resultType": "complete", "prompts": [
        { "name": "review", "description": "Reviews code", "arguments": [
            { "name": "code", "description": "What to review", "required": true }, { "name": "style" } ] },
    ] }));
    let server = serve([prompts.clone()]).await;
    let run = list(&server, &["--list-prompts"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let expected = "review\n    Reviews code\n    code (required): What to review\n    style\n";
    assert_eq!(run.stdout, expected);
    posts_of(&server, &["prompts/list"]);
    let server = serve([prompts]).await;
    let line = list(&server, &["--list-prompts", "--json"]).line();
    assert_eq!(line["prompts"][0]["arguments"][0]["required"], true);
    assert_eq!((&line["skipped"], &line["complete"]), (&json!([]), &json!(true)));
}

/// A list that ends early says so, tells what it has, and has the exit code of its layer.
#[tokio::test]
async fn a_list_that_ends_early_tells_what_it_has() {
    let [first, _] = tools();
    for (what, second, code, outcome, words) in [
        ("an HTTP error", Reply::status(502), 4, "HTTP_ERROR", "transport layer"),
        ("a JSON-RPC error", refused(200, -32603), 5, "JSONRPC_ERROR", "protocol layer"),
        ("no valid answer", Reply::json(200, "{}"), 6, "INVALID_ENVELOPE", "protocol layer"),
        ("a broken stream", Reply::steps([mcp_tests::Step::Close]), 7, "TRANSPORT_ERROR", "transport layer"),
        ("the same cursor", first.clone(), 6, "TOOL_SUCCESS", "the same cursor twice"),
    ] {
        let script = [first.clone(), second];
        let server = serve(script.clone()).await;
        let run = list(&server, &["--list", "--json"]);
        let line = run.line();
        assert_eq!(run.code, code, "{what}: {run:?}");
        posts_of(&server, &["tools/list"; 2]);
        assert_eq!(line["tools"][0]["name"], "get_weather", "{what}");
        assert_eq!(line["complete"], false, "{what}");
        assert_eq!(line["record"]["outcome"], outcome, "{what}");
        assert!(!line["error"]["message"].as_str().unwrap().is_empty(), "{what}: {line}");

        let server = serve(script).await;
        let shown = list(&server, &["--list"]);
        assert_eq!(shown.code, code, "{what}");
        assert!(shown.stdout.starts_with("get_weather (Weather)\n"), "{what}: {shown:?}");
        for part in ["The list ended early", words] {
            assert!(shown.stderr.contains(part), "{what}: {}", shown.stderr);
        }
        assert!(!shown.stderr.contains('\u{1b}'), "{what}: {shown:?}");
    }
}

/// Nothing at all came.
#[tokio::test]
async fn a_list_that_cannot_be_had_has_no_entries() {
    let server = serve([refused(404, -32601)]).await;
    let run = list(&server, &["--list-prompts", "--json"]);
    let line = run.line();
    assert_eq!((run.code, &line["prompts"], &line["pages"]), (4, &json!([]), &json!(0)), "{run:?}");
    assert_eq!(line["error"]["rpc"]["code"], -32601);
    let nobody = run_at_nobody(&["--list", "--json"]);
    assert_eq!((nobody.code, &nobody.line()["record"]["delivery"]), (7, &json!("notSent")), "{nobody:?}");
}

fn run_at_nobody(flags: &[&str]) -> Run {
    run(&[&["http://127.0.0.1:1/mcp"], flags].concat())
}

/// What a newcomer tries first.
#[test]
fn the_kitchen_has_something_of_each() {
    for (flag, member, first) in [
        ("--list", "tools", "run_configured_test_scenario"),
        ("--list-resources", "resources", "valid_resource"),
        ("--list-prompts", "prompts", "valid_prompt"),
    ] {
        let run = run(&["--kitchen", "baseline", flag, "--json"]);
        let line = run.line();
        assert_eq!((run.code, line[member][0]["name"].as_str()), (0, Some(first)), "{run:?}");
        assert_eq!(line["complete"], true);
    }
    let paged = run(&["--kitchen", "catalog.pagination", "--list-resources", "--json"]).line();
    assert_eq!((paged["resources"].as_array().unwrap().len(), &paged["pages"]), (10, &json!(5)));
    let missing = run(&["--kitchen", "catalog.facet_unavailable", "--list-resources", "--json"]);
    assert_eq!((missing.code, &missing.line()["error"]["rpc"]["code"]), (5, &json!(-32601)), "{missing:?}");
}

/// `mcp-call --list | head -1` is no failure.
#[cfg(unix)]
#[tokio::test]
async fn who_stops_reading_breaks_nothing() {
    let tools: Vec<_> = (0..20_000)
        .map(|n| json!({ "name": format!("tool-{n}"), "inputSchema": { "type": "object" } }))
        .collect();
    let server = serve([result(&json!({ "resultType": "complete", "tools": tools }))]).await;
    let mut child = crate::program::start(&[&server.url(), "--list"]);
    drop(child.stdout.take());
    let stderr = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}
