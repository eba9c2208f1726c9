//! Valid JSON-RPC error objects in a 2xx: code, message and data as they came.

use mcp_client::{CallError, error::JsonRpcError, types::RawJson};

use crate::stage::{Canned, JSONRPC_ERROR, Stage, failed, notes};
use crate::support::record;

fn json_rpc(error: CallError) -> JsonRpcError {
    match error {
        CallError::JsonRpc(error) => *error,
        other => panic!("no JSON-RPC error: {other:?}"),
    }
}

/// The answer as JSON and as an event: code, message, and the text of the data.
async fn is_told(stage: &Stage, error: &str, code: i64, message: &str, data: Option<&str>) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{error}}}"#);
    for reply in [Canned::json(body.as_str()), Canned::sse(&[&body])] {
        let outcome = stage.ends(&reply, JSONRPC_ERROR).await;
        assert_eq!(notes(&outcome), [""; 0], "{reply:?}");
        assert_eq!(record(&outcome).error_code, Some(code), "{reply:?}");
        let kept: String = message.chars().take(256).collect();
        assert_eq!(record(&outcome).error_message.as_deref(), Some(kept.as_str()), "{reply:?}");
        assert_eq!(record(&outcome).error_data, None, "only a hook lets data through");
        let error = failed(outcome);
        assert_eq!(error.rpc_code(), Some(code), "{reply:?}");
        assert_eq!(error.rpc_message(), Some(message), "{reply:?}");
        assert_eq!(error.rpc_data().map(RawJson::get), data, "{reply:?}");
        assert_eq!(error.to_string(), format!("the server answered with JSON-RPC error {code}"));
        let id = error.request_id().cloned();
        let error = json_rpc(error);
        assert_eq!((error.code(), error.message()), (code, message), "{reply:?}");
        assert_eq!(error.data().map(RawJson::get), data, "{reply:?}");
        assert_eq!(error.id(), id.as_ref(), "{reply:?}");
        let printed = format!("{error:?}");
        assert!(data.is_none_or(|data| data.len() < 8 || !printed.contains(data)), "{printed}");
    }
}

#[tokio::test]
async fn c_08_a_valid_error_is_told_with_its_code() {
    let stage = Stage::new().await;
    let codes = [
        -32700,
        -32600,
        -32601,
        -32602,
        -32603,
        -32000,
        -32001,
        -32002,
        -32021,
        -32022,
        -32042,
        -32768,
        0,
        1,
        -1,
        404,
        503,
        i64::MAX,
        i64::MIN,
    ];
    for code in codes {
        is_told(&stage, &format!(r#"{{"code":{code},"message":"m"}}"#), code, "m", None).await;
    }
}

#[tokio::test]
async fn c_31_message_and_data_are_kept_whatever_they_are() {
    let stage = Stage::new().await;
    let long = "é".repeat(1000);
    for message in ["", " ", "Grüße 👋", "line\nline", "\u{1b}[31m\u{202e}", "hunter2", long.as_str()] {
        let text = serde_json::to_string(message).unwrap();
        is_told(&stage, &format!(r#"{{"code":-32603,"message":{text}}}"#), -32603, message, None).await;
    }
    for data in [
        // A value like any other, and not the same as none.
        "null",
        "true",
        "0",
        "-0.0",
        "12345678901234567890123",
        "0.10",
        "1e400",
        r#""text""#,
        r#""\ud83d""#,
        "[]",
        "{}",
        r#"[1,{"a":[null]}]"#,
        r#"{"b":1,"a":2,"b":3}"#,
        r#"{ "spaces" : [ 1 ] }"#,
    ] {
        is_told(&stage, &format!(r#"{{"code":1,"message":"m","data":{data}}}"#), 1, "m", Some(data)).await;
    }
    // Unknown members and order change nothing.
    is_told(&stage, r#"{"x":[1],"message":"m","stack":"s","code":7}"#, 7, "m", None).await;
}

#[tokio::test]
async fn an_error_without_an_id_belongs_to_its_exchange() {
    let stage = Stage::new().await;
    for id in ["", r#""id":null,"#] {
        let body = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"Parse error"}}}}"#);
        for reply in [Canned::json(body.as_str()), Canned::sse(&[&body])] {
            let outcome = stage.ends(&reply, JSONRPC_ERROR).await;
            assert_eq!(notes(&outcome), ["missing-error-id"], "{reply:?}");
            let error = failed(outcome);
            assert_eq!((error.rpc_code(), error.rpc_message()), (Some(-32700), Some("Parse error")));
            assert_eq!(json_rpc(error).id(), None, "what the server did not say is not made up");
        }
    }
}

/// A code may be written as a float that is whole, an id too: JSON has one kind of number.
#[tokio::test]
async fn whole_floats_are_integers() {
    let stage = Stage::new().await;
    let body = r#"{"jsonrpc":"2.0","id":{{id}}.0,"error":{"code":-32602.0,"message":"m"}}"#;
    for reply in [Canned::json(body), Canned::sse(&[body])] {
        let outcome = stage.ends(&reply, JSONRPC_ERROR).await;
        assert_eq!(failed(outcome).rpc_code(), Some(-32602), "{reply:?}");
    }
}

#[tokio::test]
async fn a_model_is_told_one_sentence_and_no_data() {
    let stage = Stage::new().await;
    let body =
        r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"Unknown tool","data":"hunter2"}}"#;
    let error = failed(stage.ends(&Canned::json(body), JSONRPC_ERROR).await);
    assert_eq!(error.for_model(), "The tool call failed with error -32602: Unknown tool.");
}
