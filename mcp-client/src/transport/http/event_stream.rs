//! An answer that comes as an event stream: the messages in it.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;
use mcp_retry::Delivery;

use super::{body::BodyReader, broke_off};
use crate::{
    error::{TransportError, TransportErrorKind},
    sse::{SseParser, SseTooLarge},
};

pub(super) struct EventStream {
    reader: BodyReader,
    parser: SseParser,
}

impl EventStream {
    pub(super) fn new(reader: BodyReader, limit: usize) -> Self {
        Self { reader, parser: SseParser::new(limit) }
    }

    /// Waits for something that is not white space. False when the body ends without it.
    pub(super) fn poll_begin(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, TransportError>> {
        loop {
            match ready!(self.reader.poll_chunk(cx)) {
                None => return Poll::Ready(Ok(false)),
                Some(Err(source)) => return Poll::Ready(Err(broke_off(source))),
                Some(Ok(chunk)) => {
                    let has_begun = !chunk.iter().all(u8::is_ascii_whitespace);
                    self.parser.push_chunk(chunk);
                    if has_begun {
                        return Poll::Ready(Ok(true));
                    }
                    // Blank lines are no event; they are taken out, so that they do not pile up.
                    if let Err(too_large) = self.parser.next_event() {
                        return Poll::Ready(Err(refused(too_large)));
                    }
                }
            }
        }
    }
}

fn refused(too_large: SseTooLarge) -> TransportError {
    let kind = TransportErrorKind::TooLarge { limit: too_large.limit, setting: "max_event_bytes" };
    TransportError::new(kind, Delivery::Unknown)
}

impl Stream for EventStream {
    type Item = Result<Bytes, TransportError>;

    /// Events without data carry no message. One of another name is no message either; an empty one stands for it, so that
    /// it is counted.
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.parser.next_event() {
                Ok(Some(event)) if event.data.is_empty() => continue,
                Ok(Some(event)) if event.is_message() => return Poll::Ready(Some(Ok(event.data))),
                Ok(Some(_)) => return Poll::Ready(Some(Ok(Bytes::new()))),
                Ok(None) => {}
                Err(too_large) => return Poll::Ready(Some(Err(refused(too_large)))),
            }
            match ready!(self.reader.poll_chunk(cx)) {
                None => return Poll::Ready(None),
                Some(Ok(chunk)) => self.parser.push_chunk(chunk),
                Some(Err(source)) => return Poll::Ready(Some(Err(broke_off(source)))),
            }
        }
    }
}
