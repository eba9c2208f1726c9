//! What an HTTP error prints, and how much of its body it keeps.

use std::{error::Error, fmt::Write as _};

use mcp_client::{CallError, Delivery, error::MAX_EXCERPT_BYTES, transport::DEFAULT_MAX_ERROR_BODY_BYTES};
use mcp_tests::{FaultServer, Reply};

use crate::stage::{Canned, Stage, assert_ending, failed, http_error, notes};

const SECRET: &str = "hunter2";

/// All that an error prints of itself and of what lies beneath.
fn printed(error: &CallError) -> String {
    let mut all = format!("{error}|{error:?}|{error:#?}|{}|", error.for_model());
    let mut source = error.source();
    while let Some(error) = source {
        write!(all, "{error}|{error:?}|").unwrap();
        source = error.source();
    }
    write!(all, "{}", error.record().unwrap().to_json()).unwrap();
    all
}

#[tokio::test]
async fn headers_bodies_arguments_and_tokens_are_never_printed() {
    let stage = Stage::with(|builder| builder.bearer_token(SECRET).header("X-Api-Key", SECRET)).await;
    let error_body = format!(
        r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":1,"message":"m","data":"{SECRET}"}},"x":"{SECRET}"}}"#
    );
    for status in [301, 400, 401, 403, 404, 429, 500, 503] {
        for (media_type, body) in [("text/html", SECRET), ("application/json", error_body.as_str())] {
            let reply = Canned::new(status, media_type, body)
                .header("Set-Cookie", &format!("session={SECRET}"))
                .header("WWW-Authenticate", &format!(r#"Bearer realm="{SECRET}", nonce="{SECRET}""#))
                .header("Location", &format!("https://other.example/?token={SECRET}"))
                .header("Retry-After", SECRET)
                .header("X-Debug", SECRET);
            stage.answers(&reply);
            let call = stage.client.call_tool("x").arguments(serde_json::json!({ "pin": SECRET }));
            let call = call.header("X-Call", SECRET).meta("com.example/token", SECRET);
            assert!(!format!("{call:?} {:?}", stage.client).contains(SECRET));
            let error = failed(call.send().await);
            // The facts are there for those who ask for them.
            assert_eq!(error.header("X-Debug"), Some(SECRET));
            assert_eq!(error.challenges()[0].param("nonce"), Some(SECRET));
            let text = printed(&error);
            assert!(!text.contains(SECRET), "{status}: {text}");
        }
    }
}

#[tokio::test]
async fn the_query_of_the_url_is_never_printed() {
    let server =
        FaultServer::start([Reply::status(500), Reply::steps([mcp_tests::Step::Close])]).await.unwrap();
    let client = crate::support::once(&format!("{}?key={SECRET}", server.url())).build().unwrap();
    assert!(!format!("{client:?} {}", client.identity()).contains(SECRET));
    for _ in 0..2 {
        let error = failed(client.call_tool("x").send().await);
        let text = printed(&error);
        assert!(!text.contains(SECRET), "{text}");
    }
    assert_eq!(server.requests()[0].request_line(), format!("POST /mcp?key={SECRET} HTTP/1.1"));
}

#[tokio::test]
async fn the_body_of_an_error_is_kept_up_to_its_limit_and_shown_up_to_less() {
    let limit = 1000;
    for (length, kept, cut) in [
        (limit - 1, limit - 1, false),
        (limit, limit, false),
        (limit + 1, limit, true),
        (limit * 50, limit, true),
    ] {
        let stage = Stage::with(|builder| builder.max_error_body_bytes(limit)).await;
        let outcome = stage
            .ends(&Canned::new(502, "text/plain", vec![b'x'; length]), http_error(Delivery::Unknown))
            .await;
        let noted: &[&str] = if cut { &["cut-error-body"] } else { &[] };
        assert_eq!(notes(&outcome), noted, "{length}");
        let CallError::Http(error) = failed(outcome) else { panic!("an HTTP error") };
        assert_eq!(error.body().len(), kept, "{length}");
        assert_eq!(error.excerpt().len(), kept, "{length}");
    }
    let stage = Stage::new().await;
    let big = vec![b'x'; DEFAULT_MAX_ERROR_BODY_BYTES + 1];
    let outcome = stage.ends(&Canned::new(502, "text/plain", big), http_error(Delivery::Unknown)).await;
    assert_eq!(notes(&outcome), ["cut-error-body"]);
    let CallError::Http(error) = failed(outcome) else { panic!("an HTTP error") };
    assert_eq!(error.body().len(), DEFAULT_MAX_ERROR_BODY_BYTES);
    assert_eq!(error.excerpt(), "x".repeat(MAX_EXCERPT_BYTES));
}

/// An excerpt is text for people: what is no UTF-8 is marked, a character is never cut in two.
#[tokio::test]
async fn an_excerpt_of_any_bytes_is_text() {
    let stage = Stage::new().await;
    for (body, excerpt) in [
        (b"caf\xE9".to_vec(), "caf\u{FFFD}".to_owned()),
        (b"\xFF\xFE\x00".to_vec(), "\u{FFFD}\u{FFFD}\0".to_owned()),
        (
            format!("x{}", "é".repeat(2000)).into_bytes(),
            format!("x{}", "é".repeat((MAX_EXCERPT_BYTES - 1) / 2)),
        ),
    ] {
        let outcome = stage.ends(&Canned::new(500, "text/plain", body), http_error(Delivery::Unknown)).await;
        let CallError::Http(error) = failed(outcome) else { panic!("an HTTP error") };
        assert_eq!(error.excerpt(), excerpt);
    }
}

/// The head has decided: a body that breaks off changes nothing.
#[tokio::test]
async fn an_error_whose_body_breaks_off_keeps_what_came() {
    let server = FaultServer::start([Reply::json(429, r#"{"jsonrpc":"2.0","#)
        .header("Retry-After", "3")
        .content_length(500)])
    .await
    .unwrap();
    let outcome = crate::support::client(&server.url()).call_tool("x").send().await;
    assert_ending(&outcome, http_error(Delivery::Refused), &[429], &"cut");
    assert_eq!(notes(&outcome), ["cut-error-body"]);
    let error = failed(outcome);
    assert_eq!(error.retry_after(), Some(std::time::Duration::from_secs(3)));
    let CallError::Http(http) = &error else { panic!("an HTTP error") };
    assert_eq!(http.excerpt(), r#"{"jsonrpc":"2.0","#);
}
