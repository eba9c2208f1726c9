//! The status decides; the body adds facts. Delivery and kind are those of the retry table.

use mcp_client::{
    CallError, Delivery,
    error::HttpError,
    retry::{Classify, FailureKind},
    types::RawJson,
};
use mcp_tests::{FaultServer, Reply};

use crate::stage::{Canned, Stage, assert_ending, failed, http_error, notes};
use crate::support::client;

/// The rows of the retry table about statuses, without an error in the body: what of the request, and which kind.
const TABLE: &[(&[u16], Delivery, FailureKind)] = &[
    (&[429], Delivery::Refused, FailureKind::RateLimited),
    (&[408, 421, 425], Delivery::Refused, FailureKind::Unavailable),
    (&[401, 403], Delivery::Refused, FailureKind::Repair),
    (&[300, 301, 302, 303, 304, 305, 306, 307, 308, 399], Delivery::Refused, FailureKind::Invalid),
    (
        &[
            400, 402, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 422, 423, 424,
            426, 428, 431, 451, 499,
        ],
        Delivery::Refused,
        FailureKind::Invalid,
    ),
    (&[502, 503, 504], Delivery::Unknown, FailureKind::Unavailable),
    (&[500, 501, 505, 506, 507, 508, 510, 511, 520, 529, 599], Delivery::Unknown, FailureKind::ServerFault),
    // No class of HTTP's: nothing is known.
    (&[600, 999], Delivery::Unknown, FailureKind::ServerFault),
];

/// Bodies in which no JSON-RPC error can be read, however much they look like an answer.
const NO_ERROR_IN_IT: &[(&str, &str)] = &[
    ("", ""),
    ("application/json", ""),
    ("application/json", " \r\n\t"),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[]}}"#),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[],"isError":true}}"#),
    (
        "application/json",
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s"}}"#,
    ),
    (
        "text/event-stream",
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"content\":[]}}\n\n",
    ),
    ("application/json", "{unclosed"),
    ("application/json", "[]"),
    ("application/json", "null"),
    ("application/json", r#"{"error":"invalid_token"}"#),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"error":"no object"}"#),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":"-32000","message":"text"}}"#),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":1.5,"message":"text"}}"#),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32000}}"#),
    ("application/json", r#"{"jsonrpc":"1.0","id":{{id}},"error":{"code":-32000,"message":"text"}}"#),
    ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":1,"message":"t"},"result":{}}"#),
    ("text/html", "<html><body>Bad Gateway</body></html>"),
    ("text/plain", "upstream connect error or disconnect/reset before headers"),
];

/// A JSON-RPC error, by the id that its body gives: JSON text, and whether it is another than the call's.
const IDS: &[(&str, bool)] = &[
    (r#""id":{{id}},"#, false),
    (r#""id":null,"#, false),
    ("", false),
    (r#""id":99999,"#, true),
    (r#""id":"server-error","#, true),
    (r#""id":"{{id}}","#, true),
    (r#""id":1.5,"#, true),
    (r#""id":true,"#, true),
    (r#""id":[],"#, true),
];

fn http(error: &CallError) -> &HttpError {
    match error {
        CallError::Http(error) => error,
        other => panic!("no HTTP error: {other:?}"),
    }
}

#[tokio::test]
async fn c_01_a_status_outside_2xx_is_an_http_error_whatever_the_body_looks_like() {
    let stage = Stage::new().await;
    for (statuses, delivery, kind) in TABLE {
        for &status in *statuses {
            for (media_type, body) in NO_ERROR_IN_IT {
                // A 304 has no body by definition.
                if status == 304 && !body.is_empty() {
                    continue;
                }
                let reply = Canned::new(status, media_type, *body);
                let outcome = stage.ends(&reply, http_error(*delivery)).await;
                assert_eq!(notes(&outcome), [""; 0], "{reply:?}");
                let error = failed(outcome);
                let id = error.request_id().unwrap().to_string();
                assert_eq!(http(&error).body(), body.replace("{{id}}", &id).as_bytes(), "{reply:?}");
                assert_eq!(http(&error).excerpt(), body.replace("{{id}}", &id), "{reply:?}");
                assert_eq!(error.header("Content-Type").unwrap_or_default(), *media_type, "{reply:?}");
                assert_eq!((error.rpc_code(), error.rpc_message()), (None, None), "{reply:?}");
                assert!(error.rpc_data().is_none(), "{reply:?}");
                assert_eq!(error.is_rate_limited(), status == 429, "{reply:?}");
                assert_eq!(error.retry_after(), None, "{reply:?}");
                assert_eq!(error.to_string(), format!("the server answered with HTTP status {status}"));
                let failure = error.failure().unwrap();
                assert_eq!((failure.kind(), failure.delivery()), (*kind, *delivery), "{reply:?}");
                assert_eq!((failure.status(), failure.code()), (Some(status), None), "{reply:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_error_in_the_body_is_a_fact_whatever_its_id_and_the_status_still_decides() {
    let stage = Stage::new().await;
    for (statuses, delivery, kind) in TABLE {
        for &status in statuses.iter().filter(|status| **status != 304) {
            // The server has answered: a 5xx with an error object is no riddle any more.
            let (delivery, kind) = match status {
                500..=599 => (Delivery::Answered, FailureKind::ServerFault),
                _ => (*delivery, *kind),
            };
            for (id, foreign) in IDS {
                let body = format!(
                    r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32000,"message":"said so","data":{{"n":1e400}}}}}}"#
                );
                let reply = Canned::new(status, "application/json", body);
                let outcome = stage.ends(&reply, http_error(delivery)).await;
                let noted: &[&str] = if *foreign { &["foreign-error-id"] } else { &[] };
                assert_eq!(notes(&outcome), noted, "{reply:?}");
                let error = failed(outcome);
                assert_eq!(
                    (error.rpc_code(), error.rpc_message()),
                    (Some(-32000), Some("said so")),
                    "{reply:?}"
                );
                assert_eq!(error.rpc_data().map(RawJson::get), Some(r#"{"n":1e400}"#), "{reply:?}");
                let record = error.record().unwrap();
                assert_eq!(
                    (record.error_code, record.error_message.as_deref()),
                    (Some(-32000), Some("said so"))
                );
                let failure = error.failure().unwrap();
                assert_eq!((failure.kind(), failure.delivery()), (kind, delivery), "{reply:?}");
                assert_eq!((failure.status(), failure.code()), (Some(status), Some(-32000)), "{reply:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_media_type_of_an_error_answer_does_not_hide_the_error_in_it() {
    let stage = Stage::new().await;
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m"}}"#;
    for media_type in
        ["", "text/plain", "text/html; charset=utf-8", "application/problem+json", "Application/JSON"]
    {
        let reply = Canned::new(400, media_type, body);
        let error = failed(stage.ends(&reply, http_error(Delivery::Refused)).await);
        assert_eq!(error.rpc_code(), Some(-32001), "{media_type}");
    }
}

#[tokio::test]
async fn all_of_200_to_299_are_successes_of_http() {
    let stage = Stage::new().await;
    for status in [200, 201, 202, 203, 206, 207, 208, 226, 299] {
        let body = crate::stage::response(crate::stage::OK);
        let reply = Canned::new(status, "application/json", body);
        let outcome = stage.ends(&reply, crate::stage::SUCCESS).await;
        assert_eq!(notes(&outcome), [""; 0], "{status}");
    }
}

#[tokio::test]
async fn an_upgrade_that_nobody_asked_for_is_an_http_error() {
    let server = FaultServer::start([Reply::raw(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    )])
    .await
    .unwrap();
    let outcome = client(&server.url()).call_tool("x").send().await;
    assert_ending(&outcome, http_error(Delivery::Unknown), &[101], &"101");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn interim_responses_are_no_answer() {
    let ok = crate::stage::response(crate::stage::OK);
    let server = FaultServer::start([Reply::raw(format!(
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{ok}",
        ok.replace("{{id}}", "1").len()
    ))])
    .await
    .unwrap();
    let outcome = client(&server.url()).call_tool("x").send().await;
    assert_ending(&outcome, crate::stage::SUCCESS, &[200], &"103, 102, 200");
    assert_eq!(server.requests().len(), 1);
}
