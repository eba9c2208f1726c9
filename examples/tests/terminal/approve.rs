//! `approve`: the Kitchen's approval, answered by a person.

use mcp_tests::Kitchen;
use serde_json::{Value, json};

use crate::{
    person::{BACKSPACE, CTRL_C, DOWN, ENTER, ESC, Person},
    server::{accepted, assert_answered, kitchen},
};

const LABEL: &str = "Reason (recorded for audit)";

fn approve(kitchen: &Kitchen) -> Person {
    Person::start(env!("CARGO_BIN_EXE_approve"), &[&kitchen.url()])
}

async fn approval() -> Kitchen {
    kitchen("elicitation.approval", json!({ "reasonMaxLength": 8 })).await
}

/// What is not sent before it fits, and was looked over.
#[tokio::test]
async fn a_wrong_value_is_asked_for_again_and_a_right_one_ends_the_call() {
    let kitchen = approval().await;
    let mut person = approve(&kitchen);
    person.sees(&format!("server: {}", kitchen.url())).sees("for the tool: run_configured_test_scenario");
    person.sees("Approve running this MCP test scenario?").sees("it asks for: Reason");
    person.sees("Your answer?").sees("Answer").sees("Decline").sees("Cancel").types(ENTER);
    // Nothing at all is a slip.
    person.sees(LABEL).sees("at most 8 characters").types(ENTER);
    person.sees(&format!("{LABEL} must be filled in"));
    person.types("much too long").types(ENTER);
    person.sees(&format!("{LABEL} must be at most 8 characters long"));
    // The value is kept, and can be mended.
    person.types(&BACKSPACE.repeat(" too long".len())).types(ENTER);
    person.sees("Your answer:").sees(&format!("{LABEL}: much")).sees("Send this?").sees("Cancel");
    assert_eq!(kitchen.posts().len(), 1, "nothing is sent before it was looked over");
    person.types(DOWN).types(ENTER);
    // What was given is there to be changed.
    person.sees(LABEL).sees("much").types("!").types(ENTER);
    person.sees(&format!("{LABEL}: much!")).sees("Send this?").sees("Cancel").types(ENTER);
    let (code, shown) = person.sees("approvalReason").ends();
    assert_eq!(code, 0, "{shown}");
    assert_answered(&kitchen, "awaiting-elicitation", &accepted("much!"));
}

#[tokio::test]
async fn declining_is_offered_before_and_after() {
    for after in [false, true] {
        let kitchen = approval().await;
        let mut person = approve(&kitchen);
        person.sees("Your answer?").sees("Cancel");
        if after {
            person.types(ENTER).sees(LABEL).types("fine").types(ENTER);
            person.sees("Send this?").sees("Decline").types(DOWN);
        }
        let (code, shown) = person.types(DOWN).types(ENTER).sees("\"elicitationOutcome\":\"decline\"").ends();
        assert_eq!(code, 1, "the tool reports that as its error: {shown}");
        assert_answered(&kitchen, "awaiting-elicitation", &json!({ "elicitation": { "action": "decline" } }));
    }
}

#[tokio::test]
async fn esc_cancels_wherever_it_is_pressed() {
    for prompts in 0..3 {
        let kitchen = approval().await;
        let mut person = approve(&kitchen);
        person.sees("Your answer?").sees("Cancel");
        if prompts > 0 {
            person.types(ENTER).sees(LABEL).sees("Esc cancels");
        }
        if prompts > 1 {
            person.types("fine").types(ENTER).sees("Send this?").sees("Cancel");
        }
        let (code, shown) = person.types(ESC).sees("\"elicitationOutcome\":\"cancel\"").ends();
        assert_eq!(code, 1, "{shown}");
        assert_answered(&kitchen, "awaiting-elicitation", &json!({ "elicitation": { "action": "cancel" } }));
    }
}

/// Ctrl-C answers nothing.
#[tokio::test]
async fn an_interrupt_sends_nothing() {
    let kitchen = approval().await;
    let mut person = approve(&kitchen);
    person.sees("Your answer?").sees("Cancel").types(CTRL_C);
    let (code, shown) = person.sees("Not answered").ends();
    assert_eq!((code, kitchen.posts().len()), (0, 1), "{shown}");
}

#[tokio::test]
async fn a_link_is_shown_whole_and_opened_by_nobody_else() {
    let url = "https://user@xn--pypal-4ve.com:8443/pay?session=7";
    let kitchen =
        kitchen("elicitation.url_mode", json!({ "url": url, "promptMessage": "Pay\u{1b}[31m here" })).await;
    let mut person = approve(&kitchen);
    person.sees("Pay\u{FFFD}[31m here").sees(url).sees("on the host:\r\n    xn--pypal-4ve.com\r\n");
    person.sees("pаypal.com");
    for warning in ["look like others", "user name", "port"] {
        person.sees("warning:").sees(warning);
    }
    person.sees("Open this page?").sees("Cancel").types(ENTER);
    person.sees("Open it in your own browser:\r\n").sees(url).sees("And then?").sees("Cancel");
    assert_eq!(kitchen.posts().len(), 1, "the call waits until the person is done there");
    let (code, shown) = person.types(ENTER).sees("\"elicitationOutcome\":\"accepted\"").ends();
    assert_eq!(code, 0, "{shown}");
    assert_answered(&kitchen, "awaiting-elicitation", &json!({ "elicitation": { "action": "accept" } }));
}

#[tokio::test]
async fn a_link_can_be_declined_and_cancelled() {
    for (keys, action) in [(&[DOWN, ENTER][..], "decline"), (&[ESC], "cancel")] {
        let kitchen = kitchen("elicitation.url_mode", Value::Null).await;
        let mut person = approve(&kitchen);
        person.sees("on the host:\r\n    example.com\r\n").sees("Open this page?").sees("Cancel");
        for key in keys {
            person.types(key);
        }
        assert_eq!(person.sees("elicitationOutcome").ends().0, 1);
        assert_answered(&kitchen, "awaiting-elicitation", &json!({ "elicitation": { "action": action } }));
    }
}

/// A default is there to be taken or changed.
#[tokio::test]
async fn a_ticket_is_closed_with_the_default_reason() {
    let kitchen = kitchen("compat.sdk_v2", json!({ "defaultCloseReason": "done" })).await;
    let words = [&kitchen.url(), "--tool", "simulate_ticket_close_mrtr", "--arguments", r#"{"ticketId":7}"#];
    let mut person = Person::start(env!("CARGO_BIN_EXE_approve"), &words);
    person.sees("Close ticket '7'?").sees("Your answer?").sees("Cancel").types(ENTER);
    person.sees("Close reason").sees("done").sees("Why the ticket is closed").types(ENTER);
    person.sees("Close reason: done").sees("Send this?").sees("Cancel").types(ENTER);
    let (code, shown) = person.sees("Closed ticket 7: done").ends();
    assert_eq!(code, 0, "{shown}");
    assert_answered(
        &kitchen,
        "7",
        &json!({ "closeReason": { "action": "accept", "content": { "closeReason": "done" } } }),
    );
}

/// As in a script: it says what was asked, answers nothing, and does not hang.
#[tokio::test]
async fn without_a_terminal_nothing_is_answered() {
    let kitchen = approval().await;
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_approve"))
        .arg(kitchen.url())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.is_empty()), (Some(0), true), "{shown}");
    for part in ["Approve running this MCP test scenario?", "it asks for: Reason", "no terminal to answer on"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(kitchen.posts().len(), 1);
}
