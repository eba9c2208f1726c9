//! A raw TCP server that plays scripted replies, byte for byte.
//!
//! Each request takes the next [`Reply`] of the script; the last one repeats. A reply is an HTTP response, complete or
//! damaged on purpose, followed by [`Step`]s that say what happens to the connection.
//!
//! ```
//! # async fn example() -> std::io::Result<()> {
//! use std::time::Duration;
//! use mcp_tests::fault::{FaultServer, Reply, Step};
//!
//! let server = FaultServer::start([
//!     // An answer that stops after 40 bytes.
//!     Reply::json(200, r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[]}}"#).cut_at(40),
//!     // A stream that sends progress, waits, and ends without an answer.
//!     Reply::sse(&[r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#])
//!         .unfinished()
//!         .then(Step::Pause(Duration::from_millis(50)))
//!         .then(Step::Close),
//!     // Silence until the client gives up.
//!     Reply::steps([Step::AwaitClientClose]),
//! ])
//! .await?;
//! println!("{}", server.url());
//! # Ok(())
//! # }
//! ```

mod connection;
mod reply;
mod request;
mod step;

#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::background::Background;
use crate::log::PATIENCE;
use crate::sync::lock;

pub use self::reply::Reply;
pub use self::request::RawRequest;
pub use self::step::Step;

/// A running fault server. Dropping it stops it and frees its port.
#[derive(Debug)]
pub struct FaultServer {
    stage: Arc<Stage>,
    server: Background,
}

/// What the connections share.
#[derive(Debug)]
struct Stage {
    script: Vec<Reply>,
    events: Mutex<Events>,
    changed: watch::Sender<()>,
}

#[derive(Clone, Debug, Default)]
struct Events {
    played: usize,
    connections: usize,
    client_closes: usize,
    requests: Vec<RawRequest>,
}

impl Stage {
    fn record<T>(&self, change: impl FnOnce(&mut Events) -> T) -> T {
        let result = change(&mut lock(&self.events));
        self.changed.send_replace(());
        result
    }

    /// The next reply, if it is to be played before the request is read.
    fn next_on_accept(&self) -> Option<Reply> {
        let mut events = lock(&self.events);
        let reply = self.reply(events.played).filter(|reply| reply.plays_on_accept())?;
        events.played += 1;
        Some(reply.clone())
    }

    /// The next reply. An empty script closes the connection.
    fn next(&self) -> Reply {
        let mut events = lock(&self.events);
        let reply = self.reply(events.played).cloned();
        events.played += 1;
        reply.unwrap_or_else(|| Reply::steps([Step::Close]))
    }

    fn reply(&self, number: usize) -> Option<&Reply> {
        self.script.get(number).or_else(|| self.script.last())
    }
}

impl FaultServer {
    /// Starts a server on a free loopback port.
    ///
    /// # Errors
    ///
    /// If no port or no thread can be had.
    #[expect(clippy::unused_async, reason = "callers need not care that binding does not wait")]
    pub async fn start(script: impl Into<Vec<Reply>>) -> io::Result<Self> {
        let stage = Arc::new(Stage {
            script: script.into(),
            events: Mutex::default(),
            changed: watch::Sender::new(()),
        });
        let shared = Arc::clone(&stage);
        let server = Background::start("fault-server", move |listener| serve(listener, shared))?;
        Ok(Self { stage, server })
    }

    /// URL of an MCP endpoint on this server. Any other path is served alike.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.addr())
    }

    /// Address that it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// All requests, in order of arrival.
    pub fn requests(&self) -> Vec<RawRequest> {
        lock(&self.stage.events).requests.clone()
    }

    /// Number of TCP connections accepted so far.
    pub fn connections(&self) -> usize {
        lock(&self.stage.events).connections
    }

    /// Number of connections that the client closed before their reply was at its end.
    pub fn client_closes(&self) -> usize {
        lock(&self.stage.events).client_closes
    }

    /// Waits until the client has closed a connection before the reply was at its end, for 10 seconds at most.
    /// Returns at once if that has happened already.
    ///
    /// # Errors
    ///
    /// `TimedOut` if it never does.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves everything as it is.
    pub async fn client_closed(&self) -> io::Result<()> {
        self.wait("a client to close its connection", PATIENCE, |events| events.client_closes > 0).await?;
        Ok(())
    }

    /// Waits until that many requests have arrived, for 10 seconds at most, and returns them.
    ///
    /// # Errors
    ///
    /// `TimedOut` if they never do.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves everything as it is.
    pub async fn requested(&self, count: usize) -> io::Result<Vec<RawRequest>> {
        let wanted = |events: &Events| events.requests.len() >= count;
        Ok(self.wait("requests", PATIENCE, wanted).await?.requests)
    }

    async fn wait(
        &self,
        what: &str,
        patience: Duration,
        met: impl Fn(&Events) -> bool,
    ) -> io::Result<Events> {
        let mut changes = self.stage.changed.subscribe();
        let waiting = async {
            loop {
                changes.mark_unchanged();
                let events = lock(&self.stage.events).clone();
                if met(&events) {
                    return events;
                }
                if changes.changed().await.is_err() {
                    // The sender lives as long as the stage that is borrowed here.
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::time::timeout(patience, waiting)
            .await
            .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, format!("waited in vain for {what}")))
    }
}

async fn serve(listener: TcpListener, stage: Arc<Stage>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let number = stage.record(|events| {
            events.connections += 1;
            events.connections
        });
        tokio::spawn(connection::play(stream, number, Arc::clone(&stage)));
    }
}
