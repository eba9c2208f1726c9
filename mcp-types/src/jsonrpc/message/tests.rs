use serde_json::{Value, json};

use super::*;
use crate::{
    CallToolRequest, CallToolResultResponse, CancelledNotification, ClientRequest, CompleteOrInput,
    DiscoverRequest, HeaderMismatchError, ProgressNotification, ServerNotification,
    ToolListChangedNotification,
};

fn message(value: &Value) -> JsonRpcMessage {
    let message: JsonRpcMessage = serde_json::from_str(&value.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&message).unwrap(), *value);
    message
}

#[test]
fn messages_are_told_apart_by_their_members() {
    assert!(matches!(message(&json!({"jsonrpc": "2.0", "id": "a", "method": "m", "params": [1], "x": 1})),
        JsonRpcMessage::Request(request) if request.extra.len() == 1));
    assert!(matches!(message(&json!({"jsonrpc": "2.0", "method": "m"})),
        JsonRpcMessage::Notification(notification) if notification.params.is_none()));
    assert!(matches!(message(&json!({"jsonrpc": "2.0", "id": 1, "result": null})),
        JsonRpcMessage::Result(response) if response.result.is_null()));
    assert!(
        matches!(message(&json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m", "x": 1}})),
        JsonRpcMessage::Error(response) if response.error.extra.len() == 1)
    );
    assert!(matches!(message(&json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "m"}})),
        JsonRpcMessage::Error(response) if response.id.is_none()));
}

#[test]
fn other_messages_are_errors() {
    for text in [
        "[]",
        "1",
        "null",
        "{}",
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":2.0,"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"},"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"m"}}"#,
    ] {
        assert!(serde_json::from_str::<JsonRpcMessage>(text).is_err(), "{text}");
    }
}

#[test]
fn members_of_the_envelope_occur_once() {
    for twice in ["jsonrpc", "id", "result", "error", "method"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{}},"{twice}":"2.0","{twice}":"2.0"}}"#);
        let error = serde_json::from_str::<JsonRpcMessage>(&text).unwrap_err().to_string();
        assert!(error.contains("duplicate") && error.contains(twice), "{error}");
    }
}

#[test]
fn an_error_with_a_null_id_has_none() {
    let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#;
    let response: JsonRpcResponse = serde_json::from_str(text).unwrap();
    assert!(matches!(response, JsonRpcResponse::Error(error) if error.id.is_none()));
    assert!(serde_json::from_str::<JsonRpcResponse>(r#"{"jsonrpc":"2.0","method":"m"}"#).is_err());
}

#[test]
fn a_deep_result_is_kept() {
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deep}}}"#);
    let response: JsonRpcResultResponse = serde_json::from_str(&text).unwrap();
    assert!(response.result.to_value().is_err());
    let text = format!(r#"{{"jsonrpc":"2.0","id":{deep},"result":1}}"#);
    assert!(serde_json::from_str::<JsonRpcMessage>(&text).is_err());
}

fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}})
}

#[test]
fn typed_requests_check_their_method() {
    let value = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"_meta": meta(), "name": "t"}, "x": 1});
    let request: CallToolRequest = serde_json::from_value(value.clone()).unwrap();
    assert_eq!((request.method(), request.params.name.as_str()), ("tools/call", "t"));
    assert_eq!(serde_json::to_value(&request).unwrap(), value);
    assert_eq!(request.clone(), request);
    assert!(format!("{request:?}").contains("tools/call"));

    let error = serde_json::from_value::<DiscoverRequest>(value.clone()).unwrap_err().to_string();
    assert!(error.contains("server/discover") && error.contains("tools/call"), "{error}");
    let error =
        serde_json::from_str::<DiscoverRequest>(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#);
    assert!(error.unwrap_err().to_string().contains("params"));
    let error = serde_json::from_str::<CallToolRequest>(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
    );
    assert!(error.unwrap_err().to_string().starts_with("`params`: missing field `_meta`"));
}

#[test]
fn notifications_may_be_without_params_if_their_type_says_so() {
    for value in [
        json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
        json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}),
    ] {
        let read: ToolListChangedNotification = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), value);
    }
    let without = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    assert!(serde_json::from_str::<CancelledNotification>(without).is_err());
    let with_id = r#"{"jsonrpc":"2.0","id":1,"method":"notifications/tools/list_changed"}"#;
    assert!(serde_json::from_str::<ToolListChangedNotification>(with_id).is_err());
}

#[test]
fn progress_keeps_its_numbers() {
    let value = json!({"jsonrpc": "2.0", "method": "notifications/progress",
        "params": {"progressToken": "t", "progress": 50, "total": 200.5, "message": 7}});
    let read: ProgressNotification = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), value);
    assert!((read.params.fraction().unwrap() - 0.249_376).abs() < 1e-5);
}

#[test]
fn responses_read_their_result_by_its_type() {
    let value =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "input_required", "requestState": "s"}});
    let response: CallToolResultResponse = serde_json::from_value(value.clone()).unwrap();
    assert!(matches!(response.result, CompleteOrInput::InputRequired(_)));
    assert_eq!(serde_json::to_value(&response).unwrap(), value);
    let error = serde_json::from_str::<HeaderMismatchError>(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"m"}}"#,
    );
    assert!(error.unwrap_err().to_string().contains("-32020"));
}

#[test]
fn messages_of_each_side_by_method() {
    let by_server = |value: &Value| {
        let read: ServerNotification = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), *value);
        read
    };
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "loud", "data": null}, "x": 1});
    assert!(matches!(by_server(&log), ServerNotification::LoggingMessage(log) if log.params.data.is_null()));
    let malformed = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "loud"}});
    assert!(matches!(by_server(&malformed), ServerNotification::Unknown(_)));
    let other = by_server(&json!({"jsonrpc": "2.0", "method": "notifications/vendor"}));
    assert_eq!(other.method(), "notifications/vendor");

    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta(), "cursor": ""}});
    let read: ClientRequest = serde_json::from_value(request).unwrap();
    assert!(
        matches!(&read, ClientRequest::ListTools(request) if request.params.cursor.as_deref() == Some(""))
    );
}
