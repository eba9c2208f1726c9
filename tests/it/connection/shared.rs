//! Many calls of one client: on one connection after the other, and at once.

use std::collections::HashSet;

use futures_util::future::join_all;
use mcp_client::{Client, OutcomeKind, types::RequestId};
use mcp_tests::{Kitchen, Post};
use serde_json::{Value, json};

use crate::{
    fault::in_time,
    support::{client, record},
};

const TOOL: &str = "run_configured_test_scenario";

/// That many `tools/call`, nothing else, each with an id of its own.
fn only_calls(kitchen: &Kitchen, count: usize) -> Vec<Post> {
    let posts = kitchen.posts();
    assert_eq!(posts.len(), count);
    assert!(posts.iter().all(|post| post.method.as_deref() == Some("tools/call")));
    let ids: HashSet<String> = posts.iter().map(|post| post.id.as_ref().unwrap().to_string()).collect();
    assert_eq!(ids.len(), count, "no id is used twice");
    assert!(kitchen.other_requests().is_empty(), "only POSTs are ever sent");
    posts
}

/// The Kitchen forges some answers as JSON and sends the others as event streams: all go over one connection.
#[tokio::test]
async fn twenty_calls_share_one_connection() {
    let kitchen = Kitchen::start().await.unwrap();
    let client = client(&kitchen.url());
    for number in 0..10 {
        kitchen.switch("errors.jsonrpc_error", json!({})).unwrap();
        for (kind, media_type) in
            [(OutcomeKind::JsonrpcError, "application/json"), (OutcomeKind::ToolSuccess, "text/event-stream")]
        {
            let ended = in_time(client.call_tool(TOOL).send()).await;
            assert_eq!(record(&ended).outcome, kind, "{number}");
            assert_eq!(record(&ended).content_type.as_deref(), Some(media_type), "{number}");
        }
    }
    let posts = only_calls(&kitchen, 20);
    assert!(
        posts.iter().all(|post| post.connection == 1),
        "{:?}",
        posts.iter().map(|p| p.connection).collect::<Vec<_>>()
    );
    assert_eq!(kitchen.connections(), 1);
}

/// Calls with the number as their message; each answer must be that of its own call.
async fn numbered(client: Client, number: usize) -> RequestId {
    let message = format!("call {number}");
    let ended = in_time(client.call_tool(TOOL).arguments(json!({ "message": message })).send()).await;
    let output = ended.unwrap().into_success().unwrap();
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!(said["message"], json!(message));
    assert_eq!(output.record().posts, [Some(200)]);
    output.record().request_id.clone().unwrap()
}

/// What the server logged as the message of a request.
fn message(post: &Post) -> &str {
    post.at("/params/arguments/message").unwrap().as_str().unwrap()
}

#[tokio::test]
async fn sixty_four_calls_at_once_have_each_their_own_answer() {
    let kitchen = Kitchen::start().await.unwrap();
    let client = client(&kitchen.url());
    let ids = join_all((0..64).map(|number| numbered(client.clone(), number))).await;
    let posts = only_calls(&kitchen, 64);
    for (number, id) in ids.iter().enumerate() {
        let post = posts.iter().find(|post| message(post) == format!("call {number}")).unwrap();
        assert_eq!(post.id.as_ref().unwrap(), &serde_json::to_value(id).unwrap());
    }
    assert!(ids.iter().all(|id| matches!(id, RequestId::Number(1..=64))), "small integers: {ids:?}");
    // The connections of those calls serve the ones after them.
    let connections = kitchen.connections();
    assert!(connections <= 64);
    join_all((0..8).map(|number| numbered(client.clone(), number))).await;
    assert_eq!(kitchen.connections(), connections);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_client_serves_many_tasks() {
    let kitchen = Kitchen::start().await.unwrap();
    let client = client(&kitchen.url());
    let tasks: Vec<_> = (0..16)
        .map(|task| {
            let client = client.clone();
            tokio::spawn(async move {
                let mut ids = Vec::new();
                for number in 0..4 {
                    ids.push(numbered(client.clone(), 4 * task + number).await);
                }
                ids
            })
        })
        .collect();
    let ids: HashSet<RequestId> = join_all(tasks).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(ids.len(), 64);
    only_calls(&kitchen, 64);
}

/// A client outlives the runtime that it was used on first: nothing of it runs there.
#[test]
fn a_client_can_change_its_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let kitchen = runtime().block_on(Kitchen::start()).unwrap();
    let client = client(&kitchen.url());
    for number in 0..3 {
        runtime().block_on(numbered(client.clone(), number));
    }
    only_calls(&kitchen, 3);
}
