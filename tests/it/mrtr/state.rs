//! The state of a round: given back byte for byte, looked at by nobody.

use mcp_client::SuspendedCall;

use super::*;
use crate::stage::{OK, Stage};

/// The JSON text of the state in the body of a request.
fn sent(stage: &Stage, number: usize) -> Option<String> {
    let body = stage.post(number).body;
    let text = std::str::from_utf8(&body).unwrap();
    let begins = text.find("\"requestState\":")? + "\"requestState\":".len();
    // It is the last of the parameters.
    Some(text[begins..].strip_suffix("}}").unwrap().to_owned())
}

/// The answer to a request of that id, which the server cannot read where a surrogate stands alone in it.
fn ok(id: u32) -> Canned {
    Canned::json(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{OK}}}"#))
}

fn states() -> Vec<String> {
    let long = "x\\u0041é\\/".repeat(1 << 17);
    let mut states: Vec<String> = [
        "",
        " ",
        "plain",
        " s\\u0000\\u001f\\u007f ",
        "\\u0041\\u00e9\\u00E9é",
        "\\/\\u002f/\\b\\f\\n\\r\\t\\\"\\\\",
        "\\ud83e\\udd80🦀\\uD83E\\uDD80",
        "\\ud800",
        "\\udc00\\ud800 lone",
        "{\\\"json\\\": [1.0]}",
        "eyJhbGciOiJub25lIn0=.e30.",
        "\\u2028\\u202e\\ufeff",
        "null",
    ]
    .map(str::to_owned)
    .into();
    states.push(long);
    states.iter().map(|state| format!("\"{state}\"")).collect()
}

#[tokio::test]
async fn mrtr_06_mrtr_08_the_state_goes_back_byte_for_byte() {
    for state in states() {
        let stage = Stage::new().await;
        let handler = Willing::new(InputKinds::FORM);
        stage.answers(&asks(&[("k", FORM)], Some(&state)));
        let asked = asked(stage.client.call_tool("x").accept_input(InputKinds::FORM).send().await);
        stage.answers(&ok(2));
        asked.drive(&handler).await.unwrap().into_success().unwrap();
        let shown: String = state.chars().take(40).collect();
        assert_eq!(stage.count(), 2, "{shown}");
        assert!(sent(&stage, 1).as_deref() == Some(&state), "{shown}");
    }
}

#[tokio::test]
async fn mrtr_06_a_stored_state_goes_back_byte_for_byte() {
    for state in states() {
        let stage = Stage::new().await;
        stage.answers(&asks(&[], Some(&state)));
        let waiting = asked(stage.client.call_tool("x").send().await);
        let text = serde_json::to_string(&waiting.suspend()).unwrap();
        let restored: SuspendedCall = SuspendedCall::from_json(text.as_bytes()).unwrap();
        stage.answers(&ok(2));
        stage.client.restore(restored).unwrap().resume().await.unwrap().into_success().unwrap();
        let shown: String = state.chars().take(40).collect();
        assert!(sent(&stage, 1).as_deref() == Some(&state), "{shown}");
    }
}

#[tokio::test]
async fn mrtr_07_a_round_without_state_sends_none_also_not_an_earlier_one() {
    let desk = Desk::script([
        asks(&[("k", FORM)], Some("\"old\"")),
        asks(&[("k", FORM)], None),
        asks(&[], Some("\"\"")),
        asks(&[("k", FORM)], Some("null")),
        done(),
    ])
    .await;
    let handler = Willing::new(InputKinds::FORM);
    desk.client().call_tool("t").drive(&handler).await.unwrap().into_success().unwrap();
    assert_eq!(each(&desk, "requestState"), [Value::Null, json!("old"), Value::Null, json!(""), Value::Null]);
    let has: Vec<bool> =
        desk.asked().iter().map(|request| request.params.contains_key("requestState")).collect();
    assert_eq!(has, [false, true, false, true, false], "an empty one is one, none is none");
}
