//! What is the same origin, and that nothing of a call ever goes to another.

use mcp_client::{Client, Delivery, OutcomeKind};
use mcp_tests::{FaultServer, Reply};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{any, path},
};

use super::{assert_followed, to};
use crate::{
    fault::{ANSWER, assert_ended, call, good, http_error, only_calls, serve, still_usable},
    support::{client, json_body, posts},
};

/// A server whose `/mcp` redirects to a location that is made of its own port, and whose other paths answer well.
async fn to_itself(location: impl FnOnce(u16) -> String) -> (MockServer, String) {
    let server = MockServer::start().await;
    let location = location(server.address().port());
    let redirect = ResponseTemplate::new(307).insert_header("Location", location.as_str());
    Mock::given(path("/mcp")).respond_with(redirect).mount(&server).await;
    Mock::given(any()).respond_with(json_body(200, ANSWER.replace("{{id}}", "1"))).mount(&server).await;
    (server, location)
}

#[tokio::test]
async fn an_absolute_location_of_the_same_origin_is_followed() {
    let same: [fn(u16) -> String; 3] = [
        |port| format!("http://127.0.0.1:{port}/other"),
        |port| format!("HTTP://127.0.0.1:{port}/other"),
        |port| format!("//127.0.0.1:{port}/other"),
    ];
    for location in same {
        let (server, location) = to_itself(location).await;
        let client = client(&format!("{}/mcp", server.uri()));
        assert_followed(&location, &call(&client).await, &[307, 200]);
        let posts = posts(&server).await;
        assert_eq!(posts.iter().map(|post| post.url.path()).collect::<Vec<_>>(), ["/mcp", "/other"]);
        assert_eq!((&posts[0].body, &posts[0].headers), (&posts[1].body, &posts[1].headers));
    }
}

/// The same server by another name is another origin, and a location with credentials is none of ours.
#[tokio::test]
async fn a_location_of_the_same_server_is_not_always_one_of_the_same_origin() {
    let other: [fn(u16) -> String; 5] = [
        |port| format!("http://b.example:{port}/other"),
        |port| format!("https://a.example:{port}/other"),
        |port| format!("http://127.0.0.1:{port}/other"),
        |port| format!("http://user:pass@a.example:{port}/other"),
        |port| format!("//user@a.example:{port}/other"),
    ];
    for location in other {
        let (server, location) = to_itself(location).await;
        let addr = *server.address();
        let http = reqwest::Client::builder().resolve("a.example", addr).resolve("b.example", addr);
        let url = format!("http://a.example:{}/mcp", addr.port());
        let client = Client::builder().http_with(&url, http).unwrap().build().unwrap();
        let ended = call(&client).await;
        assert_ended(&location, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(307)]);
        assert_eq!(http_error(&ended).header("location"), Some(location.as_str()));
        assert_eq!(posts(&server).await.len(), 1, "{location}");
    }
}

/// Where a redirect leads elsewhere, nothing of the call goes there: not the body, not a header, not a connection.
#[tokio::test]
async fn nothing_crosses_an_origin() {
    let elsewhere = FaultServer::start([good()]).await.unwrap();
    let other = elsewhere.addr();
    for status in [301, 302, 303, 307, 308] {
        for location in [
            format!("http://{other}/mcp"),
            format!("//{other}/mcp"),
            format!("http://user:pass@{other}/mcp"),
            format!("https://{other}/mcp"),
            format!("http://localhost:{}/mcp", other.port()),
            format!("HTTP://{other}"),
            format!("\\\\{other}\\mcp"),
        ] {
            let server = FaultServer::start([to(status, &location), good()]).await.unwrap();
            let client = crate::support::once(&server.url()).bearer_token("secret").build().unwrap();
            let ended = call(&client).await;
            let what = format!("{status} to {location}");
            assert_ended(&what, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(status)]);
            assert_eq!(http_error(&ended).header("location"), Some(location.as_str()), "{what}");
            assert!(!format!("{ended:?}").contains(&location), "a location may hold secrets: {ended:?}");
            still_usable(&what, &client).await;
            only_calls(&server, 2);
        }
    }
    assert_eq!((elsewhere.connections(), elsewhere.requests().len()), (0, 0));
}

#[tokio::test]
async fn locations_that_make_no_sense_are_not_followed() {
    for status in [307, 308] {
        for reply in [
            Reply::status(status),
            to(status, "http://"),
            to(status, "http://[::1"),
            to(status, "http://a:99999/"),
            to(status, "mailto:a@b.example"),
            to(status, "javascript:alert(1)"),
            to(status, "file:///etc/passwd"),
            to(status, "caf\u{e9}://x"),
        ] {
            let (server, client) = serve([reply.clone(), good()]).await;
            let ended = call(&client).await;
            assert_ended(&reply, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(status)]);
            still_usable(&reply, &client).await;
            only_calls(&server, 2);
        }
    }
}

/// Whatever the caller's own HTTP client would do with redirects, the client does as it always does.
#[tokio::test]
async fn a_redirect_policy_of_the_callers_is_replaced() {
    let elsewhere = FaultServer::start([good()]).await.unwrap();
    let http = || reqwest::Client::builder().redirect(reqwest::redirect::Policy::limited(10));
    for (reply, posts) in [
        (to(302, "/other"), vec![Some(302)]),
        (to(307, &elsewhere.url()), vec![Some(307)]),
        (to(302, &elsewhere.url()), vec![Some(302)]),
    ] {
        let server = FaultServer::start([reply]).await.unwrap();
        let client = Client::builder().http_with(&server.url(), http()).unwrap().build().unwrap();
        let ended = call(&client).await;
        assert_ended(&posts, &ended, OutcomeKind::HttpError, Delivery::Refused, &posts);
        only_calls(&server, 1);
    }
    assert_eq!(elsewhere.connections(), 0);
}
