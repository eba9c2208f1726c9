//! Its refusals: a status, and a JSON-RPC error without an id.

use std::time::Duration;

use mcp_client::{
    CallError, Client, Delivery,
    retry::{Classify, FailureKind},
};
use mcp_tests::NameBeta;
use reqwest::Method;
use serde_json::json;

use super::{Legacy, namebeta, namebeta_with};
use crate::stage::{Canned, Stage, assert_ending, failed, http_error, notes};
use crate::support::client;

/// Makes one call that the server refuses: one POST, and the error in the body is a fact.
async fn refused(server: &NameBeta, client: &Client, status: u16, code: i64) -> CallError {
    server.clear_log();
    let call = client.call_tool("compare_prices").arguments(json!({ "domain": "a.com" }));
    let outcome = call.send().await;
    assert_ending(&outcome, http_error(Delivery::Refused), &[status], &status);
    // An id that is null is nothing odd in an HTTP error.
    assert_eq!(notes(&outcome), [""; 0]);
    let error = failed(outcome);
    assert_eq!(error.rpc_code(), Some(code));
    let posts = server.posts();
    assert_eq!(posts.len(), 1);
    assert_eq!((posts[0].method.as_deref(), posts[0].status), (Some("tools/call"), Some(status)));
    assert_eq!(server.executions("compare_prices"), 0, "the tool is not reached");
    assert!(server.other_requests().is_empty(), "no GET, no DELETE");
    error
}

#[tokio::test]
async fn n_03_a_401_hands_its_challenge_on() {
    let server = namebeta_with(|options| options.require_token = Some("t0ken".to_owned())).await;
    for client in
        [client(&server.url()), crate::support::once(&server.url()).bearer_token("expired").build().unwrap()]
    {
        let error = refused(&server, &client, 401, -32000).await;
        assert_eq!(error.rpc_message(), Some("Unauthorized: the token is missing or invalid"));
        let raw = r#"Bearer realm="namebeta", error="invalid_token""#;
        assert_eq!(error.header("WWW-Authenticate"), Some(raw));
        let [challenge] = error.challenges() else { panic!("one challenge") };
        assert_eq!((challenge.scheme.as_str(), challenge.param("error")), ("Bearer", Some("invalid_token")));
        assert!(!format!("{error:?} {error}").contains("invalid_token"));
    }
    // With the token it gets on to the next refusal.
    let authorized = crate::support::once(&server.url()).bearer_token("t0ken").build().unwrap();
    refused(&server, &authorized, 400, -32000).await;
}

#[tokio::test]
async fn n_05_a_used_up_quota_tells_how_long_to_wait() {
    let server = namebeta_with(|options| {
        options.quota = Some(0);
        options.retry_after = Duration::from_secs(120);
    })
    .await;
    let error = refused(&server, &client(&server.url()), 429, -32000).await;
    assert!(error.is_rate_limited());
    assert_eq!(error.rpc_message(), Some("Quota exceeded"));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(120)));
    let failure = error.failure().unwrap();
    assert_eq!(
        (failure.kind(), failure.retry_after()),
        (FailureKind::RateLimited, Some(Duration::from_secs(120)))
    );
}

/// A call costs one POST of the quota, also when it fails.
#[tokio::test]
async fn n_20_no_quota_is_spent_behind_the_callers_back() {
    let server = namebeta_with(|options| {
        options.quota = Some(3);
        options.retry_after = Duration::from_secs(120);
    })
    .await;
    let client = client(&server.url());
    for _ in 0..3 {
        refused(&server, &client, 400, -32000).await;
    }
    refused(&server, &client, 429, -32000).await;
}

#[tokio::test]
async fn n_21_the_stack_refuses_the_revision() {
    let server = namebeta().await;
    let client = client(&server.url());
    let error = refused(&server, &client, 400, -32000).await;
    let versions = "2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07";
    let text =
        format!("Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: {versions})");
    assert_eq!(error.rpc_message(), Some(text.as_str()));
    assert!(error.supported_versions().is_none(), "the code is not that of the protocol");
    assert_eq!(error.failure().unwrap().kind(), FailureKind::Invalid);
    let CallError::Http(http) = &error else { panic!("an HTTP error") };
    let body: serde_json::Value = serde_json::from_slice(http.body()).unwrap();
    assert_eq!(body["id"], serde_json::Value::Null);
}

#[tokio::test]
async fn n_04_n_15_no_session_no_get_no_delete() {
    let server = namebeta().await;
    let client = client(&server.url());
    for _ in 0..2 {
        refused(&server, &client, 400, -32000).await;
        let post = &server.posts()[0];
        assert_eq!(post.header("mcp-session-id"), None);
        assert_eq!(post.header("last-event-id"), None);
    }
    drop(client);
    assert!(server.other_requests().is_empty(), "there is no session to delete");
}

#[tokio::test]
async fn n_16_n_18_both_types_are_accepted_and_nothing_is_batched() {
    let server = namebeta().await;
    let client = client(&server.url());
    let mut calls = Vec::new();
    for _ in 0..8 {
        calls.push(client.call_tool("compare_prices").send());
    }
    for outcome in futures_util::future::join_all(calls).await {
        assert_ending(&outcome, http_error(Delivery::Refused), &[400], &"neither 406 nor 415");
    }
    let posts = server.posts();
    assert_eq!(posts.len(), 8, "each call is a message of its own");
    for post in posts {
        assert_eq!(post.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(post.header("content-type"), Some("application/json"));
        assert!(post.body.unwrap().is_object());
    }
}

/// What the client itself never provokes, as an answer to it: fix the request, never repeat it.
#[tokio::test]
async fn n_02_n_16_to_n_19_refusals_of_bad_requests() {
    let server = namebeta().await;
    let ping = || Legacy::request("ping", &json!({}));
    let rows: [(&str, Legacy, u16, i64); 7] = [
        ("N-04", Legacy::verb(Method::GET), 405, -32000),
        ("N-04", Legacy::verb(Method::DELETE), 405, -32000),
        ("N-16", ping().header("accept", "application/json"), 406, -32000),
        ("N-16", ping().header("accept", "text/event-stream"), 406, -32000),
        ("N-22", ping().header("content-type", "text/plain"), 415, -32000),
        ("N-17", Legacy::new("{"), 400, -32700),
        ("N-18", Legacy::new("[{},{}]"), 400, -32600),
    ];
    let stage = Stage::new().await;
    for (id, request, status, code) in rows {
        let reply: Canned = request.answer(&server).await;
        assert_eq!(reply.status, status, "{id}");
        let outcome = stage.ends(&reply, http_error(Delivery::Refused)).await;
        assert_eq!(notes(&outcome), [""; 0], "{id}");
        let error = failed(outcome);
        assert_eq!(error.rpc_code(), Some(code), "{id}");
        assert_eq!(error.header("allow"), (status == 405).then_some("POST"), "{id}");
        let failure = error.failure().unwrap();
        assert_eq!((failure.kind(), failure.delivery()), (FailureKind::Invalid, Delivery::Refused), "{id}");
    }
}
