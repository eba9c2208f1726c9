//! What holds for all policies, all faults and all clocks.
#![cfg(feature = "tokio")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests, which fail by panicking")]

mod support;

use std::{
    cell::Cell,
    sync::{Arc, Barrier},
    time::Duration,
};

use mcp_retry::{
    Attempt, AttemptLog, Budget, Call, Constant, Decision, DelaySource, Delivery, Evidence, Exponential,
    Failure, FailureKind, Layer, NeverRetry, Origin, Repeat, Retry, RetryPolicy, RetryPolicyExt, Rules,
    Safety, Situation, Source, Standard, Step, StopReason, Tokens, async_trait, step,
};
use proptest::{
    collection::vec,
    option, prop_assert, prop_assert_eq, prop_oneof,
    sample::select,
    strategy::{Just, Strategy},
    test_runner::{Config, TestCaseError, TestRunner},
};
use tokio::{
    runtime::Runtime,
    time::{Instant, sleep},
};

use self::support::{DELIVERIES, Fault, KINDS, now};

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

fn paused() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

// ---- policies

/// A policy out of parts, as a test prints it.
#[derive(Clone, Debug)]
enum Recipe {
    /// An opinion an attempt, and the last one again; with the time that it takes to form it.
    Script(Vec<(Duration, Decision)>),
    Standard,
    Never,
    OrElse(Box<Recipe>, Box<Recipe>),
    GuardedBy(Box<Recipe>, Box<Recipe>),
}

impl Recipe {
    fn cook(&self) -> Arc<dyn RetryPolicy> {
        match self {
            Self::Script(opinions) => Arc::new(Script(opinions.clone())),
            Self::Standard => Arc::new(Standard),
            Self::Never => Arc::new(NeverRetry),
            Self::OrElse(first, next) => Arc::new(first.cook().or_else(next.cook())),
            Self::GuardedBy(policy, guard) => Arc::new(policy.cook().guarded_by(guard.cook())),
        }
    }
}

#[derive(Debug)]
struct Script(Vec<(Duration, Decision)>);

#[async_trait]
impl RetryPolicy for Script {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        let index = usize::try_from(attempt.number() - 1).unwrap().min(self.0.len() - 1);
        let (pause, decision) = self.0[index].clone();
        if !pause.is_zero() {
            sleep(pause).await;
        }
        decision
    }
}

/// Choices out of one random number. Strategies of strategies would take most of the time of ten thousand cases.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        let thrown = self.0 % sides;
        self.0 /= sides;
        thrown
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let index = self.below(u64::try_from(from.len()).unwrap());
        from[usize::try_from(index).unwrap()]
    }

    /// A second or so, mostly; sometimes days, or the ends of what there is.
    fn delay(&mut self) -> Duration {
        match self.below(10) {
            0..4 => Duration::from_millis(self.below(20_000)),
            4..8 => Duration::from_micros(self.below(20_000_000)),
            8 => Duration::from_secs(self.below(100_000)),
            _ => self.pick(&[Duration::ZERO, Duration::MAX]),
        }
    }
}

fn dice() -> impl Strategy<Value = Dice> {
    proptest::num::u64::ANY.prop_map(Dice)
}

fn delays() -> impl Strategy<Value = Duration> {
    dice().prop_map(|mut dice| dice.delay())
}

/// Any opinion but one that accepts duplicates. Most ask for more.
fn decisions() -> impl Strategy<Value = Decision> {
    dice().prop_map(|mut dice| match dice.below(10) {
        0 => Decision::Abstain,
        1 => Decision::stop("scripted"),
        _ => {
            let retry =
                Decision::retry().by(dice.pick(&[Origin::Sdk, Origin::None, Origin::Business, Origin::User]));
            if dice.coin() { retry.after(dice.delay()) } else { retry }
        }
    })
}

fn recipes(pauses: impl Strategy<Value = Duration> + Clone + 'static) -> impl Strategy<Value = Recipe> {
    let leaves = prop_oneof![
        6 => vec((pauses, decisions()), 1..6).prop_map(Recipe::Script),
        2 => Just(Recipe::Standard),
        1 => Just(Recipe::Never),
    ];
    leaves.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|(first, next)| Recipe::OrElse(Box::new(first), Box::new(next))),
            (inner.clone(), inner)
                .prop_map(|(policy, guard)| Recipe::GuardedBy(Box::new(policy), Box::new(guard))),
        ]
    })
}

// ---- faults

/// One answer of the model server: what the client sees, and what really happened.
#[derive(Clone, Copy, Debug)]
struct Happened {
    /// `None`: a success.
    failure: Option<Failure<'static>>,
    executed: bool,
}

/// Statuses of which the application in these tests knows that its gateway refuses with them.
const REFUSED: [u16; 2] = [500, 503];

const LAYERS: [Layer; 5] =
    [Layer::Transport, Layer::Protocol, Layer::Interaction, Layer::Application, Layer::Local];

/// Any combination of facts, and a truth that is consistent with them.
fn fault(dice: &mut Dice) -> Happened {
    let failure = match dice.below(10) {
        // The ones that invite a repetition, so that there are many of them.
        0..5 => Failure::new(Layer::Transport, dice.pick(&DELIVERIES[..3]), FailureKind::Unavailable),
        5 => {
            let status = u16::try_from(300 + dice.below(300)).unwrap();
            let codes = [None, Some(-32603), Some(-32602), Some(-32022), Some(-32020), Some(4711)];
            Failure::from_status(status, dice.pick(&codes))
        }
        6 => Failure::from_code(-32_800 + i64::try_from(dice.below(300)).unwrap()),
        _ => {
            let (layer, delivery) = (dice.pick(&LAYERS), dice.pick(&DELIVERIES));
            let statuses = [None, Some(REFUSED[0]), Some(REFUSED[1]), Some(200), Some(429), Some(502)];
            Failure::new(layer, delivery, dice.pick(&KINDS)).with_status(dice.pick(&statuses))
        }
    };
    let retry_after = if dice.below(3) == 0 { Some(dice.delay()) } else { None };
    let failure = failure.with_retry_after(retry_after).with_progress_seen(dice.coin());
    let refused = failure.status().is_some_and(|status| REFUSED.contains(&status));
    let executed = match failure.delivery() {
        Delivery::NotSent | Delivery::Refused => false,
        // The gateway keeps its promise.
        Delivery::Unknown => dice.coin() && !refused,
        Delivery::Answered => true,
    };
    Happened { failure: Some(failure), executed }
}

fn stories() -> impl Strategy<Value = Vec<Happened>> {
    let happened = dice().prop_map(|mut dice| match dice.below(12) {
        11 => Happened { failure: None, executed: true },
        _ => fault(&mut dice),
    });
    vec(happened, 1..12)
}

/// Evidence for a call that nobody vouches for, or that a stronger voice calls unsafe.
fn unvouched() -> impl Strategy<Value = Vec<Evidence>> {
    let sources = [Source::Call, Source::Registry, Source::Protocol, Source::Annotations];
    let repeats = select(vec![Repeat::ReadOnly, Repeat::Idempotent, Repeat::Keyed, Repeat::Unsafe]);
    prop_oneof![
        Just(Vec::new()),
        (0_usize..4, vec((0_usize..4, repeats), 0..4)).prop_map(move |(strongest, weaker)| {
            let word = Evidence::new(Repeat::Unsafe, sources[strongest]);
            let weaker = weaker
                .into_iter()
                .filter(|(source, _)| *source > strongest)
                .map(|(source, repeat)| Evidence::new(repeat, sources[source]));
            let mut words: Vec<_> = weaker.collect();
            // Between the others, so that order does not help.
            words.insert(words.len() / 2, word);
            words
        }),
    ]
}

/// Runs a call against the model server. Gives what it executed, and the log.
async fn tell(retry: &Retry, call: &Call<'_>, story: &[Happened]) -> (u32, AttemptLog) {
    let executions = Cell::new(0);
    let (_, log) = retry
        .run(call, |attempt| {
            let index = usize::try_from(attempt.number - 1).unwrap().min(story.len() - 1);
            assert!(attempt.number <= 10, "no call has more attempts");
            let happened = story[index];
            if happened.executed {
                executions.set(executions.get() + 1);
            }
            std::future::ready(match happened.failure {
                Some(failure) => Err(Fault(failure)),
                None => Ok(()),
            })
        })
        .await;
    (executions.get(), log)
}

#[test]
fn an_unsafe_call_is_executed_at_most_once() {
    let runtime = paused();
    let (repeated, executed, gated) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let case = (
        recipes(Just(Duration::ZERO)),
        stories(),
        unvouched(),
        0_u32..13,
        proptest::bool::ANY,
        option::of(delays()),
        proptest::num::u64::ANY,
    );
    TestRunner::new(config(10_000))
        .run(&case, |(recipe, story, words, max_attempts, knows_gateway, timeout, seed)| {
            let mut builder = Retry::builder()
                .policy(recipe.cook())
                .max_attempts(max_attempts)
                .max_server_delay(Duration::MAX)
                .seed(seed);
            // Without that knowledge a 503 is as unknown as everything else.
            if knows_gateway {
                builder = builder.refused_statuses(REFUSED);
            }
            let mut call = Call::new("tools/call").named("pay");
            for word in words {
                call = call.with_evidence(word);
            }
            if let Some(timeout) = timeout {
                call = call.with_timeout(timeout);
            }
            let (executions, log) = runtime.block_on(tell(&builder.build(), &call, &story));
            prop_assert!(executions <= 1, "executed {executions} times: {log:?}");
            let attempts = log.attempts().len();
            prop_assert!(attempts <= usize::try_from(max_attempts.clamp(1, 10)).unwrap());
            prop_assert!(log.stopped().is_some());
            // Each attempt but the last was harmless, as far as anyone could know.
            for happened in story.iter().take(attempts - 1) {
                let failure = happened.failure.unwrap();
                let refused = failure.status().is_some_and(|status| REFUSED.contains(&status));
                let harmless = match failure.delivery() {
                    Delivery::NotSent | Delivery::Refused => true,
                    Delivery::Unknown => knows_gateway && refused,
                    Delivery::Answered => false,
                };
                prop_assert!(harmless, "{failure:?} was repeated");
            }
            repeated.set(repeated.get() + u32::from(attempts > 1));
            executed.set(executed.get() + executions);
            gated.set(gated.get() + u32::from(log.stopped() == Some(&StopReason::MayHaveRun)));
            Ok(())
        })
        .unwrap();
    // The cases are worth something only while there is enough of each sort.
    let counts = (repeated.get(), executed.get(), gated.get());
    assert!(counts.0 > 1_000 && counts.1 > 1_000 && counts.2 > 1_000, "{counts:?}");
}

#[test]
fn the_model_server_notices_duplicates() {
    // The same set-up with the one thing that lets duplicates through.
    let script = vec![(Duration::ZERO, Decision::retry().accepting_duplicates("to see the model at work"))];
    let retry = Retry::builder().policy(Script(script)).build();
    let story = [Happened { failure: Some(support::broken()), executed: true }];
    let (executions, log) = paused().block_on(tell(&retry, &Call::new("tools/call"), &story));
    assert_eq!((executions, log.attempts().len()), (3, 3));
}

// ---- Retry-After

#[test]
fn no_wait_is_shorter_than_the_server_asked_for() {
    let retries = Cell::new(0);
    let case = (
        decisions(),
        proptest::bool::ANY,
        delays(),
        delays(),
        option::of(delays()),
        0_u32..12,
        delays(),
        proptest::num::f64::ANY,
    );
    TestRunner::new(config(10_000))
        .run(&case, |(decision, accepting, asked, limit, remaining, attempts, backoff, unit)| {
            let failure = support::not_sent().with_retry_after(Some(asked));
            let wished = match &decision {
                Decision::Retry(plan) => plan.delay(),
                _ => None,
            };
            let decision = if accepting { decision.accepting_duplicates("why not") } else { decision };
            let situation = Situation { failure: &failure, safety: Safety::Safe, attempts, remaining, unit };
            let rules = Rules { max_attempts: 11, max_server_delay: limit };
            match step(decision, &situation, &rules, &Constant(backoff)) {
                Step::Retry { delay, .. } => {
                    prop_assert!(delay.length >= asked);
                    prop_assert!(asked <= limit);
                    prop_assert!(remaining.is_none_or(|remaining| delay.length < remaining));
                    let most = asked + (asked / 10).min(Duration::from_secs(1));
                    match delay.source {
                        DelaySource::RetryAfter => prop_assert!(delay.length <= most),
                        DelaySource::Policy => prop_assert_eq!(Some(delay.length), wished),
                        other => return Err(TestCaseError::fail(format!("{other:?}"))),
                    }
                    retries.set(retries.get() + 1);
                }
                Step::Stop(StopReason::ServerDelay(delay)) => {
                    prop_assert_eq!(delay, asked);
                    prop_assert!(asked > limit);
                }
                Step::Stop(_) => {}
            }
            Ok(())
        })
        .unwrap();
    assert!(retries.get() > 1_000, "{}", retries.get());
}

#[test]
fn no_server_is_knocked_at_early() {
    // The same through the loop, by the clock.
    let runtime = paused();
    let retries = Cell::new(0);
    let case = (recipes(pauses()), vec(option::weighted(0.7, delays()), 1..5), proptest::num::u64::ANY);
    TestRunner::new(config(1_000))
        .run(&case, |(recipe, hints, seed)| {
            let retry = Retry::builder()
                .policy(recipe.cook())
                .max_attempts(10)
                .max_server_delay(Duration::from_secs(3_600))
                .without_budget()
                .seed(seed)
                .build();
            let hint = |number: u32| hints[usize::try_from(number - 1).unwrap() % hints.len()];
            let times = Cell::new(Vec::new());
            let log = runtime.block_on(async {
                let call = Call::new("tools/call").with_timeout(Duration::from_secs(86_400));
                let run = retry.run(&call, |attempt| {
                    assert!(attempt.number <= 10, "no call has more attempts");
                    let mut seen = times.take();
                    seen.push(Instant::now());
                    times.set(seen);
                    let failure = support::not_sent().with_retry_after(hint(attempt.number));
                    std::future::ready(Result::<(), _>::Err(Fault(failure)))
                });
                run.await.1
            });
            let times = times.take();
            prop_assert_eq!(times.len(), log.attempts().len());
            for (number, pair) in (1..).zip(times.windows(2)) {
                prop_assert!(pair[1] - pair[0] >= hint(number).unwrap_or_default());
                retries.set(retries.get() + 1);
            }
            Ok(())
        })
        .unwrap();
    assert!(retries.get() > 500, "{}", retries.get());
}

// ---- the deadline

/// Whole milliseconds, which tokio's timers hit exactly.
fn pauses() -> impl Strategy<Value = Duration> + Clone {
    prop_oneof![3 => Just(Duration::ZERO), 1 => (0_u64..3_000).prop_map(Duration::from_millis)]
}

#[derive(Debug)]
struct SlowBudget(Duration);

#[async_trait]
impl Budget for SlowBudget {
    async fn withdraw(&self) -> bool {
        sleep(self.0).await;
        true
    }

    fn record_success(&self, _: bool) {}
}

#[test]
fn waits_and_attempts_together_never_outlast_the_deadline() {
    let runtime = paused();
    let (retries, late) = (Cell::new(0), Cell::new(0));
    let case = (
        recipes(pauses()),
        stories(),
        vec((0_u64..4_000).prop_map(Duration::from_millis), 1..5),
        (0_u64..30_000).prop_map(Duration::from_millis),
        pauses(),
        (delays(), delays()),
        proptest::num::u64::ANY,
    );
    TestRunner::new(config(2_000))
        .run(&case, |(recipe, story, durations, timeout, withdrawal, (base, cap), seed)| {
            let retry = Retry::builder()
                .policy(recipe.cook())
                .backoff(Exponential::new(base, cap))
                .budget(SlowBudget(withdrawal))
                .max_attempts(10)
                .max_server_delay(Duration::MAX)
                .seed(seed)
                .build();
            let (elapsed, log, too_late) = runtime.block_on(async {
                let started = Instant::now();
                let call = Call::new("resources/read").with_timeout(timeout);
                let too_late = Cell::new(false);
                let run = retry.run(&call, |attempt| {
                    let index = usize::try_from(attempt.number - 1).unwrap();
                    assert!(attempt.number <= 10, "no call has more attempts");
                    let remaining = attempt.remaining.unwrap();
                    if attempt.number > 1 && remaining.is_zero() {
                        too_late.set(true);
                    }
                    let outcome = match story[index.min(story.len() - 1)].failure {
                        Some(failure) => Err(Fault(failure)),
                        None => Ok(()),
                    };
                    // An attempt keeps to what remains, as each has to.
                    let takes = durations[index % durations.len()].min(remaining);
                    async move {
                        sleep(takes).await;
                        outcome
                    }
                });
                let (_, log) = run.await;
                (started.elapsed(), log, too_late.get())
            });
            prop_assert!(elapsed <= timeout, "{elapsed:?} of {timeout:?}");
            prop_assert!(!too_late, "an attempt without any time");
            let sum: Duration = log
                .attempts()
                .iter()
                .map(|attempt| attempt.took + attempt.delay.map_or(Duration::ZERO, |delay| delay.length))
                .sum();
            prop_assert!(sum <= timeout, "{sum:?} of {timeout:?}");
            retries.set(retries.get() + u32::from(log.attempts().len() > 1));
            late.set(late.get() + u32::from(log.stopped() == Some(&StopReason::Deadline)));
            Ok(())
        })
        .unwrap();
    assert!(retries.get() > 200 && late.get() > 200, "{} {}", retries.get(), late.get());
}

// ---- the budget

#[test]
fn a_budget_is_never_overdrawn_and_never_overfull() {
    // Each thread has its script: `None` withdraws, `Some` tells of a success.
    let scripts = vec(vec(option::of(proptest::bool::ANY), 0..200), 2..6);
    TestRunner::new(config(100))
        .run(&(0_u32..20, scripts), |(tokens, scripts)| {
            let budget = Tokens::new(tokens);
            let start = Barrier::new(scripts.len());
            let (budget_ref, start) = (&budget, &start);
            let seen: Vec<(u64, u64, bool)> = std::thread::scope(|scope| {
                let threads: Vec<_> = scripts
                    .iter()
                    .map(|script| {
                        scope.spawn(move || {
                            start.wait();
                            let (mut paid, mut earned, mut in_bounds) = (0, 0, true);
                            for operation in script {
                                match operation {
                                    None => paid += u64::from(now(budget_ref.withdraw())) * 10,
                                    Some(was_retry) => {
                                        budget_ref.record_success(*was_retry);
                                        earned += if *was_retry { 10 } else { 1 };
                                    }
                                }
                                in_bounds &= budget_ref.left() <= tokens;
                            }
                            (paid, earned, in_bounds)
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            prop_assert!(seen.iter().all(|(_, _, in_bounds)| *in_bounds), "below zero wraps to many");
            let paid: u64 = seen.iter().map(|(paid, ..)| paid).sum();
            let earned: u64 = seen.iter().map(|(_, earned, _)| earned).sum();
            prop_assert!(
                paid <= u64::from(tokens) * 10 + earned,
                "{paid} tenths of {tokens} tokens and {earned}"
            );
            // Whoever only pays gets exactly what was there.
            let left = u64::from(budget.left());
            let spent = (0..=left).filter(|_| now(budget.withdraw())).count();
            prop_assert_eq!(u64::try_from(spent).unwrap(), left);
            Ok(())
        })
        .unwrap();
}
