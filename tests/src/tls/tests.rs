use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::*;
use crate::testing::parse;

async fn handshake(
    server: &TlsServer,
    roots: RootCertStore,
    name: &'static str,
    alpn: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(server.addr()).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(name).unwrap(), stream).await
}

fn trusting(server: &TlsServer) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.certificate_pem().as_bytes()).unwrap()).unwrap();
    roots
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo"}}"#;

#[tokio::test]
async fn http2_is_chosen_by_alpn() {
    let server = TlsServer::start().await.unwrap();
    let stream = handshake(&server, trusting(&server), "localhost", &["h2", "http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let driver = tokio::spawn(connection);
    for sse in [false, true] {
        server.answer_with_sse(sse);
        let request =
            Request::post(server.url()).body(Full::new(Bytes::from_static(CALL.as_bytes()))).unwrap();
        let response = sender.send_request(request).await.unwrap();
        let content_type = response.headers()["content-type"].to_str().unwrap().to_owned();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let text = std::str::from_utf8(&body).unwrap();
        let json = if sse {
            assert_eq!(content_type, "text/event-stream");
            text.strip_prefix("event: message\ndata: ").unwrap().trim_end()
        } else {
            assert_eq!(content_type, "application/json");
            text
        };
        assert_eq!(
            serde_json::from_str::<Value>(json).unwrap(),
            json!({ "jsonrpc": "2.0", "id": "a", "result": {
                "content": [{ "type": "text", "text": "ok" }],
                "resultType": "complete",
            } })
        );
    }
    assert_eq!(server.http_versions(), [Version::HTTP_2, Version::HTTP_2]);
    assert_eq!(server.connections(), 1);
    driver.abort();
}

#[tokio::test]
async fn http1_is_spoken_to_those_who_ask_for_it() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let server = TlsServer::start_with(TlsOptions { http2: false, sse: false }).await.unwrap();
    // By address, and trusting the DER form.
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(server.certificate_der().to_vec())).unwrap();
    let mut stream = handshake(&server, roots, "127.0.0.1", &["h2", "http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{list}",
        list.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // The server need not say goodbye in TLS.
    let _ = stream.read_to_end(&mut bytes).await;
    let received = parse(&bytes).unwrap();
    assert!(received.complete);
    assert_eq!(received.message()["result"]["tools"][0]["name"], "echo");
    assert_eq!(server.http_versions(), [Version::HTTP_11]);
}

#[tokio::test]
async fn nobody_trusts_it_unasked() {
    let server = TlsServer::start().await.unwrap();
    let other = TlsServer::start().await.unwrap();
    let error = handshake(&server, trusting(&other), "localhost", &[]).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    let error = handshake(&server, trusting(&server), "example.com", &[]).await.unwrap_err();
    assert!(error.to_string().contains("not valid for name"), "{error}");
    assert!(server.posts().is_empty());
    assert_eq!(server.connections(), 2);
}
