//! The base of all ratios: a POST with reqwest, and serde.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mcp_bench_kit::{
    Result,
    allocator::Counting,
    call::Contestant,
    job,
    workload::{Ask, Reply},
};
use mcp_benches::wire::{self, Events, Post};
use reqwest::{
    Client, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
    redirect::Policy,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct ByHand {
    client: Client,
    url: Url,
    ids: AtomicU64,
}

impl Contestant for ByHand {
    async fn connect(url: &str, _: bool) -> Result<Self> {
        // A POST is not to become a GET somewhere else; and this is the cheaper way.
        let client = Client::builder().redirect(Policy::none()).build()?;
        Ok(Self { client, url: url.parse()?, ids: AtomicU64::new(1) })
    }

    async fn ask(&self, ask: &Ask) -> Result<Reply> {
        let id = self.ids.fetch_add(1, Relaxed);
        let post = Post::new(id, ask)?;
        let mut request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(ACCEPT, HeaderValue::from_static(wire::ACCEPT))
            .header("mcp-protocol-version", HeaderValue::from_static(wire::VERSION))
            .header("mcp-method", HeaderValue::from_static(post.method));
        if let Some(name) = post.name {
            request = request.header("mcp-name", HeaderValue::from_static(name));
        }
        let mut response = request.body(post.body).send().await?.error_for_status()?;
        let content_type = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        if content_type == Some(b"text/event-stream") {
            let mut events = Events::new(id, ask);
            while let Some(chunk) = response.chunk().await? {
                events.push(&chunk)?;
            }
            return events.finish();
        }
        wire::read(&response.bytes().await?, id, ask)
    }
}

fn main() -> Result<()> {
    job::main::<ByHand>()
}
