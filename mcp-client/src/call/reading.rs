//! How one answer is read: by its status, its media type, and then message by message.

use std::{future::poll_fn, ops::Range, task::Poll, time::Duration};

use bytes::Bytes;
use mcp_retry::Delivery;
use mcp_types::RequestId;
use tokio::{
    task::yield_now,
    time::{Instant, timeout_at},
};

use super::{Spec, bounds::Deadline, flight::Flight};
use crate::{
    decode::{self, Acknowledged, AtOnce, Decoded, Event, Expect, Opened, Reply},
    error::{
        CallError, HttpError, JsonRpcError, ProtocolError, ProtocolFault, TransportError, TransportErrorKind,
    },
    method::Answer,
    record::{CloseCause, Note, SseRecord},
    subscription::{self, Begun},
    transport::{Body, Exchange, HttpHead, JSON, MessageStream},
    updates::Heard,
};

/// How long the end of a stream is waited for after its answer, so that the connection can be used again.
const STREAM_END_GRACE: Duration = Duration::from_millis(5);

/// How many messages are read without a pause for others.
pub(crate) const MAX_IN_A_ROW: u64 = 64;

/// What is known while one answer is read.
pub(super) struct Reading<'a, 'flight> {
    pub(super) spec: &'a Spec,
    pub(super) deadline: &'a Deadline,
    /// When the attempt must have ended, whatever progress comes.
    pub(super) until: Option<Instant>,
    pub(super) id: &'a RequestId,
    pub(super) expect: Expect,
    pub(super) flight: &'a mut Flight<'flight>,
}

impl Reading<'_, '_> {
    /// Reads the answer, whatever it is.
    pub(super) async fn read<M: Answer>(
        mut self,
        exchange: Exchange,
    ) -> Result<Decoded<M::Result>, CallError> {
        let Exchange { head, body } = exchange;
        let serial = head.as_ref().is_some_and(|head| head.serial);
        let body = match head {
            Some(head) if !head.is_success() => return Err(self.http_error(head, body).into()),
            Some(head) => check_content(&head, body)?,
            None => body,
        };
        match body {
            Body::Message(message) if is_blank(&message) => {
                Err(ProtocolError::new(ProtocolFault::NoAnswer, message).into())
            }
            Body::Message(message) => {
                if let Some(AtOnce::Result(result, range)) = self.at_once::<M>(&message) {
                    return Ok(self.complete(result, &message, range));
                }
                let decoded = decode::reply(&message, self.id)
                    .map_err(Failed::Protocol)
                    .and_then(|reply| self.finish_reply::<M>(reply, &message));
                decoded.map_err(|failed| failed.into_error(message))
            }
            Body::Stream(stream) => self.read_stream::<M>(stream, serial).await,
        }
    }

    /// The status has decided; the body only adds facts.
    fn http_error(&mut self, head: HttpHead, body: Body) -> HttpError {
        let body = match body {
            Body::Message(body) => body,
            Body::Stream(_) => Bytes::new(),
        };
        let asked_to_wait = head.headers.contains_key("retry-after");
        let error = HttpError::new(head, body);
        if error.has_foreign_id(self.id) {
            self.flight.exchange.notes.add(Note::ForeignErrorId);
        }
        if asked_to_wait && error.retry_after().is_none() {
            self.flight.exchange.notes.add(Note::UnreadableRetryAfter);
        }
        error
    }

    /// Reads a message that is of the usual form.
    fn at_once<M: Answer>(&mut self, message: &[u8]) -> Option<AtOnce<M::Result>> {
        let want = self.spec.want.as_deref();
        if let Some(want) = want {
            want.clear();
        }
        // The tool's own schema needs to see the content first.
        #[cfg(feature = "schema")]
        let want = want.filter(|_| self.flight.tool.as_ref().is_none_or(|tool| tool.output_schema.is_none()));
        let read = decode::at_once::<M>(message, self.id, self.expect, want, &mut self.flight.exchange.notes);
        if let (None, Some(want)) = (&read, want) {
            want.clear();
        }
        read
    }

    /// The answer is there, in full.
    fn complete<R>(&mut self, result: R, message: &Bytes, range: Range<usize>) -> Decoded<R> {
        self.flight.result_bytes = range.len();
        if self.spec.keep {
            self.flight.kept = Some(message.slice(range));
        }
        Decoded::Complete(result)
    }

    fn finish_reply<M: Answer>(
        &mut self,
        reply: Reply<'_>,
        message: &Bytes,
    ) -> Result<Decoded<M::Result>, Failed> {
        let notes = &mut self.flight.exchange.notes;
        match reply {
            Reply::Result(raw) => {
                let decoded = decode::result::<M>(raw, self.expect, notes).map_err(Failed::Protocol)?;
                self.flight.result_bytes = raw.get().len();
                if self.spec.keep {
                    self.flight.kept = Some(message.slice_ref(raw.get().as_bytes()));
                }
                Ok(decoded)
            }
            Reply::Error(error, id) => {
                if id.is_none() {
                    notes.add(Note::MissingErrorId);
                }
                Err(Failed::JsonRpc(Box::new(JsonRpcError::new(error, id))))
            }
        }
    }

    async fn read_stream<M: Answer>(
        mut self,
        mut stream: MessageStream,
        serial: bool,
    ) -> Result<Decoded<M::Result>, CallError> {
        self.flight.sse = Some(SseRecord::default());
        loop {
            let next = poll_fn(|cx| stream.as_mut().poll_next(cx)).await;
            let Some(sse) = self.flight.sse.as_mut() else { continue };
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
            if sse.events % MAX_IN_A_ROW == 0 {
                // A stream that always has more must not keep timers, the caller and other tasks from their turn.
                yield_now().await;
            }
            let heard = match self.at_once::<M>(&message) {
                Some(AtOnce::Result(result, range)) => {
                    let decoded = self.complete(result, &message, range);
                    drop(message);
                    self.answered(stream, serial).await;
                    return Ok(decoded);
                }
                Some(AtOnce::Progress(progress, bytes)) => {
                    Some(self.spec.listeners.progress(progress, bytes))
                }
                Some(AtOnce::Log(log, bytes)) => Some(self.spec.listeners.log(log, bytes)),
                None => None,
            };
            let Some(sse) = self.flight.sse.as_mut() else { continue };
            if let Some(heard) = heard {
                sse.notifications += 1;
                self.heard(heard);
                continue;
            }
            match decode::event(&message, self.id) {
                Ok(Event::Reply(reply)) => {
                    let decoded = self.finish_reply::<M>(reply, &message);
                    // From here on a good answer's bytes hold up no buffer of the connection, unless the cache keeps them.
                    let decoded = decoded.map_err(|failed| failed.into_error(message));
                    self.answered(stream, serial).await;
                    return decoded;
                }
                Ok(Event::Notification { method, params }) => {
                    sse.notifications += 1;
                    if M::OPENS {
                        let asked = self.spec.others.iter().map(|(_, value)| value.get().len()).sum();
                        match subscription::begun(&method, params, self.id, asked) {
                            Some(Begun::Acknowledged(filter)) => {
                                let opened = Acknowledged::new(self.id.clone(), filter, stream);
                                return Ok(Decoded::Opened(Box::new(Opened::Acknowledged(opened))));
                            }
                            Some(Begun::Cancelled(reason)) => {
                                sse.close_cause = Some(CloseCause::Ended);
                                return Ok(Decoded::Opened(Box::new(Opened::Cancelled { reason })));
                            }
                            None => {}
                        }
                    }
                    let heard = self.spec.listeners.hear(&method, params, self.id);
                    self.heard(heard);
                }
                Ok(Event::Foreign) => sse.skipped += 1,
                Err(fault) => {
                    sse.close_cause = Some(CloseCause::Refused);
                    return Err(ProtocolError::new(fault, message).into());
                }
            }
        }
    }

    /// Progress may move the end of the call.
    fn heard(&mut self, heard: Heard) {
        if heard == Heard::Progress {
            self.deadline.progressed();
            let ends = [self.deadline.at(), self.until];
            self.flight.exchange.deadline = ends.into_iter().flatten().min();
        }
    }

    /// The answer came on a stream.
    async fn answered(&mut self, stream: MessageStream, serial: bool) {
        if let Some(sse) = self.flight.sse.as_mut() {
            sse.terminal_response = true;
            sse.close_cause = Some(CloseCause::Answered);
        }
        if serial {
            self.read_the_end(stream).await;
        }
    }

    /// Whether the end comes in time or not, the answer stands.
    async fn read_the_end(&self, mut stream: MessageStream) {
        // Mostly it is there, and then no time is told and no timer set.
        if poll_fn(|cx| Poll::Ready(stream.as_mut().poll_next(cx).is_ready())).await {
            return;
        }
        let until = Instant::now() + STREAM_END_GRACE;
        let until = self.flight.exchange.deadline.map_or(until, |deadline| until.min(deadline));
        let _ = timeout_at(until, poll_fn(|cx| stream.as_mut().poll_next(cx))).await;
    }
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
    JsonRpc(Box<JsonRpcError>),
}

impl Failed {
    fn into_error(self, raw: Bytes) -> CallError {
        match self {
            Self::Protocol(fault) => ProtocolError::new(fault, raw).into(),
            Self::JsonRpc(error) => CallError::JsonRpc(error),
        }
    }
}
