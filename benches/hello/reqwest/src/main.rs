//! Calls a tool by hand and prints the text that it answers with.

use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Answer {
    result: Output,
}

#[derive(Deserialize)]
struct Output {
    content: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default)]
    text: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: hello-reqwest URL")?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "hello", "version": "0.1.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "_meta": meta, "name": "echo", "arguments": { "text": "hello" } });
    let answer = reqwest::Client::new()
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "echo")
        .json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
        .send()
        .await?
        .error_for_status()?
        .json::<Answer>()
        .await?;
    for block in answer.result.content {
        println!("{}", block.text);
    }
    Ok(())
}
