//! From the request to the acknowledgement.

use std::{sync::Mutex, time::Duration};

use mcp_client::{
    CallError, CallRecord, CancelHandle, Delivery, Layer, Observer, OutcomeKind, Retry, SubscriptionEnd,
    error::TransportErrorKind,
    record::CloseCause,
    retry::Constant,
    types::{RawJson, SubscriptionFilter},
};
use serde_json::{Value, json};

use super::{
    everything,
    source::{SUBSCRIPTION_ID, Source},
    tools,
};
use crate::fault::in_time;

#[tokio::test]
async fn sub_01_the_request_says_what_is_asked_for_and_no_more() {
    let mut source = Source::start();
    let client = source.client_with(|builder| builder.header("x-team", "a"));
    let mut filter = everything().with_resource("file:///b?c=d");
    filter.extra.insert("taskIds", RawJson::from_serialize(&["t1"]).unwrap());
    let listen = client.listen(filter).meta("com.example/trace", "77").header("x-window", "3");
    let (opened, asked) = tokio::join!(in_time(listen.open()), async {
        let asked = source.asked().await;
        let post = asked.post.clone();
        (asked.acknowledge(), post)
    });
    let (_stream, post) = asked;
    let params = &post.body["params"];
    assert_eq!(
        params["notifications"],
        json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourcesListChanged": true,
            "resourceSubscriptions": ["file:///a", "file:///b?c=d"],
            "taskIds": ["t1"],
        })
    );
    let meta = params["_meta"].as_object().unwrap();
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-client");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
    assert_eq!(meta["com.example/trace"], "77");
    assert_eq!(meta.len(), 4, "no progress token, no log level: {meta:?}");
    assert_eq!(params.as_object().unwrap().len(), 2);
    for (name, value) in [
        ("mcp-method", Some("subscriptions/listen")),
        ("mcp-protocol-version", Some("2026-07-28")),
        ("mcp-name", None),
        ("accept", Some("application/json, text/event-stream")),
        ("content-type", Some("application/json")),
        ("x-team", Some("a")),
        ("x-window", Some("3")),
        ("last-event-id", None),
        ("mcp-session-id", None),
    ] {
        assert_eq!(post.header(name), value, "{name}");
    }
    assert_eq!(opened.unwrap().unsupported(), SubscriptionFilter::default());
    assert_eq!(source.methods(), ["subscriptions/listen"]);
    // Nothing was asked for, and that is sent as it is.
    let (opened, filter) = tokio::join!(client.listen(SubscriptionFilter::default()).open(), async {
        let asked = source.asked().await;
        let filter = asked.filter.clone();
        (asked.acknowledge(), filter)
    });
    assert_eq!((opened.unwrap().acknowledged(), filter.1), (SubscriptionFilter::default(), json!({})));
}

#[tokio::test]
async fn sub_03_sub_04_what_the_server_does_not_acknowledge_is_named() {
    let mut source = Source::start();
    let client = source.client();
    let asked_for = || everything().with_resource("file:///b");
    for (acknowledged, given, missing) in [
        (json!({}), SubscriptionFilter::default(), asked_for()),
        (
            json!({ "toolsListChanged": true, "promptsListChanged": false, "resourceSubscriptions": ["file:///b"] }),
            {
                let mut given = tools().with_resource("file:///b");
                given.prompts_list_changed = Some(false);
                given
            },
            SubscriptionFilter::default().with_prompts().with_resources().with_resource("file:///a"),
        ),
    ] {
        let (opened, _stream) = tokio::join!(in_time(client.listen(asked_for()).open()), async {
            let stream = source.asked().await.stream();
            // Other traffic may come before it, as long as it is of others.
            stream.event(&json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                "params": { "notifications": { "toolsListChanged": true }, "_meta": { SUBSCRIPTION_ID: "1" } } }));
            stream.event(&json!({ "jsonrpc": "2.0", "id": 99, "result": {} }));
            stream.notify("subscriptions/acknowledged", json!({ "notifications": acknowledged }));
            stream
        });
        let opened = opened.unwrap();
        assert_eq!((opened.acknowledged(), opened.unsupported()), (given, missing), "{acknowledged}");
        assert!(opened.end().is_none());
    }
}

/// The record of the request says that it was answered. Its stream goes on.
#[tokio::test]
async fn the_record_is_that_of_an_answer_whose_stream_is_open() {
    let mut source = Source::start();
    let client = source.client();
    let listen = client.listen(tools()).scenario("watch");
    let (opened, stream) = tokio::join!(in_time(listen.open()), async { source.asked().await.acknowledge() });
    let opened = opened.unwrap();
    let record = opened.record();
    assert_eq!(
        (record.outcome, record.layer, record.delivery),
        (OutcomeKind::ToolSuccess, Layer::Application, Delivery::Answered)
    );
    assert_eq!((record.method, record.scenario.as_deref()), ("subscriptions/listen", Some("watch")));
    assert_eq!((&record.posts[..], record.result_type.is_none()), (&[Some(200)][..], true));
    assert_eq!(serde_json::to_value(&record.request_id).unwrap(), stream.id);
    let json: Value = serde_json::from_str(&record.to_json()).unwrap();
    assert_eq!(json["sse"]["closeCause"], Value::Null);
    assert_eq!((&json["sse"]["events"], &json["sse"]["terminalResponse"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn sub_13_a_refusal_is_the_error_of_the_call_and_no_subscription() {
    let mut source = Source::start();
    let client = source.client();
    let error = |code: i64| {
        format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{{"code":{code},"message":"no"}}}}"#)
    };
    for (status, content_type, code, outcome) in [
        (200, "application/json", -32000, OutcomeKind::JsonrpcError),
        (200, "text/event-stream", -32603, OutcomeKind::JsonrpcError),
        (404, "application/json", -32601, OutcomeKind::HttpError),
        (400, "application/json", -32021, OutcomeKind::HttpError),
        (429, "application/json", -32000, OutcomeKind::HttpError),
    ] {
        let (opened, ()) = tokio::join!(in_time(client.listen(tools()).open()), async {
            let body = error(code);
            let body = if content_type == "text/event-stream" { format!("data: {body}\n\n") } else { body };
            source.asked().await.answer(status, content_type, &body);
        });
        let refused = opened.unwrap_err();
        assert_eq!((refused.outcome(), refused.rpc_code()), (outcome, Some(code)), "{status}");
        let record = refused.record().unwrap();
        assert_eq!((&record.posts[..], record.method), (&[Some(status)][..], "subscriptions/listen"));
    }
    assert_eq!(source.posts().len(), 5, "none is asked for again");
}

/// The stream is there, and the acknowledgement is not.
#[tokio::test]
async fn no_acknowledgement_in_time_cancels_the_request() {
    let mut source = Source::start();
    let client = source.client();
    let after = Duration::from_millis(500);
    let listen = client.listen(tools()).acknowledgement_timeout(after);
    let (opened, ()) = tokio::join!(in_time(listen.open()), async {
        let stream = source.asked().await.stream();
        stream.notify("tools/list_changed", json!({}));
        stream.closed().await;
    });
    let error = opened.unwrap_err();
    let CallError::Transport(transport) = &error else { panic!("{error:?}") };
    assert_eq!(transport.kind(), TransportErrorKind::Timeout { after });
    assert_eq!((transport.close_cause(), error.delivery()), (Some(CloseCause::Timeout), Delivery::Unknown));
    assert_eq!(error.record().unwrap().outcome, OutcomeKind::Timeout);
    // Nor is there an answer at all.
    let listen = client.listen(tools()).acknowledgement_timeout(after);
    let (opened, ()) = tokio::join!(in_time(listen.open()), async { source.asked().await.given_up().await });
    assert!(opened.unwrap_err().is_timeout());
    assert_eq!(source.methods(), ["subscriptions/listen"; 2], "no POST says so: closing the stream does");
}

/// Field case SUB-01: a server that answers at once. It is asked once, whatever was asked for, and calls go on.
#[tokio::test]
async fn field_sub_01_an_answer_without_acknowledgement_ends_it_and_is_not_asked_again() {
    let mut source = Source::start();
    let client = source.client_with(|builder| builder.retry(Retry::standard()));
    for (content_type, body) in [
        ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete"}}"#),
        (
            "text/event-stream",
            "data: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"resultType\":\"complete\"}}\n\n",
        ),
        ("application/json", r#"{"jsonrpc":"2.0","id":{{id}},"result":{}}"#),
    ] {
        let (opened, ()) = tokio::join!(in_time(client.listen(tools()).relisten().open()), async {
            source.asked().await.answer(200, content_type, body);
        });
        let mut opened = opened.unwrap();
        let end = opened.end().expect("it has ended");
        assert!(matches!(end, SubscriptionEnd::Unacknowledged), "{end:?}");
        assert_eq!(end.to_string(), "the server ended it without acknowledging it");
        assert_eq!(in_time(opened.next()).await, None);
        assert_eq!((opened.acknowledged(), opened.unsupported()), (SubscriptionFilter::default(), tools()));
        assert_eq!((opened.relistened(), opened.record().outcome), (0, OutcomeKind::ToolSuccess));
    }
    let output = client.call_tool("x").send().await.unwrap().into_success().unwrap();
    assert_eq!(output.text(), "ok");
    assert!(!source.is_asked());
    assert_eq!(source.posts().len(), 4, "{:?}", source.methods());
}

/// A stateless host acknowledges nothing and ends at once.
#[tokio::test]
async fn an_acknowledgement_with_the_end_in_one_piece_is_a_graceful_end() {
    let kitchen = mcp_tests::Kitchen::start().await.unwrap();
    let client = crate::support::client(&kitchen.url());
    let mut opened = in_time(client.listen(tools()).relisten().open()).await.unwrap();
    assert_eq!(in_time(opened.next()).await, None);
    assert!(matches!(opened.end(), Some(SubscriptionEnd::Graceful)), "{:?}", opened.end());
    assert_eq!((opened.acknowledged(), opened.unsupported()), (SubscriptionFilter::default(), tools()));
    assert_eq!(kitchen.posts().len(), 1);
}

#[tokio::test]
async fn sub_10_the_server_can_cancel_it_before_it_acknowledges_it() {
    let mut source = Source::start();
    let client = source.client();
    let (opened, stream) = tokio::join!(in_time(client.listen(tools()).open()), async {
        let stream = source.asked().await.stream();
        let cancelled = |id: Value| {
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": id, "reason": "full" } })
        };
        stream.event(&cancelled(json!("1")));
        stream.event(&cancelled(json!(99)));
        stream.event(&cancelled(stream.id.clone()));
        stream
    });
    let mut opened = opened.unwrap();
    assert_eq!(in_time(opened.next()).await, None);
    let end = opened.end();
    let Some(SubscriptionEnd::Cancelled { reason }) = &end else { panic!("{end:?}") };
    assert_eq!((reason.as_deref(), opened.unsupported()), (Some("full"), tools()));
    stream.closed().await;
    assert_eq!(opened.record().sse.unwrap().close_cause, Some(CloseCause::Ended));
}

/// Opening changes nothing at the server, so it is repeated as any call that only reads.
#[tokio::test]
async fn opening_is_repeated_with_a_new_id() {
    let mut source = Source::start();
    let client = source.client();
    let retry = Retry::builder().backoff(Constant(Duration::ZERO)).build();
    let (opened, ids) = tokio::join!(in_time(client.listen(tools()).retry(retry).open()), async {
        let first = source.asked().await;
        let first_id = first.id.clone();
        first.answer(503, "text/plain", "no");
        // Broken off before the acknowledgement: it may have been opened.
        let second = source.asked().await.stream();
        let second_id = second.id.clone();
        second.notify("tools/list_changed", json!({}));
        second.cut();
        let third = source.asked().await;
        (first_id, second_id, third.acknowledge())
    });
    let opened = opened.unwrap();
    let (first, second, third) = ids;
    assert!(first != second && second != third.id && first != third.id);
    assert_eq!(opened.record().posts, [Some(503), Some(200), Some(200)]);
    assert_eq!(opened.record().attempts.attempts().len(), 3);
    assert_eq!(serde_json::to_value(&opened.record().request_id).unwrap(), third.id);
    assert_eq!(opened.relistened(), 0);
}

#[tokio::test]
async fn what_is_wrong_with_it_is_told_before_the_wire() {
    let source = Source::start();
    let client = source.client();
    let listen = || client.listen(tools());
    for (what, listen) in [
        ("a header of the client's", listen().header("mcp-method", "x")),
        ("a key of the protocol", listen().meta("io.modelcontextprotocol/subscriptionId", 1)),
        ("a malformed header", listen().header("a b", "c")),
    ] {
        let error = in_time(listen.open()).await.unwrap_err();
        assert!(matches!(error, CallError::Invalid(_)), "{what}: {error:?}");
        assert_eq!(error.record().unwrap().method, "subscriptions/listen");
    }
    assert!(source.posts().is_empty());
}

#[derive(Debug, Default)]
struct Records(std::sync::Arc<Mutex<Vec<CallRecord>>>);

impl Observer for Records {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

#[tokio::test]
async fn opening_can_be_given_up_by_a_handle_and_by_dropping_the_future() {
    let mut source = Source::start();
    let records = Records::default();
    let seen = records.0.clone();
    let client = source.client_with(|builder| builder.observer(records));
    let stop = CancelHandle::new();
    let (opened, ()) = tokio::join!(in_time(client.listen(tools()).cancel_with(&stop).open()), async {
        let mut asked = source.asked().await;
        stop.cancel("not now");
        asked.given_up().await;
    });
    let error = opened.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::Unknown));
    // A handle that was used already sends nothing.
    let error = in_time(client.listen(tools()).cancel_with(&stop).open()).await.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::NotSent));

    let opening = tokio::spawn(client.listen(tools()).open());
    let stream = source.asked().await.stream();
    opening.abort();
    stream.closed().await;
    assert!(opening.await.unwrap_err().is_cancelled());
    let seen: Vec<_> = seen.lock().unwrap().iter().map(|record| (record.outcome, record.delivery)).collect();
    assert_eq!(
        seen,
        [
            (OutcomeKind::Cancelled, Delivery::Unknown),
            (OutcomeKind::Cancelled, Delivery::NotSent),
            (OutcomeKind::Cancelled, Delivery::Unknown),
        ]
    );
    assert_eq!(source.methods(), ["subscriptions/listen"; 2]);
}
