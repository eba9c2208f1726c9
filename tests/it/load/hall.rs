//! A server whose answers wait for what the test wants, and which counts who is there.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

/// How long the tests wait for the hall to be as they want it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who is in the hall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Requests that have come so far.
    pub(crate) arrived: usize,
    /// Requests that wait for their answer.
    pub(crate) waiting: usize,
    /// Requests that were given up before it.
    pub(crate) gone: usize,
    /// Connections that are open.
    pub(crate) open: usize,
    /// Connections that were opened so far.
    pub(crate) opened: usize,
}

/// The server, over HTTP/1.1 and HTTP/2 with prior knowledge, on the runtime of the test.
pub(crate) struct Hall {
    addr: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

struct Seen {
    counts: watch::Sender<Counts>,
    requests: Mutex<Vec<Value>>,
}

impl Hall {
    /// Answers each request with the result that the function's future gives, whenever that is.
    pub(crate) async fn open<F, Fut>(answer: F) -> Self
    where
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Value> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let seen = Arc::new(Seen { counts: watch::Sender::default(), requests: Mutex::default() });
        let (shared, answer) = (Arc::clone(&seen), Arc::new(answer));
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let _ = stream.set_nodelay(true);
                let (seen, answer) = (Arc::clone(&shared), Arc::clone(&answer));
                tokio::spawn(async move {
                    let _open = Open::new(Arc::clone(&seen));
                    let service =
                        service_fn(move |request| serve(request, Arc::clone(&seen), Arc::clone(&answer)));
                    let mut server = auto::Builder::new(TokioExecutor::new());
                    // More than any test has at once.
                    server.http2().max_concurrent_streams(4096);
                    let _ = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { addr, seen, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.addr)
    }

    pub(crate) fn counts(&self) -> Counts {
        *self.seen.counts.borrow()
    }

    /// Waits until the hall is as it should be.
    pub(crate) async fn when(&self, met: impl Fn(&Counts) -> bool) -> Counts {
        let mut counts = self.seen.counts.subscribe();
        let Ok(counts) = tokio::time::timeout(PATIENCE, counts.wait_for(met)).await else {
            panic!("it never came so far: {:?}", self.counts())
        };
        *counts.unwrap()
    }

    /// The bodies of all requests.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.seen.requests.lock().unwrap().clone()
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve<F, Fut>(
    request: Request<Incoming>,
    seen: Arc<Seen>,
    answer: Arc<F>,
) -> Result<Response<Full<Bytes>>, Infallible>
where
    F: Fn(Value) -> Fut,
    Fut: Future<Output = Value>,
{
    assert_eq!(request.method(), "POST");
    let Ok(body) = request.into_body().collect().await else {
        return Ok(Response::default());
    };
    let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap();
    seen.requests.lock().unwrap().push(body.clone());
    let mut waiting = Waiting::new(&seen);
    let id = body["id"].clone();
    let result = answer(body).await;
    waiting.answered = true;
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    let mut response = Response::new(Full::from(message));
    response.headers_mut().insert(CONTENT_TYPE, "application/json".parse().unwrap());
    Ok(response)
}

/// A request that waits. Dropped before its answer, it was given up.
struct Waiting<'a> {
    seen: &'a Seen,
    answered: bool,
}

impl<'a> Waiting<'a> {
    fn new(seen: &'a Seen) -> Self {
        seen.counts.send_modify(|counts| {
            counts.arrived += 1;
            counts.waiting += 1;
        });
        Self { seen, answered: false }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.seen.counts.send_modify(|counts| {
            counts.waiting -= 1;
            counts.gone += usize::from(!self.answered);
        });
    }
}

/// A connection that is open.
struct Open(Arc<Seen>);

impl Open {
    fn new(seen: Arc<Seen>) -> Self {
        seen.counts.send_modify(|counts| {
            counts.open += 1;
            counts.opened += 1;
        });
        Self(seen)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.counts.send_modify(|counts| counts.open -= 1);
    }
}

/// A complete result of a tool that says this.
pub(crate) fn says(text: &str) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}

/// The argument of that name.
pub(crate) fn argument<'a>(request: &'a Value, name: &str) -> &'a Value {
    &request["params"]["arguments"][name]
}
