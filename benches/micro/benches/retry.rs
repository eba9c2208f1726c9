//! The retry layer: what follows a failed attempt, and what the loop adds to a call that succeeds at once.

use std::time::Duration;

use divan::Bencher;
use mcp_retry::{
    AttemptContext, Call, Classify, Constant, Decision, Delivery, Exponential, Failure, FailureKind, Layer,
    Retry, Rules, Safety, Situation, step,
};

fn main() {
    divan::main();
}

const RULES: Rules = Rules { max_attempts: 3, max_server_delay: Duration::from_secs(30) };

fn failure(name: &str) -> Failure<'static> {
    match name {
        "refused" => Failure::from_status(429, None),
        "unavailable" => Failure::from_status(503, None),
        _ => Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Unavailable),
    }
}

#[divan::bench(args = ["unsent", "refused", "unavailable"])]
fn one_step(bencher: Bencher<'_, '_>, name: &str) {
    let failure = failure(name);
    let safety = Safety::of(&failure, Call::new("tools/call").evidence());
    let remaining = Some(Duration::from_secs(60));
    bencher.bench(|| {
        let situation =
            Situation { failure: divan::black_box(&failure), safety, attempts: 1, remaining, unit: 0.5 };
        step(Decision::retry(), &situation, &RULES, &Exponential::default())
    });
}

#[divan::bench]
fn facts_of_a_status(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let failure = Failure::from_status(divan::black_box(503), None);
        Safety::of(&failure, Call::new("tools/call").evidence())
    });
}

/// An attempt that succeeds, or that has no connection.
struct Attempted(bool);

impl Classify for Attempted {
    fn failure(&self) -> Option<Failure<'_>> {
        (!self.0).then(|| failure("unsent"))
    }
}

/// The loop round so many attempts, without a wait between them; the last one succeeds.
#[divan::bench(args = [1, 3])]
fn the_loop(bencher: Bencher<'_, '_>, attempts: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let retry = Retry::builder().backoff(Constant(Duration::ZERO)).build();
    let call = Call::new("tools/call").named("bench");
    bencher.bench_local(|| {
        let attempt = |at: AttemptContext| async move { Attempted(at.number == attempts) };
        let (last, log) = runtime.block_on(retry.run(&call, attempt));
        assert!(last.0);
        log
    });
}
