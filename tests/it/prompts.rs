//! Prompts: what they say of themselves, and getting them.

use std::collections::BTreeMap;

use mcp_client::{
    Answered, CallError, Client, Delivery, Outcome, OutcomeKind,
    error::InvalidKind,
    types::{ContentBlock, Role, method::GetPrompt},
};
use serde_json::{Value, json};

use crate::{lists::desk::Desk, stage::Canned};

async fn get(client: &Client, name: &str) -> Answered<GetPrompt> {
    client.get_prompt(name).send().await.unwrap().into_complete().unwrap()
}

#[tokio::test]
async fn pmt_01_what_prompts_say_of_themselves() {
    let full = json!({
        "name": "a", "title": "A", "description": "d", "icons": [{ "src": "https://a.example/i.png" }],
        "arguments": [{ "name": "x", "title": "X", "description": "which", "required": true }, { "name": "y" }],
        "_meta": { "com.example/k": 1 }, "x-own": true,
    });
    let odd = json!({ "name": "c", "arguments": [{ "name": 7 }], "title": [] });
    let result = json!({ "prompts": [full, { "name": "b" }, odd] });
    let desk = Desk::script([Canned::result(&result.to_string())]).await;
    let prompts = desk.client().list_prompts().send().await.unwrap();
    let [full, bare, odd] = prompts.items() else { panic!("{prompts:?}") };
    assert_eq!(
        (full.name.as_str(), full.title.as_deref(), full.description.as_deref()),
        ("a", Some("A"), Some("d"))
    );
    let [x, y] = full.arguments.as_deref().unwrap() else { panic!("{full:?}") };
    assert_eq!((x.name.as_str(), x.required, x.title.as_deref()), ("x", Some(true), Some("X")));
    assert_eq!((y.name.as_str(), y.required), ("y", None));
    assert_eq!(full.extra.get("x-own").unwrap().get(), "true");
    assert_eq!((bare.name.as_str(), &bare.arguments), ("b", &None));
    // Hints that cannot be read do not cost the prompt.
    assert_eq!((&odd.arguments, odd.extra.get("arguments").unwrap().get()), (&None, r#"[{"name":7}]"#));
}

#[tokio::test]
async fn pmt_04_a_long_list_comes_in_pages() {
    let desk = Desk::new(|asked| {
        let number = asked.cursor().map_or(0, |cursor| cursor.parse::<usize>().unwrap());
        let prompts: Vec<Value> =
            (0..10).map(|at| json!({ "name": format!("p{}", number * 10 + at) })).collect();
        let mut result = json!({ "prompts": prompts });
        if number < 9 {
            result["nextCursor"] = json!((number + 1).to_string());
        }
        Canned::result(&result.to_string())
    })
    .await;
    let listing = desk.client().list_prompts().all().await.unwrap();
    let expected: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
    assert_eq!(listing.items().iter().map(|prompt| prompt.name.clone()).collect::<Vec<_>>(), expected);
    assert_eq!((listing.pages(), listing.is_complete(), desk.count()), (10, true, 10));
}

#[tokio::test]
async fn pmt_02_arguments_are_strings_and_sent_as_they_are() {
    #[derive(serde::Serialize)]
    struct Arguments {
        language: &'static str,
        code: String,
    }
    let desk = Desk::script([Canned::result(r#"{"messages":[]}"#)]).await;
    let client = desk.client();
    let prompt = || client.get_prompt("p");
    let map: BTreeMap<&str, &str> = [("b", "2"), ("a", "")].into();
    for request in [
        prompt(),
        prompt().argument("a", "1").argument("ü \u{0}", "\"2\"").argument("a", "3"),
        prompt().arguments(&map),
        prompt().arguments(Arguments { language: "rust", code: "fn main() {}\n".into() }),
        prompt().arguments(&map).argument("c", "3"),
        prompt().arguments(json!({})),
    ] {
        assert!(request.send().await.unwrap().into_complete().is_ok());
    }
    let sent: Vec<Option<Value>> =
        desk.asked().iter().map(|asked| asked.params.get("arguments").cloned()).collect();
    let expected = [
        None,
        Some(json!({ "a": "3", "ü \u{0}": "\"2\"" })),
        Some(json!({ "a": "", "b": "2" })),
        Some(json!({ "language": "rust", "code": "fn main() {}\n" })),
        Some(json!({ "a": "", "b": "2", "c": "3" })),
        Some(json!({})),
    ];
    assert_eq!(sent, expected, "absent is not empty");
    let first = &desk.asked()[0];
    assert_eq!(first.params.keys().collect::<Vec<_>>(), ["name"]);
    assert_eq!((first.header("mcp-method"), first.header("mcp-name")), (Some("prompts/get"), Some("p")));

    for arguments in
        [json!({ "a": 1 }), json!({ "a": null }), json!({ "a": ["x"] }), json!("x"), json!([]), json!(null)]
    {
        let error = prompt().arguments(&arguments).send().await.unwrap_err();
        let CallError::Invalid(invalid) = &error else { panic!("{arguments}: {error:?}") };
        assert_eq!((invalid.kind(), error.delivery()), (InvalidKind::Arguments, Delivery::NotSent));
        // What comes after a refusal does not heal it.
        assert!(prompt().arguments(&arguments).argument("a", "1").send().await.is_err());
    }
    assert_eq!(desk.count(), 6, "nothing else is sent");
}

/// So many arguments that they cannot be read back are refused, not forgotten.
#[tokio::test]
async fn too_many_arguments_are_refused() {
    let desk = Desk::script([Canned::result(r#"{"messages":[]}"#)]).await;
    let many: BTreeMap<String, &str> = (0..65_537).map(|number| (number.to_string(), "")).collect();
    let error =
        desk.client().get_prompt("p").arguments(&many).argument("one more", "").send().await.unwrap_err();
    assert!(
        matches!(&error, CallError::Invalid(invalid) if invalid.kind() == InvalidKind::Arguments),
        "{error:?}"
    );
    assert_eq!(desk.count(), 0);
}

#[tokio::test]
async fn pmt_03_each_message_has_one_block_of_any_type() {
    let blocks = json!([
        { "type": "text", "text": "t" },
        { "type": "image", "data": "AAEC", "mimeType": "image/png" },
        { "type": "audio", "data": "AAEC", "mimeType": "audio/wav" },
        { "type": "resource_link", "uri": "x:y", "name": "n" },
        { "type": "resource", "resource": { "uri": "x:y", "text": "r" } },
        { "type": "hologram", "data": 1.0 },
        [{ "type": "text", "text": "a list" }],
        "text",
    ]);
    let blocks = blocks.as_array().unwrap();
    let messages: Vec<Value> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            let role = ["user", "assistant", "robot"][at % 3];
            json!({ "role": role, "content": block, "x": at })
        })
        .collect();
    let result = json!({ "resultType": "complete", "description": "d", "messages": messages, "more": 1 });
    let desk = Desk::script([Canned::result(&result.to_string())]).await;
    let prompt = get(&desk.client(), "p").await;
    assert_eq!((prompt.description.as_deref(), prompt.extra.get("more").unwrap().get()), (Some("d"), "1"));
    let roles: Vec<&Role> = prompt.messages.iter().map(|message| &message.role).take(3).collect();
    assert_eq!((roles[0], roles[1], roles[2].as_str()), (&Role::User, &Role::Assistant, "robot"));
    let kinds: Vec<&str> = prompt
        .messages
        .iter()
        .map(|message| match &message.content {
            ContentBlock::Text(text) if text.text == "t" => "text",
            ContentBlock::Image(image) if image.bytes() == Ok(vec![0, 1, 2]) => "image",
            ContentBlock::Audio(audio) if audio.bytes() == Ok(vec![0, 1, 2]) => "audio",
            ContentBlock::ResourceLink(link) if link.uri == "x:y" => "link",
            ContentBlock::Resource(_) => "resource",
            ContentBlock::Unknown(_) => "unknown",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["text", "image", "audio", "link", "resource", "unknown", "unknown", "unknown"]);
    for (message, block) in prompt.messages.iter().zip(blocks).skip(5) {
        let ContentBlock::Unknown(raw) = &message.content else { panic!("{message:?}") };
        assert_eq!(raw.to_value().unwrap(), *block, "kept as it came");
    }
}

#[tokio::test]
async fn a_result_without_its_messages_is_none() {
    for result in [
        "{}",
        r#"{"messages":null}"#,
        r#"{"messages":{}}"#,
        r#"{"messages":[7]}"#,
        r#"{"messages":[{"role":"user"}]}"#,
        r#"{"messages":[{"content":{"type":"text","text":"t"}}]}"#,
    ] {
        let desk = Desk::script([Canned::result(result)]).await;
        let error = desk.client().get_prompt("p").send().await.unwrap_err();
        assert_eq!((error.outcome(), desk.count()), (OutcomeKind::InvalidToolResult, 1), "{result}");
        let CallError::Protocol(error) = error else { panic!("{error:?}") };
        assert!(String::from_utf8_lossy(error.raw()).contains(result), "the answer is kept");
    }
}

/// `prompts/get` is none of the methods whose results may be kept.
#[tokio::test]
async fn cac_01_a_prompt_is_never_kept_whatever_the_server_says() {
    let desk =
        Desk::script([Canned::result(r#"{"messages":[],"ttlMs":600000,"cacheScope":"public"}"#)]).await;
    let client = desk.client();
    for posts in 1..4 {
        assert!(get(&client, "p").await.freshness().is_fetched());
        assert_eq!(desk.count(), posts);
    }
}

#[tokio::test]
async fn an_outcome_says_which_it_is() {
    let desk = Desk::script([Canned::result(r#"{"messages":[]}"#)]).await;
    let outcome = desk.client().get_prompt("p").scenario("label").send().await.unwrap();
    assert_eq!(outcome.record().scenario.as_deref(), Some("label"));
    assert_eq!(outcome.record().tool, None, "it is no tool");
    assert!(matches!(outcome, Outcome::Complete(_)));
}
