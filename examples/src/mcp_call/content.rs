//! Content for a person: text as it is, anything else as one line.

use mcp_client::types::{ContentBlock, ResourceContents};

use crate::text::one_line;

pub(crate) fn of_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => of_bytes("image", Some(&image.mime_type), &image.bytes(), None),
        ContentBlock::Audio(audio) => of_bytes("audio", Some(&audio.mime_type), &audio.bytes(), None),
        ContentBlock::ResourceLink(link) => format!("[resource link: {}]", one_line(&link.uri)),
        ContentBlock::Resource(embedded) => of_resource(&embedded.resource),
        other => format!("[{}: unknown content]", one_line(other.type_name().unwrap_or("block"))),
    }
}

pub(super) fn of_resource(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::Text(text) => text.text.clone(),
        ResourceContents::Blob(blob) => {
            of_bytes("resource", blob.mime_type.as_deref(), &blob.bytes(), Some(&blob.uri))
        }
        _ => "[resource: of an unknown kind]".to_owned(),
    }
}

fn of_bytes<E>(what: &str, kind: Option<&str>, bytes: &Result<Vec<u8>, E>, uri: Option<&str>) -> String {
    let size = match bytes {
        Ok(bytes) => format!("{} bytes", bytes.len()),
        Err(_) => "not valid Base64".to_owned(),
    };
    let parts = [kind.map(one_line), Some(size), uri.map(one_line)];
    format!("[{what}: {}]", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}
