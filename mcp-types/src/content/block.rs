//! One piece of content of any kind.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{
    AudioContent, EmbeddedResource, ImageContent, RawJson, ResourceContents, ResourceLink, TextContent, probe,
};

/// One piece of content. Reading never fails: what cannot be read becomes [`Unknown`](Self::Unknown).
///
/// ```
/// use mcp_types::ContentBlock;
///
/// let odd: ContentBlock = serde_json::from_str(r#"{"type":"text","body":"no text member"}"#)?;
/// assert!(matches!(odd, ContentBlock::Unknown(_)));
/// assert_eq!(odd.type_name(), Some("text"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// A resource that can be read from the server.
    ResourceLink(Box<ResourceLink>),
    /// A resource that comes along.
    Resource(EmbeddedResource),
    /// A type that this crate does not know, a known one that is malformed, or no object at all; the text as it came.
    Unknown(RawJson),
}

impl ContentBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// A block with an image.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::from_bytes(bytes, mime_type))
    }

    /// A block with sound.
    pub fn audio(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::from_bytes(bytes, mime_type))
    }

    /// A block that names a resource.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ResourceLink(Box::new(ResourceLink::new(uri, name)))
    }

    /// A block that carries a resource.
    pub fn resource(contents: impl Into<ResourceContents>) -> Self {
        Self::Resource(EmbeddedResource::new(contents))
    }

    /// The `type` of the block. `None` if an unknown block has none, or writes it with escapes.
    pub fn type_name(&self) -> Option<&str> {
        match self {
            Self::Text(_) => Some("text"),
            Self::Image(_) => Some("image"),
            Self::Audio(_) => Some("audio"),
            Self::ResourceLink(_) => Some("resource_link"),
            Self::Resource(_) => Some("resource"),
            Self::Unknown(raw) => probe::plain_text(raw, "type"),
        }
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(&text.text) } else { None }
    }

    /// Reads a block from its text. Never fails, and copies only what is kept.
    pub fn from_raw(raw: &RawValue) -> Self {
        Self::usual_text(raw).unwrap_or_else(|| Self::from(RawJson::from_raw(raw.to_owned())))
    }

    /// A block that is text at first sight is read in one pass. What turns out to be something else takes the long way.
    fn usual_text(raw: &RawValue) -> Option<Self> {
        raw.get()
            .starts_with(r#"{"type":"text","#)
            .then(|| serde_json::from_str(raw.get()).ok().map(Self::Text))?
    }

    fn known(raw: &RawJson) -> Option<Self> {
        match probe::text(raw, "type")?.as_ref() {
            "text" => raw.parse().ok().map(Self::Text),
            "image" => raw.parse().ok().map(Self::Image),
            "audio" => raw.parse().ok().map(Self::Audio),
            "resource_link" => raw.parse().ok().map(Self::ResourceLink),
            "resource" => {
                let embedded: EmbeddedResource = raw.parse().ok()?;
                let readable = !matches!(embedded.resource, ResourceContents::Unknown(_));
                readable.then_some(Self::Resource(embedded))
            }
            _ => None,
        }
    }
}

impl From<RawJson> for ContentBlock {
    fn from(raw: RawJson) -> Self {
        Self::known(&raw).unwrap_or(Self::Unknown(raw))
    }
}

impl From<TextContent> for ContentBlock {
    fn from(text: TextContent) -> Self {
        Self::Text(text)
    }
}

impl From<ImageContent> for ContentBlock {
    fn from(image: ImageContent) -> Self {
        Self::Image(image)
    }
}

impl From<AudioContent> for ContentBlock {
    fn from(audio: AudioContent) -> Self {
        Self::Audio(audio)
    }
}

impl From<ResourceLink> for ContentBlock {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(Box::new(link))
    }
}

impl From<EmbeddedResource> for ContentBlock {
    fn from(resource: EmbeddedResource) -> Self {
        Self::Resource(resource)
    }
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Image(image) => image.serialize(serializer),
            Self::Audio(audio) => audio.serialize(serializer),
            Self::ResourceLink(link) => link.serialize(serializer),
            Self::Resource(resource) => resource.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::from)
    }
}
