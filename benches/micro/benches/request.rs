//! Building a request: from the caller's arguments to the message and headers that a transport is handed, and no further.

use std::{fmt, future::Future as _, pin::pin, task::Context, task::Poll, task::Waker};

use divan::{Bencher, counter::ItemsCount};
use mcp_client::{
    Client, async_trait,
    error::TransportError,
    transport::{Exchange, ExchangeContext, Outgoing, Transport},
};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

/// Takes the request, and never answers.
struct Silent;

#[async_trait]
impl Transport for Silent {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        cx.sending();
        divan::black_box(request);
        std::future::pending().await
    }

    fn identity(&self) -> &str {
        "memory:silent"
    }
}

impl fmt::Debug for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Silent")
    }
}

/// The call is dropped where it waits for its answer, which is part of what is measured.
fn bench(bencher: Bencher<'_, '_>, client: &Client, arguments: &Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let mut call = pin!(client.call_tool("bench").arguments(arguments).send());
        let polled = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Pending));
    });
}

#[divan::bench(args = [10, 1000, 100_000])]
fn arguments(bencher: Bencher<'_, '_>, size: usize) {
    let client = Client::with_transport(Silent).build().expect("a client");
    bench(bencher, &client, &json!({ "text": "x".repeat(size), "number": 7 }));
}

#[divan::bench]
fn headers(bencher: Bencher<'_, '_>) {
    let client = (0..8).fold(Client::with_transport(Silent), |builder, n| {
        builder.header(&format!("x-bench-{n}"), "a value of some length")
    });
    bench(bencher, &client.build().expect("a client"), &json!({ "text": "x" }));
}
