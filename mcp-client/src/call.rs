//! One logical call: from the arguments to the answer, with its record.

mod flight;
mod key;
mod tool;

use std::{future::poll_fn, sync::Arc, time::Duration};

use bytes::Bytes;
use http::HeaderMap;
use mcp_retry::{AttemptLog, Delivery, Origin, Repeat, Retry};
use mcp_types::{Method, RawJson, RawMap, RequestId, ToolAnnotations};
use tokio::time::{Instant, timeout_at};

use self::flight::Flight;
pub(crate) use self::flight::{no_record, refuse};
pub use self::tool::CallToolBuilder;
use crate::{
    client::Client,
    continuation::{MultiRound, State},
    decode::{self, Decoded, Event, Expect, Reply},
    error::{
        CallError, HttpError, JsonRpcError, ProtocolError, ProtocolFault, TransportError, TransportErrorKind,
    },
    input_kinds::InputKinds,
    record::{CallRecord, CloseCause, Note, SseRecord},
    request,
    transport::{Body, Exchange, HttpHead, JSON, MessageStream},
};

/// How long the end of a stream is waited for after its answer, so that the connection can be used again.
const STREAM_END_GRACE: Duration = Duration::from_millis(5);

/// A call as the caller made it: all that its attempts and rounds are built from.
pub(crate) struct Spec {
    pub(crate) method: &'static str,
    /// The tool, prompt or URI.
    pub(crate) target: Arc<str>,
    pub(crate) arguments: Option<RawJson>,
    /// The caller's own `_meta` entries.
    pub(crate) meta: RawMap,
    pub(crate) headers: HeaderMap,
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    /// Instead of the client's.
    pub(crate) kinds: Option<InputKinds>,
    pub(crate) scenario: Option<String>,
    /// The caller's word on repeating it.
    pub(crate) repeat: Option<Repeat>,
    /// What the tool says of itself, where the caller has its definition.
    pub(crate) annotations: Option<ToolAnnotations>,
    /// Instead of the client's.
    pub(crate) retry: Option<Retry>,
    /// The attempts of an earlier call that this one continues.
    pub(crate) continues: Option<(AttemptLog, Origin)>,
}

impl Spec {
    pub(crate) fn new<M: Method>(target: impl Into<Arc<str>>) -> Self {
        Self {
            method: M::NAME,
            target: target.into(),
            arguments: None,
            meta: RawMap::new(),
            headers: HeaderMap::new(),
            timeout: None,
            attempt_timeout: None,
            kinds: None,
            scenario: None,
            repeat: None,
            annotations: None,
            retry: None,
            continues: None,
        }
    }
}

/// Makes the call and says how it ended. `state` is that of the continuation which is resumed.
///
/// # Cancel safety
///
/// Dropping the future drops the exchange, which cancels the request; the observer is told.
pub(crate) async fn run<M: MultiRound>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
) -> Result<(Decoded<M::Result>, Box<CallRecord>), CallError> {
    let after = spec.timeout.unwrap_or(client.config().timeout);
    let note = state.and_then(|state| state.accepting_duplicates.clone());
    let mut flight = Flight::new(client, spec, after, note);
    // A limit beyond what a clock can hold is none.
    let deadline = Instant::now().checked_add(after);
    flight.deadline = deadline;
    loop {
        let attempt = attempt::<M>(client, spec, state, &mut flight);
        let mut result = match deadline {
            Some(deadline) => timeout_at(deadline, attempt).await.unwrap_or_else(|_| Err(timed_out(after))),
            None => attempt.await,
        };
        if !flight.end_attempt::<M>(&mut result).await {
            return flight.finish::<M>(result);
        }
    }
}

fn timed_out(after: Duration) -> CallError {
    // Our own timer proves nothing about the request.
    TransportError::new(TransportErrorKind::Timeout { after }, Delivery::Unknown).into()
}

/// One attempt: a request with an id of its own, and what came back.
async fn attempt<M: MultiRound>(
    client: &Client,
    spec: &Spec,
    state: Option<&State>,
    flight: &mut Flight<'_>,
) -> Result<Decoded<M::Result>, CallError> {
    let id = client.next_id();
    flight.begin_attempt(&id);
    let outgoing = request::build::<M>(client, spec, state, id.clone())?;
    let limit = spec.attempt_timeout.or(client.config().attempt_timeout);
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    flight.exchange.deadline = [flight.deadline, deadline].into_iter().flatten().min();
    let exchange = async {
        let exchange = client.transport().exchange(outgoing, &mut flight.exchange).await?;
        read::<M>(client, spec, exchange, &id, flight).await
    };
    match (limit, deadline) {
        (Some(after), Some(deadline)) => {
            timeout_at(deadline, exchange).await.unwrap_or_else(|_| Err(timed_out(after)))
        }
        _ => exchange.await,
    }
}

async fn read<M: MultiRound>(
    client: &Client,
    spec: &Spec,
    exchange: Exchange,
    id: &RequestId,
    flight: &mut Flight<'_>,
) -> Result<Decoded<M::Result>, CallError> {
    let Exchange { head, body } = exchange;
    let serial = head.as_ref().is_some_and(|head| head.serial);
    let body = match head {
        Some(head) if !head.is_success() => return Err(http_error(head, body, id, flight).into()),
        Some(head) => check_content(&head, body)?,
        None => body,
    };
    let expect = client.config().expect(spec);
    match body {
        Body::Message(message) if is_blank(&message) => {
            Err(ProtocolError::new(ProtocolFault::NoAnswer, message).into())
        }
        Body::Message(message) => {
            let decoded = decode::reply(&message, id)
                .map_err(Failed::Protocol)
                .and_then(|reply| finish_reply::<M>(reply, expect, flight));
            decoded.map_err(|failed| failed.into_error(message))
        }
        Body::Stream(stream) => read_stream::<M>(stream, serial, expect, id, flight).await,
    }
}

/// The status has decided; the body only adds facts.
fn http_error(head: HttpHead, body: Body, id: &RequestId, flight: &mut Flight<'_>) -> HttpError {
    let body = match body {
        Body::Message(body) => body,
        Body::Stream(_) => Bytes::new(),
    };
    let asked_to_wait = head.headers.contains_key("retry-after");
    let error = HttpError::new(head, body);
    if error.has_foreign_id(id) {
        flight.exchange.notes.add(Note::ForeignErrorId);
    }
    if asked_to_wait && error.retry_after().is_none() {
        flight.exchange.notes.add(Note::UnreadableRetryAfter);
    }
    error
}

/// A 2xx must be JSON or an event stream, in a coding that the transport has undone. An empty one is told by the
/// caller, whatever its type.
fn check_content(head: &HttpHead, body: Body) -> Result<Body, ProtocolError> {
    let Body::Message(message) = body else {
        return Ok(body);
    };
    if is_blank(&message) {
        return Ok(Body::Message(message));
    }
    if head.headers.contains_key("content-encoding") {
        let codings: Vec<_> =
            head.headers.get_all("content-encoding").iter().filter_map(|value| value.to_str().ok()).collect();
        return Err(ProtocolError::new(
            ProtocolFault::UnsupportedEncoding(codings.join(", ").into()),
            message,
        ));
    }
    match head.media_type() {
        Some(media_type) if media_type == JSON => Ok(Body::Message(message)),
        other => Err(ProtocolError::new(ProtocolFault::UnexpectedContentType(other), message)),
    }
}

fn is_blank(message: &[u8]) -> bool {
    message.iter().all(u8::is_ascii_whitespace)
}

/// A reply that is no usable result; the bytes it stood in are added by who holds them.
enum Failed {
    Protocol(ProtocolFault),
    JsonRpc(JsonRpcError),
}

impl Failed {
    fn into_error(self, raw: Bytes) -> CallError {
        match self {
            Self::Protocol(fault) => ProtocolError::new(fault, raw).into(),
            Self::JsonRpc(error) => error.into(),
        }
    }
}

fn finish_reply<M: MultiRound>(
    reply: Reply<'_>,
    expect: Expect,
    flight: &mut Flight<'_>,
) -> Result<Decoded<M::Result>, Failed> {
    let notes = &mut flight.exchange.notes;
    match reply {
        Reply::Result(raw) => decode::result::<M>(raw, expect, notes).map_err(Failed::Protocol),
        Reply::Error(error, id) => {
            if id.is_none() {
                notes.add(Note::MissingErrorId);
            }
            Err(Failed::JsonRpc(JsonRpcError::new(error, id)))
        }
    }
}

async fn read_stream<M: MultiRound>(
    mut stream: MessageStream,
    serial: bool,
    expect: Expect,
    id: &RequestId,
    flight: &mut Flight<'_>,
) -> Result<Decoded<M::Result>, CallError> {
    flight.sse = Some(SseRecord::default());
    loop {
        let next = poll_fn(|cx| stream.as_mut().poll_next(cx)).await;
        let Some(sse) = flight.sse.as_mut() else { continue };
        let message = match next {
            Some(Ok(message)) => message,
            Some(Err(error)) => {
                let refused = matches!(error.kind(), TransportErrorKind::TooLarge { .. });
                sse.close_cause = Some(if refused { CloseCause::Refused } else { CloseCause::Broken });
                return Err(error.into());
            }
            None => {
                sse.close_cause = Some(CloseCause::Ended);
                return Err(TransportError::new(TransportErrorKind::Incomplete, Delivery::Unknown).into());
            }
        };
        sse.events += 1;
        match decode::event(&message, id) {
            Ok(Event::Reply(reply)) => {
                sse.terminal_response = true;
                sse.close_cause = Some(CloseCause::Answered);
                let decoded = finish_reply::<M>(reply, expect, flight);
                if serial {
                    // Whether the end comes in time or not, the answer stands.
                    let until = Instant::now() + STREAM_END_GRACE;
                    let until = flight.exchange.deadline.map_or(until, |deadline| until.min(deadline));
                    let _ = timeout_at(until, poll_fn(|cx| stream.as_mut().poll_next(cx))).await;
                }
                return decoded.map_err(|failed| failed.into_error(message));
            }
            Ok(Event::Notification { .. }) => sse.notifications += 1,
            Ok(Event::Foreign) => sse.skipped += 1,
            Err(fault) => {
                sse.close_cause = Some(CloseCause::Refused);
                return Err(ProtocolError::new(fault, message).into());
            }
        }
    }
}
