//! Replies: responses that can be damaged in known ways.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use bytes::{BufMut, Bytes, BytesMut};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::StatusCode;

use super::request::find;
use super::step::Step;

/// What the server does with one request (or one connection).
///
/// In its bytes `{{id}}` stands for the JSON text of the request's id.
///
/// A reply ends with the last of its steps. If that leaves the connection's fate open, a complete response keeps the
/// connection for the next request, and everything else closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    response: Option<Head>,
    body: Bytes,
    cut: Option<usize>,
    steps: Vec<Step>,
    on_accept: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    framing: Framing,
    gzip: bool,
    half_event: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// Content-Length as it is.
    Length,
    /// Content-Length as told.
    Said(u64),
    /// One chunk and the end of the body.
    Chunked,
    /// One chunk, and the body stays open.
    Unfinished,
    /// Neither length nor chunks: the body ends with the connection.
    UntilClose,
}

impl Reply {
    fn new(response: Option<Head>, body: Bytes) -> Self {
        Self { response, body, cut: None, steps: Vec::new(), on_accept: false }
    }

    fn response(status: u16, content_type: Option<&str>, framing: Framing, body: Bytes) -> Self {
        let headers = content_type
            .map(|content_type| ("Content-Type".to_owned(), content_type.to_owned()))
            .into_iter()
            .collect();
        Self::new(Some(Head { status, headers, framing, gzip: false, half_event: false }), body)
    }

    /// A JSON response with a Content-Length.
    pub fn json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::response(status, Some("application/json"), Framing::Length, body.into())
    }

    /// A response without a body (and without a Content-Type).
    pub fn status(status: u16) -> Self {
        Self::response(status, None, Framing::Length, Bytes::new())
    }

    /// A chunked 200 event stream, each text being the data of one `message` event.
    pub fn sse(events: &[impl AsRef<str>]) -> Self {
        let mut body = BytesMut::new();
        for event in events {
            body.extend_from_slice(&crate::answer::event(event.as_ref()));
        }
        Self::sse_bytes(body.freeze())
    }

    /// A chunked 200 event stream with the body as it is: comments, other line ends, broken events.
    pub fn sse_bytes(body: impl Into<Bytes>) -> Self {
        Self::response(200, Some("text/event-stream"), Framing::Chunked, body.into())
    }

    /// Bytes as they are, in place of a response. The connection is closed after them unless a step says otherwise.
    pub fn raw(bytes: impl Into<Bytes>) -> Self {
        Self::new(None, bytes.into())
    }

    /// Nothing but steps.
    pub fn steps(steps: impl Into<Vec<Step>>) -> Self {
        Self { steps: steps.into(), ..Self::new(None, Bytes::new()) }
    }

    /// Nothing but steps, played as soon as the connection is accepted, before anything is read.
    pub fn on_accept(steps: impl Into<Vec<Step>>) -> Self {
        Self { on_accept: true, ..Self::steps(steps) }
    }

    fn change(mut self, change: impl FnOnce(&mut Head)) -> Self {
        if let Some(head) = &mut self.response {
            change(head);
        }
        self
    }

    /// Says a Content-Length, right or wrong. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn content_length(self, length: u64) -> Self {
        self.change(|head| head.framing = Framing::Said(length))
    }

    /// Sends the body as a chunk, and ends it. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn chunked(self) -> Self {
        self.change(|head| head.framing = Framing::Chunked)
    }

    /// Sends the body as a chunk and leaves it open: [`Step::Chunk`], [`Step::event`] and [`Step::LastChunk`] go on.
    /// No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn unfinished(self) -> Self {
        self.change(|head| head.framing = Framing::Unfinished)
    }

    /// Sends neither Content-Length nor chunks: the body ends where the connection is closed. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn until_close(self) -> Self {
        self.change(|head| head.framing = Framing::UntilClose)
    }

    /// Adds a header; one of the same name that is there already is replaced. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn header(self, name: &str, value: &str) -> Self {
        self.change(|head| {
            head.headers.retain(|(present, _)| !present.eq_ignore_ascii_case(name));
            head.headers.push((name.to_owned(), value.to_owned()));
        })
    }

    /// Removes a header. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn without_header(self, name: &str) -> Self {
        self.change(|head| {
            head.headers.retain(|(present, _)| !present.eq_ignore_ascii_case(name));
        })
    }

    /// Compresses the body and says so in Content-Encoding. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn gzip(self) -> Self {
        self.change(|head| head.gzip = true).header("Content-Encoding", "gzip")
    }

    /// Leaves out the second half of the last event's data, and what follows it. The HTTP body still ends in order; with
    /// [`unfinished`](Self::unfinished) it doesn't. No effect on raw bytes.
    #[must_use = "the changed reply is returned"]
    pub fn half_event(self) -> Self {
        self.change(|head| head.half_event = true)
    }

    /// Sends no more than this many bytes of the whole response, status line and headers included. Then come the
    /// steps; without any the connection is closed.
    #[must_use = "the changed reply is returned"]
    pub fn cut_at(mut self, offset: usize) -> Self {
        self.cut = Some(offset);
        self
    }

    /// Adds a step after the response.
    #[must_use = "the changed reply is returned"]
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(super) fn plays_on_accept(&self) -> bool {
        self.on_accept
    }

    /// The steps to play for a request of this id. The last one decides on the connection.
    pub(super) fn play(&self, id: &str) -> io::Result<Vec<Step>> {
        let mut steps = Vec::new();
        let mut bytes = match &self.response {
            Some(head) => head.response(fill(&self.body, id))?,
            None => fill(&self.body, id),
        };
        if let Some(offset) = self.cut {
            bytes.truncate(offset);
        }
        if !bytes.is_empty() {
            steps.push(Step::Write(bytes));
        }
        steps.extend(self.steps.iter().cloned().map(|step| match step {
            Step::Write(bytes) => Step::Write(fill(&bytes, id)),
            Step::Chunk(bytes) => Step::Write(chunk(&fill(&bytes, id))),
            Step::LastChunk => Step::Write(Bytes::from_static(LAST_CHUNK)),
            Step::Drip { bytes, chunk, every } => Step::Drip { bytes: fill(&bytes, id), chunk, every },
            other => other,
        }));
        steps.push(if self.is_complete() { Step::KeepAlive } else { Step::Close });
        Ok(steps)
    }

    /// Whether another response can follow on the connection.
    fn is_complete(&self) -> bool {
        let ended = self.steps.contains(&Step::LastChunk);
        self.cut.is_none()
            && self.response.as_ref().is_some_and(|head| match head.framing {
                Framing::Length | Framing::Chunked => true,
                Framing::Said(length) => !head.gzip && length == self.body.len() as u64,
                Framing::Unfinished => ended,
                Framing::UntilClose => false,
            })
    }
}

const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

impl Head {
    fn response(&self, mut body: Bytes) -> io::Result<Bytes> {
        if self.half_event {
            body.truncate(half_of_last_event(&body));
        }
        if self.gzip {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&body)?;
            body = Bytes::from(encoder.finish()?);
        }
        let reason = StatusCode::from_u16(self.status)
            .ok()
            .and_then(|status| status.canonical_reason())
            .unwrap_or("Unknown");
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.status);
        // Writing to a String cannot fail.
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        match self.framing {
            // These have no body, and a length would be an error.
            Framing::Length if self.status == 204 || self.status == 304 => {}
            Framing::Length => {
                let _ = write!(head, "Content-Length: {}\r\n", body.len());
            }
            Framing::Said(length) => {
                let _ = write!(head, "Content-Length: {length}\r\n");
            }
            Framing::Chunked | Framing::Unfinished => head.push_str("Transfer-Encoding: chunked\r\n"),
            Framing::UntilClose => {}
        }
        head.push_str("\r\n");
        let mut bytes = BytesMut::from(head.as_bytes());
        match self.framing {
            Framing::Chunked => {
                bytes.put(chunk(&body));
                bytes.put_slice(LAST_CHUNK);
            }
            Framing::Unfinished => bytes.put(chunk(&body)),
            Framing::Length | Framing::Said(_) | Framing::UntilClose => bytes.put(body),
        }
        Ok(bytes.freeze())
    }
}

/// Bytes as one chunk. Nothing is no chunk: an empty one would end the body.
fn chunk(bytes: &[u8]) -> Bytes {
    if bytes.is_empty() {
        return Bytes::new();
    }
    let mut framed = BytesMut::from(format!("{:x}\r\n", bytes.len()).as_bytes());
    framed.put_slice(bytes);
    framed.put_slice(b"\r\n");
    framed.freeze()
}

/// Puts the id in the place of each placeholder.
fn fill(bytes: &Bytes, id: &str) -> Bytes {
    const PLACEHOLDER: &[u8] = b"{{id}}";
    let mut rest: &[u8] = bytes;
    let mut filled = BytesMut::new();
    while let Some(at) = find(rest, PLACEHOLDER) {
        let (before, after) = rest.split_at(at);
        filled.put_slice(before);
        filled.put_slice(id.as_bytes());
        rest = after.get(PLACEHOLDER.len()..).unwrap_or_default();
    }
    if filled.is_empty() {
        return bytes.slice(bytes.len() - rest.len()..);
    }
    filled.put_slice(rest);
    filled.freeze()
}

/// Where the second half of the last event's data begins.
fn half_of_last_event(body: &[u8]) -> usize {
    const DATA: &[u8] = b"data: ";
    let last = body.strip_suffix(b"\n\n").unwrap_or(body);
    let data = last.windows(DATA.len()).rposition(|window| window == DATA).map_or(0, |at| at + DATA.len());
    data + (last.len() - data) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_every_placeholder() {
        assert_eq!(fill(&Bytes::from_static(b"{{id}} and {{id}}{{"), "\"a\""), "\"a\" and \"a\"{{");
        assert_eq!(fill(&Bytes::from_static(b"none"), "1"), "none");
        assert_eq!(fill(&Bytes::from_static(b"{{id}}"), ""), "");
    }

    #[test]
    fn half_an_event_keeps_the_others() {
        let body = b"event: message\ndata: 1\n\nevent: message\ndata: 2233\n\n";
        let kept = &body[..half_of_last_event(body)];
        assert_eq!(kept, b"event: message\ndata: 1\n\nevent: message\ndata: 22");
    }

    #[test]
    fn the_end_of_a_reply_follows_from_its_framing() {
        let last = |reply: Reply| reply.play("1").unwrap().pop().unwrap();
        assert_eq!(last(Reply::json(200, "{}")), Step::KeepAlive);
        assert_eq!(last(Reply::json(200, "{}").content_length(2)), Step::KeepAlive);
        assert_eq!(last(Reply::json(200, "{}").content_length(3)), Step::Close);
        assert_eq!(last(Reply::json(200, "{}").cut_at(5)), Step::Close);
        assert_eq!(last(Reply::sse(&["1"])), Step::KeepAlive);
        assert_eq!(last(Reply::sse(&["1"]).unfinished()), Step::Close);
        assert_eq!(last(Reply::sse(&["1"]).unfinished().then(Step::LastChunk)), Step::KeepAlive);
        assert_eq!(last(Reply::raw("x")), Step::Close);
        assert_eq!(last(Reply::json(200, "{}").until_close()), Step::Close);
    }
}
