//! The decoder, as a whole call sees it: from the bytes of an answer in memory to a typed outcome.

use bytes::Bytes;
use divan::{Bencher, counter::BytesCount};
use mcp_client::{
    Client, ToolOutcome,
    transport::{Exchange, MemoryTransport},
};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

fn bench(bencher: Bencher<'_, '_>, result: &Value) {
    let text = result.to_string();
    let answer = move |id: &str| Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{text}}}"#));
    let size = answer("1").len();
    let transport = MemoryTransport::new(move |request| {
        let message = answer(&request.id.to_string());
        async move { Ok(Exchange::message(message)) }
    });
    let client = Client::with_transport(transport).build().expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    bencher.counter(BytesCount::new(size)).bench(|| {
        let outcome = runtime.block_on(client.call_tool("bench").send());
        assert!(matches!(outcome, Ok(ToolOutcome::Success(_))));
        outcome
    });
}

#[divan::bench(args = [10, 10_000, 1 << 20])]
fn text(bencher: Bencher<'_, '_>, size: usize) {
    bench(
        bencher,
        &json!({ "resultType": "complete", "content": [{ "type": "text", "text": "x".repeat(size) }] }),
    );
}

#[divan::bench(args = [100, 10_000])]
fn structured(bencher: Bencher<'_, '_>, rows: u64) {
    let rows: Vec<Value> =
        (0..rows).map(|n| json!({ "id": n, "name": format!("row {n}"), "ok": n % 2 == 0 })).collect();
    bench(
        bencher,
        &json!({ "resultType": "complete", "content": [], "structuredContent": { "rows": rows } }),
    );
}

#[divan::bench(args = [1000])]
fn blocks(bencher: Bencher<'_, '_>, count: usize) {
    let block = json!({ "type": "resource_link", "uri": "file:///x", "name": "x", "mimeType": "text/plain" });
    bench(bencher, &json!({ "resultType": "complete", "content": vec![block; count] }));
}
