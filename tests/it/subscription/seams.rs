//! What others bring to a subscription, transports and sources of tokens, can hurt nobody else.

use std::{
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::Stream;
use mcp_client::{
    BearerToken, CancelHandle, Client, SubscriptionEnd, SubscriptionEvent, TokenError, TokenSource,
    async_trait,
    error::TransportError,
    transport::{Exchange, MemoryTransport, MessageStream},
    types::{RequestId, SubscriptionFilter},
};
use tokio::time::timeout;

fn acknowledged(id: &RequestId) -> Bytes {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"notifications":{{"toolsListChanged":true}}}}}}"#
    )
    .into()
}

/// The acknowledgement, and then without end what nobody asked for.
struct Endless(Option<Bytes>);

impl Stream for Endless {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let noise =
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":1}}"#;
        Poll::Ready(Some(Ok(self.0.take().unwrap_or_else(|| noise.into()))))
    }
}

/// A thread that never yields would keep the test from its end, so that the cancellation comes from another.
#[tokio::test]
async fn a_stream_of_noise_that_is_always_ready_holds_up_nobody() {
    let transport = MemoryTransport::new(|request| {
        let stream: MessageStream = Box::pin(Endless(Some(acknowledged(&request.id))));
        async move { Ok(Exchange::stream(stream)) }
    });
    let client = Client::with_transport(transport).build().unwrap();
    let stop = CancelHandle::new();
    let listen = client.listen(SubscriptionFilter::default().with_tools()).cancel_with(&stop);
    let mut subscription = listen.open().await.unwrap();
    let watchdog = stop.clone();
    let begun = Instant::now();
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(20));
        watchdog.cancel("it held up everything");
    });
    tokio::time::sleep(Duration::from_millis(10)).await;
    stop.cancel("enough");
    assert_eq!(subscription.next().await, None);
    assert!(matches!(subscription.end(), Some(SubscriptionEnd::Closed)));
    assert_eq!(stop.reason(), Some("enough"), "after {:?}", begun.elapsed());
}

/// Acknowledges, and breaks off.
fn breaking_off() -> MemoryTransport {
    struct Once(Option<Bytes>);
    impl Stream for Once {
        type Item = Result<Bytes, TransportError>;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Ready(self.0.take().map(Ok))
        }
    }
    MemoryTransport::new(|request| {
        let stream: MessageStream = Box::pin(Once(Some(acknowledged(&request.id))));
        async move { Ok(Exchange::stream(stream)) }
    })
}

/// Has no token from the second to the sixth time that it is asked.
#[derive(Debug)]
struct Restarting {
    asked: AtomicUsize,
    panics: bool,
}

#[async_trait]
impl TokenSource for Restarting {
    async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            1..=5 if self.panics => panic!("the vault is broken"),
            1..=5 => Err(TokenError::new("the vault restarts")),
            _ => Ok(Some(BearerToken::new("t"))),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_of_tokens_that_fails_for_a_while_does_not_end_a_subscription() {
    for panics in [false, true] {
        let tokens = Restarting { asked: AtomicUsize::new(0), panics };
        let client = Client::with_transport(breaking_off()).token_source(tokens).build().unwrap();
        let listen = client.listen(SubscriptionFilter::default().with_tools()).relisten();
        let mut subscription = listen.open().await.unwrap();
        let event = timeout(Duration::from_secs(3600), subscription.next()).await;
        assert_eq!(event, Ok(Some(SubscriptionEvent::Relistened)), "panics: {panics}");
        assert!(subscription.end().is_none(), "{:?}", subscription.end());
    }
}
