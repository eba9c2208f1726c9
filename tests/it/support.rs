//! What the tests of all layers share.

use mcp_client::{CallError, CallRecord, Client, ClientBuilder, Retry, ToolOutcome};
use wiremock::{MockServer, Request, ResponseTemplate};

/// A builder of a client that makes each call once: what a layer says is looked at alone.
pub(crate) fn once(url: &str) -> ClientBuilder {
    Client::http(url).unwrap().retry(Retry::never())
}

/// A client of a server that makes each call once.
pub(crate) fn client(url: &str) -> Client {
    once(url).build().unwrap()
}

/// A JSON response with a status.
pub(crate) fn json_body(status: u16, body: impl Into<Vec<u8>>) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body.into(), "application/json")
}

/// All requests that reached the server, each proven to be a POST.
pub(crate) async fn posts(server: &MockServer) -> Vec<Request> {
    let requests = server.received_requests().await.unwrap();
    assert!(requests.iter().all(|request| request.method == "POST"), "only POSTs are ever sent");
    requests
}

/// The record of a call, however it ended.
pub(crate) fn record(outcome: &Result<ToolOutcome, CallError>) -> &CallRecord {
    CallRecord::of(outcome).expect("a client finishes every error with its record")
}
