//! Progress that is none of this call's.

use mcp_client::{Progress, record::CloseCause};
use mcp_tests::{Reply, Step};
use serde_json::json;

use super::{Heard, answered_after, done, notification, progress, progress_of};
use crate::fault::{ANSWER, assert_good, in_time, only_calls, serve};

/// None of these is a failure, and none is heard.
#[tokio::test]
async fn prg_04_prg_07_odd_and_foreign_progress_is_ignored() {
    let method = "notifications/progress";
    let huge = "x".repeat(mcp_client::MAX_UPDATE_BYTES);
    let odd = [
        progress_of(&json!(2), 1.0),
        progress_of(&json!(0), 1.0),
        // Our value, another type.
        progress_of(&json!("1"), 1.0),
        progress_of(&json!(null), 1.0),
        progress_of(&json!([1]), 1.0),
        progress_of(&json!(1.5), 1.0),
        notification(method, &json!({ "progress": 1 })),
        notification(method, &json!({ "progressToken": 1 })),
        notification(method, &json!({ "progressToken": 1, "progress": "1" })),
        notification(method, &json!({ "progressToken": 1, "progress": null })),
        notification(method, &json!({ "progressToken": 1, "progress": 1, "message": huge })),
        notification(method, &json!([1, 1])),
        notification(method, &json!("1")),
        json!({ "jsonrpc": "2.0", "method": method }).to_string(),
        notification("notifications/Progress", &json!({ "progressToken": 1, "progress": 1 })),
    ];
    let count = odd.len() as u64;
    let mut messages = odd.to_vec();
    messages.push(progress(7.0));
    let (server, client) = serve([Reply::sse(&answered_after(messages))]).await;
    let heard = Heard::<Progress>::new();
    let ended = in_time(client.call_tool("x").progress(heard.listener()).send()).await;
    let sse = assert_good(&"odd", &ended).sse.unwrap();
    assert_eq!((sse.events, sse.skipped, sse.close_cause), (count + 2, 0, Some(CloseCause::Answered)));
    assert_eq!(done(&heard.all()), [7.0]);
    only_calls(&server, 1);
}

/// A request of the server is none, whatever it is called: it has an id.
#[tokio::test]
async fn prg_07_a_request_that_looks_like_progress_is_none() {
    let request = r#"{"jsonrpc":"2.0","id":9,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let other_version =
        r#"{"jsonrpc":"1.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let (server, client) = serve([Reply::sse(&[request, other_version, ANSWER])]).await;
    let heard = Heard::<Progress>::new();
    let ended = in_time(client.call_tool("x").progress(heard.listener()).send()).await;
    assert_eq!(assert_good(&"request", &ended).sse.unwrap().skipped, 2);
    assert_eq!(heard.all(), []);
    only_calls(&server, 1);
}

/// What comes after the answer is not even read.
#[tokio::test]
async fn prg_07_log_03_what_comes_after_the_answer_is_ignored() {
    let late = super::log("error", &json!("late"));
    let stream = Reply::sse(&[progress(1.0), ANSWER.to_owned(), progress(2.0), late.clone()]).unfinished();
    for reply in [
        stream.clone().then(Step::LastChunk),
        stream.then(Step::event(&progress(3.0))).then(Step::event(&late)).then(Step::AwaitClientClose),
    ] {
        let (_server, client) = serve([reply]).await;
        let (heard, logged) = (Heard::<Progress>::new(), Heard::new());
        let call = client
            .call_tool("x")
            .progress(heard.listener())
            .log(mcp_client::types::LoggingLevel::Debug, logged.listener());
        let ended = in_time(call.send()).await;
        assert_eq!(assert_good(&"late", &ended).sse.unwrap().events, 2);
        assert_eq!(done(&heard.all()), [1.0]);
        assert_eq!(logged.all(), []);
    }
}

/// Progress of a call that has ended comes with the next one, on a connection that both use.
#[tokio::test]
async fn prg_07_progress_of_a_call_that_has_ended_is_ignored() {
    let (server, client) = serve([
        Reply::sse(&answered_after(vec![progress(1.0)])),
        Reply::sse(&answered_after(vec![progress_of(&json!(1), 2.0), progress(3.0)])),
    ])
    .await;
    let (first, second) = (Heard::<Progress>::new(), Heard::<Progress>::new());
    for heard in [&first, &second] {
        assert_good(&"call", &in_time(client.call_tool("x").progress(heard.listener()).send()).await);
    }
    assert_eq!((done(&first.all()), done(&second.all())), (vec![1.0], vec![3.0]));
    only_calls(&server, 2);
}
