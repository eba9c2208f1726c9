//! Many calls at once, and what is left of them.

pub(crate) mod hall;
mod leaks;
mod many;
mod others;

use mcp_client::{Client, ClientBuilder, Retry};

/// A builder of a client that makes each call once, over HTTP/2 where that is wanted. No certificates are read: they would
/// take most of the time.
fn once(url: &str, http_2: bool) -> ClientBuilder {
    let http = reqwest::Client::builder().tls_certs_only([]);
    let http = if http_2 { http.http2_prior_knowledge() } else { http };
    Client::builder().http_with(url, http).unwrap().retry(Retry::never())
}

/// The versions of HTTP.
const VERSIONS: [(&str, bool); 2] = [("HTTP/1.1", false), ("HTTP/2", true)];
