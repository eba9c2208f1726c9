//! Many calls that are refused for the headers of one tool list it once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_client::{
    Client, async_trait,
    error::TransportError,
    transport::{Exchange, ExchangeContext, Outgoing, Transport},
};
use serde_json::json;
use tokio::task::JoinSet;

/// Wants the parameter `r` mirrored, and refuses calls without; `never` refuses them all.
#[derive(Debug, Default)]
struct Server {
    lists: AtomicUsize,
    calls: AtomicUsize,
    never: bool,
}

#[async_trait]
impl Transport for Server {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        cx.sending();
        tokio::time::sleep(Duration::from_millis(5)).await;
        let id = &request.id;
        let answer = if request.method == "tools/list" {
            self.lists.fetch_add(1, Ordering::SeqCst);
            let schema =
                json!({ "type": "object", "properties": { "r": { "type": "string", "x-mcp-header": "R" } } });
            json!({ "jsonrpc": "2.0", "id": id, "result": {
                "resultType": "complete", "ttlMs": 0, "cacheScope": "public", "tools": [{ "name": "x", "inputSchema": schema }] } })
        } else {
            self.calls.fetch_add(1, Ordering::SeqCst);
            if request.headers.contains_key("mcp-param-r") && !self.never {
                json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "complete", "content": [] } })
            } else {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32020, "message": "headers" } })
            }
        };
        Ok(Exchange::message(answer.to_string()))
    }

    fn identity(&self) -> &'static str {
        "memory:regions"
    }

    fn carries_headers(&self) -> bool {
        true
    }
}

async fn call_all(server: &Arc<Server>) -> usize {
    let client = Client::with_transport(server.clone()).build().unwrap();
    let mut calls = JoinSet::new();
    for _ in 0..1000 {
        let client = client.clone();
        calls
            .spawn(async move { client.call_tool("x").arguments(json!({ "r": "eu" })).send().await.is_ok() });
    }
    calls.join_all().await.into_iter().filter(|good| *good).count()
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_with_an_outdated_schema_list_the_tools_once() {
    let server = Arc::new(Server::default());
    assert_eq!(call_all(&server).await, 1000);
    assert_eq!((server.lists.load(Ordering::SeqCst), server.calls.load(Ordering::SeqCst)), (1, 2000));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_never_content_is_asked_for_its_list_once() {
    let server = Arc::new(Server { never: true, ..Server::default() });
    assert_eq!(call_all(&server).await, 0);
    assert_eq!((server.lists.load(Ordering::SeqCst), server.calls.load(Ordering::SeqCst)), (1, 2000));
}
