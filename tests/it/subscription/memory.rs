//! Subscriptions over a transport in memory: where the clock is paused, and where several share one channel.

use std::pin::Pin;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use mcp_client::{
    Client, ClientBuilder, Retry,
    error::TransportError,
    transport::{Exchange, MemoryTransport},
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::source::SUBSCRIPTION_ID;

type Message = Result<Bytes, TransportError>;
type Answer = Result<Exchange, TransportError>;

/// The server's end of the transport.
pub(crate) struct Far(mpsc::UnboundedReceiver<Request>);

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) body: Value,
    answer: oneshot::Sender<Answer>,
}

/// A client of a server in memory; it sends each request once.
pub(crate) fn client(set_up: impl FnOnce(ClientBuilder) -> ClientBuilder) -> (Client, Far) {
    let (requests, far) = mpsc::unbounded_channel();
    let transport = MemoryTransport::new(move |request| {
        let (answer, answered) = oneshot::channel();
        let body = serde_json::from_slice(&request.message).unwrap();
        requests.send(Request { body, answer }).unwrap();
        async move { answered.await.expect("each request is answered, or given up") }
    });
    let builder = Client::with_transport(transport).retry(Retry::never());
    (set_up(builder).build().unwrap(), Far(far))
}

impl Far {
    /// The next request.
    pub(crate) async fn request(&mut self) -> Request {
        self.0.recv().await.unwrap()
    }

    /// Whether another request has come.
    pub(crate) fn is_asked(&mut self) -> bool {
        self.0.try_recv().is_ok()
    }
}

impl Request {
    /// Answers with an error of the transport.
    pub(crate) fn fail(self, error: TransportError) {
        let _ = self.answer.send(Err(error));
    }

    pub(crate) fn answer(self, exchange: Exchange) {
        let _ = self.answer.send(Ok(exchange));
    }

    /// Begins a stream.
    pub(crate) fn stream(self) -> Near {
        let (channel, messages) = mpsc::unbounded_channel::<Message>();
        let messages: Pin<Box<dyn futures_util::Stream<Item = Message> + Send>> =
            stream::unfold(messages, |mut messages| async move {
                messages.recv().await.map(|message| (message, messages))
            })
            .boxed();
        let id = self.body["id"].clone();
        let _ = self.answer.send(Ok(Exchange::stream(messages)));
        Near { id, channel }
    }

    /// Acknowledges all that was asked for.
    pub(crate) fn acknowledge(self) -> Near {
        let filter = self.body["params"]["notifications"].clone();
        let stream = self.stream();
        stream.notify("subscriptions/acknowledged", json!({ "notifications": filter }));
        stream
    }

    /// Waits until the client has given up on it.
    pub(crate) async fn given_up(&mut self) {
        self.answer.closed().await;
    }
}

/// An open stream. Dropped, it ends without an answer.
#[derive(Debug)]
pub(crate) struct Near {
    pub(crate) id: Value,
    channel: mpsc::UnboundedSender<Message>,
}

impl Near {
    pub(crate) fn send(&self, message: &Value) {
        let _ = self.channel.send(Ok(message.to_string().into()));
    }

    /// Sends a notification of this subscription.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.notify_of(&self.id, method, params);
    }

    /// Sends a notification of any subscription.
    pub(crate) fn notify_of(&self, id: &Value, method: &str, mut params: Value) {
        params["_meta"] = json!({ SUBSCRIPTION_ID: id });
        self.send(
            &json!({ "jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params }),
        );
    }

    pub(crate) fn fail(self, error: TransportError) {
        let _ = self.channel.send(Err(error));
    }

    pub(crate) async fn closed(&self) {
        self.channel.closed().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.channel.is_closed()
    }
}
