//! Every kind of content arrives as the peer made it.

use futures_util::future::join_all;
use mcp_client::{
    OutcomeKind, ToolOutput,
    types::{ContentBlock, ResourceContents},
};
use serde_json::{Value, json};

use crate::peers::{Meeting, with_each_peer};

async fn success(meeting: &Meeting, tool: &str, arguments: Value) -> ToolOutput {
    let outcome = meeting.call(tool, arguments).send().await;
    meeting.assert_outcome(&outcome, OutcomeKind::ToolSuccess);
    let output = outcome.unwrap().into_success().unwrap();
    assert!(output.structured_raw().is_none());
    output
}

#[tokio::test]
async fn text() {
    with_each_peer(async |meeting| {
        for name in ["Ada", "", "Åse 天気 \u{1F980}", "a\"b\\c\nd\u{2028}\u{0}"] {
            let output = success(&meeting, "text", json!({ "name": name })).await;
            assert_eq!(
                output.content(),
                [ContentBlock::text(format!("Hello, {name}!")), ContentBlock::text("")]
            );
        }
    })
    .await;
}

#[tokio::test]
async fn an_image() {
    with_each_peer(async |meeting| {
        let output = success(&meeting, "image", json!({})).await;
        assert_eq!(output.content(), [ContentBlock::image(b"\x89PNG\r\n\x1a\n", "image/png")]);
        let [ContentBlock::Image(image)] = output.content() else { panic!("one image") };
        assert_eq!(image.bytes().unwrap(), b"\x89PNG\r\n\x1a\n");
        assert_eq!(output.text(), "[image: image/png, 8 bytes]");
    })
    .await;
}

#[tokio::test]
async fn sound() {
    with_each_peer(async |meeting| {
        let output = success(&meeting, "audio", json!({})).await;
        assert_eq!(output.content(), [ContentBlock::audio(b"RIFF", "audio/wav")]);
        assert_eq!(output.text(), "[audio: audio/wav, 4 bytes]");
    })
    .await;
}

#[tokio::test]
async fn resources_that_come_along_and_one_that_is_named() {
    with_each_peer(async |meeting| {
        let output = success(&meeting, "resource", json!({})).await;
        let [ContentBlock::Resource(note), ContentBlock::Resource(blob), ContentBlock::ResourceLink(link)] =
            output.content()
        else {
            panic!("two resources and a link: {:?}", output.content())
        };
        let ResourceContents::Text(note) = &note.resource else { panic!("text") };
        assert_eq!(
            (note.uri.as_str(), note.mime_type.as_deref(), note.text.as_str()),
            ("peer://note", Some("text/plain"), "a note\n")
        );
        let ResourceContents::Blob(blob) = &blob.resource else { panic!("bytes") };
        assert_eq!(
            (blob.uri.as_str(), blob.mime_type.as_deref(), blob.bytes().unwrap().as_slice()),
            ("peer://blob", Some("application/octet-stream"), &[0, 255][..])
        );
        assert_eq!(
            (link.uri.as_str(), link.name.as_str(), link.mime_type.as_deref(), link.description.as_deref()),
            ("peer://linked", "linked", Some("text/csv"), Some("Is not sent along"))
        );
        assert_eq!(
            output.text(),
            "[resource: peer://note]\na note\n\n[resource: application/octet-stream, 2 bytes, peer://blob]\n\
             [resource link: text/csv, peer://linked]"
        );
    })
    .await;
}

/// Its name stands in a header, too, and peers compare the two.
#[tokio::test]
async fn a_tool_whose_name_no_header_can_hold() {
    with_each_peer(async |meeting| {
        let output = success(&meeting, "größe 天気", json!({})).await;
        assert_eq!(output.content(), [ContentBlock::text("found")]);
    })
    .await;
}

#[tokio::test]
async fn calls_at_the_same_time_get_their_own_answers() {
    with_each_peer(async |meeting| {
        let (meeting, client) = (&meeting, &meeting.client());
        let calls = (0..24).map(|number| async move {
            let call = client.call_tool("text").arguments(json!({ "name": number.to_string() }));
            let outcome = call.send().await;
            meeting.assert_outcome(&outcome, OutcomeKind::ToolSuccess);
            assert_eq!(outcome.unwrap().into_success().unwrap().text(), format!("Hello, {number}!\n"));
        });
        join_all(calls).await;
    })
    .await;
}
