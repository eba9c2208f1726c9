//! Proxies: asked for by the application, or by the environment.

use std::{
    process::Command,
    sync::{Arc, Mutex},
};

use mcp_tests::TlsServer;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

use super::*;

/// A proxy that makes tunnels, to wherever `to` says; it keeps the heads of what it was asked.
async fn tunnels(to: std::net::SocketAddr) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
                        return;
                    }
                }
                let refused = !head.starts_with("CONNECT ");
                seen.lock().unwrap().push(head);
                if refused {
                    let _ = stream.write_all(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n").await;
                    return;
                }
                let Ok(mut server) = TcpStream::connect(to).await else { return };
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut server).await;
            });
        }
    });
    (url, heads)
}

fn trusting(server: &TlsServer) -> reqwest::ClientBuilder {
    let certificate = reqwest::Certificate::from_pem(server.certificate_pem().as_bytes()).unwrap();
    reqwest::Client::builder().add_root_certificate(certificate)
}

#[tokio::test]
async fn field_net_05_https_goes_through_a_tunnel_and_the_proxy_sees_nothing_of_it() {
    let server = TlsServer::start().await.unwrap();
    let (proxy, heads) = tunnels(server.addr()).await;
    let proxy = reqwest::Proxy::https(&proxy).unwrap().basic_auth("user", "pass");
    // A name that only the proxy can resolve, and that the certificate has.
    let builder = Client::builder().http_with(&server.url(), trusting(&server).proxy(proxy)).unwrap();
    let client = builder.retry(Retry::never()).bearer_token("secret").header("X-Own", "1").build().unwrap();
    assert_good(&"tunnel", &call(&client).await);
    assert_good(&"again", &call(&client).await);
    let heads = heads.lock().unwrap().clone();
    assert_eq!(heads.len(), 1, "one connection: {heads:?}");
    let head = heads[0].to_ascii_lowercase();
    assert!(head.starts_with(&format!("connect localhost:{} http/1.1\r\n", server.addr().port())), "{head}");
    assert!(head.contains("proxy-authorization: basic "), "{head}");
    for hidden in ["secret", "x-own", "mcp-"] {
        assert!(!head.contains(hidden), "{head}");
    }
    let post = &server.posts()[0];
    assert_eq!(
        (post.header("authorization"), post.header("proxy-authorization")),
        (Some("Bearer secret"), None)
    );
}

/// A proxy of plain HTTP gets the whole URL.
#[tokio::test]
async fn http_goes_through_a_proxy() {
    let proxy =
        FaultServer::start([good(), Reply::status(407).header("Proxy-Authenticate", "Basic")]).await.unwrap();
    let through = reqwest::Proxy::http(format!("http://{}", proxy.addr())).unwrap();
    let client = with("http://mcp.invalid/mcp?v=1", reqwest::Client::builder().proxy(through));
    assert_good(&"proxy", &call(&client).await);
    assert_eq!(lines(&proxy), ["POST http://mcp.invalid/mcp?v=1 HTTP/1.1"]);
    assert_eq!(proxy.requests()[0].header("host"), Some("mcp.invalid"));
    let ended = call(&client).await;
    assert_ended(&"407", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(407)]);
}

#[tokio::test]
async fn a_proxy_that_is_away_or_refuses_was_not_passed() {
    let server = TlsServer::start().await.unwrap();
    let refuses = FaultServer::start([Reply::status(403)]).await.unwrap();
    let away = tokio::net::TcpSocket::new_v4().unwrap();
    away.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    for addr in [refuses.addr(), away.local_addr().unwrap()] {
        let proxy = reqwest::Proxy::all(format!("http://user:secret@{addr}")).unwrap();
        let client = with(&server.url(), trusting(&server).proxy(proxy));
        let ended = call(&client).await;
        assert_ended(&addr, &ended, OutcomeKind::TransportError, Delivery::NotSent, &[]);
        assert!(transport_error(&ended).is_connect());
        assert!(!format!("{ended:?}").contains("secret"));
    }
    assert!(server.posts().is_empty());
}

const CHILD: &str = "deployment::proxies::child_that_calls_one_url";

/// The environment is one of the process, so that this is tried in another one.
#[tokio::test]
async fn child_that_calls_one_url() {
    let Ok(url) = std::env::var("MCP_TEST_CHILD_URL") else { return };
    assert_good(&url, &call(&crate::support::client(&url)).await);
}

#[tokio::test]
async fn field_net_05_the_environment_may_name_proxies_and_exceptions() {
    let proxy = FaultServer::start([good()]).await.unwrap();
    let server = FaultServer::start([good()]).await.unwrap();
    let through = format!("http://{}", proxy.addr());
    let run = |url: String, exceptions: &'static str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", CHILD]).env("MCP_TEST_CHILD_URL", url);
        for name in [
            "ALL_PROXY",
            "all_proxy",
            "http_proxy",
            "HTTPS_PROXY",
            "https_proxy",
            "REQUEST_METHOD",
            "NO_PROXY",
        ] {
            child.env_remove(name);
        }
        child.env("HTTP_PROXY", &through).env("no_proxy", exceptions).env_remove("MCP_SENT_LOG");
        async move {
            let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
    };
    run("http://mcp.invalid/mcp".to_owned(), "").await;
    assert_eq!(lines(&proxy), ["POST http://mcp.invalid/mcp HTTP/1.1"]);
    run(server.url(), "127.0.0.1").await;
    assert_eq!((lines(&proxy).len(), lines(&server).len()), (1, 1));
}
