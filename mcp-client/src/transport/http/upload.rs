//! The body of a request, handed over piece by piece.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// How much is handed over at once. What was handed over is still written when the request is given up, and keeps its
/// connection open until then: a server that reads nothing would hold a whole message for long.
const PIECE: usize = 32 << 10;

/// A message as a body of known length.
pub(super) fn body(message: &Bytes) -> reqwest::Body {
    if message.len() <= PIECE { message.clone().into() } else { reqwest::Body::wrap(Pieces(message.clone())) }
}

/// What has not been handed over yet.
struct Pieces(Bytes);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.0.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.0.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn the_pieces_are_the_message_and_their_length_is_known() {
        for length in [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let message: Bytes = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut body = std::pin::pin!(body(&message));
            let mut seen = Vec::new();
            let mut cx = Context::from_waker(Waker::noop());
            assert_eq!(body.size_hint().exact(), Some(length as u64));
            while let Poll::Ready(Some(frame)) = body.as_mut().poll_frame(&mut cx) {
                let piece = frame.unwrap().into_data().unwrap();
                assert!(piece.len() <= PIECE, "{length}");
                seen.extend_from_slice(&piece);
                assert_eq!(body.size_hint().exact(), Some((length - seen.len()) as u64));
            }
            assert!(body.is_end_stream());
            assert_eq!(seen, message, "{length}");
        }
    }
}
