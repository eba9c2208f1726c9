//! The Kitchen's `errors.http_status_sequence` `[503, 200]`: one call, and who may have it sent twice.

use mcp_client::{
    CallToolBuilder, ClientBuilder, Delivery, IdempotencyKey, OutcomeKind,
    retry::{Registry, Repeat, StopReason, Trust},
    types::Tool,
};
use mcp_tests::{Kitchen, Post};
use serde_json::{Value, json};

use super::{Ended, always, attempts, plain, quick, read_only, stopped, tool};
use crate::support::record;

const RUN: &str = "run_configured_test_scenario";

async fn kitchen() -> Kitchen {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.select("errors.http_status_sequence", json!({ "statusCodes": [503, 200] })).unwrap();
    kitchen
}

/// Calls the tool of a fresh Kitchen, by a client and in a way that are said.
async fn serve(
    set_up: impl FnOnce(ClientBuilder) -> ClientBuilder,
    say: impl FnOnce(CallToolBuilder) -> CallToolBuilder,
) -> (Ended, Vec<Post>) {
    let kitchen = kitchen().await;
    let client = set_up(plain(&kitchen.url()).retry(quick().build())).build().unwrap();
    let ended = say(client.call_tool(RUN)).send().await;
    let posts = kitchen.posts();
    // The 503 is sent in front of the tool: it runs in the second POST, or not at all.
    assert_eq!(kitchen.executions(RUN), posts.len() as u64 - 1);
    assert_eq!(kitchen.completions(RUN), posts.len() as u64 - 1);
    (ended, posts)
}

#[track_caller]
fn one_post((ended, posts): &(Ended, Vec<Post>), stop: &StopReason) {
    let error = ended.as_ref().unwrap_err();
    assert_eq!((error.outcome(), error.http_status()), (OutcomeKind::HttpError, Some(503)));
    assert_eq!(error.delivery(), Delivery::Unknown, "a gateway's 503 proves nothing");
    assert_eq!((posts.len(), attempts(ended).len()), (1, 1));
    assert_eq!(stopped(ended), Some(stop));
    assert_eq!((&posts[0].id, posts[0].status), (&Some(json!(1)), Some(503)));
    let line: Value = serde_json::from_str(&record(ended).to_json()).unwrap();
    assert_eq!(line["postCount"], 1);
    assert_eq!(line["httpStatuses"], json!([503]));
    assert_eq!(line["retryOrigin"], "none");
    assert_eq!(line["delivery"], "unknown");
    assert_eq!(
        without_times(&line["attempts"]),
        json!([{ "number": 1, "requestId": 1, "origin": "none", "failed": "HTTP_ERROR" }])
    );
}

#[track_caller]
fn two_posts((ended, posts): &(Ended, Vec<Post>)) {
    let record = record(ended);
    assert_eq!(
        (record.outcome, record.delivery),
        (OutcomeKind::ToolSuccess, Delivery::Answered),
        "{ended:?}"
    );
    assert_eq!(stopped(ended), Some(&StopReason::Done));
    let seen: Vec<_> = posts.iter().map(|post| (post.id.clone().unwrap(), post.status)).collect();
    assert_eq!(seen, [(json!(1), Some(503)), (json!(2), Some(200))], "a new id each");
    // But for the id it is the same call.
    let params = |post: &Post| post.at("/params").cloned().unwrap();
    assert_eq!(params(&posts[0]), params(&posts[1]));
    for name in ["mcp-method", "mcp-name", "mcp-protocol-version", "content-type", "accept"] {
        assert_eq!(posts[0].header(name), posts[1].header(name), "{name}");
    }
    let line: Value = serde_json::from_str(&record.to_json()).unwrap();
    assert_eq!(line["postCount"], 2);
    assert_eq!(line["httpStatuses"], json!([503, 200]));
    assert_eq!(line["retryOrigin"], "sdk");
    assert_eq!(line["jsonrpc"], json!({ "id": 2, "errorCode": null }));
    assert_eq!(
        without_times(&line["attempts"]),
        json!([
            { "number": 1, "requestId": 1, "origin": "none", "failed": "HTTP_ERROR" },
            { "number": 2, "requestId": 2, "origin": "sdk", "failed": null, "delayMs": 2,
              "delaySource": "backoff", "decidedBy": "Standard" },
        ])
    );
}

/// The attempts without how long they took, which each must say.
fn without_times(attempts: &Value) -> Value {
    let mut attempts = attempts.clone();
    for attempt in attempts.as_array_mut().unwrap() {
        let took = attempt.as_object_mut().unwrap().remove("tookMs");
        assert!(took.is_some_and(|took| took.is_u64()));
    }
    attempts
}

fn trusting(client: ClientBuilder) -> ClientBuilder {
    client.trust(Trust::Trusted)
}

/// What a tool may say, and whether its word is enough where its server is trusted.
fn annotated() -> Vec<(Tool, bool)> {
    vec![
        (read_only(RUN), true),
        (tool(RUN, &json!({ "idempotentHint": true })), true),
        (tool(RUN, &json!({ "readOnlyHint": false, "idempotentHint": true })), true),
        (tool(RUN, &json!({ "readOnlyHint": false })), false),
        (tool(RUN, &json!({ "idempotentHint": false, "destructiveHint": false })), false),
        (tool(RUN, &json!({})), false),
        // Of the wrong type, so it says nothing.
        (tool(RUN, &json!({ "readOnlyHint": "true" })), false),
    ]
}

#[tokio::test]
async fn an_unannotated_tool_is_called_once() {
    one_post(&serve(|client| client, |call| call).await, &StopReason::MayHaveRun);
    // Trusting the server changes nothing where it says nothing.
    one_post(&serve(trusting, |call| call).await, &StopReason::MayHaveRun);
}

#[tokio::test]
async fn annotations_count_where_the_server_is_trusted() {
    for (tool, enough) in annotated() {
        let served = serve(trusting, |call| call.tool(&tool)).await;
        if enough {
            two_posts(&served);
        } else {
            one_post(&served, &StopReason::MayHaveRun);
        }
    }
}

#[tokio::test]
async fn annotations_of_a_server_that_nobody_trusts_widen_nothing() {
    for (tool, _) in annotated() {
        one_post(&serve(|client| client, |call| call.tool(&tool)).await, &StopReason::MayHaveRun);
        let untrusted = |client: ClientBuilder| trusting(client).trust(Trust::Untrusted);
        one_post(&serve(untrusted, |call| call.tool(&tool)).await, &StopReason::MayHaveRun);
    }
}

#[tokio::test]
async fn the_callers_word_is_enough() {
    two_posts(&serve(|client| client, CallToolBuilder::idempotent).await);
}

#[tokio::test]
async fn a_key_is_the_same_on_every_post() {
    let served = serve(
        |client| client,
        |call| {
            let key = IdempotencyKey::in_argument("/request/id").generate();
            call.arguments(json!({ "message": "pay", "request": { "by": "card" } })).idempotency_key(key)
        },
    )
    .await;
    two_posts(&served);
    let keys: Vec<_> = served.1.iter().map(|post| post.at("/params/arguments/request/id").unwrap()).collect();
    assert_eq!(keys[0], keys[1]);
    assert!(keys[0].as_str().is_some_and(|key| key.len() == 36), "a UUID: {keys:?}");
    assert_eq!(served.1[0].at("/params/arguments/request/by"), Some(&json!("card")));

    let name = "com.example/idempotencyKey";
    let served = serve(
        |client| client,
        |call| {
            call.meta("com.example/other", "00-1")
                .idempotency_key(IdempotencyKey::in_meta(name).value("order 7/é"))
        },
    )
    .await;
    two_posts(&served);
    for post in &served.1 {
        let meta = post.at("/params/_meta").unwrap();
        assert_eq!((&meta[name], &meta["com.example/other"]), (&json!("order 7/é"), &json!("00-1")));
        // Nor does it stand in another place.
        assert_eq!(String::from_utf8_lossy(&post.raw).matches("order 7/é").count(), 1);
    }
}

#[tokio::test]
async fn generated_keys_differ_from_call_to_call() {
    let mut keys = Vec::new();
    for _ in 0..2 {
        let key = IdempotencyKey::in_argument("/id").generate();
        let served = serve(|client| client, |call| call.idempotency_key(key)).await;
        keys.push(served.1[0].at("/params/arguments/id").unwrap().clone());
    }
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test]
async fn not_idempotent_beats_everything() {
    let vouched = |client: ClientBuilder| {
        let registry = Registry::new().tool("*", Repeat::ReadOnly);
        trusting(client).registry(registry).retry(quick().policy(always()).build())
    };
    let key = || IdempotencyKey::in_argument("/id").value("k");
    one_post(
        &serve(vouched, |call| call.tool(&read_only(RUN)).not_idempotent()).await,
        &StopReason::MayHaveRun,
    );
    // Beside a key, in either order: the key is sent, and vouches for nothing.
    let before = serve(vouched, |call| call.not_idempotent().idempotency_key(key())).await;
    let after = serve(vouched, |call| call.idempotency_key(key()).not_idempotent()).await;
    for served in [before, after] {
        one_post(&served, &StopReason::MayHaveRun);
        assert_eq!(served.1[0].at("/params/arguments/id"), Some(&json!("k")));
    }
    // Of two words of the caller's on the tool itself, the last one holds.
    two_posts(&serve(trusting, |call| call.not_idempotent().idempotent()).await);
    one_post(&serve(vouched, |call| call.idempotent().not_idempotent()).await, &StopReason::MayHaveRun);
}

#[tokio::test]
async fn the_registry_beats_annotations() {
    let knows = |repeat| move |client: ClientBuilder| client.registry(Registry::new().tool("run_*", repeat));
    // It says no, and a trusted server says yes.
    let unsafe_ = |client: ClientBuilder| trusting(knows(Repeat::Unsafe)(client));
    one_post(&serve(unsafe_, |call| call.tool(&read_only(RUN))).await, &StopReason::MayHaveRun);
    // It says yes, and a server that nobody trusts says no.
    let says_no = tool(RUN, &json!({ "readOnlyHint": false, "idempotentHint": false }));
    two_posts(&serve(knows(Repeat::Idempotent), |call| call.tool(&says_no)).await);
    two_posts(&serve(knows(Repeat::ReadOnly), |call| call).await);
    // And the caller beats it.
    one_post(&serve(knows(Repeat::ReadOnly), CallToolBuilder::not_idempotent).await, &StopReason::MayHaveRun);
    let unsafe_ = knows(Repeat::Unsafe);
    two_posts(&serve(unsafe_, CallToolBuilder::idempotent).await);
}

/// A connection that breaks after the request was sent: the work may have been done.
#[tokio::test]
async fn a_connection_that_the_kitchen_closes() {
    for (vouched, posts) in [(false, 1), (true, 2)] {
        let kitchen = Kitchen::start().await.unwrap();
        kitchen.select("errors.connection_close", json!({})).unwrap();
        let client = plain(&kitchen.url()).retry(quick().build()).build().unwrap();
        let call = client.call_tool(RUN);
        let ended = if vouched { call.idempotent() } else { call }.send().await;
        assert_eq!((kitchen.posts().len(), record(&ended).post_count()), (posts, posts));
        assert_eq!(kitchen.executions(RUN), posts as u64 - 1);
        assert_eq!(ended.is_ok(), vouched);
        assert_eq!(stopped(&ended), Some(if vouched { &StopReason::Done } else { &StopReason::MayHaveRun }));
    }
}
