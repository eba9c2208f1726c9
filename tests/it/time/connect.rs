//! Time that runs out while the connection is being made.

use std::{net::SocketAddr, time::Duration};

use mcp_client::{Delivery, OutcomeKind, error::TransportErrorKind};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::fault::{assert_ended, call, transport_error};

/// An address to which connections are neither made nor refused: a listener that accepts none, with a full queue.
struct Blackhole {
    addr: SocketAddr,
    _listener: TcpListener,
    _queued: Vec<TcpStream>,
}

impl Blackhole {
    /// `None` where the system makes connections beyond the length of the queue, or refuses them.
    async fn open() -> Option<Self> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(1).unwrap();
        let addr = listener.local_addr().unwrap();
        let mut queued = Vec::new();
        for _ in 0..64 {
            match tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(addr)).await {
                Ok(Ok(stream)) => queued.push(stream),
                Ok(Err(_)) => return None,
                Err(_) => {
                    return Some(Self { addr, _listener: listener, _queued: queued });
                }
            }
        }
        None
    }
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_was_not_sent() {
    let Some(hole) = Blackhole::open().await else {
        return eprintln!("skipped: no blackhole on this system");
    };
    let builder = crate::support::once(&format!("http://{}/mcp", hole.addr));
    let client = builder.connect_timeout(Duration::from_millis(300)).build().unwrap();
    let ended = call(&client).await;
    let record = assert_ended(&"connect", &ended, OutcomeKind::Timeout, Delivery::NotSent, &[]);
    assert_eq!(record.post_count(), 0);
    let error = transport_error(&ended);
    assert_eq!(error.kind(), TransportErrorKind::ConnectTimeout);
    assert!(error.is_connect() && error.is_timeout());
    assert!(record.duration < super::LONG, "took {:?}", record.duration);
}

/// Our own timer proves nothing.
#[tokio::test]
async fn a_call_whose_time_is_up_while_it_connects_may_have_run() {
    let Some(hole) = Blackhole::open().await else {
        return eprintln!("skipped: no blackhole on this system");
    };
    let after = Duration::from_millis(300);
    let client = crate::support::once(&format!("http://{}/mcp", hole.addr)).timeout(after).build().unwrap();
    let ended = call(&client).await;
    assert_ended(&"call", &ended, OutcomeKind::Timeout, Delivery::Unknown, &[None]);
    assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Timeout { after });
}
