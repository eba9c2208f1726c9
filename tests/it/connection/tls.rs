//! TLS: certificates that are not trusted, and HTTP/2.

use std::time::Duration;

use futures_util::future::join_all;
use http::Version;
use mcp_client::{Client, ClientBuilder, Delivery, OutcomeKind, error::TransportErrorKind};
use mcp_tests::{FaultServer, Kitchen, Reply, Step, TlsOptions, TlsServer};

use super::assert_not_sent;
use crate::{
    fault::{assert_ended, call, transport_error},
    support::client,
};

/// A client that trusts the certificate of the server.
fn trusting(server: &TlsServer) -> Client {
    builder(server, &server.url(), |http| http).build().unwrap()
}

fn builder(
    server: &TlsServer,
    url: &str,
    set_up: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> ClientBuilder {
    let certificate = reqwest::Certificate::from_pem(server.certificate_pem().as_bytes()).unwrap();
    let http = set_up(reqwest::Client::builder().add_root_certificate(certificate));
    Client::builder().http_with(url, http).unwrap().retry(mcp_client::Retry::never())
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_stops_the_call_before_it_is_sent() {
    let server = TlsServer::start().await.unwrap();
    let client = client(&server.url());
    assert_not_sent("untrusted", &call(&client).await);
    assert_not_sent("untrusted again", &call(&client).await);
    assert!(server.posts().is_empty());
}

#[tokio::test]
async fn a_certificate_of_another_name_stops_the_call_before_it_is_sent() {
    let server = TlsServer::start().await.unwrap();
    let addr = server.addr();
    let url = format!("https://other.example:{}/mcp", addr.port());
    let client = builder(&server, &url, |http| http.resolve("other.example", addr)).build().unwrap();
    assert_not_sent("another name", &call(&client).await);
    assert!(server.posts().is_empty());
    // By either of its own names it works.
    for url in [server.url(), format!("https://{addr}/mcp")] {
        let client = builder(&server, &url, |http| http).build().unwrap();
        assert_ended(&url, &call(&client).await, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    }
}

#[tokio::test]
async fn tls_with_a_server_that_has_none_is_not_sent() {
    for greeting in ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n", ""] {
        let reply = Reply::on_accept([Step::write(greeting), Step::Close]);
        let server = FaultServer::start([reply]).await.unwrap();
        let client = client(&server.url().replace("http:", "https:"));
        assert_not_sent("no TLS", &call(&client).await);
        assert!(server.requests().is_empty());
    }

    let kitchen = Kitchen::start().await.unwrap();
    let client = crate::support::client(&kitchen.url().replace("http:", "https:"));
    assert_not_sent("no TLS", &call(&client).await);
    assert!(kitchen.posts().is_empty());
}

/// A handshake is a part of the connection, and its time is that of the connection.
#[tokio::test]
async fn a_handshake_that_is_never_answered_is_not_sent() {
    let server = FaultServer::start([Reply::on_accept([Step::AwaitClientClose])]).await.unwrap();
    let builder = crate::support::once(&server.url().replace("http:", "https:"));
    let client = builder.connect_timeout(Duration::from_millis(300)).build().unwrap();
    let ended = call(&client).await;
    assert_ended(&"silent", &ended, OutcomeKind::Timeout, Delivery::NotSent, &[]);
    assert_eq!(transport_error(&ended).kind(), TransportErrorKind::ConnectTimeout);
    server.client_closed().await.unwrap();
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn no_tls_with_a_server_that_wants_it_is_no_answer() {
    let server = TlsServer::start().await.unwrap();
    let client = client(&server.url().replace("https:", "http:"));
    let ended = call(&client).await;
    assert_ended(&"plain", &ended, OutcomeKind::TransportError, Delivery::Unknown, &[None]);
    assert!(server.posts().is_empty());
}

#[tokio::test]
async fn twenty_calls_share_one_tls_connection() {
    for http2 in [true, false] {
        for sse in [false, true] {
            let server = TlsServer::start_with(TlsOptions { http2, sse }).await.unwrap();
            let client = trusting(&server);
            let media_type = if sse { "text/event-stream" } else { "application/json" };
            for number in 0..20 {
                let ended = call(&client).await;
                let record =
                    assert_ended(&number, &ended, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
                assert_eq!(record.content_type.as_deref(), Some(media_type));
                assert_eq!(record.sse.is_some(), sse);
            }
            let version = if http2 { Version::HTTP_2 } else { Version::HTTP_11 };
            assert_eq!(server.http_versions(), vec![version; 20]);
            assert_eq!(
                (server.connections(), server.failed_handshakes()),
                (1, 0),
                "HTTP/2: {http2}, streams: {sse}"
            );
        }
    }
}

#[tokio::test]
async fn calls_at_once_share_one_connection_on_http_2() {
    let server = TlsServer::start().await.unwrap();
    let client = trusting(&server);
    // The first one makes the connection.
    assert_ended(&"first", &call(&client).await, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    for ended in join_all((0..64).map(|_| call(&client))).await {
        assert_ended(&"at once", &ended, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    }
    let posts = server.posts();
    assert_eq!((posts.len(), server.connections()), (65, 1));
    let ids: std::collections::HashSet<_> =
        posts.iter().map(|post| post.id.as_ref().unwrap().to_string()).collect();
    assert_eq!(ids.len(), 65);
    assert!(posts.iter().all(|post| post.http_version == Version::HTTP_2));
}

/// What the client sends is the same on HTTP/2.
#[tokio::test]
async fn the_headers_are_the_same_on_http_2() {
    let server = TlsServer::start().await.unwrap();
    let client =
        builder(&server, &server.url(), |http| http).bearer_token("t").header("X-Own", "1").build().unwrap();
    let ended = call(&client).await;
    assert_ended(&"headers", &ended, OutcomeKind::ToolSuccess, Delivery::Answered, &[Some(200)]);
    let post = &server.posts()[0];
    for (name, value) in [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "x"),
        ("authorization", "Bearer t"),
        ("x-own", "1"),
    ] {
        assert_eq!(post.header(name), Some(value), "{name}");
    }
    assert_eq!(post.path, "/mcp");
}
