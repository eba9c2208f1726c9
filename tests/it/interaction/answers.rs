//! Which answers are taken.

use mcp_client::{
    AnswerFault, ElicitAnswer,
    types::{CreateMessageResult, InputResponse, ListRootsResult, RawJson},
};
use serde_json::json;

use super::{FORM, ROOTS, SAMPLE, URL, asks, continuation, stage};
use crate::stage::{Canned, OK};

fn raw(text: &str) -> InputResponse {
    RawJson::from_text(text.to_owned()).unwrap().into()
}

fn answers() -> Vec<(&'static str, InputResponse)> {
    vec![
        ("elicit", ElicitAnswer::accept(&json!({ "reason": "x" })).unwrap().into()),
        ("elicit", ElicitAnswer::decline().into()),
        ("elicit", ElicitAnswer::cancel().into()),
        ("sample", CreateMessageResult::text("m", "t").into()),
        ("roots", ListRootsResult::new([]).into()),
        ("any", raw("{}")),
        ("any", raw(r#"{"action":"accept","content":{"reason":"x"}}"#)),
        ("none", raw("null")),
        ("none", raw("[]")),
        ("none", raw("\"accept\"")),
        ("none", raw("7")),
    ]
}

fn has_content(answer: &InputResponse) -> bool {
    let value = serde_json::to_value(answer).unwrap();
    value["action"] == "accept" && value.get("content").is_some()
}

/// Each answer to each request: the kinds must fit, raw JSON must be an object.
#[tokio::test]
async fn an_answer_must_be_of_the_kind_of_its_request() {
    let stage = stage().await;
    for (kind, request) in [("elicit", FORM), ("elicit", URL), ("sample", SAMPLE), ("roots", ROOTS)] {
        for (answer_kind, answer) in answers() {
            let mut asked = continuation(&stage, &stage.client, &asks(&[("k", request)], None)).await;
            let result = asked.answer("k", answer.clone()).map(|_| ());
            if request == URL && has_content(&answer) {
                // The right kind, but only a form has content.
                assert_eq!(result.unwrap_err().fault(), AnswerFault::Content);
            } else if answer_kind == kind || answer_kind == "any" {
                result.unwrap();
                assert_eq!(asked.unanswered().count(), 0, "{request} {answer:?}");
            } else {
                let error = result.unwrap_err();
                assert_eq!(
                    (error.fault(), error.key()),
                    (AnswerFault::WrongKind, "k"),
                    "{request} {answer:?}"
                );
                assert_eq!(error.to_string(), "the answer to `k` is of another kind than the request");
                assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["k"], "nothing changed");
            }
        }
    }
}

#[tokio::test]
async fn only_what_was_asked_can_be_answered() {
    let stage = stage().await;
    let mut asked = continuation(&stage, &stage.client, &asks(&[("Key", FORM)], None)).await;
    for key in ["", "key", "Key ", "k\ney"] {
        let error = asked.answer(key, ElicitAnswer::decline()).unwrap_err();
        assert_eq!((error.fault(), error.key()), (AnswerFault::UnknownKey, key));
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["Key"]);
}

#[tokio::test]
async fn a_second_answer_replaces_the_first_and_a_refused_one_changes_nothing() {
    let stage = stage().await;
    let mut asked = continuation(&stage, &stage.client, &asks(&[("a", FORM), ("b", ROOTS)], None)).await;
    asked.answer("a", ElicitAnswer::decline()).unwrap().answer("b", ListRootsResult::new([])).unwrap();
    asked.answer("a", ElicitAnswer::accept(&json!({ "reason": "two" })).unwrap()).unwrap();
    asked.answer("a", ListRootsResult::new([])).unwrap_err();
    asked.answer("c", ElicitAnswer::cancel()).unwrap_err();
    stage.answers(&Canned::result(OK));
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(
        stage.bodies()[1]["params"]["inputResponses"],
        json!({ "a": { "action": "accept", "content": { "reason": "two" } }, "b": { "roots": [] } })
    );
}

/// The form was asked for with a schema: an answer that breaks it would only be refused by the server, or be taken for
/// good.
#[tokio::test]
async fn an_accepted_form_must_fit_its_schema() {
    let stage = stage().await;
    for misfit in [
        json!({}),
        json!({ "sure": true }),
        json!({ "reason": 7 }),
        json!({ "reason": ["x"] }),
        json!({ "reason": "longer than nine" }),
        json!({ "reason": "x", "count": "1" }),
        json!({ "reason": "x", "count": 1.5 }),
        json!({ "reason": "x", "count": 0 }),
        json!({ "reason": "x", "sure": "yes" }),
        json!({ "reason": "x", "colour": "green" }),
    ] {
        let mut asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], None)).await;
        let result = asked.answer("k", ElicitAnswer::accept(&misfit).unwrap()).map(|_| ());
        assert!(
            result.is_err(),
            "the form has a required `reason` of at most 9 characters: {misfit} was taken"
        );
        assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["k"], "nothing changed");
    }
}

#[tokio::test]
async fn an_answer_that_fits_its_form_is_taken() {
    let stage = stage().await;
    for fit in [
        json!({ "reason": "" }),
        json!({ "reason": "ninechars" }),
        json!({ "reason": "äöüäöüäöü" }),
        json!({ "reason": "x", "count": 1, "sure": false, "colour": "red" }),
        json!({ "reason": "x", "count": 2.0 }),
    ] {
        let mut asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], None)).await;
        asked.answer("k", ElicitAnswer::accept(&fit).unwrap()).unwrap();
        assert_eq!(asked.unanswered().count(), 0, "{fit}");
    }
}
