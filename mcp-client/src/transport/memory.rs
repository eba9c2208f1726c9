//! A transport that answers from memory, for tests.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;

use super::{Exchange, ExchangeContext, Outgoing, Transport};
use crate::error::TransportError;

type Answer = Pin<Box<dyn Future<Output = Result<Exchange, TransportError>> + Send>>;

/// Answers each request with a function of yours, without a socket or a clock; keeps the messages that were sent.
///
/// The text `{{id}}` in a [`reply`](Self::reply) stands for the id of the request.
///
/// ```
/// use mcp_client::{Client, ToolOutcome, transport::MemoryTransport};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let transport = MemoryTransport::reply(
///     r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[],"isError":true}}"#,
/// );
/// let client = Client::with_transport(transport).build()?;
/// assert!(matches!(client.call_tool("x").send().await?, ToolOutcome::ToolError(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryTransport {
    identity: String,
    answer: Box<dyn Fn(&Outgoing) -> Answer + Send + Sync>,
    sent: Mutex<Vec<Bytes>>,
}

impl MemoryTransport {
    /// Answers with what the function's future gives.
    pub fn new<F, Fut>(answer: F) -> Self
    where
        F: Fn(&Outgoing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Exchange, TransportError>> + Send + 'static,
    {
        Self {
            identity: "memory:".to_owned(),
            answer: Box::new(move |request| Box::pin(answer(request))),
            sent: Mutex::new(Vec::new()),
        }
    }

    /// Answers every request with one message.
    pub fn reply(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(move |request| {
            let message = message.replace("{{id}}", &request.id.to_string());
            async move { Ok(Exchange::message(message)) }
        })
    }

    /// Sets what the server is known by (default `memory:`).
    #[must_use]
    pub fn with_identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// The messages that were sent, in order.
    pub fn sent(&self) -> Vec<Bytes> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Transport for MemoryTransport {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        cx.sending();
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).push(request.message.clone());
        let exchange = (self.answer)(&request).await?;
        if let Some(head) = &exchange.head {
            cx.answered(head);
        }
        Ok(exchange)
    }

    fn identity(&self) -> &str {
        &self.identity
    }
}

impl fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryTransport").field("identity", &self.identity).finish_non_exhaustive()
    }
}
