//! How a call goes on: a new POST, a new id, the same call, the answers of this round only, the state byte for byte.

use mcp_client::{
    CallError, Delivery, ElicitAnswer, OutcomeKind, ToolOutcome,
    error::InvalidKind,
    types::{ListRootsResult, RawJson, RequestState},
};
use serde_json::{Value, json};

use super::{FORM, ROOTS, URL, asks, continuation, stage};
use crate::stage::{Canned, INPUT_REQUIRED, INVALID_CALL, OK, SUCCESS, assert_ending, assert_tool_call};
use crate::support::record;

fn accept(content: &Value) -> ElicitAnswer {
    ElicitAnswer::accept(content).unwrap()
}

#[tokio::test]
async fn c_46_a_resumption_is_the_same_call_with_a_new_id_and_the_answers() {
    let stage = stage().await;
    stage.answers(&asks(&[("k", FORM)], Some("\"s\"")));
    let arguments = r#"{"n":12345678901234567890123,"d":0.10,"z":null,"a":"é"}"#;
    let outcome = stage
        .client
        .call_tool("x")
        .arguments(RawJson::from_text(arguments.to_owned()).unwrap())
        .meta("com.example/trace", json!({ "t": 1 }))
        .header("X-Tenant", "blue")
        .scenario("label")
        .send()
        .await;
    assert_ending(&outcome, INPUT_REQUIRED, &[200], &"first");
    let Ok(ToolOutcome::InputRequired(mut asked)) = outcome else { panic!("a request for input") };
    asked.answer("k", accept(&json!({ "reason": "because" }))).unwrap();
    let outcome = asked.resume().await;
    assert_ending(&outcome, SUCCESS, &[200], &"second");
    assert_eq!(record(&outcome).scenario.as_deref(), Some("label"));

    let [first, second] = [0, 1].map(|number| stage.post(number));
    assert_tool_call(&first, "x", &1.into());
    assert_tool_call(&second, "x", &2.into());
    assert_eq!(stage.count(), 2);
    for post in [&first, &second] {
        assert_eq!(post.headers.get("x-tenant").unwrap(), "blue");
        let text = std::str::from_utf8(&post.body).unwrap();
        assert!(text.contains(&format!(r#""arguments":{arguments}"#)), "the text as it was: {text}");
    }
    let [mut first, mut second] =
        [first, second].map(|post| serde_json::from_slice::<Value>(&post.body).unwrap());
    let params = second["params"].as_object_mut().unwrap();
    assert_eq!(
        params.remove("inputResponses"),
        Some(json!({ "k": { "action": "accept", "content": { "reason": "because" } } }))
    );
    assert_eq!(params.remove("requestState"), Some(json!("s")));
    first["id"] = Value::Null;
    second["id"] = Value::Null;
    assert_eq!(first, second, "all else is the same");
}

#[tokio::test]
async fn the_state_goes_back_byte_for_byte_or_not_at_all() {
    let stage = stage().await;
    for (sent, state) in [
        (Some(r#""""#), Some("")),
        (Some(r#""plain""#), Some("plain")),
        (Some(r#"" ey\u0000=\n\ud83d\ude00\/ ""#), Some(" ey\0=\n😀/ ")),
        (Some(r#""{\"json\": 1}""#), Some(r#"{"json": 1}"#)),
        (Some(r#""\u2028\u202e""#), Some("\u{2028}\u{202e}")),
        (Some("null"), None),
        (None, None),
    ] {
        let number = stage.count() + 1;
        let mut asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], sent)).await;
        assert_eq!(asked.request_state().map(RequestState::as_str), state);
        asked.answer("k", ElicitAnswer::decline()).unwrap();
        asked.resume().await.unwrap().into_success().unwrap();
        let params = &stage.bodies()[number]["params"];
        assert_eq!(params.get("requestState"), state.map(Value::from).as_ref(), "{sent:?}");
    }
    let long = "x".repeat(1 << 20);
    let asked = continuation(&stage, &stage.client, &asks(&[], Some(&format!("\"{long}\"")))).await;
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(stage.bodies().last().unwrap()["params"]["requestState"], long);
}

/// A round without requests wants the call again, with its state and nothing else.
#[tokio::test]
async fn a_round_of_state_only_needs_no_answer() {
    let stage = stage().await;
    let asked = continuation(&stage, &stage.client, &asks(&[], Some("\"later\""))).await;
    assert!(asked.requests().is_empty());
    assert_eq!(asked.unanswered().count(), 0);
    asked.resume().await.unwrap().into_success().unwrap();
    let bodies = stage.bodies();
    assert_eq!(bodies[1]["params"].get("inputResponses"), None);
    assert_eq!(bodies[1]["params"]["requestState"], "later");
    assert_eq!(bodies[1]["params"]["arguments"], json!({ "pin": "4711" }));
}

#[tokio::test]
async fn each_round_sends_its_own_answers_and_state_only() {
    let stage = stage().await;
    let mut asked =
        continuation(&stage, &stage.client, &asks(&[("a", FORM), ("b", ROOTS)], Some("\"s1\""))).await;
    asked.answer("b", ListRootsResult::new([])).unwrap();
    asked.answer("a", accept(&json!({ "reason": "1" }))).unwrap();

    // The same key again, without a state.
    stage.answers(&asks(&[("a", FORM)], None));
    let Ok(ToolOutcome::InputRequired(mut asked)) = asked.resume().await else { panic!("a second round") };
    assert_eq!(asked.rounds(), 2);
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["a"], "an answer serves one round");
    assert!(asked.request_state().is_none());
    asked.answer("a", ElicitAnswer::cancel()).unwrap();

    // A state without requests, then requests again.
    stage.answers(&asks(&[], Some("\"s3\"")));
    let Ok(ToolOutcome::InputRequired(asked)) = asked.resume().await else { panic!("a third round") };
    stage.answers(&asks(&[("c", URL)], None));
    let Ok(ToolOutcome::InputRequired(mut asked)) = asked.resume().await else { panic!("a fourth round") };
    assert_eq!(asked.rounds(), 4);
    assert_eq!(asked.record().request_id, Some(4.into()));
    asked.answer("c", ElicitAnswer::accept_empty()).unwrap();
    stage.answers(&Canned::result(OK));
    let outcome = asked.resume().await;
    assert_ending(&outcome, SUCCESS, &[200], &"a record is of one exchange");

    let bodies = stage.bodies();
    let ids: Vec<_> = bodies.iter().map(|body| body["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    let of = |name: &str| bodies.iter().map(|body| body["params"].get(name).cloned()).collect::<Vec<_>>();
    assert_eq!(
        of("inputResponses"),
        [
            None,
            Some(json!({ "b": { "roots": [] }, "a": { "action": "accept", "content": { "reason": "1" } } })),
            Some(json!({ "a": { "action": "cancel" } })),
            None,
            Some(json!({ "c": { "action": "accept" } })),
        ]
    );
    assert_eq!(of("requestState"), [None, Some(json!("s1")), None, Some(json!("s3")), None]);
    assert!(bodies.iter().all(|body| body["params"]["arguments"] == json!({ "pin": "4711" })));
    let metas = of("_meta");
    assert!(metas.iter().all(|meta| *meta == metas[0]), "what is declared stays declared");
}

#[tokio::test]
async fn a_missing_answer_is_named_and_nothing_is_sent() {
    let stage = stage().await;
    let mut asked =
        continuation(&stage, &stage.client, &asks(&[("a", FORM), ("b", ROOTS), ("c\\u0007", URL)], None))
            .await;
    asked.answer("b", ListRootsResult::new([])).unwrap();
    let outcome = asked.resume().await;
    assert_ending(&outcome, INVALID_CALL, &[], &"refused");
    let mut error = outcome.unwrap_err();
    assert_eq!(error.to_string(), "invalid call, not sent: input is still missing for `a`, `c\\u{7}`");
    let CallError::Invalid(refusal) = &error else { panic!("an invalid call") };
    assert_eq!(refusal.kind(), InvalidKind::Answers);
    assert_eq!(error.request_id(), None, "no request was made");
    assert_eq!(stage.count(), 1);

    let mut asked = error.take_continuation().expect("the answers are not lost");
    assert!(error.take_continuation().is_none(), "there is one continuation");
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["a", "c\u{7}"]);
    asked.answer("a", ElicitAnswer::decline()).unwrap().answer("c\u{7}", ElicitAnswer::decline()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    let responses = &stage.bodies()[1]["params"]["inputResponses"];
    assert_eq!(responses.as_object().unwrap().len(), 3);
    assert_eq!(responses["b"], json!({ "roots": [] }));
}

#[tokio::test]
async fn a_resumption_can_end_in_a_tool_error_too() {
    let stage = stage().await;
    let asked = continuation(&stage, &stage.client, &asks(&[], Some("\"s\""))).await;
    stage.answers(&Canned::result(r#"{"content":[{"type":"text","text":"declined"}],"isError":true}"#));
    let outcome = asked.resume().await;
    let ToolOutcome::ToolError(output) = outcome.unwrap() else { panic!("a tool error") };
    assert_eq!(output.text(), "declined");
    let record = output.record();
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::ToolError, Delivery::Answered));
    assert_eq!(record.post_count(), 1);
}
