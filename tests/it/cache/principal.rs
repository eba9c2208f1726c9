//! Whose results they are where headers and tokens do not say it all.

use std::sync::Arc;

use mcp_client::{
    Client, ClientBuilder, Retry, async_trait,
    cache::CacheOptions,
    error::TransportError,
    transport::{Exchange, ExchangeContext, MemoryTransport, Outgoing, Transport},
};
use serde_json::json;

use super::{Desk, fresh_for, listed};

/// Adds credentials that the client does not see.
#[derive(Debug)]
struct SignedBy(Arc<dyn Transport>, &'static str);

#[async_trait]
impl Transport for SignedBy {
    async fn exchange(
        &self,
        mut request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        request.headers.insert("x-signed-by", self.1.parse().unwrap());
        self.0.exchange(request, cx).await
    }

    fn identity(&self) -> &str {
        self.0.identity()
    }

    fn carries_headers(&self) -> bool {
        self.0.carries_headers()
    }
}

fn headers(who: &str) -> http::HeaderMap {
    http::HeaderMap::from_iter([("x-user".parse().unwrap(), who.parse().unwrap())])
}

/// A transport of one's own that answers for whom it was made.
fn own(who: &'static str) -> MemoryTransport {
    MemoryTransport::new(move |request| {
        let result = json!({
            "resultType": "complete", "ttlMs": 600_000, "cacheScope": "private", "tools": [], "for": who,
        });
        let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": result });
        async move { Ok(Exchange::message(answer.to_string())) }
    })
}

type Way = fn(&str, &'static str) -> ClientBuilder;

/// The ways to a server by which it may learn who asks while the client does not.
const WAYS: [(&str, Way); 3] = [
    ("layer", |url, who| Client::http(url).unwrap().layer(move |inner| SignedBy(inner, who))),
    ("http_with", |url, who| {
        let http = reqwest::Client::builder().default_headers(headers(who));
        Client::builder().http_with(url, http).unwrap()
    }),
    ("http_unguarded", |url, who| {
        let http = reqwest::Client::builder().default_headers(headers(who)).build().unwrap();
        Client::builder().http_unguarded(url, http).unwrap()
    }),
];

fn build(desk: &Desk, way: Way, who: &'static str, shared: &CacheOptions) -> ClientBuilder {
    way(&desk.url(), who).retry(Retry::never()).cache(shared.clone())
}

#[tokio::test]
async fn cac_14_credentials_that_the_client_cannot_see_share_nothing() {
    for (name, way) in WAYS {
        let desk = fresh_for(json!(600_000), "private").await;
        let shared = CacheOptions::new();
        let [alice, bob] = ["alice", "bob"].map(|who| build(&desk, way, who, &shared).build().unwrap());
        for _ in 0..2 {
            assert_eq!([listed(&alice).await, listed(&bob).await], [0, 1], "{name}: each its own, and kept");
            assert_eq!(listed(&alice.clone()).await, 0, "{name}: a clone is the same client");
        }
        assert_eq!(desk.count(), 2, "{name}");

        let desk = fresh_for(json!(600_000), "public").await;
        let shared = CacheOptions::new();
        for who in ["alice", "bob"] {
            listed(&build(&desk, way, who, &shared).build().unwrap()).await;
        }
        assert_eq!(desk.count(), 1, "{name}: public results are for all");
    }
}

#[tokio::test]
async fn cac_14_a_transport_of_ones_own_shares_nothing() {
    let shared = CacheOptions::new();
    let client = |who| Client::with_transport(own(who)).cache(shared.clone());
    let whose = |client: Client| async move {
        let page = client.list_tools().send().await.unwrap();
        (page.result().extra.get("for").unwrap().parse::<String>().unwrap(), page.freshness().is_fetched())
    };
    for who in ["alice", "bob"] {
        let client = client(who).build().unwrap();
        assert_eq!(whose(client.clone()).await, (who.to_owned(), true));
        assert_eq!(whose(client).await, (who.to_owned(), false));
    }
    // It is the word of the application that counts, not what the transport does.
    for (who, named, expected) in
        [("alice", "a", ("alice", true)), ("bob", "a", ("alice", false)), ("bob", "b", ("bob", true))]
    {
        let found = whose(client(who).cache_principal(named).build().unwrap()).await;
        assert_eq!(found, (expected.0.to_owned(), expected.1));
    }
}

#[tokio::test]
async fn cac_14_a_named_principal_shares_with_its_own_name_only() {
    let plain: Way = |url, _| Client::http(url).unwrap();
    for (name, way) in WAYS.into_iter().chain([("http", plain)]) {
        let desk = fresh_for(json!(600_000), "private").await;
        let shared = CacheOptions::new();
        let client = |who| build(&desk, way, who, &shared).cache_principal(who);
        for _ in 0..2 {
            for (number, who) in ["alice", "bob"].into_iter().enumerate() {
                assert_eq!(listed(&client(who).build().unwrap()).await, number, "{name}");
            }
            // Its tokens count beside it.
            assert_eq!(listed(&client("alice").bearer_token("t").build().unwrap()).await, 2, "{name}");
        }
        assert_eq!(desk.count(), 3, "{name}");
    }
}
