//! A server that takes no bytes: the call ends all the same, while it connects and while its request is being sent.

use std::{net::Ipv4Addr, time::Duration};

use mcp_client::{CancelHandle, Client, Delivery, OutcomeKind, Retry, error::TransportErrorKind};
use serde_json::json;
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpSocket, TcpStream},
};

use super::{WHY, assert_cancelled};
use crate::{
    fault::{Ended, assert_ended, in_time, transport_error},
    retry::Told,
};

/// Far more than the buffers of a connection hold.
const LARGE: usize = 24 << 20;

/// Accepts a connection and reads nothing from it.
struct Deaf {
    listener: TcpListener,
}

impl Deaf {
    fn listen() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        // The less it buffers, the sooner the client has to wait.
        socket.set_recv_buffer_size(64 << 10).unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        Self { listener: socket.listen(16).unwrap() }
    }

    fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}/mcp", self.listener.local_addr().unwrap())
    }

    /// A connection on which the first bytes have come.
    async fn connected(&self) -> TcpStream {
        let (stream, _) = in_time(self.listener.accept()).await.unwrap();
        let mut first = [0];
        assert_eq!(in_time(stream.peek(&mut first)).await.unwrap(), 1);
        stream
    }
}

/// How many bytes were sent in all before the connection was closed.
async fn drain(mut stream: TcpStream) -> usize {
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        match in_time(stream.read(&mut buffer)).await {
            Ok(0) | Err(_) => return total,
            Ok(read) => total += read,
        }
    }
}

fn client(url: &str) -> (Client, Told) {
    let told = Told::default();
    let builder = Client::http(url).unwrap().retry(Retry::never()).observer(told.clone());
    (builder.build().unwrap(), told)
}

/// A call with large arguments.
async fn send(client: Client, stop: CancelHandle, timeout: Duration) -> Ended {
    let arguments = json!({ "data": "x".repeat(LARGE) });
    client.call_tool("x").arguments(arguments).cancel_with(&stop).timeout(timeout).send().await
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_request_that_is_being_sent_is_given_up_at_once() {
    let server = Deaf::listen();
    let (client, told) = client(&server.url("http"));
    let stop = CancelHandle::new();
    let call = tokio::spawn(send(client, stop.clone(), LONG));
    let stream = server.connected().await;
    assert!(!call.is_finished());
    stop.cancel(WHY);
    let ended = in_time(call).await.unwrap();
    assert_cancelled("being sent", &ended, Delivery::Unknown, &[None]);
    assert_eq!(told.records().len(), 1);
    // The rest of the request is never sent: the connection is closed in the middle of it.
    let sent = drain(stream).await;
    assert!(sent > 0 && sent < LARGE, "{sent} of {LARGE} bytes");
}

#[tokio::test]
async fn a_call_that_is_dropped_while_its_request_is_being_sent_closes_its_connection() {
    let server = Deaf::listen();
    let (client, told) = client(&server.url("http"));
    let call = tokio::spawn(send(client, CancelHandle::new(), LONG));
    let stream = server.connected().await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let records = told.records();
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::Cancelled, Delivery::Unknown));
    assert_eq!((record.posts.as_slice(), record.error_message.as_deref()), (&[None][..], None));
    let sent = drain(stream).await;
    assert!(sent > 0 && sent < LARGE, "{sent} of {LARGE} bytes");
}

#[tokio::test]
async fn can_10_time_runs_out_while_the_request_is_being_sent() {
    let server = Deaf::listen();
    for of_attempt in [false, true] {
        let (client, _) = client(&server.url("http"));
        let after = Duration::from_secs(1);
        let arguments = json!({ "data": "x".repeat(LARGE) });
        let call = client.call_tool("x").arguments(arguments);
        let call = if of_attempt { call.attempt_timeout(after) } else { call.timeout(after) };
        let (ended, stream) = tokio::join!(in_time(call.send()), server.connected());
        let record = assert_ended(&"sending", &ended, OutcomeKind::Timeout, Delivery::Unknown, &[None]);
        assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Timeout { after });
        assert!(record.duration >= after && record.duration < 10 * after, "{:?}", record.duration);
        let sent = drain(stream).await;
        assert!(sent > 0 && sent < LARGE, "{sent} of {LARGE} bytes");
    }
}

/// A server that does not answer the handshake of TLS: there is no connection yet.
#[tokio::test]
async fn a_connection_that_is_being_made_is_given_up_at_once() {
    let server = Deaf::listen();
    let (client, told) = client(&server.url("https"));
    let stop = CancelHandle::new();
    let call = tokio::spawn(client.call_tool("x").cancel_with(&stop).send());
    let stream = server.connected().await;
    stop.cancel(WHY);
    let ended = in_time(call).await.unwrap();
    // That it was not sent is only proven by a connection that failed.
    assert_cancelled("connecting", &ended, Delivery::Unknown, &[None]);
    assert_eq!(told.records().len(), 1);
    assert!(drain(stream).await > 0, "closed after the first message of the handshake");

    let call = tokio::spawn(client.call_tool("x").send());
    let stream = server.connected().await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(told.records()[1].outcome, OutcomeKind::Cancelled);
    drain(stream).await;
}

/// A large request is sent in pieces, and says how long it is all the same.
#[tokio::test]
async fn a_large_request_arrives_whole_with_its_length() {
    let (server, client) = crate::fault::serve([crate::fault::good()]).await;
    let data = "0123456789".repeat(100_000);
    let call = client.call_tool("x").arguments(json!({ "data": data }));
    crate::fault::assert_good(&"large", &in_time(call.send()).await);
    let request = &crate::fault::only_calls(&server, 1)[0];
    assert_eq!(request.json().unwrap()["params"]["arguments"]["data"], data);
    assert_eq!(request.header("content-length"), Some(&*request.body.len().to_string()));
    assert_eq!(request.header("transfer-encoding"), None);
}
