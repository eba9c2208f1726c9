//! What continuations print: neither arguments nor answers nor state.

use mcp_client::{ElicitAnswer, ToolOutcome};
use serde_json::json;

use super::{FORM, all, asks, stage};
use crate::stage::{Canned, Stage};

const SECRET: &str = "hunter2";

#[tokio::test]
async fn arguments_answers_state_and_headers_are_never_printed() {
    let stage = Stage::with(|builder| builder.accept_input(all()).bearer_token(SECRET)).await;
    stage.answers(&asks(&[("k", FORM)], Some(&format!("\"{SECRET}\""))));
    let call = stage.client.call_tool("x").arguments(json!({ "pin": SECRET })).header("X-Key", SECRET);
    let outcome = call.meta("com.example/key", SECRET).send().await.unwrap();
    assert!(!format!("{outcome:?} {:?}", outcome.record()).contains(SECRET));
    let ToolOutcome::InputRequired(mut asked) = outcome else { panic!("a request for input") };
    let answer = ElicitAnswer::accept(&json!({ "reason": SECRET })).unwrap();
    assert!(!format!("{answer:?}").contains(SECRET));
    asked.answer("k", answer).unwrap();
    let suspended = asked.suspend();
    assert!(!format!("{asked:?} {asked:#?} {suspended:?} {suspended:#?}").contains(SECRET));
    assert!(!asked.record().to_json().contains(SECRET));
    stage.answers(&Canned::new(503, "", ""));
    let error = asked.resume().await.unwrap_err();
    assert!(!format!("{error} {error:?} {error:#?} {}", error.for_model()).contains(SECRET));
    assert!(!error.record().unwrap().to_json().contains(SECRET));
}

#[tokio::test]
async fn a_refused_answer_is_not_printed() {
    let stage = stage().await;
    let mut asked = super::continuation(&stage, &stage.client, &asks(&[("k", FORM)], None)).await;
    let raw = mcp_client::types::RawJson::from_serialize(SECRET).unwrap();
    let error = asked.answer("k", raw).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(SECRET));
}
