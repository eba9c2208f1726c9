//! The budget of repetitions.

use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mcp_retry::{Budget, Constant, Failure, Retry, StopReason, Tokens, async_trait};
use tokio::time::{Instant, sleep};

use crate::{
    failing, millis, pay, seconds, stopped, succeeding_at,
    support::{broken, not_sent},
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Withdraw {
    Yes,
    No,
    After(Duration),
    Never,
    Panic,
}

/// Counts what it is asked, and answers as it is told.
#[derive(Debug)]
pub(crate) struct TestBudget {
    answer: Withdraw,
    withdrawals: AtomicU32,
    successes: Mutex<Vec<bool>>,
    panics_on_success: bool,
}

impl TestBudget {
    pub(crate) fn new(answer: Withdraw) -> Self {
        Self { answer, withdrawals: AtomicU32::new(0), successes: Mutex::default(), panics_on_success: false }
    }

    pub(crate) fn panicking_on_success(mut self) -> Self {
        self.panics_on_success = true;
        self
    }

    pub(crate) fn seen(&self) -> (u32, Vec<bool>) {
        (self.withdrawals.load(Ordering::Relaxed), self.successes.lock().unwrap().clone())
    }
}

#[async_trait]
impl Budget for TestBudget {
    async fn withdraw(&self) -> bool {
        self.withdrawals.fetch_add(1, Ordering::Relaxed);
        match self.answer {
            Withdraw::Yes => true,
            Withdraw::No => false,
            Withdraw::After(delay) => {
                sleep(delay).await;
                true
            }
            Withdraw::Never => pending().await,
            Withdraw::Panic => panic!("a bug"),
        }
    }

    fn record_success(&self, was_retry: bool) {
        self.successes.lock().unwrap().push(was_retry);
        assert!(!self.panics_on_success, "a bug");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_budget_stops_at_once() {
    let started = Instant::now();
    for answer in [Withdraw::No, Withdraw::Panic] {
        let retry = Retry::builder().budget(TestBudget::new(answer)).build();
        let log = failing(&retry, &pay(), not_sent()).await;
        assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Budget), "{answer:?}");
        // The first attempt is never gated.
        assert_eq!(succeeding_at(1, &retry, &pay(), not_sent()).await.attempts().len(), 1);
    }
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_blocks_is_bounded_by_the_deadline() {
    let retry = Retry::builder().budget(TestBudget::new(Withdraw::Never)).build();
    let started = Instant::now();
    let log = failing(&retry, &pay().with_timeout(seconds(5)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(5));
    // One that takes its time: the wait does not fit any more, and is not begun.
    let slow = TestBudget::new(Withdraw::After(seconds(3)));
    let retry = Retry::builder().budget(slow).backoff(Constant(seconds(2))).build();
    let started = Instant::now();
    let log = failing(&retry, &pay().with_timeout(seconds(5)), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Deadline));
    assert_eq!(started.elapsed(), seconds(3));
    let log = succeeding_at(2, &retry, &pay().with_timeout(millis(5_001)), not_sent()).await;
    assert_eq!(log.attempts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_asked_last_and_told_of_successes() {
    let budget = Arc::new(TestBudget::new(Withdraw::Yes));
    let retry = Retry::builder().budget(Arc::clone(&budget)).backoff(Constant(seconds(1))).build();
    let server_delay = not_sent().with_retry_after(Some(seconds(31)));
    failing(&retry, &pay(), broken()).await;
    failing(&retry, &pay(), Failure::from_code(-32602)).await;
    failing(&retry, &pay(), server_delay).await;
    failing(&retry, &pay().with_timeout(seconds(1)), not_sent()).await;
    assert_eq!(budget.seen(), (0, vec![]), "nothing is paid for what is not repeated");
    failing(&retry, &pay(), not_sent()).await;
    assert_eq!(budget.seen(), (2, vec![]), "two repetitions, and no third");
    succeeding_at(1, &retry, &pay(), not_sent()).await;
    succeeding_at(3, &retry, &pay(), not_sent()).await;
    assert_eq!(budget.seen(), (4, vec![false, true]));
}

#[tokio::test(start_paused = true)]
async fn two_configurations_share_a_budget_by_arc() {
    let budget = Arc::new(Tokens::new(3));
    let [one, other] =
        [(); 2].map(|()| Retry::builder().budget(Arc::clone(&budget)).backoff(Constant(seconds(1))).build());
    assert_eq!(failing(&one, &pay(), not_sent()).await.attempts().len(), 3);
    assert_eq!(budget.left(), 1);
    let log = failing(&other, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (2, &StopReason::Budget));
    let log = failing(&one, &pay(), not_sent()).await;
    assert_eq!((log.attempts().len(), stopped(&log)), (1, &StopReason::Budget));
    // Ten first-try successes of one client pay for a repetition of the other.
    for _ in 0..10 {
        succeeding_at(1, &one, &pay(), not_sent()).await;
    }
    let log = succeeding_at(2, &other, &pay(), not_sent()).await;
    assert_eq!(log.attempts().len(), 2);
    assert_eq!(budget.left(), 1, "a successful repetition gives its cost back");
}

#[tokio::test(start_paused = true)]
async fn clones_share_the_default_budget_and_other_configurations_do_not() {
    let retry = Retry::builder().backoff(Constant(seconds(1))).build();
    for _ in 0..5 {
        assert_eq!(stopped(&failing(&retry.clone(), &pay(), not_sent()).await), &StopReason::Attempts);
    }
    assert_eq!(stopped(&failing(&retry, &pay(), not_sent()).await), &StopReason::Budget, "ten tokens");
    assert_eq!(stopped(&failing(&Retry::standard(), &pay(), not_sent()).await), &StopReason::Attempts);
}
