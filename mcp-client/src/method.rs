//! What the client does with the answers of each method.
//!
//! [`Answer`] is the one seam between the call, which is the same for all methods, and what a method's result looks
//! like. The types of the results are those of `mcp-types`; there is no union of them anywhere.

use std::sync::Arc;

use mcp_types::{
    AnyResult, CacheHint, CacheableResult as _, CallToolResult, CompleteResult, ContentBlock, DiscoverResult,
    GetPromptResult, Items, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Method, Prompt, ReadResourceResult, Resource, ResourceTemplate, ResultType,
    ServerCapabilities, SubscriptionsListenParams, Tool,
    method::{
        CallTool, Complete, Discover, GetPrompt, ListPrompts, ListResourceTemplates, ListResources,
        ListTools, ReadResource, SubscriptionsListen,
    },
};
use serde_json::value::RawValue;

use crate::{
    client::Client,
    decode::{self, Complete as CompleteResultOf, Expect, Members, Notes, Scan, Shape, Want},
    error::ProtocolFault,
    header_params::HeaderParamsFault,
    record::OutcomeKind,
    spans,
    tool_book::KnownTool,
    whose::Whose,
};

/// How the client asks, decodes and records. Public in name only: it seals the traits that build on it.
pub trait Answer: Method {
    /// The parameter that names what is asked for: a tool, a prompt, a URI.
    const TARGET: Option<&'static str> = None;
    /// Whether the answer may be a request for input.
    const MAY_ASK: bool = false;
    /// Whether its answer begins with an acknowledgement, after which the stream stays open.
    const OPENS: bool = false;

    /// The members without which a result is none, with the shape that each must have.
    const NEEDED: &'static [(&'static str, Shape)] = &[];

    fn decode(
        raw: &RawValue,
        members: &Members<'_>,
        result_type: Option<ResultType>,
        expect: Expect,
        notes: &mut Notes,
    ) -> Result<Self::Result, ProtocolFault>;

    /// Reads a complete result of the usual form in one pass: as [`decode`](Self::decode) would, or not at all.
    fn at_once(scan: &mut Scan<'_>, want: Option<&dyn Want>) -> Option<CompleteResultOf<Self::Result>>;

    /// Notes what is odd in a result.
    fn note(result: &Self::Result, notes: &mut Notes);

    fn outcome(_: &Self::Result) -> OutcomeKind {
        OutcomeKind::ToolSuccess
    }

    /// What the result says in words, for policies that read a tool's own error.
    fn message(_: &Self::Result) -> Option<&str> {
        None
    }

    /// Whether complete results may be kept.
    const CACHED: bool = false;

    /// How long a result may be kept, and for whom.
    fn cache_hint(_: &Self::Result) -> CacheHint {
        CacheHint::default()
    }

    /// Whether a server that says what it offers offers this.
    fn is_offered(capabilities: &ServerCapabilities) -> bool {
        let _ = capabilities;
        true
    }
}

impl Answer for CallTool {
    const TARGET: Option<&'static str> = Some("name");
    const MAY_ASK: bool = true;

    fn decode(
        _: &RawValue,
        members: &Members<'_>,
        result_type: Option<ResultType>,
        expect: Expect,
        notes: &mut Notes,
    ) -> Result<CallToolResult, ProtocolFault> {
        decode::call_tool(members, result_type, expect, notes)
    }

    fn at_once(scan: &mut Scan<'_>, want: Option<&dyn Want>) -> Option<CompleteResultOf<CallToolResult>> {
        decode::call_tool_at_once(scan, want)
    }

    fn note(result: &CallToolResult, notes: &mut Notes) {
        decode::note_content(&result.content, notes);
    }

    fn outcome(result: &CallToolResult) -> OutcomeKind {
        if result.is_error() { OutcomeKind::ToolError } else { OutcomeKind::ToolSuccess }
    }

    fn message(result: &CallToolResult) -> Option<&str> {
        result.content.iter().find_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
    }

    fn is_offered(capabilities: &ServerCapabilities) -> bool {
        capabilities.tools.is_some()
    }
}

macro_rules! can_be_kept {
    () => {
        const CACHED: bool = true;

        fn cache_hint(result: &Self::Result) -> CacheHint {
            result.cache_hint()
        }
    };
}

/// Methods whose results are read as the schema has them. The members named are those without which nothing could be
/// handed out, with the shape that each must have.
macro_rules! read_as_they_are {
    ($( $Marker:ty => $Result:ty, [$($name:literal: $shape:ident),*] { $($more:tt)* }; )*) => { $(
        impl Answer for $Marker {
            $($more)*

            const NEEDED: &'static [(&'static str, Shape)] = &[$(($name, Shape::$shape)),*];

            fn decode(
                raw: &RawValue,
                members: &Members<'_>,
                _: Option<ResultType>,
                _: Expect,
                notes: &mut Notes,
            ) -> Result<$Result, ProtocolFault> {
                let result: $Result = decode::as_it_is(raw, members, Self::NEEDED, notes)?;
                Self::note(&result, notes);
                Ok(result)
            }

            fn at_once(
                scan: &mut Scan<'_>,
                _: Option<&dyn Want>,
            ) -> Option<CompleteResultOf<$Result>> {
                decode::whole::<Self>(scan)
            }

            fn note(result: &$Result, notes: &mut Notes) {
                for hint in result.dropped_hints() {
                    notes.add(crate::record::Note::DroppedHint(hint.into()));
                }
            }
        }
    )* };
}

read_as_they_are! {
    Discover => DiscoverResult, ["supportedVersions": List, "capabilities": Object] {
        can_be_kept!();
    };
    ListTools => ListToolsResult, ["tools": List] {
        can_be_kept!();

        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.tools.is_some()
        }
    };
    ListResources => ListResourcesResult, ["resources": List] {
        can_be_kept!();

        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.resources.is_some()
        }
    };
    ListResourceTemplates => ListResourceTemplatesResult, ["resourceTemplates": List] {
        can_be_kept!();

        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.resources.is_some()
        }
    };
    ListPrompts => ListPromptsResult, ["prompts": List] {
        can_be_kept!();

        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.prompts.is_some()
        }
    };
    ReadResource => ReadResourceResult, ["contents": List] {
        can_be_kept!();

        const TARGET: Option<&'static str> = Some("uri");
        const MAY_ASK: bool = true;

        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.resources.is_some()
        }
    };
    GetPrompt => GetPromptResult, ["messages": List] {
        const TARGET: Option<&'static str> = Some("name");
        const MAY_ASK: bool = true;

        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.prompts.is_some()
        }
    };
    Complete => CompleteResult, ["completion": Object] {
        fn is_offered(capabilities: &ServerCapabilities) -> bool {
            capabilities.completions.is_some()
        }
    };
    Listen => AnyResult, [] {
        const OPENS: bool = true;
    };
}

/// `subscriptions/listen`, whose closing result needs to say nothing: servers leave its `_meta` out.
#[derive(Debug)]
pub(crate) struct Listen;

impl Method for Listen {
    const NAME: &'static str = SubscriptionsListen::NAME;
    type Params = SubscriptionsListenParams;
    type Result = AnyResult;
}

/// A method whose complete results may be kept: `server/discover`, the lists, and `resources/read`. Sealed: the protocol names
/// them ([caching]).
///
/// [caching]: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
pub trait CachedMethod: Answer {}

impl CachedMethod for Discover {}
impl CachedMethod for ListTools {}
impl CachedMethod for ListResources {}
impl CachedMethod for ListResourceTemplates {}
impl CachedMethod for ListPrompts {}
impl CachedMethod for ReadResource {}

/// A method that answers with one page of a list. Sealed: the protocol names them.
pub trait ListMethod: Answer + Sized {
    /// What the list is of.
    type Item: serde::de::DeserializeOwned + serde::Serialize + Clone + Send + Sync + 'static;

    #[doc(hidden)]
    fn items(result: &mut Self::Result) -> &mut Items<Self::Item>;

    #[doc(hidden)]
    fn next_cursor(result: &Self::Result) -> Option<&str>;

    /// Learns from an entry; one that breaks the rules is left out, for the reason that is given.
    #[doc(hidden)]
    fn learn(client: &Client, item: &Self::Item, whose: Whose, is_news: bool) -> Option<HeaderParamsFault> {
        let _ = (client, item, whose, is_news);
        None
    }
}

macro_rules! lists {
    ($( $Marker:ty: $Item:ty, $field:ident $(, $learn:item)?; )*) => { $(
        impl ListMethod for $Marker {
            type Item = $Item;

            fn items(result: &mut Self::Result) -> &mut Items<$Item> {
                &mut result.$field
            }

            fn next_cursor(result: &Self::Result) -> Option<&str> {
                result.next_cursor.as_deref()
            }

            $( $learn )?
        }
    )* };
}

lists! {
    ListTools: Tool, tools,
        fn learn(client: &Client, tool: &Tool, whose: Whose, is_news: bool) -> Option<HeaderParamsFault> {
            // An old list must not take the place of what was learnt since.
            let known = if is_news { client.tools().learn(tool, whose) } else { Arc::new(KnownTool::of(tool)) };
            // Elsewhere nobody reads the annotations.
            let fault = known.header_params.as_ref().err().filter(|_| client.transport().carries_headers())?;
            spans::excluded(&tool.name, fault);
            Some(fault.clone())
        };
    ListResources: Resource, resources;
    ListResourceTemplates: ResourceTemplate, resource_templates;
    ListPrompts: Prompt, prompts;
}
