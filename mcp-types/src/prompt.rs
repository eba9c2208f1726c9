//! Prompts: messages that a server prepares for a language model.

use crate::cache_hint::cacheable;
use crate::icon::{named, with_icons};
use crate::mrtr::answerable;
use crate::open_struct::{open_struct, raw_hints};
use crate::pagination::paginated;
use crate::{
    ArgumentText, CacheScope, ContentBlock, Cursor, Icon, InputResponses, Items, Meta, OrderedMap,
    RequestMeta, RequestState, ResultMeta, ResultType, Role,
};

open_struct! {
    /// A parameter of a prompt.
    #[derive(Debug, Clone, PartialEq)]
    pub struct PromptArgument {
        /// The name for programs.
        required "name" => name: String;
        /// The title for people; absent means that the name is shown.
        hint "title" => title: String;
        /// What it is for.
        hint "description" => description: String;
        /// Whether it must be given; absent means no.
        hint "required" => required: bool;
    }
}

raw_hints!(Vec<PromptArgument>);

open_struct! {
    /// A prompt that can be got.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Prompt {
        /// The name to get it by.
        required "name" => name: String;
        /// The title for people; absent means that the name is shown.
        hint "title" => title: String;
        /// What it is for.
        hint "description" => description: String;
        /// Its parameters; absent means none.
        hint "arguments" => arguments: Vec<PromptArgument>;
        /// Icons to show.
        hint "icons" => icons: Vec<Icon>;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

named!(PromptArgument, Prompt);
with_icons!(Prompt);

open_struct! {
    /// A page of the list of prompts.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ListPromptsResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The prompts of this page.
        required "prompts" => prompts: Items<Prompt>;
        /// Where the next page starts; absent on the last one.
        optional "nextCursor" => next_cursor: Cursor;
        /// How long the page may be kept, in milliseconds.
        hint "ttlMs" => ttl_ms: i64;
        /// Who may be given the kept page.
        hint "cacheScope" => cache_scope: CacheScope;
    }
}

cacheable!(ListPromptsResult);
paginated!(ListPromptsResult, prompts: Prompt);

open_struct! {
    /// Parameters of `prompts/get`. `Debug` shows the lengths of the arguments, not their content.
    #[derive(Debug, Clone, PartialEq)]
    pub struct GetPromptParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// The prompt to get.
        required "name" => name: String;
        /// The arguments by name.
        optional "arguments" => arguments: OrderedMap<ArgumentText>;
        /// Answers to the input requests of the round before.
        optional "inputResponses" => input_responses: InputResponses;
        /// The state that the server gave with them, byte for byte.
        optional "requestState" => request_state: RequestState;
    }
}

answerable!(GetPromptParams);

/// The schema's name for [`GetPromptParams`].
pub type GetPromptRequestParams = GetPromptParams;

impl GetPromptParams {
    /// Adds an argument.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<ArgumentText>) -> Self {
        self.arguments.get_or_insert_default().insert(name, value.into());
        self
    }
}

open_struct! {
    /// One message of a prompt.
    #[derive(Debug, Clone, PartialEq)]
    pub struct PromptMessage {
        /// Who speaks.
        required "role" => role: Role;
        /// What is said.
        required "content" => content: ContentBlock;
    }
}

open_struct! {
    /// The messages of a prompt.
    #[derive(Debug, Clone, PartialEq)]
    pub struct GetPromptResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// What the prompt is for.
        hint "description" => description: String;
        /// The messages.
        required "messages" => messages: Vec<PromptMessage>;
    }
}
