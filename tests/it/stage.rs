//! A server that answers one call as it is told and all others well, and how a call must have ended.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    CallError, Client, ClientBuilder, Delivery, Layer, OutcomeKind, ToolOutcome, error::ProtocolError,
    retry::Origin,
};
use serde_json::Value;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use crate::support::record;

/// One HTTP answer. In its body `{{id}}` stands for the JSON text of the request's id.
#[derive(Clone)]
pub(crate) struct Canned {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    /// Empty for none.
    media_type: String,
    pub(crate) body: Vec<u8>,
}

impl Canned {
    /// An answer of any kind; an empty media type sends no `Content-Type`.
    pub(crate) fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), media_type: media_type.to_owned(), body: body.into() }
    }

    /// 200 with JSON.
    pub(crate) fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "application/json", body)
    }

    /// 200 with an event stream that holds these messages and ends.
    pub(crate) fn sse(messages: &[&str]) -> Self {
        let mut body = String::new();
        for message in messages {
            body.push_str("event: message\n");
            for line in message.split('\n') {
                body.push_str("data: ");
                body.push_str(line);
                body.push('\n');
            }
            body.push('\n');
        }
        Self::new(200, "text/event-stream", body)
    }

    /// 200 with a JSON-RPC response around the text of a result.
    pub(crate) fn result(result: &str) -> Self {
        Self::json(response(result))
    }

    /// Adds a header; several of one name are kept.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn template(&self, id: &str) -> ResponseTemplate {
        let mut template =
            ResponseTemplate::new(self.status).set_body_raw(fill(&self.body, id), self.media_type.as_str());
        for (name, value) in &self.headers {
            template = template.append_header(name.as_str(), value.as_str());
        }
        template
    }
}

impl fmt::Debug for Canned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        let shown: String = body.chars().take(300).collect();
        write!(f, "{} {} {:?} {shown:?}", self.status, self.media_type, self.headers)
    }
}

/// The text of a JSON-RPC response around the text of a result.
pub(crate) fn response(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#)
}

/// The text of a complete result with one text block.
pub(crate) const OK: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"ok"}]}"#;

fn fill(body: &[u8], id: &str) -> Vec<u8> {
    match std::str::from_utf8(body) {
        Ok(text) => text.replace("{{id}}", id).into_bytes(),
        Err(_) => body.to_vec(),
    }
}

/// A server on which each call is answered as its test says, and a client of it.
pub(crate) struct Stage {
    server: MockServer,
    pub(crate) client: Client,
    next: Arc<Mutex<Option<Canned>>>,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    /// With a client that is set up otherwise.
    pub(crate) async fn with(set_up: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        let server = MockServer::start().await;
        let next: Arc<Mutex<Option<Canned>>> = Arc::default();
        let log: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (script, seen) = (Arc::clone(&next), Arc::clone(&log));
        let answer = move |request: &Request| {
            seen.lock().unwrap().push(request.clone());
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let reply = script.lock().unwrap().take().unwrap_or_else(|| Canned::result(OK));
            reply.template(&body["id"].to_string())
        };
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let builder = crate::support::once(&format!("{}/mcp", server.uri())).timeout(Duration::from_secs(10));
        Self { server, client: set_up(builder).build().unwrap(), next, log }
    }

    /// The URL of its endpoint.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.server.uri())
    }

    /// The next request is answered so.
    pub(crate) fn answers(&self, reply: &Canned) {
        *self.next.lock().unwrap() = Some(reply.clone());
    }

    /// Makes one call that is answered so.
    pub(crate) async fn call(&self, reply: &Canned) -> Result<ToolOutcome, CallError> {
        self.answers(reply);
        self.client.call_tool("x").send().await
    }

    /// Makes one call that is answered so, and checks that it ends as it must, that it was one POST, and that the
    /// client is as good as before.
    pub(crate) async fn ends(&self, reply: &Canned, want: Ending) -> Result<ToolOutcome, CallError> {
        let before = self.count();
        let outcome = self.call(reply).await;
        assert_ending(&outcome, want, &[reply.status], reply);
        assert_eq!(self.count(), before + 1, "one POST: {reply:?}");
        assert_tool_call(&self.post(before), "x", record(&outcome).request_id.as_ref().unwrap());
        let after = self.client.call_tool("x").send().await;
        assert_ending(&after, SUCCESS, &[200], reply);
        assert_eq!(self.count(), before + 2, "{reply:?}");
        outcome
    }

    /// As [`ends`](Self::ends), where that is all there is to know.
    pub(crate) async fn assert_ends(&self, reply: &Canned, want: Ending) {
        let _ = self.ends(reply, want).await;
    }

    /// How many requests have come so far, of whatever method.
    pub(crate) fn count(&self) -> usize {
        self.log.lock().unwrap().len()
    }

    /// A request, counted from 0; it is proven to be a POST.
    pub(crate) fn post(&self, number: usize) -> Request {
        let post = self.log.lock().unwrap()[number].clone();
        assert_eq!(post.method, "POST", "only POSTs are ever sent");
        post
    }

    /// The bodies of all requests so far.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        (0..self.count()).map(|number| serde_json::from_slice(&self.post(number).body).unwrap()).collect()
    }
}

/// What a server must see of every `tools/call`.
pub(crate) fn assert_tool_call(post: &Request, tool: &str, id: &mcp_client::types::RequestId) {
    let body: Value = serde_json::from_slice(&post.body).unwrap();
    assert_eq!(body["method"], "tools/call");
    assert_eq!(body["params"]["name"], tool);
    assert_eq!(body["id"], serde_json::to_value(id).unwrap());
    let header = |name: &str| post.headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(header("mcp-method"), Some("tools/call"));
    assert_eq!(header("mcp-name"), Some(tool));
    assert_eq!(header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(header("content-type"), Some("application/json"));
    assert_eq!(header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(header("mcp-session-id"), None);
}

/// What all endings have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ending {
    variant: &'static str,
    kind: OutcomeKind,
    layer: Layer,
    delivery: Delivery,
}

const fn ending(variant: &'static str, kind: OutcomeKind, layer: Layer, delivery: Delivery) -> Ending {
    Ending { variant, kind, layer, delivery }
}

pub(crate) const SUCCESS: Ending =
    ending("Success", OutcomeKind::ToolSuccess, Layer::Application, Delivery::Answered);
pub(crate) const TOOL_ERROR: Ending =
    ending("ToolError", OutcomeKind::ToolError, Layer::Application, Delivery::Answered);
pub(crate) const INPUT_REQUIRED: Ending =
    ending("InputRequired", OutcomeKind::InputRequired, Layer::Interaction, Delivery::Answered);
pub(crate) const JSONRPC_ERROR: Ending =
    ending("JsonRpc", OutcomeKind::JsonrpcError, Layer::Protocol, Delivery::Answered);
pub(crate) const INVALID_CALL: Ending =
    ending("Invalid", OutcomeKind::InvalidCall, Layer::Local, Delivery::NotSent);
pub(crate) const STREAM_INCOMPLETE: Ending =
    ending("Transport", OutcomeKind::StreamIncomplete, Layer::Transport, Delivery::Unknown);
pub(crate) const MALFORMED_JSON: Ending = protocol(OutcomeKind::MalformedJson);
pub(crate) const INVALID_ENVELOPE: Ending = protocol(OutcomeKind::InvalidEnvelope);
pub(crate) const INVALID_TOOL_RESULT: Ending = protocol(OutcomeKind::InvalidToolResult);
pub(crate) const UNEXPECTED_CONTENT: Ending = protocol(OutcomeKind::UnexpectedContent);
pub(crate) const NO_ANSWER: Ending = protocol(OutcomeKind::NoAnswer);

pub(crate) const fn http_error(delivery: Delivery) -> Ending {
    ending("Http", OutcomeKind::HttpError, Layer::Transport, delivery)
}

const fn protocol(kind: OutcomeKind) -> Ending {
    ending("Protocol", kind, Layer::Protocol, Delivery::Unknown)
}

/// How a call ended, as its answer says.
fn ending_of(outcome: &Result<ToolOutcome, CallError>) -> Ending {
    match outcome {
        Ok(ToolOutcome::Success(_)) => SUCCESS,
        Ok(ToolOutcome::ToolError(_)) => TOOL_ERROR,
        Ok(ToolOutcome::InputRequired(_)) => INPUT_REQUIRED,
        Err(error) => {
            let variant = match error {
                CallError::Invalid(_) => "Invalid",
                CallError::Auth(_) => "Auth",
                CallError::Transport(_) => "Transport",
                CallError::Http(_) => "Http",
                CallError::JsonRpc(_) => "JsonRpc",
                CallError::Protocol(_) => "Protocol",
                _ => "a new one",
            };
            ending(variant, error.outcome(), error.layer(), error.delivery())
        }
    }
}

/// Checks that answer and record agree on how a call of one attempt ended, and that it must end so.
pub(crate) fn assert_ending(
    outcome: &Result<ToolOutcome, CallError>,
    want: Ending,
    statuses: &[u16],
    context: &dyn fmt::Debug,
) {
    assert_eq!(ending_of(outcome), want, "{context:?}\n{outcome:?}");
    let record = record(outcome);
    assert_eq!(
        (record.outcome, record.layer, record.delivery),
        (want.kind, want.layer, want.delivery),
        "{context:?}"
    );
    assert_eq!(record.http_statuses().collect::<Vec<_>>(), statuses, "{context:?}");
    assert_eq!(record.post_count(), statuses.len(), "{context:?}");
    assert_eq!(record.method, "tools/call");
    assert_eq!(record.retry_origin(), Origin::None, "{context:?}");
    let attempts = record.attempts.attempts();
    assert_eq!(attempts.len(), usize::from(!statuses.is_empty()), "{context:?}");
    for attempt in attempts {
        assert_eq!(attempt.request_id, record.request_id, "{context:?}");
        let failed = !matches!(want.kind, OutcomeKind::ToolSuccess | OutcomeKind::InputRequired);
        let failed = failed.then(|| want.kind.as_str());
        assert_eq!(attempt.failed.as_deref(), failed, "{context:?}");
    }
    if let Err(error) = outcome {
        assert_eq!(error.request_id(), record.request_id.as_ref(), "{context:?}");
        assert_eq!(error.http_status(), statuses.last().copied(), "{context:?}");
        assert!(!error.is_timeout() && !error.is_connect(), "{context:?}");
        assert!(record.error_message.is_some(), "{context:?}");
    } else {
        assert_eq!(record.error_message, None, "{context:?}");
        assert_eq!(record.error_code, None, "{context:?}");
    }
}

/// The error of a call that failed.
pub(crate) fn failed(outcome: Result<ToolOutcome, CallError>) -> CallError {
    match outcome {
        Ok(outcome) => panic!("the call did not fail: {outcome:?}"),
        Err(error) => error,
    }
}

/// The protocol error of a call whose answer was none.
pub(crate) fn protocol_error(outcome: Result<ToolOutcome, CallError>) -> ProtocolError {
    match failed(outcome) {
        CallError::Protocol(error) => *error,
        other => panic!("no protocol error: {other:?}"),
    }
}

/// The notes of a call's record, as they stand in its JSON.
pub(crate) fn notes(outcome: &Result<ToolOutcome, CallError>) -> Vec<String> {
    record(outcome).notes.iter().map(ToString::to_string).collect()
}
