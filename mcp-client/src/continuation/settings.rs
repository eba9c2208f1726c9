//! What can be set for the rounds of a call that are still to come. A call that was restored has nothing else to be cancelled,
//! bounded or watched by.

use std::time::Duration;

use mcp_types::LoggingLevel;

use super::{Continuation, MultiRound};
#[cfg(doc)]
use crate::RequestBuilder;
use crate::{
    call::MaxTimeout,
    cancel::CancelHandle,
    updates::{LogMessage, Progress, Updates},
};

/// Settings of the rounds that follow. A call that was not suspended meanwhile keeps those that it was made with.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use mcp_client::{CancelHandle, SuspendedCall};
///
/// let suspended: SuspendedCall = serde_json::from_slice(&std::fs::read("call.json")?)?;
/// let stop = CancelHandle::new();
/// let outcome = client
///     .restore(suspended)?
///     .cancel_with(&stop)
///     .timeout(Duration::from_secs(120))
///     .progress(|progress| println!("{:?}", progress.message))
///     .resume()
///     .await?;
/// # Ok(())
/// # }
/// ```
impl<M: MultiRound> Continuation<M> {
    /// How long each round may take: see [`RequestBuilder::timeout`] (default of a restored call: the client's).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.state.spec.timeout = Some(timeout);
        self
    }

    /// Lets progress begin the time of a round anew: see [`RequestBuilder::timeout_from_last_progress`].
    pub fn timeout_from_last_progress(mut self) -> Self {
        self.state.spec.max_timeout.get_or_insert(MaxTimeout::Default);
        self.state.spec.listeners.ask_for_progress();
        self
    }

    /// How long each round may take whatever progress comes: see [`RequestBuilder::max_timeout`].
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.state.spec.max_timeout = Some(MaxTimeout::Set(timeout));
        self.timeout_from_last_progress()
    }

    /// Lets this handle cancel the rounds; the error gives the continuation back.
    pub fn cancel_with(mut self, handle: &CancelHandle) -> Self {
        self.state.spec.cancel = Some(handle.clone());
        self
    }

    /// Asks for progress, and gives each notification to this function: see [`RequestBuilder::progress`].
    pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.state.spec.listeners.call_with_progress(listener);
        self
    }

    /// Asks for progress of the next round, and gives it out as a stream: see [`RequestBuilder::progress_stream`].
    pub fn progress_stream(mut self) -> (Self, Updates<Progress>) {
        let updates = self.state.spec.listeners.stream_progress();
        (self, updates)
    }

    /// Asks for log messages of this level and above, and gives each to this function: see [`RequestBuilder::log`].
    pub fn log(mut self, level: LoggingLevel, listener: impl Fn(LogMessage) + Send + Sync + 'static) -> Self {
        self.state.spec.listeners.call_with_logs(level, listener);
        self
    }

    /// Asks for log messages of the next round, and gives them out as a stream: see [`RequestBuilder::log_stream`].
    pub fn log_stream(mut self, level: LoggingLevel) -> (Self, Updates<LogMessage>) {
        let updates = self.state.spec.listeners.stream_logs(level);
        (self, updates)
    }
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests {
    use std::sync::{Arc, Mutex};

    use mcp_types::method::CallTool;
    use serde_json::{Value, json};
    use tokio::time::Instant;

    use super::*;
    use crate::{
        Client, Delivery, InputKinds, OutcomeKind, SuspendedCall,
        error::{InvalidKind, TransportError},
        transport::{Exchange, MemoryTransport, Transport},
    };

    const STATE: &str = r#"{"version":1,"server":"memory:","method":"tools/call","target":"x","declared":[],"inputRequests":{},"requestState":"s","rounds":1}"#;

    fn restored(transport: impl Transport) -> Continuation<CallTool> {
        let client = Client::with_transport(transport).accept_input(InputKinds::NONE).build().unwrap();
        client.restore(serde_json::from_str(STATE).unwrap()).unwrap()
    }

    /// Answers nothing.
    fn silent() -> MemoryTransport {
        MemoryTransport::new(|_| std::future::pending::<Result<Exchange, TransportError>>())
    }

    #[tokio::test(start_paused = true)]
    async fn a_restored_call_can_be_cancelled_and_is_handed_back_in_doubt() {
        let stop = CancelHandle::new();
        let call = tokio::spawn(restored(silent()).cancel_with(&stop).resume());
        tokio::task::yield_now().await;
        stop.cancel("enough");
        let mut error = call.await.unwrap().unwrap_err();
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::Unknown));
        let again = error.take_continuation().unwrap();
        let stored: Value = serde_json::to_value(again.suspend()).unwrap();
        assert_eq!(stored["mayHaveRun"], true);

        // Given up before it was sent: nothing is in doubt.
        let mut error = restored(silent()).cancel_with(&stop).resume().await.unwrap_err();
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::NotSent));
        let again = serde_json::to_value(error.take_continuation().unwrap().suspend()).unwrap();
        assert_eq!(again["mayHaveRun"], false);
    }

    #[tokio::test(start_paused = true)]
    async fn a_restored_call_can_be_bounded() {
        let started = Instant::now();
        let error = restored(silent()).timeout(Duration::from_secs(7)).resume().await.unwrap_err();
        assert_eq!((error.outcome(), started.elapsed().as_secs()), (OutcomeKind::Timeout, 7));
        // The maximum is one even where the timeout is longer.
        let started = Instant::now();
        let call = restored(silent()).timeout(Duration::from_secs(7)).max_timeout(Duration::from_secs(3));
        let error = call.resume().await.unwrap_err();
        assert_eq!((error.outcome(), started.elapsed().as_secs()), (OutcomeKind::Timeout, 3));
    }

    #[tokio::test]
    async fn a_restored_call_can_be_watched() {
        let sent = Arc::new(Mutex::new(Vec::<Value>::new()));
        let seen = sent.clone();
        let transport = MemoryTransport::new(move |request| {
            seen.lock().unwrap().push(serde_json::from_slice(&request.message).unwrap());
            let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": { "content": [] } });
            async move { Ok(Exchange::message(answer.to_string())) }
        });
        let call = restored(transport).progress(|_| ()).log(LoggingLevel::Warning, |_| ());
        assert!(call.resume().await.is_ok());
        let sent = sent.lock().unwrap();
        let meta = &sent[0]["params"]["_meta"];
        assert_eq!(meta["progressToken"], sent[0]["id"]);
        assert_eq!(meta["io.modelcontextprotocol/logLevel"], "warning");
    }

    #[tokio::test]
    async fn a_call_that_was_stored_in_doubt_is_not_sent_unasked() {
        let stored: SuspendedCall = serde_json::from_str(STATE).unwrap();
        let stored = serde_json::to_string(&stored.in_doubt()).unwrap();
        let transport =
            Arc::new(MemoryTransport::reply(r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[]}}"#));
        let client = Client::with_transport(transport.clone()).build().unwrap();
        let restore = || client.restore::<CallTool>(serde_json::from_str(&stored).unwrap()).unwrap();
        let error = restore().resume().await.unwrap_err();
        assert!(
            matches!(error, crate::CallError::Invalid(refused) if refused.kind() == InvalidKind::MayHaveRun)
        );
        assert!(transport.sent().is_empty());
        assert!(restore().accepting_duplicates("it is harmless").resume().await.is_ok());
        assert_eq!(transport.sent().len(), 1);
    }
}
