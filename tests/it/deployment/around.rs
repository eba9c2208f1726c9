//! Transports of a team's own around the client's.

use std::sync::{Arc, Mutex};

use mcp_client::{
    async_trait,
    error::TransportError,
    transport::{Exchange, ExchangeContext, Outgoing, Transport},
};

use super::*;

#[derive(Debug)]
struct Named {
    inner: Arc<dyn Transport>,
    name: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Transport for Named {
    async fn exchange(
        &self,
        mut request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        self.seen.lock().unwrap().push(format!("{} {}", self.name, request.method));
        request.headers.append("x-layer", self.name.parse().unwrap());
        self.inner.exchange(request, cx).await
    }

    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn carries_headers(&self) -> bool {
        self.inner.carries_headers()
    }
}

#[tokio::test]
async fn layers_see_every_attempt_and_change_nothing_else() {
    let script = [Reply::status(503), moved(307, "/other"), good()];
    let server = FaultServer::start(script).await.unwrap();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let layer = |name| {
        let seen = Arc::clone(&seen);
        move |inner| Named { inner, name, seen }
    };
    let retry = Retry::builder().backoff(mcp_client::retry::Constant(Duration::from_millis(1)));
    let client = Client::http(&server.url())
        .unwrap()
        .layer(layer("inner"))
        .layer(layer("outer"))
        .retry(retry.build())
        .build()
        .unwrap();
    let ended = in_time(client.call_tool("x").idempotent().send()).await;
    // The redirect is counted, and beneath the layers.
    assert_eq!(crate::support::record(&ended).posts, [Some(503), Some(307), Some(200)]);
    let calls = ["outer tools/call", "inner tools/call"];
    assert_eq!(*seen.lock().unwrap(), [calls, calls].concat());
    for request in server.requests() {
        let layers: Vec<&str> = request
            .headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("x-layer"))
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(layers, ["outer", "inner"]);
    }
    assert_eq!(client.identity(), server.url());
}
