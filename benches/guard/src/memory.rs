//! A transport with all answers at hand: what is counted is the client.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use futures_util::stream;
use mcp_bench_kit::{
    payload,
    workload::{Arguments, Ask, ECHO, STEPS, Workload},
};
use mcp_client::{
    async_trait,
    error::TransportError,
    transport::{Exchange, ExchangeContext, Outgoing, Transport},
};

/// The messages that answer each request, the last request's first. The ids of a client are 1, 2, 3, …
pub struct Prepared {
    answers: Mutex<Vec<Vec<Bytes>>>,
    streamed: bool,
}

impl Prepared {
    pub fn new(workload: Workload, calls: usize) -> Self {
        let answers = (1..=calls).rev().map(|id| messages(workload, id)).collect();
        let streamed = matches!(workload, Workload::Sse | Workload::Progress | Workload::Event4M);
        Self { answers: Mutex::new(answers), streamed }
    }
}

fn messages(workload: Workload, id: usize) -> Vec<Bytes> {
    let number = match workload.ask() {
        Ask::Call { arguments: Arguments { number, .. }, .. } => number.unwrap_or_default(),
        Ask::List => 0,
    };
    let around = |(before, after): (String, String), what: &str| [&before, what, &after].concat();
    let result = match workload {
        Workload::Echo | Workload::Sse => around(payload::around_text(), &quoted(ECHO)),
        Workload::Text1M | Workload::Text16M | Workload::Event4M => {
            around(payload::around_text(), &quoted(&payload::text(number)))
        }
        Workload::Typed | Workload::Kept | Workload::Unread => {
            around(payload::around_structured(), &payload::orders(number))
        }
        Workload::Tools => payload::tools(),
        Workload::Progress | Workload::Wait | Workload::Hold | Workload::HoldSse => {
            around(payload::around_text(), &quoted("done"))
        }
    };
    let steps = if workload == Workload::Progress { STEPS } else { 0 };
    let mut messages: Vec<Bytes> =
        (1..=steps).map(|step| payload::progress(&id.to_string(), step, steps).into()).collect();
    messages.push(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into());
    messages
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[async_trait]
impl Transport for Prepared {
    async fn exchange(&self, _: Outgoing, cx: &mut ExchangeContext) -> Result<Exchange, TransportError> {
        cx.sending();
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is not prepared is an empty answer, which no client takes for one.
        let mut messages = answers.pop().unwrap_or_default();
        if self.streamed {
            return Ok(Exchange::stream(Box::pin(stream::iter(messages.into_iter().map(Ok)))));
        }
        Ok(Exchange::message(messages.pop().unwrap_or_default()))
    }

    fn identity(&self) -> &str {
        "memory:prepared"
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}
