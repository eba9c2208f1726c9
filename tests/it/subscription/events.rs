//! What a subscription tells.

use futures_util::StreamExt;
use mcp_client::{
    SubscriptionEnd, SubscriptionEvent as Event,
    transport::Exchange,
    types::{RawJson, SubscriptionFilter},
};
use serde_json::{Value, json};

use super::{
    everything, memory, read_all,
    source::{SUBSCRIPTION_ID, Source, Stream},
    tools,
};
use crate::fault::in_time;

fn updated(uri: &str) -> Event {
    Event::ResourceUpdated { uri: uri.to_owned() }
}

/// Each kind of change that the protocol knows, in order.
fn tell_all(stream: &Stream) {
    stream.notify("tools/list_changed", json!({}));
    stream.notify("prompts/list_changed", json!({}));
    stream.notify("resources/list_changed", json!({}));
    stream.notify("resources/updated", json!({ "uri": "file:///a" }));
    stream.notify("resources/updated", json!({ "uri": "file:///a/part" }));
}

#[tokio::test]
async fn events_are_typed_and_come_in_order() {
    let mut source = Source::start();
    let client = source.client();
    let (opened, stream) = tokio::join!(in_time(client.listen(everything()).open()), async {
        source.asked().await.acknowledge()
    });
    let mut opened = opened.unwrap();
    tell_all(&stream);
    assert_eq!(in_time(opened.next()).await, Some(Event::ToolsChanged));
    // As a stream, too.
    assert_eq!(in_time(StreamExt::next(&mut opened)).await, Some(Event::PromptsChanged));
    assert!(opened.end().is_none());
    stream.finish();
    let (rest, end) = read_all(&mut opened).await;
    assert_eq!(rest, [Event::ResourcesChanged, updated("file:///a"), updated("file:///a/part")]);
    assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
    assert_eq!(opened.try_next(), None);
}

#[tokio::test]
async fn sub_02_what_was_not_asked_for_is_ignored_even_if_it_is_acknowledged() {
    let mut source = Source::start();
    let client = source.client();
    for (filter, told) in [
        (tools(), vec![Event::ToolsChanged]),
        (SubscriptionFilter::default().with_prompts(), vec![Event::PromptsChanged]),
        (SubscriptionFilter::default().with_resources(), vec![Event::ResourcesChanged]),
        (
            SubscriptionFilter::default().with_resource("file:///a"),
            vec![updated("file:///a"), updated("file:///a/part")],
        ),
        (SubscriptionFilter::default(), vec![]),
    ] {
        let (opened, ()) = tokio::join!(in_time(client.listen(filter).open()), async {
            let all = serde_json::to_value(everything()).unwrap();
            let stream = source.asked().await.acknowledge_only(&all);
            tell_all(&stream);
            for (method, params) in [
                ("progress", json!({ "progressToken": stream.id, "progress": 1 })),
                ("message", json!({ "level": "error", "data": "x" })),
                ("tasks", json!({ "taskId": "t" })),
                ("subscriptions/acknowledged", json!({ "notifications": {} })),
            ] {
                stream.notify(method, params);
            }
            stream.finish();
        });
        let mut opened = opened.unwrap();
        let (events, end) = read_all(&mut opened).await;
        assert_eq!(events, told);
        assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
        assert_eq!(opened.acknowledged(), everything(), "the first acknowledgement holds");
    }
}

#[tokio::test]
async fn sub_05_other_subscriptions_and_what_is_no_message_are_skipped() {
    let mut source = Source::start();
    let client = source.client();
    let (opened, ()) = tokio::join!(in_time(client.listen(everything()).open()), async {
        let stream = source.asked().await.acknowledge();
        let of = |id: Value| {
            json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed",
            "params": { "_meta": { SUBSCRIPTION_ID: id } } })
        };
        let text = stream.id.to_string();
        for id in [json!(text), json!(99), json!(null), json!([stream.id]), json!({})] {
            stream.event(&of(id));
        }
        // Answers and requests of others.
        stream.event(&json!({ "jsonrpc": "2.0", "id": 99, "result": { "resultType": "complete" } }));
        stream.event(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
        stream.event(&json!({ "jsonrpc": "1.0", "method": "notifications/tools/list_changed" }));
        stream.write(": keep-alive\n\ndata: nonsense\n\ndata:\n\nid: 7\nretry: 1\n\n");
        stream.notify("resources/updated", json!({}));
        stream.notify("resources/updated", json!({ "uri": 5 }));
        stream
            .event(&json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": [1] }));
        stream.notify("prompts/list_changed", json!({}));
        stream.finish();
    });
    let (events, end) = read_all(&mut opened.unwrap()).await;
    assert_eq!(events, [Event::PromptsChanged]);
    assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
}

/// SUB-16: servers of earlier revisions know no subscriptions, and send changes without being asked. On a subscription its
/// stream says whose they are; during a call they are nothing to it.
#[tokio::test]
async fn sub_16_changes_without_an_id_belong_to_the_stream_they_come_on() {
    let mut source = Source::start();
    let client = source.client();
    let unsolicited = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    let (opened, ()) = tokio::join!(in_time(client.listen(tools()).open()), async {
        let stream = source.asked().await.acknowledge();
        stream.event(&unsolicited);
        stream.finish();
    });
    let (events, _) = read_all(&mut opened.unwrap()).await;
    assert_eq!(events, [Event::ToolsChanged]);

    let reply = mcp_tests::Reply::sse(&[unsolicited.to_string(), crate::fault::ANSWER.to_owned()]);
    let (_server, client) = crate::fault::serve([reply]).await;
    let record = crate::fault::assert_good(&"unsolicited", &crate::fault::call(&client).await).clone();
    assert_eq!(record.sse.unwrap().events, 2);
}

#[tokio::test]
async fn notifications_of_extensions_come_to_those_who_ask_for_them() {
    let mut source = Source::start();
    let client = source.client();
    let mut filter = SubscriptionFilter::default();
    filter.extra.insert("taskIds", RawJson::from_serialize(&["t1"]).unwrap());
    let (opened, ()) = tokio::join!(in_time(client.listen(filter).open()), async {
        let stream = source.asked().await.acknowledge();
        stream.notify("tasks", json!({ "taskId": "t1", "status": "working" }));
        stream.notify("tools/list_changed", json!({}));
        stream.event(&json!({ "jsonrpc": "2.0", "method": "notifications/other" }));
        stream.finish();
    });
    let (events, _) = read_all(&mut opened.unwrap()).await;
    let [Event::Other { method, params: Some(params) }, Event::Other { method: other, params: None }] =
        &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!((method.as_str(), other.as_str()), ("notifications/tasks", "notifications/other"));
    let params: Value = params.parse().unwrap();
    assert_eq!((&params["taskId"], &params["status"]), (&json!("t1"), &json!("working")));
}

#[tokio::test]
async fn sub_07_several_at_once_each_have_their_own_events() {
    let mut source = Source::start();
    let client = source.client();
    let mut open = Vec::new();
    for filter in [tools(), SubscriptionFilter::default().with_prompts(), everything()] {
        let (opened, stream) =
            tokio::join!(in_time(client.listen(filter).open()), async { source.asked().await.acknowledge() });
        open.push((opened.unwrap(), stream));
    }
    let ids: std::collections::HashSet<String> =
        open.iter().map(|(_, stream)| stream.id.to_string()).collect();
    assert_eq!(ids.len(), 3);
    for (_, stream) in open.iter().rev() {
        tell_all(stream);
    }
    let (mut all, stream) = open.pop().unwrap();
    stream.finish();
    assert_eq!(read_all(&mut all).await.0.len(), 5);
    // The end of one is not that of others.
    for ((mut opened, stream), told) in open.into_iter().zip([Event::ToolsChanged, Event::PromptsChanged]) {
        assert_eq!(in_time(opened.next()).await, Some(told));
        assert!(opened.end().is_none() && !stream.is_closed());
        stream.finish();
        assert_eq!(in_time(opened.next()).await, None);
    }
}

/// A transport over which all subscriptions share one channel, as they do over stdio: each reads all of it.
#[tokio::test]
async fn sub_06_on_a_shared_channel_the_id_tells_them_apart() {
    let (client, mut far) = memory::client(|builder| builder);
    let (first, first_near) =
        tokio::join!(client.listen(tools()).open(), async { far.request().await.acknowledge() });
    let opening = tokio::spawn(client.listen(everything()).open());
    let third_near = far.request().await.stream();
    let both = [&first_near, &third_near];
    let tell = |id: &Value, method: &str, params: Value| {
        for near in both {
            near.notify_of(id, method, params.clone());
        }
    };
    // Traffic of the first comes before the acknowledgement of the other one.
    tell(&first_near.id, "tools/list_changed", json!({}));
    tell(
        &third_near.id,
        "subscriptions/acknowledged",
        json!({ "notifications": { "promptsListChanged": true } }),
    );
    tell(&third_near.id, "prompts/list_changed", json!({}));
    tell(&json!(third_near.id.to_string()), "prompts/list_changed", json!({}));
    let (mut first, mut third) = (first.unwrap(), opening.await.unwrap().unwrap());
    assert_eq!(third.acknowledged(), SubscriptionFilter::default().with_prompts());
    // Its end, too, is for all to see.
    for near in both {
        near.send(&json!({ "jsonrpc": "2.0", "id": third_near.id, "result": { "resultType": "complete" } }));
    }
    let (events, end) = read_all(&mut third).await;
    assert_eq!(events, [Event::PromptsChanged]);
    assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
    assert_eq!(in_time(first.next()).await, Some(Event::ToolsChanged));
    first_near.notify("tools/list_changed", json!({}));
    assert_eq!(in_time(first.next()).await, Some(Event::ToolsChanged));
    assert!(first.end().is_none());
    // Calls go on beside them.
    let (called, ()) = tokio::join!(client.call_tool("x").send(), async {
        let request = far.request().await;
        let answer = crate::fault::ANSWER.replace("{{id}}", &request.body["id"].to_string());
        request.answer(Exchange::message(answer));
    });
    assert_eq!(called.unwrap().into_success().unwrap().text(), "ok");
}

/// More events than may wait come in one piece, and who waits for them reads them all: the reader has its turns.
#[tokio::test]
async fn a_reader_that_waits_does_not_lag_behind_a_burst() {
    let mut source = Source::start();
    let client = source.client();
    let listen = client.listen(tools()).buffer(2);
    let (opened, stream) = tokio::join!(in_time(listen.open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    let reader = tokio::spawn(async move { read_all(&mut opened).await });
    let one = super::source::event(&stream.notification("tools/list_changed", json!({})));
    stream.write(one.repeat(5_000));
    stream.finish();
    let (events, end) = in_time(reader).await.unwrap();
    assert_eq!(events.len(), 5_000);
    assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
}
