//! Repetition, end to end: what a server executes, what the caller gets, and what the log says of it.

mod key;
mod kitchen;
mod table;
mod timing;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    CallError, CallRecord, Client, ClientBuilder, Delivery, Observer, ToolOutcome,
    error::{TransportError, TransportErrorKind},
    retry::{
        Attempt, AttemptRecord, Constant, Decision, PolicyFn, Retry, RetryBuilder, StopReason, policy_fn,
    },
    transport::{Exchange, HttpHead, MemoryTransport},
    types::{RawJson, Tool, ToolAnnotations},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::record;

pub(crate) type Ended = Result<ToolOutcome, CallError>;

/// Quick enough for real sockets.
pub(crate) const WAIT: Duration = Duration::from_millis(2);

/// A good answer. `{{id}}` stands for the id of the request.
pub(crate) const GOOD: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}]}}"#;

/// The tool's own failure.
pub(crate) const TOOL_ERROR: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"try again later"}]}}"#;

/// The standard policy, without the waits.
pub(crate) fn quick() -> RetryBuilder {
    Retry::builder().backoff(Constant(WAIT))
}

/// A client of a server without TLS, to be set up. Reading the system's certificates would take most of the time of
/// these tests.
pub(crate) fn plain(url: &str) -> ClientBuilder {
    Client::builder().http_with(url, reqwest::Client::builder().tls_certs_only([])).unwrap()
}

/// A policy that asks for repetition whatever happened.
pub(crate) fn always() -> PolicyFn<impl Fn(&Attempt<'_>) -> Decision + Send + Sync> {
    policy_fn("always", |_| Decision::retry())
}

/// The definition of a tool that says of itself what repeating it does.
pub(crate) fn tool(name: &str, annotations: &Value) -> Tool {
    let schema = RawJson::from_serialize(&json!({ "type": "object" })).unwrap();
    let annotations: ToolAnnotations = serde_json::from_value(annotations.clone()).unwrap();
    Tool::new(name, schema).with_annotations(annotations)
}

pub(crate) fn read_only(name: &str) -> Tool {
    tool(name, &json!({ "readOnlyHint": true }))
}

pub(crate) fn attempts(ended: &Ended) -> &[AttemptRecord] {
    record(ended).attempts.attempts()
}

pub(crate) fn stopped(ended: &Ended) -> Option<&StopReason> {
    record(ended).attempts.stopped()
}

/// Keeps the records that it is told of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(Arc<Mutex<Vec<CallRecord>>>);

impl Observer for Told {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

impl Told {
    pub(crate) fn records(&self) -> Vec<CallRecord> {
        self.0.lock().unwrap().clone()
    }
}

/// One answer from memory.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// A status with headers and a body. A 200 is JSON.
    Http(u16, Vec<(&'static str, String)>, &'static str),
    /// No answer, for as long as somebody waits.
    Hang,
    /// The head of an event stream, and no event, for as long as somebody waits.
    SilentStream,
    /// The answer, after a while.
    Late(Duration),
    /// The transport fails so.
    Fails(TransportErrorKind, Delivery),
}

impl Act {
    pub(crate) fn good() -> Self {
        Self::Http(200, Vec::new(), GOOD)
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Http(status, Vec::new(), "")
    }

    /// 429 with such a `Retry-After`.
    pub(crate) fn limited(after: &str) -> Self {
        Self::Http(429, vec![("retry-after", after.to_owned())], "")
    }
}

/// A server in memory that plays a script; the last act repeats. It knows what came, and when.
#[derive(Debug)]
pub(crate) struct Play {
    pub(crate) transport: Arc<MemoryTransport>,
    times: Arc<Mutex<Vec<Instant>>>,
}

impl Play {
    pub(crate) fn new(script: impl Into<Vec<Act>>) -> Self {
        let script = script.into();
        let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
        let seen = Arc::clone(&times);
        let transport = MemoryTransport::new(move |request| {
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(Instant::now());
                seen.len()
            };
            perform(script.get(number - 1).or(script.last()).unwrap().clone(), request.id.to_string())
        });
        Self { transport: Arc::new(transport), times }
    }

    /// A client of it, to be set up.
    pub(crate) fn client(&self) -> ClientBuilder {
        Client::with_transport(Arc::clone(&self.transport))
    }

    /// The requests that came.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.transport.sent().iter().map(|sent| serde_json::from_slice(sent).unwrap()).collect()
    }

    /// The waits between the requests.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        let times = self.times.lock().unwrap();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.transport.sent().len()
    }
}

async fn perform(act: Act, id: String) -> Result<Exchange, TransportError> {
    match act {
        Act::Hang => std::future::pending().await,
        Act::SilentStream => {
            let mut headers = http::HeaderMap::new();
            headers.insert("content-type", http::HeaderValue::from_static("text/event-stream"));
            let stream = Box::pin(futures_util::stream::pending());
            Ok(Exchange::stream(stream).with_head(HttpHead::new(200, headers)))
        }
        Act::Fails(kind, delivery) => Err(TransportError::new(kind, delivery)),
        Act::Late(after) => {
            tokio::time::sleep(after).await;
            Ok(answer(200, &[], GOOD, &id))
        }
        Act::Http(status, headers, body) => Ok(answer(status, &headers, body, &id)),
    }
}

fn answer(status: u16, headers: &[(&'static str, String)], body: &str, id: &str) -> Exchange {
    let mut map = http::HeaderMap::new();
    if !body.is_empty() {
        map.insert("content-type", http::HeaderValue::from_static("application/json"));
    }
    for (name, value) in headers {
        map.append(*name, value.parse().unwrap());
    }
    Exchange::message(body.replace("{{id}}", id)).with_head(HttpHead::new(status, map))
}
