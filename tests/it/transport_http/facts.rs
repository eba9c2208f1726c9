//! Typed facts: what a caller can do something with.

use std::time::Duration;

use mcp_client::{CallError, Delivery};
use serde_json::{Value, json};

use crate::stage::{Canned, Ending, JSONRPC_ERROR, Stage, failed, http_error};

fn error_body(code: i64, data: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{{"code":{code},"message":"m","data":{data}}}}}"#)
}

fn versions(error: &CallError) -> Option<Vec<String>> {
    error.supported_versions().map(|list| list.iter().map(|version| version.as_str().to_owned()).collect())
}

fn capabilities(error: &CallError) -> Option<Value> {
    error.required_capabilities().map(|capabilities| serde_json::to_value(capabilities).unwrap())
}

/// Code, data, and what can be read of it: supported versions, required capabilities.
type Row<'a> = (i64, Value, Option<Vec<&'a str>>, Option<Value>);

/// The typed errors of the protocol, as a 400 and as a 200: the variant differs, the facts do not.
#[tokio::test]
async fn the_codes_of_the_protocol_give_typed_facts_at_any_status() {
    let unsupported = json!({ "supported": ["2025-11-25", "2030-01-01"], "requested": "2026-07-28" });
    let missing = json!({ "requiredCapabilities": { "elicitation": { "url": {} }, "sampling": {} } });
    let rows: &[Row<'_>] = &[
        // -32020 is mended where it can be: see `repair`.
        (-32021, missing.clone(), None, Some(missing["requiredCapabilities"].clone())),
        (-32022, unsupported.clone(), Some(vec!["2025-11-25", "2030-01-01"]), None),
        // The data makes sense with its own code only.
        (-32021, unsupported.clone(), None, None),
        (-32022, missing.clone(), None, None),
        (-32000, unsupported.clone(), None, None),
        (-32000, missing.clone(), None, None),
        (-32022, json!(["2025-11-25"]), None, None),
        (-32022, json!({ "supported": "2025-11-25", "requested": "x" }), None, None),
        (-32022, Value::Null, None, None),
        (-32021, json!({ "requiredCapabilities": [] }), None, None),
        (-32021, json!("elicitation"), None, None),
        (-32601, json!({}), None, None),
    ];
    let stage = Stage::new().await;
    for (code, data, supported, required) in rows {
        for (status, want) in
            [(400, http_error(Delivery::Refused)), (404, http_error(Delivery::Refused)), (200, JSONRPC_ERROR)]
        {
            let reply = Canned::new(status, "application/json", error_body(*code, data));
            let error = failed(stage.ends(&reply, want).await);
            assert_eq!(error.rpc_code(), Some(*code), "{reply:?}");
            assert_eq!(error.rpc_message(), Some("m"), "{reply:?}");
            let found = versions(&error);
            assert_eq!(found.as_deref(), supported.as_deref().map(own).as_deref(), "{reply:?}");
            assert_eq!(capabilities(&error), *required, "{reply:?}");
            let kept = error.rpc_data().map(|data| data.to_value().unwrap());
            assert_eq!(kept.as_ref(), Some(data), "{reply:?}");
        }
    }
}

fn own(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test]
async fn an_unknown_method_is_a_404_with_its_code() {
    let stage = Stage::new().await;
    let body = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"Method not found"}}"#;
    let reply = Canned::new(404, "application/json", body);
    let error = failed(stage.ends(&reply, http_error(Delivery::Refused)).await);
    assert_eq!((error.http_status(), error.rpc_code()), (Some(404), Some(-32601)));
    assert_eq!(error.rpc_message(), Some("Method not found"));
}

#[tokio::test]
async fn c_34_a_429_tells_delay_code_and_data() {
    let stage = Stage::new().await;
    let body =
        r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Quota exceeded","data":{"left":0}},"id":null}"#;
    let reply = Canned::new(429, "application/json", body).header("Retry-After", "17");
    let error = failed(stage.ends(&reply, http_error(Delivery::Refused)).await);
    assert!(error.is_rate_limited());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(17)));
    assert_eq!(error.header("retry-after"), Some("17"));
    assert_eq!((error.rpc_code(), error.rpc_message()), (Some(-32000), Some("Quota exceeded")));
    assert_eq!(error.rpc_data().unwrap().get(), r#"{"left":0}"#);
    let model = error.for_model();
    assert_eq!(model, "The tool call failed: the server answered with HTTP status 429.");
}

#[tokio::test]
async fn challenges_are_read_from_all_headers() {
    let stage = Stage::new().await;
    for status in [401, 403, 407, 500] {
        let reply = Canned::new(status, "", "")
            .header(
                "WWW-Authenticate",
                r#"Bearer resource_metadata="https://a.example/.well-known/x", scope="a b", Basic realm="q\"x""#,
            )
            .header("WWW-Authenticate", "Negotiate");
        let delivery = if status == 500 { Delivery::Unknown } else { Delivery::Refused };
        let error = failed(stage.ends(&reply, http_error(delivery)).await);
        let schemes: Vec<_> = error.challenges().iter().map(|challenge| challenge.scheme.as_str()).collect();
        assert_eq!(schemes, ["Bearer", "Basic", "Negotiate"], "{status}");
        let bearer = &error.challenges()[0];
        assert_eq!(bearer.param("RESOURCE_metadata"), Some("https://a.example/.well-known/x"));
        assert_eq!(bearer.param("scope"), Some("a b"));
        assert_eq!(bearer.param("realm"), None, "it belongs to the next challenge");
        assert_eq!(error.challenges()[1].param("realm"), Some("q\"x"));
    }
    let error = failed(stage.ends(&Canned::new(401, "", ""), http_error(Delivery::Refused)).await);
    assert_eq!(error.challenges(), [], "a 401 without a challenge has none");
    let broken = Canned::new(401, "", "")
        .header("WWW-Authenticate", "===")
        .header("WWW-Authenticate", "Basic realm=x");
    let error = failed(stage.ends(&broken, http_error(Delivery::Refused)).await);
    assert_eq!(error.challenges().len(), 1, "a broken header hides no other");
}

#[tokio::test]
async fn headers_are_found_without_regard_to_case_and_all_of_them() {
    let stage = Stage::new().await;
    let reply = Canned::new(503, "", "").header("X-Request-Id", "first").header("X-Request-Id", "second");
    let error = failed(stage.ends(&reply, http_error(Delivery::Unknown)).await);
    assert_eq!(error.header("x-request-ID"), Some("first"));
    assert_eq!(error.header("x-absent"), None);
    let CallError::Http(http) = &error else { panic!("an HTTP error") };
    let all: Vec<_> = http.headers().get_all("x-request-id").iter().collect();
    assert_eq!(all, ["first", "second"]);
}

/// Headers are facts of HTTP errors only: a success or a protocol error has decided otherwise.
#[tokio::test]
async fn headers_of_other_answers_are_no_facts() {
    let stage = Stage::new().await;
    let rows: [(&str, Ending); 2] = [
        (r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":1,"message":"m"}}"#, JSONRPC_ERROR),
        ("{unclosed", crate::stage::MALFORMED_JSON),
    ];
    for (body, want) in rows {
        let reply = Canned::json(body).header("Retry-After", "5").header("WWW-Authenticate", "Bearer");
        let error = failed(stage.ends(&reply, want).await);
        assert_eq!((error.retry_after(), error.header("retry-after")), (None, None), "{body}");
        assert_eq!(error.challenges(), [], "{body}");
        assert!(!error.is_rate_limited());
    }
}
