//! Calls that wait for their answers in a store, and go on in another process.

use std::time::Duration;

use mcp_client::{
    Client, ContinuationStore, MemoryStore, RestoreError, StoreFilter, StoredCall, SuspendedCall,
    types::method::{CallTool, GetPrompt, ReadResource},
};
use mcp_tests::Kitchen;

use super::*;

const RUN: &str = "run_configured_test_scenario";

/// Answers nothing now.
struct Away;

#[async_trait]
impl InputHandler for Away {
    fn kinds(&self) -> InputKinds {
        InputKinds::FORM
    }

    async fn form(&self, _: ElicitForm, _: &InputContext) -> Result<ElicitAnswer, InputError> {
        Err(InputError::Later)
    }
}

/// Approves, and says why.
struct Approves;

#[async_trait]
impl InputHandler for Approves {
    fn kinds(&self) -> InputKinds {
        InputKinds::FORM
    }

    async fn form(&self, form: ElicitForm, _: &InputContext) -> Result<ElicitAnswer, InputError> {
        Ok(form.fill_text([("reason", "audit <ok>")])?)
    }
}

/// The Kitchen's approval: asked by one process, stored, answered by another.
#[tokio::test]
async fn an_approval_is_stored_and_answered_another_day() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch("elicitation.approval", Value::Null).unwrap();
    let client = crate::support::client(&kitchen.url());
    let call = client.call_tool(RUN).arguments(json!({ "message": "hello" }));
    let (asked, stop) = stopped(call.drive(&Away).await);
    assert!(matches!(stop, DriveStop::Later { .. }));
    let store = MemoryStore::new();
    store.put(StoredCall::new(&asked.suspend(), Some(Duration::from_secs(3600)))).await.unwrap();
    drop((asked, client));

    let client = crate::support::client(&kitchen.url());
    let waiting = store.list(&StoreFilter::new().server(client.identity()).target(RUN)).await.unwrap();
    let stored = store.claim(waiting[0].id()).await.unwrap().unwrap();
    assert!(store.claim(stored.id()).await.unwrap().is_none(), "one taker only");
    let asked = client.restore(stored.suspended::<CallTool>().unwrap()).unwrap();
    let output = asked.drive(&Approves).await.unwrap().into_success().unwrap();
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!((&said["approvalReason"], &said["invocation"]), (&json!("audit <ok>"), &json!(2)));
    assert!(store.remove(stored.id()).await.unwrap());

    let posts = kitchen.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!(posts[0].at("/params/inputResponses"), None);
    let answer = json!({ "elicitation": { "action": "accept", "content": { "reason": "audit <ok>" } } });
    assert_eq!(posts[1].at("/params/inputResponses"), Some(&answer));
    assert_eq!(posts[1].at("/params/requestState"), Some(&json!("awaiting-elicitation")));
    assert_eq!(posts[0].at("/params/arguments"), posts[1].at("/params/arguments"));
    let ids: Vec<_> = posts.iter().map(|post| post.id.clone().unwrap()).collect();
    assert_eq!(ids, [1, 2], "another process takes another id");
}

fn text(method: &str) -> Value {
    json!({
        "version": 1, "server": "memory:", "method": method, "target": "t", "declared": ["elicitation.form"],
        "inputRequests": { "k": serde_json::from_str::<Value>(FORM).unwrap() }, "rounds": 1,
        "answers": { "k": { "action": "decline" } },
    })
}

#[test]
fn what_is_wrong_with_a_stored_call_is_said_by_name() {
    let read = |value: &Value| SuspendedCall::<CallTool>::from_json(value.to_string().as_bytes());
    read(&text("tools/call")).unwrap();
    assert_eq!(
        read(&text("prompts/get")).unwrap_err(),
        RestoreError::Method { found: "prompts/get".to_owned() }
    );
    SuspendedCall::<GetPrompt>::from_json(text("prompts/get").to_string().as_bytes()).unwrap();
    assert!(SuspendedCall::<ReadResource>::from_json(text("prompts/get").to_string().as_bytes()).is_err());
    for (pointer, value, expected) in [
        ("version", json!(0), RestoreError::Version { found: 0 }),
        ("version", json!(2), RestoreError::Version { found: 2 }),
        ("version", json!("1"), RestoreError::Malformed("version")),
        ("version", json!(-1), RestoreError::Malformed("version")),
        ("server", json!(null), RestoreError::Malformed("server")),
        ("method", json!(7), RestoreError::Malformed("method")),
        ("target", json!(7), RestoreError::Malformed("target")),
        ("declared", json!("all"), RestoreError::Malformed("declared")),
        ("inputRequests", json!([]), RestoreError::Malformed("inputRequests")),
        ("requestState", json!(7), RestoreError::Malformed("requestState")),
        ("answers", json!([]), RestoreError::Malformed("answers")),
        ("meta", json!(7), RestoreError::Malformed("meta")),
        ("rounds", json!(0), RestoreError::Malformed("rounds")),
        ("nextId", json!(0), RestoreError::Malformed("nextId")),
        ("nextId", json!(i64::MAX), RestoreError::Malformed("nextId")),
        ("mayHaveRun", json!("no"), RestoreError::Malformed("mayHaveRun")),
        ("repeat", json!("always"), RestoreError::Malformed("repeat")),
    ] {
        let mut changed = text("tools/call");
        changed[pointer] = value.clone();
        assert_eq!(read(&changed).unwrap_err(), expected, "{pointer} {value}");
    }
    for odd in ["", "null", "[]", "7", "{", "\u{feff}{}", "\"{}\""] {
        let error = SuspendedCall::<CallTool>::from_json(odd.as_bytes()).unwrap_err();
        assert_eq!(error, RestoreError::Malformed("json"), "{odd}");
    }
    assert_eq!(SuspendedCall::<CallTool>::from_json(b"{}").unwrap_err(), RestoreError::Malformed("version"));
    assert_eq!(SuspendedCall::<CallTool>::from_json(b"\xff").unwrap_err(), RestoreError::Malformed("json"));
    let error = RestoreError::Method { found: "a\nb".to_owned() };
    assert_eq!(error.to_string(), "the suspended call is of another method: `a\\nb`");
    assert_eq!(
        RestoreError::Version { found: 2 }.to_string(),
        "the suspended call is of version 2, which is not known"
    );
}

/// What was stored with answers is judged as if they had been given now.
#[tokio::test]
async fn a_call_of_another_server_or_with_answers_that_do_not_fit_is_not_restored() {
    let desk = Desk::script([done()]).await;
    let client: Client = desk.client();
    let restore = |value: &Value| {
        let stored = SuspendedCall::<CallTool>::from_json(value.to_string().as_bytes()).unwrap();
        client.restore(stored).map(|_| ()).unwrap_err()
    };
    let own = |mut value: Value| {
        value["server"] = json!(client.identity());
        value
    };
    let elsewhere = RestoreError::Server { expected: "memory:".into(), found: client.identity().to_owned() };
    assert_eq!(restore(&text("tools/call")), elsewhere);
    for (pointer, value, part) in [
        ("/declared", json!(["everything"]), "declared"),
        ("/declared", json!([]), "answers"),
        ("/arguments", json!([1]), "arguments"),
        ("/answers", json!({ "other": { "action": "decline" } }), "answers"),
        ("/answers", json!({ "k": { "action": "accept", "content": {} } }), "answers"),
        ("/answers", json!({ "k": { "action": "decline", "content": {} } }), "answers"),
        ("/inputRequests", json!({}), "inputRequests"),
    ] {
        let mut changed = own(text("tools/call"));
        changed[&pointer[1..]] = value.clone();
        assert_eq!(restore(&changed), RestoreError::Malformed(part), "{pointer} {value}");
    }
    assert_eq!(desk.count(), 0);
}
