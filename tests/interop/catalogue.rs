//! What a server says of itself and of its tools.

use mcp_client::{Validation, types::ProtocolVersion};
use serde_json::json;

use crate::peers::with_each_peer;

#[tokio::test]
async fn every_tool_is_listed_and_none_is_left_out() {
    with_each_peer(async |meeting| {
        let listing = meeting.client().list_tools().all().await.unwrap();
        assert!(listing.is_complete(), "{}", meeting.peer.name);
        assert!(listing.skipped().is_empty(), "{:?}", listing.skipped());
        let mut names: Vec<_> = listing.items().iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        for name in ["audio", "error", "image", "progress", "slow", "structured", "text"] {
            assert!(names.contains(&name), "{}: {name} is not in {names:?}", meeting.peer.name);
        }
    })
    .await;
}

#[tokio::test]
async fn discovery_names_the_version_that_is_spoken_and_the_tools_capability() {
    with_each_peer(async |meeting| {
        let server = meeting.client().discover().send().await.unwrap();
        assert_eq!(server.common_version(), Some(ProtocolVersion::V2026_07_28), "{}", meeting.peer.name);
        assert!(server.capabilities.tools.is_some(), "{}", meeting.peer.name);
    })
    .await;
}

/// The schema that the SDK made of the tool's own type holds for what the tool answers.
#[tokio::test]
async fn structured_content_keeps_the_schema_that_was_listed() {
    with_each_peer(async |meeting| {
        let client = meeting.client();
        client.list_tools().all().await.unwrap();
        let output =
            client.call_tool("structured").arguments(json!({})).send().await.unwrap().into_success().unwrap();
        assert_eq!(output.validation(), Some(Validation::Valid), "{}", meeting.peer.name);
    })
    .await;
}
