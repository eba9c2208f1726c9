//! Are the messages for a language model, and what it says, as the protocol wants them? Deprecated since 2026-07-28.

use std::{collections::HashSet, error::Error, fmt};

use mcp_types::{
    ContentBlock, CreateMessageRequestParams, CreateMessageResult, ResourceContents, Role, SamplingContent,
    SamplingContentBlock, SamplingMessage, ToolResultContent,
};

/// What is wrong with a sampling request, or with the answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SamplingFault {
    /// `maxTokens` leaves no room for an answer.
    MaxTokens,
    /// A message is by nobody that is known: neither `user` nor `assistant`.
    Role {
        /// Which message, counted from 0; `None` for the answer.
        message: Option<usize>,
    },
    /// A block of content is malformed, or of an unknown type.
    Content {
        /// Which message, counted from 0; `None` for the answer.
        message: Option<usize>,
    },
    /// Data is no Base64.
    Base64 {
        /// Which message, counted from 0; `None` for the answer.
        message: Option<usize>,
    },
    /// An image or a sound has a media type of another kind.
    MediaType {
        /// Which message, counted from 0; `None` for the answer.
        message: Option<usize>,
    },
    /// A person uses tools, a model has results of them, or a model uses tools and none were offered.
    Misplaced {
        /// Which message, counted from 0; `None` for the answer.
        message: Option<usize>,
    },
    /// A message has results of tools, and something else.
    MixedResults {
        /// Which message, counted from 0.
        message: usize,
    },
    /// The uses of tools of a message, and the results in the one that follows, are not the same, each once.
    Unbalanced {
        /// Which message, counted from 0: that of the model, or that of the results where no model asked for them.
        message: usize,
    },
}

impl fmt::Display for SamplingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, what) = match *self {
            Self::MaxTokens => return f.write_str("`maxTokens` is less than 1"),
            Self::Role { message } => (message, "is by nobody that is known"),
            Self::Content { message } => (message, "has malformed content"),
            Self::Base64 { message } => (message, "has data that is no Base64"),
            Self::MediaType { message } => (message, "has data of another media type than its kind"),
            Self::Misplaced { message } => (message, "has uses or results of tools that do not belong there"),
            Self::MixedResults { message } => (Some(message), "has results of tools, and something else"),
            Self::Unbalanced { message } => {
                (Some(message), "has uses of tools that are not answered one by one in the next")
            }
        };
        match message {
            Some(message) => write!(f, "message {message} {what}"),
            None => write!(f, "the message {what}"),
        }
    }
}

impl Error for SamplingFault {}

/// Checks what a server wants a language model to be told ([client/sampling], tool use and result balance, security).
///
/// [client/sampling]: https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
pub(crate) fn check_request(request: &CreateMessageRequestParams) -> Result<(), SamplingFault> {
    if request.max_tokens < 1 {
        return Err(SamplingFault::MaxTokens);
    }
    let mut asked: Vec<&str> = Vec::new();
    for (number, message) in request.messages.iter().enumerate() {
        check_content(&message.role, &message.content, Some(number))?;
        let results = results(message, number)?;
        // Both are sets of ids, each once.
        if asked.len() != results.len() || !asked.iter().all(|id| results.contains(id)) {
            let message = if asked.is_empty() { number } else { number.saturating_sub(1) };
            return Err(SamplingFault::Unbalanced { message });
        }
        asked = uses(message, number)?;
    }
    if asked.is_empty() {
        Ok(())
    } else {
        Err(SamplingFault::Unbalanced { message: request.messages.len().saturating_sub(1) })
    }
}

/// Checks what a language model answered.
pub(super) fn check_result(
    request: &CreateMessageRequestParams,
    result: &CreateMessageResult,
) -> Result<(), SamplingFault> {
    check_content(&result.role, &result.content, None)?;
    let offered = request.tools.as_ref().is_some_and(|tools| !tools.is_empty());
    let misplaced = result.content.blocks().iter().any(|block| match block {
        SamplingContentBlock::ToolResult(_) => true,
        SamplingContentBlock::ToolUse(_) => !offered,
        _ => false,
    });
    if misplaced { Err(SamplingFault::Misplaced { message: None }) } else { Ok(()) }
}

/// The ids of the uses of tools in a message.
fn uses(message: &SamplingMessage, number: usize) -> Result<Vec<&str>, SamplingFault> {
    let ids = message.content.blocks().iter().filter_map(|block| match block {
        SamplingContentBlock::ToolUse(tool) => Some(tool.id.as_str()),
        _ => None,
    });
    let ids: Vec<&str> = ids.collect();
    if ids.iter().collect::<HashSet<_>>().len() != ids.len() {
        return Err(SamplingFault::Unbalanced { message: number });
    }
    Ok(ids)
}

/// The ids of the results of tools in a message, which has nothing else then.
fn results(message: &SamplingMessage, number: usize) -> Result<HashSet<&str>, SamplingFault> {
    let blocks = message.content.blocks();
    let ids: Vec<&str> =
        blocks.iter().filter_map(as_result).map(|result| result.tool_use_id.as_str()).collect();
    if !ids.is_empty() && ids.len() != blocks.len() {
        return Err(SamplingFault::MixedResults { message: number });
    }
    let once: HashSet<&str> = ids.iter().copied().collect();
    if once.len() != ids.len() {
        return Err(SamplingFault::Unbalanced { message: number.saturating_sub(1) });
    }
    Ok(once)
}

fn as_result(block: &SamplingContentBlock) -> Option<&ToolResultContent> {
    if let SamplingContentBlock::ToolResult(result) = block { Some(result) } else { None }
}

fn check_content(
    role: &Role,
    content: &SamplingContent,
    message: Option<usize>,
) -> Result<(), SamplingFault> {
    if !matches!(role, Role::User | Role::Assistant) {
        return Err(SamplingFault::Role { message });
    }
    for block in content.blocks() {
        match block {
            SamplingContentBlock::Text(_) => {}
            SamplingContentBlock::Image(image) => {
                check_media("image", &image.mime_type, image.bytes().is_ok(), message)?;
            }
            SamplingContentBlock::Audio(audio) => {
                check_media("audio", &audio.mime_type, audio.bytes().is_ok(), message)?;
            }
            SamplingContentBlock::ToolUse(_) if *role == Role::User => {
                return Err(SamplingFault::Misplaced { message });
            }
            SamplingContentBlock::ToolResult(_) if *role == Role::Assistant => {
                return Err(SamplingFault::Misplaced { message });
            }
            SamplingContentBlock::ToolUse(tool) if tool.input.is_object() => {}
            SamplingContentBlock::ToolResult(result) => check_blocks(&result.content, message)?,
            _ => return Err(SamplingFault::Content { message }),
        }
    }
    Ok(())
}

/// The content of a tool's result.
fn check_blocks(blocks: &[ContentBlock], message: Option<usize>) -> Result<(), SamplingFault> {
    for block in blocks {
        match block {
            ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => {}
            ContentBlock::Image(image) => {
                check_media("image", &image.mime_type, image.bytes().is_ok(), message)?;
            }
            ContentBlock::Audio(audio) => {
                check_media("audio", &audio.mime_type, audio.bytes().is_ok(), message)?;
            }
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::Text(_) => {}
                ResourceContents::Blob(blob) if blob.bytes().is_ok() => {}
                ResourceContents::Blob(_) => return Err(SamplingFault::Base64 { message }),
                _ => return Err(SamplingFault::Content { message }),
            },
            _ => return Err(SamplingFault::Content { message }),
        }
    }
    Ok(())
}

fn check_media(
    kind: &str,
    media_type: &str,
    is_base64: bool,
    message: Option<usize>,
) -> Result<(), SamplingFault> {
    let (essence, _) = media_type.split_once(';').unwrap_or((media_type, ""));
    let is_kind = essence.trim().split_once('/').is_some_and(|(found, sub)| {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        found.eq_ignore_ascii_case(kind) && !sub.is_empty() && sub.chars().all(is_token)
    });
    match (is_kind, is_base64) {
        (false, _) => Err(SamplingFault::MediaType { message }),
        (_, false) => Err(SamplingFault::Base64 { message }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
