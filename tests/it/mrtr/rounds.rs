//! From round to round: what is sent again, what is new, and how it ends.

use std::time::{Duration, Instant};

use mcp_client::{CallError, Delivery, error::ProtocolFault};

use super::*;

#[tokio::test]
async fn mrtr_01_mrtr_04_mrtr_05_mrtr_09_the_three_methods_are_asked_again_with_the_answers() {
    let answers =
        [asks(&[("one", FORM), ("two", ROOTS)], Some("\"s1\"")), asks(&[("one", LINK)], None), done()];
    let handler = Willing::new(all());
    for (desk, method, own) in drive_each(&answers, &handler).await {
        let requests = desk.asked();
        assert!(requests.iter().all(|request| request.method == method));
        assert_eq!(ids(&desk), [1, 2, 3], "each round is a request of its own: {method}");
        assert!(requests.iter().all(|request| request.meta == requests[0].meta), "{method}");
        for request in requests {
            let mut params = request.params;
            params.retain(|name, _| name != "inputResponses" && name != "requestState");
            assert_eq!(Value::from(params), own, "the original parameters: {method}");
        }
        // Bare results, under the keys of this round, and no others.
        let roots = json!({ "roots": [{ "uri": "file:///home/ada", "name": "home" }] });
        assert_eq!(
            each(&desk, "inputResponses"),
            [
                Value::Null,
                json!({ "one": filled("one", 1), "two": roots }),
                json!({ "one": { "action": "accept" } })
            ]
        );
        assert_eq!(each(&desk, "requestState"), [Value::Null, json!("s1"), Value::Null], "{method}");
    }
}

/// Lists no roots now; the form beside them may be answered, and nothing goes out.
struct Half(Willing);

#[async_trait]
impl InputHandler for Half {
    fn kinds(&self) -> InputKinds {
        self.0.kinds()
    }

    async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        self.0.form(form, cx).await
    }

    async fn roots(&self, _: &InputContext) -> Result<ListRootsResult, InputError> {
        Err(InputError::Later)
    }
}

#[tokio::test]
async fn mrtr_02_nothing_is_sent_before_all_is_answered() {
    let desk = Desk::script([asks(&[("a", FORM), ("b", ROOTS), ("c", FORM)], Some("\"s\"")), done()]).await;
    let handler = Half(Willing::new(all()));
    let (half, stop) = stopped(desk.client().call_tool("t").drive(&handler).await);
    assert!(matches!(&stop, DriveStop::Later { key } if key == "b"), "{stop:?}");
    assert_eq!(half.unanswered().collect::<Vec<_>>(), ["b", "c"]);
    let mut error = half.resume().await.unwrap_err();
    assert_eq!(error.to_string(), "invalid call, not sent: input is still missing for `b`, `c`");
    assert_eq!(desk.count(), 1);
    // The answers are not lost: only what is missing is asked for.
    let willing = Willing::new(all());
    let half = error.take_continuation().unwrap();
    half.drive(&willing).await.unwrap().into_success().unwrap();
    assert_eq!(willing.keys(), ["b", "c"]);
    assert_eq!(each(&desk, "inputResponses")[1].as_object().unwrap().len(), 3);
}

#[tokio::test]
async fn mrtr_03_field_mrtr_01_a_round_of_state_only_is_sent_again_after_a_moment() {
    let handler = Willing::new(InputKinds::NONE);
    let started = Instant::now();
    for (desk, method, own) in drive_each(&[asks(&[], Some("\"s1\"")), done()], &handler).await {
        assert_eq!(ids(&desk), [1, 2], "{method}");
        assert_eq!(each(&desk, "requestState"), [Value::Null, json!("s1")], "{method}");
        let mut params = desk.asked()[1].params.clone();
        params.remove("requestState");
        assert_eq!(Value::from(params), own, "no `inputResponses`: {method}");
    }
    assert!(started.elapsed() >= Duration::from_millis(750), "a quarter of a second each");
    assert_eq!(handler.keys(), [""; 0]);
}

/// Two calls of one tool at once: each gets its own state and questions back, never the other's.
#[tokio::test]
async fn mrtr_10_concurrent_calls_of_one_tool_are_kept_apart() {
    let desk = Desk::new(|asked| {
        let who = asked.params["arguments"]["who"].as_u64().unwrap();
        match asked.params.get("inputResponses") {
            None => asks(&[(&format!("k{who}"), FORM)], Some(&format!("\"state of {who}\""))),
            Some(_) => done(),
        }
    })
    .await;
    let client = desk.client();
    let handler = Willing::new(InputKinds::FORM);
    let call = |who: u32| client.call_tool("t").arguments(json!({ "who": who })).drive(&handler);
    let ended = tokio::join!(call(0), call(1), call(2), call(3));
    for outcome in [ended.0, ended.1, ended.2, ended.3] {
        outcome.unwrap().into_success().unwrap();
    }
    assert_eq!(desk.count(), 8);
    for request in desk.asked().iter().filter(|request| request.params.contains_key("inputResponses")) {
        let who = request.params["arguments"]["who"].as_u64().unwrap();
        let key = format!("k{who}");
        assert_eq!(request.params["requestState"], format!("state of {who}"));
        assert_eq!(request.params["inputResponses"], json!({ key.as_str(): filled(&key, 1) }));
    }
}

#[tokio::test]
async fn mrtr_11_a_server_that_never_stops_asking_is_left_and_can_be_gone_on_with() {
    let desk = Desk::new(|asked| match asked.number {
        0..=10 => asks(&[("k", FORM)], Some(&format!("\"{}\"", asked.number))),
        _ => done(),
    })
    .await;
    let handler = Willing::new(InputKinds::FORM);
    let (last, stop) = stopped(desk.client().call_tool("t").drive(&handler).await);
    assert!(matches!(stop, DriveStop::MaxRounds { asked: 10 }), "{stop:?}");
    assert_eq!((handler.asked().len(), desk.count()), (10, 11));
    assert_eq!(ids(&desk), (1..=11).map(Value::from).collect::<Vec<_>>());
    let states: Vec<Value> = (0..10).map(|number| json!(number.to_string())).collect();
    assert_eq!(each(&desk, "requestState")[1..], states, "each round has the state of the one before");
    for (round, answers) in (1..).zip(&each(&desk, "inputResponses")[1..]) {
        assert_eq!(*answers, json!({ "k": filled("k", round) }), "and its own answers");
    }
    last.drive(&handler).max_rounds(1).await.unwrap().into_success().unwrap();
    assert_eq!((handler.asked().len(), desk.count()), (11, 12));
}

/// A server that misses something asks for it, also under the same key and in another way.
#[tokio::test]
async fn mrtr_12_what_a_server_misses_is_asked_anew() {
    let answers = [
        asks(&[("a", FORM), ("b", FORM)], Some("\"1\"")),
        asks(&[("b", FORM)], Some("\"2\"")),
        asks(&[("b", ROOTS)], Some("\"2\"")),
        done(),
    ];
    let desk = Desk::script(answers).await;
    let handler = Willing::new(all());
    desk.client().call_tool("t").drive(&handler).await.unwrap().into_success().unwrap();
    let asked = [("a", 1), ("b", 1), ("b", 2), ("b", 3)].map(|(key, round)| (key.to_owned(), round));
    assert_eq!(handler.asked(), asked);
    let sent = each(&desk, "inputResponses");
    assert_eq!(sent[2], json!({ "b": filled("b", 2) }), "no answer serves two rounds");
    assert_eq!(sent[3]["b"]["roots"].as_array().unwrap().len(), 1);
}

/// Something is asked for that makes no sense: it is shown, nobody is asked for anything, and nothing is sent.
#[tokio::test]
async fn mrtr_13_requests_that_are_unknown_or_malformed_stop_the_call() {
    for odd in [
        "42",
        "{}",
        r#"{"method":"vendor/ask","params":{}}"#,
        r#"{"method":"tools/call","params":{"name":"rm"}}"#,
        r#"{"method":"elicitation/create"}"#,
        r#"{"method":"elicitation/create","params":{"mode":"hologram","message":"?"}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":"many"}}"#,
        r#"{"method":"roots/list","params":7}"#,
    ] {
        let desk = Desk::script([asks(&[("good", FORM), ("odd", odd)], Some("\"s\""))]).await;
        let handler = Willing::new(all());
        let (asked, stop) = stopped(desk.client().call_tool("t").drive(&handler).await);
        assert!(matches!(&stop, DriveStop::Unknown { key } if key == "odd"), "{odd}: {stop:?}");
        assert_eq!((handler.keys().len(), desk.count()), (0, 1), "{odd}");
        assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["good", "odd"]);
    }
}

#[tokio::test]
async fn mrtr_15_a_result_that_asks_for_nothing_is_none() {
    for reply in [
        r#"{"resultType":"input_required"}"#,
        r#"{"resultType":"input_required","inputRequests":{}}"#,
        r#"{"resultType":"input_required","inputRequests":null,"requestState":null}"#,
    ] {
        let desk = Desk::script([Canned::result(reply)]).await;
        let handler = Willing::new(all());
        let error = desk.client().call_tool("t").drive(&handler).await.unwrap_err();
        let CallError::Protocol(fault) = &error else { panic!("{error:?}") };
        assert!(matches!(fault.fault(), ProtocolFault::InvalidResult { .. }), "{error:?}");
        assert_eq!((error.delivery(), desk.count()), (Delivery::Unknown, 1), "{reply}");
    }
}

/// Whoever does not go on says nothing: the first request is over already.
#[tokio::test]
async fn mrtr_16_a_call_can_be_left_at_any_round_without_a_message() {
    let desk = Desk::script([asks(&[("k", FORM)], Some("\"1\"")), asks(&[("k", FORM)], Some("\"2\""))]).await;
    let client = desk.client();
    let handler = Willing::new(InputKinds::FORM);
    for rounds in 0..3 {
        let before = desk.count();
        let (left, _) = stopped(client.call_tool("t").drive(&handler).max_rounds(rounds).await);
        drop(left);
        // All that comes after it is the next call.
        assert_eq!(desk.count(), before + rounds as usize + 1);
    }
}

#[tokio::test]
async fn mrtr_17_to_decline_and_to_cancel_are_answers_and_go_out() {
    let desk = Desk::script([asks(&[("form", FORM), ("link", LINK)], Some("\"s\"")), done()]).await;
    let handler = Refusing(InputKinds::FORM | InputKinds::URL);
    desk.client().call_tool("t").drive(&handler).await.unwrap().into_success().unwrap();
    assert_eq!(
        each(&desk, "inputResponses")[1],
        json!({ "form": { "action": "decline" }, "link": { "action": "cancel" } })
    );

    // By hand it is the same.
    let desk = Desk::script([asks(&[("form", FORM)], None), done()]).await;
    let mut asked = asked(desk.client().call_tool("t").accept_input(InputKinds::FORM).send().await);
    asked.answer("form", ElicitAnswer::decline()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(each(&desk, "inputResponses")[1], json!({ "form": { "action": "decline" } }));
}

#[tokio::test]
async fn mrtr_18_keys_are_the_servers_own_whatever_they_look_like() {
    let long = "k".repeat(1 << 20);
    let keys = [
        "",
        " ",
        "a.b/c",
        "__proto__",
        "constructor",
        "0",
        "jsonrpc",
        "é",
        "🦀",
        "\\u0000\\n\\\"\\\\",
        "\\u202e",
        &long,
    ];
    let requests: Vec<(&str, &str)> = keys.iter().map(|key| (*key, FORM)).collect();
    let desk = Desk::script([asks(&requests, None), done()]).await;
    let handler = Willing::new(InputKinds::FORM);
    desk.client().call_tool("t").drive(&handler).one_at_a_time().await.unwrap().into_success().unwrap();
    let expected: Vec<String> =
        keys.iter().map(|key| serde_json::from_str(&format!("\"{key}\"")).unwrap()).collect();
    assert_eq!(handler.keys(), expected);
    let sent = &each(&desk, "inputResponses")[1];
    let sent = sent.as_object().unwrap();
    assert_eq!(sent.len(), keys.len());
    for key in &expected {
        assert_eq!(sent[key], filled(key, 1), "{:?}", key.chars().take(20).collect::<String>());
    }
}

/// A failure of the wire in the second round gives the answers back, and the handler is not asked for them again.
#[tokio::test]
async fn a_round_that_is_refused_gives_the_answers_back() {
    let desk = Desk::script([asks(&[("k", FORM)], Some("\"s\"")), Canned::new(429, "", ""), done()]).await;
    let handler = Willing::new(InputKinds::FORM);
    let mut error = desk.client().call_tool("t").drive(&handler).await.unwrap_err();
    assert_eq!((error.http_status(), error.delivery()), (Some(429), Delivery::Refused));
    let asked = error.take_continuation().unwrap();
    asked.drive(&handler).await.unwrap().into_success().unwrap();
    assert_eq!(handler.keys(), ["k"]);
    assert_eq!(ids(&desk), [1, 2, 3]);
    assert_eq!(each(&desk, "inputResponses")[1], each(&desk, "inputResponses")[2]);
}

/// Over sockets as in memory: while a person thinks, no time of the call goes by and nothing is under way.
#[tokio::test]
async fn a_cancelled_call_ends_while_somebody_is_asked_and_sends_nothing() {
    struct Thinking(tokio::sync::Notify);
    #[async_trait]
    impl InputHandler for Thinking {
        fn kinds(&self) -> InputKinds {
            InputKinds::FORM
        }
        async fn form(&self, _: ElicitForm, _: &InputContext) -> Result<ElicitAnswer, InputError> {
            self.0.notify_one();
            std::future::pending().await
        }
    }
    let desk = Desk::script([asks(&[("k", FORM)], Some("\"s\""))]).await;
    let client = desk.builder().timeout(Duration::from_millis(600)).build().unwrap();
    let (handler, stop) = (Thinking(tokio::sync::Notify::new()), mcp_client::CancelHandle::new());
    let call = async { client.call_tool("t").cancel_with(&stop).drive(&handler).await };
    let press = async {
        handler.0.notified().await;
        // Longer than the call may take.
        tokio::time::sleep(Duration::from_millis(700)).await;
        stop.cancel("enough");
    };
    let (outcome, ()) = tokio::join!(call, press);
    let mut error = outcome.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (mcp_client::OutcomeKind::Cancelled, Delivery::NotSent));
    assert_eq!(error.record().unwrap().post_count(), 0);
    assert!(error.take_continuation().is_some());
    assert_eq!(desk.count(), 1);
}
