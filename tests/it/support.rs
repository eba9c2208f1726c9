//! What the tests of all layers share.

use mcp_client::{CallError, CallRecord, Client, ToolOutcome};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

/// A client of a server, with default settings.
pub(crate) fn client(url: &str) -> Client {
    Client::http(url).unwrap().build().unwrap()
}

/// The text of a response with the id of the request it answers: ids of a new client start at 1.
pub(crate) fn answer(id: i64, result: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// A mock server that gives every request the same response, and a client of it.
pub(crate) async fn mock(response: ResponseTemplate) -> (MockServer, Client) {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(response).mount(&server).await;
    let client = client(&format!("{}/mcp", server.uri()));
    (server, client)
}

/// A JSON response with a status.
pub(crate) fn json_body(status: u16, body: impl Into<Vec<u8>>) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body.into(), "application/json")
}

/// A 200 event stream.
pub(crate) fn sse_body(body: impl Into<Vec<u8>>) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.into(), "text/event-stream")
}

/// All requests that reached the server, each proven to be a POST.
pub(crate) async fn posts(server: &MockServer) -> Vec<Request> {
    let requests = server.received_requests().await.unwrap();
    assert!(
        requests.iter().all(|request| request.method == "POST"),
        "only POSTs are ever sent"
    );
    requests
}

/// The record of a call, however it ended.
pub(crate) fn record(outcome: &Result<ToolOutcome, CallError>) -> &CallRecord {
    match outcome {
        Ok(outcome) => outcome.record(),
        Err(error) => error
            .record()
            .expect("a client finishes every error with its record"),
    }
}
