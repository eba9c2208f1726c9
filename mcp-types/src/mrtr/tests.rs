use serde_json::json;

use super::*;
use crate::{CallToolResult, ElicitRequestParams};

fn request(text: &str) -> InputRequest {
    let request: InputRequest = serde_json::from_str(text).unwrap();
    let again: serde_json::Value = serde_json::from_str(&serde_json::to_string(&request).unwrap()).unwrap();
    assert_eq!(again, serde_json::from_str::<serde_json::Value>(text).unwrap());
    request
}

const FORM: &str = r#"{"method":"elicitation/create","id":7,"params":{"message":"?","requestedSchema":{"type":"object","properties":{}},"x":1},"jsonrpc":"2.0"}"#;

#[test]
fn requests_are_told_apart_by_method_and_keep_all_members() {
    let InputRequest::Elicit(elicit) = request(FORM) else { panic!() };
    assert_eq!(elicit.extra.keys().collect::<Vec<_>>(), ["id", "jsonrpc"]);
    assert!(
        matches!(&elicit.params, ElicitRequestParams::Form(form) if form.message == "?" && form.extra.len() == 1)
    );

    let url = request(
        r#"{"method":"elicitation/create","params":{"mode":"url","message":"?","url":"https://a.example/"}}"#,
    );
    assert!(matches!(url, InputRequest::Elicit(e) if matches!(&e.params, ElicitRequestParams::Url(_))));
    let sample = request(
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5,"temperature":0.10}}"#,
    );
    assert_eq!(sample.method(), Some("sampling/createMessage"));
    assert!(
        matches!(request(r#"{"method":"roots/list"}"#), InputRequest::ListRoots(roots) if roots.params.is_none())
    );
    assert!(
        matches!(request(r#"{"method":"roots/list","params":{}}"#), InputRequest::ListRoots(roots) if roots.params.is_some())
    );
}

#[test]
fn what_cannot_be_read_is_kept() {
    for (text, method) in [
        ("42", None),
        ("null", None),
        ("{}", None),
        (r#"{"method":1}"#, None),
        (r#"{"method":"vendor/ask","params":[1]}"#, Some("vendor/ask")),
        (r#"{"method":"elicitation/create"}"#, Some("elicitation/create")),
        (
            r#"{"method":"elicitation/create","params":{"mode":"voice","message":"?"}}"#,
            Some("elicitation/create"),
        ),
        (
            r#"{"method":"elicitation/create","params":{"mode":7,"message":"?","requestedSchema":{}}}"#,
            Some("elicitation/create"),
        ),
        (
            r#"{"method":"sampling/createMessage","params":{"messages":{},"maxTokens":5}}"#,
            Some("sampling/createMessage"),
        ),
        (r#"{"method":"roots/list","params":[]}"#, Some("roots/list")),
    ] {
        let request = request(text);
        assert!(matches!(&request, InputRequest::Unknown(raw) if raw.get() == text), "{text}");
        assert_eq!(request.method(), method, "{text}");
    }
}

#[test]
fn keys_are_any_strings() {
    let text = format!(r#"{{"":{FORM},"__proto__":{{"method":"roots/list"}},"a.b/c\n":1}}"#);
    let requests: InputRequests = serde_json::from_str(&text).unwrap();
    assert_eq!(requests.keys().collect::<Vec<_>>(), ["", "__proto__", "a.b/c\n"]);
    assert_eq!(
        serde_json::from_str::<InputRequests>(&serde_json::to_string(&requests).unwrap()).unwrap(),
        requests
    );
}

#[test]
fn answers_are_written_plainly_and_read_raw() {
    let mut responses = InputResponses::new();
    responses.insert("a", ElicitResult::accept(&json!({"pin": "1234"})).unwrap().into());
    responses.insert("b", CreateMessageResult::text("m", "hi").into());
    responses.insert("c", ListRootsResult::new([]).into());
    responses.insert("d", RawJson::null().into());
    assert!(!format!("{responses:?}").contains("1234"));
    let value = serde_json::to_value(&responses).unwrap();
    assert_eq!(
        value,
        json!({
            "a": {"action": "accept", "content": {"pin": "1234"}},
            "b": {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"},
            "c": {"roots": []},
            "d": null,
        })
    );
    let read: InputResponses = serde_json::from_value(value.clone()).unwrap();
    assert!(read.values().all(|response| matches!(response, InputResponse::Raw(_))));
    assert_eq!(serde_json::to_value(&read).unwrap(), value);
}

#[test]
fn the_state_is_kept_to_the_byte_and_hidden() {
    let text = r#"{"resultType":"input_required","requestState":" ey\u0000=\n\ud83d\ude00 "}"#;
    let result: InputRequiredResult = serde_json::from_str(text).unwrap();
    let state = result.request_state.clone().unwrap();
    assert_eq!(state.as_str(), " ey\0=\n😀 ");
    assert_eq!(format!("{state:?}"), "RequestState(11 bytes)");
    assert_eq!(
        serde_json::to_string(&state).unwrap(),
        r#"" ey\u0000=\n\ud83d\ude00 ""#,
        "with its own escapes"
    );
    assert!(serde_json::from_str::<InputRequiredResult>(r#"{"requestState":1}"#).is_err());
    assert!(serde_json::from_str::<InputRequiredResult>(r#"{"inputRequests":[]}"#).is_err());
}

#[test]
fn something_to_go_on_with() {
    assert!(!InputRequiredResult::new().is_actionable());
    assert!(InputRequiredResult::new().with_request_state("").is_actionable());
    assert!(InputRequiredResult::new().with_request("k", ListRootsRequest::new()).is_actionable());
    let empty: InputRequiredResult =
        serde_json::from_str(r#"{"inputRequests":{},"requestState":null}"#).unwrap();
    assert!(!empty.is_actionable());
    assert_eq!(
        serde_json::to_string(&InputRequiredResult::new()).unwrap(),
        r#"{"resultType":"input_required"}"#
    );
}

#[test]
fn the_result_type_decides_between_answer_and_question() {
    type Either = CompleteOrInput<CallToolResult>;
    let read = |text: &str| serde_json::from_str::<Either>(text);
    let asked = r#"{"resultType":"input_required","content":[],"inputRequests":{}}"#;
    assert!(matches!(read(asked).unwrap(), CompleteOrInput::InputRequired(_)));
    let done = r#"{"content":[],"inputRequests":{},"requestState":"x"}"#;
    assert!(matches!(read(done).unwrap(), CompleteOrInput::Complete(_)));
    for text in [asked, done] {
        assert_eq!(
            serde_json::to_value(read(text).unwrap()).unwrap(),
            serde_json::from_str::<serde_json::Value>(text).unwrap()
        );
    }
    assert!(read(r#"{"resultType":"task","content":[]}"#).unwrap_err().to_string().contains("task"));
    assert!(read(r#"{"resultType":null,"content":[]}"#).is_err());
    assert!(read("[]").is_err());
}
