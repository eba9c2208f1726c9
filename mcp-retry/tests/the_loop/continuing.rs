//! A call that is taken up again, or given up between attempts.

use std::sync::Arc;

use mcp_retry::{Ended, Origin, Retry, StopReason};
use tokio::time::{Instant, sleep};

use crate::{
    budget::{TestBudget, Withdraw},
    every_second, failing, millis, origins, pay, seconds, stopped,
    support::{broken, not_sent},
};

#[tokio::test(start_paused = true)]
async fn a_person_tries_again_and_the_log_goes_on() {
    let retry = every_second();
    let log = failing(&retry, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (3, &StopReason::Attempts));

    let started = Instant::now();
    let mut running = retry.begin(pay().with_timeout(seconds(10))).continuing(log, Origin::User);
    assert_eq!(running.log().stopped(), None, "it runs again");
    let first = running.attempt();
    assert_eq!((first.number, first.origin, first.remaining), (4, Origin::User, Some(seconds(10))));
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    let second = running.attempt();
    assert_eq!((second.number, second.origin, second.remaining), (5, Origin::Sdk, Some(seconds(9))));
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    assert_eq!(running.attempt().number, 6);
    // The limits start anew: three attempts again, and no more.
    assert!(!running.ended(Some(not_sent()), Ended::default()).await);
    assert_eq!(started.elapsed(), seconds(2), "a person is not made to wait");
    let log = running.finish();
    assert_eq!(log.attempts().iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let (none, sdk, user) = (Origin::None, Origin::Sdk, Origin::User);
    assert_eq!(origins(&log), [none, sdk, sdk, user, sdk, sdk]);
    assert_eq!(stopped(&log), &StopReason::Attempts);
    assert_eq!(log.attempts()[3].delay, None);
}

#[tokio::test(start_paused = true)]
async fn trying_again_at_last_succeeds_on_the_persons_behalf() {
    let budget = Arc::new(TestBudget::new(Withdraw::Yes));
    let retry = Retry::builder().budget(Arc::clone(&budget)).build();
    let log = failing(&retry, &pay(), broken()).await;
    let mut running = retry.begin(pay()).continuing(log, Origin::User);
    running.attempt();
    assert!(!running.ended(None, Ended::default()).await);
    let log = running.finish();
    assert_eq!((log.attempts().len(), stopped(&log), log.origin()), (2, &StopReason::Done, Origin::User));
    assert_eq!(budget.seen(), (0, vec![false]), "a new first attempt");
}

#[tokio::test(start_paused = true)]
async fn continuing_opens_no_gate() {
    let retry = every_second();
    let log = failing(&retry, &pay(), broken()).await;
    let mut running = retry.begin(pay()).continuing(log, Origin::User);
    running.attempt();
    assert!(!running.ended(Some(broken()), Ended::default()).await);
    assert_eq!(stopped(running.log()), &StopReason::MayHaveRun);
}

#[tokio::test(start_paused = true)]
async fn a_note_belongs_to_the_first_attempt_of_the_person() {
    let retry = every_second();
    let log = failing(&retry, &pay(), not_sent()).await;
    let mut running =
        retry.begin(pay()).continuing(log, Origin::User).with_note("the user accepts a second payment");
    running.attempt();
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    running.attempt();
    assert!(!running.ended(None, Ended::default()).await);
    let log = running.finish();
    let notes: Vec<_> = log.attempts().iter().map(|attempt| attempt.note.as_deref()).collect();
    assert_eq!(notes, [None, None, None, Some("the user accepts a second payment"), None]);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_attempt_stands_in_the_log_that_is_taken() {
    let retry = every_second();
    let mut running = retry.begin(pay());
    running.attempt();
    assert!(running.ended(Some(not_sent()), Ended::default()).await);
    running.attempt();
    sleep(millis(300)).await;
    running.abandon(Ended { request_id: Some(2_i64.into()), failed: Some("CANCELLED".into()) });
    let log = running.take_log();
    let last = log.attempts().last().unwrap();
    assert_eq!((last.number, last.took, last.failed.as_deref()), (2, millis(300), Some("CANCELLED")));
    assert_eq!((last.origin, last.delay.map(|delay| delay.length)), (Origin::Sdk, Some(seconds(1))));
    assert!(running.log().attempts().is_empty());
}
