//! Time: a person's does not count, all else does. Timers count milliseconds, so that a wait may end one late.

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn a_persons_time_does_not_count_and_the_exchanges_of_all_rounds_do() {
    let results = [asks(&[("k", FORM)], None), asks(&[("k", FORM)], None), DONE.to_owned()];
    for (timeout, fits) in [(7, true), (5, false)] {
        let server = Server::with(&results, 2 * SECOND, |builder| builder);
        let clerk = Clerk::new().does("*", Does::After(HOUR));
        let started = Instant::now();
        let call = server.client.call_tool("x").timeout(SECOND * timeout).drive(&clerk);
        let outcome = call.await;
        if fits {
            let output = outcome.unwrap().into_success().unwrap();
            assert_eq!(output.record().duration.as_secs(), 2, "a record is of one exchange");
            assert_eq!(started.elapsed().as_secs(), 2 * 3600 + 6);
            continue;
        }
        let mut error = outcome.unwrap_err();
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Timeout, Delivery::Unknown));
        assert!(error.record().unwrap().duration <= SECOND);
        assert_eq!(started.elapsed().as_secs(), 2 * 3600 + 5);
        // By hand a round has its time anew.
        let asked = error.take_continuation().unwrap().accepting_duplicates("harmless");
        done(asked.resume().await);
    }
}

/// For a handler of the client's it is the same: the first round counts.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_that_the_clients_handler_answers_is_that_of_all_rounds() {
    let results = [asks(&[("k", FORM)], None), asks(&[("k", FORM)], None), DONE.to_owned()];
    for (timeout, fits) in [(7, true), (5, false)] {
        let server = Server::with(&results, 2 * SECOND, |builder| {
            builder.input_handler(Clerk::new().does("*", Does::After(HOUR))).timeout(SECOND * timeout)
        });
        let outcome = server.client.call_tool("x").send().await;
        assert_eq!(outcome.is_ok(), fits);
        assert_eq!(server.sent().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn where_progress_moves_the_end_a_round_is_progress_and_the_maximum_bounds_all_rounds() {
    let asks = asks(&[("k", FORM)], None);
    let results = [asks.clone(), asks.clone(), asks, DONE.to_owned()];
    let clerk = Clerk::new();
    let server = Server::with(&results, 2 * SECOND, |builder| builder);
    let call = server.client.call_tool("x").timeout(3 * SECOND).timeout_from_last_progress();
    done(call.drive(&clerk).await);

    let server = Server::with(&results, 2 * SECOND, |builder| builder);
    let started = Instant::now();
    let call = server.client.call_tool("x").timeout(3 * SECOND).max_timeout(5 * SECOND);
    let error = call.drive(&clerk).await.unwrap_err();
    assert_eq!((error.outcome(), started.elapsed().as_secs()), (OutcomeKind::Timeout, 5));
}

/// Keeps how each call ended, and in what words.
#[derive(Clone, Debug, Default)]
struct Ends(Arc<Mutex<Vec<Ending>>>);

type Ending = (OutcomeKind, Option<String>);

impl crate::Observer for Ends {
    fn call_ended(&self, record: &crate::CallRecord) {
        self.0.lock().unwrap().push((record.outcome, record.error_message.clone()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_handle_ends_the_call_at_once_while_somebody_is_asked() {
    let ends = Ends::default();
    let results = [asks(&[("a", FORM), ("b", FORM)], Some("s")), DONE.to_owned()];
    let server = Server::with(&results, Duration::ZERO, |builder| builder.observer(ends.clone()));
    let clerk = Clerk::new().does("b", Does::Nothing);
    let stop = CancelHandle::new();
    let call = server.client.call_tool("x").cancel_with(&stop).drive(&clerk).into_future();
    let press = async {
        sleep(HOUR).await;
        stop.cancel("enough");
    };
    let started = Instant::now();
    let (outcome, ()) = tokio::join!(call, press);
    let mut error = outcome.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 3600);
    // What is given up is the next round, and that was not sent.
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::NotSent));
    assert_eq!(clerk.dropped(), ["b"]);
    assert!(clerk.cx(1).cancellation().is_cancelled());
    assert_eq!(server.sent().len(), 1);
    assert_eq!(
        *ends.0.lock().unwrap(),
        [(OutcomeKind::InputRequired, None), (OutcomeKind::Cancelled, Some("enough".to_owned()))]
    );
    let asked = error.take_continuation().unwrap();
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["b"], "answers included");
    done(asked.cancel_with(&CancelHandle::new()).drive(&Clerk::new()).await);
}

#[tokio::test(start_paused = true)]
async fn mrtr_03_a_round_of_state_only_is_paused_for_and_counts() {
    let later = asks(&[], Some("later"));
    let server = Server::new(&[later.clone(), later.clone(), DONE.to_owned()]);
    let clerk = Clerk::new();
    let started = Instant::now();
    done(server.client.call_tool("x").drive(&clerk).await);
    assert!((500..510).contains(&started.elapsed().as_millis()), "a quarter of a second each");
    assert_eq!(clerk.keys().len(), 0);
    let sent = server.sent();
    assert!(sent[1..].iter().all(|body| body["params"]["requestState"] == "later"));
    assert!(sent.iter().all(|body| body["params"].get("inputResponses").is_none()));

    let server = Server::new(&[later]);
    let (asked, stop) = stopped(server.client.call_tool("x").drive(&clerk).max_rounds(4).await);
    assert!(matches!(stop, DriveStop::MaxRounds { asked: 4 }));
    assert_eq!((server.sent().len(), asked.request_state().unwrap().as_str()), (5, "later"));

    let stop = CancelHandle::new();
    let call = asked.cancel_with(&stop).drive(&clerk).into_future();
    let press = async {
        sleep(Duration::from_millis(100)).await;
        stop.cancel("enough");
    };
    let started = Instant::now();
    let (outcome, ()) = tokio::join!(call, press);
    assert_eq!(outcome.unwrap_err().outcome(), OutcomeKind::Cancelled);
    assert!(started.elapsed() < Duration::from_millis(200));
    assert_eq!(server.sent().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn smp_16_a_handler_is_asked_for_so_many_messages_a_second_by_all_calls_of_a_client() {
    let keys: Vec<String> = (0..5).map(|number| format!("k{number}")).collect();
    let requests: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), SAMPLE)).collect();
    let results = [asks(&requests, None), asks(&requests, None), DONE.to_owned()];
    // Ten turns: as many as the rate at once, and one after the other then.
    for (rate, seconds) in [(Some(2), 4), (None, 0), (Some(0), 0)] {
        let server = Server::with(&results, Duration::ZERO, |builder| match rate {
            Some(rate) => builder.sampling_rate(rate),
            None => builder,
        });
        let clerk = Clerk::new().answering(InputKinds::SAMPLING);
        let started = Instant::now();
        done(server.client.call_tool("x").drive(&clerk).await);
        assert_eq!(started.elapsed().as_secs(), seconds, "{rate:?}");
        assert_eq!(clerk.keys().len(), 10);
    }
}

#[tokio::test(start_paused = true)]
async fn context_of_servers_is_asked_for_only_where_it_was_declared() {
    for (kinds, kept) in [(InputKinds::SAMPLING, false), (InputKinds::SAMPLING_CONTEXT, true)] {
        let server = Server::new(&[asks(&[("k", SAMPLE)], None), DONE.to_owned()]);
        let clerk = Clerk::new().answering(kinds);
        done(server.client.call_tool("x").drive(&clerk).await);
        assert_eq!(clerk.sampled.lock().unwrap()[0].include_context.is_some(), kept);
    }
}
