//! What a request says twice: in its body, and in headers that mirror it; and what its `_meta` says of the client.

mod excluded;
mod meta;
mod names;
mod values;

use mcp_client::{Client, types::Tool};
use mcp_tests::{FaultServer, RawRequest, Reply};
use serde_json::{Value, json};

use crate::fault::good;

fn result(result: &Value) -> Reply {
    Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
}

/// A page of tools that is not to be kept.
fn page(tools: &[Value], next: Option<&str>) -> Reply {
    let mut page = json!({ "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private" });
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    result(&page)
}

/// A tool of that name with these properties.
fn definition(name: &str, properties: &Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
}

fn tool(definition: &Value) -> Tool {
    serde_json::from_value(definition.clone()).unwrap()
}

/// A server that answers every call well, and a client that has learnt these tools.
async fn knowing(tools: &[Value]) -> (FaultServer, Client) {
    let (server, client) = crate::fault::serve([good()]).await;
    let tools: Vec<Tool> = tools.iter().map(tool).collect();
    client.learn_tools(&tools);
    (server, client)
}

/// The `Mcp-Param-…` headers of a request, by name.
fn params(request: &RawRequest) -> Vec<(String, String)> {
    let mut params: Vec<_> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
        .filter(|(name, _)| name.starts_with("mcp-param-"))
        .collect();
    params.sort_unstable();
    params
}

fn last(server: &FaultServer) -> RawRequest {
    server.requests().pop().unwrap()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
