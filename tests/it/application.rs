//! What the tool says: success, its own error, and all that its content may hold.

use mcp_client::ToolOutcome;
use serde_json::json;

use crate::support::{answer, json_body, mock, posts, record};

#[tokio::test]
async fn c_16_a_complete_result_is_a_success() {
    let result = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "ok" }] });
    let (server, client) = mock(json_body(200, answer(1, result))).await;
    let outcome = client.call_tool("x").send().await;
    assert_eq!(record(&outcome).post_count(), 1);
    let ToolOutcome::Success(output) = outcome.unwrap() else {
        panic!("a success")
    };
    assert_eq!(output.text(), "ok");
    assert_eq!(posts(&server).await.len(), 1);
}
