//! A small server of MCP 2026-07-28, which exists to be called: large results are made once, and only the id of the request
//! is put before them. One thread, HTTP/1.1.

use std::{
    convert::Infallible,
    future::Future as _,
    pin::Pin,
    sync::{
        LazyLock, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
    time::Duration,
    vec,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::{net::TcpSocket, time::Sleep};

use crate::{Result, payload};

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 8192;

/// What was counted since the last time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Connections on which something was called.
    pub connections: u64,
    pub requests: u64,
    /// Requests without what the protocol asks for: two headers, and the version in `_meta`.
    pub wrong: u64,
    /// The most calls of `wait` at a time.
    pub waiting: u64,
}

#[derive(Debug, Default)]
struct Counters {
    connections: AtomicU64,
    requests: AtomicU64,
    wrong: AtomicU64,
    waiting: AtomicU64,
    most_waiting: AtomicU64,
}

impl Counters {
    fn take(&self) -> Stats {
        Stats {
            connections: self.connections.swap(0, Relaxed),
            requests: self.requests.swap(0, Relaxed),
            wrong: self.wrong.swap(0, Relaxed),
            waiting: self.most_waiting.swap(0, Relaxed),
        }
    }
}

static COUNTERS: LazyLock<Counters> = LazyLock::new(Counters::default);

/// One that waits; counted down also when its client goes away.
struct Waiting;

impl Waiting {
    fn begin() -> Self {
        let now = COUNTERS.waiting.fetch_add(1, Relaxed) + 1;
        COUNTERS.most_waiting.fetch_max(now, Relaxed);
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        COUNTERS.waiting.fetch_sub(1, Relaxed);
    }
}

/// The `main` of the server: prints its address, ends with its standard input. Stays on a processor, if one is given.
pub fn main(processor: Option<usize>) -> Result<()> {
    if let Some(processor) = processor {
        crate::job::stay_on(processor)?;
    }
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(serve())
}

async fn serve() -> Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    let listener = socket.listen(BACKLOG)?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let used = AtomicBool::new(false);
            let service = service_fn(|request| answer(request, &used));
            // A client that goes away is no news.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow, default)]
    params: Params<'a>,
}

#[derive(Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta", default)]
    meta: Meta<'a>,
    #[serde(default)]
    name: &'a str,
    #[serde(borrow, default)]
    arguments: Given<'a>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a str>,
    #[serde(borrow, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Given<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(default)]
    number: usize,
}

async fn answer(
    request: Request<Incoming>,
    used: &AtomicBool,
) -> std::result::Result<Response<Chunks>, Infallible> {
    let (head, body) = request.into_parts();
    if head.method == Method::GET {
        return Ok(Chunks::json(COUNTERS.take().to_json()));
    }
    if !used.swap(true, Relaxed) {
        COUNTERS.connections.fetch_add(1, Relaxed);
    }
    let Ok(body) = body.collect().await else {
        return Ok(Chunks::refusal());
    };
    let body = body.to_bytes();
    let Ok(message) = serde_json::from_slice::<Message<'_>>(&body) else {
        return Ok(Chunks::refusal());
    };
    COUNTERS.requests.fetch_add(1, Relaxed);
    if !as_the_protocol_asks(&head.headers, &message) {
        COUNTERS.wrong.fetch_add(1, Relaxed);
    }
    Ok(dispatch(&message).await)
}

fn as_the_protocol_asks(headers: &HeaderMap, message: &Message<'_>) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    is("mcp-protocol-version", "2026-07-28")
        && is("mcp-method", message.method)
        && (message.method != "tools/call" || is("mcp-name", message.params.name))
        && message.params.meta.version == Some("2026-07-28")
}

async fn dispatch(message: &Message<'_>) -> Response<Chunks> {
    let id = message.id.get();
    let given = &message.params.arguments;
    let text = || payload::text_result(given.text.map_or("\"\"", RawValue::get));
    let done = || payload::text_result("\"done\"");
    match (message.method, message.params.name) {
        ("tools/call", "echo") => Chunks::json(envelope(id, &text())),
        ("tools/call", "echo_stream") => Chunks::events(0, "", vec![event(&envelope(id, &text()))]),
        ("tools/call", "steps") => {
            let token = message.params.meta.progress_token.map_or("", RawValue::get);
            let steps = if token.is_empty() { 0 } else { given.number };
            Chunks::events(steps, token, vec![event(&envelope(id, &done()))])
        }
        ("tools/call", "text") => Chunks::json_in_parts(spliced("", id, &large_text(given.number), "")),
        ("tools/call", "text_stream") => {
            let parts = spliced("event: message\ndata: ", id, &large_text(given.number), "\n\n");
            Chunks::events(0, "", parts)
        }
        ("tools/call", "orders") => Chunks::json_in_parts(spliced("", id, &orders(given.number), "")),
        ("tools/call", "wait") => {
            let waiting = Waiting::begin();
            tokio::time::sleep(Duration::from_millis(given.number as u64)).await;
            drop(waiting);
            Chunks::json(envelope(id, &done()))
        }
        // Its head goes out at once.
        ("tools/call", "wait_stream") => {
            let mut response = Chunks::events(0, "", vec![event(&envelope(id, &done()))]);
            let sleep = tokio::time::sleep(Duration::from_millis(given.number as u64));
            response.body_mut().wait = Some((Box::pin(sleep), Waiting::begin()));
            response
        }
        ("tools/list", _) => {
            static TOOLS: LazyLock<Bytes> = LazyLock::new(|| payload::tools().into());
            Chunks::json_in_parts(spliced("", id, &TOOLS, ""))
        }
        ("server/discover", _) => Chunks::json(envelope(id, &payload::discovery())),
        _ => Chunks::refusal(),
    }
}

fn envelope(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn event(data: &str) -> Bytes {
    format!("event: message\ndata: {data}\n\n").into()
}

/// An envelope round a result that is not copied.
fn spliced(before: &str, id: &str, result: &Bytes, after: &str) -> Vec<Bytes> {
    let head = format!(r#"{before}{{"jsonrpc":"2.0","id":{id},"result":"#);
    vec![head.into(), result.clone(), format!("}}{after}").into()]
}

/// Results by their size: few sizes are ever asked for.
type Made = Mutex<Vec<(usize, Bytes)>>;

fn made(made: &Made, size: usize, make: impl FnOnce() -> String) -> Bytes {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, found)) = made.iter().find(|(at, _)| *at == size) {
        return found.clone();
    }
    let new = Bytes::from(make());
    made.push((size, new.clone()));
    new
}

fn large_text(size: usize) -> Bytes {
    static MADE: Made = Mutex::new(Vec::new());
    made(&MADE, size, || {
        let (before, after) = payload::around_text();
        [before, serde_json::Value::from(payload::text(size)).to_string(), after].concat()
    })
}

fn orders(size: usize) -> Bytes {
    static MADE: Made = Mutex::new(Vec::new());
    made(&MADE, size, || {
        let (before, after) = payload::around_structured();
        [before, payload::orders(size), after].concat()
    })
}

impl Stats {
    fn to_json(self) -> String {
        serde_json::to_string(&self).expect("plain data")
    }
}

/// A body: notifications, one by one, and then what is there.
struct Chunks {
    token: String,
    step: usize,
    steps: usize,
    rest: vec::IntoIter<Bytes>,
    /// How long it is, where that is told before; a stream does not.
    length: Option<u64>,
    /// What has to pass first.
    wait: Option<(Pin<Box<Sleep>>, Waiting)>,
}

impl Chunks {
    fn response(content_type: &'static str, chunks: Self) -> Response<Self> {
        let mut response = Response::new(chunks);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        response
    }

    fn json(text: String) -> Response<Self> {
        Self::json_in_parts(vec![text.into()])
    }

    fn json_in_parts(parts: Vec<Bytes>) -> Response<Self> {
        let length = Some(parts.iter().map(|part| part.len() as u64).sum());
        let rest = parts.into_iter();
        Self::response(
            "application/json",
            Self { token: String::new(), step: 0, steps: 0, rest, length, wait: None },
        )
    }

    fn events(steps: usize, token: &str, rest: Vec<Bytes>) -> Response<Self> {
        let (token, rest) = (token.to_owned(), rest.into_iter());
        Self::response("text/event-stream", Self { token, step: 0, steps, rest, length: None, wait: None })
    }

    fn refusal() -> Response<Self> {
        let mut response = Self::json(String::new());
        *response.status_mut() = StatusCode::BAD_REQUEST;
        response
    }
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        if let Some((sleep, _)) = &mut self.wait {
            ready!(sleep.as_mut().poll(cx));
            self.wait = None;
        }
        let next = if self.step < self.steps {
            self.step += 1;
            Some(event(&payload::progress(&self.token, self.step, self.steps)))
        } else {
            self.rest.next()
        };
        Poll::Ready(next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.step == self.steps && self.rest.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
