//! What is left of calls that ended early, and of clients that were replaced: nothing.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use mcp_client::{
    CancelHandle, Client, Delivery, OutcomeKind, Retry, error::TransportErrorKind,
    transport::MemoryTransport, types::LoggingLevel,
};
use serde_json::Value;
use tokio::time::Instant;

use super::{
    VERSIONS,
    hall::{Hall, says},
    once,
};

const CALLS: usize = 10_000;

/// Counts those that are there.
struct Present(Arc<AtomicUsize>);

impl Present {
    fn enter(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A transport that never answers, and how many exchanges it holds.
fn silent() -> (Client, Arc<AtomicUsize>) {
    let present = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&present);
    let transport = MemoryTransport::new(move |_| {
        let present = Present::enter(&count);
        async move {
            let _present = present;
            pending().await
        }
    });
    (Client::with_transport(transport).retry(Retry::never()).build().unwrap(), present)
}

/// Exchanges, listeners and timers are let go with each call, whether it timed out, was cancelled or dropped.
#[tokio::test(start_paused = true)]
async fn field_load_01_ten_thousand_calls_that_end_early_leave_nothing() {
    let (client, exchanges) = silent();
    let listener = Arc::new(());
    let stop = CancelHandle::new();
    let call = || {
        let (of_progress, of_logs) = (Arc::clone(&listener), Arc::clone(&listener));
        client
            .call_tool("x")
            .timeout_from_last_progress()
            .progress(move |_| drop(Arc::clone(&of_progress)))
            .log(LoggingLevel::Debug, move |_| drop(Arc::clone(&of_logs)))
            .cancel_with(&stop)
    };
    let started = Instant::now();
    for error in join_all((0..CALLS).map(|_| call().send())).await.into_iter().map(Result::unwrap_err) {
        assert!(error.is_timeout());
    }
    assert_eq!(started.elapsed().as_secs(), 60, "all at once");
    assert_eq!((exchanges.load(Ordering::SeqCst), Arc::strong_count(&listener)), (0, 1));

    let dropped: Vec<_> = (0..CALLS).map(|_| tokio::spawn(call().send())).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(exchanges.load(Ordering::SeqCst), CALLS);
    for call in &dropped {
        call.abort();
    }
    assert!(join_all(dropped).await.into_iter().all(|ended| ended.unwrap_err().is_cancelled()));
    assert_eq!((exchanges.load(Ordering::SeqCst), Arc::strong_count(&listener)), (0, 1));

    let cancelled: Vec<_> = (0..CALLS).map(|_| tokio::spawn(call().send())).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(exchanges.load(Ordering::SeqCst), CALLS);
    stop.cancel("enough");
    for ended in join_all(cancelled).await {
        assert_eq!(ended.unwrap().unwrap_err().outcome(), OutcomeKind::Cancelled);
    }
    assert_eq!((exchanges.load(Ordering::SeqCst), Arc::strong_count(&listener)), (0, 1));
}

/// Over real sockets, a call whose time is up closes what it had.
#[tokio::test]
async fn field_load_01_calls_that_time_out_close_their_streams() {
    for (version, http_2) in VERSIONS {
        let hall = Hall::open(async |_: Value| pending::<Value>().await).await;
        let client = once(&hall.url(), http_2).build().unwrap();
        let after = Duration::from_millis(400);
        for ended in join_all((0..50).map(|_| client.call_tool("x").timeout(after).send())).await {
            let error = ended.unwrap_err();
            assert!(error.is_timeout(), "{version}: {error:?}");
        }
        let counts = hall.when(|counts| counts.waiting == 0).await;
        assert_eq!(counts.arrived, counts.gone, "{version}");
        if !http_2 {
            hall.when(|counts| counts.open == 0).await;
        }
    }
}

/// A client needs no closing: dropped, it gives back its connections, and nothing of it goes on.
#[tokio::test]
async fn field_load_04_a_client_that_is_replaced_gives_its_connections_back() {
    for (version, http_2) in VERSIONS {
        let hall = Hall::open(async |_: Value| says("ok")).await;
        let mut client = once(&hall.url(), http_2).build().unwrap();
        for number in 1..=100 {
            let clone = client.clone();
            assert!(client.call_tool("x").send().await.is_ok());
            drop(client);
            // A clone is the same client: it still has the connection.
            assert!(clone.call_tool("x").send().await.is_ok());
            assert_eq!(hall.counts().opened, number, "{version}");
            client = once(&hall.url(), http_2).build().unwrap();
        }
        // The hundredth was replaced, too; the one that there is now has not called yet.
        let counts = hall.when(|counts| counts.open == 0).await;
        assert_eq!((counts.arrived, counts.gone, counts.opened), (200, 0, 100), "{version}");
        assert!(client.call_tool("x").send().await.is_ok());
    }
}

/// Calls of a client that is dropped meanwhile still end.
#[tokio::test]
async fn field_load_04_calls_outlive_the_handle_that_they_were_made_with() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let waiting = Arc::clone(&gate);
    let hall = Hall::open(move |_: Value| {
        let waiting = Arc::clone(&waiting);
        async move {
            waiting.notified().await;
            says("late")
        }
    })
    .await;
    let client = once(&hall.url(), false).build().unwrap();
    let call = tokio::spawn(client.call_tool("x").send());
    hall.when(|counts| counts.waiting == 1).await;
    drop(client);
    gate.notify_one();
    assert_eq!(call.await.unwrap().unwrap().into_success().unwrap().text(), "late");
    hall.when(|counts| counts.open == 0).await;
}

/// A timeout says what it was, and that nobody knows what became of the call.
#[tokio::test(start_paused = true)]
async fn field_time_06_a_call_has_a_time_limit_by_default() {
    let (client, exchanges) = silent();
    let started = Instant::now();
    let error = client.call_tool("x").send().await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 60);
    let mcp_client::CallError::Transport(timeout) = &error else { panic!("{error:?}") };
    assert_eq!(timeout.kind(), TransportErrorKind::Timeout { after: mcp_client::DEFAULT_TIMEOUT });
    assert_eq!(
        (error.to_string().as_str(), error.delivery()),
        ("no answer came within 60s", Delivery::Unknown)
    );
    assert_eq!(exchanges.load(Ordering::SeqCst), 0);
}
