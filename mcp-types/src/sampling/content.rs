//! Messages between a user, a language model and its tools. Deprecated in 2026-07-28.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::open_struct::open_struct;
use crate::{AudioContent, ContentBlock, ImageContent, Meta, RawJson, Role, TextContent, probe};

open_struct! {
    /// The model wants to use a tool. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ToolUseContent {
        @"type" = "tool_use";
        /// The id to be named by the result.
        required "id" => id: String;
        /// The tool.
        required "name" => name: String;
        /// The arguments, an object.
        required "input" => input: RawJson;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

open_struct! {
    /// What a tool answered to the model. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ToolResultContent {
        @"type" = "tool_result";
        /// The id of the [`ToolUseContent`] that is answered.
        required "toolUseId" => tool_use_id: String;
        /// The content.
        required "content" => content: Vec<ContentBlock>;
        /// The result for programs, any JSON; `null` is a value.
        value "structuredContent" => structured_content: RawJson;
        /// Whether the tool failed; absent means no.
        optional "isError" => is_error: bool;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

/// One piece of a message. Reading never fails: what cannot be read becomes [`Unknown`](Self::Unknown). Deprecated in
/// 2026-07-28.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SamplingContentBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// The model wants to use a tool.
    ToolUse(ToolUseContent),
    /// What the tool answered.
    ToolResult(ToolResultContent),
    /// A type that this crate does not know, a known one that is malformed, or no object at all; the text as it came.
    Unknown(RawJson),
}

/// The schema's name for [`SamplingContentBlock`].
pub type SamplingMessageContentBlock = SamplingContentBlock;

impl SamplingContentBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    fn known(raw: &RawJson) -> Option<Self> {
        match probe::text(raw, "type")?.as_ref() {
            "text" => raw.parse().ok().map(Self::Text),
            "image" => raw.parse().ok().map(Self::Image),
            "audio" => raw.parse().ok().map(Self::Audio),
            "tool_use" => raw.parse().ok().map(Self::ToolUse),
            "tool_result" => raw.parse().ok().map(Self::ToolResult),
            _ => None,
        }
    }
}

impl From<RawJson> for SamplingContentBlock {
    fn from(raw: RawJson) -> Self {
        Self::known(&raw).unwrap_or(Self::Unknown(raw))
    }
}

impl Serialize for SamplingContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Image(image) => image.serialize(serializer),
            Self::Audio(audio) => audio.serialize(serializer),
            Self::ToolUse(tool) => tool.serialize(serializer),
            Self::ToolResult(result) => result.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::from)
    }
}

/// The content of a message: one block, or an array of blocks. Which of both it was is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum SamplingContent {
    /// One block.
    One(SamplingContentBlock),
    /// An array of blocks.
    Many(Vec<SamplingContentBlock>),
}

impl SamplingContent {
    /// The blocks.
    pub fn blocks(&self) -> &[SamplingContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl From<SamplingContentBlock> for SamplingContent {
    fn from(block: SamplingContentBlock) -> Self {
        Self::One(block)
    }
}

impl From<Vec<SamplingContentBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingContentBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if raw.is_array() {
            raw.parse().map(Self::Many).map_err(|error| serde::de::Error::custom(error.detail()))
        } else {
            Ok(Self::One(raw.into()))
        }
    }
}

open_struct! {
    /// One message. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SamplingMessage {
        /// Who speaks.
        required "role" => role: Role;
        /// What is said.
        required "content" => content: SamplingContent;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}
