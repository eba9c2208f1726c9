//! Calls a tool and prints the text that it answers with.

use mcp_client::Client;
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: hello-ours URL")?;
    let client = Client::http(&url)?.build()?;
    let output =
        client.call_tool("echo").arguments(json!({ "text": "hello" })).send().await?.into_success()?;
    println!("{}", output.text());
    Ok(())
}
