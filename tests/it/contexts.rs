//! What the server says to one user counts for no other: its tools, and what it offers.

use std::sync::{Arc, Mutex};

use mcp_client::{
    BearerToken, CallError, Client, ClientBuilder, Delivery, OutcomeKind, TokenError, TokenSource,
    ToolOutcome, async_trait,
    error::{InvalidKind, TransportError, TransportErrorKind},
    retry::Trust,
    transport::{Exchange, ExchangeContext, Outgoing, Transport},
    types::Tool,
};
use serde_json::{Value, json};

/// What a server tells whom: a result, or nothing, and the connection breaks.
type Says = fn(&str, &str) -> Option<Value>;

/// The method, who asked, and the mirrored parameter.
type Asked = (String, String, Option<String>);

/// A server of many users, told apart by their `Authorization`, and a log of what it was asked.
#[derive(Clone, Debug)]
struct Server {
    says: Says,
    log: Arc<Mutex<Vec<Asked>>>,
}

#[async_trait]
impl Transport for Server {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        cx.sending();
        let header = |name| request.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let who = header("authorization").unwrap_or_default().replace("Bearer ", "");
        let result = (self.says)(request.method, &who);
        self.log.lock().unwrap().push((request.method.to_owned(), who, header("mcp-param-r")));
        let Some(mut result) = result else {
            return Err(TransportError::new(TransportErrorKind::Broken, Delivery::Unknown));
        };
        result["resultType"] = json!("complete");
        let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": result });
        Ok(Exchange::message(answer.to_string()))
    }

    fn identity(&self) -> &'static str {
        "memory:tenants"
    }

    fn carries_headers(&self) -> bool {
        true
    }
}

fn serve(says: Says) -> (Server, ClientBuilder) {
    let server = Server { says, log: Arc::default() };
    (server.clone(), Client::with_transport(server).trust(Trust::Trusted))
}

impl Server {
    /// How many calls of tools there were since the last time, and what was mirrored of the last one.
    fn calls(&self) -> (usize, Option<String>) {
        let log = std::mem::take(&mut *self.log.lock().unwrap());
        let calls: Vec<_> = log.into_iter().filter(|(method, ..)| method == "tools/call").collect();
        (calls.len(), calls.last().and_then(|(.., mirrored)| mirrored.clone()))
    }
}

async fn list(client: &Client, who: &str) {
    client.list_tools().header("Authorization", who).send().await.unwrap();
}

async fn call(client: &Client, who: &str) -> Result<ToolOutcome, CallError> {
    client.call_tool("pay").header("Authorization", who).arguments(json!({ "r": "eu" })).send().await
}

/// A list of one tool.
fn listing(scope: &str, tool: Value) -> Value {
    let tools = vec![tool];
    json!({ "cacheScope": scope, "ttlMs": 600_000, "tools": tools })
}

fn pay(idempotent: bool) -> Value {
    json!({ "name": "pay", "inputSchema": {}, "annotations": { "readOnlyHint": false, "idempotentHint": idempotent } })
}

fn mirrored(header: &str) -> Value {
    let schema =
        json!({ "type": "object", "properties": { "r": { "type": "string", "x-mcp-header": header } } });
    json!({ "name": "pay", "inputSchema": schema })
}

/// A payment is idempotent for alice, and is not for bob.
fn by_user(method: &str, who: &str) -> Option<Value> {
    (method == "tools/list").then(|| listing("private", pay(who == "alice")))
}

#[tokio::test(start_paused = true)]
async fn annotations_are_no_evidence_for_others() {
    let (server, client) = serve(by_user);
    let client = client.build().unwrap();
    list(&client, "bob").await;
    list(&client, "alice").await;
    for (who, posts) in [("bob", 1), ("alice", 3), ("carol", 1)] {
        server.calls();
        let error = call(&client, who).await.unwrap_err();
        assert_eq!((server.calls().0, error.delivery()), (posts, Delivery::Unknown), "{who}");
    }
    // Whoever has no headers of their own is somebody else again.
    client.call_tool("pay").send().await.unwrap_err();
    assert_eq!(server.calls().0, 1);
}

#[tokio::test(start_paused = true)]
async fn a_public_list_and_the_word_of_the_application_hold_for_all() {
    let (server, client) = serve(|method, _| (method == "tools/list").then(|| listing("public", pay(true))));
    let client = client.build().unwrap();
    list(&client, "alice").await;
    for who in ["alice", "bob"] {
        server.calls();
        call(&client, who).await.unwrap_err();
        assert_eq!(server.calls().0, 3, "{who}");
    }

    let (server, client) = serve(|_, _| None);
    let client = client.build().unwrap();
    client.learn_tools([&serde_json::from_value::<Tool>(pay(true)).unwrap()]);
    for who in ["alice", "bob"] {
        call(&client, who).await.unwrap_err();
        assert_eq!(server.calls().0, 3, "{who}");
    }
}

#[tokio::test]
async fn parameters_are_mirrored_as_the_same_user_was_told() {
    let (server, client) = serve(|method, who| match (method, who) {
        ("tools/list", "mallory") => Some(listing("private", mirrored("a b"))),
        ("tools/list", _) => Some(listing("private", mirrored("R"))),
        _ => Some(json!({ "content": [] })),
    });
    let client = client.build().unwrap();
    list(&client, "alice").await;
    list(&client, "mallory").await;
    for (who, expected) in [("alice", Some("eu")), ("bob", None)] {
        assert!(call(&client, who).await.is_ok(), "{who}");
        assert_eq!(server.calls(), (1, expected.map(str::to_owned)), "{who}");
    }
    // A definition that breaks the rules keeps nobody else from calling.
    let error = call(&client, "mallory").await.unwrap_err();
    assert!(
        matches!(&error, CallError::Invalid(invalid) if invalid.kind() == InvalidKind::Tool),
        "{error:?}"
    );
    assert_eq!(server.calls().0, 0);
    list(&client, "bob").await;
    call(&client, "bob").await.unwrap().into_success().unwrap();
    assert_eq!(server.calls(), (1, Some("eu".to_owned())));
}

#[tokio::test]
async fn what_is_kept_counts_for_those_it_is_kept_for() {
    let (server, client) = serve(|method, _| {
        Some(if method == "tools/list" {
            listing("private", mirrored("R"))
        } else {
            json!({ "content": [] })
        })
    });
    let source = Source::default();
    let client = client.token_source(source.clone()).build().unwrap();
    source.now_gives("alice");
    client.list_tools().send().await.unwrap();
    let kept = client.list_tools().send().await.unwrap();
    assert!(!kept.freshness().is_fetched());
    let call = || client.call_tool("pay").arguments(json!({ "r": "eu" })).send();
    for (who, expected) in [("alice", Some("eu")), ("bob", None), ("alice", Some("eu"))] {
        source.now_gives(who);
        call().await.unwrap().into_success().unwrap();
        assert_eq!(server.calls(), (1, expected.map(str::to_owned)), "{who}");
    }
}

#[tokio::test]
async fn an_output_schema_is_that_of_whom_it_was_told() {
    let (_, client) = serve(|method, _| {
        Some(match method {
            "tools/list" => {
                let schema = json!({ "type": "object", "required": ["id"] });
                listing("private", json!({ "name": "pay", "inputSchema": {}, "outputSchema": schema }))
            }
            _ => json!({ "content": [], "structuredContent": {} }),
        })
    });
    let client = client.build().unwrap();
    list(&client, "alice").await;
    for (who, conforms) in [("alice", false), ("bob", true)] {
        let call = client.call_tool("pay").header("Authorization", who).send_typed::<Value>();
        assert_eq!(call.await.is_ok(), conforms, "{who}");
    }
}

/// Gives the token that it is told to.
#[derive(Clone, Debug, Default)]
struct Source(Arc<Mutex<&'static str>>);

impl Source {
    fn now_gives(&self, token: &'static str) {
        *self.0.lock().unwrap() = token;
    }
}

#[async_trait]
impl TokenSource for Source {
    async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
        Ok(Some(BearerToken::new(*self.0.lock().unwrap())))
    }
}

#[tokio::test(start_paused = true)]
async fn the_token_of_a_source_says_whose_tools_they_are() {
    let (server, client) = serve(by_user);
    let source = Source::default();
    let client = client.token_source(source.clone()).build().unwrap();
    for who in ["bob", "alice"] {
        source.now_gives(who);
        client.list_tools().send().await.unwrap();
    }
    for (who, posts) in [("alice", 3), ("bob", 1), ("carol", 1), ("alice", 3)] {
        source.now_gives(who);
        server.calls();
        client.call_tool("pay").send().await.unwrap_err();
        assert_eq!(server.calls().0, posts, "{who}");
    }
    // The word of the caller is stronger, as ever.
    client.call_tool("pay").not_idempotent().send().await.unwrap_err();
    assert_eq!(server.calls().0, 1);
}

/// The server offers tools to alice alone.
#[expect(clippy::unnecessary_wraps, reason = "some servers say nothing")]
fn offers(method: &str, who: &str) -> Option<Value> {
    Some(match method {
        "server/discover" => json!({
            "cacheScope": if who == "public" { "public" } else { "private" }, "ttlMs": 600_000,
            "supportedVersions": ["2026-07-28"],
            "capabilities": if who == "alice" { json!({ "tools": {} }) } else { json!({}) },
        }),
        _ => json!({ "content": [] }),
    })
}

#[tokio::test]
async fn what_is_not_offered_to_one_is_not_refused_to_another() {
    let (server, client) = serve(offers);
    let client = client.build().unwrap();
    let discover = |who: &'static str| client.discover().header("Authorization", who).send();
    // Fetched, and then kept: it teaches the same.
    for _ in 0..2 {
        discover("bob").await.unwrap();
        discover("alice").await.unwrap();
        for (who, refused) in [("alice", false), ("bob", true), ("carol", false)] {
            let error = call(&client, who).await.err();
            let kind = error.as_ref().map(CallError::outcome);
            assert_eq!(kind, refused.then_some(OutcomeKind::InvalidCall), "{who}");
            assert_eq!(server.calls().0, usize::from(!refused), "{who}");
        }
    }
    // What is public is for all, until somebody is told something else.
    discover("public").await.unwrap();
    assert!(call(&client, "alice").await.is_err() && call(&client, "carol").await.is_err());
    client.discover().header("Authorization", "alice").refresh().send().await.unwrap();
    assert!(call(&client, "alice").await.is_ok() && call(&client, "carol").await.is_err());
}

#[tokio::test]
async fn with_a_source_of_tokens_the_token_says_to_whom_it_is_offered() {
    let (server, client) = serve(offers);
    let source = Source::default();
    let client = client.token_source(source.clone()).build().unwrap();
    for who in ["bob", "alice"] {
        source.now_gives(who);
        client.discover().send().await.unwrap();
    }
    for (who, refused) in [("alice", false), ("bob", true), ("carol", false)] {
        source.now_gives(who);
        server.calls();
        let error = client.call_tool("pay").send().await.err();
        assert_eq!(error.is_some(), refused, "{who}");
        if let Some(error) = error {
            assert!(
                matches!(&error, CallError::Invalid(invalid) if invalid.kind() == InvalidKind::NotOffered)
            );
            let record = error.record().unwrap();
            assert_eq!((error.delivery(), record.post_count()), (Delivery::NotSent, 0));
        }
        assert_eq!(server.calls().0, usize::from(!refused), "{who}");
    }
}
