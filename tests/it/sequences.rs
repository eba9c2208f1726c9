//! What attempts, rounds, timers and other people's code do to one another.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderValue};
use mcp_client::{
    CallError, CallRecord, Client, Delivery, ElicitAnswer, InputKinds, Observer, OutcomeKind, Retry,
    ToolOutcome, async_trait,
    error::{InvalidKind, TransportError, TransportErrorKind},
    retry::{Classify as _, Constant, Decision, StopReason, policy_fn},
    transport::{Exchange, ExchangeContext, HttpHead, MemoryTransport, Outgoing, Transport},
    types::{RawJson, Tool},
};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::support::{once, record};

const OK: &str = r#"{"resultType":"complete","content":[]}"#;

fn message(request: &Outgoing, result: &str) -> Bytes {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id).into()
}

fn head(status: u16, media_type: &'static str) -> HttpHead {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static(media_type));
    HttpHead::new(status, headers)
}

fn quick() -> Retry {
    Retry::builder().backoff(Constant(Duration::from_millis(1))).build()
}

/// A transport whose nth answer a function gives.
fn scripted(
    answer: impl Fn(usize, &Outgoing) -> Result<Exchange, TransportError> + Send + Sync + 'static,
) -> (MemoryTransport, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = count.clone();
    let transport = MemoryTransport::new(move |request| {
        let answer = answer(counter.fetch_add(1, Ordering::SeqCst) + 1, request);
        async move { answer }
    });
    (transport, count)
}

fn broken() -> TransportError {
    TransportError::new(TransportErrorKind::Broken, Delivery::Unknown)
}

/// An answer that came in time is the answer, also when the end of its stream is still waited for as time runs out.
#[tokio::test(start_paused = true)]
async fn an_answer_in_the_last_moment_stands() {
    for left in [0, 1, 4, 5, 6] {
        let transport = MemoryTransport::new(move |request| {
            let answer = message(request, OK);
            async move {
                let mut head = head(200, "text/event-stream");
                head.serial = true;
                let mut answer = Some(answer);
                let mut wait = Box::pin(sleep(Duration::from_millis(60_000 - left)));
                // The answer, and then a stream that never ends.
                let messages = stream::poll_fn(move |cx| {
                    if answer.is_some() {
                        std::task::ready!(std::future::Future::poll(wait.as_mut(), cx));
                        return Poll::Ready(answer.take().map(Ok));
                    }
                    Poll::Pending
                });
                Ok(Exchange::stream(Box::pin(messages)).with_head(head))
            }
        });
        let client = Client::with_transport(transport).build().unwrap();
        let outcome = client.call_tool("x").send().await;
        assert!(matches!(outcome, Ok(ToolOutcome::Success(_))), "{left} ms left: {outcome:?}");
    }
}

/// The status of an earlier attempt is not that of the last, and never speaks for it.
#[tokio::test]
async fn http_status_is_that_of_the_last_attempt() {
    let (transport, count) = scripted(|number, _| match number {
        1 => Ok(Exchange::message("").with_head(head(503, "text/plain"))),
        _ => Err(broken()),
    });
    let client = Client::with_transport(transport).retry(quick()).build().unwrap();
    let error = client.call_tool("pay").idempotent().send().await.unwrap_err();
    assert_eq!(count.load(Ordering::SeqCst), 3);
    assert_eq!((error.http_status(), error.delivery()), (None, Delivery::Unknown));
    assert_eq!(error.record().unwrap().posts, [Some(503), None, None]);

    // The same as one attempt of an outer loop whose gateway is known to refuse with 503: it may have run all the same.
    let outer = Retry::builder().refused_statuses([503]).backoff(Constant(Duration::ZERO)).build();
    let call = mcp_client::retry::Call::new("tools/call").named("pay");
    for script in [[Some(503), None], [None, Some(503)]] {
        let (transport, count) = scripted(move |number, _| match script[(number - 1) % 2] {
            Some(status) => Ok(Exchange::message("").with_head(head(status, "text/plain"))),
            None => Err(broken()),
        });
        let two = Retry::builder().backoff(Constant(Duration::ZERO)).max_attempts(2).build();
        let client = Client::with_transport(transport).retry(two).build().unwrap();
        let (result, log) = outer.run(&call, |_| client.call_tool("pay").idempotent().send()).await;
        assert_eq!(result.unwrap_err().failure().unwrap().delivery(), Delivery::Unknown);
        assert_eq!(log.stopped(), Some(&StopReason::MayHaveRun));
        assert_eq!(count.load(Ordering::SeqCst), 2, "{script:?}: the inner attempts, and no more");
    }
}

/// A server's last word does not undo an attempt that may have run before it.
#[tokio::test]
async fn a_resumption_of_which_an_attempt_may_have_run_needs_consent() {
    let (transport, count) = scripted(|number, request| match number {
        1 => Ok(Exchange::message(message(
            request,
            r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}}}"#,
        ))),
        2 => Err(broken()),
        3 => Ok(Exchange::message(format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32603,"message":"boom"}}}}"#,
            request.id
        ))),
        _ => Ok(Exchange::message(message(request, OK))),
    });
    let client =
        Client::with_transport(transport).accept_input(InputKinds::FORM).retry(quick()).build().unwrap();
    let outcome = client.call_tool("pay").idempotent().send().await.unwrap();
    let ToolOutcome::InputRequired(mut asked) = outcome else { panic!("asked") };
    asked.answer("k", ElicitAnswer::accept(&json!({})).unwrap()).unwrap();
    let mut error = asked.resume().await.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::JsonrpcError, Delivery::Answered));
    let asked = error.take_continuation().unwrap();
    let mut refused = asked.resume().await.unwrap_err();
    assert!(
        matches!(&refused, CallError::Invalid(error) if error.kind() == InvalidKind::MayHaveRun),
        "{refused}"
    );
    assert_eq!(count.load(Ordering::SeqCst), 3);
    let asked = refused.take_continuation().unwrap().accepting_duplicates("the ledger drops them");
    let ToolOutcome::Success(output) = asked.resume().await.unwrap() else { panic!("a success") };
    let attempt = &output.record().attempts.attempts()[0];
    assert_eq!(attempt.note.as_deref(), Some("the ledger drops them"));
}

/// Keeps what it is told, and can panic.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<CallRecord>>>, bool);

impl Observer for Log {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
        assert!(!self.1, "an observer that panics");
    }
}

/// A transport that reports nothing, and tells nothing apart.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl Transport for Silent {
    async fn exchange(&self, _: Outgoing, cx: &mut ExchangeContext) -> Result<Exchange, TransportError> {
        // Not proven by anything that was handed over: nothing was taken back.
        cx.not_sent();
        cx.sending();
        poll_fn(|_| Poll::Pending).await
    }

    fn identity(&self) -> &'static str {
        "test:silent"
    }
}

#[derive(Debug)]
struct Mute;

#[async_trait]
impl Transport for Mute {
    async fn exchange(&self, _: Outgoing, _: &mut ExchangeContext) -> Result<Exchange, TransportError> {
        poll_fn(|_| Poll::Pending).await
    }

    fn identity(&self) -> &'static str {
        "test:mute"
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_reports_nothing_has_proven_nothing() {
    let log = Log::default();
    let mute = Client::with_transport(Mute).observer(log.clone()).build().unwrap();
    let silent = Client::with_transport(Silent).observer(log.clone()).build().unwrap();
    for client in [mute, silent] {
        let call = client.call_tool("x").send();
        assert!(tokio::time::timeout(Duration::from_millis(10), call).await.is_err());
        let seen = log.0.lock().unwrap().pop().unwrap();
        assert_eq!((seen.outcome, seen.delivery), (OutcomeKind::Cancelled, Delivery::Unknown));
    }
}

#[tokio::test]
async fn a_panic_of_a_hook_costs_no_answer() {
    let log = Log(Arc::default(), true);
    let client = Client::with_transport(MemoryTransport::reply(format!(
        r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{OK}}}"#
    )))
    .observer(log.clone())
    .build()
    .unwrap();
    assert!(matches!(client.call_tool("x").send().await, Ok(ToolOutcome::Success(_))));
    assert_eq!(log.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).len(), 1);

    let transport = MemoryTransport::reply(
        r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32000,"message":"m","data":{"pin":1}}}"#,
    );
    let client = Client::with_transport(transport)
        .redact_error_data(|_| panic!("a hook that panics"))
        .build()
        .unwrap();
    let error = client.call_tool("x").send().await.unwrap_err();
    assert_eq!((error.rpc_code(), error.record().unwrap().error_data.clone()), (Some(-32000), None));
}

#[tokio::test]
async fn the_definition_of_another_tool_vouches_for_nothing() {
    let (transport, count) = scripted(|_, request| Ok(Exchange::message(message(request, OK))));
    let client = Client::with_transport(transport).build().unwrap();
    let mut other = Tool::new("get_balance", RawJson::empty_object());
    let error = client.call_tool("pay").tool(&other).send().await.unwrap_err();
    assert!(matches!(&error, CallError::Invalid(error) if error.kind() == InvalidKind::Tool), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 0);
    other.name = "pay".to_owned();
    client.call_tool("pay").tool(&other).send().await.unwrap().into_success().unwrap();
}

#[tokio::test]
async fn a_transport_of_ones_own_is_given_the_headers() {
    let seen = Arc::new(Mutex::new(HeaderMap::new()));
    let copy = seen.clone();
    let transport = MemoryTransport::new(move |request| {
        *copy.lock().unwrap() = request.headers.clone();
        let answer = message(request, OK);
        async move { Ok(Exchange::message(answer)) }
    });
    let client =
        Client::with_transport(transport).bearer_token("t").header("x-a", "client").header("x-b", "client");
    let client = client.build().unwrap();
    client.call_tool("x").header("x-b", "call").send().await.unwrap().into_success().unwrap();
    let seen = seen.lock().unwrap();
    let value = |name: &str| seen.get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(value("authorization").as_deref(), Some("Bearer t"));
    assert_eq!((value("x-a").as_deref(), value("x-b").as_deref()), (Some("client"), Some("call")));
    assert!(!format!("{seen:?}").contains("Bearer t"), "sensitive values stay hidden");
}

/// A server that always has more to send keeps no timer from its turn, whatever it sends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_without_end_does_not_switch_the_time_limit_off() {
    use std::io::Write as _;
    for line in ["\n", ":\n", "data: x\n\n"] {
        // Each member is small on the wire and large when its coding is undone.
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(line.repeat((8 << 20) / line.len()).as_bytes()).unwrap();
        let member = encoder.finish().unwrap();
        // What is left to be read takes much longer than the call may, and then nothing more comes.
        let body = member.repeat(8);
        let reply = Reply::sse_bytes(body).header("Content-Encoding", "gzip").unfinished();
        let server = FaultServer::start([reply.then(Step::AwaitClientClose)]).await.unwrap();
        let client = once(&server.url()).build().unwrap();
        let started = Instant::now();
        let outcome = client.call_tool("x").timeout(Duration::from_secs(1)).send().await;
        assert_eq!(record(&outcome).outcome, OutcomeKind::Timeout, "{line:?}");
        assert!(started.elapsed() < Duration::from_secs(5), "{line:?}: took {:?}", started.elapsed());
    }
}

/// What a policy may see of the call says nothing of what it carries.
#[tokio::test]
async fn a_business_policy_sees_the_tools_own_words() {
    let (transport, count) = scripted(|number, request| {
        let result = match number {
            1 => r#"{"content":[{"type":"text","text":"try again"}],"isError":true}"#,
            _ => OK,
        };
        Ok(Exchange::message(message(request, result)))
    });
    let policy = policy_fn("says so", |attempt| match attempt.failure().message() {
        Some("try again") => Decision::retry(),
        _ => Decision::Abstain,
    });
    let retry = Retry::builder().policy(policy).backoff(Constant(Duration::ZERO)).build();
    let client = Client::with_transport(transport).retry(retry).build().unwrap();
    client.call_tool("x").idempotent().send().await.unwrap().into_success().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2);
}
