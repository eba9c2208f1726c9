//! Completion of arguments.

use std::time::Duration;

use mcp_client::{
    CallError, CancelHandle, Client, Delivery, OutcomeKind, Retry,
    error::InvalidKind,
    transport::MemoryTransport,
    types::{PromptReference, ResourceTemplateReference},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{lists::desk::Desk, stage::Canned};

async fn serve(completion: &Value) -> Desk {
    Desk::script([Canned::result(&json!({ "resultType": "complete", "completion": completion }).to_string())])
        .await
}

#[tokio::test]
async fn cmp_01_cmp_02_what_is_sent() {
    let desk = serve(&json!({ "values": [] })).await;
    let client = desk.client();
    client.complete(PromptReference::new("p"), "a", "").send().await.unwrap();
    let mut reference = PromptReference::new("p");
    reference.title = Some("P".to_owned());
    client.complete(reference, "ü", "x \"y\"").send().await.unwrap();
    let template = ResourceTemplateReference::new("file:///{+path}");
    let request =
        client.complete(template, "path", "sr").resolved("a", "1").resolved("b", "").resolved("a", "2");
    request.send().await.unwrap();

    let [plain, titled, resolved] = desk.asked().try_into().unwrap();
    assert_eq!(plain.method, "completion/complete");
    assert_eq!((plain.header("mcp-method"), plain.header("mcp-name")), (Some("completion/complete"), None));
    let reference = json!({ "type": "ref/prompt", "name": "p" });
    assert_eq!(
        Value::from(plain.params),
        json!({ "ref": reference, "argument": { "name": "a", "value": "" } })
    );
    assert_eq!(titled.params["ref"], json!({ "type": "ref/prompt", "name": "p", "title": "P" }));
    assert_eq!(titled.params["argument"], json!({ "name": "ü", "value": "x \"y\"" }));
    assert_eq!(resolved.params["ref"], json!({ "type": "ref/resource", "uri": "file:///{+path}" }));
    assert_eq!(resolved.params["context"], json!({ "arguments": { "a": "2", "b": "" } }));
}

#[tokio::test]
async fn cmp_03_cmp_06_values_are_given_however_many_and_odd_numbers_left_out() {
    let many: Vec<String> = (0..250).map(|number| format!("v{number}")).collect();
    for (completion, total, more) in [
        (json!({ "values": ["a", "", "a"], "total": 3, "hasMore": false }), Some(3), Some(false)),
        (json!({ "values": [], "total": 0 }), Some(0), None),
        (
            json!({ "values": ["a"], "total": 4_294_967_296_u64, "hasMore": true }),
            Some(4_294_967_296),
            Some(true),
        ),
        (json!({ "values": many }), None, None),
        (json!({ "values": ["a"], "total": "many", "hasMore": 1 }), None, None),
        (json!({ "values": ["a"], "total": -1, "hasMore": null }), None, None),
    ] {
        let desk = serve(&completion).await;
        let found = desk.client().complete(PromptReference::new("p"), "a", "").send().await.unwrap();
        assert_eq!(json!(found.completion.values), completion["values"], "all that came, in order");
        assert_eq!((found.completion.total, found.completion.has_more), (total, more), "{completion}");
        assert_eq!(found.record().outcome, OutcomeKind::ToolSuccess);
    }
}

#[tokio::test]
async fn cmp_06_cmp_07_what_is_no_completion_is_a_typed_error_and_nothing_is_made_up() {
    for completion in [json!(null), json!([]), json!({}), json!({ "values": "a" }), json!({ "values": [7] })]
    {
        let desk = serve(&completion).await;
        let error = desk.client().complete(PromptReference::new("p"), "a", "").send().await.unwrap_err();
        let CallError::Protocol(_) = &error else { panic!("{completion}: {error:?}") };
        assert_eq!((error.outcome(), desk.count()), (OutcomeKind::InvalidToolResult, 1));
    }
    // A server that has none says so with an error, which is an answer like any other.
    let none = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"Method not found"}}"#;
    let desk = Desk::script([Canned::new(404, "application/json", none)]).await;
    let error = desk.client().complete(PromptReference::new("p"), "a", "").send().await.unwrap_err();
    assert_eq!((error.rpc_code(), error.http_status(), desk.count()), (Some(-32601), Some(404), 1));
}

fn answering(rate: Option<u32>) -> Client {
    let transport =
        MemoryTransport::reply(r#"{"jsonrpc":"2.0","id":{{id}},"result":{"completion":{"values":[]}}}"#);
    let builder = Client::with_transport(transport).retry(Retry::never());
    let builder = match rate {
        Some(rate) => builder.completion_rate(rate),
        None => builder,
    };
    builder.build().unwrap()
}

/// Asks so often at once; when each was answered, in milliseconds.
async fn flood(client: &Client, times: usize) -> Vec<u128> {
    let started = Instant::now();
    let calls = (0..times).map(|_| async {
        client.complete(PromptReference::new("p"), "a", "").send().await.unwrap();
        started.elapsed().as_millis()
    });
    futures_util::future::join_all(calls).await
}

#[tokio::test(start_paused = true)]
async fn cmp_07_no_more_than_so_many_a_second_are_sent() {
    let mut expected = vec![0; 20];
    expected.extend([50, 100, 150, 200, 250]);
    assert_eq!(flood(&answering(None), 25).await, expected, "20 a second, where nothing else is said");
    assert_eq!(flood(&answering(Some(2)), 5).await, [0, 0, 500, 1_000, 1_500]);
    assert_eq!(flood(&answering(Some(0)), 1_000).await, vec![0; 1_000], "no limit");

    // Other requests are not held up, and clones of a client share the limit.
    let client = answering(Some(1));
    assert_eq!(flood(&client, 1).await, [0]);
    assert_eq!(flood(&client.clone(), 1).await, [1_000]);
}

#[tokio::test(start_paused = true)]
async fn cmp_07_a_turn_that_comes_too_late_is_not_waited_for() {
    let client = answering(Some(1));
    assert_eq!(flood(&client, 1).await, [0]);
    let started = Instant::now();
    let ask = || client.complete(PromptReference::new("p"), "a", "");
    let error = ask().timeout(Duration::from_millis(900)).send().await.unwrap_err();
    let CallError::Invalid(invalid) = &error else { panic!("{error:?}") };
    assert_eq!((invalid.kind(), error.delivery()), (InvalidKind::TooFast, Delivery::NotSent));
    assert_eq!(error.record().unwrap().post_count(), 0);
    assert_eq!(started.elapsed(), Duration::ZERO, "at once");

    // Who gives up while waiting is told at once.
    let cancel = CancelHandle::new();
    let later = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cancel.cancel("typed on");
    };
    let (ended, ()) = tokio::join!(ask().cancel_with(&cancel).send(), later);
    assert_eq!(ended.unwrap_err().outcome(), OutcomeKind::Cancelled);
    assert_eq!(started.elapsed(), Duration::from_millis(300));
}

#[tokio::test]
async fn cac_01_completions_are_never_kept() {
    let desk = Desk::script([Canned::result(
        r#"{"completion":{"values":[]},"ttlMs":600000,"cacheScope":"public"}"#,
    )])
    .await;
    let client = desk.client();
    for posts in 1..4 {
        client.complete(PromptReference::new("p"), "a", "").send().await.unwrap();
        assert_eq!(desk.count(), posts);
    }
}
