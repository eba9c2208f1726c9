//! `Retry-After`: never undercut, never clamped, and waited for only where it fits.

use std::time::Duration;

use mcp_client::{
    Delivery, OutcomeKind,
    record::Note,
    retry::{Constant, Decision, Delay, DelaySource, Retry, StopReason, policy_fn},
};
use tokio::time::Instant;

use super::{SECOND, TICK, assert_passed, assert_since, millis, steady};
use crate::{
    retry::{Act, Play, attempts, stopped},
    support::record,
};

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

#[tokio::test(start_paused = true)]
async fn a_second_is_waited_for_and_at_most_a_tenth_more() {
    let mut lengths = Vec::new();
    for seed in 0..200 {
        let play = Play::new([Act::limited("1"), Act::good()]);
        let client = play.client().retry(Retry::builder().seed(seed).build()).build().unwrap();
        let ended = client.call_tool("x").send().await;
        assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess);
        let delay = attempts(&ended)[1].delay.unwrap();
        assert_eq!(delay.source, DelaySource::RetryAfter);
        assert!(delay.length >= SECOND && delay.length <= millis(1100), "{delay:?}");
        let gaps = play.gaps();
        assert_eq!(gaps.len(), 1);
        // What the log says is what was waited.
        assert_passed(gaps[0], delay.length);
        assert!(gaps[0] >= SECOND && gaps[0] <= millis(1100) + TICK, "{gaps:?}");
        lengths.push(delay.length);
    }
    // Many clients do not come back at once: the tenth is made use of.
    assert!(lengths.iter().min() < Some(&millis(1010)), "{:?}", lengths.iter().min());
    assert!(lengths.iter().max() > Some(&millis(1090)), "{:?}", lengths.iter().max());
}

/// A tenth of a long wait would be long: it is a second at most.
#[tokio::test(start_paused = true)]
async fn the_spread_is_at_most_a_second() {
    for seed in 0..50 {
        let play = Play::new([Act::limited("25"), Act::good()]);
        let client = play.client().retry(Retry::builder().seed(seed).build()).build().unwrap();
        let ended = client.call_tool("x").send().await;
        let length = attempts(&ended)[1].delay.unwrap().length;
        assert!(length >= 25 * SECOND && length <= 26 * SECOND, "{length:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_seed_gives_the_same_waits_on_each_call() {
    let play = Play::new([Act::status(503)]);
    let retry = Retry::builder().seed(42).max_attempts(10).without_budget().build();
    let client = play.client().retry(retry).build().unwrap();
    let mut waits = Vec::new();
    for _ in 0..2 {
        let ended = client.call_tool("x").idempotent().send().await;
        waits.push(attempts(&ended).iter().map(|attempt| attempt.delay).collect::<Vec<_>>());
    }
    assert_eq!(waits[0].len(), 10);
    assert_eq!(waits[0], waits[1]);
    assert_ne!(waits[0][1], waits[0][2]);
}

#[tokio::test(start_paused = true)]
async fn an_hour_with_a_deadline_of_five_seconds_fails_at_once() {
    let play = Play::new([Act::limited("3600"), Act::good()]);
    let client = play.client().timeout(5 * SECOND).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").send().await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    let hour = Duration::from_secs(3600);
    assert_eq!(stopped(&ended), Some(&StopReason::ServerDelay(hour)));
    let error = ended.unwrap_err();
    assert_eq!((error.retry_after(), error.is_rate_limited()), (Some(hour), true));
    assert_eq!((error.delivery(), play.count()), (Delivery::Refused, 1));
}

/// What the server may ask for is a setting, and the border belongs to it.
#[tokio::test(start_paused = true)]
async fn the_longest_wait_that_a_server_may_ask_for() {
    for (limit, asked, reason) in [
        (None, "30", StopReason::Done),
        (None, "31", StopReason::ServerDelay(31 * SECOND)),
        (Some(5), "5", StopReason::Done),
        (Some(5), "6", StopReason::ServerDelay(6 * SECOND)),
        (Some(0), "0", StopReason::Done),
        (Some(0), "1", StopReason::ServerDelay(SECOND)),
    ] {
        let play = Play::new([Act::limited(asked), Act::good()]);
        let mut retry = Retry::builder();
        if let Some(limit) = limit {
            retry = retry.max_server_delay(limit * SECOND);
        }
        let client = play.client().retry(retry.build()).build().unwrap();
        let ended = client.call_tool("x").send().await;
        assert_eq!(stopped(&ended), Some(&reason), "{asked}");
        assert_eq!(play.count(), if reason == StopReason::Done { 2 } else { 1 }, "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_does_not_fit_is_not_begun() {
    // Six seconds may be asked for, and there are five. Five do not fit either: nothing would be left to call in.
    for asked in ["6", "5"] {
        for retry in [Retry::standard(), Retry::builder().without_budget().build()] {
            let play = Play::new([Act::limited(asked), Act::good()]);
            let client = play.client().timeout(5 * SECOND).retry(retry).build().unwrap();
            let started = Instant::now();
            let ended = client.call_tool("x").send().await;
            assert_eq!(started.elapsed(), Duration::ZERO, "{asked}");
            assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Deadline), 1), "{asked}");
            let error = ended.unwrap_err();
            assert_eq!(error.retry_after(), asked.parse().ok().map(Duration::from_secs));
        }
    }
    let play = Play::new([Act::limited("4"), Act::good()]);
    let client = play.client().timeout(5 * SECOND).build().unwrap();
    assert!(client.call_tool("x").send().await.is_ok());
}

/// Each form has its one defined result.
#[tokio::test(start_paused = true)]
async fn all_forms() {
    enum Result {
        /// It was waited for.
        Waited(u64),
        /// It is no hint: the backoff decides, and the record notes it.
        NoHint,
        /// It is longer than is waited for.
        TooLong(u64),
    }
    use Result::{NoHint, TooLong, Waited};
    let forms: [(&[&str], Result); 23] = [
        (&["0"], Waited(0)),
        (&["7"], Waited(7)),
        (&["007"], Waited(7)),
        (&["Sun, 06 Nov 1994 08:49:47 GMT"], Waited(10)),
        (&["Sunday, 06-Nov-94 08:49:47 GMT"], Waited(10)),
        (&["Sun Nov  6 08:49:47 1994"], Waited(10)),
        (&["Sun, 06 Nov 1994 08:49:37 GMT"], Waited(0)),
        (&["Sun, 06 Nov 1994 08:49:00 GMT"], Waited(0)),
        (&["Thu, 01 Jan 1970 00:00:00 GMT"], Waited(0)),
        (&["Sun, 06 Nov 1994 09:49:37 GMT"], TooLong(3600)),
        (&["18446744073709551615"], TooLong(u64::MAX)),
        (&["18446744073709551616"], NoHint),
        (&["-1"], NoHint),
        (&["+1"], NoHint),
        (&["1.5"], NoHint),
        (&["1e3"], NoHint),
        (&["soon"], NoHint),
        (&[""], NoHint),
        (&["Sun, 99 Nov 1994 08:49:37 GMT"], NoHint),
        (&["1, 2"], NoHint),
        (&["2", "2"], Waited(2)),
        (&["1", "2"], NoHint),
        (&["1", "soon"], NoHint),
    ];
    for (values, result) in forms {
        let mut headers = vec![("date", DATE.to_owned())];
        headers.extend(values.iter().map(|value| ("retry-after", (*value).to_owned())));
        let play = Play::new([Act::Http(429, headers, ""), Act::good()]);
        let client = play.client().retry(steady().build()).build().unwrap();
        let started = Instant::now();
        let ended = client.call_tool("x").send().await;
        let unreadable = record(&ended).notes.contains(&Note::UnreadableRetryAfter);
        assert_eq!(unreadable, matches!(result, NoHint), "{values:?}");
        if let TooLong(seconds) = result {
            let asked = Duration::from_secs(seconds);
            assert_eq!(started.elapsed(), Duration::ZERO, "{values:?}");
            assert_eq!(stopped(&ended), Some(&StopReason::ServerDelay(asked)), "{values:?}");
            assert_eq!((ended.unwrap_err().retry_after(), play.count()), (Some(asked), 1), "{values:?}");
            continue;
        }
        assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Done), 2), "{values:?}");
        let delay = attempts(&ended)[1].delay.unwrap();
        if let Waited(seconds) = result {
            let asked = Duration::from_secs(seconds);
            assert_eq!(delay.source, DelaySource::RetryAfter, "{values:?}");
            assert!(delay.length >= asked && delay.length <= asked + asked / 10, "{values:?} {delay:?}");
        } else {
            assert_eq!(delay, Delay { length: millis(100), source: DelaySource::Backoff }, "{values:?}");
        }
        assert_passed(play.gaps()[0], delay.length);
    }
}

/// A date that no clock can hold as a wait ends the call, also where everything is waited for.
#[tokio::test(start_paused = true)]
async fn an_absurd_delay_fits_no_deadline_not_even_a_missing_one() {
    let play = Play::new([Act::limited("18446744073709551615"), Act::good()]);
    let retry = Retry::builder().max_server_delay(Duration::MAX).build();
    let client = play.client().retry(retry).timeout(Duration::MAX).build().unwrap();
    let started = Instant::now();
    let ended = client.call_tool("x").send().await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!((stopped(&ended), play.count()), (Some(&StopReason::Deadline), 1));
}

/// A redirect is no request to come back: its delay can be read, and is not waited for.
#[tokio::test(start_paused = true)]
async fn on_a_redirect_it_is_read_and_not_obeyed() {
    for status in [301, 302, 303, 307] {
        let play = Play::new([Act::Http(status, vec![("retry-after", "1".to_owned())], ""), Act::good()]);
        let client = play.client().retry(steady().build()).build().unwrap();
        let started = Instant::now();
        let ended = client.call_tool("x").idempotent().send().await;
        assert_eq!((started.elapsed(), play.count()), (Duration::ZERO, 1), "{status}");
        assert_eq!(stopped(&ended), Some(&StopReason::Done), "{status}");
        assert_eq!(ended.unwrap_err().retry_after(), Some(SECOND), "{status}");
    }
}

/// A 503 that says when to come back may have run all the same.
#[tokio::test(start_paused = true)]
async fn it_is_no_proof_that_a_503_did_not_run() {
    for vouched in [false, true] {
        let play = Play::new([Act::Http(503, vec![("retry-after", "2".to_owned())], ""), Act::good()]);
        let client = play.client().retry(steady().build()).build().unwrap();
        let call = client.call_tool("x");
        let started = Instant::now();
        let ended = if vouched { call.idempotent() } else { call }.send().await;
        if vouched {
            assert_eq!(attempts(&ended)[1].delay.unwrap().source, DelaySource::RetryAfter);
            assert!(started.elapsed() >= 2 * SECOND);
        } else {
            assert_since(started, Duration::ZERO);
            assert_eq!(stopped(&ended), Some(&StopReason::MayHaveRun));
            assert_eq!(ended.unwrap_err().retry_after(), Some(2 * SECOND));
        }
    }
}

/// Neither a policy nor a backoff can come back earlier; a policy may come later.
#[tokio::test(start_paused = true)]
async fn a_policy_can_wait_longer_and_never_shorter() {
    for (wished, source, at_least, at_most) in [
        (Duration::ZERO, DelaySource::RetryAfter, 2000, 2200),
        (SECOND, DelaySource::RetryAfter, 2000, 2200),
        (5 * SECOND, DelaySource::Policy, 5000, 5000),
    ] {
        let play = Play::new([Act::limited("2"), Act::good()]);
        let policy = policy_fn("eager", move |_| Decision::retry().after(wished));
        let retry = Retry::builder().backoff(Constant(Duration::ZERO)).policy(policy).build();
        let client = play.client().retry(retry).build().unwrap();
        let ended = client.call_tool("x").send().await;
        let delay = attempts(&ended)[1].delay.unwrap();
        assert_eq!(delay.source, source, "{wished:?}");
        assert!(delay.length >= millis(at_least) && delay.length <= millis(at_most), "{wished:?} {delay:?}");
        assert_passed(play.gaps()[0], delay.length);
    }
}
