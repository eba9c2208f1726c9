//! Observers, and futures that are dropped or spawned.

use std::{
    future::{pending, ready},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use mcp_retry::{AttemptObserver, AttemptRecord, Call, Constant, Decision, Retry, policy_fn};
use tokio::time::{sleep, timeout};

use crate::{
    Outcome, every_second, millis, pay,
    policies::AskSomebody,
    seconds,
    support::{Fault, not_sent},
};

type Events = Arc<Mutex<Vec<String>>>;

#[derive(Debug)]
struct Observer(Events);

impl AttemptObserver for Observer {
    fn attempt_ended(&self, call: &Call<'_>, attempt: &AttemptRecord) {
        let name = call.name().unwrap_or_default();
        let outcome = attempt.failed.as_deref().unwrap_or("fine");
        self.0.lock().unwrap().push(format!("{name} {} ended: {outcome}", attempt.number));
    }
}

#[tokio::test(start_paused = true)]
async fn observers_see_each_attempt_before_the_next() {
    let events = Events::default();
    let policy = {
        let events = Arc::clone(&events);
        policy_fn("listed", move |attempt| {
            events.lock().unwrap().push(format!("asked about {}", attempt.number()));
            Decision::retry()
        })
    };
    let retry = Retry::builder().observer(Observer(Arc::clone(&events))).policy(policy).build();
    let _ = retry
        .run(&pay(), |attempt| {
            events.lock().unwrap().push(format!("attempt {}", attempt.number));
            ready(if attempt.number < 3 { Err(Fault(not_sent())) } else { Ok(()) })
        })
        .await;
    assert_eq!(
        *events.lock().unwrap(),
        [
            "attempt 1",
            "pay 1 ended: Unavailable",
            "asked about 1",
            "attempt 2",
            "pay 2 ended: Unavailable",
            "asked about 2",
            "attempt 3",
            "pay 3 ended: fine",
        ]
    );
}

/// Notes when it is dropped.
struct Dropped(Events);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.lock().unwrap().push("dropped".into());
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_stops_everything() {
    // During the wait: at 1.5 s the second attempt has failed, and the third would come at 2 s.
    let events = Events::default();
    let (retry, call) = (every_second(), pay());
    let run = retry.run(&call, |attempt| {
        events.lock().unwrap().push(format!("attempt {}", attempt.number));
        ready(Outcome::Err(Fault(not_sent())))
    });
    assert!(timeout(millis(1_500), run).await.is_err());
    sleep(seconds(3_600)).await;
    assert_eq!(*events.lock().unwrap(), ["attempt 1", "attempt 2"]);

    // During an attempt: it is dropped too.
    let events = Events::default();
    let observer = Observer(Arc::clone(&events));
    let retry = Retry::builder().observer(observer).backoff(Constant(seconds(1))).build();
    let call = pay();
    let run = retry.run(&call, |attempt| {
        events.lock().unwrap().push(format!("attempt {}", attempt.number));
        let dropped = Dropped(Arc::clone(&events));
        async move {
            let _dropped = dropped;
            pending::<Outcome>().await
        }
    });
    assert!(timeout(seconds(1), run).await.is_err());
    sleep(seconds(3_600)).await;
    assert_eq!(*events.lock().unwrap(), ["attempt 1", "dropped"]);

    // While a policy is asked.
    let attempts = AtomicU32::new(0);
    let retry = Retry::builder().policy(AskSomebody).build();
    let run = retry.run(&call, |_| {
        attempts.fetch_add(1, Ordering::Relaxed);
        ready(Outcome::Err(Fault(not_sent())))
    });
    assert!(timeout(seconds(1), run).await.is_err());
    sleep(seconds(3_600)).await;
    assert_eq!(attempts.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_can_be_spawned() {
    fn assert_shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    let retry = Retry::standard();
    assert_shared(&retry);
    let task = tokio::spawn(async move {
        let call = pay();
        let (outcome, log) = retry.run(&call, |_| async { Outcome::Ok("paid") }).await;
        (outcome, log.attempts().len())
    });
    assert_eq!(task.await.unwrap(), (Ok("paid"), 1));
}
