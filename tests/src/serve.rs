//! The HTTP side of the servers: HTTP/1.1 and HTTP/2 with prior knowledge on one port.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::answer::{AnswerBody, Broken};

/// What answers the requests.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Answers one request, or breaks its connection off.
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Connection,
    ) -> impl Future<Output = Result<Response<AnswerBody>, Broken>> + Send;
}

/// The connection that a request came over.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// Its number, from 1.
    pub(crate) number: usize,
    reset: Arc<AtomicBool>,
}

impl Connection {
    pub(crate) fn new(number: usize) -> Self {
        Self { number, reset: Arc::default() }
    }

    /// Lets the connection end with a reset instead of an orderly close. On HTTP/2 the stream is reset anyway.
    pub(crate) fn reset_when_closed(&self, version: Version) {
        if version < Version::HTTP_2 {
            self.reset.store(true, Ordering::Relaxed);
        }
    }
}

/// Serves until it is dropped.
pub(crate) async fn serve<H: Handler>(listener: TcpListener, handler: Arc<H>, accepted: Arc<AtomicUsize>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: give the others time to return some.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let number = accepted.fetch_add(1, Ordering::SeqCst) + 1;
        let _ = stream.set_nodelay(true);
        let connection = Connection::new(number);
        let stream = ResettableStream { stream, reset: Arc::clone(&connection.reset) };
        tokio::spawn(serve_connection(stream, Arc::clone(&handler), connection));
    }
}

/// Serves one connection to its end.
pub(crate) async fn serve_connection<H, S>(stream: S, handler: Arc<H>, connection: Connection)
where
    H: Handler,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| Arc::clone(&handler).handle(request, connection.clone()));
    // Errors are the client's hanging up, or ours on purpose: the log has both.
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

/// A TCP stream that can be told to end with a reset.
struct ResettableStream {
    stream: TcpStream,
    reset: Arc<AtomicBool>,
}

impl Drop for ResettableStream {
    fn drop(&mut self) {
        if self.reset.load(Ordering::Relaxed) {
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for ResettableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ResettableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // An orderly shutdown would say FIN first; the reset is to come instead of it.
        if self.reset.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
