//! Results of `tools/call`, by table.

use mcp_types::{CallToolResult, ContentBlock, RequestId, method::CallTool};

use proptest::prelude::*;

use super::{Decoded, ErrorBody, Expect, Notes, Reply, reply, result};
use crate::{error::ProtocolFault, input_kinds::InputKinds};

const ID: RequestId = RequestId::Number(1);

fn decode(text: &str, expect: Expect) -> Result<(Decoded<CallToolResult>, Vec<String>), ProtocolFault> {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#);
    let Reply::Result(raw) = reply(body.as_bytes(), &ID)? else { panic!("a result") };
    let mut notes = Notes::default();
    let decoded = result::<CallTool>(raw, expect, &mut notes)?;
    Ok((decoded, notes.take().iter().map(ToString::to_string).collect()))
}

fn complete(text: &str) -> (CallToolResult, Vec<String>) {
    match decode(text, Expect::default()) {
        Ok((Decoded::Complete(result), notes)) => (result, notes),
        Ok(_) => panic!("{text}: input required"),
        Err(fault) => panic!("{text}: {fault:?}"),
    }
}

fn path(text: &str, expect: Expect) -> String {
    match decode(text, expect) {
        Err(ProtocolFault::InvalidResult { path, .. }) => path.into_owned(),
        Err(other) => panic!("{text}: {other:?}"),
        Ok(_) => panic!("{text} was accepted"),
    }
}

#[test]
fn an_invalid_result_says_where() {
    for (text, expected) in [
        ("null", "result"),
        ("[]", "result"),
        ("7", "result"),
        ("{}", "result.content"),
        (r#"{"content":"text"}"#, "result.content"),
        (r#"{"content":null}"#, "result.content"),
        (r#"{"content":{}}"#, "result.content"),
        (r#"{"structuredContent":{"a":1}}"#, "result.content"),
        (r#"{"content":[],"isError":"true"}"#, "result.isError"),
        (r#"{"content":[],"isError":1}"#, "result.isError"),
        (r#"{"content":[],"isError":null}"#, "result.isError"),
        (r#"{"content":[],"resultType":null}"#, "result.resultType"),
        (r#"{"content":[],"resultType":7}"#, "result.resultType"),
        (r#"{"content":[],"resultType":"weird"}"#, "result.resultType"),
        (r#"{"content":[],"resultType":"Complete"}"#, "result.resultType"),
        (r#"{"content":[],"resultType":"task"}"#, "result.resultType"),
        (r#"{"resultType":"input_required"}"#, "result"),
        (r#"{"resultType":"input_required","inputRequests":{}}"#, "result"),
        (r#"{"resultType":"input_required","inputRequests":null,"requestState":null}"#, "result"),
        (r#"{"resultType":"input_required","inputRequests":[]}"#, "result.inputRequests"),
        (r#"{"resultType":"input_required","requestState":7}"#, "result.requestState"),
    ] {
        assert_eq!(path(text, Expect::default()), expected, "{text}");
    }
}

#[test]
fn a_valid_result_is_kept_whole() {
    let (result, notes) = complete(
        r#"{"tools":[],"content":[{"type":"text","text":"a"},{"type":"hologram","beam":7},42,{"type":"text"},null],
            "structuredContent":null,"isError":false,"resultType":"complete","_meta":{"com.example/x":1.50}}"#,
    );
    assert_eq!(result.content.len(), 5);
    assert!(matches!(&result.content[0], ContentBlock::Text(text) if text.text == "a"));
    assert!(result.content[1..].iter().all(|block| matches!(block, ContentBlock::Unknown(_))));
    assert_eq!(result.structured_content.as_ref().map(mcp_types::RawJson::get), Some("null"));
    assert_eq!(result.extra.get("tools").map(mcp_types::RawJson::get), Some("[]"));
    assert_eq!(notes, ["unknown-content-block"]);
    let (result, notes) = complete(r#"{"content":[]}"#);
    assert_eq!((result.is_error, result.structured_content, result.result_type), (None, None, None));
    assert_eq!(notes, ["missing-result-type"]);
}

#[test]
fn odd_hints_and_duplicates_are_noted_and_cost_nothing() {
    let (result, notes) = complete(
        r#"{"content":[{"type":"text","text":"a","annotations":7}],"_meta":"odd","isError":false,"isError":true,
            "resultType":"complete"}"#,
    );
    assert_eq!(result.is_error, Some(true));
    assert_eq!(notes, ["dropped-hint:annotations", "duplicate-member:isError", "dropped-hint:_meta"]);
    let again: serde_json::Value = serde_json::to_value(&result).unwrap();
    assert_eq!(again["_meta"], "odd");
    assert_eq!(again["content"][0]["annotations"], 7);
}

#[test]
fn strictness_is_a_setting_both_ways() {
    let strict = Expect { strict: true, ..Expect::default() };
    assert_eq!(path(r#"{"content":[]}"#, strict), "result.resultType");
    let lenient = Expect { lenient: true, ..Expect::default() };
    let (decoded, notes) = decode(r#"{"structuredContent":{"rows":3},"isError":null}"#, lenient).unwrap();
    let Decoded::Complete(result) = decoded else { panic!("complete") };
    assert!(result.content.is_empty() && !result.is_error());
    assert_eq!(notes, ["missing-result-type", "missing-content", "null-is-error"]);
    for text in ["{}", r#"{"content":"x","structuredContent":1}"#] {
        assert_eq!(path(text, lenient), "result.content", "{text}");
    }
    assert_eq!(path(r#"{"content":[],"isError":"no"}"#, lenient), "result.isError");
}

#[test]
fn input_requests_are_shown_as_they_are() {
    let text = r#"{"resultType":"input_required","requestState":" s ","inputRequests":{
        "":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}},
        "__proto__":{"method":"roots/list"},
        "a/b":{"method":"new/thing","params":{}},
        "odd":42}}"#;
    let expect = Expect { declared: InputKinds::FORM, ..Expect::default() };
    let (decoded, notes) = decode(text, expect).unwrap();
    let Decoded::InputRequired(asked) = decoded else { panic!("input required") };
    let requests = asked.input_requests.unwrap();
    let kinds: Vec<_> = requests.iter().map(|(key, request)| (key, InputKinds::of(request))).collect();
    assert_eq!(
        kinds,
        [("", Some(InputKinds::FORM)), ("__proto__", Some(InputKinds::ROOTS)), ("a/b", None), ("odd", None)]
    );
    assert_eq!(asked.request_state.unwrap().as_str(), " s ");
    assert_eq!(notes, ["undeclared-input-request", "unknown-input-request"]);
}

#[test]
fn depth_and_numbers_of_things_are_bounded() {
    let deep = "[".repeat(20_000) + &"]".repeat(20_000);
    // Kept raw where nothing depends on it.
    let (result, _) =
        complete(&format!(r#"{{"content":[],"structuredContent":{deep},"resultType":"complete"}}"#));
    assert_eq!(result.structured_content.unwrap().get().len(), 40_000);
    // A block of that depth is one that cannot be decoded.
    let (result, notes) = complete(&format!(r#"{{"content":[{deep}],"resultType":"complete"}}"#));
    assert!(matches!(result.content[0], ContentBlock::Unknown(_)));
    assert_eq!(notes, ["unknown-content-block"]);
    let nested = "{\"type\":\"resource\",\"resource\":".repeat(20_000) + "1" + &"}".repeat(20_000);
    assert!(matches!(
        complete(&format!(r#"{{"content":[{nested}]}}"#)).0.content[0],
        ContentBlock::Unknown(_)
    ));
    assert_eq!(path(&deep, Expect::default()), "result");
    let many = format!("[{}0]", "0,".repeat(70_000));
    assert_eq!(path(&format!(r#"{{"content":{many}}}"#), Expect::default()), "result.content");
    let members: Vec<_> = (0..70_000).map(|n| format!("\"m{n}\":0")).collect();
    let many = format!("{{{}}}", members.join(","));
    assert_eq!(path(&many, Expect::default()), "result");
    let asked = format!(r#"{{"resultType":"input_required","inputRequests":{many}}}"#);
    assert_eq!(path(&asked, Expect::default()), "result.inputRequests");
    // A hint of that size is left out and kept raw.
    let (result, notes) = complete(&format!(r#"{{"resultType":"complete","content":[],"_meta":{many}}}"#));
    assert_eq!(notes, ["dropped-hint:_meta"]);
    assert!(result.meta.is_none() && result.extra.contains_key("_meta"));
}

/// JSON, and texts that almost are.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just(":".to_owned()),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1".to_owned()),
        Just("\"jsonrpc\":\"2.0\"".to_owned()),
        Just("\"id\":1".to_owned()),
        Just("\"result\":".to_owned()),
        Just("\"error\":".to_owned()),
        Just("\"content\":[]".to_owned()),
        Just("\"resultType\":".to_owned()),
        Just("\"complete\"".to_owned()),
        Just("\"input_required\"".to_owned()),
        Just("\"isError\":".to_owned()),
        Just("\\ud800".to_owned()),
        Just("\"".to_owned()),
        "[ -~]{0,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Whatever comes, there is an answer or a typed fault, never a panic; and what is accepted is whole.
    #[test]
    fn hostile_text_is_harmless(text in pieces()) {
        if let Ok(Reply::Result(raw)) = reply(text.as_bytes(), &ID) {
            let mut notes = Notes::default();
            if let Ok(Decoded::Complete(result)) = result::<CallTool>(raw, Expect::default(), &mut notes) {
                prop_assert!(serde_json::to_value(&result).is_ok());
            }
        }
        let _ = super::event(text.as_bytes(), &ID);
        let _ = ErrorBody::read(text.as_bytes(), true);
        // The same inside an answer that is right.
        let _ = decode(&text, Expect { lenient: true, strict: false, declared: InputKinds::FORM });
    }

    #[test]
    fn hostile_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(reply(&bytes, &ID).is_err());
        let _ = super::event(&bytes, &ID);
        let _ = ErrorBody::read(&bytes, false);
    }
}
