//! A server whose subscriptions the test drives by hand, message by message.

use std::{
    error::Error,
    fmt,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
    thread::{self, JoinHandle},
};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, Version};
use http_body_util::BodyExt;
use hyper::{
    body::{Body, Frame, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use mcp_client::{Client, ClientBuilder};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};

use crate::{fault::in_time, support};

/// The `_meta` key by which notifications name their subscription.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// A running server on a thread of its own, gone when it is dropped. `subscriptions/listen` is answered by the test; lists
/// and resources say how often they were asked for, and may be kept for 5 minutes.
pub(crate) struct Source {
    url: String,
    asked: mpsc::UnboundedReceiver<Asked>,
    log: Arc<Log>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Log {
    posts: Mutex<Vec<Post>>,
    connections: Mutex<usize>,
}

/// One request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) headers: HeaderMap,
    pub(crate) version: Version,
    pub(crate) body: Value,
}

impl Post {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

impl Source {
    pub(crate) fn start() -> Self {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        socket.set_nonblocking(true).unwrap();
        let url = format!("http://{}/mcp", socket.local_addr().unwrap());
        let (arrivals, asked) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let log = Arc::new(Log::default());
        let served = Arc::clone(&log);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                tokio::select! {
                    _ = stopped => {}
                    () = serve(TcpListener::from_std(socket).unwrap(), served, arrivals) => {}
                }
            });
        });
        Self { url, asked, log, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A client that sends each request once.
    pub(crate) fn client(&self) -> Client {
        self.client_with(|builder| builder)
    }

    pub(crate) fn client_with(&self, set_up: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
        set_up(support::once(&self.url)).build().unwrap()
    }

    /// The next request for a subscription.
    pub(crate) async fn asked(&mut self) -> Asked {
        in_time(self.asked.recv()).await.unwrap()
    }

    /// Whether another request for a subscription has come.
    pub(crate) fn is_asked(&mut self) -> bool {
        self.asked.try_recv().is_ok()
    }

    /// All requests so far.
    pub(crate) fn posts(&self) -> Vec<Post> {
        self.log.posts.lock().unwrap().clone()
    }

    /// The methods of all requests so far.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.posts().iter().map(|post| post.method().to_owned()).collect()
    }

    /// How many connections there were so far.
    pub(crate) fn connections(&self) -> usize {
        *self.log.connections.lock().unwrap()
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A request for a subscription that waits for the test's answer. Dropped, its connection is closed.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) id: Value,
    /// The filter.
    pub(crate) filter: Value,
    pub(crate) post: Post,
    reply: oneshot::Sender<Response<Told>>,
}

impl Asked {
    /// Answers with one whole body. `{{id}}` in it stands for the id.
    pub(crate) fn answer(self, status: u16, content_type: &str, body: &str) {
        let (channel, told) = channel();
        channel.send(Ok(body.replace("{{id}}", &self.id.to_string()).into())).unwrap();
        self.reply.send(response(status, content_type, told)).unwrap();
    }

    /// Begins an event stream.
    pub(crate) fn stream(self) -> Stream {
        let (channel, told) = channel();
        self.reply.send(response(200, "text/event-stream", told)).unwrap();
        Stream { id: self.id, channel }
    }

    /// Acknowledges all that was asked for.
    pub(crate) fn acknowledge(self) -> Stream {
        let filter = self.filter.clone();
        self.acknowledge_only(&filter)
    }

    pub(crate) fn acknowledge_only(self, filter: &Value) -> Stream {
        let stream = self.stream();
        stream.notify("subscriptions/acknowledged", json!({ "notifications": filter }));
        stream
    }

    /// Waits until the client has given up on it.
    pub(crate) async fn given_up(&mut self) {
        in_time(self.reply.closed()).await;
    }
}

/// An open event stream. Dropped, it ends in order, but without an answer.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) id: Value,
    channel: mpsc::UnboundedSender<Result<Bytes, Broken>>,
}

impl Stream {
    /// Sends bytes as they are. What the client no longer reads is lost.
    pub(crate) fn write(&self, bytes: impl Into<Bytes>) {
        let _ = self.channel.send(Ok(bytes.into()));
    }

    /// Sends a message.
    pub(crate) fn event(&self, message: &Value) {
        self.write(event(message));
    }

    /// Sends a notification of this subscription.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.event(&self.notification(method, params));
    }

    /// A notification of this subscription.
    pub(crate) fn notification(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({ SUBSCRIPTION_ID: self.id });
        json!({ "jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params })
    }

    /// Ends the subscription in order.
    pub(crate) fn finish(self) {
        let result = json!({ "resultType": "complete", "_meta": { SUBSCRIPTION_ID: self.id } });
        self.event(&json!({ "jsonrpc": "2.0", "id": self.id, "result": result }));
    }

    /// Breaks the connection off, in the middle of the body.
    pub(crate) fn cut(self) {
        let _ = self.channel.send(Err(Broken));
    }

    /// Waits until the client has closed the stream.
    pub(crate) async fn closed(&self) {
        in_time(self.channel.closed()).await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.channel.is_closed()
    }
}

/// The text of an event.
pub(crate) fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

fn response(status: u16, content_type: &str, body: Told) -> Response<Told> {
    Response::builder().status(status).header("content-type", content_type).body(body).unwrap()
}

fn channel() -> (mpsc::UnboundedSender<Result<Bytes, Broken>>, Told) {
    let (channel, sent) = mpsc::unbounded_channel();
    (channel, Told { sent, broken: false })
}

/// A body that comes as the test sends it.
#[derive(Debug)]
struct Told {
    sent: mpsc::UnboundedReceiver<Result<Bytes, Broken>>,
    broken: bool,
}

impl Body for Told {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        if self.broken {
            return Poll::Ready(Some(Err(Broken)));
        }
        match ready!(self.sent.poll_recv(cx)) {
            None => Poll::Ready(None),
            Some(Ok(sent)) => Poll::Ready(Some(Ok(Frame::data(sent)))),
            Some(Err(Broken)) => {
                // What was sent before is written out while this waits.
                self.broken = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

#[derive(Debug)]
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken off on purpose")
    }
}

impl Error for Broken {}

async fn serve(listener: TcpListener, log: Arc<Log>, arrivals: mpsc::UnboundedSender<Asked>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        *log.connections.lock().unwrap() += 1;
        tokio::spawn(serve_connection(stream, Arc::clone(&log), arrivals.clone()));
    }
}

async fn serve_connection(stream: TcpStream, log: Arc<Log>, arrivals: mpsc::UnboundedSender<Asked>) {
    stream.set_nodelay(true).unwrap();
    let service = service_fn(move |request| {
        let (log, arrivals) = (Arc::clone(&log), arrivals.clone());
        async move { handle(request, &log, &arrivals).await }
    });
    // Errors are the client's hanging up, or the test's on purpose.
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

async fn handle(
    request: Request<Incoming>,
    log: &Log,
    arrivals: &mpsc::UnboundedSender<Asked>,
) -> Result<Response<Told>, Broken> {
    let (head, body) = request.into_parts();
    assert_eq!(head.method, "POST");
    let body: Value = serde_json::from_slice(&body.collect().await.map_err(|_| Broken)?.to_bytes()).unwrap();
    let post = Post { headers: head.headers, version: head.version, body };
    let count = {
        let mut posts = log.posts.lock().unwrap();
        posts.push(post.clone());
        posts.iter().filter(|earlier| earlier.method() == post.method()).count()
    };
    let id = post.body["id"].clone();
    let method = post.method().to_owned();
    if method == "subscriptions/listen" {
        let filter = post.body["params"]["notifications"].clone();
        let (reply, answer) = oneshot::channel();
        arrivals.send(Asked { id, filter, post, reply }).map_err(|_| Broken)?;
        return answer.await.map_err(|_| Broken);
    }
    let mut result = result(&method, count);
    result["resultType"] = json!("complete");
    let (channel, told) = channel();
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    channel.send(Ok(message.into())).map_err(|_| Broken)?;
    Ok(response(StatusCode::OK.as_u16(), "application/json", told))
}

/// What says how often it was asked for.
fn result(method: &str, count: usize) -> Value {
    let name = format!("v{count}");
    let mut result = match method {
        "tools/list" => json!({ "tools": [{ "name": name, "inputSchema": { "type": "object" } }] }),
        "prompts/list" => json!({ "prompts": [{ "name": name }] }),
        "resources/list" => json!({ "resources": [{ "name": name, "uri": "file:///a" }] }),
        "resources/templates/list" => {
            json!({ "resourceTemplates": [{ "name": name, "uriTemplate": "file:///{a}" }] })
        }
        "resources/read" => json!({ "contents": [{ "uri": "file:///a", "text": name }] }),
        _ => return json!({ "content": [{ "type": "text", "text": "ok" }] }),
    };
    result["ttlMs"] = json!(300_000);
    result["cacheScope"] = json!("private");
    result
}
