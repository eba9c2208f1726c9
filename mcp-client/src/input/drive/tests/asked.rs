//! Who is asked, for what, how often, and what is sent.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_call_is_driven_round_by_round_until_it_is_finished() {
    let server = Server::new(&[
        asks(&[("a", FORM), ("b", ROOTS)], Some("s1")),
        asks(&[("c", LINK)], None),
        asks(&[("d", SAMPLE)], Some("s3")),
        DONE.to_owned(),
    ]);
    let clerk = Clerk::new().answering(all_kinds());
    done(server.client.call_tool("x").arguments(json!({ "pin": 4711 })).drive(&clerk).await);
    assert_eq!(clerk.keys(), ["a", "b", "c", "d"]);
    let sent = server.sent();
    let ids: Vec<_> = sent.iter().map(|message| message["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    let of = |name: &str| sent.iter().map(|body| body["params"].get(name).cloned()).collect::<Vec<_>>();
    assert_eq!(of("requestState"), [None, Some(json!("s1")), None, Some(json!("s3"))]);
    let a = json!({ "action": "accept", "content": { "why": "because" } });
    let d = json!({ "role": "assistant", "content": { "type": "text", "text": "Hello" }, "model": "m" });
    assert_eq!(
        of("inputResponses"),
        [
            None,
            Some(json!({ "a": a, "b": { "roots": [{ "uri": "file:///home" }] } })),
            Some(json!({ "c": { "action": "accept" } })),
            Some(json!({ "d": d })),
        ]
    );
    assert!(sent.iter().all(|body| body["params"]["arguments"] == json!({ "pin": 4711 })));
    let declared = of("_meta");
    assert!(declared.iter().all(|meta| *meta == declared[0]), "declared once and for all rounds");
}

#[tokio::test(start_paused = true)]
async fn what_the_handler_answers_is_declared_and_a_call_can_say_otherwise() {
    let server = Server::new(&[DONE.to_owned()]);
    let clerk = Clerk::new().answering(InputKinds::URL | InputKinds::SAMPLING_TOOLS);
    done(server.client.call_tool("x").drive(&clerk).await);
    done(server.client.call_tool("x").accept_input(InputKinds::FORM).drive(&clerk).await);
    done(server.client.call_tool("x").send().await);
    let declared = |number: usize| {
        server.sent()[number]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone()
    };
    assert_eq!(declared(0), json!({ "sampling": { "tools": {} }, "elicitation": { "url": {} } }));
    assert_eq!(declared(1), json!({ "elicitation": { "form": {} } }));
    assert_eq!(declared(2), json!({}));
}

#[tokio::test(start_paused = true)]
async fn mrtr_11_with_a_cap_of_n_the_handler_is_asked_n_times_and_the_last_continuation_resumes() {
    for cap in [0_u32, 1, 3, DEFAULT_MAX_ROUNDS] {
        let server = Server::new(&[asks(&[("k", FORM)], Some("s"))]);
        let clerk = Clerk::new();
        let call = server.client.call_tool("x").drive(&clerk);
        let call = if cap == DEFAULT_MAX_ROUNDS { call } else { call.max_rounds(cap) };
        let (mut asked, stop) = stopped(call.await);
        assert!(matches!(stop, DriveStop::MaxRounds { asked } if asked == cap), "{stop:?}");
        assert_eq!(
            (stop.key(), stop.to_string()),
            (None, format!("the server asks again after {cap} rounds"))
        );
        assert_eq!(clerk.keys().len(), cap as usize);
        assert_eq!(server.sent().len(), cap as usize + 1);
        assert_eq!((asked.rounds(), asked.unanswered().collect::<Vec<_>>()), (cap + 1, vec!["k"]));
        // By hand, or by another drive: it goes on.
        asked.answer("k", ElicitResult::decline()).unwrap();
        let Ok(ToolOutcome::InputRequired(again)) = asked.resume().await else { panic!("it asks again") };
        assert!(again.stopped().is_none(), "nobody drove this one");
        let (again, _) = stopped(again.drive(&clerk).max_rounds(2).await);
        assert_eq!((clerk.keys().len(), again.rounds()), (cap as usize + 2, cap + 4));
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_is_told_who_asks_during_which_call() {
    let server = Server::new(&[asks(&[("k", FORM)], None), asks(&[("l", FORM)], None), DONE.to_owned()]);
    let clerk = Clerk::new();
    let secret = json!({ "pin": "hunter2" });
    let call = server.client.call_tool("x").arguments(&secret).drive(&clerk);
    assert!(!format!("{call:?}").contains("hunter2"));
    done(call.input_timeout(Duration::from_secs(60)).await);
    let (first, second) = (clerk.cx(0), clerk.cx(1));
    assert_eq!((first.server(), first.server_name()), ("memory:", Some("clerk")));
    assert_eq!((first.method(), first.target(), first.key(), first.round()), ("tools/call", "x", "k", 1));
    assert_eq!(first.arguments().map(|raw| raw.to_value().unwrap()), Some(secret));
    assert_eq!((second.key(), second.round()), ("l", 2));
    let left = first.deadline().unwrap().duration_since(Instant::now().into_std());
    assert_eq!(left, Duration::from_secs(60));
    assert!(!format!("{first:?}").contains("hunter2"));
    assert!(!first.cancellation().is_cancelled() && !second.cancellation().is_cancelled());

    let server = Server::new(&[asks(&[("k", FORM)], None), DONE.to_owned()]);
    let outcome = server.client.get_prompt("p").drive(&clerk).max_rounds(0).await.unwrap();
    let asked = outcome.into_complete().unwrap_err();
    // What this server says at last is no prompt; that it was asked is what counts.
    asked.drive(&clerk).one_at_a_time().await.unwrap_err();
    let third = clerk.cx(2);
    assert_eq!((third.method(), third.target(), third.deadline()), ("prompts/get", "p", None));
    assert!(third.arguments().is_none());
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_round_are_asked_at_once_up_to_sixteen_or_one_by_one() {
    let keys: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
    let requests: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), FORM)).collect();
    let second = Duration::from_secs(1);
    for (one_at_a_time, most, seconds) in [(false, 16, 3), (true, 1, 40)] {
        let server = Server::new(&[asks(&requests, None), DONE.to_owned()]);
        let clerk = Clerk::new().does("*", Does::After(second));
        let started = Instant::now();
        let call = server.client.call_tool("x").drive(&clerk);
        done(if one_at_a_time { call.one_at_a_time() } else { call }.await);
        assert_eq!(clerk.most.load(Ordering::Relaxed), most);
        // The clock of timers counts milliseconds, and each wait may end one late.
        assert_eq!(started.elapsed().as_secs(), seconds);
        assert_eq!(clerk.keys(), keys, "in the server's order");
        let sent = server.sent()[1]["params"]["inputResponses"].as_object().unwrap().clone();
        assert_eq!(sent.len(), keys.len());
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_before_is_not_asked_again() {
    let server = Server::new(&[asks(&[("a", FORM), ("b", FORM)], None), DONE.to_owned()]);
    let Ok(ToolOutcome::InputRequired(mut asked)) =
        server.client.call_tool("x").accept_input(InputKinds::FORM).send().await
    else {
        panic!("a request for input")
    };
    asked.answer("a", ElicitResult::decline()).unwrap();
    let stored = serde_json::to_vec(&asked.suspend()).unwrap();
    let asked: Continuation = server.client.restore(SuspendedCall::from_json(&stored).unwrap()).unwrap();
    let clerk = Clerk::new();
    done(asked.drive(&clerk).await);
    assert_eq!(clerk.keys(), ["b"]);
    let sent = &server.sent()[1]["params"]["inputResponses"];
    assert_eq!(sent["a"], json!({ "action": "decline" }));
    assert_eq!(sent["b"]["action"], "accept");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_all_answered_goes_on_without_a_word() {
    let server = Server::new(&[asks(&[("a", FORM)], None), DONE.to_owned()]);
    let call = server.client.call_tool("x").accept_input(InputKinds::FORM);
    let Ok(ToolOutcome::InputRequired(mut asked)) = call.send().await else { panic!("a request for input") };
    asked.answer("a", ElicitResult::cancel()).unwrap();
    let clerk = Clerk::new();
    let started = Instant::now();
    done(asked.drive(&clerk).await);
    assert_eq!(clerk.keys().len(), 0);
    assert!(started.elapsed() < Duration::from_millis(250), "there is no pause for it");
}

/// The server may change its question: what was answered before belongs to the round before.
#[tokio::test(start_paused = true)]
async fn a_question_that_changes_under_the_same_key_is_asked_anew() {
    let server = Server::new(&[asks(&[("k", FORM)], None), asks(&[("k", LINK)], None), DONE.to_owned()]);
    let clerk = Clerk::new().answering(InputKinds::FORM | InputKinds::URL);
    done(server.client.call_tool("x").drive(&clerk).await);
    assert_eq!(clerk.keys(), ["k", "k"]);
    assert_eq!(server.sent()[2]["params"]["inputResponses"], json!({ "k": { "action": "accept" } }));
}

#[tokio::test(start_paused = true)]
async fn a_handler_of_the_client_answers_every_call_that_says_nothing_else() {
    let results = [asks(&[("k", FORM)], None), DONE.to_owned()];
    let clerk = Arc::new(Clerk::new());
    let server = Server::with(&results, Duration::ZERO, |builder| builder.input_handler(clerk.clone()));
    assert_eq!(server.client.accepted_input(), InputKinds::FORM);
    done(server.client.call_tool("x").send().await);
    assert_eq!(clerk.keys(), ["k"]);
    let declared = &server.sent()[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*declared, json!({ "elicitation": { "form": {} } }));

    // What a call accepts itself is handed out.
    let server = Server::with(&results, Duration::ZERO, |builder| builder.input_handler(clerk.clone()));
    let call = server.client.call_tool("x").accept_input(InputKinds::FORM);
    let Ok(ToolOutcome::InputRequired(asked)) = call.send().await else { panic!("a request for input") };
    assert!(asked.stopped().is_none());
    assert_eq!(clerk.keys(), ["k"]);

    // More was declared than the handler answers.
    let server = Server::with(&[asks(&[("k", ROOTS)], None)], Duration::ZERO, |builder| {
        builder.input_handler(clerk.clone()).accept_input(all_kinds())
    });
    let (_, stop) = stopped(server.client.call_tool("x").send().await);
    assert!(matches!(stop, DriveStop::NotHandled { key } if key == "k"));

    // A server that never stops is left after the default number of rounds.
    let server = Server::with(&results[..1], Duration::ZERO, |builder| builder.input_handler(Clerk::new()));
    let outcome = server.client.read_resource("file:///a").send().await.unwrap();
    let asked = outcome.into_complete().unwrap_err();
    assert!(matches!(asked.stopped(), Some(DriveStop::MaxRounds { asked: 10 })));
    assert_eq!(server.sent().len(), 11);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_shared_or_borrowed_is_one() {
    let server =
        Server::new(&[asks(&[("a", FORM), ("b", LINK), ("c", SAMPLE), ("d", ROOTS)], None), DONE.to_owned()]);
    let clerk = Arc::new(Clerk::new().answering(all_kinds()));
    let shared: Box<dyn InputHandler> = Box::new(Arc::clone(&clerk));
    done(server.client.call_tool("x").drive(&&shared).await);
    assert_eq!(clerk.keys(), ["a", "b", "c", "d"]);
    assert_eq!(shared.kinds(), all_kinds());
}
