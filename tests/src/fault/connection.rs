//! One connection of the fault server.

use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Stage;
use super::reply::Reply;
use super::request::{self, RawRequest};
use super::step::Step;

/// Plays replies until one of them ends the connection.
pub(super) async fn play(stream: TcpStream, number: usize, stage: Arc<Stage>) {
    // Each piece goes out as it is written.
    let _ = stream.set_nodelay(true);
    let mut line = Line { stream, received: BytesMut::new() };
    if let Some(reply) = stage.next_on_accept() {
        match line.perform(&reply, "null").await {
            End::KeptAlive => {}
            End::ClientClosed => return stage.record(|events| events.client_closes += 1),
            End::Ended => return,
        }
    }
    // Without a request there is nothing that the client could have given up: closing an idle connection is its right.
    while let Ok(Some(request)) = line.request(number).await {
        let id = request.id();
        stage.record(|events| events.requests.push(request));
        match line.perform(&stage.next(), &id).await {
            End::KeptAlive => {}
            End::ClientClosed => return stage.record(|events| events.client_closes += 1),
            End::Ended => return,
        }
    }
}

/// How a reply ended.
enum End {
    KeptAlive,
    ClientClosed,
    Ended,
}

struct Line {
    stream: TcpStream,
    received: BytesMut,
}

impl Line {
    /// The next request. None if the client closed the connection before it was complete.
    async fn request(&mut self, number: usize) -> io::Result<Option<RawRequest>> {
        loop {
            if let Some(request) = request::take(&mut self.received, number) {
                return Ok(Some(request));
            }
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Waits until the client closes the connection. What it sends before that is kept.
    async fn client_close(&mut self) {
        while !matches!(self.stream.read_buf(&mut self.received).await, Ok(0) | Err(_)) {}
    }

    async fn write(&mut self, bytes: &Bytes) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    async fn perform(&mut self, reply: &Reply, id: &str) -> End {
        let Ok(steps) = reply.play(id) else {
            return End::Ended;
        };
        for step in steps {
            match self.step(step).await {
                Ok(None) => {}
                Ok(Some(end)) => return end,
                // Writing to a client that has gone.
                Err(_) => return End::ClientClosed,
            }
        }
        End::Ended
    }

    async fn step(&mut self, step: Step) -> io::Result<Option<End>> {
        match step {
            Step::Write(bytes) => self.write(&bytes).await?,
            // A reply plays these as plain writes.
            Step::Chunk(_) | Step::LastChunk => {}
            Step::Pause(duration) => {
                tokio::select! {
                    () = tokio::time::sleep(duration) => {}
                    () = self.client_close() => return Ok(Some(End::ClientClosed)),
                }
            }
            Step::Drip { mut bytes, chunk, every } => {
                while !bytes.is_empty() {
                    let piece = bytes.split_to(chunk.max(1).min(bytes.len()));
                    tokio::select! {
                        () = tokio::time::sleep(every) => {}
                        () = self.client_close() => return Ok(Some(End::ClientClosed)),
                    }
                    self.write(&piece).await?;
                }
            }
            Step::Close => {
                let _ = self.stream.shutdown().await;
                return Ok(Some(End::Ended));
            }
            Step::Reset => {
                self.stream.set_zero_linger()?;
                return Ok(Some(End::Ended));
            }
            Step::Hang | Step::AwaitClientClose => {
                self.client_close().await;
                return Ok(Some(End::ClientClosed));
            }
            Step::KeepAlive => return Ok(Some(End::KeptAlive)),
        }
        Ok(None)
    }
}
