//! Reading a resource, and getting a prompt, of which the server wants to know more first.

use mcp_client::{
    Client, Continuation, ElicitAnswer, InputKinds, MultiRound, Outcome, OutcomeKind, RestoreError,
    SuspendedCall,
    cache::CacheOptions,
    types::method::{GetPrompt, ReadResource},
};
use serde_json::{Value, json};

use crate::{
    lists::desk::{Asked, Desk},
    stage::Canned,
};

const ASKS: &str = r#"{"resultType":"input_required","ttlMs":600000,"cacheScope":"public","requestState":" s\u0000 ","inputRequests":{"why":{"method":"elicitation/create","params":{"mode":"form","message":"Why?","requestedSchema":{"type":"object","properties":{"reason":{"type":"string"}}}}}}}"#;
const DONE: &str =
    r#"{"resultType":"complete","ttlMs":600000,"cacheScope":"public","contents":[],"messages":[]}"#;

/// A server that asks why, and answers who says why.
async fn desk() -> Desk {
    Desk::new(|asked| Canned::result(if asked.params.contains_key("inputResponses") { DONE } else { ASKS }))
        .await
}

fn client(desk: &Desk) -> Client {
    desk.builder().accept_input(InputKinds::FORM).build().unwrap()
}

fn asked<M: MultiRound>(outcome: Outcome<M>) -> Continuation<M> {
    match outcome.into_complete() {
        Ok(answered) => panic!("{answered:?}"),
        Err(asked) => asked,
    }
}

fn answer<M: MultiRound>(asked: &mut Continuation<M>) {
    asked.answer("why", ElicitAnswer::accept(&json!({ "reason": "because" })).unwrap()).unwrap();
}

/// What both requests must have in common, and what the second must have besides.
#[track_caller]
fn assert_rounds(desk: &Desk, method: &str, own: &Value) {
    let [first, second] = desk.asked().try_into().unwrap();
    assert_eq!((first.method.as_str(), second.method.as_str()), (method, method));
    assert_eq!(first.header("mcp-name"), second.header("mcp-name"));
    assert_eq!(first.meta, second.meta, "declared then as now");
    assert_eq!(Value::from(first.params), *own);
    let mut params = second.params;
    let answer = json!({ "why": { "action": "accept", "content": { "reason": "because" } } });
    assert_eq!(params.remove("inputResponses"), Some(answer));
    assert_eq!(params.remove("requestState"), Some(json!(" s\0 ")));
    assert_eq!(Value::from(params), *own);
}

#[tokio::test]
async fn a_resource_is_read_in_two_rounds() {
    let desk = desk().await;
    let mut asked = asked(client(&desk).read_resource("file:///a").send().await.unwrap());
    assert_eq!((asked.target(), asked.rounds()), ("file:///a", 1));
    assert_eq!(
        (asked.record().outcome, asked.record().method),
        (OutcomeKind::InputRequired, "resources/read")
    );
    answer(&mut asked);
    let read = asked.resume().await.unwrap().into_complete().unwrap();
    assert_eq!((read.contents.len(), read.record().post_count()), (0, 1));
    assert_rounds(&desk, "resources/read", &json!({ "uri": "file:///a" }));
    let ids: Vec<Value> = desk.asked().iter().map(Asked::id).collect();
    assert_eq!(ids, [1, 2], "each round is a request of its own");
}

#[tokio::test]
async fn a_prompt_is_got_in_two_rounds() {
    let desk = desk().await;
    let request = client(&desk).get_prompt("p").argument("a", "1").argument("b", "2");
    let mut asked = asked(request.send().await.unwrap());
    assert_eq!((asked.target(), asked.record().method), ("p", "prompts/get"));
    answer(&mut asked);
    let prompt = asked.resume().await.unwrap().into_complete().unwrap();
    assert_eq!((prompt.messages.len(), prompt.record().outcome), (0, OutcomeKind::ToolSuccess));
    assert_rounds(&desk, "prompts/get", &json!({ "name": "p", "arguments": { "a": "1", "b": "2" } }));
}

/// As another process would do it: from the text alone.
fn restore<M: MultiRound>(client: &Client, text: &str) -> Result<Continuation<M>, RestoreError> {
    client.restore(serde_json::from_str::<SuspendedCall<M>>(text).unwrap())
}

#[tokio::test]
async fn both_are_suspended_and_go_on_in_another_process() {
    let reading = desk().await;
    let read = asked(client(&reading).read_resource("file:///a").send().await.unwrap());
    let text = serde_json::to_string(&read.suspend()).unwrap();
    assert!(serde_json::from_str::<SuspendedCall<GetPrompt>>(&text).is_err(), "of another method");
    assert!(serde_json::from_str::<SuspendedCall>(&text).is_err());
    drop(read);
    let mut read = restore::<ReadResource>(&reading.client(), &text).unwrap();
    answer(&mut read);
    read.resume().await.unwrap().into_complete().unwrap();
    assert_eq!(reading.count(), 2);
    let [first, second] = reading.asked().try_into().unwrap();
    assert_eq!(second.params["uri"], first.params["uri"]);
    assert_eq!(first.meta, second.meta, "what was declared then is declared now");

    let prompting = desk().await;
    let prompt = asked(client(&prompting).get_prompt("p").argument("a", "1").send().await.unwrap());
    let text = serde_json::to_string(&prompt.suspend()).unwrap();
    let elsewhere = restore::<GetPrompt>(&reading.client(), &text).unwrap_err();
    assert!(matches!(elsewhere, RestoreError::Server { .. }));
    let mut prompt = restore::<GetPrompt>(&prompting.client(), &text).unwrap();
    answer(&mut prompt);
    prompt.resume().await.unwrap().into_complete().unwrap();
    assert_rounds(&prompting, "prompts/get", &json!({ "name": "p", "arguments": { "a": "1" } }));
}

/// Neither the request for input nor what the answers brought is for anybody else, whatever the server says.
#[tokio::test]
async fn cac_03_nothing_of_several_rounds_is_ever_kept() {
    let desk = desk().await;
    let shared = CacheOptions::new();
    let client = desk.builder().accept_input(InputKinds::FORM).cache(shared.clone()).build().unwrap();
    for round in 0..2 {
        let mut asked = asked(client.read_resource("file:///a").send().await.unwrap());
        assert_eq!(desk.count(), 2 * round + 1, "asked anew each time");
        answer(&mut asked);
        let read = asked.resume().await.unwrap().into_complete().unwrap();
        assert!(read.freshness().is_fetched());
        assert_eq!(desk.count(), 2 * round + 2);
    }
    assert!(format!("{shared:?}").contains("entries: 0"), "{shared:?}");
}

/// An answer that failed gives the continuation back, for these methods too.
#[tokio::test]
async fn a_resumption_that_fails_gives_the_continuation_back() {
    let desk = Desk::new(|asked| match asked.number {
        0 => Canned::result(ASKS),
        1 => Canned::new(429, "text/plain", "later"),
        _ => Canned::result(DONE),
    })
    .await;
    let mut asked = asked(client(&desk).read_resource("file:///a").send().await.unwrap());
    answer(&mut asked);
    let mut error = asked.resume().await.unwrap_err();
    assert_eq!(error.http_status(), Some(429));
    let asked = error.take_continuation_of::<ReadResource>().unwrap();
    asked.resume().await.unwrap().into_complete().unwrap();
    assert_eq!(desk.count(), 3);
}
