//! What a language model is shown.

use mcp_client::ToolOutcome;
use serde_json::json;

use crate::stage::{Canned, Stage, failed};

#[tokio::test]
async fn c_36_a_model_sees_content_and_structured_content_once() {
    let text = json!([{ "type": "text", "text": "found 2" }]);
    let rows = [
        (json!({ "content": text }), "found 2"),
        (json!({ "content": [] }), ""),
        (json!({ "content": text, "structuredContent": { "n": 2 } }), "found 2\n{\"n\":2}"),
        (json!({ "content": [], "structuredContent": { "n": 2 } }), "{\"n\":2}"),
        (json!({ "content": [], "structuredContent": null }), "null"),
        // Servers should repeat it as text; white space and order are no difference.
        (
            json!({ "content": [{ "type": "text", "text": "{ \"b\": 1,\n \"a\": [2] }" }], "structuredContent": { "a": [2], "b": 1 } }),
            "{ \"b\": 1,\n \"a\": [2] }",
        ),
        (
            json!({ "content": [{ "type": "text", "text": "Summary" }, { "type": "text", "text": "[1]" }], "structuredContent": [1] }),
            "Summary\n[1]",
        ),
        (
            json!({ "content": [{ "type": "image", "data": "QUJD", "mimeType": "image/png" }] }),
            "[image: image/png, 3 bytes]",
        ),
        (json!({ "content": [{ "type": "vendor/x" }] }), "[vendor/x: unknown content]"),
        (json!({ "content": text, "isError": true }), "The tool reported an error: found 2"),
        (json!({ "content": [], "isError": true }), "The tool reported an error: (it gave no reason)"),
        (
            json!({ "content": [{ "type": "text", "text": " \n" }], "isError": true }),
            "The tool reported an error: (it gave no reason)",
        ),
        (
            json!({ "content": [], "structuredContent": { "why": 1 }, "isError": true }),
            "The tool reported an error: {\"why\":1}",
        ),
        (
            json!({ "resultType": "input_required", "requestState": "secret" }),
            "The tool has not finished: it needs input from the user before it can go on.",
        ),
    ];
    let stage = Stage::new().await;
    for (result, shown) in rows {
        let outcome = stage.call(&Canned::result(&result.to_string())).await.unwrap();
        assert_eq!(outcome.for_model(), shown, "{result}");
        if let ToolOutcome::Success(output) = &outcome {
            assert_eq!(output.for_model(), shown, "{result}");
        }
    }
}

#[tokio::test]
async fn a_model_is_told_what_went_wrong_and_whether_it_may_have_been_done() {
    let rows: [(Canned, &str); 8] = [
        (Canned::new(404, "", ""), "The tool call failed: the server answered with HTTP status 404."),
        (
            Canned::new(503, "text/html", "<b>secret</b>").header("X-Secret", "secret"),
            "The tool call failed: the server answered with HTTP status 503. It may have been carried out all the same.",
        ),
        (
            Canned::json(
                r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"No such tool!","data":"secret"}}"#,
            ),
            "The tool call failed with error -32602: No such tool!",
        ),
        (
            Canned::json("{secret"),
            "The tool call failed: the answer is not JSON. It may have been carried out all the same.",
        ),
        (
            Canned::json(r#"{"jsonrpc":"2.0","id":"secret","result":{}}"#),
            "The tool call failed: the answer is not a JSON-RPC response to this call: its id is not that of the request. \
             It may have been carried out all the same.",
        ),
        (
            Canned::result(r#"{"content":"secret"}"#),
            "The tool call failed: the result is invalid at `result.content`: it is not a list. \
             It may have been carried out all the same.",
        ),
        (
            Canned::new(202, "", ""),
            "The tool call failed: the server accepted the request and sent no answer. \
             It may have been carried out all the same.",
        ),
        (
            Canned::new(200, "secret/secret", "secret"),
            "The tool call failed: the answer has a media type that is neither JSON nor an event stream. \
             It may have been carried out all the same.",
        ),
    ];
    let stage = Stage::new().await;
    for (reply, told) in rows {
        let error = failed(stage.call(&reply).await);
        assert_eq!(error.for_model(), told, "{reply:?}");
    }
}

#[tokio::test]
async fn a_model_is_shown_the_beginning_of_a_long_message_only() {
    let stage = Stage::new().await;
    let message = "é".repeat(1000);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": message } }).to_string();
    let error = failed(stage.call(&Canned::json(body)).await);
    assert_eq!(error.for_model(), format!("The tool call failed with error 1: {}.", "é".repeat(256)));
    assert_eq!(error.rpc_message(), Some(message.as_str()), "the fact itself is whole");
}
