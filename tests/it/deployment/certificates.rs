//! Certificates: whom the client trusts, and what it says when it does not. More is in `connection/tls.rs`.

use std::{error::Error, fmt::Write as _, sync::Arc};

use mcp_client::BuildError;
use mcp_tests::{TlsOptions, TlsServer};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, SanType, date_time_ymd};
use rustls::{
    RootCertStore, ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
};
use tokio::{io::AsyncReadExt, net::TcpListener};
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::fault::Ended;

/// All that an error says, with its sources.
fn said(ended: &Ended) -> String {
    let mut text = String::new();
    let mut next = ended.as_ref().err().map(|error| error as &dyn Error);
    while let Some(error) = next {
        let _ = writeln!(text, "{error}");
        next = error.source();
    }
    text
}

#[track_caller]
fn assert_prompt_and_not_sent(what: &str, ended: &Ended, reason: &str) {
    let record = assert_ended(&what, ended, OutcomeKind::TransportError, Delivery::NotSent, &[]);
    assert_eq!(transport_error(ended).kind(), TransportErrorKind::Connect, "{what}");
    assert!(record.duration < Duration::from_secs(10), "{what}: {:?}", record.duration);
    assert!(said(ended).contains(reason), "{what}: {}", said(ended));
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A certificate and its key, both as PEM and DER.
    fn issue(&self, change: impl FnOnce(&mut CertificateParams)) -> (rcgen::Certificate, KeyPair) {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.subject_alt_names.push(SanType::IpAddress(std::net::Ipv4Addr::LOCALHOST.into()));
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    fn trusted(&self) -> reqwest::ClientBuilder {
        reqwest::Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(self.0.pem().as_bytes()).unwrap()])
    }
}

/// A server that makes handshakes and answers one request per connection.
async fn serve_tls(certificate: rcgen::Certificate, key: &KeyPair, clients: Option<&Authority>) -> String {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = match clients {
        None => builder.unwrap().with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.0.der().clone()).unwrap();
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.unwrap().with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut received = vec![0; 16 << 10];
                let length = stream.read(&mut received).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&received[..length]).into_owned();
                let id =
                    text.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("null");
                let body = crate::fault::ANSWER.replace("{{id}}", id);
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer.as_bytes()).await;
                let _ = tokio::io::AsyncWriteExt::shutdown(&mut stream).await;
            });
        }
    });
    url
}

#[tokio::test]
async fn field_net_05_tls_failures_are_prompt_and_say_why() {
    let server = TlsServer::start().await.unwrap();
    let untrusted = crate::support::client(&server.url());
    assert_prompt_and_not_sent("own authority", &call(&untrusted).await, "UnknownIssuer");

    let authority = Authority::new();
    let (certificate, key) = authority.issue(|params| {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    });
    let url = serve_tls(certificate, &key, None).await;
    assert_prompt_and_not_sent("expired", &call(&with(&url, authority.trusted())).await, "expired");

    let (certificate, key) = authority.issue(|params| {
        params.subject_alt_names = vec![SanType::DnsName("other.example".try_into().unwrap())];
    });
    let url = serve_tls(certificate, &key, None).await;
    assert_prompt_and_not_sent(
        "wrong host",
        &call(&with(&url, authority.trusted())).await,
        "not valid for name",
    );

    let (certificate, key) = authority.issue(|_| ());
    let url = serve_tls(certificate, &key, None).await;
    assert_good(&"trusted", &call(&with(&url, authority.trusted())).await);
    // Another authority is not enough.
    let other = Authority::new();
    assert_prompt_and_not_sent("other", &call(&with(&url, other.trusted())).await, "certificate");
    assert!(server.posts().is_empty());
}

#[tokio::test]
async fn field_net_05_a_tls_failure_is_an_error_at_once_with_the_standard_retries_too() {
    let server = TlsServer::start().await.unwrap();
    let client = Client::http(&server.url()).unwrap().build().unwrap();
    let ended = in_time(client.call_tool("x").send()).await;
    let record = crate::support::record(&ended);
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::TransportError, Delivery::NotSent));
    assert!(said(&ended).contains("UnknownIssuer"), "{}", said(&ended));
    assert!(record.duration < Duration::from_secs(20), "{:?}", record.duration);
}

#[tokio::test]
async fn field_net_05_clients_can_show_a_certificate() {
    let authority = Authority::new();
    let (certificate, key) = authority.issue(|_| ());
    let url = serve_tls(certificate, &key, Some(&authority)).await;
    let (own, own_key) = authority.issue(|params| {
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
    });
    let identity = format!("{}{}", own.pem(), own_key.serialize_pem());
    let identity = reqwest::Identity::from_pem(identity.as_bytes()).unwrap();
    assert_good(&"shown", &call(&with(&url, authority.trusted().identity(identity))).await);
    // In TLS 1.3 the server may refuse it only after the client has sent the request.
    let ended = call(&with(&url, authority.trusted())).await;
    assert_eq!(ended.unwrap_err().outcome(), OutcomeKind::TransportError);
}

#[tokio::test]
async fn http_2_and_http_1_are_chosen_by_the_server_unless_the_application_says_so() {
    let server = TlsServer::start().await.unwrap();
    let certificate = || reqwest::Certificate::from_pem(server.certificate_pem().as_bytes()).unwrap();
    let trusting = || reqwest::Client::builder().add_root_certificate(certificate());
    assert_good(&"2", &call(&with(&server.url(), trusting())).await);
    assert_good(&"1.1", &call(&with(&server.url(), trusting().http1_only())).await);
    assert_eq!(server.http_versions(), [http::Version::HTTP_2, http::Version::HTTP_11]);
    let old = TlsServer::start_with(TlsOptions { http2: false, sse: true }).await.unwrap();
    let certificate = reqwest::Certificate::from_pem(old.certificate_pem().as_bytes()).unwrap();
    let http = reqwest::Client::builder().add_root_certificate(certificate);
    assert_good(&"1.1 only", &call(&with(&old.url(), http)).await);
    assert_eq!(old.http_versions(), [http::Version::HTTP_11]);
}

#[tokio::test]
async fn an_http_client_that_is_built_already_is_taken_as_it_is() {
    let server = FaultServer::start([moved(301, "/away"), good()]).await.unwrap();
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let builder = Client::builder().http_unguarded(&server.url(), http).unwrap();
    let client = builder.retry(Retry::never()).build().unwrap();
    let ended = call(&client).await;
    assert_ended(&"301", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(301)]);
    assert_good(&"used", &call(&client).await);
    let error = Client::builder().http_unguarded("ftp://a.example", reqwest::Client::new()).unwrap_err();
    assert!(matches!(error, BuildError::Url(_)));
}
