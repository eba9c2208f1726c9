//! The answer to one HTTP request: a response whose body may come later.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Version, header};
use hyper::body::{Body, Frame, SizeHint};

use crate::log::{Ending, Ticket};
use crate::serve::Connection;

/// The server breaks the exchange off: no byte of an answer follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("broken off on purpose")
    }
}

impl std::error::Error for Broken {}

type Late = Pin<Box<dyn Future<Output = Result<Bytes, Broken>> + Send>>;

/// An answer before it becomes an HTTP response.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Content,
}

/// The body of an answer.
pub(crate) enum Content {
    /// All of it, with a Content-Length.
    Whole(Bytes),
    /// All of it, without a Content-Length.
    Streamed(Bytes),
    /// The headers go out now, the body when it is ready.
    Late(Late),
}

impl Answer {
    /// A status with an empty body and no other header.
    pub(crate) fn status_only(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Content::Whole(Bytes::new()) }
    }

    /// A whole JSON document.
    pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, headers: HeaderMap::new(), body: Content::Whole(body.into()) }
            .with(header::CONTENT_TYPE, "application/json")
    }

    /// One server-sent event with the headers of the real host.
    pub(crate) fn event(status: StatusCode, message: &str) -> Self {
        Self::event_stream(status, Content::Streamed(event(message)))
    }

    /// An event stream with the headers of the real host.
    pub(crate) fn event_stream(status: StatusCode, body: Content) -> Self {
        Self { status, headers: HeaderMap::new(), body }
            .with(header::CONTENT_TYPE, "text/event-stream")
            .with(header::CACHE_CONTROL, "no-cache,no-store")
            .with(header::CONTENT_ENCODING, "identity")
            .with(HeaderName::from_static("x-accel-buffering"), "no")
    }

    /// Sets a header.
    pub(crate) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// Turns it into a response that reports its end to the log.
    pub(crate) fn into_response(self, ticket: Option<Ticket>) -> Response<AnswerBody> {
        let mut ticket = ticket;
        if let Some(ticket) = &mut ticket {
            ticket.set_status(self.status.as_u16());
        }
        let content = match self.body {
            Content::Whole(bytes) if bytes.is_empty() => {
                // Nothing will be polled, so the end is now.
                if let Some(ticket) = &mut ticket {
                    ticket.end(Ending::Answered);
                }
                Content::Whole(bytes)
            }
            other => other,
        };
        let mut response = Response::new(AnswerBody { content: Some(content), ticket, reset: None });
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// One `message` event.
pub(crate) fn event(message: &str) -> Bytes {
    Bytes::from(format!("event: message\ndata: {message}\n\n"))
}

/// The body of a response.
pub(crate) struct AnswerBody {
    content: Option<Content>,
    ticket: Option<Ticket>,
    reset: Option<(Connection, Version)>,
}

impl AnswerBody {
    /// Makes a broken body end with a reset of its connection.
    pub(crate) fn resetting(mut self, connection: Connection, version: Version) -> Self {
        self.reset = Some((connection, version));
        self
    }

    fn end(&mut self, ending: Ending) {
        self.content = None;
        if let Some(ticket) = &mut self.ticket {
            ticket.end(ending);
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let ready = match self.content.as_mut() {
            None => return Poll::Ready(None),
            Some(Content::Whole(bytes) | Content::Streamed(bytes)) => Ok(std::mem::take(bytes)),
            Some(Content::Late(late)) => match late.as_mut().poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(ready) => ready,
            },
        };
        if let (Err(Broken), Some((connection, version))) = (&ready, &self.reset) {
            connection.reset_when_closed(*version);
        }
        self.end(if ready.is_ok() { Ending::Answered } else { Ending::Cut });
        Poll::Ready(Some(ready.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            None => true,
            Some(Content::Whole(bytes)) => bytes.is_empty(),
            Some(Content::Streamed(_) | Content::Late(_)) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            None => SizeHint::with_exact(0),
            Some(Content::Whole(bytes)) => SizeHint::with_exact(bytes.len() as u64),
            Some(Content::Streamed(_) | Content::Late(_)) => SizeHint::default(),
        }
    }
}
