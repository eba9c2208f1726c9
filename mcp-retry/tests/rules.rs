//! The rules that hold whatever a policy says, and their order.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests, which fail by panicking")]

mod support;

use std::{sync::Mutex, time::Duration};

use mcp_retry::{
    Backoff, Constant, DEFAULT_BACKOFF_BASE, DEFAULT_BACKOFF_CAP, DEFAULT_MAX_ATTEMPTS,
    DEFAULT_MAX_SERVER_DELAY, DEFAULT_TOKENS, Decision, Delay, DelaySource, Exponential, Failure,
    MAX_ATTEMPTS_CEILING, Origin, Retry, Rules, Safety, Situation, Step, StopReason, Tokens, step,
};

use self::support::not_sent;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const RULES: Rules = Rules { max_attempts: 3, max_server_delay: seconds(30) };

/// Everything in favour of a repetition: the first attempt, never sent, no limit of time.
fn easy<'a>(failure: &'a Failure<'a>) -> Situation<'a> {
    Situation { failure, safety: Safety::Safe, attempts: 1, remaining: None, unit: 0.0 }
}

fn asked(retry_after: Duration) -> Failure<'static> {
    not_sent().with_retry_after(Some(retry_after))
}

/// The wait that follows, with a backoff of 200 ms.
fn delay(decision: Decision, situation: &Situation<'_>) -> Delay {
    match step(decision, situation, &RULES, &Constant(millis(200))) {
        Step::Retry { delay, .. } => delay,
        Step::Stop(reason) => panic!("{reason:?}"),
    }
}

fn stopped(decision: Decision, situation: &Situation<'_>, rules: &Rules) -> Option<StopReason> {
    match step(decision, situation, rules, &Constant(millis(200))) {
        Step::Retry { .. } => None,
        Step::Stop(reason) => Some(reason),
    }
}

#[test]
fn of_several_reasons_the_first_in_the_pipeline_wins() {
    // Everything is against it at first; then one obstacle after another goes.
    let failure = asked(seconds(60));
    let mut situation = Situation {
        failure: &failure,
        safety: Safety::MayHaveRun,
        attempts: 3,
        remaining: Some(seconds(1)),
        unit: 0.5,
    };
    let mut rules = RULES;
    let retry = Decision::retry;
    assert_eq!(
        stopped(Decision::stop("the user said no"), &situation, &rules),
        Some(StopReason::Policy("the user said no".into()))
    );
    assert_eq!(stopped(Decision::Abstain, &situation, &rules), Some(StopReason::Done), "no opinion");
    assert_eq!(stopped(retry(), &situation, &rules), Some(StopReason::MayHaveRun), "the gate");
    situation.safety = Safety::Safe;
    assert_eq!(stopped(retry(), &situation, &rules), Some(StopReason::Attempts));
    situation.attempts = 2;
    assert_eq!(stopped(retry(), &situation, &rules), Some(StopReason::ServerDelay(seconds(60))));
    rules.max_server_delay = seconds(60);
    assert_eq!(stopped(retry(), &situation, &rules), Some(StopReason::Deadline));
    situation.remaining = Some(seconds(62));
    assert_eq!(stopped(retry(), &situation, &rules), None);
}

#[test]
fn nothing_opens_the_gate_when_there_is_nothing_to_repeat() {
    let failure = not_sent();
    let situation = Situation { safety: Safety::Never, attempts: 99, ..easy(&failure) };
    for decision in [Decision::retry(), Decision::retry().accepting_duplicates("ledger dedups")] {
        assert_eq!(stopped(decision, &situation, &RULES), Some(StopReason::Done));
    }
}

#[test]
fn accepting_duplicates_is_the_one_way_past_the_gate() {
    let failure = support::broken();
    let unsafe_call = Situation { safety: Safety::MayHaveRun, ..easy(&failure) };
    for origin in [Origin::None, Origin::Sdk, Origin::Business, Origin::User] {
        for decision in [Decision::retry().by(origin), Decision::retry().by(origin).after(Duration::ZERO)] {
            assert_eq!(stopped(decision.clone(), &unsafe_call, &RULES), Some(StopReason::MayHaveRun));
            let accepting = decision.accepting_duplicates("ledger dedups");
            let Step::Retry { accepting_duplicates, origin: logged, .. } =
                step(accepting.clone(), &unsafe_call, &RULES, &Constant(millis(200)))
            else {
                panic!("it is accepted")
            };
            assert_eq!((accepting_duplicates.as_deref(), logged), (Some("ledger dedups"), origin));
            // Where nothing had to be accepted, there is nothing to note.
            let Step::Retry { accepting_duplicates, .. } =
                step(accepting.clone(), &easy(&failure), &RULES, &Constant(millis(200)))
            else {
                panic!("it is safe")
            };
            assert_eq!(accepting_duplicates, None);
            // It opens the gate, and no limit behind it.
            let late = Situation { attempts: 3, ..unsafe_call };
            assert_eq!(stopped(accepting.clone(), &late, &RULES), Some(StopReason::Attempts));
            let out_of_time = Situation { remaining: Some(Duration::ZERO), ..unsafe_call };
            assert_eq!(stopped(accepting.clone(), &out_of_time, &RULES), Some(StopReason::Deadline));
            let told_to_wait = asked(seconds(31));
            let told_to_wait = Situation { failure: &told_to_wait, ..unsafe_call };
            assert_eq!(stopped(accepting, &told_to_wait, &RULES), Some(StopReason::ServerDelay(seconds(31))));
        }
    }
}

#[test]
fn attempts_are_limited() {
    let failure = not_sent();
    for max_attempts in [0, 1, 2, 3, 10] {
        let rules = Rules { max_attempts, ..RULES };
        for attempts in 1..=12 {
            let situation = Situation { attempts, ..easy(&failure) };
            let expected = (attempts >= max_attempts).then_some(StopReason::Attempts);
            assert_eq!(
                stopped(Decision::retry(), &situation, &rules),
                expected,
                "{attempts} of {max_attempts}"
            );
        }
    }
}

#[test]
fn defaults_and_ceilings() {
    assert_eq!((DEFAULT_MAX_ATTEMPTS, MAX_ATTEMPTS_CEILING, DEFAULT_TOKENS), (3, 10, 10));
    assert_eq!(DEFAULT_MAX_SERVER_DELAY, seconds(30));
    assert_eq!((DEFAULT_BACKOFF_BASE, DEFAULT_BACKOFF_CAP), (millis(200), seconds(8)));
    assert_eq!(Exponential::default(), Exponential::new(DEFAULT_BACKOFF_BASE, DEFAULT_BACKOFF_CAP));
    assert_eq!(Tokens::default().left(), DEFAULT_TOKENS);
    assert_eq!(Retry::default().max_attempts(), 3);
    assert_eq!(Retry::standard().max_attempts(), 3);
    assert_eq!(Retry::never().max_attempts(), 1);
    for (set, holds) in [(0, 1), (1, 1), (2, 2), (10, 10), (11, 10), (u32::MAX, 10)] {
        assert_eq!(Retry::builder().max_attempts(set).build().max_attempts(), holds, "{set}");
    }
}

#[test]
fn the_servers_delay_is_a_floor_with_a_spread_above_it() {
    for (retry_after, most) in [
        (Duration::ZERO, Duration::ZERO),
        (millis(500), millis(550)),
        (seconds(1), millis(1_100)),
        (seconds(5), millis(5_500)),
        (seconds(10), seconds(11)),
        (seconds(20), seconds(21)),
        (seconds(30), seconds(31)),
    ] {
        let failure = asked(retry_after);
        for unit in [0.0, 0.25, 0.5, 0.999_999, 1.0] {
            let situation = Situation { unit, ..easy(&failure) };
            let delay = delay(Decision::retry(), &situation);
            assert_eq!(delay.source, DelaySource::RetryAfter);
            assert!(delay.length >= retry_after && delay.length <= most, "{retry_after:?} {delay:?}");
        }
        let exact = |unit| delay(Decision::retry(), &Situation { unit, ..easy(&failure) }).length;
        assert_eq!(exact(0.0), retry_after);
        assert_eq!(exact(0.5), (retry_after + most) / 2);
        assert_eq!(exact(1.0), most, "the whole spread is used");
    }
}

#[test]
fn without_a_word_of_the_server_the_policys_delay_wins_over_the_backoff() {
    let failure = not_sent();
    let backoff = Delay { length: millis(200), source: DelaySource::Backoff };
    assert_eq!(delay(Decision::retry(), &easy(&failure)), backoff);
    for length in [Duration::ZERO, millis(7), seconds(90)] {
        let policy = Delay { length, source: DelaySource::Policy };
        assert_eq!(delay(Decision::retry().after(length), &easy(&failure)), policy);
    }
}

#[test]
fn a_policys_shorter_delay_loses_against_the_server_and_its_longer_one_wins() {
    let failure = asked(seconds(10));
    let situation = Situation { unit: 0.5, ..easy(&failure) };
    let floor = Delay { length: millis(10_500), source: DelaySource::RetryAfter };
    // 10.2 s is more than what the server asked for, but less than the floor of this call.
    for shorter in [Duration::ZERO, seconds(1), millis(9_999), seconds(10), millis(10_200), millis(10_500)] {
        assert_eq!(delay(Decision::retry().after(shorter), &situation), floor, "{shorter:?}");
    }
    for longer in [millis(10_501), seconds(11), seconds(300)] {
        let policy = Delay { length: longer, source: DelaySource::Policy };
        assert_eq!(delay(Decision::retry().after(longer), &situation), policy);
    }
    // A backoff is no opinion: the server's word replaces it, shorter or longer.
    for backoff in [Duration::ZERO, seconds(100)] {
        let Step::Retry { delay, .. } = step(Decision::retry(), &situation, &RULES, &Constant(backoff))
        else {
            panic!("nothing is against it")
        };
        assert_eq!(delay, floor);
    }
}

#[test]
fn a_server_that_asks_for_too_long_is_not_knocked_at_early() {
    let just_above = seconds(30) + Duration::from_nanos(1);
    let longest = asked(seconds(30));
    assert_eq!(
        delay(Decision::retry(), &easy(&longest)).length,
        seconds(30),
        "the limit itself is waited for"
    );
    for too_long in [just_above, seconds(3_600), Duration::MAX] {
        let failure = asked(too_long);
        for decision in [
            Decision::retry(),
            Decision::retry().after(Duration::ZERO),
            Decision::retry().after(Duration::MAX),
        ] {
            // The delay can be read, for a job queue to take over.
            assert_eq!(
                stopped(decision, &easy(&failure), &RULES),
                Some(StopReason::ServerDelay(too_long)),
                "{too_long:?}"
            );
        }
    }
    let never_wait = Rules { max_server_delay: Duration::ZERO, ..RULES };
    let failure = asked(millis(1));
    assert_eq!(
        stopped(Decision::retry(), &easy(&failure), &never_wait),
        Some(StopReason::ServerDelay(millis(1)))
    );
    assert_eq!(stopped(Decision::retry(), &easy(&asked(Duration::ZERO)), &never_wait), None);
}

#[test]
fn a_wait_that_leaves_no_time_for_an_attempt_is_not_begun() {
    let nanosecond = Duration::from_nanos(1);
    let server = asked(seconds(10));
    let nobody = not_sent();
    for (failure, decision, wait) in [
        (&server, Decision::retry(), seconds(10)),
        (&server, Decision::retry().after(seconds(20)), seconds(20)),
        (&nobody, Decision::retry().after(seconds(2)), seconds(2)),
        (&nobody, Decision::retry(), millis(200)),
        (&nobody, Decision::retry().after(Duration::ZERO), Duration::ZERO),
    ] {
        for (remaining, fits) in
            [(Duration::ZERO, false), (wait, false), (wait + nanosecond, true), (Duration::MAX, true)]
        {
            let situation = Situation { remaining: Some(remaining), ..easy(failure) };
            let expected = (!fits).then_some(StopReason::Deadline);
            assert_eq!(stopped(decision.clone(), &situation, &RULES), expected, "{wait:?} in {remaining:?}");
        }
    }
    // The spread counts: 10 s would fit, 11 s does not.
    let situation = Situation { remaining: Some(millis(10_800)), unit: 1.0, ..easy(&server) };
    assert_eq!(stopped(Decision::retry(), &situation, &RULES), Some(StopReason::Deadline));
}

#[test]
fn absurd_numbers_never_panic() {
    let absurd = [Duration::ZERO, Duration::from_nanos(1), seconds(u64::MAX), Duration::MAX];
    let backoffs: [&dyn Backoff; 3] = [
        &Constant(Duration::MAX),
        &Exponential::new(Duration::MAX, Duration::MAX),
        &Exponential::new(Duration::ZERO, Duration::ZERO),
    ];
    let units = [0.0, 0.999, 1.0, 7.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE];
    let failures = absurd.map(asked).into_iter().chain([not_sent()]);
    for failure in failures {
        for max_server_delay in absurd {
            for remaining in absurd.map(Some).into_iter().chain([None]) {
                for unit in units {
                    for attempts in [0, 1, 2, u32::MAX] {
                        let rules = Rules { max_attempts: u32::MAX, max_server_delay };
                        let situation =
                            Situation { failure: &failure, safety: Safety::Safe, attempts, remaining, unit };
                        for backoff in backoffs {
                            for wish in absurd.map(Some).into_iter().chain([None]) {
                                let decision = match wish {
                                    Some(length) => Decision::retry().after(length),
                                    None => Decision::retry(),
                                };
                                let Step::Retry { delay, .. } = step(decision, &situation, &rules, backoff)
                                else {
                                    continue;
                                };
                                assert!(delay.length >= failure.retry_after().unwrap_or_default());
                                assert!(delay.length < remaining.unwrap_or(Duration::MAX));
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn an_endless_wait_fits_no_deadline_not_even_a_missing_one() {
    let failure = not_sent();
    let endless = step(Decision::retry(), &easy(&failure), &RULES, &Constant(Duration::MAX));
    assert_eq!(endless, Step::Stop(StopReason::Deadline));
    let decision = Decision::retry().after(Duration::MAX);
    assert_eq!(stopped(decision, &easy(&failure), &RULES), Some(StopReason::Deadline));
}

/// Remembers what it was asked.
#[derive(Debug, Default)]
struct Asked(Mutex<Vec<(u32, Option<u16>, f64)>>);

impl Backoff for Asked {
    fn delay(&self, retry: u32, failure: &Failure<'_>, unit: f64) -> Duration {
        self.0.lock().unwrap().push((retry, failure.status(), unit));
        millis(1)
    }
}

#[test]
fn a_backoff_is_told_which_repetition_comes_after_which_failure() {
    let backoff = Asked::default();
    let failure = Failure::from_status(429, None);
    for attempts in [1, 2] {
        let situation = Situation { attempts, unit: 0.25, ..easy(&failure) };
        step(Decision::retry(), &situation, &RULES, &backoff);
    }
    // Where a policy has chosen the delay, or nothing is repeated, nobody asks it.
    step(Decision::retry().after(millis(3)), &easy(&failure), &RULES, &backoff);
    step(Decision::Abstain, &easy(&failure), &RULES, &backoff);
    step(Decision::retry(), &Situation { attempts: 3, ..easy(&failure) }, &RULES, &backoff);
    assert_eq!(*backoff.0.lock().unwrap(), [(1, Some(429), 0.25), (2, Some(429), 0.25)]);
}

#[cfg(feature = "tokio")]
mod refused_statuses {
    use mcp_retry::{Call, Evidence, Repeat, Source, policy_fn};

    use super::support::Fault;
    use super::*;

    /// Attempts of a call that always fails like this, where the gateway is known to refuse with 500 and 503.
    async fn attempts(
        failure: Failure<'static>,
        call: &Call<'_>,
        retry: Retry,
    ) -> (usize, Option<StopReason>) {
        let (_, log) = retry.run(call, |_| std::future::ready(Err::<(), _>(Fault(failure)))).await;
        (log.attempts().len(), log.stopped().cloned())
    }

    fn standard() -> Retry {
        Retry::builder().refused_statuses([500, 503]).build()
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_gateway_refused_did_not_run() {
        let pay = Call::new("tools/call").named("pay");
        for status in [500, 503] {
            let failure = Failure::from_status(status, None);
            assert_eq!(
                attempts(failure, &pay, standard()).await,
                (3, Some(StopReason::Attempts)),
                "{status}"
            );
            let unknown = (1, Some(StopReason::MayHaveRun));
            assert_eq!(attempts(failure, &pay, Retry::standard()).await, unknown, "{status}");
        }
        let not_listed = attempts(Failure::from_status(502, None), &pay, standard()).await;
        assert_eq!(not_listed, (1, Some(StopReason::MayHaveRun)));
        let without_status = attempts(support::broken(), &pay, standard()).await;
        assert_eq!(without_status, (1, Some(StopReason::MayHaveRun)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_listed_status_never_makes_a_safe_call_stop() {
        let read = Call::new("tools/call").with_evidence(Evidence::new(Repeat::ReadOnly, Source::Call));
        for status in [500, 503] {
            let failure = Failure::from_status(status, None);
            let three = (3, Some(StopReason::Attempts));
            assert_eq!(attempts(failure, &read, Retry::standard()).await, three, "{status}");
            assert_eq!(attempts(failure, &read, standard()).await, three, "{status}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_json_rpc_error_is_the_servers_own_answer_whatever_the_gateway_does() {
        let pay = Call::new("tools/call").named("pay");
        let failure = Failure::from_status(503, Some(-32603));
        assert_eq!(attempts(failure, &pay, standard()).await, (1, Some(StopReason::Done)));
        let always = policy_fn("always", |_| Decision::retry());
        let always = Retry::builder().policy(always).refused_statuses([503]).build();
        assert_eq!(attempts(failure, &pay, always).await, (1, Some(StopReason::MayHaveRun)));
    }

    #[tokio::test(start_paused = true)]
    async fn other_facts_stay_as_they_are() {
        let pay = Call::new("tools/call").named("pay");
        let refused = Failure::from_status(503, None).with_retry_after(Some(seconds(31)));
        let too_long = (1, Some(StopReason::ServerDelay(seconds(31))));
        assert_eq!(attempts(refused, &pay, standard()).await, too_long);
        // A redirect is refused anyway, and nothing that a second try helps against.
        let redirects = Retry::builder().refused_statuses([307]).build();
        let redirect = Failure::from_status(307, None);
        assert_eq!(attempts(redirect, &pay, redirects).await, (1, Some(StopReason::Done)));
    }
}
