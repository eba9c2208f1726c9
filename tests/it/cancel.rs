//! Calls that are given up, and calls whose time is up.

mod connection;
mod ignored;
mod moments;
mod progress;
mod races;
mod waits;

use mcp_client::{CancelHandle, Client, Delivery, OutcomeKind, error::TransportErrorKind};
use mcp_tests::FaultServer;

use crate::{
    fault::{Ended, assert_ended, only_calls, still_usable, transport_error},
    retry::Told,
};

/// Why the calls of these tests are given up.
const WHY: &str = "the user pressed stop";

/// A client of a server that makes each call once, and what its observer is told.
fn observed(url: &str) -> (Client, Told) {
    let told = Told::default();
    (crate::support::once(url).observer(told.clone()).build().unwrap(), told)
}

/// That the call ended because its handle was used, and all say so.
#[track_caller]
fn assert_cancelled(
    what: &str,
    ended: &Ended,
    delivery: Delivery,
    posts: &[Option<u16>],
) -> mcp_client::CallRecord {
    let record = assert_ended(&what, ended, OutcomeKind::Cancelled, delivery, posts);
    assert_eq!(transport_error(ended).kind(), TransportErrorKind::Cancelled, "{what}");
    assert_eq!(record.error_message.as_deref(), Some(WHY), "{what}: the reason is in the record");
    record.clone()
}

/// The server saw its connection closed and nothing that says so; the client and its handle are as they should be.
async fn assert_over(what: &str, server: &FaultServer, client: &Client, stop: &CancelHandle) {
    server.client_closed().await.unwrap_or_else(|error| panic!("{what}: {error}"));
    still_usable(&what, client).await;
    only_calls(server, 2);
    assert_eq!(stop.reason(), Some(WHY), "{what}");
}
