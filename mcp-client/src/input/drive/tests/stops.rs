//! Why it stops: nothing is lost, nothing is sent unasked.

use std::error::Error as _;

use super::*;

/// One request is of no use: nobody is asked for any of them.
#[tokio::test(start_paused = true)]
async fn all_requests_of_a_round_are_looked_at_before_anybody_is_asked() {
    let bad_link = r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"javascript:alert(1)"}}"#;
    let bad_sample = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":0}}"#;
    let tools =
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5,"toolChoice":{}}}"#;
    for (request, says, text) in [
        (r#"{"method":"vendor/ask"}"#, "Unknown", "the request `k\\n` could not be decoded"),
        ("42", "Unknown", "the request `k\\n` could not be decoded"),
        (ROOTS, "Undeclared", "the request `k\\n` is of a kind that was not declared for this call"),
        (tools, "Undeclared", "the request `k\\n` is of a kind that was not declared for this call"),
        (
            bad_link,
            "Link",
            "`k\\n` must not be opened: the link is no web page: its scheme is neither https nor http",
        ),
        (bad_sample, "Sampling", "`k\\n` cannot be given to a language model: `maxTokens` is less than 1"),
    ] {
        let server = Server::new(&[asks(&[("good", FORM), ("k\\n", request)], Some("s"))]);
        let clerk = Clerk::new().answering(InputKinds::FORM | InputKinds::URL | InputKinds::SAMPLING);
        let (asked, stop) = stopped(server.client.call_tool("x").drive(&clerk).await);
        assert!(format!("{stop:?}").starts_with(says), "{stop:?}");
        assert_eq!((stop.key(), stop.to_string().as_str()), (Some("k\n"), text));
        assert_eq!(clerk.keys(), [""; 0], "{request}");
        assert_eq!(server.sent().len(), 1, "{request}");
        assert_eq!(asked.unanswered().count(), 2);
    }
    let server = Server::new(&[asks(&[("good", FORM), ("k", ROOTS)], None)]);
    let clerk = Clerk::new();
    let call = server.client.call_tool("x").accept_input(InputKinds::FORM | InputKinds::ROOTS);
    let (_, stop) = stopped(call.drive(&clerk).await);
    assert!(matches!(&stop, DriveStop::NotHandled { key } if key == "k"), "{stop:?}");
    assert_eq!((clerk.keys().len(), server.sent().len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn whatever_a_handler_says_instead_of_an_answer_hands_the_call_back() {
    let second = Duration::from_secs(1);
    for (request, what, says, text) in [
        (FORM, Does::Declines, "Declined", "the answer to `k` was refused by the person"),
        (LINK, Does::Declines, "Declined", "the answer to `k` was refused by the person"),
        (SAMPLE, Does::Declines, "Declined", "the answer to `k` was refused by the person"),
        (ROOTS, Does::Declines, "Declined", "the answer to `k` was refused by the person"),
        (FORM, Does::Later, "Later", "`k` is to be answered later"),
        (FORM, Does::Fails, "Handler", "the handler failed to answer `k`"),
        (FORM, Does::Unhandled, "NotHandled", "the handler does not answer the request `k`"),
        (FORM, Does::Misfit, "Answer", "the answer to `k` does not fit its form: `why` "),
        (LINK, Does::Misfit, "Answer", "the answer to `k` has content, which only an accepted form has"),
        (SAMPLE, Does::Misfit, "Answer", "`k` cannot be answered so: the message is by nobody that is known"),
        (ROOTS, Does::Misfit, "Answer", "root 0 of the answer to `k` is no `file:` URI"),
    ] {
        let server = Server::new(&[asks(&[("fast", FORM), ("k", request), ("slow", FORM)], Some("s"))]);
        let clerk = Clerk::new().answering(all_kinds()).does("k", what).does("slow", Does::After(second));
        let (asked, stop) = stopped(server.client.call_tool("x").drive(&clerk).await);
        assert!(format!("{stop:?}").starts_with(says), "{stop:?}");
        assert_eq!(stop.key(), Some("k"));
        assert!(stop.to_string().starts_with(text), "{stop}");
        assert_eq!(server.sent().len(), 1, "nothing is sent: {stop:?}");
        assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["k", "slow"], "answers so far are kept");
        assert_eq!(
            asked.answer_to("fast").unwrap().get(),
            r#"{"action":"accept","content":{"why":"because"}}"#
        );
        // It is the caller's own error that comes back.
        let source = stop.source().map(ToString::to_string);
        assert_eq!(source.as_deref(), (says == "Handler").then_some("the terminal is gone"));
        if let DriveStop::Handler { source, .. } = &stop {
            assert!(source.downcast_ref::<std::io::Error>().is_some());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_drops_the_others_and_tells_them() {
    let server = Server::new(&[asks(&[("a", FORM), ("b", FORM), ("c", FORM)], None)]);
    let second = Duration::from_secs(1);
    let clerk = Clerk::new().does("a", Does::Nothing).does("b", Does::After(second)).does("c", Does::Nothing);
    let started = Instant::now();
    let call = server.client.call_tool("x").drive(&clerk).input_timeout(3 * second);
    let (asked, stop) = stopped(call.await);
    assert!(matches!(&stop, DriveStop::InputTimeout { key } if key == "a"), "{stop:?}");
    assert_eq!(stop.to_string(), "`a` was not answered in time");
    assert_eq!(started.elapsed().as_secs(), 3);
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(clerk.dropped(), ["a", "c"]);
    assert!((0..3).all(|number| clerk.cx(number).cancellation().is_cancelled()));

    let clerk = Clerk::new().does("a", Does::Nothing).does("b", Does::Later).does("c", Does::Nothing);
    let call = server.client.call_tool("x").accept_input(InputKinds::FORM);
    let Ok(ToolOutcome::InputRequired(asked)) = call.send().await else { panic!("a request for input") };
    let (_, stop) = stopped(asked.drive(&clerk).await);
    assert!(matches!(stop, DriveStop::Later { .. }));
    assert_eq!((clerk.keys().len(), clerk.dropped()), (2, vec!["a".to_owned()]), "`c` was not even asked");
    assert!(clerk.cx(0).cancellation().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_drive_drops_the_handlers_and_tells_them() {
    let server = Server::new(&[asks(&[("a", FORM), ("b", FORM)], None)]);
    let clerk = Clerk::new().does("*", Does::Nothing);
    let call = tokio::time::timeout(Duration::from_secs(1), server.client.call_tool("x").drive(&clerk));
    assert!(call.await.is_err());
    assert_eq!(clerk.dropped(), ["a", "b"]);
    clerk.cx(0).cancellation().cancelled().await;
    assert_eq!(clerk.cx(1).cancellation().reason(), Some("nobody waits for the answer any more"));
    assert_eq!(server.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_a_handler_is_one_of_the_call() {
    let server = Server::new(&[asks(&[("a", FORM), ("b", FORM)], None)]);
    let clerk = Arc::new(Clerk::new().does("a", Does::Nothing).does("b", Does::Panics));
    let (client, theirs) = (server.client.clone(), Arc::clone(&clerk));
    let call = tokio::spawn(async move { client.call_tool("x").drive(&theirs).await.map(|_| ()) });
    assert!(call.await.unwrap_err().is_panic());
    assert_eq!(clerk.cx(0).cancellation().reason(), Some("nobody waits for the answer any more"));
    assert_eq!(server.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_round_that_fails_gives_the_continuation_back_answers_included() {
    let server = Server::new(&[asks(&[("k", FORM)], Some("s")), "7".to_owned(), DONE.to_owned()]);
    let clerk = Clerk::new();
    let mut error = server.client.call_tool("x").drive(&clerk).await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::Unknown);
    let asked = error.take_continuation().unwrap();
    assert!(asked.stopped().is_none(), "it was not stopped, it failed");
    assert_eq!(asked.unanswered().count(), 0);

    // In doubt nobody is asked, and nothing is sent.
    let mut error = asked.drive(&clerk).await.unwrap_err();
    let CallError::Invalid(refusal) = &error else { panic!("an invalid call") };
    assert_eq!(refusal.kind(), InvalidKind::MayHaveRun);
    assert_eq!((clerk.keys().len(), server.sent().len()), (1, 2));
    let asked = error.take_continuation().unwrap().accepting_duplicates("it is harmless");
    done(asked.drive(&clerk).await);
    assert_eq!((clerk.keys().len(), server.sent().len()), (1, 3));
    assert_eq!(server.sent()[2]["params"]["inputResponses"], server.sent()[1]["params"]["inputResponses"]);
}

/// Somebody who has still to answer is not asked for a call that will not be sent.
#[tokio::test(start_paused = true)]
async fn a_call_in_doubt_asks_nobody() {
    let stored = format!(
        r#"{{"version":1,"server":"memory:","method":"tools/call","target":"x","declared":["elicitation.form"],"inputRequests":{{"k":{FORM}}},"rounds":1}}"#
    );
    let server = Server::new(&[DONE.to_owned()]);
    let stored: SuspendedCall = SuspendedCall::from_json(stored.as_bytes()).unwrap();
    let stored = stored.in_doubt();
    let restore = || server.client.restore(stored.clone()).unwrap();
    let clerk = Clerk::new();
    let mut error = restore().drive(&clerk).await.unwrap_err();
    assert!(error.take_continuation().is_some());
    assert_eq!((clerk.keys().len(), server.sent().len()), (0, 0));
    done(restore().accepting_duplicates("it is harmless").drive(&clerk).await);
    assert_eq!((clerk.keys().len(), server.sent().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_stopped_can_be_stored_and_driven_on() {
    let server = Server::new(&[asks(&[("a", FORM), ("b", FORM)], Some("s")), DONE.to_owned()]);
    let clerk = Clerk::new().does("b", Does::Later);
    let (asked, _) = stopped(server.client.call_tool("x").drive(&clerk).await);
    let stored = serde_json::to_vec(&asked.suspend()).unwrap();
    let asked: Continuation = server.client.restore(SuspendedCall::from_json(&stored).unwrap()).unwrap();
    assert!(asked.stopped().is_none());
    let clerk = Clerk::new();
    done(asked.drive(&clerk).await);
    assert_eq!(clerk.keys(), ["b"]);
    let because = json!({ "action": "accept", "content": { "why": "because" } });
    assert_eq!(server.sent()[1]["params"]["inputResponses"], json!({ "a": because, "b": because }));
}
