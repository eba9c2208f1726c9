//! Who may talk to the page: the browser of this machine, from the page itself.

use std::net::SocketAddr;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::page;

/// Nothing is loaded or run, but the page's own style sheet; forms go nowhere else; no other page can frame it.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What every answer says.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Stricter, and browsers would no longer say which page a form came from.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The longest form that is taken, in bytes: 1 MiB.
pub(super) const MAX_FORM: usize = 1 << 20;

/// The names under which this server may be asked for.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    hosts: [String; 3],
}

impl Guard {
    pub(super) fn new(address: SocketAddr) -> Self {
        let port = address.port();
        Self { hosts: [address.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}")] }
    }

    /// A name that a stranger pointed at this machine is not ours (DNS rebinding).
    fn knows(&self, headers: &HeaderMap) -> bool {
        let host = text(headers, &header::HOST);
        host.is_some_and(|host| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)))
    }
}

/// Whether a form was sent by a page of this server. Browsers say where a POST comes from, in one of two headers; what says
/// neither is no browser, which no stranger's page can steer. It needs no secret, so that a page that was loaded before a restart
/// can still be sent.
fn is_from_here(headers: &HeaderMap) -> bool {
    let site = text(headers, &HeaderName::from_static("sec-fetch-site"));
    let origin = text(headers, &header::ORIGIN);
    let host = text(headers, &header::HOST).unwrap_or_default();
    site.is_none_or(|site| site == "same-origin" || site == "none")
        && origin.is_none_or(|origin| origin.strip_prefix("http://") == Some(host))
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = text(headers, &header::CONTENT_TYPE).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// What is to come, where the request says so.
fn length(headers: &HeaderMap) -> Option<usize> {
    text(headers, &header::CONTENT_LENGTH)?.parse().ok()
}

/// A header that is there once and is text. An unreadable one is as an empty one, which nothing above takes for a good one.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return Some("");
    }
    Some(first.to_str().unwrap_or_default())
}

/// Refuses what comes from elsewhere, and marks every answer.
pub(super) async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let refused = if !guard.knows(headers) {
        Some((StatusCode::MISDIRECTED_REQUEST, "This server is not known by that name"))
    } else if request.method() != Method::POST {
        None
    } else if !is_from_here(headers) {
        Some((StatusCode::FORBIDDEN, "That was sent by another site's page"))
    } else if !is_form(headers) {
        Some((StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only forms are taken here"))
    } else if length(headers).is_some_and(|length| length > MAX_FORM) {
        Some((StatusCode::PAYLOAD_TOO_LARGE, "That is too long"))
    } else {
        None
    };
    let mut response = match refused {
        Some((status, why)) => (status, page::notice(why, "Nothing was done.", None)).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
