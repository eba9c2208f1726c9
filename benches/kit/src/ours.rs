//! The client of this repository.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use mcp_client::{Client, ToolOutcome};

use crate::{
    Result,
    call::Contestant,
    payload::Order,
    workload::{Ask, Reply, Want},
};

/// With its defaults.
#[derive(Debug)]
pub struct Ours(pub Client);

impl Contestant for Ours {
    async fn connect(url: &str, _: bool) -> Result<Self> {
        Ok(Self(Client::http(url)?.build()?))
    }

    async fn ask(&self, ask: &Ask) -> Result<Reply> {
        let mut reply = Reply::default();
        let Ask::Call { tool, arguments, want } = ask else {
            reply.tools(self.0.list_tools().send().await?.items().len());
            return Ok(reply);
        };
        let mut call = self.0.call_tool(*tool).arguments(arguments);
        if *want == Want::Typed {
            reply.orders(&call.send_typed::<Vec<Order>>().await?);
            return Ok(reply);
        }
        let seen = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        if *want == Want::Progress {
            let seen = seen.clone();
            call = call.progress(move |step| {
                std::hint::black_box((step.fraction(), &step.message));
                seen.0.fetch_add(1, Relaxed);
                seen.1.fetch_add(step.progress as usize, Relaxed);
            });
        }
        let ToolOutcome::Success(output) = call.send().await? else {
            return Err("no success".into());
        };
        match want {
            Want::Kept => reply.orders(&output.structured::<Vec<Order>>()?),
            Want::Unread | Want::Typed => {}
            Want::Text | Want::Progress => {
                for block in output.content() {
                    reply.text(block.as_text().unwrap_or_default());
                }
                reply.progress(seen.0.load(Relaxed), seen.1.load(Relaxed) as f64);
            }
        }
        std::hint::black_box(output);
        Ok(reply)
    }
}
