//! `NameBeta`: a domain-name service behind an older protocol stack.
//!
//! It answers in plain JSON, without sessions and without `resultType`; it refuses version 2026-07-28 with a 400; it
//! accepts `tools/call` without `initialize`. Bad arguments and unknown tools come back as results with `isError`.
//! Wrong HTTP comes back as a status with a JSON-RPC error that has no id.

mod desk;
mod tools;

#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;

use crate::answer::{Answer, AnswerBody, Broken};
use crate::background::Background;
use crate::kitchen::{entry, receive};
use crate::log::{Log, OtherRequest, Post};
use crate::serve::{Connection, Handler, serve};

pub(crate) use self::desk::Desk;

const PATH: &str = "/mcp";
const MAX_BODY: usize = 4 << 20;

/// Settings of a [`NameBeta`] server. The default lets everybody in, without a quota.
#[derive(Clone, Debug)]
pub struct NameBetaOptions {
    /// The bearer token that requests need; without it they get 401 with a challenge. Default: none needed.
    pub require_token: Option<String>,
    /// Value of `WWW-Authenticate` on a 401. Default: `Bearer realm="namebeta", error="invalid_token"`.
    pub challenge: String,
    /// Number of POSTs that are served before the quota is used up. Default: none, so without a quota.
    pub quota: Option<usize>,
    /// How long a used-up quota lasts; 429 says so in `Retry-After`, in whole seconds. Default: 1 s.
    pub retry_after: Duration,
    /// Text that every lookup fails with. Default: none, so lookups succeed.
    pub lookup_failure: Option<String>,
}

impl Default for NameBetaOptions {
    fn default() -> Self {
        Self {
            require_token: None,
            challenge: r#"Bearer realm="namebeta", error="invalid_token""#.to_owned(),
            quota: None,
            retry_after: Duration::from_secs(1),
            lookup_failure: None,
        }
    }
}

/// A running `NameBeta` server. Dropping it stops it and frees its port.
#[derive(Debug)]
pub struct NameBeta {
    front: Arc<Front>,
    server: Background,
}

#[derive(Debug)]
struct Front {
    desk: Desk,
    log: Arc<Log>,
    accepted: Arc<AtomicUsize>,
}

impl NameBeta {
    /// Starts a server on a free loopback port.
    ///
    /// # Errors
    ///
    /// If no port or no thread can be had.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(NameBetaOptions::default()).await
    }

    /// Starts a server with other settings.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    #[expect(clippy::unused_async, reason = "callers need not care that binding does not wait")]
    pub async fn start_with(options: NameBetaOptions) -> io::Result<Self> {
        let front = Arc::new(Front { desk: Desk::new(options), log: Log::new(), accepted: Arc::default() });
        let (handler, accepted) = (Arc::clone(&front), Arc::clone(&front.accepted));
        let server = Background::start("namebeta", move |listener| serve(listener, handler, accepted))?;
        Ok(Self { front, server })
    }

    /// URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.addr())
    }

    /// Address that it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// All POSTs, in order of arrival.
    pub fn posts(&self) -> Vec<Post> {
        self.front.log.posts()
    }

    /// Waits until the POST log meets a condition, for 10 seconds at most, and returns it.
    ///
    /// # Errors
    ///
    /// `TimedOut` if it never does; the message lists what is in the log.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves everything as it is.
    pub async fn posts_when(&self, met: impl FnMut(&[Post]) -> bool) -> io::Result<Vec<Post>> {
        self.front.log.wait_until(met).await
    }

    /// All requests that are no POST, in order of arrival.
    pub fn other_requests(&self) -> Vec<OtherRequest> {
        self.front.log.others()
    }

    /// Empties the log of requests.
    pub fn clear_log(&self) {
        self.front.log.clear();
    }

    /// How often a tool was started.
    pub fn executions(&self, tool: &str) -> u64 {
        self.front.desk.executions(tool)
    }

    /// Number of TCP connections accepted so far.
    pub fn connections(&self) -> usize {
        self.front.accepted.load(Ordering::SeqCst)
    }
}

impl Handler for Front {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Connection,
    ) -> Result<Response<AnswerBody>, Broken> {
        let (head, body) = request.into_parts();
        let known = head.uri.path() == PATH;
        let reply = |raw: &Bytes| {
            if known {
                self.desk.answer(&head.method, &head.headers, raw)
            } else {
                Answer::status_only(StatusCode::NOT_FOUND)
            }
        };
        if head.method == Method::POST {
            let upload = receive(&head.headers, body, MAX_BODY).await?;
            let ticket = self.log.enter(entry(&head, &upload, &connection));
            let answer = if upload.too_long {
                Answer::status_only(StatusCode::PAYLOAD_TOO_LARGE)
            } else {
                reply(&upload.raw)
            };
            return Ok(answer.into_response(Some(ticket)));
        }
        let answer = reply(&Bytes::new());
        self.log.enter_other(OtherRequest {
            http_method: head.method,
            path: head.uri.path().to_owned(),
            headers: head.headers,
            status: answer.status.as_u16(),
        });
        Ok(answer.into_response(None))
    }
}
