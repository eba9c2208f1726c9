//! Subscriptions that are opened again.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    CallRecord, CancelHandle, Client, Delivery, ListenBuilder, Observer, OutcomeKind, Subscription,
    SubscriptionEnd, SubscriptionEvent as Event,
    error::{TransportError, TransportErrorKind},
    retry::{Backoff, Constant, Failure},
    transport::{Exchange, HttpHead},
    types::SubscriptionFilter,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    abrupt, everything,
    memory::{self, Far, Near},
    read_all,
    source::Source,
    tools,
};
use crate::fault::in_time;

const SECOND: Duration = Duration::from_secs(1);

/// As many seconds as there were breaks.
#[derive(Debug)]
struct Counts;

impl Backoff for Counts {
    fn delay(&self, retry: u32, _: &Failure<'_>, _: f64) -> Duration {
        SECOND * retry
    }
}

async fn open(
    client: &Client,
    far: &mut Far,
    set_up: impl FnOnce(ListenBuilder) -> ListenBuilder,
) -> (Subscription, Near) {
    let listen = set_up(client.listen(tools()).relisten_with(Counts));
    let (opened, near) = tokio::join!(listen.open(), async { far.request().await.acknowledge() });
    (opened.unwrap(), near)
}

fn broken() -> TransportError {
    TransportError::new(TransportErrorKind::Connect, Delivery::NotSent)
}

/// SUB-12 asks for it on stdio, SUB-11 allows it here: a new request with a new id, and the cache begins anew.
#[tokio::test]
async fn sub_11_sub_12_sub_15_it_is_opened_again_with_a_new_id_and_the_cache_is_forgotten() {
    let mut source = Source::start();
    let client = source.client();
    let listen = client.listen(everything()).header("x-window", "3").relisten_with(Constant(Duration::ZERO));
    let (opened, first) = tokio::join!(in_time(listen.open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    let names = || async {
        let tools = client.list_tools().send().await.unwrap().into_items();
        let read = client.read_resource("file:///a").send().await.unwrap().into_complete().unwrap();
        let read: Value = serde_json::to_value(read.into_result()).unwrap();
        format!("{} {}", tools[0].name, read["contents"][0]["text"].as_str().unwrap())
    };
    assert_eq!((names().await, names().await), ("v1 v1".to_owned(), "v1 v1".to_owned()));
    let first_id = first.id.clone();
    first.notify("tools/list_changed", json!({}));
    first.cut();
    let asked = source.asked().await;
    assert_eq!(asked.post.header("x-window"), Some("3"));
    assert_eq!(asked.filter, serde_json::to_value(everything()).unwrap());
    let stream = asked.acknowledge_only(&json!({ "toolsListChanged": true }));
    assert_ne!(stream.id, first_id);
    assert_eq!(in_time(opened.next()).await, Some(Event::ToolsChanged));
    assert_eq!(in_time(opened.next()).await, Some(Event::Relistened));
    assert_eq!((opened.relistened(), opened.acknowledged()), (1, tools()));
    assert_eq!(
        opened.unsupported(),
        SubscriptionFilter::default().with_prompts().with_resources().with_resource("file:///a")
    );
    assert_eq!((names().await, names().await), ("v2 v2".to_owned(), "v2 v2".to_owned()));
    // Of the old one nothing counts any more; the record stays that of the first request.
    let mut stale = stream.notification("tools/list_changed", json!({}));
    stale["params"]["_meta"][super::source::SUBSCRIPTION_ID] = first_id.clone();
    stream.event(&stale);
    stream.notify("prompts/list_changed", json!({}));
    stream.finish();
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(events, [Event::PromptsChanged]);
    assert!(matches!(end, SubscriptionEnd::Graceful), "{end:?}");
    assert_eq!(serde_json::to_value(&opened.record().request_id).unwrap(), first_id);
    let listens = source.methods().iter().filter(|method| *method == "subscriptions/listen").count();
    assert_eq!(listens, 2, "no other POST was made for it");
}

/// From the break on nobody tells of changes, so what is kept is not used while it is being opened again.
#[tokio::test]
async fn sub_15_the_cache_is_forgotten_when_it_breaks_off_and_again_when_it_is_open() {
    let mut source = Source::start();
    let client = source.client();
    // What tells of the break is the wait for it, and the second request is held back until it is answered.
    let (told, mut breaks) = tokio::sync::mpsc::unbounded_channel();
    let listen = client.listen(tools()).relisten_with(Tells(told));
    let (opened, first) = tokio::join!(in_time(listen.open()), async { source.asked().await.acknowledge() });
    let mut opened = opened.unwrap();
    let is_fetched = || async { client.list_tools().send().await.unwrap().freshness().is_fetched() };
    assert_eq!((is_fetched().await, is_fetched().await), (true, false));
    first.cut();
    assert_eq!(in_time(breaks.recv()).await, Some(()));
    let asked = source.asked().await;
    assert_eq!((is_fetched().await, is_fetched().await), (true, false), "broken off");
    let _stream = asked.acknowledge();
    assert_eq!(in_time(opened.next()).await, Some(Event::Relistened));
    assert_eq!((is_fetched().await, is_fetched().await), (true, false), "open again");
}

/// Tells of each break.
#[derive(Debug)]
struct Tells(tokio::sync::mpsc::UnboundedSender<()>);

impl Backoff for Tells {
    fn delay(&self, _: u32, _: &Failure<'_>, _: f64) -> Duration {
        let _ = self.0.send(());
        Duration::ZERO
    }
}

/// A server or a proxy that cuts each stream at once is asked for ever more seldom.
#[tokio::test(start_paused = true)]
async fn sub_11_waits_grow_until_it_has_held_for_10_seconds() {
    let (client, mut far) = memory::client(|builder| builder);
    let (mut opened, mut near) = open(&client, &mut far, |listen| listen).await;
    let mut waits = Vec::new();
    // How long each stream is open, and whether the first attempt to open it again fails.
    for (open, fails) in [(0, false), (9, false), (0, true), (10, false), (0, false)] {
        tokio::time::sleep(SECOND * open).await;
        drop(near);
        let broke = Instant::now();
        if fails {
            far.request().await.fail(broken());
            waits.push(broke.elapsed().as_secs());
        }
        near = far.request().await.acknowledge();
        waits.push(broke.elapsed().as_secs());
        assert_eq!(opened.next().await, Some(Event::Relistened));
    }
    // The third wait has two parts, of 3 and 4 seconds.
    assert_eq!(waits, [1, 2, 3, 7, 1, 2]);
    assert_eq!(opened.relistened(), 5);
    assert_eq!(opened.try_next(), None);
    assert!(opened.end().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_the_server_ended_itself_is_not_opened_again() {
    let (client, mut far) = memory::client(|builder| builder);
    let error = json!({ "code": -32603, "message": "x" });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 0, "error": error }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 0 } }),
    ] {
        let (mut opened, near) = open(&client, &mut far, |listen| listen).await;
        let text = message.to_string().replace(":0", &format!(":{}", near.id));
        near.send(&serde_json::from_str(&text).unwrap());
        let (events, end) = read_all(&mut opened).await;
        assert!(events.is_empty(), "{message}: {end:?}");
        tokio::time::sleep(SECOND * 60).await;
        assert!(!far.is_asked(), "{message}");
    }
    // Nor is one that nobody reads.
    let (mut opened, near) = open(&client, &mut far, |listen| listen.buffer(1)).await;
    near.notify("tools/list_changed", json!({}));
    near.notify("tools/list_changed", json!({}));
    near.closed().await;
    tokio::time::sleep(SECOND * 60).await;
    assert!(matches!(read_all(&mut opened).await.1, SubscriptionEnd::Lagged));
    assert!(!far.is_asked());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_ends_it_and_says_why() {
    let (client, mut far) = memory::client(|builder| builder);
    let refuse = |status: u16, body: &str| {
        let exchange = Exchange::message(body.to_owned());
        if status == 200 {
            exchange
        } else {
            exchange.with_head(HttpHead::new(status, http::HeaderMap::new()))
        }
    };
    for (status, outcome) in
        [(401, OutcomeKind::HttpError), (404, OutcomeKind::HttpError), (200, OutcomeKind::JsonrpcError)]
    {
        let (mut opened, near) = open(&client, &mut far, |listen| listen).await;
        near.fail(TransportError::new(TransportErrorKind::Broken, Delivery::Unknown));
        // A server that cannot be had is no refusal.
        far.request().await.answer(refuse(503, ""));
        let request = far.request().await;
        let id = request.body["id"].clone();
        let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32000, "message": "full" } });
        request.answer(refuse(status, &error.to_string()));
        let (events, end) = read_all(&mut opened).await;
        assert_eq!(abrupt(&end).outcome(), outcome);
        assert!(events.is_empty(), "it was never opened again: {events:?}");
        assert_eq!(opened.relistened(), 0);
        assert_eq!(abrupt(&end).record().unwrap().method, "subscriptions/listen");
        tokio::time::sleep(SECOND * 60).await;
        assert!(!far.is_asked());
    }
}

/// A server that answers the second request at once has ended it, and is not asked again.
#[tokio::test(start_paused = true)]
async fn field_sub_01_an_answer_without_acknowledgement_ends_it_the_second_time_too() {
    let (client, mut far) = memory::client(|builder| builder);
    let (mut opened, near) = open(&client, &mut far, |listen| listen).await;
    drop(near);
    let request = far.request().await;
    let answer =
        json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": { "resultType": "complete" } });
    request.answer(Exchange::message(answer.to_string()));
    let (events, end) = read_all(&mut opened).await;
    assert!(events.is_empty() && matches!(end, SubscriptionEnd::Unacknowledged), "{end:?}");
    assert_eq!((opened.relistened(), opened.acknowledged()), (0, tools()));
    tokio::time::sleep(SECOND * 60).await;
    assert!(!far.is_asked());
}

#[tokio::test(start_paused = true)]
async fn it_can_be_closed_while_it_waits_and_while_it_is_opened_again() {
    let (client, mut far) = memory::client(|builder| builder);
    let (mut opened, near) = open(&client, &mut far, |listen| listen).await;
    drop(near);
    tokio::time::sleep(SECOND / 2).await;
    assert!(opened.end().is_none(), "it waits");
    opened.close();
    assert!(matches!(read_all(&mut opened).await.1, SubscriptionEnd::Closed));
    tokio::time::sleep(SECOND * 60).await;
    assert!(!far.is_asked());

    let (opened, near) = open(&client, &mut far, |listen| listen).await;
    drop(near);
    let mut request = far.request().await;
    drop(opened);
    request.given_up().await;

    let stop = CancelHandle::new();
    for while_it_waits in [true, false] {
        let stop = if while_it_waits { stop.clone() } else { CancelHandle::new() };
        let (mut opened, near) = open(&client, &mut far, |listen| listen.cancel_with(&stop)).await;
        drop(near);
        if while_it_waits {
            tokio::time::sleep(SECOND / 2).await;
            stop.cancel("enough");
        } else {
            let mut request = far.request().await;
            stop.cancel("enough");
            request.given_up().await;
        }
        assert!(matches!(read_all(&mut opened).await.1, SubscriptionEnd::Closed));
        tokio::time::sleep(SECOND * 60).await;
        assert!(!far.is_asked());
    }
}

/// Opening it again has the limit of opening it, and no longer.
#[tokio::test(start_paused = true)]
async fn each_opening_is_given_the_time_of_the_acknowledgement() {
    let (client, mut far) = memory::client(|builder| builder);
    let (mut opened, near) =
        open(&client, &mut far, |listen| listen.acknowledgement_timeout(SECOND * 5)).await;
    drop(near);
    let mut silent = far.request().await;
    let since = Instant::now();
    silent.given_up().await;
    assert_eq!(since.elapsed(), SECOND * 5);
    let near = far.request().await.acknowledge();
    assert_eq!(since.elapsed(), SECOND * 7);
    assert_eq!(opened.next().await, Some(Event::Relistened));
    tokio::time::sleep(SECOND * 3_600).await;
    near.notify("tools/list_changed", json!({}));
    assert_eq!(opened.next().await, Some(Event::ToolsChanged));
}

#[tokio::test(start_paused = true)]
async fn a_backoff_without_end_and_a_full_buffer_end_it() {
    #[derive(Debug)]
    struct Never;
    impl Backoff for Never {
        fn delay(&self, _: u32, _: &Failure<'_>, _: f64) -> Duration {
            Duration::MAX
        }
    }
    let (client, mut far) = memory::client(|builder| builder);
    let (mut opened, near) = open(&client, &mut far, |listen| listen.relisten_with(Never)).await;
    drop(near);
    let (_, end) = read_all(&mut opened).await;
    assert_eq!(abrupt(&end).outcome(), OutcomeKind::StreamIncomplete);
    assert!(!far.is_asked());

    let (mut opened, near) = open(&client, &mut far, |listen| listen.buffer(1)).await;
    near.notify("tools/list_changed", json!({}));
    drop(near);
    let near = far.request().await.acknowledge();
    near.closed().await;
    let (events, end) = read_all(&mut opened).await;
    assert_eq!(events, [Event::Relistened]);
    assert!(matches!(end, SubscriptionEnd::Lagged), "{end:?}");
}

#[derive(Debug, Default, Clone)]
struct Records(Arc<Mutex<Vec<CallRecord>>>);

impl Observer for Records {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

#[tokio::test(start_paused = true)]
async fn the_observer_is_told_of_each_opening() {
    let records = Records::default();
    let (client, mut far) = memory::client(|builder| builder.observer(records.clone()));
    let (mut opened, near) = open(&client, &mut far, |listen| listen.scenario("watch")).await;
    drop(near);
    far.request().await.fail(broken());
    let _near = far.request().await.acknowledge();
    assert_eq!(opened.next().await, Some(Event::Relistened));
    let seen = records.0.lock().unwrap();
    let outcomes: Vec<_> = seen.iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [OutcomeKind::ToolSuccess, OutcomeKind::TransportError, OutcomeKind::ToolSuccess]);
    assert!(seen.iter().all(|record| record.scenario.as_deref() == Some("watch")));
}

/// It goes on while no client is left but its own.
#[tokio::test(start_paused = true)]
async fn it_outlives_the_client_that_opened_it() {
    let (client, mut far) = memory::client(|builder| builder);
    let (mut opened, near) = open(&client, &mut far, |listen| listen).await;
    drop(client);
    near.notify("tools/list_changed", json!({}));
    drop(near);
    let _near = far.request().await.acknowledge();
    assert_eq!(opened.next().await, Some(Event::ToolsChanged));
    assert_eq!(opened.next().await, Some(Event::Relistened));
}
