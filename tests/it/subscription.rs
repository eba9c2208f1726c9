//! Subscriptions.

mod cached;
mod endings;
mod events;
mod memory;
mod opening;
mod relisten;
mod seams;
mod source;
mod traffic;

use mcp_client::{CallError, ListenBuilder, Subscription, SubscriptionEnd, types::SubscriptionFilter};
use mcp_tests::{FaultServer, Reply};

use crate::{fault::in_time, support};

/// A subscription can be moved to another task, and looked at from several.
const _: fn() = || {
    fn shareable<T: Send + Sync + 'static>() {}
    shareable::<Subscription>();
    shareable::<SubscriptionEnd>();
    shareable::<ListenBuilder>();
};

/// All that the protocol itself can tell of.
fn everything() -> SubscriptionFilter {
    tools().with_prompts().with_resources().with_resource("file:///a")
}

fn tools() -> SubscriptionFilter {
    SubscriptionFilter::default().with_tools()
}

/// Reads to the end: what came, and how it ended.
async fn read_all(subscription: &mut Subscription) -> (Vec<mcp_client::SubscriptionEvent>, SubscriptionEnd) {
    let mut events = Vec::new();
    while let Some(event) = in_time(subscription.next()).await {
        events.push(event);
    }
    // Known as soon as there is nothing more to read.
    (events, subscription.end().expect("a subscription whose stream ended has ended"))
}

/// The error of one that broke off.
#[track_caller]
fn abrupt(end: &SubscriptionEnd) -> &CallError {
    let SubscriptionEnd::Abrupt(error) = end else { panic!("{end:?}") };
    error
}

/// The acknowledgement of a subscription to tools, for scripts.
const ACKNOWLEDGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":{{id}}}}}"#;

/// A change of the tools, for scripts.
const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":{{id}}}}}"#;

/// Subscribes to the tools of a server that plays these bytes on, and reads all.
async fn read_script(reply: Reply) -> (FaultServer, Vec<mcp_client::SubscriptionEvent>, SubscriptionEnd) {
    let server = FaultServer::start([reply]).await.unwrap();
    let client = support::client(&server.url());
    let mut subscription = in_time(client.listen(tools()).open()).await.unwrap();
    let (events, end) = read_all(&mut subscription).await;
    assert_eq!(server.requests().len(), 1, "it is not opened again unless asked for");
    (server, events, end)
}
