//! A POST with the client of hyper-util, and serde: no TLS, no redirects, no proxies, no cookies.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;
use http::{
    HeaderValue, Request, Uri,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use mcp_bench_kit::{
    Result,
    allocator::Counting,
    call::Contestant,
    job,
    workload::{Ask, Reply},
};
use mcp_benches::wire::{self, Events, Post};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct ByHand {
    client: Client<HttpConnector, Full<Bytes>>,
    url: Uri,
    ids: AtomicU64,
}

impl Contestant for ByHand {
    async fn connect(url: &str, _: bool) -> Result<Self> {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, url: url.parse()?, ids: AtomicU64::new(1) })
    }

    async fn ask(&self, ask: &Ask) -> Result<Reply> {
        let id = self.ids.fetch_add(1, Relaxed);
        let post = Post::new(id, ask)?;
        let mut request = Request::post(self.url.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(ACCEPT, HeaderValue::from_static(wire::ACCEPT))
            .header("mcp-protocol-version", HeaderValue::from_static(wire::VERSION))
            .header("mcp-method", HeaderValue::from_static(post.method));
        if let Some(name) = post.name {
            request = request.header("mcp-name", HeaderValue::from_static(name));
        }
        let response = self.client.request(request.body(Full::from(post.body))?).await?;
        if !response.status().is_success() {
            return Err(response.status().to_string().into());
        }
        let (head, mut body) = response.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        if content_type == Some(b"text/event-stream") {
            let mut events = Events::new(id, ask);
            while let Some(frame) = body.frame().await {
                if let Ok(chunk) = frame?.into_data() {
                    events.push(&chunk)?;
                }
            }
            return events.finish();
        }
        wire::read(&body.collect().await?.to_bytes(), id, ask)
    }
}

fn main() -> Result<()> {
    job::main::<ByHand>()
}
