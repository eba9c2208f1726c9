//! What of a call comes into its record, and how much of it.

use mcp_client::{
    error::InvalidKind,
    record::MAX_ERROR_MESSAGE_CHARS,
    types::{Implementation, RawJson},
};
use serde_json::{Value, json};

use super::Diary;
use crate::stage::{Canned, Stage};
use crate::support::record;

#[tokio::test]
async fn an_error_message_is_cut_at_256_characters() {
    assert_eq!(MAX_ERROR_MESSAGE_CHARS, 256);
    let stage = Stage::new().await;
    for (message, kept) in [
        ("x".repeat(255), "x".repeat(255)),
        ("x".repeat(256), "x".repeat(256)),
        ("x".repeat(257), "x".repeat(256)),
        ("é".repeat(300), "é".repeat(256)),
        ("👋\n".repeat(200), "👋\n".repeat(128)),
        ("\u{1}".repeat(10_000), "\u{1}".repeat(256)),
    ] {
        let error = json!({ "code": 1, "message": message });
        for status in [200, 400] {
            let body = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
            let outcome = stage.call(&Canned::new(status, "application/json", body)).await;
            assert_eq!(record(&outcome).error_message.as_deref(), Some(kept.as_str()));
            let line = record(&outcome).to_json();
            assert!(!line.contains('\n'), "one line");
            assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["errorMessage"], kept);
        }
    }
}

#[tokio::test]
async fn c_29_error_data_is_in_the_record_only_as_the_hook_gives_it_back() {
    let body = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"m","data":{{"field":"a","token":"hunter2"}}}}}}"#
        )
    };
    let replies = [
        Canned::json(body("{{id}}")),
        Canned::sse(&[&body("{{id}}")]),
        Canned::new(400, "application/json", body("null")),
    ];
    let redact = |data: &RawJson| Some(json!({ "field": data.to_value().ok()?["field"] }));
    let plain = Stage::new().await;
    let nothing = Stage::with(|builder| builder.redact_error_data(|_| None)).await;
    let some = Stage::with(|builder| builder.redact_error_data(redact)).await;
    for reply in &replies {
        for stage in [&plain, &nothing] {
            let outcome = stage.call(reply).await;
            assert_eq!(record(&outcome).error_data, None, "{reply:?}");
            let line: Value = serde_json::from_str(&record(&outcome).to_json()).unwrap();
            assert_eq!(line.get("errorData"), None, "{reply:?}");
        }
        let outcome = some.call(reply).await;
        assert_eq!(record(&outcome).error_data, Some(json!({ "field": "a" })), "{reply:?}");
        let line = record(&outcome).to_json();
        assert!(line.contains(r#""errorMessage":"m","errorData":{"field":"a"},"retryOrigin""#), "{line}");
        assert!(!line.contains("hunter2"), "{line}");
        // The caller still has all of it.
        let error = outcome.unwrap_err();
        assert_eq!(error.rpc_data().unwrap().get(), r#"{"field":"a","token":"hunter2"}"#);
    }
    // Without data the hook has nothing to let through.
    let bare = Canned::json(r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":1,"message":"m"}}"#);
    let all = Stage::with(|builder| builder.redact_error_data(|data| data.to_value().ok())).await;
    assert_eq!(record(&all.call(&bare).await).error_data, None);
    assert_eq!(record(&all.call(&Canned::new(503, "", "")).await).error_data, None);
}

#[tokio::test]
async fn c_30_every_post_is_counted_in_order() {
    let stage = Stage::new().await;
    let outcome = stage.call(&Canned::new(307, "", "").header("Location", "/elsewhere")).await;
    let record = record(&outcome);
    assert_eq!((record.post_count(), record.posts.clone()), (2, vec![Some(307), Some(200)]));
    let line: Value = serde_json::from_str(&record.to_json()).unwrap();
    assert_eq!((&line["postCount"], &line["httpStatuses"]), (&json!(2), &json!([307, 200])));
    assert_eq!(line["jsonrpc"]["id"], 1, "both carried the same request");
    let ids: Vec<_> = stage.bodies().iter().map(|body| body["id"].clone()).collect();
    assert_eq!(ids, [1, 1]);
}

#[tokio::test]
async fn the_client_names_itself() {
    let name = |stage: &Stage| {
        let client = stage.client.clone();
        async move { client.call_tool("x").send().await.unwrap().record().client.to_string() }
    };
    let named = Stage::with(|builder| builder.client_info(Implementation::new("agent", "1.2.0"))).await;
    assert_eq!(name(&named).await, "agent@1.2.0");
    let anonymous = Stage::with(mcp_client::ClientBuilder::without_client_info).await;
    assert_eq!(name(&anonymous).await, "anonymous");
    let default = Stage::new().await;
    assert_eq!(name(&default).await, concat!("mcp-client@", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn names_and_labels_of_the_caller_stand_as_they_are() {
    let stage = Stage::new().await;
    let odd = "tool \"é\"\n\u{0}";
    let outcome = stage.client.call_tool(odd).scenario(odd).send().await;
    let line: Value = serde_json::from_str(&record(&outcome).to_json()).unwrap();
    assert_eq!((&line["tool"], &line["scenario"]), (&json!(odd), &json!(odd)));
    assert!(!record(&outcome).to_json().contains('\n'));
}

/// The observer sees each call of all clones, also resumptions and refusals, in order.
#[tokio::test]
async fn the_observer_sees_every_call() {
    let diary = Diary::default();
    let observer = diary.clone();
    let stage = Stage::with(|builder| builder.observer(observer)).await;
    stage.answers(&Canned::result(r#"{"resultType":"input_required","requestState":"s"}"#));
    let outcome = stage.client.clone().call_tool("x").scenario("a").send().await;
    let Ok(mcp_client::ToolOutcome::InputRequired(asked)) = outcome else { panic!("a request for input") };
    asked.resume().await.unwrap().into_success().unwrap();
    let error = stage.client.call_tool("x").scenario("b").header("Accept", "x").send().await.unwrap_err();
    assert!(
        matches!(&error, mcp_client::CallError::Invalid(refusal) if refusal.kind() == InvalidKind::Header)
    );
    let told: Vec<_> = diary
        .take()
        .iter()
        .map(|record| {
            format!("{} {} {}", record.outcome, record.post_count(), record.scenario.as_deref().unwrap())
        })
        .collect();
    assert_eq!(told, ["INPUT_REQUIRED 1 a", "TOOL_SUCCESS 1 a", "INVALID_CALL 0 b"]);
}

/// A record is a line of a log: a server must not be able to make it long.
#[tokio::test]
async fn the_line_stays_short_whatever_the_server_calls_things() {
    let stage = Stage::new().await;
    let long = "n".repeat(100_000);
    let twice = (0..40)
        .map(|number| format!(r#","{long}{number}":1,"{long}{number}":2"#))
        .collect::<Vec<_>>()
        .concat();
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    for reply in [
        Canned::result(&format!(r#"{{"resultType":"complete","content":[]{twice}}}"#)),
        Canned::result(&format!(r#"{{"resultType":"{long}","content":[]}}"#)),
        Canned::result(&format!(r#"{{"resultType":"complete","content":[{{"type":"{long}"}},{deep}]}}"#)),
        Canned::result(&format!(
            r#"{{"resultType":"input_required","inputRequests":{{"{long}":{{"method":"{long}"}}}}}}"#
        )),
        Canned::json(format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":{{}}}}"#)),
        Canned::json(format!(
            r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":1,"message":"{long}","data":"{long}"}}}}"#
        )),
        Canned::new(503, "text/html", long.as_str()),
        Canned::new(200, &format!("text/{}", &long[..4000]), "x"),
    ] {
        let outcome = stage.call(&reply).await;
        let length = record(&outcome).to_json().len();
        assert!(length < 16 << 10, "{length} bytes: {reply:?}");
    }
}
