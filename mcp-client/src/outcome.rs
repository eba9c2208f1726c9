//! What a tool call ends in when the server gave a valid answer.

#[cfg(feature = "schema")]
mod validation;

use std::{borrow::Cow, error::Error, fmt, sync::Arc};

use mcp_types::{CallToolResult, ContentBlock, RawJson, ResourceContents};
use serde::de::DeserializeOwned;

use crate::{
    continuation::Continuation, error::CallError, error_hint::ErrorHint, record::CallRecord,
    tool_book::KnownTool,
};

/// A valid answer to a tool call. Exhaustive on purpose: look at each of the three.
#[derive(Debug)]
#[must_use = "a tool call can end in a tool error or in a request for input; look at which"]
pub enum ToolOutcome {
    /// The tool did its work.
    Success(ToolOutput),
    /// The tool reports an error of its own (`isError: true`): text that the model should read.
    ToolError(ToolOutput),
    /// The server needs input before it can finish: answer and resume, or drop it.
    InputRequired(Continuation),
}

impl ToolOutcome {
    /// The output of a success; everything else is an error.
    ///
    /// # Errors
    ///
    /// [`NotSuccess`], which hands the tool's error or the continuation back.
    pub fn into_success(self) -> Result<ToolOutput, NotSuccess> {
        match self {
            Self::Success(output) => Ok(output),
            Self::ToolError(output) => Err(NotSuccess::ToolError(output)),
            Self::InputRequired(asked) => Err(NotSuccess::InputRequired(asked)),
        }
    }

    /// The record of the call.
    pub fn record(&self) -> &CallRecord {
        match self {
            Self::Success(output) | Self::ToolError(output) => output.record(),
            Self::InputRequired(asked) => asked.record(),
        }
    }

    /// What a language model should be shown: content, structured content that the text does not repeat, and failure
    /// marked as such.
    pub fn for_model(&self) -> String {
        match self {
            Self::Success(output) => output.for_model(),
            Self::ToolError(output) => format!("The tool reported an error: {}", output.for_model()),
            Self::InputRequired(_) => {
                "The tool has not finished: it needs input from the user before it can go on.".to_owned()
            }
        }
    }
}

/// A complete result of a tool. Its `Debug` shows of what kinds the content is, not what it says.
#[derive(Clone)]
pub struct ToolOutput {
    held: Box<Held>,
    record: Box<CallRecord>,
}

/// In one box, so that outcomes stay small.
#[derive(Clone)]
struct Held {
    result: CallToolResult,
    /// What is known of the tool, its output schema among it.
    tool: Option<Arc<KnownTool>>,
}

impl ToolOutput {
    pub(crate) fn new(result: CallToolResult, record: Box<CallRecord>) -> Self {
        Self { held: Box::new(Held { result, tool: None }), record }
    }

    pub(crate) fn of_tool(mut self, tool: Option<Arc<KnownTool>>) -> Self {
        self.held.tool = tool;
        self
    }

    /// The content blocks in order.
    pub fn content(&self) -> &[ContentBlock] {
        &self.held.result.content
    }

    /// All content as text, blocks joined with line ends.
    ///
    /// A block that is not text becomes a visible placeholder with its type, media type, and size or URI: a list
    /// that is not empty never turns into an empty string by leaving blocks out.
    pub fn text(&self) -> Cow<'_, str> {
        match self.content() {
            [] => Cow::Borrowed(""),
            [ContentBlock::Text(text)] => Cow::Borrowed(&text.text),
            blocks => {
                let mut all = String::new();
                for (index, block) in blocks.iter().enumerate() {
                    if index > 0 {
                        all.push('\n');
                    }
                    match block {
                        ContentBlock::Text(text) => all.push_str(&text.text),
                        other => all.push_str(&placeholder(other)),
                    }
                }
                Cow::Owned(all)
            }
        }
    }

    /// `structuredContent` as a type of yours, read straight from its text: numbers stay exact.
    ///
    /// # Errors
    ///
    /// [`StructuredError`] when there is none, or it does not fit the type. The raw text stays in
    /// [`structured_raw`](Self::structured_raw).
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, StructuredError> {
        let raw = self.structured_raw().ok_or(StructuredError(Misfit::Missing))?;
        raw.parse().map_err(|error| StructuredError(Misfit::Type(error.into())))
    }

    /// `structuredContent` as it came; a JSON `null` is a value, and not the same as none.
    pub fn structured_raw(&self) -> Option<&RawJson> {
        self.held.result.structured_content.as_ref()
    }

    /// Whether the tool reports an error of its own.
    pub fn is_error(&self) -> bool {
        self.held.result.is_error()
    }

    /// What the text of a tool error hints at, where it is one of the well-known texts of older servers.
    pub fn error_hint(&self) -> Option<ErrorHint> {
        if self.is_error() { ErrorHint::read(&self.text()) } else { None }
    }

    /// The whole result, unknown members included.
    pub fn result(&self) -> &CallToolResult {
        &self.held.result
    }

    /// The whole result, without the record.
    pub fn into_result(self) -> CallToolResult {
        self.held.result
    }

    /// The record of the call.
    pub fn record(&self) -> &CallRecord {
        &self.record
    }

    /// What a language model should be shown: the text, and structured content that no text block repeats.
    pub fn for_model(&self) -> String {
        let text = self.text();
        match self.structured_raw() {
            Some(raw) if !self.repeats(raw) => {
                let separator = if text.is_empty() { "" } else { "\n" };
                format!("{text}{separator}{}", raw.get())
            }
            _ if text.trim().is_empty() && self.is_error() => "(it gave no reason)".to_owned(),
            _ => text.into_owned(),
        }
    }

    /// Servers should put structured content into a text block too; it is not shown twice.
    fn repeats(&self, raw: &RawJson) -> bool {
        let structured = raw.to_value();
        self.content().iter().any(|block| match block {
            ContentBlock::Text(text) => {
                match (serde_json::from_str::<serde_json::Value>(&text.text), &structured) {
                    (Ok(shown), Ok(value)) => shown == *value,
                    _ => false,
                }
            }
            _ => false,
        })
    }
}

impl fmt::Debug for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> =
            self.content().iter().map(|block| block.type_name().unwrap_or("unknown")).collect();
        f.debug_struct("ToolOutput")
            .field("content", &kinds)
            .field("structured_content", &self.structured_raw())
            .field("is_error", &self.is_error())
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

fn placeholder(block: &ContentBlock) -> String {
    /// Base64 holds three bytes in four characters.
    fn size(base64: &str) -> usize {
        base64.len() / 4 * 3
            - base64.bytes().rev().take(2).filter(|byte| *byte == b'=').count().min(base64.len() / 4 * 3)
    }
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image: {}, {} bytes]", image.mime_type, size(&image.data)),
        ContentBlock::Audio(audio) => format!("[audio: {}, {} bytes]", audio.mime_type, size(&audio.data)),
        ContentBlock::ResourceLink(link) => {
            let kind = link.mime_type.as_deref().map(|kind| format!("{kind}, ")).unwrap_or_default();
            format!("[resource link: {kind}{}]", link.uri)
        }
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(text) => format!("[resource: {}]\n{}", text.uri, text.text),
            ResourceContents::Blob(blob) => {
                let kind = blob.mime_type.as_deref().unwrap_or("application/octet-stream");
                format!("[resource: {kind}, {} bytes, {}]", size(&blob.blob), blob.uri)
            }
            _ => "[resource: of an unknown kind]".to_owned(),
        },
        other => format!("[{}: unknown content]", other.type_name().unwrap_or("block")),
    }
}

/// There is no structured content, or it does not fit the type that was asked for, or the tool's own schema.
#[derive(Debug)]
pub struct StructuredError(Misfit);

#[derive(Debug)]
enum Misfit {
    Missing,
    Type(Box<dyn Error + Send + Sync>),
    #[cfg(feature = "schema")]
    Schema(Box<[crate::SchemaViolation]>),
}

impl StructuredError {
    /// Whether the result had no `structuredContent` at all.
    pub fn is_missing(&self) -> bool {
        matches!(self.0, Misfit::Missing)
    }

    /// Where it breaks the `outputSchema` of its tool; none where that was not the reason.
    #[cfg(feature = "schema")]
    pub fn violations(&self) -> &[crate::SchemaViolation] {
        if let Misfit::Schema(violations) = &self.0 { violations } else { &[] }
    }
}

impl fmt::Display for StructuredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Misfit::Missing => f.write_str("the result has no structured content"),
            Misfit::Type(_) => f.write_str("the structured content does not fit the type that was asked for"),
            #[cfg(feature = "schema")]
            Misfit::Schema(violations) => {
                f.write_str("the structured content breaks the output schema of the tool")?;
                violations.first().map_or(Ok(()), |first| write!(f, ": {first}"))
            }
        }
    }
}

impl Error for StructuredError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        if let Misfit::Type(source) = &self.0 { Some(source.as_ref()) } else { None }
    }
}

/// Why there is no success to hand out.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotSuccess {
    /// The call failed.
    Call(CallError),
    /// The tool reports an error of its own.
    ToolError(ToolOutput),
    /// The server needs input first.
    InputRequired(Continuation),
    /// The tool succeeded, and its structured content is not what was asked for. The work was done.
    Mismatch(ToolOutput, StructuredError),
}

impl From<CallError> for NotSuccess {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl fmt::Display for NotSuccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::ToolError(_) => f.write_str("the tool reported an error"),
            Self::InputRequired(_) => f.write_str("the tool needs input before it can finish"),
            Self::Mismatch(_, error) => error.fmt(f),
        }
    }
}

impl Error for NotSuccess {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Call(error) => error.source(),
            Self::Mismatch(_, error) => error.source(),
            _ => None,
        }
    }
}
