//! The way of a request through the Kitchen, in the order of the real one.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header, request};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use super::callers::{Caller, Callers};
use super::message::RpcError;
use super::options::KitchenOptions;
use super::wire::{self, Verdict};
use super::{catalog, host};
use crate::answer::{Answer, AnswerBody, Broken};
use crate::log::{Ending, Log, OtherRequest, Post};
use crate::namebeta::Desk;
use crate::serve::{Connection, Handler};
use crate::sync::lock;

/// Path of the Kitchen's endpoint.
pub(super) const PATH: &str = "/mcp";
/// Path of the `NameBeta` endpoint.
pub(super) const NAMEBETA_PATH: &str = "/namebeta/mcp";

/// What the connections of a Kitchen share.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) options: KitchenOptions,
    pub(super) callers: Arc<Callers>,
    pub(super) log: Arc<Log>,
    pub(super) accepted: Arc<AtomicUsize>,
    window: Mutex<Option<Window>>,
    desk: Desk,
}

/// The requests of the current window.
#[derive(Debug)]
struct Window {
    since: Instant,
    requests: usize,
}

/// A request body, as far as it was read.
pub(crate) struct Upload {
    pub(crate) raw: Bytes,
    /// It was longer than allowed.
    pub(crate) too_long: bool,
}

impl Core {
    pub(super) fn new(options: KitchenOptions) -> Self {
        Self {
            desk: Desk::new(options.namebeta.clone()),
            options,
            callers: Arc::default(),
            log: Log::new(),
            accepted: Arc::default(),
            window: Mutex::new(None),
        }
    }

    /// The caller that [`Kitchen::select`](crate::Kitchen::select) speaks for.
    pub(super) fn default_caller(&self) -> Caller {
        match self.options.pats.first() {
            Some(pat) if self.options.require_pat => Caller::Owner(pat.clone()),
            _ => Caller::Anonymous,
        }
    }

    fn within_rate(&self) -> bool {
        let Some(limit) = self.options.rate_limit else {
            return true;
        };
        let mut window = lock(&self.window);
        let now = Instant::now();
        let current = window.get_or_insert(Window { since: now, requests: 0 });
        if now.duration_since(current.since) >= self.options.rate_window {
            *current = Window { since: now, requests: 0 };
        }
        current.requests += 1;
        current.requests <= limit
    }

    /// Who calls, or None for somebody who is not let in.
    fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        let token = bearer(headers);
        if token.is_some() && token == self.options.shared_pat.as_deref() {
            return Some(Caller::Shared);
        }
        match token {
            Some(token) if !self.options.require_pat || self.options.pats.iter().any(|pat| pat == token) => {
                Some(Caller::Owner(token.to_owned()))
            }
            None if !self.options.require_pat => Some(Caller::Anonymous),
            _ => None,
        }
    }

    /// What precedes everything else: rate, length and token.
    fn gate(&self, headers: &HeaderMap) -> Result<Caller, Box<Answer>> {
        if !self.within_rate() {
            return Err(Box::new(Answer::status_only(StatusCode::TOO_MANY_REQUESTS)));
        }
        if declared_length(headers).is_some_and(|length| length > self.options.max_body as u64) {
            return Err(Box::new(Answer::status_only(StatusCode::PAYLOAD_TOO_LARGE)));
        }
        self.caller(headers).ok_or_else(|| Box::new(Answer::status_only(StatusCode::UNAUTHORIZED)))
    }

    /// None means that the connection is to be broken off.
    async fn answer(&self, headers: &HeaderMap, upload: &Upload, body: Option<&Value>) -> Option<Answer> {
        let caller = match self.gate(headers) {
            Ok(caller) => caller,
            Err(refusal) => return Some(*refusal),
        };
        if upload.too_long {
            let error = RpcError::new(-32700, "The body is too long");
            return Some(Answer::json(StatusCode::BAD_REQUEST, error.document(&Value::Null)));
        }
        let method = body.and_then(|body| body.get("method")).and_then(Value::as_str);
        let arrival = self.callers.arrive(&caller, method, headers.contains_key("mcp-session-id"));
        if body.is_some_and(Value::is_array) {
            // The real one reads members of an object here, and fails.
            return Some(Answer::status_only(StatusCode::INTERNAL_SERVER_ERROR));
        }
        let mut terminated = arrival.terminated.clone();
        let answered = async {
            if let Some(forged) = catalog::intercept(method, body) {
                return Some(forged);
            }
            match wire::judge(&arrival, &caller, &self.callers, method, body).await {
                Verdict::Forge(forged) => Some(forged),
                Verdict::Break => None,
                Verdict::Pass => {
                    let terminated = arrival.terminated.clone();
                    Some(host::answer(headers, body, &caller, &self.callers, terminated).await)
                }
            }
        };
        tokio::select! {
            answer = answered => answer,
            _ = terminated.changed() => None,
        }
    }

    async fn post(
        &self,
        head: request::Parts,
        body: Incoming,
        connection: &Connection,
    ) -> Result<Response<AnswerBody>, Broken> {
        let upload = receive(&head.headers, body, self.options.max_body).await?;
        let post = entry(&head, &upload, connection);
        let json = post.body.clone();
        let mut ticket = self.log.enter(post);
        let answer = match head.uri.path() {
            PATH => self.answer(&head.headers, &upload, json.as_ref()).await,
            NAMEBETA_PATH => Some(self.desk.answer(&head.method, &head.headers, &upload.raw)),
            _ => Some(Answer::status_only(StatusCode::NOT_FOUND)),
        };
        let Some(answer) = answer else {
            ticket.end(Ending::Cut);
            return Err(Broken);
        };
        Ok(answer.into_response(Some(ticket)))
    }

    fn other(&self, head: &request::Parts) -> Answer {
        match (head.uri.path(), &head.method) {
            ("/api/health", &Method::GET) => Answer::json(StatusCode::OK, r#"{"status":"ok"}"#),
            (NAMEBETA_PATH, method) => self.desk.answer(method, &head.headers, &Bytes::new()),
            (PATH, method) => {
                if let Err(refusal) = self.gate(&head.headers) {
                    *refusal
                } else if method == Method::GET {
                    // No stream here: the page of the console answers.
                    let mut page =
                        Answer::status_only(StatusCode::OK).with(header::CONTENT_TYPE, "text/html");
                    page.body = crate::answer::Content::Whole(Bytes::from_static(
                        b"<!doctype html><title>Test Kitchen</title><div id=\"root\"></div>\n",
                    ));
                    page
                } else {
                    Answer::status_only(StatusCode::METHOD_NOT_ALLOWED).with(header::ALLOW, "POST")
                }
            }
            _ => Answer::status_only(StatusCode::NOT_FOUND),
        }
    }
}

impl Handler for Core {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Connection,
    ) -> Result<Response<AnswerBody>, Broken> {
        let (head, body) = request.into_parts();
        let (version, is_namebeta) = (head.version, head.uri.path() == NAMEBETA_PATH);
        let mut response = if head.method == Method::POST {
            self.post(head, body, &connection).await.inspect_err(|_| connection.reset_when_closed(version))?
        } else {
            let answer = self.other(&head);
            self.log.enter_other(OtherRequest {
                http_method: head.method,
                path: head.uri.path().to_owned(),
                headers: head.headers,
                status: answer.status.as_u16(),
            });
            answer.into_response(None)
        };
        if !is_namebeta {
            security(response.headers_mut());
        }
        Ok(response.map(|body| body.resetting(connection, version)))
    }
}

/// Headers that are on every response of the Kitchen.
fn security(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'self'; frame-ancestors 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert::<HeaderName>(name, HeaderValue::from_static(value));
    }
}

/// The bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads the body, unless it is said or found to be too long. Fails if the client goes away in the middle.
pub(crate) async fn receive(headers: &HeaderMap, body: Incoming, limit: usize) -> Result<Upload, Broken> {
    let too_long = Upload { raw: Bytes::new(), too_long: true };
    if declared_length(headers).is_some_and(|length| length > limit as u64) {
        return Ok(too_long);
    }
    match Limited::new(body, limit).collect().await {
        Ok(read) => Ok(Upload { raw: read.to_bytes(), too_long: false }),
        Err(error) if error.is::<LengthLimitError>() => Ok(too_long),
        Err(_) => Err(Broken),
    }
}

/// The log entry of a POST.
pub(crate) fn entry(head: &request::Parts, upload: &Upload, connection: &Connection) -> Post {
    let body: Option<Value> = serde_json::from_slice(&upload.raw).ok();
    let member = |name| body.as_ref().and_then(|body| body.get(name)).cloned();
    Post {
        seq: 0,
        connection: connection.number,
        http_version: head.version,
        path: head.uri.path().to_owned(),
        headers: head.headers.clone(),
        raw: upload.raw.clone(),
        method: member("method").and_then(|method| method.as_str().map(str::to_owned)),
        id: member("id"),
        body,
        status: None,
        ending: Ending::Open,
    }
}
