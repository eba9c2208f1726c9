//! Tokens, and what the cache keeps for whoever has them; and the token on every method.

use mcp_client::types::{PromptReference, SubscriptionFilter};

use super::*;

const LIST: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","tools":[],"ttlMs":600000,"cacheScope":"private"}}"#;

fn list() -> Reply {
    Reply::json(200, LIST)
}

#[tokio::test]
async fn what_is_kept_for_one_token_is_not_given_to_another() {
    let source = Source::new(&[Act::Gives("alice")], &[]);
    let (server, client) = serve(&[list()], &source).await;
    for (token, posts) in [("alice", 1), ("alice", 1), ("bob", 2), ("bob", 2), ("alice", 2)] {
        source.now_gives(token);
        in_time(client.list_tools().send()).await.unwrap();
        assert_eq!(server.requests().len(), posts, "{token}");
    }
    assert_eq!(authorizations(&server), [bearer("alice"), bearer("bob")]);
    // A header of the call is another authorization again, and the source is not asked for it.
    let asked = source.asked();
    in_time(client.list_tools().header("Authorization", "Bearer carol").send()).await.unwrap();
    assert_eq!((server.requests().len(), source.asked()), (3, asked));
}

#[tokio::test]
async fn a_result_is_kept_for_the_token_that_it_was_given_to() {
    let source = Source::new(&[Act::Gives("old")], &[Act::Gives("new")]);
    let (server, client) = serve(&[refusal(), list()], &source).await;
    in_time(client.list_tools().send()).await.unwrap();
    assert_eq!(authorizations(&server), [bearer("old"), bearer("new")]);
    source.now_gives("new");
    in_time(client.list_tools().send()).await.unwrap();
    assert_eq!(server.requests().len(), 2, "kept for the new one");
    source.now_gives("old");
    in_time(client.list_tools().send()).await.unwrap();
    assert_eq!(server.requests().len(), 3, "and not for the old one");
}

#[tokio::test]
async fn where_no_token_can_be_had_nothing_comes_from_the_cache() {
    let source = Source::new(&[Act::Gives("t")], &[]);
    let (server, client) = serve(&[list()], &source).await;
    in_time(client.list_tools().send()).await.unwrap();
    *source.0.tokens.lock().unwrap() = vec![Act::Fails];
    let error = in_time(client.list_tools().send()).await.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::AuthError, Delivery::NotSent));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_before_the_cache_ends_with_the_call() {
    let source = Source::new(&[Act::Hangs], &[]);
    let client = Client::with_transport(MemoryTransport::reply("{}"))
        .token_source(source.clone())
        .timeout(Duration::from_secs(7))
        .build()
        .unwrap();
    let started = tokio::time::Instant::now();
    let error = client.list_tools().send().await.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Timeout, Delivery::NotSent));
    assert_eq!(started.elapsed(), Duration::from_secs(7));
    assert!(error.record().unwrap().duration >= Duration::from_secs(7));
}

#[tokio::test]
async fn every_method_has_the_token_and_has_it_renewed() {
    let source = Source::new(&[Act::Gives("old")], &[Act::Gives("new")]);
    let script: Vec<Reply> = std::iter::repeat_n([refusal(), Reply::status(400)], 9).flatten().collect();
    let (server, client) = serve(&script, &source).await;
    let _ = in_time(client.discover().send()).await;
    let _ = in_time(client.list_tools().send()).await;
    let _ = in_time(client.list_resources().send()).await;
    let _ = in_time(client.list_resource_templates().send()).await;
    let _ = in_time(client.list_prompts().send()).await;
    let _ = in_time(client.read_resource("file:///x").send()).await;
    let _ = in_time(client.get_prompt("x").send()).await;
    let _ = in_time(client.complete(PromptReference::new("x"), "a", "b").send()).await;
    let _ = in_time(client.listen(SubscriptionFilter::default().with_tools()).open()).await;
    let seen = authorizations(&server);
    assert_eq!(seen.len(), 18, "{seen:?}");
    for pair in seen.chunks(2) {
        assert_eq!(pair, [bearer("old"), bearer("new")]);
    }
}
