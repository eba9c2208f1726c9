//! Streams of progress and log messages end with the answer, whatever it is.

use std::time::Duration;

use mcp_client::{
    Client, ElicitAnswer, InputKinds, ToolOutcome,
    transport::{Exchange, MemoryTransport},
    types::LoggingLevel,
};
use serde_json::{Value, json};
use tokio::{join, time::timeout};

/// Asks for input until it is answered with `last`.
fn asking(last: &'static str) -> MemoryTransport {
    MemoryTransport::new(move |request| {
        let message: Value = serde_json::from_slice(&request.message).unwrap();
        let form = json!({ "method": "elicitation/create", "params": {
            "message": "?", "requestedSchema": { "type": "object", "properties": { "a": { "type": "string" } } } } });
        let result = if message["params"]["inputResponses"]["k"]["content"]["a"] == last {
            json!({ "resultType": "complete", "content": [] })
        } else {
            json!({ "resultType": "input_required", "inputRequests": { "k": form }, "requestState": "s" })
        };
        let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": result });
        async move { Ok(Exchange::message(answer.to_string())) }
    })
}

#[tokio::test(start_paused = true)]
async fn prg_08_streams_end_when_input_is_asked_for_though_the_call_goes_on() {
    let client = Client::with_transport(asking("2")).accept_input(InputKinds::FORM).build().unwrap();
    let (call, mut progress) = client.call_tool("x").progress_stream();
    let (call, mut log) = call.log_stream(LoggingLevel::Debug);
    let read = async {
        while progress.next().await.is_some() {}
        while log.next().await.is_some() {}
    };
    let both = async { join!(call.send(), read) };
    let (mut outcome, ()) = timeout(Duration::from_secs(3600), both).await.expect("the streams end");
    for answer in ["1", "2"] {
        let Ok(ToolOutcome::InputRequired(mut asked)) = outcome else { panic!("{outcome:?}") };
        asked.answer("k", ElicitAnswer::accept(&json!({ "a": answer })).unwrap()).unwrap();
        let (asked, mut progress) = asked.progress_stream();
        let (asked, mut log) = asked.log_stream(LoggingLevel::Debug);
        let read = async {
            while progress.next().await.is_some() {}
            while log.next().await.is_some() {}
        };
        let both = async { join!(asked.resume(), read) };
        (outcome, ()) = timeout(Duration::from_secs(3600), both).await.expect("the streams end");
    }
    assert!(matches!(outcome, Ok(ToolOutcome::Success(_))), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn prg_08_streams_end_when_the_call_fails_and_hands_its_continuation_back() {
    let client = Client::with_transport(asking("2")).accept_input(InputKinds::FORM).build().unwrap();
    let ToolOutcome::InputRequired(asked) = client.call_tool("x").send().await.unwrap() else { panic!() };
    let (asked, mut progress) = asked.progress_stream();
    // Without an answer it is refused here.
    let mut error = asked.resume().await.unwrap_err();
    let _held = error.take_continuation().expect("a continuation");
    assert_eq!(timeout(Duration::from_secs(3600), progress.next()).await, Ok(None));
}
