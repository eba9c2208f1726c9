use std::{
    collections::HashMap,
    future::{IntoFuture as _, pending},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use mcp_types::{CreateMessageRequestParams, CreateMessageResult, ElicitResult, ListRootsResult};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::DEFAULT_MAX_ROUNDS;
use crate::{
    CancelHandle, Client, ClientBuilder, Continuation, Delivery, DriveStop, ElicitForm, ElicitLink,
    InputContext, InputError, InputHandler, InputKinds, OutcomeKind, SuspendedCall, ToolOutcome,
    error::{CallError, InvalidKind},
    transport::{Exchange, MemoryTransport},
};

mod asked;
mod stops;
mod time;

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Why?","requestedSchema":{"type":"object","properties":{"why":{"type":"string","maxLength":9}},"required":["why"]}}}"#;
const LINK: &str =
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://a.example/"}}"#;
const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":5,"includeContext":"allServers"}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;
const DONE: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}]}"#;

/// A result that asks for these, and hands out a state.
fn asks(requests: &[(&str, &str)], state: Option<&str>) -> String {
    let requests: Vec<String> = requests.iter().map(|(key, text)| format!("\"{key}\":{text}")).collect();
    let state = state.map(|state| format!(r#","requestState":"{state}""#)).unwrap_or_default();
    let requests = if requests.is_empty() {
        String::new()
    } else {
        format!(r#","inputRequests":{{{}}}"#, requests.join(","))
    };
    let meta = r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clerk","version":"1"}}"#;
    format!(r#"{{"resultType":"input_required"{requests}{state}{meta}}}"#)
}

/// A server that answers with one result after the other, the last one from then on, each after so long.
struct Server {
    transport: Arc<MemoryTransport>,
    client: Client,
}

impl Server {
    fn new(results: &[String]) -> Self {
        Self::with(results, Duration::ZERO, |builder| builder)
    }

    fn with(
        results: &[String],
        takes: Duration,
        set_up: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Self {
        let (results, count) = (results.to_vec(), AtomicUsize::new(0));
        let transport = Arc::new(MemoryTransport::new(move |request| {
            let number = count.fetch_add(1, Ordering::Relaxed).min(results.len() - 1);
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#, request.id, results[number]);
            async move {
                sleep(takes).await;
                Ok(Exchange::message(answer))
            }
        }));
        let client = set_up(Client::with_transport(transport.clone())).build().unwrap();
        Self { transport, client }
    }

    fn sent(&self) -> Vec<Value> {
        self.transport.sent().iter().map(|message| serde_json::from_slice(message).unwrap()).collect()
    }
}

/// What a person does when asked.
#[derive(Clone, Copy)]
enum Does {
    /// Answers well.
    Answers,
    /// Answers well, after so long.
    After(Duration),
    /// Never answers.
    Nothing,
    Declines,
    Later,
    Fails,
    /// Gives an answer that does not fit.
    Misfit,
    Unhandled,
    Panics,
}

/// A handler that is told for each key what to do, and remembers all.
#[derive(Default)]
struct Clerk {
    kinds: Option<InputKinds>,
    does: HashMap<&'static str, Does>,
    /// The keys that were asked, and by whom.
    asked: Mutex<Vec<InputContext>>,
    /// The keys of those that were dropped before they had an answer.
    dropped: Arc<Mutex<Vec<String>>>,
    at_once: Arc<AtomicUsize>,
    most: AtomicUsize,
    sampled: Mutex<Vec<CreateMessageRequestParams>>,
}

/// Says so when it is dropped too early.
struct Watch {
    key: String,
    dropped: Arc<Mutex<Vec<String>>>,
    at_once: Arc<AtomicUsize>,
    is_done: bool,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.at_once.fetch_sub(1, Ordering::Relaxed);
        if !self.is_done {
            self.dropped.lock().unwrap().push(self.key.clone());
        }
    }
}

impl Clerk {
    fn new() -> Self {
        Self::default()
    }

    fn does(mut self, key: &'static str, what: Does) -> Self {
        self.does.insert(key, what);
        self
    }

    fn answering(mut self, kinds: InputKinds) -> Self {
        self.kinds = Some(kinds);
        self
    }

    fn keys(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|cx| cx.key().to_owned()).collect()
    }

    fn cx(&self, number: usize) -> InputContext {
        self.asked.lock().unwrap()[number].clone()
    }

    fn dropped(&self) -> Vec<String> {
        self.dropped.lock().unwrap().clone()
    }

    /// Whether to answer well.
    async fn asked(&self, cx: &InputContext) -> Result<bool, InputError> {
        self.asked.lock().unwrap().push(cx.clone());
        self.most.fetch_max(self.at_once.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        let mut watch = Watch {
            key: cx.key().to_owned(),
            dropped: Arc::clone(&self.dropped),
            at_once: Arc::clone(&self.at_once),
            is_done: false,
        };
        let what = self.does.get(cx.key()).or(self.does.get("*")).copied().unwrap_or(Does::Answers);
        let answered = match what {
            Does::Answers => Ok(true),
            Does::After(time) => {
                sleep(time).await;
                Ok(true)
            }
            Does::Nothing => pending().await,
            Does::Declines => Err(InputError::Declined),
            Does::Later => Err(InputError::Later),
            Does::Fails => Err(std::io::Error::other("the terminal is gone").into()),
            Does::Misfit => Ok(false),
            Does::Unhandled => Err(InputError::NotHandled),
            Does::Panics => panic!("on purpose"),
        };
        watch.is_done = true;
        answered
    }
}

#[async_trait]
impl InputHandler for Clerk {
    fn kinds(&self) -> InputKinds {
        self.kinds.unwrap_or(InputKinds::FORM)
    }

    async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitResult, InputError> {
        assert_eq!(form.message(), "Why?");
        let why = if self.asked(cx).await? { "because" } else { "it is much too long" };
        Ok(ElicitResult::accept(&json!({ "why": why }))?)
    }

    async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitResult, InputError> {
        let odd = ElicitResult::accept(&json!({ "opened": true }))?;
        Ok(if self.asked(cx).await? { link.accept() } else { odd })
    }

    async fn sample(
        &self,
        request: CreateMessageRequestParams,
        cx: &InputContext,
    ) -> Result<CreateMessageResult, InputError> {
        self.sampled.lock().unwrap().push(request);
        let mut answer = CreateMessageResult::text("m", "Hello");
        if !self.asked(cx).await? {
            answer.role = "nobody".into();
        }
        Ok(answer)
    }

    async fn roots(&self, cx: &InputContext) -> Result<ListRootsResult, InputError> {
        let uri = if self.asked(cx).await? { "file:///home" } else { "https://a.example/" };
        Ok(ListRootsResult::new([mcp_types::Root::new(uri)]))
    }
}

/// The continuation of a call that was stopped, and why.
#[track_caller]
fn stopped(outcome: Result<ToolOutcome, CallError>) -> (Continuation, DriveStop) {
    match outcome {
        Ok(ToolOutcome::InputRequired(asked)) => {
            let stop = asked.stopped().expect("it says why").clone();
            (asked, stop)
        }
        other => panic!("it was not stopped: {other:?}"),
    }
}

#[track_caller]
fn done(outcome: Result<ToolOutcome, CallError>) {
    assert_eq!(outcome.unwrap().into_success().unwrap().text(), "done");
}

fn all_kinds() -> InputKinds {
    InputKinds::FORM | InputKinds::URL | InputKinds::SAMPLING | InputKinds::ROOTS
}
