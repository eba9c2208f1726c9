//! The body of an answer: its bytes without their content coding, within limits.

use std::{
    error::Error,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, header::CONTENT_ENCODING};
use http_body::Body as _;
use mcp_retry::Delivery;
use tokio::time::timeout;

use super::broke_off;
use crate::error::{TransportError, TransportErrorKind};

/// The codings that this build undoes.
pub(super) const ACCEPT_ENCODING: &str =
    match (cfg!(feature = "gzip"), cfg!(feature = "br"), cfg!(feature = "zstd")) {
        (false, false, false) => "identity",
        (true, false, false) => "gzip",
        (false, true, false) => "br",
        (false, false, true) => "zstd",
        (true, true, false) => "gzip, br",
        (true, false, true) => "gzip, zstd",
        (false, true, true) => "br, zstd",
        (true, true, true) => "gzip, br, zstd",
    };

/// How much is set aside for a body of announced length before any of it came: a server's word is no reason for more.
const MAX_ADVANCE: usize = 1 << 20;

/// How much more than has come is set aside later, in times of it: what is only set aside mostly costs addresses and no
/// memory, and a server that has kept its word so far has bought the trust with as much of its own.
const TRUST: usize = 32;

type Failure = Box<dyn Error + Send + Sync>;

/// How many chunks are handed out without a pause for others.
const MAX_IN_A_ROW: u32 = 32;

/// Hands out the bytes of a body as they come.
pub(super) struct BodyReader {
    source: Source,
    in_a_row: u32,
}

enum Source {
    Plain(reqwest::Body),
    #[cfg(feature = "_compression")]
    Coded(coded::CodedBody),
}

impl BodyReader {
    /// Takes the coding out of the headers if it is one that is undone here. What is left there then was not undone.
    pub(super) fn new(body: reqwest::Body, headers: &mut HeaderMap) -> Self {
        Self { source: Source::new(body, headers), in_a_row: 0 }
    }

    pub(super) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Failure>>> {
        if self.in_a_row >= MAX_IN_A_ROW {
            // A source that always has more must not keep timers, and other tasks, from their turn.
            self.in_a_row = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let chunk = match &mut self.source {
            Source::Plain(body) => poll_data(body, cx).map_err(Into::into),
            #[cfg(feature = "_compression")]
            Source::Coded(body) => body.poll_chunk(cx),
        };
        self.in_a_row = if chunk.is_ready() { self.in_a_row + 1 } else { 0 };
        chunk
    }

    async fn chunk(&mut self) -> Option<Result<Bytes, Failure>> {
        poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// The whole body, if it is no longer than the limit.
    pub(super) async fn collect(
        &mut self,
        limit: usize,
        announced: Option<u64>,
    ) -> Result<Bytes, TransportError> {
        let too_large = || {
            let kind = TransportErrorKind::TooLarge { limit, setting: "max_body_bytes" };
            TransportError::new(kind, Delivery::Unknown)
        };
        let announced = announced.map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX));
        if announced > limit {
            return Err(too_large());
        }
        let Some(first) = self.chunk().await else {
            return Ok(Bytes::new());
        };
        let first = first.map_err(broke_off)?;
        let mut all = Collected::One(first);
        loop {
            if all.len() > limit {
                return Err(too_large());
            }
            match self.chunk().await {
                None => return Ok(all.finish()),
                Some(chunk) => all.push(&chunk.map_err(broke_off)?, announced),
            }
        }
    }

    /// What comes of the body of an error answer in time, and whether it was all.
    pub(super) async fn collect_what_comes(&mut self, limit: usize, grace: Duration) -> (Bytes, bool) {
        let mut all = Collected::One(Bytes::new());
        let whole = timeout(grace, async {
            while let Some(chunk) = self.chunk().await {
                let Ok(chunk) = chunk else { return false };
                let room = limit.saturating_sub(all.len());
                if chunk.len() > room {
                    all.push(chunk.get(..room).unwrap_or_default(), 0);
                    return false;
                }
                all.push(&chunk, 0);
            }
            true
        })
        .await
        .unwrap_or(false);
        (all.finish(), whole)
    }
}

impl Source {
    fn new(body: reqwest::Body, headers: &mut HeaderMap) -> Self {
        let mut codings = headers.get_all(CONTENT_ENCODING).iter();
        let coding = match (codings.next(), codings.next()) {
            (Some(coding), None) => coding.to_str().unwrap_or_default().trim().to_ascii_lowercase(),
            _ => return Self::Plain(body),
        };
        let reader = match coding.as_str() {
            "identity" | "" => Self::Plain(body),
            #[cfg(feature = "gzip")]
            "gzip" | "x-gzip" => Self::Coded(coded::gzip(body)),
            #[cfg(feature = "br")]
            "br" => Self::Coded(coded::brotli(body)),
            #[cfg(feature = "zstd")]
            "zstd" => Self::Coded(coded::zstd(body)),
            _ => return Self::Plain(body),
        };
        headers.remove(CONTENT_ENCODING);
        reader
    }
}

/// A body that came in one piece is never copied.
enum Collected {
    One(Bytes),
    Many(Vec<u8>),
}

impl Collected {
    fn len(&self) -> usize {
        match self {
            Self::One(chunk) => chunk.len(),
            Self::Many(buffer) => buffer.len(),
        }
    }

    /// Adds what came of a body of so many bytes, as far as that was announced.
    fn push(&mut self, chunk: &[u8], announced: usize) {
        match self {
            Self::One(first) => {
                let mut buffer = Vec::new();
                make_room(&mut buffer, first.len() + chunk.len(), announced);
                buffer.extend_from_slice(first);
                buffer.extend_from_slice(chunk);
                *self = Self::Many(buffer);
            }
            Self::Many(buffer) => {
                make_room(buffer, chunk.len(), announced);
                buffer.extend_from_slice(chunk);
            }
        }
    }

    fn finish(self) -> Bytes {
        match self {
            Self::One(chunk) => chunk,
            Self::Many(buffer) => buffer.into(),
        }
    }
}

/// Makes room for what has just come, and for what is yet to come as far as the announcement is trusted; then it is not moved
/// again. A body of unknown length doubles its room whenever that is too small.
fn make_room(buffer: &mut Vec<u8>, more: usize, announced: usize) {
    let length = buffer.len();
    if buffer.capacity() - length >= more {
        return;
    }
    let trusted = announced.min(MAX_ADVANCE.max(length.saturating_mul(TRUST)));
    if trusted - length.min(trusted) > more {
        // Where it cannot be had, what came must do: the announcement is a server's word.
        if buffer.try_reserve_exact(trusted - length).is_ok() {
            return;
        }
    }
    buffer.reserve(more);
}

/// The next data of a body; trailers are passed over.
fn poll_data(body: &mut reqwest::Body, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, reqwest::Error>>> {
    loop {
        return Poll::Ready(match ready!(Pin::new(&mut *body).poll_frame(cx)) {
            None => None,
            Some(Err(error)) => Some(Err(error.without_url())),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => Some(Ok(data)),
                Err(_) => continue,
            },
        });
    }
}

#[cfg(feature = "_compression")]
mod coded {
    use std::{
        io::{self, ErrorKind},
        pin::Pin,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering::Relaxed},
        },
        task::{Context, Poll, ready},
    };

    use bytes::{Bytes, BytesMut};
    use futures_core::Stream;
    use tokio::io::AsyncRead;
    use tokio_util::io::{StreamReader, poll_read_buf};

    use super::{Failure, poll_data};

    /// How much is decoded at a time.
    const CHUNK: usize = 16 << 10;

    /// A body whose coding is undone while it is read.
    pub(in super::super) struct CodedBody {
        reader: Reader,
        buffer: BytesMut,
        begun: Arc<AtomicBool>,
    }

    type Source = StreamReader<Data, Bytes>;

    #[cfg(feature = "gzip")]
    pub(super) fn gzip(body: reqwest::Body) -> CodedBody {
        CodedBody::new(body, |source| {
            let mut decoder = async_compression::tokio::bufread::GzipDecoder::new(source);
            decoder.multiple_members(true);
            Box::pin(decoder)
        })
    }

    #[cfg(feature = "br")]
    pub(super) fn brotli(body: reqwest::Body) -> CodedBody {
        CodedBody::new(body, |source| Box::pin(async_compression::tokio::bufread::BrotliDecoder::new(source)))
    }

    #[cfg(feature = "zstd")]
    pub(super) fn zstd(body: reqwest::Body) -> CodedBody {
        CodedBody::new(body, |source| Box::pin(async_compression::tokio::bufread::ZstdDecoder::new(source)))
    }

    type Reader = Pin<Box<dyn AsyncRead + Send>>;

    impl CodedBody {
        fn new(body: reqwest::Body, decoder: impl FnOnce(Source) -> Reader) -> Self {
            let begun = Arc::new(AtomicBool::new(false));
            let reader = decoder(Source::new(Data { body, begun: begun.clone() }));
            Self { reader, buffer: BytesMut::new(), begun }
        }

        pub(super) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Failure>>> {
            self.buffer.reserve(CHUNK);
            Poll::Ready(match ready!(poll_read_buf(self.reader.as_mut(), cx, &mut self.buffer)) {
                Ok(0) => None,
                Ok(_) => Some(Ok(self.buffer.split().freeze())),
                // A body of no bytes is empty in every coding, though decoders miss their header.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof && !self.begun.load(Relaxed) => None,
                Err(error) => Some(Err(error.into())),
            })
        }
    }

    /// The body with its coding, and whether any of it came.
    struct Data {
        body: reqwest::Body,
        begun: Arc<AtomicBool>,
    }

    impl Stream for Data {
        type Item = io::Result<Bytes>;

        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            let data = ready!(poll_data(&mut self.body, cx));
            if data.as_ref().is_some_and(|data| !matches!(data, Ok(data) if data.is_empty())) {
                self.begun.store(true, Relaxed);
            }
            Poll::Ready(data.map(|data| data.map_err(io::Error::other)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The room of a buffer after each chunk.
    fn rooms(announced: usize, chunk: usize, chunks: usize) -> Vec<usize> {
        let mut all = Collected::One(vec![b'x'; chunk].into());
        let mut rooms = Vec::new();
        for _ in 1..chunks {
            all.push(&vec![b'x'; chunk], announced);
            let Collected::Many(buffer) = &all else { panic!("several chunks") };
            if rooms.last() != Some(&buffer.capacity()) {
                rooms.push(buffer.capacity());
            }
        }
        assert_eq!(all.finish(), vec![b'x'; chunk * chunks]);
        rooms
    }

    #[test]
    fn room_is_made_as_far_as_the_announcement_can_be_trusted() {
        // As announced, and no more; moved once where it is long.
        assert_eq!(rooms(1000, 100, 10), [1000]);
        assert_eq!(rooms(16 << 20, 256 << 10, 64), [1 << 20, 16 << 20]);
        // A word that is not kept costs a mebibyte, and later 32 times what came.
        assert_eq!(rooms(64 << 20, 10, 3), [1 << 20]);
        assert_eq!(rooms(64 << 20, 256 << 10, 5), [1 << 20, 32 << 20]);
        // More than announced, or nothing announced: it doubles.
        assert_eq!(rooms(250, 100, 4), [250, 500]);
        assert_eq!(rooms(0, 100, 5), [200, 400, 800]);
    }
}
