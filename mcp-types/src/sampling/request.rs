//! What a server wants the client's language model to do. Deprecated in 2026-07-28.

use serde_json::Number;

use crate::open_enum::open_enum;
use crate::open_struct::{open_struct, raw_hints};
use crate::{RawMap, SamplingMessage, Tool};

open_enum! {
    /// Of which servers context is to be added. Deprecated in 2026-07-28, all but `none` in 2025-11-25.
    pub enum IncludeContext {
        /// Of none.
        None = "none",
        /// Of the server that asks.
        ThisServer = "thisServer",
        /// Of all servers.
        AllServers = "allServers",
    }
}

open_enum! {
    /// Whether the model is to use tools. Deprecated in 2026-07-28.
    pub enum ToolChoiceMode {
        /// It decides.
        Auto = "auto",
        /// It must use one at least.
        Required = "required",
        /// It must use none.
        None = "none",
    }
}

open_struct! {
    /// How the model is to use tools. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ToolChoice {
        /// Whether it is to use them; absent means that it decides.
        optional "mode" => mode: ToolChoiceMode;
    }
}

open_struct! {
    /// A hint at a model. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ModelHint {
        /// A part of a model's name.
        hint "name" => name: String;
    }
}

open_struct! {
    /// Which model would suit. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ModelPreferences {
        /// Models that would suit, the best first.
        hint "hints" => hints: Vec<ModelHint>;
        /// How much cost matters, from 0 to 1.
        hint "costPriority" => cost_priority: Number;
        /// How much speed matters, from 0 to 1.
        hint "speedPriority" => speed_priority: Number;
        /// How much ability matters, from 0 to 1.
        hint "intelligencePriority" => intelligence_priority: Number;
    }
}

raw_hints!(Vec<ModelHint>, ModelPreferences);

open_struct! {
    /// What the language model is to do. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CreateMessageRequestParams {
        /// The messages so far.
        required "messages" => messages: Vec<SamplingMessage>;
        /// Which model would suit.
        hint "modelPreferences" => model_preferences: ModelPreferences;
        /// What to tell the model beforehand.
        optional "systemPrompt" => system_prompt: String;
        /// Of which servers context is to be added; absent means of none.
        hint "includeContext" => include_context: IncludeContext;
        /// How varied the answer may be.
        hint "temperature" => temperature: Number;
        /// The greatest number of tokens to make.
        integer "maxTokens" => max_tokens: i64;
        /// Texts at which to stop.
        optional "stopSequences" => stop_sequences: Vec<String>;
        /// Settings for the provider of the model.
        hint "metadata" => metadata: RawMap;
        /// Tools for the model to use.
        optional "tools" => tools: Vec<Tool>;
        /// How it is to use them.
        optional "toolChoice" => tool_choice: ToolChoice;
    }
}

open_struct! {
    /// A server asks the client's language model. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CreateMessageRequest {
        @"method" = "sampling/createMessage";
        /// What it is to do.
        required "params" => params: CreateMessageRequestParams;
    }
}

impl CreateMessageRequest {
    /// The method.
    pub const METHOD: &'static str = "sampling/createMessage";
}
