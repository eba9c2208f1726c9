//! Calls that are given up, or run out of time, while something is mended. With the clock paused.

use std::{sync::Arc, time::Duration};

use mcp_client::{
    CallRecord, CancelHandle, Client, Delivery, OutcomeKind, Retry,
    retry::StopReason,
    transport::{Exchange, HttpHead, MemoryTransport},
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::Instant,
};

use super::{MODERN, WithHeaders, attempts, error, unsupported};
use crate::{
    retry::{GOOD, Told, stopped},
    support::record,
};

/// What happens to each request, in order: an answer, or none for as long as somebody waits.
type Script = Vec<Option<Answer>>;
type Answer = (u16, String);

struct Set {
    client: Client,
    told: Told,
    /// Says when a request arrives.
    arrived: UnboundedReceiver<usize>,
    transport: Arc<MemoryTransport>,
}

fn set(script: Script) -> Set {
    let (tell, arrived) = unbounded_channel();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let transport = Arc::new(MemoryTransport::new(move |request| {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        tell.send(number + 1).unwrap();
        let answer = script.get(number).cloned().flatten();
        let id = request.id.to_string();
        async move {
            let Some((status, body)) = answer else { return std::future::pending().await };
            let mut headers = http::HeaderMap::new();
            headers.insert("content-type", http::HeaderValue::from_static("application/json"));
            Ok(Exchange::message(body.replace("{{id}}", &id)).with_head(HttpHead::new(status, headers)))
        }
    }));
    let told = Told::default();
    let client = Client::with_transport(WithHeaders(Arc::clone(&transport)))
        .retry(Retry::never())
        .observer(told.clone())
        .build()
        .unwrap();
    Set { client, told, arrived, transport }
}

impl Set {
    async fn requested(&mut self, number: usize) {
        while self.arrived.recv().await.unwrap() < number {}
    }

    fn only_record(&self) -> CallRecord {
        let records = self.told.records();
        assert_eq!(records.len(), 1, "one call, one record");
        records[0].clone()
    }
}

fn mismatch() -> Answer {
    (400, error(-32020, &serde_json::Value::Null))
}

fn refused() -> Answer {
    (400, unsupported(&MODERN))
}

#[tokio::test(start_paused = true)]
async fn time_that_runs_out_while_the_tool_is_listed_leaves_the_refusal() {
    let set = set(vec![Some(mismatch())]);
    let started = Instant::now();
    let ended = set.client.call_tool("x").timeout(Duration::from_secs(5)).send().await;
    assert_eq!(started.elapsed().as_secs(), 5, "the time of the call is that of its repairs, too");
    let error = ended.as_ref().unwrap_err();
    assert_eq!((error.rpc_code(), error.delivery()), (Some(-32020), Delivery::Refused));
    assert_eq!(record(&ended).posts, [Some(400), None], "the list is counted");
    assert_eq!(error.http_status(), Some(400));
    assert_eq!(attempts(record(&ended)), [(Some("HTTP_ERROR"), "none", None)]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_of_the_list_has_the_time_of_an_attempt() {
    let set = set(vec![Some(mismatch())]);
    let started = Instant::now();
    let ended = set.client.call_tool("x").attempt_timeout(Duration::from_secs(2)).send().await;
    assert_eq!((started.elapsed().as_secs(), set.transport.sent().len()), (2, 2));
    assert_eq!(ended.unwrap_err().rpc_code(), Some(-32020));
}

#[tokio::test(start_paused = true)]
async fn there_is_no_repair_without_time_for_it() {
    let set = set(vec![Some(refused()), None]);
    let started = Instant::now();
    // The second attempt has what is left of the time.
    let ended = set.client.call_tool("x").timeout(Duration::from_secs(3)).send().await;
    assert_eq!((started.elapsed().as_secs(), record(&ended).outcome), (3, OutcomeKind::Timeout));
    assert_eq!(record(&ended).posts, [Some(400), None]);
    assert_eq!(record(&ended).delivery, Delivery::Unknown, "the second attempt may have run");
    let set = self::set(vec![Some(refused()), Some((200, GOOD.to_owned()))]);
    let ended = set.client.call_tool("x").timeout(Duration::ZERO).send().await;
    assert_eq!(set.transport.sent().len(), 1);
    let error = ended.as_ref().unwrap_err();
    assert_eq!((error.rpc_code(), error.http_status()), (Some(-32022), Some(400)));
    assert_eq!(attempts(record(&ended)), [(Some("HTTP_ERROR"), "none", None)], "it is told once");
    assert_eq!(stopped(&ended), Some(&StopReason::Deadline));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_the_tool_is_listed_was_refused() {
    let mut set = set(vec![Some(mismatch())]);
    let cancel = CancelHandle::new();
    let call = set.client.call_tool("x").cancel_with(&cancel);
    let under_way = tokio::spawn(call.send());
    set.requested(2).await;
    cancel.cancel("enough");
    let ended = under_way.await.unwrap();
    let error = ended.as_ref().unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::Refused));
    let record = set.only_record();
    assert_eq!(record.posts, [Some(400), None]);
    assert_eq!(record.error_message.as_deref(), Some("enough"));
    assert_eq!(attempts(&record), [(Some("HTTP_ERROR"), "none", None)]);
    assert_eq!(set.transport.sent().len(), 2, "nothing more is sent");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_in_its_second_attempt_may_have_run() {
    let mut set = set(vec![Some(refused())]);
    let cancel = CancelHandle::new();
    let under_way = tokio::spawn(set.client.call_tool("x").cancel_with(&cancel).send());
    set.requested(2).await;
    cancel.cancel("enough");
    let ended = under_way.await.unwrap();
    assert_eq!(
        (record(&ended).outcome, record(&ended).delivery),
        (OutcomeKind::Cancelled, Delivery::Unknown)
    );
    let log = attempts(record(&ended)).into_iter().map(|(failed, ..)| failed).collect::<Vec<_>>();
    assert_eq!(log, [Some("HTTP_ERROR"), Some("CANCELLED")]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_while_the_tool_is_listed_was_refused() {
    let mut set = set(vec![Some(mismatch())]);
    let mut call = Box::pin(set.client.call_tool("x").send());
    tokio::select! {
        biased;
        ended = &mut call => panic!("{ended:?}"),
        () = set.requested(2) => {}
    }
    drop(call);
    let record = set.only_record();
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::Cancelled, Delivery::Refused));
    assert_eq!(record.posts, [Some(400), None], "the list is counted");
    assert_eq!(attempts(&record), [(Some("HTTP_ERROR"), "none", None)]);
}
