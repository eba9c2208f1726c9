//! A cancellation and an answer that cross each other: one of them wins, and everything says the same.

use mcp_client::{
    CancelHandle, Client, Delivery, OutcomeKind, Retry,
    transport::{Exchange, MemoryTransport},
};

use super::{WHY, assert_cancelled};
use crate::{
    fault::{ANSWER, Ended, assert_good, good, in_time, only_calls, serve},
    support::record,
};

/// What a call may come to that is cancelled while its answer is on its way.
#[track_caller]
fn assert_one_of_both(what: &str, ended: &Ended) -> bool {
    let was_cancelled = record(ended).outcome == OutcomeKind::Cancelled;
    if was_cancelled {
        let posts = record(ended).posts.clone();
        let delivery = if posts.is_empty() { Delivery::NotSent } else { Delivery::Unknown };
        assert_cancelled(what, ended, delivery, &posts);
        assert!(posts.len() <= 1, "{what}");
    } else {
        assert_ne!(record(ended).delivery, Delivery::Unknown, "{what}");
        assert!(ended.is_ok(), "{what}: {ended:?}");
    }
    was_cancelled
}

/// Every order that there is of so many steps, without a clock.
#[tokio::test]
async fn can_05_whoever_comes_first_wins() {
    const STEPS: usize = 8;
    let mut cancelled = [0; STEPS];
    for answered_after in 0..STEPS {
        for (cancelled_after, count) in cancelled.iter_mut().enumerate() {
            let transport = MemoryTransport::new(move |request| {
                let message = ANSWER.replace("{{id}}", &request.id.to_string());
                async move {
                    for _ in 0..answered_after {
                        tokio::task::yield_now().await;
                    }
                    Ok(Exchange::message(message))
                }
            });
            let client = Client::with_transport(transport).retry(Retry::never()).build().unwrap();
            let stop = CancelHandle::new();
            let call = client.call_tool("x").cancel_with(&stop).send();
            let (ended, ()) = tokio::join!(call, async {
                for _ in 0..cancelled_after {
                    tokio::task::yield_now().await;
                }
                stop.cancel(WHY);
            });
            *count += usize::from(assert_one_of_both("steps", &ended));
        }
    }
    // The earlier the cancellation, the more often it wins; at the latest it never does when the answer is there at once.
    assert!(cancelled.is_sorted_by(|earlier, later| earlier >= later), "{cancelled:?}");
    assert_eq!(
        cancelled[0],
        STEPS - 1,
        "an answer that is there at once wins over a handle that is used after it"
    );
    assert!(cancelled[STEPS - 1] <= 1, "{cancelled:?}");
}

/// Over sockets: the handle is used as soon as the server has the request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn can_05_answers_that_cross_a_cancellation_do_no_harm() {
    let (server, client) = serve([good()]).await;
    let mut cancelled = 0;
    for number in 1..=60 {
        let stop = CancelHandle::new();
        let call = tokio::spawn(client.call_tool("x").cancel_with(&stop).send());
        server.requested(number).await.unwrap();
        stop.cancel(WHY);
        cancelled += usize::from(assert_one_of_both("sockets", &in_time(call).await.unwrap()));
    }
    assert_good(&"afterwards", &crate::fault::call(&client).await);
    only_calls(&server, 61);
    eprintln!("{cancelled} of 60 were cancelled");
}

/// One handle for many calls, used from another thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handle_cancels_all_the_calls_that_it_was_given_to_and_no_others() {
    let hall = crate::load::hall::Hall::open(async |request: serde_json::Value| {
        if request["params"]["name"] == "slow" {
            std::future::pending::<()>().await;
        }
        crate::load::hall::says("ok")
    })
    .await;
    let client = crate::support::client(&hall.url());
    let (stop, other) = (CancelHandle::new(), CancelHandle::new());
    let call = |stop: &CancelHandle| tokio::spawn(client.call_tool("slow").cancel_with(stop).send());
    let (first, second, third) = (call(&stop), call(&stop.clone()), call(&other));
    hall.when(|counts| counts.waiting == 3).await;
    std::thread::spawn(move || stop.cancel(WHY)).join().unwrap();
    for ended in [first, second] {
        assert_cancelled("both", &in_time(ended).await.unwrap(), Delivery::Unknown, &[None]);
    }
    hall.when(|counts| counts.waiting == 1).await;
    assert!(!third.is_finished() && !other.is_cancelled());
    assert_eq!(client.call_tool("quick").send().await.unwrap().into_success().unwrap().text(), "ok");
    other.cancel(WHY);
    assert_cancelled("third", &in_time(third).await.unwrap(), Delivery::Unknown, &[None]);
}
