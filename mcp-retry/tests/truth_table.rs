//! Each row of the truth table, on the pure step: what happened × who vouches for the call → what follows.
#![allow(clippy::panic, reason = "helpers of tests, which fail by panicking")]

mod support;

use std::time::Duration;

use mcp_retry::{
    Attempt, Call, Constant, Decision, Delivery, Evidence, Failure, FailureKind, Layer, Origin, Registry,
    Repeat, RetryPolicy, Rules, Safety, Situation, Source, Standard, Step, StopReason, policy_fn, step,
};

use self::support::{DELIVERIES, KINDS, opinion};

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// It is sent again.
    Retry,
    /// It is not, since nobody asks for it.
    Stop,
    /// Somebody asks for it, and the gate refuses: it may have run.
    MayHaveRun,
}

const SAFE: [Repeat; 3] = [Repeat::ReadOnly, Repeat::Idempotent, Repeat::Keyed];
const SOURCES: [Source; 4] = [Source::Call, Source::Registry, Source::Protocol, Source::Annotations];

/// "No evidence": nobody says anything, or somebody says that it is unsafe.
fn unvouched() -> Vec<Evidence> {
    let unsafe_words = SOURCES.map(|source| Evidence::new(Repeat::Unsafe, source));
    std::iter::once(Evidence::none()).chain(unsafe_words).collect()
}

/// "Read-only / idempotent / keyed", whoever says so.
fn vouched() -> Vec<Evidence> {
    SAFE.into_iter().flat_map(|repeat| SOURCES.map(|source| Evidence::new(repeat, source))).collect()
}

/// The step after the first attempt of a call with all the time in the world.
fn first_step(policy: &dyn RetryPolicy, failure: &Failure<'_>, evidence: Evidence) -> Step {
    let call = Call::new("tools/call").named("pay").with_evidence(evidence);
    let attempt = Attempt::new(&call, failure);
    let situation = Situation { failure, safety: attempt.safety(), attempts: 1, remaining: None, unit: 0.5 };
    let rules = Rules { max_attempts: 3, max_server_delay: Duration::from_secs(30) };
    step(opinion(policy, &attempt), &situation, &rules, &Constant(Duration::from_secs(1)))
}

fn follows(policy: &dyn RetryPolicy, failure: &Failure<'_>, evidence: Evidence) -> Follows {
    match first_step(policy, failure, evidence) {
        Step::Retry { accepting_duplicates: None, .. } => Follows::Retry,
        Step::Stop(StopReason::Done) => Follows::Stop,
        Step::Stop(StopReason::MayHaveRun) => Follows::MayHaveRun,
        other => panic!("no row says {other:?}"),
    }
}

/// Asserts a row with a policy: the column without evidence, and the three with it.
fn columns(policy: &dyn RetryPolicy, failure: &Failure<'_>, without: Follows, with: Follows) {
    for evidence in unvouched() {
        assert_eq!(follows(policy, failure, evidence), without, "{failure:?} {evidence:?} {policy:?}");
    }
    for evidence in vouched() {
        assert_eq!(follows(policy, failure, evidence), with, "{failure:?} {evidence:?} {policy:?}");
    }
}

/// Asserts a row with the standard policy.
fn row(failures: impl IntoIterator<Item = Failure<'static>>, without: Follows, with: Follows) {
    let mut cases = 0;
    for failure in failures {
        columns(&Standard, &failure, without, with);
        // Progress is a fact for policies; it changes no row.
        columns(&Standard, &failure.with_progress_seen(true), without, with);
        cases += 1;
    }
    assert!(cases > 0);
}

/// Asserts "stop unless the policy asks": the standard policy stops, and one that asks gets it only with evidence.
fn row_unless_asked(failures: impl IntoIterator<Item = Failure<'static>>) {
    for failure in failures {
        row([failure], Follows::Stop, Follows::Stop);
        columns(&always(), &failure, Follows::MayHaveRun, Follows::Retry);
    }
}

/// Asks for repetition whatever happened.
fn always() -> impl RetryPolicy {
    policy_fn("always", |_| Decision::retry())
}

/// Statuses with and without a JSON-RPC error in the body, and the facts that they must have.
fn statuses(
    statuses: impl IntoIterator<Item = u16>,
    codes: &[Option<i64>],
    delivery: Delivery,
    kinds: &[FailureKind],
) -> Vec<Failure<'static>> {
    let mut failures = Vec::new();
    for status in statuses {
        for code in codes {
            let failure = Failure::from_status(status, *code);
            assert_eq!(failure.delivery(), delivery, "{status} {code:?}");
            assert!(kinds.contains(&failure.kind()), "{status} {code:?} {:?}", failure.kind());
            failures.push(failure);
        }
    }
    failures
}

/// JSON-RPC errors in a 2xx answer.
fn codes(codes: &[i64], kind: FailureKind) -> Vec<Failure<'static>> {
    let failures: Vec<_> = codes.iter().map(|code| Failure::from_code(*code)).collect();
    for failure in &failures {
        assert_eq!((failure.delivery(), failure.kind()), (Delivery::Answered, kind), "{failure:?}");
    }
    failures
}

/// Without a body, and with each sort of code in it: a status wins over its body.
const ANY_BODY: &[Option<i64>] =
    &[None, Some(-32603), Some(-32602), Some(-32000), Some(-32021), Some(4711), Some(i64::MIN)];

#[test]
fn bad_arguments_serialisation_schema_excluded_tool() {
    row([Failure::new(Layer::Local, Delivery::NotSent, FailureKind::Invalid)], Follows::Stop, Follows::Stop);
}

#[test]
fn token_endpoint_briefly_down() {
    let down = Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Unavailable);
    row([down, down.with_status(Some(503))], Follows::Retry, Follows::Retry);
}

#[test]
fn dns_tcp_tls_connect_timeout_spawn_failed() {
    row(
        [
            Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Unavailable),
            Failure::new(Layer::Local, Delivery::NotSent, FailureKind::Unavailable),
            // A connect timeout, where the client calls it by its other name.
            Failure::new(Layer::Transport, Delivery::NotSent, FailureKind::Timeout),
        ],
        Follows::Retry,
        Follows::Retry,
    );
}

#[test]
fn too_many_requests() {
    let refused = statuses([429], ANY_BODY, Delivery::Refused, &[FailureKind::RateLimited]);
    row(refused, Follows::Retry, Follows::Retry);
}

#[test]
fn request_timeout_misdirected_too_early() {
    let refused = statuses([408, 421, 425], ANY_BODY, Delivery::Refused, &[FailureKind::Unavailable]);
    row(refused, Follows::Retry, Follows::Retry);
}

#[test]
fn what_the_client_repairs() {
    let mut refused = statuses([401, 403], ANY_BODY, Delivery::Refused, &[FailureKind::Repair]);
    // An unsupported version, a header mismatch.
    let codes = &[Some(-32022), Some(-32020)];
    refused.extend(statuses([400, 404], codes, Delivery::Refused, &[FailureKind::Repair]));
    // A legacy session that is gone.
    refused
        .push(Failure::new(Layer::Transport, Delivery::Refused, FailureKind::Repair).with_status(Some(404)));
    // No policy repeats it as it is; the client repairs the request first.
    row(refused.clone(), Follows::Stop, Follows::Stop);
    // What is sent again after the repair is sent on the library's behalf, and no gate is in its way.
    for failure in &refused {
        for evidence in unvouched().into_iter().chain(vouched()) {
            let step = first_step(&always(), failure, evidence);
            assert!(matches!(step, Step::Retry { origin: Origin::Sdk, .. }), "{failure:?} {step:?}");
        }
    }
}

#[test]
fn every_other_3xx_and_4xx() {
    let others = (300..=499).filter(|status| ![401, 403, 408, 421, 425, 429].contains(status));
    let refused = statuses(others, ANY_BODY, Delivery::Refused, &[FailureKind::Invalid]);
    row(refused, Follows::Stop, Follows::Stop);
}

#[test]
fn a_5xx_without_a_json_rpc_body() {
    let kinds = &[FailureKind::Unavailable, FailureKind::ServerFault];
    let unknown = statuses(500..=599, &[None], Delivery::Unknown, kinds);
    row(unknown.clone(), Follows::MayHaveRun, Follows::Retry);
    // Gateways send `Retry-After` after an upstream reset too: it proves nothing.
    let hints = unknown.into_iter().map(|failure| failure.with_retry_after(Some(Duration::from_secs(1))));
    row(hints, Follows::MayHaveRun, Follows::Retry);
}

#[test]
fn a_5xx_with_a_json_rpc_body() {
    let bodies = &[Some(-32603), Some(-32602), Some(-32000), Some(-32022), Some(-32020), Some(4711)];
    row_unless_asked(statuses(500..=599, bodies, Delivery::Answered, &[FailureKind::ServerFault]));
}

#[test]
fn timeout_after_send_reset_cut_body_stream_without_answer_child_died() {
    let unknown = [FailureKind::Timeout, FailureKind::Unavailable].into_iter().flat_map(|kind| {
        [Layer::Transport, Layer::Protocol].map(|layer| Failure::new(layer, Delivery::Unknown, kind))
    });
    row(unknown, Follows::MayHaveRun, Follows::Retry);
}

#[test]
fn undecodable_wrong_id_no_answer_size_limit_unsupported_encoding() {
    let reply =
        Failure::new(Layer::Protocol, Delivery::Unknown, FailureKind::BadReply).with_status(Some(200));
    row([reply], Follows::Stop, Follows::Stop);
    // Without evidence also for a policy that asks: it may have run.
    for evidence in unvouched() {
        assert_eq!(follows(&always(), &reply, evidence), Follows::MayHaveRun);
    }
}

#[test]
fn internal_error_or_an_application_code() {
    row_unless_asked(codes(
        &[-32603, -32000, -32001, -32042, -32099, -1, 0, 1, 4711, i64::MIN, i64::MAX],
        FailureKind::ServerFault,
    ));
}

#[test]
fn invalid_request_method_params_parse_error_missing_capability() {
    let invalid = codes(&[-32600, -32601, -32602, -32700, -32021], FailureKind::Invalid);
    row(invalid.clone(), Follows::Stop, Follows::Stop);
    for failure in &invalid {
        for evidence in unvouched() {
            assert_eq!(follows(&always(), failure, evidence), Follows::MayHaveRun);
        }
    }
}

#[test]
fn is_error_true() {
    let tool = Failure::new(Layer::Application, Delivery::Answered, FailureKind::ToolError);
    row_unless_asked([tool]);
    let business = policy_fn("rules of the house", |_| Decision::retry().by(Origin::Business));
    columns(&business, &tool, Follows::MayHaveRun, Follows::Retry);
    for evidence in vouched() {
        assert!(matches!(
            first_step(&business, &tool, evidence),
            Step::Retry { origin: Origin::Business, .. }
        ));
    }
}

#[test]
fn input_required_is_not_a_retry() {
    let input = Failure::new(Layer::Interaction, Delivery::Answered, FailureKind::InputRequired);
    row([input], Follows::Stop, Follows::Stop);
    never([input]);
}

#[test]
fn dropped_or_cancelled_never() {
    let cancelled = DELIVERIES.map(|delivery| Failure::new(Layer::Local, delivery, FailureKind::Cancelled));
    row(cancelled, Follows::Stop, Follows::Stop);
    never(cancelled);
}

/// Not even for a policy that accepts duplicates.
fn never(failures: impl IntoIterator<Item = Failure<'static>>) {
    let reckless = policy_fn("reckless", |_| Decision::retry().accepting_duplicates("what could go wrong"));
    for failure in failures {
        columns(&always(), &failure, Follows::Stop, Follows::Stop);
        columns(&reckless, &failure, Follows::Stop, Follows::Stop);
    }
}

#[test]
fn the_gate_in_one_sentence() {
    // Also for combinations that no row has: what may have run is repeated only when somebody vouches for it.
    for delivery in DELIVERIES {
        for kind in KINDS {
            let failure = Failure::new(Layer::Transport, delivery, kind);
            let over = matches!(kind, FailureKind::Cancelled | FailureKind::InputRequired);
            let may_have_run = matches!(delivery, Delivery::Unknown | Delivery::Answered);
            for evidence in unvouched() {
                let expected = match (over, may_have_run) {
                    (true, _) => Safety::Never,
                    (false, true) => Safety::MayHaveRun,
                    (false, false) => Safety::Safe,
                };
                assert_eq!(Safety::of(&failure, evidence), expected, "{failure:?} {evidence:?}");
            }
            for evidence in vouched() {
                let expected = if over { Safety::Never } else { Safety::Safe };
                assert_eq!(Safety::of(&failure, evidence), expected, "{failure:?} {evidence:?}");
            }
        }
    }
}

#[test]
fn evidence_call_over_registry_over_protocol_over_annotations_over_none() {
    let order = [Source::Call, Source::Registry, Source::Protocol, Source::Annotations, Source::None];
    for (strength, stronger) in order.into_iter().enumerate() {
        for weaker in order.into_iter().skip(strength + 1) {
            for (high, low) in [(Repeat::Unsafe, Repeat::ReadOnly), (Repeat::Keyed, Repeat::Unsafe)] {
                let (high, low) = (Evidence::new(high, stronger), Evidence::new(low, weaker));
                assert_eq!(high.or(low), high, "{stronger:?} over {weaker:?}");
                assert_eq!(low.or(high), high, "{stronger:?} over {weaker:?}, said the other way round");
                // In whatever order a call hears of them.
                let call = Call::new("tools/call");
                assert_eq!(call.with_evidence(low).with_evidence(high).evidence(), high);
                assert_eq!(call.with_evidence(high).with_evidence(low).evidence(), high);
            }
        }
    }
}

#[test]
fn evidence_decides_what_follows() {
    let broken = support::broken();
    let follows = |call: Call<'_>| follows(&Standard, &broken, call.evidence());
    let caller = |repeat| Evidence::new(repeat, Source::Call);
    let hint = Evidence::new(Repeat::ReadOnly, Source::Annotations);
    let registry = Registry::new().tool("get_*", Repeat::ReadOnly).tool("pay", Repeat::Unsafe);
    let registered = |tool| registry.find("https://bank.example/mcp", tool).unwrap_or(Evidence::none());

    let tool = Call::new("tools/call").named("pay");
    assert_eq!(follows(tool), Follows::MayHaveRun, "nobody");
    assert_eq!(follows(tool.with_evidence(hint)), Follows::Retry, "annotations");
    assert_eq!(
        follows(tool.with_evidence(hint).with_evidence(registered("pay"))),
        Follows::MayHaveRun,
        "the registry over annotations"
    );
    assert_eq!(follows(tool.with_evidence(registered("get_balance"))), Follows::Retry, "the registry");
    assert_eq!(
        follows(tool.with_evidence(registered("pay")).with_evidence(caller(Repeat::Keyed))),
        Follows::Retry,
        "the caller over the registry"
    );
    let read = Call::new("resources/read");
    assert_eq!(follows(read), Follows::Retry, "the protocol");
    assert_eq!(
        follows(read.with_evidence(Evidence::new(Repeat::Unsafe, Source::Annotations))),
        Follows::Retry,
        "the protocol over annotations"
    );
    assert_eq!(
        follows(read.with_evidence(Evidence::new(Repeat::Unsafe, Source::Registry))),
        Follows::MayHaveRun,
        "the registry over the protocol"
    );
    assert_eq!(
        follows(read.with_evidence(caller(Repeat::Unsafe))),
        Follows::MayHaveRun,
        "the caller over the protocol"
    );
}

#[test]
fn the_protocol_vouches_for_reads_and_for_nothing_else() {
    for method in [
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "resources/read",
        "prompts/get",
        "completion/complete",
    ] {
        let evidence = Call::new(method).evidence();
        assert_eq!((evidence.repeat(), evidence.source()), (Repeat::ReadOnly, Source::Protocol), "{method}");
    }
    for method in ["tools/call", "tasks/cancel", "Tools/List", "tools/list ", "com.example/list", ""] {
        assert_eq!(Call::new(method).evidence(), Evidence::none(), "{method}");
    }
}
