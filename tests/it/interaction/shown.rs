//! What is asked for is shown as it is, also what should not have been asked.

use mcp_client::{
    AnswerFault, ElicitAnswer, InputKinds, ToolOutcome,
    types::{ElicitRequestParams, InputRequest},
};
use serde_json::{Value, json};

use super::{FORM, ROOTS, SAMPLE, URL, all, asks, continuation, stage};
use crate::stage::{Canned, INPUT_REQUIRED, Stage, notes, response};
use crate::support::record;

#[tokio::test]
async fn c_11_a_request_for_input_is_neither_success_nor_failure() {
    let stage = stage().await;
    let result = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"k":{FORM}}},"requestState":"s","content":"ignored"}}"#
    );
    for reply in [Canned::result(&result), Canned::sse(&[&response(&result)])] {
        let outcome = stage.ends(&reply, INPUT_REQUIRED).await;
        assert_eq!(notes(&outcome), [""; 0]);
        let result_type = record(&outcome).result_type.as_ref().map(|kind| kind.as_str().to_owned());
        assert_eq!(result_type.as_deref(), Some("input_required"));
        assert_eq!(record(&outcome).attempts.attempts()[0].failed, None);
        assert!(matches!(outcome, Ok(ToolOutcome::InputRequired(_))));
    }
}

#[tokio::test]
async fn requests_are_shown_in_order_with_all_that_they_say() {
    let stage = stage().await;
    let reply = asks(&[("z", FORM), ("a", URL), ("", SAMPLE), ("a.b/c", ROOTS)], Some(r#""s\u0000t""#));
    let asked = continuation(&stage, &stage.client, &reply).await;
    assert_eq!(asked.requests().keys().collect::<Vec<_>>(), ["z", "a", "", "a.b/c"]);
    assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["z", "a", "", "a.b/c"]);
    assert_eq!((asked.target(), asked.rounds()), ("x", 1));
    assert_eq!(asked.request_state().unwrap().as_str(), "s\0t");
    let Some(InputRequest::Elicit(form)) = asked.request("z") else { panic!("a form") };
    let ElicitRequestParams::Form(form) = &form.params else { panic!("a form") };
    assert_eq!(form.message, "Why?");
    assert!(form.requested_schema.is_required("reason"));
    let Some(InputRequest::Elicit(url)) = asked.request("a") else { panic!("a link") };
    let ElicitRequestParams::Url(url) = &url.params else { panic!("a link") };
    assert_eq!(url.url, "https://a.example/pay?k=v");
    let Some(InputRequest::Sample(sample)) = asked.request("") else { panic!("a sampling request") };
    assert_eq!(sample.params.max_tokens, 5);
    assert!(matches!(asked.request("a.b/c"), Some(InputRequest::ListRoots(_))));
    assert!(asked.request("b").is_none());
    for (key, text) in [("z", FORM), ("a", URL), ("", SAMPLE), ("a.b/c", ROOTS)] {
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(
            serde_json::to_value(asked.request(key).unwrap()).unwrap(),
            expected,
            "nothing is lost: {key}"
        );
        assert!(asked.is_declared(key), "{key}");
    }
}

/// A server must not send what was not declared. It is shown, marked and never obeyed.
#[tokio::test]
async fn undeclared_kinds_are_shown_and_refused() {
    let rows = [
        (InputKinds::FORM, "form", FORM),
        (InputKinds::URL, "url", URL),
        (InputKinds::SAMPLING, "sample", SAMPLE),
        (InputKinds::ROOTS, "roots", ROOTS),
    ];
    for (declared, own, _) in rows {
        let stage = Stage::with(|builder| builder.accept_input(declared)).await;
        for (kind, key, request) in rows {
            let reply = asks(&[(key, request)], None);
            let outcome = stage.ends(&reply, INPUT_REQUIRED).await;
            let noted: &[&str] = if kind == declared { &[] } else { &["undeclared-input-request"] };
            assert_eq!(notes(&outcome), noted, "{declared:?} {key}");
            let Ok(ToolOutcome::InputRequired(mut asked)) = outcome else { panic!("a request for input") };
            assert_eq!(asked.is_declared(key), key == own, "{declared:?} {key}");
            assert!(
                !matches!(asked.request(key), Some(InputRequest::Unknown(_)) | None),
                "typed all the same"
            );
            if key != own {
                let raw = mcp_client::types::RawJson::empty_object();
                for answer in [ElicitAnswer::decline().into(), mcp_client::types::InputResponse::Raw(raw)] {
                    let error = asked.answer(key, answer).unwrap_err();
                    assert_eq!((error.fault(), error.key()), (AnswerFault::Undeclared, key));
                }
                assert_eq!(asked.unanswered().collect::<Vec<_>>(), [key]);
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_declared_unless_told_and_a_call_can_say_otherwise() {
    let stage = Stage::new().await;
    assert!(stage.client.accepted_input().is_empty());
    let reply = asks(&[("k", FORM)], None);
    let asked = continuation(&stage, &stage.client, &reply).await;
    assert!(!asked.is_declared("k"));
    assert_eq!(asked.record().notes.len(), 1);

    stage.answers(&reply);
    let call = stage.client.call_tool("x").accept_input(all());
    let Ok(ToolOutcome::InputRequired(asked)) = call.send().await else { panic!("a request for input") };
    assert!(asked.is_declared("k"));

    let capabilities = |number: usize| {
        stage.bodies()[number]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone()
    };
    assert_eq!(capabilities(0), json!({}));
    assert_eq!(
        capabilities(1),
        json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} })
    );

    let eager = Stage::with(|builder| builder.accept_input(all())).await;
    eager.answers(&reply);
    let call = eager.client.call_tool("x").accept_input(InputKinds::NONE);
    let Ok(ToolOutcome::InputRequired(asked)) = call.send().await else { panic!("a request for input") };
    assert!(!asked.is_declared("k"));
    assert_eq!(eager.bodies()[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
}

/// Unknown methods and malformed requests: the class stays, each is kept raw, none can be answered.
#[tokio::test]
async fn c_24_unknown_and_malformed_requests_are_shown_raw() {
    let stage = stage().await;
    for text in [
        "42",
        "null",
        "[]",
        "\"text\"",
        "{}",
        r#"{"method":7}"#,
        r#"{"method":"vendor/ask","params":{"n":1e400}}"#,
        r#"{"method":"elicitation/create"}"#,
        r#"{"method":"elicitation/create","params":{"mode":"voice","message":"?"}}"#,
        r#"{"method":"elicitation/create","params":{"mode":"form","message":"no schema"}}"#,
        r#"{"method":"elicitation/create","params":{"mode":"url","message":"no url"}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":{},"maxTokens":5}}"#,
        r#"{"method":"roots/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#,
    ] {
        let reply = asks(&[("good", FORM), ("odd", text)], None);
        let outcome = stage.ends(&reply, INPUT_REQUIRED).await;
        assert_eq!(notes(&outcome), ["unknown-input-request"], "{text}");
        let Ok(ToolOutcome::InputRequired(mut asked)) = outcome else { panic!("a request for input") };
        let Some(InputRequest::Unknown(raw)) = asked.request("odd") else { panic!("unknown: {text}") };
        assert_eq!(raw.get(), text);
        assert!(!asked.is_declared("odd"));
        let raw = mcp_client::types::RawJson::empty_object();
        for answer in [ElicitAnswer::decline().into(), mcp_client::types::InputResponse::Raw(raw)] {
            let fault = asked.answer("odd", answer).unwrap_err().fault();
            assert_eq!(fault, AnswerFault::UnknownRequest, "{text}");
        }
        asked.answer("good", ElicitAnswer::decline()).unwrap();
        assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["odd"]);
        let before = stage.count();
        let error = asked.resume().await.unwrap_err();
        assert_eq!(error.to_string(), "invalid call, not sent: input is still missing for `odd`");
        assert_eq!(stage.count(), before, "nothing is sent");
    }
}

/// Dropping it abandons the call, without a message.
#[tokio::test]
async fn the_continuation_keeps_nothing_alive_and_sends_nothing_when_it_is_dropped() {
    let stage = stage().await;
    let asked = continuation(&stage, &stage.client, &asks(&[("k", FORM)], Some("\"s\""))).await;
    drop(asked);
    stage.client.call_tool("x").send().await.unwrap().into_success().unwrap();
    assert_eq!(stage.count(), 2, "the call and the one after it");
}
