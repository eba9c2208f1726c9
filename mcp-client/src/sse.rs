//! Server-sent events, sans-IO: bytes in, events out.
//!
//! The whole grammar of the [WHATWG event stream format]: lines end in CR, LF or CRLF, wherever the bytes were
//! cut; a byte order mark at the start, comments, `data` over several lines, `event`, `id` and `retry`. An event
//! that its blank line has not ended is never given out: a cut stream has no half answers.
//!
//! [WHATWG event stream format]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

use std::{fmt, time::Duration};

use bytes::{Buf, Bytes, BytesMut};
use memchr::{memchr, memchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The name that most servers give all their events.
const MESSAGE: &[u8] = b"message";

/// The line that gives it, as most write it.
const USUAL_NAME: &[u8] = b"event: message";

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseEvent {
    /// The event's name; `None` stands for `message`.
    pub name: Option<Bytes>,
    /// The data, its lines joined with LF; may be empty, and is as received: not checked for UTF-8.
    pub data: Bytes,
}

impl SseEvent {
    /// Whether the event is named `message`, or has no name: only those carry JSON-RPC messages.
    pub fn is_message(&self) -> bool {
        self.name.as_ref().is_none_or(|name| name.is_empty() || name.as_ref() == MESSAGE)
    }
}

/// An event, or a line of one, was longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

impl fmt::Display for SseTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an event of the stream is larger than {} bytes", self.limit)
    }
}

impl std::error::Error for SseTooLarge {}

/// A push parser for one event stream.
///
/// ```
/// use mcp_client::sse::SseParser;
///
/// let mut parser = SseParser::new(1024);
/// parser.push(b"data: {\"a\":\r");
/// parser.push(b"\ndata: 1}\n\n: keep-alive\n\ndata: half");
/// let event = parser.next_event()?.expect("a whole event");
/// assert_eq!(event.data.as_ref(), b"{\"a\":\n1}");
/// assert_eq!(parser.next_event()?, None);
/// assert!(parser.has_partial());
/// # Ok::<(), mcp_client::sse::SseTooLarge>(())
/// ```
#[derive(Debug)]
pub struct SseParser {
    /// What was pushed last, as far as it has not been read: lines that are whole in it are shared with it, not copied.
    chunk: Bytes,
    /// The beginning of a line whose end has not come.
    begun: BytesMut,
    /// The last line ended in CR: an LF that follows belongs to it.
    after_cr: bool,
    at_start: bool,
    limit: usize,
    name: Option<Bytes>,
    data: Data,
    /// Copied into the same room again and again: many servers give each event an id.
    last_event_id: Option<Vec<u8>>,
    retry: Option<Duration>,
}

#[derive(Debug, Default)]
enum Data {
    #[default]
    None,
    /// The usual case: one line, shared with the buffer, not copied.
    One(Bytes),
    Many(BytesMut),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(line) => line.len(),
            Self::Many(lines) => lines.len(),
        }
    }

    fn push(&mut self, line: Bytes) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(line),
            Self::One(first) => {
                let mut lines = BytesMut::with_capacity(first.len() + 1 + line.len());
                lines.extend_from_slice(&first);
                Self::join(lines, &line)
            }
            Self::Many(lines) => Self::join(lines, &line),
        }
    }

    fn join(mut lines: BytesMut, line: &[u8]) -> Self {
        lines.extend_from_slice(b"\n");
        lines.extend_from_slice(line);
        Self::Many(lines)
    }

    fn take(&mut self) -> Option<Bytes> {
        match std::mem::take(self) {
            Self::None => None,
            Self::One(line) => Some(line),
            Self::Many(lines) => Some(lines.freeze()),
        }
    }
}

impl SseParser {
    /// A parser that refuses events of more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            chunk: Bytes::new(),
            begun: BytesMut::new(),
            after_cr: false,
            at_start: true,
            limit,
            name: None,
            data: Data::None,
            last_event_id: None,
            retry: None,
        }
    }

    /// Adds bytes as they came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.chunk.is_empty() {
            self.chunk = Bytes::copy_from_slice(bytes);
            return;
        }
        let rest = std::mem::take(&mut self.chunk);
        let mut all = rest.try_into_mut().unwrap_or_else(|shared| BytesMut::from(shared.as_ref()));
        all.extend_from_slice(bytes);
        self.chunk = all.freeze();
    }

    /// Adds bytes as they came, without a copy of those that are read before more are added.
    #[cfg(feature = "http")]
    pub(crate) fn push_chunk(&mut self, chunk: Bytes) {
        if self.chunk.is_empty() {
            self.chunk = chunk;
        } else {
            self.push(&chunk);
        }
    }

    /// The next whole event, or `None` until more bytes are pushed.
    ///
    /// # Errors
    ///
    /// [`SseTooLarge`] when an event exceeds the limit; the stream cannot be read any further.
    pub fn next_event(&mut self) -> Result<Option<SseEvent>, SseTooLarge> {
        if self.at_start && !self.skip_byte_order_mark() {
            return Ok(None);
        }
        loop {
            if self.after_cr && !self.chunk.is_empty() {
                if self.chunk.starts_with(b"\n") {
                    self.chunk.advance(1);
                }
                self.after_cr = false;
            }
            let Some(end) = line_end(&self.chunk) else {
                // Before anything is taken: what is too large stays so, however often it is asked for.
                self.check(self.begun.len() + self.chunk.len())?;
                let chunk = std::mem::take(&mut self.chunk);
                self.begun.extend_from_slice(&chunk);
                return Ok(None);
            };
            self.check(self.begun.len() + end)?;
            self.after_cr = self.chunk.get(end) == Some(&b'\r');
            if end > 0 || !self.begun.is_empty() {
                self.line(end);
            } else if let Some(data) = self.data.take() {
                self.chunk.advance(1);
                if self.chunk.is_empty() {
                    // What is read to its end holds nobody's buffer any longer.
                    self.chunk = Bytes::new();
                }
                return Ok(Some(SseEvent { name: self.name.take(), data }));
            } else {
                self.name = None;
            }
            self.chunk.advance(1);
        }
    }

    /// Whether an event has begun that no blank line has ended.
    pub fn has_partial(&self) -> bool {
        !self.chunk.is_empty()
            || !self.begun.is_empty()
            || self.name.is_some()
            || !matches!(self.data, Data::None)
    }

    /// The last event id seen, for the revisions that can resume a stream.
    pub fn last_event_id(&self) -> Option<&[u8]> {
        self.last_event_id.as_deref()
    }

    /// The reconnection time that the stream asked for.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Reads the line that ends so far into the chunk, and takes it out.
    fn line(&mut self, end: usize) {
        if self.begun.is_empty() && self.chunk.get(..end) == Some(USUAL_NAME) {
            self.name = Some(Bytes::from_static(MESSAGE));
            self.chunk.advance(end);
            return;
        }
        let mut line = self.chunk.split_to(end);
        if !self.begun.is_empty() {
            let mut whole = std::mem::take(&mut self.begun);
            whole.extend_from_slice(&line);
            line = whole.freeze();
        }
        let colon = if line.starts_with(b"data:") { 4 } else { memchr(b':', &line).unwrap_or(line.len()) };
        let (field, rest) = line.split_at(colon);
        // The colon itself, then one space if there is one.
        let before = colon + if rest.starts_with(b": ") { 2 } else { usize::from(!rest.is_empty()) };
        let value = line.get(before..).unwrap_or_default();
        match field {
            b"data" => {
                line.advance(before);
                self.data.push(line);
            }
            b"event" if value == MESSAGE => self.name = Some(Bytes::from_static(MESSAGE)),
            b"event" => self.name = Some(line.slice(before..)),
            b"id" if memchr(0, value).is_none() => {
                let id = self.last_event_id.get_or_insert_default();
                id.clear();
                id.extend_from_slice(value);
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = millis.map(Duration::from_millis).or(self.retry);
            }
            // Comments have an empty field name; unknown fields are ignored.
            _ => {}
        }
    }

    fn check(&self, line: usize) -> Result<(), SseTooLarge> {
        if line.saturating_add(self.data.len()) > self.limit {
            return Err(SseTooLarge { limit: self.limit });
        }
        Ok(())
    }

    /// False until it is certain whether the stream starts with a byte order mark.
    fn skip_byte_order_mark(&mut self) -> bool {
        if self.chunk.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&self.chunk) {
            return false;
        }
        if self.chunk.starts_with(BYTE_ORDER_MARK) {
            self.chunk.advance(BYTE_ORDER_MARK.len());
        }
        self.at_start = false;
        true
    }
}

/// Where the first line ends.
fn line_end(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        // The blank line after an event.
        b'\n' | b'\r' => Some(0),
        _ => memchr2(b'\n', b'\r', bytes),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(parser: &mut SseParser) -> Vec<(Option<String>, String)> {
        let mut events = Vec::new();
        while let Some(event) = parser.next_event().unwrap() {
            let name = event.name.map(|name| String::from_utf8_lossy(&name).into_owned());
            events.push((name, String::from_utf8_lossy(&event.data).into_owned()));
        }
        events
    }

    fn parse(input: &[u8]) -> Vec<(Option<String>, String)> {
        let mut parser = SseParser::new(1 << 20);
        parser.push(input);
        all(&mut parser)
    }

    fn data(input: &[u8]) -> Vec<String> {
        parse(input).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn every_line_end_ends_an_event() {
        for input in ["data: a\n\ndata: b\n\n", "data: a\r\rdata: b\r\r", "data: a\r\n\r\ndata: b\r\n\r\n"] {
            assert_eq!(data(input.as_bytes()), ["a", "b"], "{input:?}");
        }
        // Mixed: CR then LF is one line end, LF then CR are two.
        assert_eq!(data(b"data: a\n\rdata: b\r\n\n"), ["a", "b"]);
    }

    #[test]
    fn the_fields_are_read_as_the_standard_says() {
        // One space is taken off, no more; none is needed; a field without a colon is empty.
        assert_eq!(data(b"data:x\n\ndata:  y\n\ndata\n\n"), ["x", " y", ""]);
        // Lines are joined with LF, and an empty data line counts.
        assert_eq!(data(b"data: 1\ndata:\ndata: 2\n\n"), ["1\n\n2"]);
        // Comments and unknown fields are skipped, an event without data is none.
        assert_eq!(data(b": ping\n\nevent: x\n\nfoo: bar\nDATA: no\ndata: 1\n\n"), ["1"]);
        // The name belongs to its own event only.
        assert_eq!(
            parse(b"event: ping\n\nevent: log\ndata: 1\n\ndata: 2\n\n"),
            [(Some("log".into()), "1".into()), (None, "2".into())]
        );
    }

    #[test]
    fn id_and_retry_are_kept_for_those_who_resume() {
        let mut parser = SseParser::new(1024);
        parser.push(b"id: 7\nretry: 250\n\nid: a\0b\nretry: 1x\nretry: 99999999999999999999999\n\n");
        assert_eq!(all(&mut parser), []);
        assert_eq!(parser.last_event_id(), Some(&b"7"[..]));
        assert_eq!(parser.retry(), Some(Duration::from_millis(250)));
        parser.push(b"id\n\n");
        assert_eq!(all(&mut parser), []);
        assert_eq!(parser.last_event_id(), Some(&b""[..]));
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once_and_at_the_start_only() {
        assert_eq!(data(b"\xEF\xBB\xBFdata: a\n\n"), ["a"]);
        assert_eq!(data(b"data: a\n\n\xEF\xBB\xBFdata: b\n\n"), ["a"]);
        let mut parser = SseParser::new(1024);
        for byte in b"\xEF\xBB\xBFdata: a\n\n" {
            assert_eq!(parser.next_event(), Ok(None));
            parser.push(&[*byte]);
        }
        assert_eq!(all(&mut parser).len(), 1);
    }

    #[test]
    fn an_event_without_its_blank_line_is_never_given_out() {
        let whole = b"event: message\r\ndata: {\"a\":1}\r\n\r\n";
        for cut in 0..whole.len() - 1 {
            let mut parser = SseParser::new(1024);
            parser.push(&whole[..cut]);
            assert_eq!(all(&mut parser), [], "cut at {cut}");
            assert_eq!(parser.has_partial(), cut > 0, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_over_the_limit_is_refused_wherever_it_is_long() {
        let mut parser = SseParser::new(16);
        parser.push(b"data: 0123456789ABCDEF");
        assert_eq!(parser.next_event(), Err(SseTooLarge { limit: 16 }));
        let mut parser = SseParser::new(16);
        parser.push(b"data: 0123\ndata: 4567\ndata: 89AB\ndata: CDEF\n\n");
        assert_eq!(parser.next_event(), Err(SseTooLarge { limit: 16 }));
        let mut parser = SseParser::new(16);
        parser.push(b": a long, long, long comment\n");
        assert_eq!(parser.next_event(), Err(SseTooLarge { limit: 16 }));
        let mut parser = SseParser::new(16);
        for _ in 0..100 {
            parser.push(b"data: 01234\n\n");
            assert_eq!(all(&mut parser).len(), 1);
        }
    }

    #[test]
    fn names_other_than_message_carry_no_message() {
        let event = |name: Option<&'static str>| SseEvent {
            name: name.map(|name| Bytes::from_static(name.as_bytes())),
            data: Bytes::new(),
        };
        assert!(event(None).is_message());
        assert!(event(Some("")).is_message());
        assert!(event(Some("message")).is_message());
        assert!(!event(Some("Message")).is_message());
        assert!(!event(Some("ping")).is_message());
    }

    proptest! {
        /// Where the bytes are cut makes no difference, whatever they are.
        #[test]
        fn cuts_do_not_matter(
            parts in prop::collection::vec(
                prop_oneof![
                    Just("data: ".to_owned()), Just("\r".to_owned()), Just("\n".to_owned()), Just("\r\n".to_owned()),
                    Just(": x".to_owned()), Just("event: message".to_owned()), Just("id: 1".to_owned()),
                    Just("\u{FEFF}".to_owned()), Just("世界🦀".to_owned()), "[a-z:{}\" ]{0,8}",
                ],
                0..40,
            ),
            size in 1usize..9,
        ) {
            let input = parts.concat();
            let whole = parse(input.as_bytes());
            let mut parser = SseParser::new(1 << 20);
            let mut pieces = Vec::new();
            for chunk in input.as_bytes().chunks(size) {
                parser.push(chunk);
                pieces.extend(all(&mut parser));
            }
            prop_assert_eq!(whole, pieces);
        }

        /// No input makes it panic or hold more than the limit and one chunk.
        #[test]
        fn hostile_bytes_are_harmless(input in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut parser = SseParser::new(64);
            for chunk in input.chunks(16) {
                parser.push(chunk);
                loop {
                    match parser.next_event() {
                        Ok(Some(event)) => prop_assert!(event.data.len() <= 64),
                        Ok(None) => break,
                        Err(_) => return Ok(()),
                    }
                }
                prop_assert!(parser.begun.len() <= 64 && parser.chunk.len() <= 16);
            }
        }
    }

    #[test]
    fn what_is_too_large_stays_too_large() {
        let mut parser = SseParser::new(16);
        parser.push(b"data: 0123456789");
        assert!(parser.next_event().unwrap().is_none());
        for more in ["XXXX", "\n\n", "data: 1\n\n"] {
            parser.push(more.as_bytes());
            assert!(parser.next_event().is_err(), "{more:?}");
        }
    }
}
