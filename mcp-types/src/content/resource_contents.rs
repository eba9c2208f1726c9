//! The contents of resources, and content that carries them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base64_text;
use crate::open_struct::open_struct;
use crate::{Annotations, Base64Error, Meta, RawJson, probe};

open_struct! {
    /// The contents of a resource that is text.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TextResourceContents {
        /// The resource.
        required "uri" => uri: String;
        /// Its media type.
        hint "mimeType" => mime_type: String;
        /// The text; may be empty.
        required "text" => text: String;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

open_struct! {
    /// The contents of a resource that is not text.
    #[derive(Debug, Clone, PartialEq)]
    pub struct BlobResourceContents {
        /// The resource.
        required "uri" => uri: String;
        /// Its media type.
        hint "mimeType" => mime_type: String;
        /// The bytes in Base64; see [`bytes`](Self::bytes).
        required "blob" => blob: String;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

impl BlobResourceContents {
    /// The decoded bytes.
    ///
    /// # Errors
    ///
    /// When `blob` is not Base64.
    pub fn bytes(&self) -> Result<Vec<u8>, Base64Error> {
        base64_text::decode(&self.blob)
    }
}

/// The contents of a resource. Which kind they are follows from their members: `text` before `blob`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
    /// Neither, or malformed.
    Unknown(RawJson),
}

impl ResourceContents {
    /// The address of the resource, if it can be read.
    pub fn uri(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.uri),
            Self::Blob(blob) => Some(&blob.uri),
            Self::Unknown(raw) => probe::plain_text(raw, "uri"),
        }
    }

    /// The media type, if there is one.
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.mime_type.as_deref(),
            Self::Blob(blob) => blob.mime_type.as_deref(),
            Self::Unknown(raw) => probe::plain_text(raw, "mimeType"),
        }
    }
}

impl From<RawJson> for ResourceContents {
    fn from(raw: RawJson) -> Self {
        let [text, blob] = probe::has(&raw, ["text", "blob"]);
        let text = text.then(|| raw.parse().ok().map(Self::Text)).flatten();
        let known = text.or_else(|| blob.then(|| raw.parse().ok().map(Self::Blob)).flatten());
        known.unwrap_or(Self::Unknown(raw))
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(text: TextResourceContents) -> Self {
        Self::Text(text)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(blob: BlobResourceContents) -> Self {
        Self::Blob(blob)
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blob(blob) => blob.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::from)
    }
}

open_struct! {
    /// Content that carries a resource with it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct EmbeddedResource {
        @"type" = "resource";
        /// The contents of the resource.
        required "resource" => resource: ResourceContents;
        /// How to use it.
        hint "annotations" => annotations: Annotations;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}
