//! Calls that are given up while nothing is under way, and time that does not count. On a clock that stands still.

use std::time::Duration;

use mcp_client::{
    CancelHandle, Client, Delivery, ElicitAnswer, InputKinds, OutcomeKind, Retry, ToolOutcome,
    error::TransportErrorKind,
    retry::{Constant, StopReason},
    transport::{Exchange, MemoryTransport},
    types::{PromptReference, SubscriptionFilter},
};
use tokio::time::{Instant, sleep};

use super::{WHY, assert_cancelled};
use crate::{
    fault::transport_error,
    retry::{Act, Play, Told, attempts, stopped},
    support::record,
};

const SECOND: Duration = Duration::from_secs(1);

/// Repeats after 10 s.
fn patient() -> Retry {
    Retry::builder().backoff(Constant(10 * SECOND)).max_attempts(5).build()
}

/// Uses a handle after a while.
fn cancel_after(after: Duration) -> CancelHandle {
    let stop = CancelHandle::new();
    let later = stop.clone();
    tokio::spawn(async move {
        sleep(after).await;
        later.cancel(WHY);
    });
    stop
}

/// What is known of the attempts before stands: refused, never sent, or maybe done.
#[tokio::test(start_paused = true)]
async fn a_wait_for_the_next_attempt_is_given_up_at_once() {
    let refused = Act::Fails(TransportErrorKind::Connect, Delivery::NotSent);
    for (what, act, delivery, posts, failed) in [
        ("429", Act::limited("30"), Delivery::Refused, vec![Some(429)], "HTTP_ERROR"),
        ("503", Act::status(503), Delivery::Unknown, vec![Some(503)], "HTTP_ERROR"),
        ("reset", refused, Delivery::NotSent, vec![None], "TRANSPORT_ERROR"),
    ] {
        let play = Play::new([act, Act::good()]);
        let told = Told::default();
        let client = play.client().retry(patient()).observer(told.clone()).build().unwrap();
        let stop = cancel_after(3 * SECOND);
        let started = Instant::now();
        let ended = client.call_tool("x").idempotent().cancel_with(&stop).send().await;
        assert_eq!(started.elapsed().as_secs(), 3, "{what}");
        // The transport in memory takes back no report of a POST.
        let delivery = if posts == [None] { Delivery::Refused } else { delivery };
        let record = assert_cancelled(what, &ended, delivery, &posts);
        assert_eq!(play.count(), 1, "{what}: the next attempt was not made");
        let [attempt] = record.attempts.attempts() else { panic!("{what}: {record:?}") };
        assert_eq!(attempt.failed.as_deref(), Some(failed), "{what}");
        assert_eq!(told.records(), [record], "{what}");
    }
}

/// In the second attempt: the first one's fate is not forgotten.
#[tokio::test(start_paused = true)]
async fn a_later_attempt_is_given_up_at_once() {
    let play = Play::new([Act::limited("0"), Act::Hang]);
    let client = play.client().retry(patient()).build().unwrap();
    let stop = cancel_after(30 * SECOND);
    let ended = client.call_tool("x").cancel_with(&stop).send().await;
    let record = record(&ended);
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::Cancelled, Delivery::Unknown));
    assert_eq!(
        (record.posts.as_slice(), record.error_message.as_deref()),
        (&[Some(429), None][..], Some(WHY))
    );
    let failed: Vec<_> = attempts(&ended).iter().map(|attempt| attempt.failed.clone().unwrap()).collect();
    assert_eq!(failed, ["HTTP_ERROR", "CANCELLED"]);
    assert_eq!(play.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_while_it_waits_is_told_with_what_is_known() {
    for (status, delivery) in [(429, Delivery::Refused), (503, Delivery::Unknown)] {
        let play = Play::new([Act::status(status), Act::good()]);
        let told = Told::default();
        let client = play.client().retry(patient()).observer(told.clone()).build().unwrap();
        let call = client.call_tool("x").idempotent().send();
        tokio::time::timeout(3 * SECOND, call).await.unwrap_err();
        let [record] = &told.records()[..] else { panic!("{status}") };
        assert_eq!((record.outcome, record.delivery), (OutcomeKind::Cancelled, delivery), "{status}");
        assert_eq!(record.posts, [Some(status)]);
        assert_eq!(play.count(), 1);
    }
}

/// Between the pages of a list, too.
#[tokio::test(start_paused = true)]
async fn a_walk_over_pages_ends_at_the_page_that_is_under_way() {
    let transport = MemoryTransport::new(|request| {
        let id = request.id.to_string();
        async move {
            sleep(SECOND).await;
            let page = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","tools":[],"nextCursor":"{id}","ttlMs":0,"cacheScope":"private"}}}}"#
            );
            Ok(Exchange::message(page))
        }
    });
    let client = Client::with_transport(transport).build().unwrap();
    let stop = cancel_after(3 * SECOND + SECOND / 2);
    let started = Instant::now();
    let mut pages = client.list_tools().cancel_with(&stop).pages();
    let mut fetched = 0;
    let error = loop {
        match pages.next().await.unwrap() {
            Ok(_) => fetched += 1,
            Err(error) => break error,
        }
    };
    assert_eq!((fetched, started.elapsed().as_millis() / 100), (3, 35), "{error:?}");
    assert!(pages.next().await.is_none(), "after an error there are no more");
}

/// The specification asks for a limit of every request that is sent.
#[tokio::test(start_paused = true)]
async fn can_09_every_method_has_a_time_limit_by_default() {
    let play = Play::new([Act::Hang]);
    let client = play.client().retry(Retry::never()).build().unwrap();
    let started = Instant::now();
    let (call, read, prompt, complete, discover) = tokio::join!(
        client.call_tool("x").send(),
        client.read_resource("file:///a").send(),
        client.get_prompt("p").send(),
        client.complete(PromptReference::new("p"), "a", "v").send(),
        client.discover().send(),
    );
    let errors = [
        call.unwrap_err(),
        read.unwrap_err(),
        prompt.unwrap_err(),
        complete.unwrap_err(),
        discover.unwrap_err(),
    ];
    assert_eq!(started.elapsed().as_secs(), 60);
    assert!(errors.iter().all(|error| error.to_string() == "no answer came within 60s"), "{errors:?}");
    let (tools, resources, templates, prompts, listen) = tokio::join!(
        client.list_tools().send(),
        client.list_resources().send(),
        client.list_resource_templates().send(),
        client.list_prompts().send(),
        client.listen(SubscriptionFilter::default().with_tools()).open(),
    );
    assert_eq!(started.elapsed().as_secs(), 120);
    let timed_out = [
        tools.unwrap_err().is_timeout(),
        resources.unwrap_err().is_timeout(),
        templates.unwrap_err().is_timeout(),
        prompts.unwrap_err().is_timeout(),
        listen.unwrap_err().is_timeout(),
    ];
    assert_eq!(timed_out, [true; 5]);
    assert_eq!(play.count(), 10);
}

/// The limit is that of each round; what a person needs in between is theirs.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_person_does_not_count() {
    let asks = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}}}}"#;
    let transport = MemoryTransport::new(move |request| {
        let (id, number) = (request.id.to_string(), request.id.clone());
        async move {
            // Each round takes a while, and together they take longer than the limit.
            sleep(4 * SECOND).await;
            if number == 4.into() {
                std::future::pending::<()>().await;
            }
            Ok(Exchange::message(asks.replace("{{id}}", &id)))
        }
    });
    let builder = Client::with_transport(transport).accept_input(InputKinds::FORM);
    let client = builder.retry(Retry::never()).build().unwrap();
    let mut outcome = client.call_tool("x").timeout(5 * SECOND).send().await;
    for round in 1..=3 {
        let Ok(ToolOutcome::InputRequired(mut asked)) = outcome else { panic!("{round}: {outcome:?}") };
        sleep(3600 * SECOND).await;
        asked.answer("k", ElicitAnswer::accept_empty()).unwrap();
        let resumed = Instant::now();
        outcome = asked.resume().await;
        assert_eq!(resumed.elapsed().as_secs(), if round < 3 { 4 } else { 5 }, "{round}");
    }
    assert_eq!(transport_error(&outcome).kind(), TransportErrorKind::Timeout { after: 5 * SECOND });
}

/// Time that progress could earn is none that there is: the wait that a server asks for does not fit.
#[tokio::test(start_paused = true)]
async fn a_wait_is_measured_against_the_time_that_the_call_has_now() {
    let play = Play::new([Act::limited("30"), Act::good()]);
    let client = play.client().build().unwrap();
    let started = Instant::now();
    let call = client.call_tool("x").timeout(3 * SECOND).timeout_from_last_progress();
    let ended = call.send().await;
    assert_eq!((started.elapsed(), play.count()), (Duration::ZERO, 1), "{ended:?}");
    assert_eq!(stopped(&ended), Some(&StopReason::Deadline));
    assert_eq!(ended.unwrap_err().http_status(), Some(429), "the failure, unchanged");
}
