//! Tools.

use crate::cache_hint::cacheable;
use crate::icon::{named, with_icons};
use crate::mrtr::answerable;
use crate::open_struct::{open_struct, raw_hints};
use crate::pagination::paginated;
use crate::{
    CacheScope, ContentBlock, Cursor, Icon, InputResponses, Items, Meta, RawJson, RequestMeta, RequestState,
    ResultMeta, ResultType,
};

open_struct! {
    /// What a tool says of its behaviour. All of it is a hint: do not rely on it with servers you do not trust.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ToolAnnotations {
        /// The title for people.
        hint "title" => title: String;
        /// It changes nothing; see [`is_read_only`](Self::is_read_only).
        hint "readOnlyHint" => read_only_hint: bool;
        /// It may destroy something; see [`is_destructive`](Self::is_destructive).
        hint "destructiveHint" => destructive_hint: bool;
        /// Calling it again with the same arguments changes nothing more; see
        /// [`is_idempotent`](Self::is_idempotent).
        hint "idempotentHint" => idempotent_hint: bool;
        /// It deals with the world outside; see [`is_open_world`](Self::is_open_world).
        hint "openWorldHint" => open_world_hint: bool;
    }
}

raw_hints!(ToolAnnotations);

impl ToolAnnotations {
    /// Whether it changes nothing. Default: `false`.
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether it may destroy something; of meaning only if it is not read-only. Default: `true`.
    pub fn is_destructive(&self) -> bool {
        self.destructive_hint.unwrap_or(true)
    }

    /// Whether a repeated call changes nothing more; of meaning only if it is not read-only. Default: `false`.
    pub fn is_idempotent(&self) -> bool {
        self.idempotent_hint.unwrap_or(false)
    }

    /// Whether it deals with the world outside. Default: `true`.
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

open_struct! {
    /// A tool that can be called.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Tool {
        /// The name to call it by.
        required "name" => name: String;
        /// The title for people; see [`display_name`](Self::display_name).
        hint "title" => title: String;
        /// What it does, also for language models.
        hint "description" => description: String;
        /// The JSON Schema of its arguments, an object; the text as it came.
        required "inputSchema" => input_schema: RawJson;
        /// The JSON Schema of its structured content; the text as it came.
        optional "outputSchema" => output_schema: RawJson;
        /// What it says of its behaviour.
        hint "annotations" => annotations: ToolAnnotations;
        /// Icons to show.
        hint "icons" => icons: Vec<Icon>;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

named!(Tool);
with_icons!(Tool);

impl Tool {
    /// What to show to people: the title, else the title among the annotations, else the name.
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref()?.title.as_deref();
        self.title.as_deref().or_else(annotated).unwrap_or(&self.name)
    }

    /// Sets the title for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the schema of the structured content.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<RawJson>) -> Self {
        self.output_schema = Some(schema.into());
        self
    }

    /// Sets what the tool says of its behaviour.
    #[must_use]
    pub fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }
}

open_struct! {
    /// A page of the list of tools.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ListToolsResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The tools of this page.
        required "tools" => tools: Items<Tool>;
        /// Where the next page starts; absent on the last one.
        optional "nextCursor" => next_cursor: Cursor;
        /// How long the page may be kept, in milliseconds.
        hint "ttlMs" => ttl_ms: i64;
        /// Who may be given the kept page.
        hint "cacheScope" => cache_scope: CacheScope;
    }
}

cacheable!(ListToolsResult);
paginated!(ListToolsResult, tools: Tool);

open_struct! {
    /// Parameters of `tools/call`. `Debug` shows the size of the arguments, not their content.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CallToolParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// The tool to call.
        required "name" => name: String;
        /// The arguments, an object; absent means none.
        optional "arguments" => arguments: RawJson;
        /// Answers to the input requests of the round before.
        optional "inputResponses" => input_responses: InputResponses;
        /// The state that the server gave with them, byte for byte.
        optional "requestState" => request_state: RequestState;
    }
}

/// The schema's name for [`CallToolParams`].
pub type CallToolRequestParams = CallToolParams;

impl CallToolParams {
    /// Sets the arguments, which should be an object.
    #[must_use]
    pub fn with_arguments(mut self, arguments: impl Into<RawJson>) -> Self {
        self.arguments = Some(arguments.into());
        self
    }
}

answerable!(CallToolParams);

open_struct! {
    /// What a tool answered, its own failure included.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CallToolResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The content for people and language models.
        required "content" => content: Vec<ContentBlock>;
        /// The result for programs, any JSON; `null` is a value.
        value "structuredContent" => structured_content: RawJson;
        /// Whether the tool failed; see [`is_error`](Self::is_error).
        optional "isError" => is_error: bool;
    }
}

impl CallToolResult {
    /// A result with one block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new([ContentBlock::text(text)])
    }

    /// A failure of the tool with one block of text.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Whether the tool failed. Default: `false`.
    pub fn is_error(&self) -> bool {
        self.is_error.unwrap_or(false)
    }

    /// Sets the result for programs.
    #[must_use]
    pub fn with_structured_content(mut self, content: impl Into<RawJson>) -> Self {
        self.structured_content = Some(content.into());
        self
    }
}

#[cfg(test)]
mod tests;
