//! Lists: pages, walks, what is left out.

pub(crate) mod desk;
mod entries;
mod pages;
mod stream;
mod time;
mod walks;

use serde_json::{Value, json};

use self::desk::Asked;
use crate::stage::Canned;

/// The definition of a tool of that name.
fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// One page of tools, with the cursor of the next one if there is one.
fn page(names: &[&str], next: Option<&str>) -> Canned {
    let tools: Vec<Value> = names.iter().map(|name| tool(name)).collect();
    let mut result = json!({ "resultType": "complete", "tools": tools });
    if let Some(next) = next {
        result["nextCursor"] = json!(next);
    }
    Canned::result(&result.to_string())
}

/// The names of entries.
fn names(tools: &[mcp_client::types::Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// The cursors that were sent, in order; `None` where there was none.
fn cursors(asked: &[Asked]) -> Vec<Option<String>> {
    asked.iter().map(Asked::cursor).collect()
}

/// That no next page can be had by this cursor.
fn invalid_cursor() -> Canned {
    Canned::json(r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"Invalid cursor"}}"#)
}
