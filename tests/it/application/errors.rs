//! The tool's own errors: outcomes, not failures; and what their text hints at.

use mcp_client::{ErrorHintKind as Kind, NotSuccess, ToolOutcome};
use serde_json::json;

use super::{blocks, outputs};
use crate::stage::{Canned, Stage, TOOL_ERROR, response};
use crate::support::record;

fn tool_error(text: &str) -> String {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }], "isError": true })
        .to_string()
}

#[tokio::test]
async fn n_06_a_tool_error_is_an_answer_and_no_json_rpc_error() {
    let stage = Stage::new().await;
    let result = tool_error("disk full");
    for reply in [Canned::result(&result), Canned::sse(&[&response(&result)])] {
        let outcome = stage.ends(&reply, TOOL_ERROR).await;
        assert_eq!(record(&outcome).error_code, None);
        assert_eq!(record(&outcome).attempts.attempts()[0].failed.as_deref(), Some("TOOL_ERROR"));
        let outcome = outcome.unwrap();
        let ToolOutcome::ToolError(output) = &outcome else { panic!("a tool error") };
        assert_eq!((output.text().as_ref(), output.is_error()), ("disk full", true));
        let NotSuccess::ToolError(output) = outcome.into_success().unwrap_err() else {
            panic!("a tool error")
        };
        assert_eq!(output.text(), "disk full");
    }
}

#[tokio::test]
async fn into_success_hands_everything_back() {
    let stage = Stage::new().await;
    let output = stage.call(&Canned::result(&blocks(""))).await.unwrap().into_success().unwrap();
    assert_eq!(output.content().len(), 0);
    let asked = r#"{"resultType":"input_required","requestState":"s"}"#;
    let refusal = stage.call(&Canned::result(asked)).await.unwrap().into_success().unwrap_err();
    let NotSuccess::InputRequired(asked) = refusal else { panic!("a request for input") };
    assert_eq!(asked.request_state().unwrap().as_str(), "s");
}

fn invalid(tool: &str, detail: &str, field: Option<&str>) -> Kind {
    Kind::InvalidArguments {
        tool: tool.to_owned(),
        detail: detail.to_owned(),
        field: field.map(str::to_owned),
    }
}

#[tokio::test]
async fn n_07_n_10_n_12_well_known_texts_are_read_as_hints() {
    let prefix = "MCP error -32602: Input validation error: Invalid arguments for tool";
    let rows = [
        (
            format!("{prefix} compare_prices: A full domain name is required at domain"),
            Some((
                -32602,
                invalid("compare_prices", "A full domain name is required at domain", Some("domain")),
            )),
        ),
        (
            format!("{prefix} check_availability: Too big: expected array to have <=20 items at domains"),
            Some((
                -32602,
                invalid(
                    "check_availability",
                    "Too big: expected array to have <=20 items at domains",
                    Some("domains"),
                ),
            )),
        ),
        (
            format!("{prefix} x: Invalid input: expected string, received number at domains[1]"),
            Some((
                -32602,
                invalid(
                    "x",
                    "Invalid input: expected string, received number at domains[1]",
                    Some("domains[1]"),
                ),
            )),
        ),
        (format!("{prefix} x: something is wrong"), Some((-32602, invalid("x", "something is wrong", None)))),
        (
            "MCP error -32602: Tool nope not found".to_owned(),
            Some((-32602, Kind::UnknownTool { name: "nope".to_owned() })),
        ),
        (
            "MCP error -32602: Tool a b not found".to_owned(),
            Some((-32602, Kind::UnknownTool { name: "a b".to_owned() })),
        ),
        (
            "MCP error -32603: disk on fire".to_owned(),
            Some((-32603, Kind::Other { message: "disk on fire".to_owned() })),
        ),
        ("Invalid domain format".to_owned(), None),
        ("WHOIS timed out".to_owned(), None),
        (String::new(), None),
        ("MCP error".to_owned(), None),
        ("MCP error x: y".to_owned(), None),
        ("An MCP error -32602: Tool nope not found".to_owned(), None),
    ];
    let stage = Stage::new().await;
    for (text, expected) in rows {
        for output in outputs(&stage, &tool_error(&text)).await {
            let hint = output.error_hint().map(|hint| (hint.code, hint.kind));
            assert_eq!(hint, expected, "{text}");
            assert_eq!(output.text(), text, "a hint changes nothing");
            assert_eq!(output.record().error_code, None, "{text}");
        }
        // The same text in a success is what the tool found, not what went wrong.
        let success =
            json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] }).to_string();
        for output in outputs(&stage, &success).await {
            assert_eq!(output.error_hint(), None, "{text}");
        }
    }
}
