//! What a reply does, one step after the other.

use std::time::Duration;

use bytes::Bytes;

/// One step of a [`Reply`](super::Reply).
///
/// In all bytes that are written, `{{id}}` stands for the JSON text of the request's id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Writes bytes as they are.
    Write(Bytes),
    /// Writes bytes as one chunk of a chunked body.
    Chunk(Bytes),
    /// Ends a chunked body.
    LastChunk,
    /// Waits. If the client closes the connection meanwhile, the reply is at its end.
    Pause(Duration),
    /// Writes bytes in small pieces with a wait before each.
    Drip {
        /// What is written.
        bytes: Bytes,
        /// Size of a piece; at least 1.
        chunk: usize,
        /// Wait before each piece.
        every: Duration,
    },
    /// Closes the connection in an orderly way (FIN).
    Close,
    /// Resets the connection (RST).
    Reset,
    /// Keeps the connection open and sends nothing, until the client closes it or the server is dropped.
    Hang,
    /// Waits until the client closes the connection. Like [`Hang`](Self::Hang), but says that this is what the test
    /// waits for.
    AwaitClientClose,
    /// Goes on with the next request on this connection.
    KeepAlive,
}

impl Step {
    /// Writes text as it is.
    pub fn write(text: impl Into<String>) -> Self {
        Self::Write(Bytes::from(text.into()))
    }

    /// Writes a server-sent `message` event as one chunk of a chunked body.
    pub fn event(data: &str) -> Self {
        Self::Chunk(crate::answer::event(data))
    }
}
