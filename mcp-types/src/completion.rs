//! Completion of arguments while they are typed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::icon::named;
use crate::open_struct::open_struct;
use crate::{ArgumentText, OrderedMap, RawJson, RequestMeta, ResultMeta, ResultType, probe};

open_struct! {
    /// Names a prompt.
    #[derive(Debug, Clone, PartialEq)]
    pub struct PromptReference {
        @"type" = "ref/prompt";
        /// The name of the prompt.
        required "name" => name: String;
        /// Its title for people.
        hint "title" => title: String;
    }
}

named!(PromptReference);

open_struct! {
    /// Names a resource or a resource template.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ResourceTemplateReference {
        @"type" = "ref/resource";
        /// The address or the URI template.
        required "uri" => uri: String;
    }
}

/// What an argument belongs to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt.
    Prompt(PromptReference),
    /// A resource template.
    ResourceTemplate(ResourceTemplateReference),
    /// Another type, or malformed.
    Unknown(RawJson),
}

impl From<PromptReference> for CompletionReference {
    fn from(prompt: PromptReference) -> Self {
        Self::Prompt(prompt)
    }
}

impl From<ResourceTemplateReference> for CompletionReference {
    fn from(template: ResourceTemplateReference) -> Self {
        Self::ResourceTemplate(template)
    }
}

impl Serialize for CompletionReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Prompt(prompt) => prompt.serialize(serializer),
            Self::ResourceTemplate(template) => template.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let known = match probe::text(&raw, "type").as_deref() {
            Some("ref/prompt") => raw.parse().ok().map(Self::Prompt),
            Some("ref/resource") => raw.parse().ok().map(Self::ResourceTemplate),
            _ => None,
        };
        Ok(known.unwrap_or(Self::Unknown(raw)))
    }
}

open_struct! {
    /// The argument that is being typed.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CompletionArgument {
        /// Its name.
        required "name" => name: String;
        /// What has been typed so far.
        required "value" => value: ArgumentText;
    }
}

open_struct! {
    /// What is known besides the argument.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct CompletionContext {
        /// The arguments that have values already.
        optional "arguments" => arguments: OrderedMap<ArgumentText>;
    }
}

open_struct! {
    /// Parameters of `completion/complete`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CompleteParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// What the argument belongs to.
        required "ref" => reference: CompletionReference;
        /// The argument that is being typed.
        required "argument" => argument: CompletionArgument;
        /// What is known besides.
        optional "context" => context: CompletionContext;
    }
}

/// The schema's name for [`CompleteParams`].
pub type CompleteRequestParams = CompleteParams;

impl CompleteParams {
    /// Adds an argument that has a value already.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<ArgumentText>) -> Self {
        let context = self.context.get_or_insert_default();
        context.arguments.get_or_insert_default().insert(name, value.into());
        self
    }
}

open_struct! {
    /// Values that fit what has been typed.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Completion {
        /// The values, the best first; at most 100.
        required "values" => values: Vec<String>;
        /// How many there are, if that is known.
        hint "total" => total: u64;
        /// Whether there are more than these.
        hint "hasMore" => has_more: bool;
    }
}

open_struct! {
    /// The result of `completion/complete`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CompleteResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The values.
        required "completion" => completion: Completion;
    }
}
