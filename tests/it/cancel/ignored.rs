//! Messages about cancellations, and answers that come after one.

use std::sync::{Arc, Mutex};

use mcp_client::{
    CancelHandle, Client, Delivery, Retry,
    transport::{Exchange, MemoryTransport},
};
use mcp_tests::{Ending, Kitchen, Reply, Step};
use serde_json::json;
use tokio::sync::oneshot;

use super::{WHY, assert_cancelled, observed};
use crate::fault::{ANSWER, assert_good, in_time, only_calls, serve};

/// A server cancels nothing but subscriptions: whatever it says of this call, or of others, its answer is waited for.
#[tokio::test]
async fn can_07_can_08_cancellations_of_the_server_are_ignored() {
    let cancelled =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
    let odd = [
        cancelled(r#"{"requestId":{{id}},"reason":"no time"}"#),
        cancelled(r#"{"requestId":99}"#),
        cancelled(r#"{"requestId":"1"}"#),
        cancelled(r#"{"requestId":null}"#),
        cancelled(r#"{"reason":"no id"}"#),
        cancelled("[]"),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#.to_owned(),
    ];
    let mut messages = odd.to_vec();
    messages.push(ANSWER.to_owned());
    let (server, client) = serve([Reply::sse(&messages)]).await;
    for id in 1..=2 {
        let ended = in_time(client.call_tool("x").progress(|_| panic!("no progress")).send()).await;
        let record = assert_good(&id, &ended);
        assert_eq!(record.request_id, Some(id.into()));
        assert_eq!((record.sse.unwrap().events, record.sse.unwrap().skipped), (odd.len() as u64 + 1, 0));
    }
    only_calls(&server, 2);
}

/// The answer comes all the same, on a connection that serves on: nobody is told, and the next answer is the next call's.
#[tokio::test]
async fn can_04_an_answer_that_comes_after_the_cancellation_is_ignored() {
    let kitchen = Kitchen::start().await.unwrap();
    let tool = "run_configured_test_scenario";
    // It does not listen, so that it goes on.
    kitchen.switch("timeout.late_response", json!({ "delayMs": 300 })).unwrap();
    let http = reqwest::Client::builder().tls_certs_only([]).http2_prior_knowledge();
    let told = crate::retry::Told::default();
    let builder = Client::builder().http_with(&kitchen.url(), http).unwrap();
    let client = builder.retry(Retry::never()).observer(told.clone()).build().unwrap();
    let stop = CancelHandle::new();
    let call = tokio::spawn(client.call_tool(tool).cancel_with(&stop).send());
    kitchen.posts_when(|posts| posts.len() == 1 && kitchen.executions(tool) == 1).await.unwrap();
    stop.cancel(WHY);
    let ended = in_time(call).await.unwrap();
    assert_eq!(crate::support::record(&ended).delivery, Delivery::Unknown);
    let next = in_time(client.call_tool(tool).send()).await.unwrap().into_success().unwrap();
    assert_eq!(next.record().posts, [Some(200)]);
    assert_eq!(kitchen.completions(tool), 2, "the first one was done by then, too");
    let posts = kitchen.posts();
    assert_eq!((posts.len(), kitchen.connections()), (2, 1));
    assert_eq!((posts[0].ending, posts[1].ending), (Ending::ClientGone, Ending::Answered));
    let outcomes: Vec<_> = told.records().iter().map(|record| record.outcome.as_str()).collect();
    assert_eq!(outcomes, ["CANCELLED", "TOOL_SUCCESS"], "and nothing else");
}

/// A transport that answers whether or not anybody waits.
#[tokio::test]
async fn can_04_can_06_a_late_answer_has_nowhere_to_go() {
    let late: Arc<Mutex<Vec<oneshot::Sender<String>>>> = Arc::default();
    let desk = Arc::clone(&late);
    let transport = MemoryTransport::new(move |request| {
        let (sender, receiver) = oneshot::channel();
        desk.lock().unwrap().push(sender);
        let id = request.id.to_string();
        async move { Ok(Exchange::message(receiver.await.unwrap().replace("{{id}}", &id))) }
    });
    let client = Client::with_transport(transport).retry(Retry::never()).build().unwrap();
    let stop = CancelHandle::new();
    let call = tokio::spawn(client.call_tool("x").cancel_with(&stop).send());
    while late.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    stop.cancel(WHY);
    // At once, though no answer ever came.
    assert_cancelled("late", &in_time(call).await.unwrap(), Delivery::Unknown, &[None]);
    let sender = late.lock().unwrap().pop().unwrap();
    assert!(sender.is_closed(), "the exchange is gone");
    sender.send(ANSWER.to_owned()).unwrap_err();
    let next = tokio::spawn(client.call_tool("x").send());
    while late.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    late.lock().unwrap().pop().unwrap().send(ANSWER.to_owned()).unwrap();
    assert_eq!(in_time(next).await.unwrap().unwrap().record().request_id, Some(2.into()));
}

/// A cancellation after the end refers to nothing: nothing is sent, and the answer stands.
#[tokio::test]
async fn can_03_can_05_a_handle_that_is_used_after_the_end_does_nothing() {
    for reply in [
        Reply::json(200, ANSWER),
        Reply::sse(&[ANSWER]),
        Reply::sse(&[ANSWER]).unfinished().then(Step::AwaitClientClose),
    ] {
        let server = mcp_tests::FaultServer::start([reply]).await.unwrap();
        let (client, told) = observed(&server.url());
        let stop = CancelHandle::new();
        let ended = in_time(client.call_tool("x").cancel_with(&stop).send()).await;
        stop.cancel(WHY);
        assert_good(&"after", &ended);
        only_calls(&server, 1);
        assert_eq!(told.records().len(), 1);
    }
}
