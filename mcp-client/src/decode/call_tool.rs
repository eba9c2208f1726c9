//! The result of `tools/call`.

use std::fmt;

use mcp_types::{CallToolResult, ContentBlock, RawJson, ResultType};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Expect, Members, Notes, invalid};
use crate::{error::ProtocolFault, record::Note};

/// How many content blocks a result may have; more serve nobody but an attacker of memory.
pub(super) const MAX_BLOCKS: usize = 65_536;

const KNOWN: [&str; 5] = ["_meta", "resultType", "content", "structuredContent", "isError"];

/// Decodes a complete result: `content` must be a list and `isError` a boolean, all else is kept as it came.
pub(crate) fn call_tool(
    members: &Members<'_>,
    result_type: Option<ResultType>,
    expect: Expect,
    notes: &mut Notes,
) -> Result<CallToolResult, ProtocolFault> {
    let structured = members.get("structuredContent", notes);
    let content = match members.get("content", notes) {
        Some(raw) => content(raw, notes)?,
        None if expect.lenient && structured.is_some() => {
            notes.add(Note::MissingContent);
            Vec::new()
        }
        None => return Err(invalid("result.content", "it is missing")),
    };
    let is_error = match members.get("isError", notes).map(RawValue::get) {
        None => None,
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some("null") if expect.lenient => {
            notes.add(Note::NullIsError);
            None
        }
        Some(_) => return Err(invalid("result.isError", "it is not a boolean")),
    };
    let mut extra = members.others(&KNOWN, notes);
    let mut result = CallToolResult::new(content);
    result.meta = members.hint("_meta", &mut extra, notes);
    result.result_type = result_type;
    result.structured_content = structured.map(|raw| RawJson::from_raw(raw.to_owned()));
    result.is_error = is_error;
    result.extra = extra;
    Ok(result)
}

fn content(raw: &RawValue, notes: &mut Notes) -> Result<Vec<ContentBlock>, ProtocolFault> {
    if !raw.get().starts_with('[') {
        return Err(invalid("result.content", "it is not a list"));
    }
    let content = match texts(raw) {
        Some(texts) => texts,
        None => match serde_json::from_str(raw.get()) {
            Ok(Blocks(content)) => content,
            Err(_) => return Err(invalid("result.content", "it has too many blocks")),
        },
    };
    note_content(&content, notes);
    Ok(content)
}

/// Notes what is odd in content.
pub(crate) fn note_content(content: &[ContentBlock], notes: &mut Notes) {
    for block in content {
        match block {
            ContentBlock::Text(text) => note_dropped(text.dropped_hints(), notes),
            ContentBlock::Image(image) => note_dropped(image.dropped_hints(), notes),
            ContentBlock::Audio(audio) => note_dropped(audio.dropped_hints(), notes),
            ContentBlock::ResourceLink(link) => note_dropped(link.dropped_hints(), notes),
            ContentBlock::Resource(embedded) => note_dropped(embedded.dropped_hints(), notes),
            _ => notes.add(Note::UnknownContentBlock),
        }
    }
}

fn note_dropped(hints: impl Iterator<Item = &'static str>, notes: &mut Notes) {
    for hint in hints {
        notes.add(Note::DroppedHint(hint.into()));
    }
}

/// Reads content in one pass that is text at first sight, and nothing else: the usual case. What else there is in it makes
/// this `None`, and the blocks are read one by one.
fn texts(raw: &RawValue) -> Option<Vec<ContentBlock>> {
    struct Texts(Vec<ContentBlock>);

    impl<'de> Deserialize<'de> for Texts {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_seq(TextsVisitor)
        }
    }

    struct TextsVisitor;

    impl<'de> Visitor<'de> for TextsVisitor {
        type Value = Texts;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MAX_BLOCKS} blocks of text")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut blocks = Vec::new();
            while let Some(text) = seq.next_element()? {
                if blocks.len() == MAX_BLOCKS {
                    return Err(serde::de::Error::invalid_length(blocks.len() + 1, &self));
                }
                blocks.push(ContentBlock::Text(text));
            }
            Ok(Texts(blocks))
        }
    }

    if !raw.get().starts_with(r#"[{"type":"text","#) {
        return None;
    }
    serde_json::from_str(raw.get()).ok().map(|Texts(blocks)| blocks)
}

/// A bounded list of blocks.
struct Blocks(Vec<ContentBlock>);

impl<'de> Deserialize<'de> for Blocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlocksVisitor;

        impl<'de> Visitor<'de> for BlocksVisitor {
            type Value = Blocks;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MAX_BLOCKS} content blocks")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(raw) = seq.next_element::<&RawValue>()? {
                    if blocks.len() == MAX_BLOCKS {
                        return Err(serde::de::Error::invalid_length(blocks.len() + 1, &self));
                    }
                    blocks.push(ContentBlock::from_raw(raw));
                }
                Ok(Blocks(blocks))
            }
        }

        deserializer.deserialize_seq(BlocksVisitor)
    }
}
