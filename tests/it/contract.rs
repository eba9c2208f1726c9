//! What the types promise: auto traits, sizes, defaults, and that others can implement and build them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use http::{HeaderMap, HeaderValue};
use mcp_client::{
    CallError, CallRecord, Client, DEFAULT_TIMEOUT, Delivery, InputKinds, Layer, Observer, OutcomeKind,
    SuspendedCall, ToolOutcome, async_trait,
    error::{
        AuthError, AuthStep, Challenge, EnvelopeFault, HttpError, InvalidCall, InvalidKind, JsonRpcError,
        ProtocolError, ProtocolFault, TransportError, TransportErrorKind,
    },
    retry::{Classify, FailureKind},
    transport::{
        DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_BODY_BYTES, DEFAULT_MAX_ERROR_BODY_BYTES,
        DEFAULT_MAX_EVENT_BYTES, Exchange, ExchangeContext, HttpHead, Limits, MemoryTransport, Outgoing,
        Transport,
    },
    types::{ErrorObject, RequestId},
};
use tokio::time::Instant;

use crate::support::record;

fn send<T: Send>(value: T) -> T {
    value
}

fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}

fn error<T: std::error::Error + Send + Sync + 'static>() {}

fn resumable(asked: mcp_client::Continuation) -> impl Send {
    asked.resume()
}

#[test]
fn clients_are_shared_and_futures_travel() {
    let client = Client::with_transport(MemoryTransport::reply("")).build().unwrap();
    shared(&client);
    drop(send(client.call_tool("x").send()));
    drop(send(client.call_tool("x").send_typed::<Vec<u8>>()));
    let _: fn(mcp_client::Continuation) -> _ = resumable;
    error::<CallError>();
    error::<mcp_client::BuildError>();
    error::<TransportError>();
}

#[test]
fn results_stay_small() {
    assert!(size_of::<CallError>() <= 16, "{}", size_of::<CallError>());
    assert!(size_of::<ToolOutcome>() <= 24, "{}", size_of::<ToolOutcome>());
    assert!(size_of::<Result<ToolOutcome, CallError>>() <= 32);
}

#[test]
fn defaults_are_those_in_the_documentation() {
    assert_eq!(DEFAULT_TIMEOUT, Duration::from_secs(60));
    assert_eq!(DEFAULT_CONNECT_TIMEOUT, Duration::from_secs(10));
    assert_eq!(DEFAULT_MAX_BODY_BYTES, 64 * 1024 * 1024);
    assert_eq!(DEFAULT_MAX_EVENT_BYTES, 64 * 1024 * 1024);
    assert_eq!(DEFAULT_MAX_ERROR_BODY_BYTES, 256 * 1024);
    let limits = Limits::default();
    assert_eq!(limits.max_body_bytes, DEFAULT_MAX_BODY_BYTES);
    assert_eq!(limits.max_event_bytes, DEFAULT_MAX_EVENT_BYTES);
    assert_eq!(limits.max_error_body_bytes, DEFAULT_MAX_ERROR_BODY_BYTES);
    assert_eq!(limits.connect_timeout, DEFAULT_CONNECT_TIMEOUT);
    let client = Client::with_transport(MemoryTransport::reply("")).build().unwrap();
    assert_eq!(client.accepted_input(), InputKinds::NONE);
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_never_answers_costs_the_timeout_and_no_more() {
    let hang = || MemoryTransport::new(|_| std::future::pending());
    let client = Client::with_transport(hang()).build().unwrap();
    let started = Instant::now();
    let error = client.call_tool("x").send().await.unwrap_err();
    assert_eq!(started.elapsed(), DEFAULT_TIMEOUT);
    assert_eq!((error.outcome(), error.layer()), (OutcomeKind::Timeout, Layer::Transport));
    assert_eq!((error.delivery(), error.is_timeout(), error.is_connect()), (Delivery::Unknown, true, false));

    let client = Client::with_transport(hang()).timeout(Duration::from_secs(5)).build().unwrap();
    let started = Instant::now();
    client.call_tool("x").send().await.unwrap_err();
    assert_eq!(started.elapsed(), Duration::from_secs(5));

    let started = Instant::now();
    client.call_tool("x").attempt_timeout(Duration::from_secs(2)).send().await.unwrap_err();
    assert_eq!(started.elapsed(), Duration::from_secs(2));

    // The call's limit holds over an attempt's, and a limit that no clock can hold is none.
    let started = Instant::now();
    let call = client.call_tool("x").timeout(Duration::from_secs(1)).attempt_timeout(Duration::MAX);
    call.send().await.unwrap_err();
    assert_eq!(started.elapsed(), Duration::from_secs(1));
}

/// Records what it is told, as an application would.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<CallRecord>>>);

impl Observer for Log {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

/// A transport of somebody else's.
#[derive(Debug)]
struct Broken(Delivery);

#[async_trait]
impl Transport for Broken {
    async fn exchange(
        &self,
        request: Outgoing,
        cx: &mut ExchangeContext,
    ) -> Result<Exchange, TransportError> {
        assert_eq!(request.method, "tools/call");
        assert_eq!(request.name.as_deref(), Some("x"));
        assert!(cx.remaining().is_some_and(|left| left <= DEFAULT_TIMEOUT));
        cx.sending();
        if self.0 == Delivery::NotSent {
            cx.not_sent();
        }
        Err(TransportError::new(TransportErrorKind::Other, self.0)
            .with_source(std::io::Error::other("disk on fire")))
    }

    fn identity(&self) -> &'static str {
        "test:broken"
    }
}

#[tokio::test]
async fn a_custom_transport_says_whether_the_call_may_have_run() {
    for (delivery, posts) in [(Delivery::NotSent, 0), (Delivery::Unknown, 1)] {
        let log = Log::default();
        let client = Client::with_transport(Broken(delivery)).observer(log.clone()).build().unwrap();
        let outcome = client.call_tool("x").send().await;
        assert_eq!(record(&outcome).post_count(), posts);
        let error = outcome.unwrap_err();
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::TransportError, delivery));
        assert_eq!(error.to_string(), "the transport failed");
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "disk on fire");
        let seen = log.0.lock().unwrap();
        assert_eq!(seen.len(), 1);
        assert_eq!(Some(&seen[0]), error.record());
    }
}

#[tokio::test]
async fn a_dropped_future_is_told_to_the_observer_only() {
    let log = Log::default();
    let transport = MemoryTransport::new(|_| std::future::pending());
    let client = Client::with_transport(transport).observer(log.clone()).build().unwrap();
    let call = client.call_tool("x").send();
    let given_up = tokio::time::timeout(Duration::from_millis(20), call).await;
    assert!(given_up.is_err());
    let seen = log.0.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        (seen[0].outcome, seen[0].layer, seen[0].delivery),
        (OutcomeKind::Cancelled, Layer::Local, Delivery::Unknown)
    );
    // A future that was never polled was never a call.
    drop(client.call_tool("x").send());
    assert_eq!(seen.len(), 1);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn every_error_can_be_built_by_those_who_test_their_own_code() {
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", HeaderValue::from_static("7"));
    headers.insert("www-authenticate", HeaderValue::from_static("Bearer scope=\"a\""));
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"slow down"}}"#;
    let table: [(CallError, OutcomeKind, Layer, Delivery, FailureKind); 12] = [
        (
            InvalidCall::new(InvalidKind::Arguments, "no object").into(),
            OutcomeKind::InvalidCall,
            Layer::Local,
            Delivery::NotSent,
            FailureKind::Invalid,
        ),
        (
            AuthError::new(AuthStep::Token).into(),
            OutcomeKind::AuthError,
            Layer::Transport,
            Delivery::NotSent,
            FailureKind::Unavailable,
        ),
        (
            AuthError::new(AuthStep::Refused)
                .with_refusal(401, vec![Challenge::new("Bearer", vec![])])
                .into(),
            OutcomeKind::AuthError,
            Layer::Transport,
            Delivery::Refused,
            FailureKind::Repair,
        ),
        (
            TransportError::new(TransportErrorKind::Connect, Delivery::NotSent).into(),
            OutcomeKind::TransportError,
            Layer::Transport,
            Delivery::NotSent,
            FailureKind::Unavailable,
        ),
        (
            TransportError::new(TransportErrorKind::ConnectTimeout, Delivery::NotSent).into(),
            OutcomeKind::Timeout,
            Layer::Transport,
            Delivery::NotSent,
            FailureKind::Unavailable,
        ),
        (
            TransportError::new(TransportErrorKind::Timeout { after: DEFAULT_TIMEOUT }, Delivery::Unknown)
                .into(),
            OutcomeKind::Timeout,
            Layer::Transport,
            Delivery::Unknown,
            FailureKind::Timeout,
        ),
        (
            TransportError::new(TransportErrorKind::TooLarge { limit: 1, setting: "x" }, Delivery::Unknown)
                .into(),
            OutcomeKind::TransportError,
            Layer::Transport,
            Delivery::Unknown,
            FailureKind::BadReply,
        ),
        (
            TransportError::new(TransportErrorKind::Cancelled, Delivery::Unknown).into(),
            OutcomeKind::Cancelled,
            Layer::Local,
            Delivery::Unknown,
            FailureKind::Cancelled,
        ),
        (
            HttpError::new(HttpHead::new(429, headers), body).into(),
            OutcomeKind::HttpError,
            Layer::Transport,
            Delivery::Refused,
            FailureKind::RateLimited,
        ),
        (
            HttpError::new(HttpHead::new(503, HeaderMap::new()), "").into(),
            OutcomeKind::HttpError,
            Layer::Transport,
            Delivery::Unknown,
            FailureKind::Unavailable,
        ),
        (
            JsonRpcError::new(ErrorObject::new(-32603, "boom"), Some(RequestId::from(1))).into(),
            OutcomeKind::JsonrpcError,
            Layer::Protocol,
            Delivery::Answered,
            FailureKind::ServerFault,
        ),
        (
            ProtocolError::new(ProtocolFault::InvalidEnvelope(EnvelopeFault::ForeignId), "{}").into(),
            OutcomeKind::InvalidEnvelope,
            Layer::Protocol,
            Delivery::Unknown,
            FailureKind::BadReply,
        ),
    ];
    for (error, outcome, layer, delivery, kind) in &table {
        assert_eq!(
            (error.outcome(), error.layer(), error.delivery()),
            (*outcome, *layer, *delivery),
            "{error}"
        );
        assert_eq!(error.record(), None);
        let failure = error.failure().unwrap();
        assert_eq!((failure.kind(), failure.delivery()), (*kind, *delivery), "{error}");
        let said = error.to_string();
        assert!(!said.is_empty() && !said.ends_with('.') && !said.contains("Error {"), "{said}");
        assert!(error.for_model().ends_with('.'), "{}", error.for_model());
    }
    let limited = &table[8].0;
    assert!(limited.is_rate_limited());
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(limited.header("Retry-After"), Some("7"));
    assert_eq!((limited.rpc_code(), limited.rpc_message()), (Some(-32000), Some("slow down")));
    assert_eq!(limited.challenges()[0].param("scope"), Some("a"));
    assert_eq!(limited.failure().unwrap().retry_after(), Some(Duration::from_secs(7)));
    let shown = format!("{limited:?} {limited} {}", limited.for_model());
    assert!(!shown.contains("slow down") && !shown.contains("scope=\"a\""), "{shown}");
}

#[test]
fn a_suspended_call_is_plain_data() {
    fn data<T: serde::Serialize + serde::de::DeserializeOwned + Clone + Send + Sync>() {}
    data::<SuspendedCall>();
}
