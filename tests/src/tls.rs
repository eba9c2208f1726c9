//! An HTTPS server with HTTP/2, and the certificate authority to trust it by.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, SanType};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::answer::{Answer, AnswerBody, Broken};
use crate::background::Background;
use crate::kitchen::{entry, receive};
use crate::log::{Log, Post};
use crate::serve::{Connection, Handler, serve_connection};

const PATH: &str = "/mcp";
const MAX_BODY: usize = 4 << 20;

/// Settings of a [`TlsServer`].
#[derive(Clone, Debug)]
pub struct TlsOptions {
    /// Whether HTTP/2 is offered (by ALPN), ahead of HTTP/1.1. Default: true.
    pub http2: bool,
    /// Whether answers come as an event stream instead of JSON. Default: false.
    pub sse: bool,
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self { http2: true, sse: false }
    }
}

/// A running HTTPS server that answers every `tools/call` with success. Dropping it stops it and frees its port.
///
/// Its certificate is valid for `localhost` and `127.0.0.1` and was issued by an authority of its own, which no client
/// trusts before it is told to.
#[derive(Debug)]
pub struct TlsServer {
    front: Arc<Front>,
    authority_pem: String,
    authority_der: Vec<u8>,
    server: Background,
}

#[derive(Debug)]
struct Front {
    sse: AtomicBool,
    log: Arc<Log>,
    accepted: AtomicUsize,
    failed_handshakes: AtomicUsize,
}

impl TlsServer {
    /// Starts a server on a free loopback port.
    ///
    /// # Errors
    ///
    /// If no port, thread or certificate can be had.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(TlsOptions::default()).await
    }

    /// Starts a server with other settings.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    #[expect(clippy::unused_async, reason = "callers need not care that binding does not wait")]
    pub async fn start_with(options: TlsOptions) -> io::Result<Self> {
        let identity = Identity::new().map_err(io::Error::other)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate], identity.key)
            .map_err(io::Error::other)?;
        let protocols: &[&str] = if options.http2 { &["h2", "http/1.1"] } else { &["http/1.1"] };
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let front = Arc::new(Front {
            sse: AtomicBool::new(options.sse),
            log: Log::new(),
            accepted: AtomicUsize::new(0),
            failed_handshakes: AtomicUsize::new(0),
        });
        let handler = Arc::clone(&front);
        let server = Background::start("tls-server", move |listener| serve(listener, acceptor, handler))?;
        Ok(Self {
            front,
            authority_pem: identity.authority_pem,
            authority_der: identity.authority_der,
            server,
        })
    }

    /// URL of the MCP endpoint, by host name.
    pub fn url(&self) -> String {
        format!("https://localhost:{}{PATH}", self.addr().port())
    }

    /// Address that it listens on. The certificate is valid for it as well.
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// Certificate of the authority to trust, as PEM.
    pub fn certificate_pem(&self) -> &str {
        &self.authority_pem
    }

    /// Certificate of the authority to trust, as DER.
    pub fn certificate_der(&self) -> &[u8] {
        &self.authority_der
    }

    /// Switches between JSON and event streams.
    pub fn answer_with_sse(&self, sse: bool) {
        self.front.sse.store(sse, Ordering::SeqCst);
    }

    /// All POSTs, in order of arrival. [`Post::http_version`] says how each came.
    pub fn posts(&self) -> Vec<Post> {
        self.front.log.posts()
    }

    /// HTTP versions of all POSTs, in order of arrival.
    pub fn http_versions(&self) -> Vec<Version> {
        self.posts().into_iter().map(|post| post.http_version).collect()
    }

    /// Number of TCP connections accepted so far.
    pub fn connections(&self) -> usize {
        self.front.accepted.load(Ordering::SeqCst)
    }

    /// Number of TLS handshakes that failed, for instance because the client does not trust the certificate.
    pub fn failed_handshakes(&self) -> usize {
        self.front.failed_handshakes.load(Ordering::SeqCst)
    }
}

/// What the server shows to its clients.
struct Identity {
    authority_pem: String,
    authority_der: Vec<u8>,
    certificate: rustls::pki_types::CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    fn new() -> Result<Self, rcgen::Error> {
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(rcgen::DnType::CommonName, "Test Kitchen authority");
        let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

        let mut params = CertificateParams::new(vec!["localhost".to_owned()])?;
        params.subject_alt_names.push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        params.distinguished_name.push(rcgen::DnType::CommonName, "localhost");
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &issuer)?;
        Ok(Self {
            authority_pem: issuer.pem(),
            authority_der: issuer.der().to_vec(),
            certificate: certificate.der().clone(),
            key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        })
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, front: Arc<Front>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let number = front.accepted.fetch_add(1, Ordering::SeqCst) + 1;
        let _ = stream.set_nodelay(true);
        let (acceptor, front) = (acceptor.clone(), Arc::clone(&front));
        tokio::spawn(async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve_connection(stream, front, Connection::new(number)).await;
            } else {
                front.failed_handshakes.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
}

impl Handler for Front {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Connection,
    ) -> Result<Response<AnswerBody>, Broken> {
        let (head, body) = request.into_parts();
        if head.method != Method::POST {
            return Ok(Answer::status_only(StatusCode::METHOD_NOT_ALLOWED).into_response(None));
        }
        let upload = receive(&head.headers, body, MAX_BODY).await?;
        let post = entry(&head, &upload, &connection);
        let answer = match (post.method.as_deref(), &post.id) {
            (Some("tools/call"), Some(id)) => {
                self.success(id, &json!({ "content": [{ "type": "text", "text": "ok" }] }))
            }
            (Some("server/discover"), Some(id)) => self.success(
                id,
                &json!({
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": { "tools": {} },
                    "ttlMs": 0,
                    "cacheScope": "private",
                }),
            ),
            (Some("tools/list"), Some(id)) => self.success(
                id,
                &json!({
                    "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }],
                    "ttlMs": 0,
                    "cacheScope": "private",
                }),
            ),
            (Some(_), Some(id)) => {
                let error = json!({ "code": -32601, "message": "Method not found" });
                let document = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                Answer::json(StatusCode::NOT_FOUND, document.to_string())
            }
            _ => Answer::status_only(StatusCode::ACCEPTED),
        };
        Ok(answer.into_response(Some(self.log.enter(post))))
    }
}

impl Front {
    fn success(&self, id: &Value, result: &Value) -> Answer {
        let mut result = result.clone();
        if let Value::Object(members) = &mut result {
            members.insert("resultType".to_owned(), json!("complete"));
        }
        let document = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
        if self.sse.load(Ordering::SeqCst) {
            Answer::event(StatusCode::OK, &document)
        } else {
            Answer::json(StatusCode::OK, document)
        }
    }
}

#[cfg(test)]
mod tests;
