//! Log messages: only for a call that asked for them, of the level that it asked for.

use mcp_client::{
    LogMessage, OutcomeKind,
    types::{LoggingLevel, SubscriptionFilter},
};
use mcp_tests::{Reply, Step};
use serde_json::{Value, json};

use super::{Heard, answered_after, log, notification};
use crate::{
    fault::{assert_good, call, good, in_time, only_calls, rpc_error, serve},
    support::record,
};

const LEVELS: [(&str, LoggingLevel); 8] = [
    ("debug", LoggingLevel::Debug),
    ("info", LoggingLevel::Info),
    ("notice", LoggingLevel::Notice),
    ("warning", LoggingLevel::Warning),
    ("error", LoggingLevel::Error),
    ("critical", LoggingLevel::Critical),
    ("alert", LoggingLevel::Alert),
    ("emergency", LoggingLevel::Emergency),
];

/// One of each level.
fn one_of_each() -> Reply {
    Reply::sse(&answered_after(LEVELS.iter().map(|(name, _)| log(name, &json!(name))).collect()))
}

fn data(heard: &[LogMessage]) -> Vec<Value> {
    heard.iter().map(|message| message.data.parse().unwrap()).collect()
}

/// The level goes with the request, and with that one alone; no message sets it for a connection.
#[tokio::test]
async fn log_01_log_02_the_level_is_asked_for_with_each_request() {
    for (place, (name, level)) in LEVELS.into_iter().enumerate() {
        let (server, client) = serve([one_of_each(), good()]).await;
        let heard = Heard::new();
        let ended = in_time(client.call_tool("x").log(level.clone(), heard.listener()).send()).await;
        assert_good(&name, &ended);
        // A server that sends more than was asked for is not heard.
        let heard = heard.all();
        let expected: Vec<_> = LEVELS[place..].iter().map(|(name, _)| json!(name)).collect();
        assert_eq!(data(&heard), expected, "{name}");
        assert_eq!(heard[0].level, level);
        assert!(call(&client).await.is_ok());
        let asked: Vec<_> = only_calls(&server, 2)
            .iter()
            .map(|request| {
                request.json().unwrap()["params"]["_meta"].get("io.modelcontextprotocol/logLevel").cloned()
            })
            .collect();
        assert_eq!(asked, [Some(json!(name)), None]);
    }
}

#[tokio::test]
async fn log_03_log_06_without_asking_nothing_is_delivered() {
    let (server, client) = serve([one_of_each()]).await;
    let (untouched, mut progress) = client.call_tool("x").progress_stream();
    let ended = in_time(untouched.send()).await;
    let sse = assert_good(&"not asked", &ended).sse.unwrap();
    assert_eq!((sse.events, sse.skipped), (9, 0));
    assert_eq!(progress.next().await, None);
    only_calls(&server, 1);
}

#[tokio::test]
async fn log_04_data_may_be_any_json_and_the_rest_may_be_odd() {
    let whole = |params: Value| notification("notifications/message", &params);
    let messages = vec![
        whole(json!({ "level": "info", "logger": "db", "data": { "rows": 3, "exact": 1 } })),
        whole(json!({ "level": "info", "data": null })),
        whole(json!({ "level": "info", "data": [1, "two", null], "logger": 7, "new": { "a": 1 } })),
        whole(json!({ "level": "fatal", "data": "a level of another revision" })),
        // Malformed: none of them is heard, none is a failure.
        whole(json!({ "level": "info" })),
        whole(json!({ "data": 1 })),
        whole(json!({ "level": 3, "data": 1 })),
        whole(json!(["info", 1])),
        json!({ "jsonrpc": "2.0", "method": "notifications/message" }).to_string(),
        whole(json!({ "level": "info", "data": 1e99, "_meta": { "com.example/a": 1 } })),
    ];
    let count = messages.len() as u64 + 1;
    let (server, client) = serve([Reply::sse(&answered_after(messages))]).await;
    let heard = Heard::new();
    let ended = in_time(client.call_tool("x").log(LoggingLevel::Debug, heard.listener()).send()).await;
    assert_eq!(assert_good(&"odd", &ended).sse.unwrap().events, count);
    let heard = heard.all();
    let (text, objects) = (json!("a level of another revision"), json!({ "rows": 3, "exact": 1 }));
    assert_eq!(data(&heard), [objects, json!(null), json!([1, "two", null]), text, json!(1e99)]);
    let loggers: Vec<_> = heard.iter().map(|message| message.logger.as_deref()).collect();
    assert_eq!(loggers, [Some("db"), None, None, None, None]);
    assert_eq!(heard[3].level, LoggingLevel::Other("fatal".into()));
    only_calls(&server, 1);
}

/// A level that servers do not know is theirs to refuse.
#[tokio::test]
async fn log_05_an_unknown_level_is_answered_by_the_server() {
    let refusal = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"Invalid log level"}}"#;
    let (server, client) = serve([Reply::json(200, refusal), good()]).await;
    let heard = Heard::<LogMessage>::new();
    let ended = in_time(client.call_tool("x").log("loud".into(), heard.listener()).send()).await;
    assert_eq!((rpc_error(&ended).code(), record(&ended).outcome), (-32602, OutcomeKind::JsonrpcError));
    assert_eq!(heard.all(), []);
    let sent = server.requests()[0].json().unwrap();
    assert_eq!(sent["params"]["_meta"]["io.modelcontextprotocol/logLevel"], "loud");
    assert_good(&"after it", &call(&client).await);
    only_calls(&server, 2);
}

/// Two calls at once: only the one that asked hears, and only of its own stream.
#[tokio::test]
async fn log_03_messages_belong_to_the_stream_that_they_come_on() {
    let (server, client) = serve([one_of_each()]).await;
    let (loud, quiet) = (Heard::<LogMessage>::new(), Heard::<LogMessage>::new());
    let (first, second, third) = tokio::join!(
        in_time(client.call_tool("x").log(LoggingLevel::Debug, loud.listener()).send()),
        in_time(client.call_tool("x").log(LoggingLevel::Emergency, quiet.listener()).send()),
        call(&client),
    );
    for ended in [&first, &second, &third] {
        assert_good(&"at once", ended);
    }
    assert_eq!((loud.all().len(), quiet.all().len()), (8, 1));
    only_calls(&server, 3);
}

/// On the stream of a subscription they have no place.
#[tokio::test]
async fn log_03_a_subscription_hears_no_log_messages() {
    let acknowledged = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":{{id}}}}}"#;
    let closing = r#"{"jsonrpc":"2.0","id":{{id}},"result":{}}"#;
    let message = log("error", &json!("lost"))
        .replace(r#""params":{"#, r#""params":{"_meta":{"io.modelcontextprotocol/subscriptionId":{{id}}},"#);
    let (server, client) = serve([Reply::sse(&[acknowledged, &message, &super::progress(1.0)])
        .unfinished()
        .then(Step::event(closing))
        .then(Step::LastChunk)])
    .await;
    let mut subscription =
        in_time(client.listen(SubscriptionFilter::default().with_tools()).open()).await.unwrap();
    assert!(in_time(subscription.next()).await.is_none(), "nothing is told");
    assert!(
        matches!(subscription.end(), Some(mcp_client::SubscriptionEnd::Graceful)),
        "{:?}",
        subscription.end()
    );
    let sent = server.requests()[0].json().unwrap();
    for key in ["progressToken", "io.modelcontextprotocol/logLevel"] {
        assert_eq!(sent["params"]["_meta"].get(key), None, "{key}");
    }
}
