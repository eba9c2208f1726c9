use serde_json::{Value, json};

use super::*;
use crate::RawJson;

fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &Value) -> T {
    let read: T = serde_json::from_str(&value.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), *value);
    read
}

#[test]
fn one_block_or_an_array_of_blocks() {
    let one: SamplingMessage = round_trip(&json!({"role": "user", "content": {"type": "text", "text": ""}}));
    assert!(matches!(&one.content, SamplingContent::One(_)));
    let many: SamplingMessage = round_trip(&json!({"role": "robot", "content": [
        {"type": "tool_use", "id": "1", "name": "n", "input": {"a": 1e2}, "x": 1},
        {"type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "t"}, 42], "structuredContent": null},
        {"type": "image", "data": "", "mimeType": "m"},
        {"type": "audio", "data": "", "mimeType": "m"},
        {"type": "resource_link", "uri": "u", "name": "n"},
        {"type": "tool_use", "id": "1"},
        7,
    ], "_meta": {"k": 1}}));
    let blocks = many.content.blocks();
    assert!(matches!(&blocks[0], SamplingContentBlock::ToolUse(tool) if tool.input.is_object()));
    assert!(
        matches!(&blocks[1], SamplingContentBlock::ToolResult(r) if r.structured_content == Some(RawJson::null()))
    );
    assert!(blocks[4..].iter().all(|block| matches!(block, SamplingContentBlock::Unknown(_))));
    assert_eq!(one.content.blocks().len(), 1);
    let odd: SamplingMessage = round_trip(&json!({"role": "user", "content": 42}));
    assert!(matches!(&odd.content, SamplingContent::One(SamplingContentBlock::Unknown(_))));
}

#[test]
fn a_request_keeps_everything() {
    let params: CreateMessageRequestParams = round_trip(&json!({
        "messages": [{"role": "user", "content": []}],
        "modelPreferences": {"hints": [{"name": "m", "x": 1}, {}], "costPriority": 1, "speedPriority": 0.25, "y": 2},
        "systemPrompt": "s", "includeContext": "someServers", "temperature": 1, "maxTokens": 10,
        "stopSequences": ["a"], "metadata": {"k": [1]},
        "tools": [{"name": "t", "inputSchema": {}}], "toolChoice": {"mode": "any", "z": 1}, "later": null,
    }));
    assert_eq!(params.include_context, Some(IncludeContext::Other("someServers".to_owned())));
    assert_eq!(params.model_preferences.unwrap().hints.unwrap()[0].name.as_deref(), Some("m"));
    let odd: CreateMessageRequestParams =
        serde_json::from_str(r#"{"messages":[],"maxTokens":5.0,"temperature":"hot"}"#).unwrap();
    assert_eq!((odd.max_tokens, odd.temperature.is_none()), (5, true));
    assert!(serde_json::from_str::<CreateMessageRequestParams>(r#"{"messages":[]}"#).is_err());
    assert!(
        serde_json::from_str::<CreateMessageRequestParams>(r#"{"messages":[],"maxTokens":1.5}"#).is_err()
    );
}

#[test]
fn an_answer_of_the_model() {
    let answer = CreateMessageResult::text("m", "t").with_stop_reason(StopReason::EndTurn);
    assert_eq!(
        serde_json::to_value(&answer).unwrap(),
        json!({"role": "assistant", "content": {"type": "text", "text": "t"}, "model": "m", "stopReason": "endTurn"})
    );
    let _: CreateMessageResult =
        round_trip(&json!({"role": "user", "content": [], "model": "m", "stopReason": "bored", "u": 1}));
    let odd: CreateMessageResult =
        round_trip(&json!({"role": "user", "content": [], "model": "m", "stopReason": 1}));
    assert_eq!(odd.stop_reason, None);
}
