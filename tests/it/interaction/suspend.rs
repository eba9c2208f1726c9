//! Suspended calls: stored as JSON, restored days later in another process, bound to their server.

use mcp_client::{
    CallError, Client, Delivery, ElicitAnswer, InputKinds, OutcomeKind, RestoreError, SuspendedCall,
    ToolOutcome,
    error::InvalidKind,
    types::{ListRootsResult, RawJson},
};
use serde_json::{Value, json};

use super::{FORM, ROOTS, all, asks, continuation};
use crate::stage::{Canned, OK, Stage, assert_tool_call};

const SECRET: &str = "hunter2";

/// As another process would do it: from the text alone.
fn restore(client: &Client, text: &str) -> Result<mcp_client::Continuation, RestoreError> {
    client.restore(serde_json::from_str::<SuspendedCall>(text).unwrap())
}

/// A suspended call with one answer of two, and what is in it.
async fn suspended(stage: &Stage) -> String {
    stage.answers(&asks(&[("a", FORM), ("b", ROOTS)], Some(r#"" s\u0000 ""#)));
    let call = stage
        .client
        .call_tool("x")
        .scenario("label")
        .meta("com.example/t", json!([1.0]))
        .header("X-Key", SECRET);
    let arguments = RawJson::from_text(r#"{"n":12345678901234567890123,"d":0.10}"#.to_owned()).unwrap();
    let Ok(ToolOutcome::InputRequired(mut asked)) = call.arguments(arguments).send().await else {
        panic!("a request for input")
    };
    asked.answer("a", ElicitAnswer::accept(&json!({ "reason": "typed" })).unwrap()).unwrap();
    serde_json::to_string(&asked.suspend()).unwrap()
}

async fn stage_with_token() -> Stage {
    Stage::with(|builder| builder.accept_input(all()).bearer_token(SECRET)).await
}

#[tokio::test]
async fn the_stored_form_holds_the_call_and_no_credentials() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    assert!(!text.contains(SECRET), "neither headers nor credentials: {text}");
    assert!(
        text.contains(r#""arguments":{"n":12345678901234567890123,"d":0.10}"#),
        "numbers stay exact: {text}"
    );
    let form: Value = serde_json::from_str(FORM).unwrap();
    let expected = json!({
        "version": 1,
        "server": stage.url(),
        "method": "tools/call",
        "target": "x",
        "arguments": serde_json::from_str::<Value>(r#"{"n":12345678901234567890123,"d":0.10}"#).unwrap(),
        "meta": { "com.example/t": [1.0] },
        "scenario": "label",
        "declared": ["elicitation.form", "elicitation.url", "sampling", "roots"],
        "inputRequests": { "a": form, "b": { "method": "roots/list" } },
        "requestState": " s\0 ",
        "answers": { "a": { "action": "accept", "content": { "reason": "typed" } } },
        "rounds": 1,
        "mayHaveRun": false,
        "nextId": 2,
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    let call: SuspendedCall = serde_json::from_str(&text).unwrap();
    assert_eq!((call.server(), call.target()), (stage.url().as_str(), "x"));
    assert_eq!(call.requests().keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(serde_json::to_string(&call.clone()).unwrap(), text, "storing it again changes nothing");
    assert_eq!(stage.count(), 1, "nothing is sent");
}

#[tokio::test]
async fn mrtr_09_a_restored_call_goes_on_as_if_nothing_had_happened() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    // Another client, with credentials of its own. MRTR-09: its ids are none that the call was sent with before.
    let other = crate::support::once(&stage.url()).bearer_token("fresh").build().unwrap();
    let mut asked = restore(&other, &text).unwrap();
    assert_eq!(stage.count(), 1, "restoring sends nothing");
    assert_eq!((asked.target(), asked.rounds()), ("x", 1));
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["b"], "answers are kept");
    assert_eq!(asked.request_state().unwrap().as_str(), " s\0 ");
    assert!(asked.is_declared("b"), "what was declared then is declared now");
    assert_eq!((asked.record().outcome, asked.record().post_count()), (OutcomeKind::InputRequired, 0));
    asked.answer("b", ListRootsResult::new([])).unwrap();
    let output = asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(output.record().scenario.as_deref(), Some("label"));

    let [first, second] = [0, 1].map(|number| stage.post(number));
    assert_eq!(stage.count(), 2);
    assert_tool_call(&second, "x", &2.into());
    assert_eq!(second.headers.get("authorization").unwrap(), "Bearer fresh");
    assert_eq!(second.headers.get("x-key"), None, "headers are not stored");
    let sent = std::str::from_utf8(&second.body).unwrap();
    assert!(sent.contains(r#""arguments":{"n":12345678901234567890123,"d":0.10}"#), "{sent}");
    let [first, mut second] =
        [first, second].map(|post| serde_json::from_slice::<Value>(&post.body).unwrap());
    let params = second["params"].as_object_mut().unwrap();
    let responses = params.remove("inputResponses").unwrap();
    let typed = json!({ "action": "accept", "content": { "reason": "typed" } });
    assert_eq!(responses, json!({ "a": typed, "b": { "roots": [] } }));
    assert_eq!(params.remove("requestState"), Some(json!(" s\0 ")));
    assert_eq!(first["params"], second["params"], "all else is the same");
}

#[tokio::test]
async fn a_call_of_another_server_is_refused() {
    let (stage, other) = (stage_with_token().await, Stage::new().await);
    let text = suspended(&stage).await;
    let with_query = crate::support::once(&format!("{}?tenant=2", stage.url())).build().unwrap();
    for client in [&other.client, &with_query] {
        let error = restore(client, &text).unwrap_err();
        let expected = RestoreError::Server { expected: stage.url(), found: client.identity().to_owned() };
        assert_eq!(error, expected);
        assert_eq!(error.to_string(), "the suspended call belongs to another server");
    }
    assert_eq!((stage.count(), other.count()), (1, 0), "nothing is sent");
}

/// Changes the stored form at a JSON pointer; null removes the member.
fn tampered(text: &str, pointer: &str, value: Value) -> String {
    let mut stored: Value = serde_json::from_str(text).unwrap();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = stored.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    if value.is_null() {
        parent.remove(name).unwrap();
    } else {
        parent.insert(name.to_owned(), value);
    }
    stored.to_string()
}

#[tokio::test]
async fn another_version_or_method_cannot_be_read() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    for (pointer, value) in [
        ("/version", json!(0)),
        ("/version", json!(2)),
        ("/version", json!("1")),
        ("/version", Value::Null),
        ("/method", json!("prompts/get")),
        ("/method", Value::Null),
        ("/server", Value::Null),
        ("/target", json!(7)),
        ("/requestState", json!(7)),
        ("/inputRequests", json!([])),
        ("/answers", json!([])),
        ("/rounds", json!(-1)),
        ("/mayHaveRun", json!("no")),
    ] {
        let text = tampered(&text, pointer, value.clone());
        assert!(serde_json::from_str::<SuspendedCall>(&text).is_err(), "{pointer} {value}");
    }
    for text in ["", "null", "{}", "[]", "7"] {
        assert!(serde_json::from_str::<SuspendedCall>(text).is_err(), "{text}");
    }
}

#[tokio::test]
async fn a_call_that_was_tampered_with_is_refused_and_nothing_is_sent() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    for (pointer, value, part) in [
        ("/arguments", json!([1]), "arguments"),
        ("/arguments", json!("x"), "arguments"),
        ("/declared", json!(["elicitation.form", "everything"]), "declared"),
        ("/answers/c", json!({ "action": "accept" }), "answers"),
        ("/answers/a", json!("accept"), "answers"),
        ("/answers/a", json!([]), "answers"),
        ("/inputRequests/a", Value::Null, "answers"),
    ] {
        let error = restore(&stage.client, &tampered(&text, pointer, value.clone())).unwrap_err();
        assert_eq!(error, RestoreError::Malformed(part), "{pointer} {value}");
        assert_eq!(error.to_string(), format!("the suspended call is malformed: `{part}`"));
    }
    assert_eq!(stage.count(), 1);
}

/// `_meta` keys of the protocol are refused when a caller adds them; a stored call is no way around that.
#[tokio::test]
async fn a_stored_call_cannot_speak_for_the_protocol() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    for key in [
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientCapabilities",
        "io.modelcontextprotocol/clientInfo",
        "progressToken",
    ] {
        let mut stored: Value = serde_json::from_str(&text).unwrap();
        stored["meta"][key] = json!("forged");
        let error = restore(&stage.client, &stored.to_string()).map(|_| ()).unwrap_err();
        assert_eq!(error, RestoreError::Malformed("meta"), "{key}");
    }
}

/// A round with neither requests nor state is none: resuming it would make the call anew.
#[tokio::test]
async fn a_stored_call_without_anything_to_go_on_with_is_refused() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    let text = tampered(&text, "/answers", json!({}));
    let text = tampered(&text, "/inputRequests", json!({}));
    let text = tampered(&text, "/requestState", Value::Null);
    let result = restore(&stage.client, &text).map(|_| ());
    assert!(matches!(result, Err(RestoreError::Malformed(_))), "{result:?}");
}

/// An answer must have been to a request of a declared kind, as if it had been given just now.
#[tokio::test]
async fn a_stored_answer_to_an_undeclared_request_is_refused() {
    let stage = stage_with_token().await;
    let text = suspended(&stage).await;
    let text = tampered(&text, "/declared", json!(["roots"]));
    let error = restore(&stage.client, &text).map(|_| ()).unwrap_err();
    assert_eq!(error, RestoreError::Malformed("answers"));
}

#[tokio::test]
async fn what_may_have_run_stays_so_over_a_suspension() {
    let stage = stage_with_token().await;
    let mut asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], None)).await;
    asked.answer("k", ElicitAnswer::decline()).unwrap();
    stage.answers(&Canned::new(503, "", ""));
    let mut error = asked.resume().await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::Unknown);
    // Consent is not stored either: it was for this process's attempt.
    let asked = error.take_continuation().unwrap().accepting_duplicates("harmless");
    let text = serde_json::to_string(&asked.suspend()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["mayHaveRun"], true);

    let error = restore(&stage.client, &text).unwrap().resume().await.unwrap_err();
    assert!(
        matches!(&error, CallError::Invalid(refusal) if refusal.kind() == InvalidKind::MayHaveRun),
        "{error:?}"
    );
    assert_eq!(stage.count(), 2);
    stage.answers(&Canned::result(OK));
    let asked = restore(&stage.client, &text).unwrap().accepting_duplicates("harmless");
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(stage.count(), 3);
}

#[tokio::test]
async fn a_restored_call_declares_what_it_declared_then() {
    let stage = Stage::with(|builder| builder.accept_input(InputKinds::FORM)).await;
    let asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], Some("\"s\""))).await;
    let text = serde_json::to_string(&asked.suspend()).unwrap();
    let other = crate::support::once(&stage.url()).accept_input(all()).build().unwrap();
    let mut asked = restore(&other, &text).unwrap();
    asked.answer("k", ElicitAnswer::decline()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    let declared = &stage.bodies()[1]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*declared, json!({ "elicitation": { "form": {} } }));
}

/// A later round of a restored call can be suspended again, and the first continuation still works.
#[tokio::test]
async fn rounds_are_counted_over_suspensions() {
    let stage = stage_with_token().await;
    let asked = continuation(&stage, &stage.client, &asks(&[], Some("\"1\""))).await;
    let text = serde_json::to_string(&asked.suspend()).unwrap();
    stage.answers(&asks(&[], Some("\"2\"")));
    let Ok(ToolOutcome::InputRequired(asked)) = restore(&stage.client, &text).unwrap().resume().await else {
        panic!("a second round")
    };
    assert_eq!(asked.rounds(), 2);
    let stored: Value = serde_json::to_value(asked.suspend()).unwrap();
    assert_eq!((&stored["rounds"], &stored["requestState"]), (&json!(2), &json!("2")));
    assert_eq!(stored.get("answers"), None);
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(stage.count(), 3);
}
