//! Nesting that would overflow the stack of a reader which descends into it.

use mcp_client::{ToolOutcome, error::EnvelopeFault as F, types::ContentBlock};
use serde_json::Value;

use super::envelope;
use crate::stage::{
    Canned, INVALID_ENVELOPE, INVALID_TOOL_RESULT, JSONRPC_ERROR, MALFORMED_JSON, STREAM_INCOMPLETE, SUCCESS,
    Stage, failed, notes, protocol_error, response,
};
use crate::support::record;

const DEPTH: usize = 20_000;

fn lists() -> String {
    "[".repeat(DEPTH) + &"]".repeat(DEPTH)
}

fn objects() -> String {
    r#"{"a":"#.repeat(DEPTH) + "0" + &"}".repeat(DEPTH)
}

fn both(body: &str) -> [Canned; 2] {
    [Canned::json(body), Canned::sse(&[body])]
}

#[tokio::test]
async fn values_that_are_kept_raw_may_be_as_deep_as_they_like() {
    let stage = Stage::new().await;
    for deep in [lists(), objects()] {
        for reply in both(&response(&format!(r#"{{"content":[],"structuredContent":{deep}}}"#))) {
            let outcome = stage.ends(&reply, SUCCESS).await.unwrap();
            let ToolOutcome::Success(output) = outcome else { panic!("a success") };
            assert_eq!(output.structured_raw().unwrap().get(), deep);
            let error = output.structured::<Value>().unwrap_err();
            assert!(!error.is_missing());
            assert_eq!(output.for_model(), deep, "showing it needs no descent");
        }
        for member in ["x", "tools"] {
            for reply in both(&response(&format!(r#"{{"content":[],"{member}":{deep}}}"#))) {
                let outcome = stage.ends(&reply, SUCCESS).await.unwrap();
                let ToolOutcome::Success(output) = outcome else { panic!("a success") };
                assert_eq!(output.result().extra.get(member).unwrap().get(), deep);
            }
        }
        for reply in both(&response(&format!(r#"{{"content":[],"_meta":{{"x":{deep}}}}}"#))) {
            let ToolOutcome::Success(output) = stage.ends(&reply, SUCCESS).await.unwrap() else {
                panic!("a success")
            };
            let kept = serde_json::to_string(output.result().meta.as_ref().unwrap()).unwrap();
            assert_eq!(kept, format!(r#"{{"x":{deep}}}"#));
        }
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{{"code":1,"message":"m","data":{deep}}}}}"#
        );
        for reply in both(&body) {
            let error = failed(stage.ends(&reply, JSONRPC_ERROR).await);
            assert_eq!(error.rpc_data().unwrap().get(), deep);
            assert_eq!((error.supported_versions(), error.required_capabilities()), (None, None));
        }
        let body = format!(r#"{{"jsonrpc":"2.0","x":{deep},"id":{{{{id}}}},"result":{{"content":[]}}}}"#);
        for reply in both(&body) {
            stage.assert_ends(&reply, SUCCESS).await;
        }
    }
}

#[tokio::test]
async fn the_data_of_protocol_errors_is_no_way_around() {
    let stage = Stage::new().await;
    for deep in [lists(), objects()] {
        for data in [
            format!(r#"{{"supported":{deep},"requested":"x"}}"#),
            format!(r#"{{"requiredCapabilities":{deep}}}"#),
        ] {
            for code in [-32021, -32022] {
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{{"code":{code},"message":"m","data":{data}}}}}"#
                );
                for reply in both(&body) {
                    let error = failed(stage.ends(&reply, JSONRPC_ERROR).await);
                    // Whether anything can be read of it is all the same; it must not take the process down.
                    let _ = (error.supported_versions(), error.required_capabilities());
                    assert_eq!(error.rpc_data().unwrap().get(), data);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_deep_block_is_kept_as_an_unknown_one() {
    let stage = Stage::new().await;
    for deep in [lists(), objects()] {
        for block in
            [deep.clone(), format!(r#"{{"type":{deep}}}"#), format!(r#"{{"type":"text","text":{deep}}}"#)]
        {
            for reply in both(&response(&format!(r#"{{"resultType":"complete","content":[{block}]}}"#))) {
                let outcome = stage.ends(&reply, SUCCESS).await;
                assert_eq!(notes(&outcome), ["unknown-content-block"]);
                let ToolOutcome::Success(output) = outcome.unwrap() else { panic!("a success") };
                let [ContentBlock::Unknown(raw)] = output.content() else { panic!("one unknown block") };
                assert_eq!(raw.get(), block);
                assert!(output.text().ends_with("unknown content]"));
            }
        }
        let hint = format!(r#"{{"type":"text","text":"t","annotations":{deep},"_meta":{deep}}}"#);
        for reply in both(&response(&format!(r#"{{"resultType":"complete","content":[{hint}]}}"#))) {
            let ToolOutcome::Success(output) = stage.ends(&reply, SUCCESS).await.unwrap() else {
                panic!("a success")
            };
            assert_eq!(output.text(), "t", "a hint never costs the block");
        }
    }
}

#[tokio::test]
async fn a_deep_envelope_or_result_is_a_typed_error() {
    let stage = Stage::new().await;
    let open = "[".repeat(DEPTH);
    stage.assert_ends(&Canned::json(open.as_str()), MALFORMED_JSON).await;
    stage.assert_ends(&Canned::sse(&[&open]), STREAM_INCOMPLETE).await;
    let open = r#"{"jsonrpc":"#.repeat(DEPTH);
    stage.assert_ends(&Canned::json(open.as_str()), MALFORMED_JSON).await;
    let reply = Canned::json(lists());
    assert_eq!(protocol_error(stage.ends(&reply, INVALID_ENVELOPE).await).fault(), &envelope(F::NotAnObject));
    for deep in [lists(), objects()] {
        for (body, fault) in [
            (format!(r#"{{"jsonrpc":{deep},"id":{{{{id}}}},"result":{{}}}}"#), F::Version),
            (format!(r#"{{"jsonrpc":"2.0","id":{deep},"result":{{}}}}"#), F::ForeignId),
            (format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{deep}}}"#), F::InvalidError),
            (
                format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{{"code":{deep},"message":"m"}}}}"#),
                F::InvalidError,
            ),
        ] {
            let error = protocol_error(stage.ends(&Canned::json(body.as_str()), INVALID_ENVELOPE).await);
            assert_eq!(error.fault(), &envelope(fault));
            assert_eq!(
                error.raw().len(),
                body.len() - if fault == F::ForeignId { 0 } else { 6 - id_len(&error) }
            );
        }
    }
    let deep = lists();
    for (result, path) in [
        (deep.clone(), "result"),
        (format!(r#"{{"resultType":{deep},"content":[]}}"#), "result.resultType"),
        (format!(r#"{{"content":[],"isError":{deep}}}"#), "result.isError"),
        (format!(r#"{{"content":{}}}"#, objects()), "result.content"),
        (format!(r#"{{"resultType":"input_required","inputRequests":{deep}}}"#), "result.inputRequests"),
        (format!(r#"{{"resultType":"input_required","requestState":{deep}}}"#), "result.requestState"),
    ] {
        for reply in both(&response(&result)) {
            let error = protocol_error(stage.ends(&reply, INVALID_TOOL_RESULT).await);
            assert_eq!(error.path(), Some(path));
        }
    }
}

/// How long the id is that stands in the answer for the placeholder.
fn id_len(error: &mcp_client::error::ProtocolError) -> usize {
    let text = std::str::from_utf8(error.raw()).unwrap();
    let id = text.split_once(r#""id":"#).unwrap().1;
    id.find([',', '}']).unwrap()
}

#[tokio::test]
async fn a_deep_input_request_is_shown_and_can_not_be_answered() {
    let stage = Stage::with(|builder| builder.accept_input(mcp_client::InputKinds::FORM)).await;
    for deep in [lists(), objects()] {
        for request in [
            deep.clone(),
            format!(r#"{{"method":{deep}}}"#),
            format!(r#"{{"method":"elicitation/create","params":{deep}}}"#),
            format!(
                r#"{{"method":"elicitation/create","params":{{"mode":"form","message":"m","requestedSchema":{deep}}}}}"#
            ),
        ] {
            for reply in both(&response(&format!(
                r#"{{"resultType":"input_required","inputRequests":{{"k":{request}}}}}"#
            ))) {
                let outcome = stage.ends(&reply, crate::stage::INPUT_REQUIRED).await;
                assert_eq!(record(&outcome).notes.len(), 1, "{:?}", notes(&outcome));
                let ToolOutcome::InputRequired(mut asked) = outcome.unwrap() else {
                    panic!("a request for input")
                };
                assert!(asked.request("k").is_some());
                asked.answer("k", mcp_client::ElicitAnswer::decline()).unwrap_err();
            }
        }
    }
}
