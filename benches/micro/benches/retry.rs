//! The retry layer: what follows a failed attempt, and what the loop adds to a call that succeeds at once.

use std::{convert::Infallible, time::Duration};

use divan::Bencher;
use mcp_retry::{
    Call, Constant, Decision, Delivery, Exponential, Failure, FailureKind, Layer, Retry, Rules, Safety, Situation, step,
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
        let situation = Situation { failure: divan::black_box(&failure), safety, attempts: 1, remaining, unit: 0.5 };
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
