//! Its results: without `resultType`, with failures of all kinds as tool errors, told apart by their text.

use mcp_client::{ErrorHintKind as Kind, ToolOutcome, ToolOutput};
use serde_json::{Value, json};

use super::{Legacy, namebeta, namebeta_with};
use crate::stage::{JSONRPC_ERROR, SUCCESS, Stage, TOOL_ERROR, failed, notes};

/// The output of a call of that tool, as the client reads it.
async fn output(server: &mcp_tests::NameBeta, tool: &str, arguments: Value) -> ToolOutput {
    let reply = Legacy::call(tool, &arguments).answer(server).await;
    let text = String::from_utf8(reply.body.clone()).unwrap();
    assert!(
        text.starts_with(r#"{"result":{"#) && text.ends_with(r#","jsonrpc":"2.0","id":{{id}}}"#),
        "{text}"
    );
    let want = if text.contains(r#""isError":true"#) { TOOL_ERROR } else { SUCCESS };
    let outcome = Stage::new().await.ends(&reply, want).await;
    assert_eq!(notes(&outcome), ["missing-result-type"], "{text}");
    match outcome.unwrap() {
        ToolOutcome::Success(output) | ToolOutcome::ToolError(output) => output,
        ToolOutcome::InputRequired(asked) => panic!("no output: {asked:?}"),
    }
}

fn invalid(tool: &str, detail: &str, field: &str) -> Kind {
    let (tool, detail, field) = (tool.to_owned(), detail.to_owned(), Some(field.to_owned()));
    Kind::InvalidArguments { tool, detail, field }
}

#[tokio::test]
async fn n_06_to_n_12_failures_are_tool_errors_and_their_texts_are_hints() {
    let server = namebeta().await;
    let prefix = "MCP error -32602: Input validation error: Invalid arguments for tool";
    let full = "A full domain name is required at domain";
    let big = "Too big: expected array to have <=20 items at domains";
    let rows = [
        (
            "N-08",
            "check_availability",
            json!({ "domains": ["!!!"] }),
            "Invalid domain format".to_owned(),
            None,
        ),
        (
            "N-11",
            "check_availability",
            json!({ "domains": ["a.zzz"] }),
            "Invalid domain format".to_owned(),
            None,
        ),
        (
            "N-09",
            "compare_prices",
            json!({ "domain": "kettlory" }),
            format!("{prefix} compare_prices: {full}"),
            Some(invalid("compare_prices", full, "domain")),
        ),
        (
            "N-10",
            "check_availability",
            json!({ "domains": vec!["a.com"; 21] }),
            format!("{prefix} check_availability: {big}"),
            Some(invalid("check_availability", big, "domains")),
        ),
        (
            "N-10",
            "check_availability",
            json!({ "domains": ["a.com", 1] }),
            format!(
                "{prefix} check_availability: Invalid input: expected string, received number at domains[1]"
            ),
            Some(invalid(
                "check_availability",
                "Invalid input: expected string, received number at domains[1]",
                "domains[1]",
            )),
        ),
        (
            "N-12",
            "nope",
            json!({}),
            "MCP error -32602: Tool nope not found".to_owned(),
            Some(Kind::UnknownTool { name: "nope".to_owned() }),
        ),
        (
            "N-07",
            "check_availability",
            json!({}),
            format!(
                "{prefix} check_availability: Invalid input: expected array, received undefined at domains"
            ),
            Some(invalid(
                "check_availability",
                "Invalid input: expected array, received undefined at domains",
                "domains",
            )),
        ),
    ];
    for (id, tool, arguments, text, hint) in rows {
        let output = output(&server, tool, arguments).await;
        assert!(output.is_error(), "{id}");
        assert_eq!(output.text(), text, "{id}");
        assert_eq!(
            output.error_hint().map(|hint| (hint.code, hint.kind)),
            hint.map(|kind| (-32602, kind)),
            "{id}"
        );
        assert_eq!(output.record().error_code, None, "{id}: no JSON-RPC error, whatever the text says");
    }
}

#[tokio::test]
async fn n_11_stray_characters_are_dropped_and_the_success_says_so() {
    let server = namebeta().await;
    let output = output(&server, "check_availability", json!({ "domains": ["Ket tlory!.COM"] })).await;
    assert!(!output.is_error());
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!(said["results"][0]["domain"], "kettlory.com", "not the string that was sent");
}

#[tokio::test]
async fn n_13_a_failed_lookup_is_a_tool_error_without_a_hint() {
    let server = namebeta_with(|options| options.lookup_failure = Some("WHOIS timed out".to_owned())).await;
    let output = output(&server, "compare_prices", json!({ "domain": "a.com" })).await;
    assert_eq!((output.text().as_ref(), output.is_error()), ("WHOIS timed out", true));
    assert_eq!(output.error_hint(), None);
}

#[tokio::test]
async fn n_14_a_result_without_result_type_and_is_error_is_a_success() {
    let server = namebeta().await;
    let output = output(&server, "compare_prices", json!({ "domain": "kettlory.com" })).await;
    assert_eq!((output.result().result_type.as_ref(), output.result().is_error), (None, None));
    assert!(!output.is_error());
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!(said["offers"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn n_22_an_unknown_method_is_a_json_rpc_error() {
    let server = namebeta().await;
    let reply = Legacy::request("no/such", &json!({})).answer(&server).await;
    let error = failed(Stage::new().await.ends(&reply, JSONRPC_ERROR).await);
    assert_eq!((error.rpc_code(), error.rpc_message()), (Some(-32601), Some("Method not found")));
    assert_eq!(error.http_status(), Some(200));
}

/// The same failure by each of the three paths: it is told where it appeared.
#[tokio::test]
async fn n_01_three_kinds_arrive_by_three_paths() {
    let server = namebeta().await;
    let stage = Stage::new().await;
    let http = Legacy::verb(reqwest::Method::GET).answer(&server).await;
    stage.assert_ends(&http, crate::stage::http_error(mcp_client::Delivery::Refused)).await;
    let tool = Legacy::call("nope", &json!({})).answer(&server).await;
    stage.assert_ends(&tool, TOOL_ERROR).await;
    let malformed = Legacy::new("[").answer(&server).await;
    assert_eq!(malformed.status, 400);
    stage.assert_ends(&malformed, crate::stage::http_error(mcp_client::Delivery::Refused)).await;
}
