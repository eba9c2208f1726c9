//! Links: shown, agreed to, and never opened or fetched here.

use mcp_client::{
    AnswerFault, ElicitAnswer, InputKinds, LinkFault, LinkWarning, ToolOutcome,
    types::{InputRequest, InputResponse, RawJson},
};
use serde_json::{Value, json};
use wiremock::MockServer;

use super::{ask, asks, log, stage};
use crate::stage::{Canned, OK, Stage};

fn link(url: &str) -> String {
    json!({ "mode": "url", "message": "Please pay", "url": url }).to_string()
}

#[tokio::test]
async fn elu_01_a_link_has_a_message_and_an_address() {
    let stage = stage().await;
    // Members of other revisions mean nothing.
    let params = r#"{"mode":"url","message":"Please pay","url":"https://pay.example/x?y=z","elicitationId":"7","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}"#;
    let mut asked = ask(&stage, &stage.client, &asks(params, "s")).await;
    assert!(asked.form("k").is_none() && asked.link("other").is_none());
    let link = asked.link("k").unwrap().unwrap();
    assert_eq!(
        (link.message(), link.as_str(), link.host()),
        ("Please pay", "https://pay.example/x?y=z", "pay.example")
    );
    asked.answer("k", link.accept()).unwrap();
    for broken in [
        r#"{"mode":"url","message":"Please pay"}"#,
        r#"{"mode":"url","url":"https://pay.example/"}"#,
        r#"{"mode":"url","message":"Please pay","url":7}"#,
    ] {
        let asked = ask(&stage, &stage.client, &asks(broken, "s")).await;
        assert!(matches!(asked.request("k"), Some(InputRequest::Unknown(_))), "{broken}");
        assert!(asked.link("k").is_none() && asked.form("k").is_none(), "{broken}");
    }
}

#[tokio::test]
async fn elu_02_who_agrees_says_so_without_content() {
    let stage = stage().await;
    let mut asked = ask(&stage, &stage.client, &asks(&link("https://pay.example/"), "s")).await;
    let filled = ElicitAnswer::accept(&json!({ "card": "4711" })).unwrap();
    let as_raw = RawJson::from_serialize(&filled).unwrap();
    for answer in
        [InputResponse::from(filled), as_raw.into(), ElicitAnswer::accept(&json!({})).unwrap().into()]
    {
        assert_eq!(asked.answer("k", answer).unwrap_err().fault(), AnswerFault::Content);
    }
    asked.answer("k", asked.link("k").unwrap().unwrap().accept()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(
        log(&stage),
        [
            (json!(1), Value::Null, Value::Null),
            (json!(2), json!({ "k": { "action": "accept" } }), json!("s")),
        ]
    );
}

/// There is no word of the page's end: the call is sent again, and the server may ask once more.
#[tokio::test]
async fn elu_03_the_outcome_is_learnt_by_the_next_request_only() {
    let stage = stage().await;
    let mut asked = ask(&stage, &stage.client, &asks(&link("https://pay.example/"), "one")).await;
    for (round, state) in [(1, "two"), (2, "three")] {
        assert_eq!(asked.rounds(), round);
        asked.answer("k", ElicitAnswer::accept_empty()).unwrap();
        stage.answers(&asks(&link("https://pay.example/"), state));
        let Ok(ToolOutcome::InputRequired(again)) = asked.resume().await else { panic!("asked again") };
        assert_eq!(
            again.unanswered().collect::<Vec<_>>(),
            ["k"],
            "the last answer is not taken for this one"
        );
        asked = again;
    }
    asked.answer("k", ElicitAnswer::cancel()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    let accepted = json!({ "k": { "action": "accept" } });
    assert_eq!(
        log(&stage),
        [
            (json!(1), Value::Null, Value::Null),
            (json!(2), accepted.clone(), json!("one")),
            (json!(3), accepted, json!("two")),
            (json!(4), json!({ "k": { "action": "cancel" } }), json!("three")),
        ]
    );
}

#[tokio::test]
async fn elu_04_the_page_is_never_fetched() {
    let stage = stage().await;
    let page = MockServer::start().await;
    let url = format!("{}/pay?n=7", page.uri());
    let mut asked = ask(&stage, &stage.client, &asks(&link(&url), "s")).await;
    let link = asked.link("k").unwrap().unwrap();
    assert_eq!((link.as_str(), link.is_loopback()), (url.as_str(), true));
    let warnings = [LinkWarning::IpAddress, LinkWarning::Port, LinkWarning::Http];
    assert_eq!(link.warnings().collect::<Vec<_>>(), warnings);
    assert!(link.unicode_host().is_none());
    asked.answer("k", link.accept()).unwrap();
    let stored = serde_json::to_string(&asked.suspend()).unwrap();
    let restored: mcp_client::SuspendedCall = serde_json::from_str(&stored).unwrap();
    let outcome = stage.client.restore(restored).unwrap().resume().await;
    outcome.unwrap().into_success().unwrap();
    assert!(page.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn elu_12_what_is_no_page_on_the_web_cannot_be_agreed_to() {
    let stage = stage().await;
    for (url, fault) in [
        ("not a url", LinkFault::NotAUrl),
        ("/relative", LinkFault::NotAUrl),
        ("https://pay.example/a b", LinkFault::NotAUrl),
        ("https://", LinkFault::NoHost),
        ("javascript:alert(1)", LinkFault::Scheme),
        ("file:///etc/passwd", LinkFault::Scheme),
        ("data:text/html,hi", LinkFault::Scheme),
        ("ms-settings:x", LinkFault::Scheme),
    ] {
        let number = stage.count() + 1;
        let mut asked = ask(&stage, &stage.client, &asks(&link(url), "s")).await;
        assert_eq!(asked.link("k").unwrap().unwrap_err(), fault, "{url}");
        for accept in [
            ElicitAnswer::accept_empty().into(),
            InputResponse::Raw(RawJson::from(&json!({ "action": "accept" }))),
        ] {
            let error = asked.answer("k", accept).unwrap_err();
            assert_eq!(error.fault(), AnswerFault::Link(fault), "{url}");
            assert_eq!(error.to_string(), format!("`k` cannot be accepted: {fault}"));
        }
        // To say no is always possible.
        asked.answer("k", ElicitAnswer::cancel()).unwrap();
        stage.answers(&Canned::result(OK));
        asked.resume().await.unwrap().into_success().unwrap();
        assert_eq!(log(&stage).swap_remove(number).1, json!({ "k": { "action": "cancel" } }));
    }
    // Not encrypted, elsewhere: no link to be opened, but the caller may know the host better.
    let mut asked = ask(&stage, &stage.client, &asks(&link("http://pay.example/"), "s")).await;
    assert_eq!(asked.link("k").unwrap().unwrap_err(), LinkFault::Insecure);
    asked.answer("k", ElicitAnswer::accept_empty()).unwrap();
}

/// The page's affairs are not the client's: its token stays the same, and is never sent to the page's host.
#[tokio::test]
async fn elu_13_the_token_of_the_client_stays_as_it_is() {
    let stage = Stage::with(|builder| builder.accept_input(InputKinds::URL).bearer_token("mine")).await;
    let page = MockServer::start().await;
    let url = format!("{}/oauth?client_id=other&access_token=theirs", page.uri());
    let mut asked = ask(&stage, &stage.client, &asks(&link(&url), "s")).await;
    asked.answer("k", asked.link("k").unwrap().unwrap().accept()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    stage.client.call_tool("x").send().await.unwrap().into_success().unwrap();
    for number in 0..3 {
        let post = stage.post(number);
        assert_eq!(post.headers.get("authorization").unwrap(), "Bearer mine");
        assert!(!String::from_utf8_lossy(&post.body).contains("theirs"));
    }
    assert!(page.received_requests().await.unwrap().is_empty());
}
