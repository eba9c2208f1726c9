use mcp_types::RawJson;
use serde_json::{Value, json};

use super::*;

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn uses(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "weather", "input": {} })
}

fn result(id: &str) -> Value {
    json!({ "type": "tool_result", "toolUseId": id, "content": [text("5 degrees")] })
}

fn user(content: &Value) -> Value {
    json!({ "role": "user", "content": content })
}

fn model(content: &Value) -> Value {
    json!({ "role": "assistant", "content": content })
}

fn request(messages: &Value) -> CreateMessageRequestParams {
    serde_json::from_value(json!({ "messages": messages, "maxTokens": 1 })).unwrap()
}

fn checked(messages: &Value) -> Result<(), SamplingFault> {
    check_request(&request(messages))
}

#[test]
fn smp_08_one_block_and_several_of_every_type_are_taken() {
    let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
    let sound = json!({ "type": "audio", "data": "", "mimeType": "Audio/x-wav; rate=8000" });
    for messages in [
        json!([]),
        json!([user(&text("a"))]),
        json!([user(&json!([]))]),
        json!([user(&json!([text("a"), image, sound])), model(&text("b")), user(&text("c"))]),
        json!([user(&text("a")), user(&text("b")), model(&text("c")), model(&text("d"))]),
        json!([user(&text("a")), model(&json!([text("b"), uses("1")])), user(&result("1"))]),
        json!([
            model(&json!([uses("1"), uses("2")])),
            user(&json!([result("2"), result("1")])),
            model(&uses("1")),
            user(&json!([result("1")])),
            model(&text("done")),
        ]),
    ] {
        assert_eq!(checked(&messages), Ok(()), "{messages}");
    }
    let raw = r#"{"messages":[{"role":"assistant","content":{"type":"tool_use","id":"1","name":"n","input":{},"_meta":{"k":1.0}}}],"maxTokens":1}"#;
    let kept = RawJson::from_serialize(&serde_json::from_str::<CreateMessageRequestParams>(raw).unwrap());
    assert_eq!(kept.unwrap().get(), raw, "`_meta` of uses and results is kept (SMP-13)");
}

#[test]
fn smp_09_a_message_with_results_of_tools_has_nothing_else() {
    for mixed in [json!([result("1"), text("and")]), json!([text("and"), result("1")])] {
        let messages = json!([user(&text("a")), model(&uses("1")), user(&mixed)]);
        assert_eq!(checked(&messages), Err(SamplingFault::MixedResults { message: 2 }));
    }
    let fault = SamplingFault::MixedResults { message: 2 };
    assert_eq!(fault.to_string(), "message 2 has results of tools, and something else");
}

#[test]
fn smp_10_every_use_of_a_tool_has_its_one_result_in_the_next_message() {
    let both = json!([uses("1"), uses("2")]);
    for (messages, message) in [
        (json!([model(&uses("1"))]), 0),
        (json!([user(&text("a")), model(&uses("1")), model(&text("b"))]), 1),
        (json!([model(&uses("1")), user(&text("never mind"))]), 0),
        (json!([model(&uses("1")), user(&json!([]))]), 0),
        (json!([model(&uses("1")), user(&result("2"))]), 0),
        (json!([model(&both), user(&result("1"))]), 0),
        (json!([model(&both), user(&json!([result("1"), result("1")]))]), 0),
        (json!([model(&both), user(&json!([result("1"), result("2"), result("3")]))]), 0),
        (json!([model(&json!([uses("1"), uses("1")])), user(&json!([result("1"), result("1")]))]), 0),
        (json!([model(&json!([uses("1"), uses("1")])), user(&result("1"))]), 0),
        (json!([user(&result("1"))]), 0),
        (json!([user(&text("a")), user(&result("1"))]), 1),
        (json!([model(&uses("1")), user(&result("1")), user(&result("1"))]), 2),
    ] {
        assert_eq!(checked(&messages), Err(SamplingFault::Unbalanced { message }), "{messages}");
    }
}

#[test]
fn smp_19_roles_content_base64_and_media_types_are_checked() {
    let media = |kind: &str, data: &str, media_type: &str| json!({ "type": kind, "data": data, "mimeType": media_type });
    let of_tool = |content: Value| json!({ "type": "tool_result", "toolUseId": "1", "content": [content] });
    let blob = json!({ "type": "resource", "resource": { "uri": "file:///a", "blob": "?" } });
    let message = Some(1);
    for (odd, fault) in [
        (json!({ "role": "system", "content": text("a") }), SamplingFault::Role { message }),
        (user(&json!({ "type": "video" })), SamplingFault::Content { message }),
        (user(&json!({ "type": "text" })), SamplingFault::Content { message }),
        (user(&json!([text("a"), 7])), SamplingFault::Content { message }),
        (user(&json!("text")), SamplingFault::Content { message }),
        (user(&media("image", "aGk", "image/png")), SamplingFault::Base64 { message }),
        (user(&media("image", "aGk=\n", "image/png")), SamplingFault::Base64 { message }),
        (user(&media("audio", "a-_=", "audio/wav")), SamplingFault::Base64 { message }),
        (user(&media("image", "aGk=", "text/html")), SamplingFault::MediaType { message }),
        (user(&media("image", "aGk=", "audio/wav")), SamplingFault::MediaType { message }),
        (user(&media("audio", "aGk=", "audio/")), SamplingFault::MediaType { message }),
        (user(&media("audio", "aGk=", "audio")), SamplingFault::MediaType { message }),
        (user(&media("image", "aGk=", "image/png\r\nX: y")), SamplingFault::MediaType { message }),
        (user(&uses("1")), SamplingFault::Misplaced { message }),
        (model(&result("1")), SamplingFault::Misplaced { message }),
        (
            model(&json!({ "type": "tool_use", "id": "1", "name": "n", "input": [] })),
            SamplingFault::Content { message },
        ),
        (user(&of_tool(media("image", "?", "image/png"))), SamplingFault::Base64 { message }),
        (user(&of_tool(media("audio", "", "image/png"))), SamplingFault::MediaType { message }),
        (user(&of_tool(blob)), SamplingFault::Base64 { message }),
        (user(&of_tool(json!({ "type": "video" }))), SamplingFault::Content { message }),
    ] {
        assert_eq!(checked(&json!([user(&text("a")), odd])), Err(fault), "{odd}");
    }
    assert_eq!(SamplingFault::Base64 { message }.to_string(), "message 1 has data that is no Base64");
}

#[test]
fn smp_04_max_tokens_leaves_room_for_an_answer() {
    for tokens in [0, -1, i64::MIN] {
        let mut request = request(&json!([]));
        request.max_tokens = tokens;
        assert_eq!(check_request(&request), Err(SamplingFault::MaxTokens));
    }
}

#[test]
fn smp_11_an_answer_is_checked_like_a_message_and_uses_no_tools_unless_they_were_offered() {
    let plain = request(&json!([]));
    let mut with_tools = plain.clone();
    with_tools.tools = Some(vec![
        serde_json::from_value(json!({ "name": "weather", "inputSchema": { "type": "object" } })).unwrap(),
    ]);
    let mut offers_none = plain.clone();
    offers_none.tools = Some(Vec::new());
    let answer = |content: &Value| -> CreateMessageResult {
        serde_json::from_value(json!({
            "role": "assistant", "content": content, "model": "m", "stopReason": "provider.said.so"
        }))
        .unwrap()
    };
    let misplaced = Err(SamplingFault::Misplaced { message: None });
    assert_eq!(check_result(&plain, &answer(&text("a"))), Ok(()));
    assert_eq!(check_result(&plain, &answer(&json!([text("a"), text("b")]))), Ok(()));
    assert_eq!(check_result(&with_tools, &answer(&json!([uses("1"), uses("2")]))), Ok(()));
    assert_eq!(check_result(&plain, &answer(&uses("1"))), misplaced);
    assert_eq!(check_result(&offers_none, &answer(&uses("1"))), misplaced);
    assert_eq!(check_result(&with_tools, &answer(&result("1"))), misplaced);
    let image = json!({ "type": "image", "data": "?", "mimeType": "image/png" });
    assert_eq!(check_result(&plain, &answer(&image)), Err(SamplingFault::Base64 { message: None }));
    assert_eq!(check_result(&plain, &answer(&json!({}))), Err(SamplingFault::Content { message: None }));
    assert_eq!(SamplingFault::Content { message: None }.to_string(), "the message has malformed content");
}

/// A search for each of them would take a minute.
#[test]
fn many_uses_are_matched_in_one_pass() {
    let ids: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    let all = |block: fn(&str) -> Value| json!(ids.iter().map(|id| block(id)).collect::<Vec<_>>());
    assert_eq!(checked(&json!([model(&all(uses)), user(&all(result))])), Ok(()));
}
