//! rmcp as its documentation has it (`from_uri`), or tuned: with a reqwest client that keeps connections, and without
//! the limits that stand in the way here (16 requests at a time, 16 MiB of JSON).

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use mcp_bench_kit::{
    Result,
    allocator::Counting,
    call::Contestant,
    job,
    payload::Order,
    workload::{Ask, Reply, STEPS, Want},
};
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{CallToolRequestParams, ProgressNotificationParam, ProtocolVersion},
    service::{NotificationContext, RunningService},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Map, Value};
use tokio::sync::Notify;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Clone, Default)]
struct Steps(Arc<Seen>);

#[derive(Default)]
struct Seen {
    steps: AtomicUsize,
    sum: AtomicUsize,
    more: Notify,
}

impl ClientHandler for Steps {
    async fn on_progress(&self, step: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        std::hint::black_box((step.total, &step.message));
        self.0.sum.fetch_add(step.progress as usize, Relaxed);
        if self.0.steps.fetch_add(1, Relaxed) + 1 == STEPS {
            self.0.more.notify_one();
        }
    }
}

struct Rmcp {
    service: RunningService<RoleClient, Steps>,
    steps: Steps,
}

impl Contestant for Rmcp {
    async fn connect(url: &str, tuned: bool) -> Result<Self> {
        let transport = if tuned {
            let config = StreamableHttpClientTransportConfig::with_uri(url)
                .max_concurrent_requests(100_000)
                .max_json_response_size(64 << 20);
            StreamableHttpClientTransport::with_client(reqwest::Client::new(), config)
        } else {
            StreamableHttpClientTransport::from_uri(url)
        };
        let mode = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        let steps = Steps::default();
        Ok(Self { service: steps.clone().serve_with_lifecycle(transport, mode).await?, steps })
    }

    async fn ask(&self, ask: &Ask) -> Result<Reply> {
        let mut reply = Reply::default();
        let Ask::Call { tool, arguments, want } = ask else {
            reply.tools(self.service.list_tools(None).await?.tools.len());
            return Ok(reply);
        };
        let mut given = Map::new();
        if let Some(text) = arguments.text {
            given.insert("text".to_owned(), Value::from(text));
        }
        if let Some(number) = arguments.number {
            given.insert("number".to_owned(), Value::from(number));
        }
        let seen = &self.steps.0;
        seen.steps.store(0, Relaxed);
        seen.sum.store(0, Relaxed);
        let result = self.service.call_tool(CallToolRequestParams::new(*tool).with_arguments(given)).await?;
        match want {
            Want::Typed | Want::Kept => reply.orders(&result.into_typed::<Vec<Order>>()?),
            Want::Unread => {
                std::hint::black_box(result);
            }
            Want::Text | Want::Progress => {
                for block in &result.content {
                    reply.text(block.as_text().map_or("", |text| &text.text));
                }
                // Each notification is handled by a task of its own, which may end after the call.
                if *want == Want::Progress && seen.steps.load(Relaxed) < STEPS {
                    tokio::time::timeout(Duration::from_secs(1), seen.more.notified()).await?;
                }
                if *want == Want::Progress {
                    reply.progress(seen.steps.load(Relaxed), seen.sum.load(Relaxed) as f64);
                }
            }
        }
        Ok(reply)
    }
}

fn main() -> Result<()> {
    job::main::<Rmcp>()
}
