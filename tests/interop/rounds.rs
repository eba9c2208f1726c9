//! A tool that asks for input in two rounds, with a state that only the peer can read.

use mcp_client::{
    CallError, Client, Continuation, ElicitAnswer, InputKinds, OutcomeKind, SuspendedCall, ToolOutcome,
    types::{ElicitRequest, InputRequest},
};
use serde_json::{Value, json};

use crate::peers::{Meeting, with_each_peer};

fn client(meeting: &Meeting) -> Client {
    meeting.builder().accept_input(InputKinds::FORM).build().unwrap()
}

/// The one form that is asked for, proven to be the expected one.
fn asked(
    meeting: &Meeting,
    outcome: Result<ToolOutcome, CallError>,
    key: &str,
    message: &str,
    has_state: bool,
) -> Continuation {
    meeting.assert_outcome(&outcome, OutcomeKind::InputRequired);
    let Ok(ToolOutcome::InputRequired(asked)) = outcome else { panic!("a request for input: {outcome:?}") };
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), [key]);
    assert!(asked.is_declared(key));
    let Some(InputRequest::Elicit(ElicitRequest { params, .. })) = asked.request(key) else {
        panic!("an elicitation: {asked:?}")
    };
    let form = serde_json::to_value(params).unwrap();
    assert_eq!(form["message"], message);
    let kind = if key == "name" { "string" } else { "boolean" };
    assert_eq!(
        form["requestedSchema"],
        json!({ "type": "object", "properties": { key: { "type": kind } }, "required": [key] })
    );
    let state = asked.request_state().map(|state| state.as_str().len());
    assert_eq!(state.is_some_and(|length| length > 20), has_state, "{state:?}");
    asked
}

async fn first_round(meeting: &Meeting) -> Continuation {
    let call = client(meeting).call_tool("ask").arguments(json!({ "ticket": 7 }));
    asked(meeting, call.send().await, "name", "Who are you?", false)
}

async fn second_round(meeting: &Meeting) -> Continuation {
    let mut first = first_round(meeting).await;
    first.answer("name", accept(&json!({ "name": "Ada Å" }))).unwrap();
    asked(meeting, first.resume().await, "sure", "Are you sure?", true)
}

fn accept(content: &Value) -> ElicitAnswer {
    ElicitAnswer::accept(content).unwrap()
}

fn assert_text(meeting: &Meeting, outcome: Result<ToolOutcome, CallError>, text: &str) {
    meeting.assert_outcome(&outcome, OutcomeKind::ToolSuccess);
    assert_eq!(outcome.unwrap().into_success().unwrap().text(), text);
}

#[tokio::test]
async fn two_rounds_and_the_answer_to_the_first_is_in_the_state() {
    with_each_peer(async |meeting| {
        for sure in [true, false] {
            let mut second = second_round(&meeting).await;
            assert_eq!(second.rounds(), 2);
            second.answer("sure", accept(&json!({ "sure": sure }))).unwrap();
            assert_text(&meeting, second.resume().await, &format!("Ada Å closes 7: {sure}"));
        }
    })
    .await;
}

#[tokio::test]
async fn declined_or_cancelled_in_either_round() {
    with_each_peer(async |meeting| {
        for (answer, word) in [(ElicitAnswer::decline(), "decline"), (ElicitAnswer::cancel(), "cancel")] {
            let mut first = first_round(&meeting).await;
            first.answer("name", answer.clone()).unwrap();
            assert_text(&meeting, first.resume().await, &format!("name: {word}"));

            let mut second = second_round(&meeting).await;
            second.answer("sure", answer).unwrap();
            assert_text(&meeting, second.resume().await, &format!("sure: {word}"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_call_that_was_stored_goes_on_with_another_client() {
    with_each_peer(async |meeting| {
        let stored = serde_json::to_string(&second_round(&meeting).await.suspend()).unwrap();
        let suspended: SuspendedCall = serde_json::from_str(&stored).unwrap();
        let mut restored = meeting.client().restore(suspended).unwrap();
        restored.answer("sure", accept(&json!({ "sure": true }))).unwrap();
        assert_text(&meeting, restored.resume().await, "Ada Å closes 7: true");
    })
    .await;
}
