//! The log of HTTP requests that a server saw, in order.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Version};
use serde_json::Value;
use tokio::sync::watch;

use crate::sync::lock;

/// How long the waiting functions wait before they report a time-out.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The answer is not complete yet.
    Open,
    /// The whole answer was handed over.
    Answered,
    /// The client went away before the answer was complete: it cancelled, or timed out.
    ClientGone,
    /// The server broke the exchange off on purpose.
    Cut,
}

/// One POST, as the server received it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Post {
    /// Place in the log, from 1. It goes on counting after the log was cleared.
    pub seq: u64,
    /// Number of the TCP connection that it came over, from 1.
    pub connection: usize,
    /// HTTP version of the request.
    pub http_version: Version,
    /// Path of the request, without the query.
    pub path: String,
    /// Request headers.
    pub headers: HeaderMap,
    /// Request body, byte for byte.
    pub raw: Bytes,
    /// Request body as JSON, if it is JSON.
    pub body: Option<Value>,
    /// JSON-RPC method, if there is one.
    pub method: Option<String>,
    /// JSON-RPC id, if there is one.
    pub id: Option<Value>,
    /// HTTP status of the answer. None while there is no answer, or if the connection was broken off before it.
    pub status: Option<u16>,
    /// How the exchange ended.
    pub ending: Ending,
}

impl Post {
    /// Value of a request header, if it is there and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The value at a JSON pointer of the body, such as `/params/arguments`.
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        self.body.as_ref().and_then(|body| body.pointer(pointer))
    }
}

/// A request that was not a POST: a client of a stateless server has no reason to send one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OtherRequest {
    /// HTTP method.
    pub http_method: Method,
    /// Path of the request, without the query.
    pub path: String,
    /// Request headers.
    pub headers: HeaderMap,
    /// HTTP status of the answer.
    pub status: u16,
}

/// The log, shared by all connections of a server.
#[derive(Debug)]
pub(crate) struct Log {
    entries: Mutex<Entries>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Entries {
    last: u64,
    posts: Vec<Post>,
    others: Vec<OtherRequest>,
}

impl Log {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { entries: Mutex::default(), changed: watch::Sender::new(()) })
    }

    /// Enters a POST. The ticket follows it to its end.
    pub(crate) fn enter(self: &Arc<Self>, mut post: Post) -> Ticket {
        let seq = {
            let mut entries = lock(&self.entries);
            entries.last += 1;
            post.seq = entries.last;
            let seq = post.seq;
            entries.posts.push(post);
            seq
        };
        self.changed.send_replace(());
        Ticket { log: Arc::clone(self), seq, ended: false }
    }

    pub(crate) fn enter_other(&self, other: OtherRequest) {
        lock(&self.entries).others.push(other);
        self.changed.send_replace(());
    }

    pub(crate) fn posts(&self) -> Vec<Post> {
        lock(&self.entries).posts.clone()
    }

    pub(crate) fn others(&self) -> Vec<OtherRequest> {
        lock(&self.entries).others.clone()
    }

    pub(crate) fn clear(&self) {
        let mut entries = lock(&self.entries);
        entries.posts.clear();
        entries.others.clear();
    }

    /// Waits until the log satisfies a condition, and returns it.
    pub(crate) async fn wait_until(&self, mut met: impl FnMut(&[Post]) -> bool) -> io::Result<Vec<Post>> {
        let mut changes = self.changed.subscribe();
        let waiting = async {
            loop {
                changes.mark_unchanged();
                let posts = self.posts();
                if met(&posts) {
                    return posts;
                }
                if changes.changed().await.is_err() {
                    // The sender lives as long as the log that is borrowed here.
                    std::future::pending::<()>().await;
                }
            }
        };
        if let Ok(posts) = tokio::time::timeout(PATIENCE, waiting).await {
            return Ok(posts);
        }
        let posts = self.posts();
        let seen: Vec<_> =
            posts.iter().map(|post| (post.seq, &post.method, post.status, post.ending)).collect();
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("the log never got there: {seen:?}")))
    }

    fn update(&self, seq: u64, change: impl FnOnce(&mut Post)) {
        let found = {
            let mut entries = lock(&self.entries);
            // Recent exchanges are at the end.
            let post = entries.posts.iter_mut().rev().find(|post| post.seq == seq);
            post.map(change).is_some()
        };
        if found {
            self.changed.send_replace(());
        }
    }
}

/// Follows one POST. Dropped before its end was told, it means that the client went away.
#[derive(Debug)]
pub(crate) struct Ticket {
    log: Arc<Log>,
    seq: u64,
    ended: bool,
}

impl Ticket {
    pub(crate) fn set_status(&self, status: u16) {
        self.log.update(self.seq, |post| post.status = Some(status));
    }

    pub(crate) fn end(&mut self, ending: Ending) {
        if !self.ended {
            self.ended = true;
            self.log.update(self.seq, |post| post.ending = ending);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.end(Ending::ClientGone);
    }
}
