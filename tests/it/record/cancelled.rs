//! A future that the caller drops: the request is cancelled, and the observer is the only one left to be told.

use mcp_client::types::Implementation;
use mcp_tests::{Ending, Kitchen};
use serde_json::json;

use super::{Diary, Line, line};

const RUN: &str = "run_configured_test_scenario";

#[tokio::test]
async fn c_45_a_dropped_future_closes_the_stream_and_sends_nothing() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch("timeout.cooperative_deadline", json!({ "delayMs": 60_000 })).unwrap();
    let diary = Diary::default();
    let client = crate::support::once(&kitchen.url())
        .client_info(Implementation::new("agent", "1.2.0"))
        .observer(diary.clone())
        .build()
        .unwrap();
    {
        let call = client.call_tool(RUN).scenario("drop").send();
        tokio::select! {
            outcome = call => panic!("it has a minute to go: {outcome:?}"),
            arrived = kitchen.posts_when(|posts| posts.len() == 1) => { arrived.unwrap(); }
        }
    }
    let told = diary.take();
    assert_eq!(told.len(), 1, "at once, and once");
    let expected = Line {
        scenario: "\"drop\"",
        tool: RUN,
        statuses: "",
        outcome: "CANCELLED",
        layer: "local",
        delivery: "unknown",
        content_type: "null",
        ..Line::default()
    };
    assert_eq!(line(&told[0]), expected.text());
    let posts = kitchen.posts_when(|posts| posts[0].ending == Ending::ClientGone).await.unwrap();
    assert_eq!(posts.len(), 1, "no message says so: closing the stream does");
    assert_eq!(kitchen.completions(RUN), 0, "the server stopped the work");
    kitchen.switch("baseline", json!(null)).unwrap();
    client.call_tool(RUN).send().await.unwrap().into_success().unwrap();
    assert_eq!(kitchen.posts().len(), 2);
}

#[tokio::test]
async fn a_resumption_that_is_dropped_is_told_as_well() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch("elicitation.approval", json!(null)).unwrap();
    let diary = Diary::default();
    let client = crate::support::once(&kitchen.url()).accept_input(mcp_client::InputKinds::FORM);
    let client = client.observer(diary.clone()).build().unwrap();
    let Ok(mcp_client::ToolOutcome::InputRequired(mut asked)) = client.call_tool(RUN).send().await else {
        panic!("a request for input")
    };
    asked.answer("elicitation", mcp_client::ElicitAnswer::decline()).unwrap();
    kitchen.switch("timeout.cooperative_deadline", json!({ "delayMs": 60_000 })).unwrap();
    tokio::select! {
        outcome = asked.resume() => panic!("it has a minute to go: {outcome:?}"),
        arrived = kitchen.posts_when(|posts| posts.len() == 2) => { arrived.unwrap(); }
    }
    let told: Vec<_> = diary.take().iter().map(|record| record.outcome.to_string()).collect();
    assert_eq!(told, ["INPUT_REQUIRED", "CANCELLED"]);
    let posts = kitchen.posts_when(|posts| posts[1].ending == Ending::ClientGone).await.unwrap();
    assert_eq!(posts.len(), 2);
}
