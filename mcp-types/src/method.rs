//! The methods of the protocol, as types: each knows its name, its parameters and its result.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    CallToolParams, CallToolResult, CancelledNotificationParams, CompleteParams, CompleteResult,
    DiscoverResult, GetPromptParams, GetPromptResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingMessageNotificationParams, NotificationParams,
    PaginatedParams, ProgressNotificationParams, ReadResourceParams, ReadResourceResult, RequestParams,
    ResourceUpdatedNotificationParams, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenParams, SubscriptionsListenResult,
};

/// What parameters and results can do; implemented for all types that can.
pub trait Payload: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static> Payload for T {}

/// A method of requests. Extensions implement it for methods of their own.
///
/// ```
/// use mcp_types::{Method, method};
///
/// assert_eq!(method::CallTool::NAME, "tools/call");
/// ```
pub trait Method: Send + Sync + 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The parameters.
    type Params: Payload;
    /// The result once the request is complete.
    type Result: Payload;
}

/// A method of notifications.
pub trait NotificationMethod: Send + Sync + 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The parameters; an `Option` if they may be absent.
    type Params: Payload;

    /// Whether `params` is left out when writing. Default: no.
    fn leaves_out(params: &Self::Params) -> bool {
        let _ = params;
        false
    }
}

macro_rules! methods {
    ($( $(#[$meta:meta])* $Marker:ident = $name:literal, $Params:ty => $Result:ty; )*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct $Marker;

        impl Method for $Marker {
            const NAME: &'static str = $name;
            type Params = $Params;
            type Result = $Result;
        }
    )* };
}

methods! {
    /// `server/discover`: which versions a server speaks and what it offers.
    Discover = "server/discover", RequestParams => DiscoverResult;
    /// `tools/list`: a page of the tools.
    ListTools = "tools/list", PaginatedParams => ListToolsResult;
    /// `tools/call`: calls a tool.
    CallTool = "tools/call", CallToolParams => CallToolResult;
    /// `resources/list`: a page of the resources.
    ListResources = "resources/list", PaginatedParams => ListResourcesResult;
    /// `resources/templates/list`: a page of the resource templates.
    ListResourceTemplates = "resources/templates/list", PaginatedParams => ListResourceTemplatesResult;
    /// `resources/read`: reads a resource.
    ReadResource = "resources/read", ReadResourceParams => ReadResourceResult;
    /// `prompts/list`: a page of the prompts.
    ListPrompts = "prompts/list", PaginatedParams => ListPromptsResult;
    /// `prompts/get`: gets a prompt.
    GetPrompt = "prompts/get", GetPromptParams => GetPromptResult;
    /// `completion/complete`: completes an argument.
    Complete = "completion/complete", CompleteParams => CompleteResult;
    /// `subscriptions/listen`: brings notifications until it ends.
    SubscriptionsListen = "subscriptions/listen", SubscriptionsListenParams => SubscriptionsListenResult;
}

macro_rules! notifications {
    ($( $(#[$meta:meta])* $Marker:ident = $name:literal, $Params:ty $(, $leaves_out:expr)?; )*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct $Marker;

        impl NotificationMethod for $Marker {
            const NAME: &'static str = $name;
            type Params = $Params;

            $( fn leaves_out(params: &Self::Params) -> bool {
                let leaves_out: fn(&Self::Params) -> bool = $leaves_out;
                leaves_out(params)
            } )?
        }
    )* };
}

notifications! {
    /// `notifications/cancelled`: nobody waits for a request any more.
    Cancelled = "notifications/cancelled", CancelledNotificationParams;
    /// `notifications/progress`: how far a request is.
    Progress = "notifications/progress", ProgressNotificationParams;
    /// `notifications/message`: a log message. Deprecated in 2026-07-28.
    LoggingMessage = "notifications/message", LoggingMessageNotificationParams;
    /// `notifications/resources/updated`: a resource changed.
    ResourceUpdated = "notifications/resources/updated", ResourceUpdatedNotificationParams;
    /// `notifications/resources/list_changed`: the list of resources changed.
    ResourceListChanged = "notifications/resources/list_changed", Option<NotificationParams>, Option::is_none;
    /// `notifications/tools/list_changed`: the list of tools changed.
    ToolListChanged = "notifications/tools/list_changed", Option<NotificationParams>, Option::is_none;
    /// `notifications/prompts/list_changed`: the list of prompts changed.
    PromptListChanged = "notifications/prompts/list_changed", Option<NotificationParams>, Option::is_none;
    /// `notifications/subscriptions/acknowledged`: what a subscription will bring.
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged", SubscriptionsAcknowledgedNotificationParams;
}
