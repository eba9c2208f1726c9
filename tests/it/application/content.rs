//! Content blocks of all kinds, and the text that stands for them.

use std::borrow::Cow;

use mcp_client::types::{ContentBlock, RawJson};
use serde_json::{Value, json};

use super::{blocks, notes, outputs};
use crate::stage::Stage;

#[tokio::test]
async fn text_shows_a_placeholder_for_all_that_is_no_text() {
    let rows = [
        ("", ""),
        (r#"{"type":"text","text":""}"#, ""),
        (r#"{"type":"text","text":"one"}"#, "one"),
        (r#"{"type":"text","text":"one"},{"type":"text","text":"two"}"#, "one\ntwo"),
        (r#"{"type":"text","text":""},{"type":"text","text":""}"#, "\n"),
        (r#"{"type":"text","text":"\u0000\ud83d\ude00\r\n"}"#, "\0😀\r\n"),
        (r#"{"type":"image","data":"","mimeType":"image/png"}"#, "[image: image/png, 0 bytes]"),
        (r#"{"type":"image","data":"QQ==","mimeType":"image/png"}"#, "[image: image/png, 1 bytes]"),
        (r#"{"type":"image","data":"QUI=","mimeType":"image/png"}"#, "[image: image/png, 2 bytes]"),
        (r#"{"type":"audio","data":"QUJD","mimeType":"audio/wav"}"#, "[audio: audio/wav, 3 bytes]"),
        (r#"{"type":"resource_link","uri":"file:///a","name":"a"}"#, "[resource link: file:///a]"),
        (
            r#"{"type":"resource_link","uri":"file:///a","name":"a","mimeType":"text/x"}"#,
            "[resource link: text/x, file:///a]",
        ),
        (
            r#"{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}"#,
            "[resource: file:///a]\ninside",
        ),
        (
            r#"{"type":"resource","resource":{"uri":"file:///a","blob":"QUJD","mimeType":"x/y"}}"#,
            "[resource: x/y, 3 bytes, file:///a]",
        ),
        (
            r#"{"type":"resource","resource":{"uri":"file:///a","blob":"QUJD"}}"#,
            "[resource: application/octet-stream, 3 bytes, file:///a]",
        ),
        (
            r#"{"type":"text","text":"see"},{"type":"image","data":"QUJD","mimeType":"image/png"},{"type":"text","text":"end"}"#,
            "see\n[image: image/png, 3 bytes]\nend",
        ),
    ];
    let stage = Stage::new().await;
    for (content, text) in rows {
        for output in outputs(&stage, &blocks(content)).await {
            assert_eq!(output.text(), text, "{content}");
            assert_eq!(notes(&output), [""; 0], "{content}");
            let expected: Value = serde_json::from_str(&format!("[{content}]")).unwrap();
            assert_eq!(
                serde_json::to_value(output.content()).unwrap(),
                expected,
                "nothing is lost: {content}"
            );
            assert!(!output.is_error());
        }
    }
}

#[tokio::test]
async fn one_text_block_is_not_copied() {
    let stage = Stage::new().await;
    for output in outputs(&stage, &blocks(r#"{"type":"text","text":"one"}"#)).await {
        assert!(matches!(output.text(), Cow::Borrowed("one")));
    }
}

/// An unknown type, a known type of a bad shape, no object at all: kept as it came, and the class does not change.
#[tokio::test]
async fn a_block_that_cannot_be_decoded_is_kept_as_it_came() {
    let rows = [
        ("42", "block"),
        ("null", "block"),
        ("\"text\"", "block"),
        ("[]", "block"),
        ("{}", "block"),
        (r#"{"type":7}"#, "block"),
        (r#"{"text":"no type"}"#, "block"),
        (r#"{"type":"text"}"#, "text"),
        (r#"{"type":"text","text":null}"#, "text"),
        (r#"{"type":"text","text":["t"]}"#, "text"),
        (r#"{"type":"Text","text":"t"}"#, "Text"),
        (r#"{"type":"image","data":"QQ=="}"#, "image"),
        (r#"{"type":"image","data":7,"mimeType":"image/png"}"#, "image"),
        (r#"{"type":"audio","mimeType":"audio/wav"}"#, "audio"),
        (r#"{"type":"resource"}"#, "resource"),
        (r#"{"type":"resource","resource":{"uri":"file:///a"}}"#, "resource"),
        (r#"{"type":"resource","resource":{"text":"no uri"}}"#, "resource"),
        (r#"{"type":"resource_link","name":"no uri"}"#, "resource_link"),
        (r#"{"type":"vendor/chart","rows":[1.0,12345678901234567890]}"#, "vendor/chart"),
        (r#"{ "type" : "vendor" , "x" : 1e400 }"#, "vendor"),
        (r#"{"type":"tool_use","id":"1","name":"x","input":{}}"#, "tool_use"),
    ];
    let stage = Stage::new().await;
    for (block, name) in rows {
        for (content, text) in [
            (block.to_owned(), format!("[{name}: unknown content]")),
            (format!(r#"{{"type":"text","text":"a"}},{block}"#), format!("a\n[{name}: unknown content]")),
        ] {
            for output in outputs(&stage, &blocks(&content)).await {
                assert_eq!(notes(&output), ["unknown-content-block"], "{content}");
                let Some(ContentBlock::Unknown(raw)) = output.content().last() else {
                    panic!("unknown: {content}")
                };
                assert_eq!(raw.get(), block);
                assert_eq!(output.text(), text);
            }
        }
    }
    for output in outputs(&stage, &blocks("1,2,3,{\"type\":\"x\"}")).await {
        assert_eq!(notes(&output), ["unknown-content-block"], "each oddity is noted once");
        assert_eq!(output.content().len(), 4);
    }
}

/// What is optional and odd is left out, noted, and kept raw; it never costs the block or the result.
#[tokio::test]
async fn a_malformed_hint_never_costs_the_block() {
    let rows = [
        (r#"{"type":"text","text":"t","annotations":7}"#, "dropped-hint:annotations"),
        (r#"{"type":"text","text":"t","annotations":[]}"#, "dropped-hint:annotations"),
        (r#"{"type":"text","text":"t","_meta":"m"}"#, "dropped-hint:_meta"),
    ];
    let stage = Stage::new().await;
    for (block, note) in rows {
        for output in outputs(&stage, &blocks(block)).await {
            assert_eq!(output.text(), "t", "{block}");
            assert_eq!(notes(&output), [note], "{block}");
            let expected: Value = serde_json::from_str(block).unwrap();
            assert_eq!(serde_json::to_value(&output.content()[0]).unwrap(), expected, "it is kept: {block}");
        }
    }
    for meta in ["7", "[]", "\"m\"", "true"] {
        for output in
            outputs(&stage, &format!(r#"{{"resultType":"complete","content":[],"_meta":{meta}}}"#)).await
        {
            assert_eq!(notes(&output), ["dropped-hint:_meta"], "{meta}");
            assert!(output.result().meta.is_none());
            assert_eq!(output.result().extra.get("_meta").unwrap().get(), meta);
        }
    }
    for output in outputs(&stage, r#"{"resultType":"complete","content":[],"_meta":null}"#).await {
        assert_eq!(notes(&output), [""; 0], "null is as good as absent");
    }
}

/// Members that belong to other results, or to no result that is known, turn a tool's result into nothing else.
#[tokio::test]
async fn extra_members_change_nothing_and_are_kept() {
    let stage = Stage::new().await;
    for (name, value) in [
        ("tools", "[]"),
        ("tools", r#"[{"name":"x","inputSchema":{}}]"#),
        ("resources", "[]"),
        ("resourceTemplates", "[]"),
        ("prompts", "[]"),
        ("messages", "[]"),
        ("contents", "[]"),
        ("completion", r#"{"values":[]}"#),
        ("roots", "[]"),
        ("nextCursor", "\"c\""),
        ("capabilities", "{}"),
        ("supportedVersions", "[]"),
        ("action", "\"accept\""),
        ("task", r#"{"taskId":"1"}"#),
        ("toolResult", "1e400"),
        ("inputRequests", r#"{"k":{"method":"roots/list"}}"#),
        ("requestState", "\"s\""),
        ("ttlMs", "\"odd\""),
        ("error", r#"{"code":1,"message":"m"}"#),
        ("", "null"),
    ] {
        let result = format!(
            r#"{{"{name}":{value},"resultType":"complete","content":[{{"type":"text","text":"ok"}}]}}"#
        );
        for output in outputs(&stage, &result).await {
            assert_eq!(output.text(), "ok", "{result}");
            assert_eq!(notes(&output), [""; 0], "{result}");
            assert_eq!(output.result().extra.get(name).map(RawJson::get), Some(value), "{result}");
        }
    }
}

#[tokio::test]
async fn the_whole_result_can_be_had_as_it_came() {
    let stage = Stage::new().await;
    let result = json!({
        "resultType": "complete",
        "content": [{ "type": "text", "text": "t", "annotations": { "audience": ["user"], "priority": 0.5 }, "x": 1 }],
        "structuredContent": { "a": [1] },
        "isError": false,
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "s", "version": "1" }, "vendor/x": 1 },
        "vendor": [true],
    });
    for output in outputs(&stage, &result.to_string()).await {
        assert_eq!(serde_json::to_value(output.result()).unwrap(), result);
        assert_eq!(serde_json::to_value(output.clone().into_result()).unwrap(), result);
    }
}
