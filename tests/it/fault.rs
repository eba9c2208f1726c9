//! Calls of servers that answer wrongly on purpose, and what all of them must keep to.

use std::{fmt::Debug, time::Duration};

use mcp_client::{
    CallError, CallRecord, Client, Delivery, Layer, OutcomeKind, ToolOutcome,
    error::{HttpError, JsonRpcError, ProtocolError, TransportError},
    retry::Origin,
};
use mcp_tests::{FaultServer, RawRequest, Reply};

use crate::support::{client, record};

/// A good answer. `{{id}}` stands for the id of the request.
pub(crate) const ANSWER: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}]}}"#;

/// A notification as it may come before the answer.
pub(crate) const NOTIFICATION: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half way"}}"#;

/// No call of these tests may take longer: what hangs, fails.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) type Ended = Result<ToolOutcome, CallError>;

pub(crate) fn good() -> Reply {
    Reply::json(200, ANSWER)
}

/// A server that plays a script, and a client of it.
pub(crate) async fn serve(script: impl Into<Vec<Reply>>) -> (FaultServer, Client) {
    let server = FaultServer::start(script).await.unwrap();
    let client = client(&server.url());
    (server, client)
}

/// A server that plays one reply and then good ones.
pub(crate) async fn serve_once(reply: Reply) -> (FaultServer, Client) {
    serve([reply, good()]).await
}

/// Calls a tool, and fails if that never ends.
pub(crate) async fn call(client: &Client) -> Ended {
    in_time(client.call_tool("x").send()).await
}

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it must come to an end")
}

/// How a call ended, and that the error, its variant, its accessors and the record all say the same.
#[track_caller]
pub(crate) fn assert_ended<'a>(
    what: &dyn Debug,
    ended: &'a Ended,
    kind: OutcomeKind,
    delivery: Delivery,
    posts: &[Option<u16>],
) -> &'a CallRecord {
    let record = record(ended);
    assert_eq!(
        (record.outcome, record.delivery, record.posts.as_slice()),
        (kind, delivery, posts),
        "{what:?}: {ended:?}"
    );
    assert_eq!(record.layer, layer(kind), "{what:?}");
    assert_eq!(record.retry_origin(), Origin::None, "{what:?}");
    match ended {
        Ok(outcome) => {
            let variant = match outcome {
                ToolOutcome::Success(_) => OutcomeKind::ToolSuccess,
                ToolOutcome::ToolError(_) => OutcomeKind::ToolError,
                ToolOutcome::InputRequired(_) => OutcomeKind::InputRequired,
            };
            assert_eq!(variant, kind, "{what:?}");
        }
        Err(error) => {
            assert_eq!(
                (error.outcome(), error.delivery(), error.layer()),
                (kind, delivery, layer(kind)),
                "{what:?}"
            );
            assert!(is_variant(error, kind), "{what:?}: {error:?}");
            assert_eq!(error.is_timeout(), kind == OutcomeKind::Timeout, "{what:?}");
            if kind != OutcomeKind::JsonrpcError && kind != OutcomeKind::HttpError {
                assert_eq!(
                    (error.rpc_code(), record.error_code),
                    (None, None),
                    "no code is ever made up: {what:?}"
                );
            }
        }
    }
    record
}

fn layer(kind: OutcomeKind) -> Layer {
    use OutcomeKind as K;
    match kind {
        K::ToolSuccess | K::ToolError => Layer::Application,
        K::InputRequired => Layer::Interaction,
        K::HttpError | K::StreamIncomplete | K::TransportError | K::Timeout | K::AuthError => {
            Layer::Transport
        }
        K::Cancelled | K::InvalidCall => Layer::Local,
        _ => Layer::Protocol,
    }
}

fn is_variant(error: &CallError, kind: OutcomeKind) -> bool {
    use OutcomeKind as K;
    match error {
        CallError::Invalid(_) => kind == K::InvalidCall,
        CallError::Auth(_) => kind == K::AuthError,
        CallError::Transport(_) => {
            matches!(kind, K::TransportError | K::Timeout | K::StreamIncomplete | K::Cancelled)
        }
        CallError::Http(_) => kind == K::HttpError,
        CallError::JsonRpc(_) => kind == K::JsonrpcError,
        CallError::Protocol(_) => matches!(
            kind,
            K::MalformedJson | K::InvalidEnvelope | K::InvalidToolResult | K::UnexpectedContent | K::NoAnswer
        ),
        _ => false,
    }
}

/// A success of [`ANSWER`].
#[track_caller]
pub(crate) fn assert_good<'a>(what: &dyn Debug, ended: &'a Ended) -> &'a CallRecord {
    let record = assert_ended(what, ended, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    let Ok(ToolOutcome::Success(output)) = ended else { panic!("{what:?}: {ended:?}") };
    assert_eq!(output.text(), "ok", "{what:?}");
    record
}

/// The client that had a bad answer is as good as new.
pub(crate) async fn still_usable(what: &dyn Debug, client: &Client) {
    assert_good(what, &call(client).await);
}

#[track_caller]
pub(crate) fn transport_error(ended: &Ended) -> &TransportError {
    let Err(CallError::Transport(error)) = ended else { panic!("no transport error: {ended:?}") };
    error
}

#[track_caller]
pub(crate) fn protocol_error(ended: &Ended) -> &ProtocolError {
    let Err(CallError::Protocol(error)) = ended else { panic!("no protocol error: {ended:?}") };
    error
}

#[track_caller]
pub(crate) fn http_error(ended: &Ended) -> &HttpError {
    let Err(CallError::Http(error)) = ended else { panic!("no HTTP error: {ended:?}") };
    error
}

#[track_caller]
pub(crate) fn rpc_error(ended: &Ended) -> &JsonRpcError {
    let Err(CallError::JsonRpc(error)) = ended else { panic!("no JSON-RPC error: {ended:?}") };
    error
}

/// All that the server ever received: that many `tools/call`, each with an id of its own, and nothing else.
#[track_caller]
pub(crate) fn only_calls(server: &FaultServer, count: usize) -> Vec<RawRequest> {
    let requests = server.requests();
    assert_eq!(requests.len(), count, "{requests:#?}");
    let mut ids: Vec<String> = requests
        .iter()
        .map(|request| {
            assert!(request.request_line().starts_with("POST "), "{}", request.request_line());
            assert_eq!(request.json().unwrap()["method"], "tools/call");
            for header in ["mcp-session-id", "last-event-id"] {
                assert_eq!(request.header(header), None, "{header}");
            }
            request.json().unwrap()["id"].to_string()
        })
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "no id is used twice");
    requests
}
