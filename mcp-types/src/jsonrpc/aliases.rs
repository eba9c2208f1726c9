//! The schema's names of requests, notifications and responses.

use crate::method::{
    CallTool, Cancelled, Complete, Discover, GetPrompt, ListPrompts, ListResourceTemplates, ListResources,
    ListTools, LoggingMessage, Progress, PromptListChanged, ReadResource, ResourceListChanged,
    ResourceUpdated, SubscriptionsAcknowledged, SubscriptionsListen, ToolListChanged,
};
use crate::{
    CallToolResult, CompleteOrInput, CompleteResult, DiscoverResult, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, Notification, RawJson, RawMap,
    ReadResourceResult, Request, ResultResponse, SubscriptionsListenResult,
};

/// Any JSON value.
pub type JsonValue = RawJson;
/// Any JSON object.
pub type JsonObject = RawMap;
/// Any JSON array.
pub type JsonArray = Vec<RawJson>;

/// A `server/discover` request.
pub type DiscoverRequest = Request<Discover>;
/// A `tools/list` request.
pub type ListToolsRequest = Request<ListTools>;
/// A `tools/call` request.
pub type CallToolRequest = Request<CallTool>;
/// A `resources/list` request.
pub type ListResourcesRequest = Request<ListResources>;
/// A `resources/templates/list` request.
pub type ListResourceTemplatesRequest = Request<ListResourceTemplates>;
/// A `resources/read` request.
pub type ReadResourceRequest = Request<ReadResource>;
/// A `prompts/list` request.
pub type ListPromptsRequest = Request<ListPrompts>;
/// A `prompts/get` request.
pub type GetPromptRequest = Request<GetPrompt>;
/// A `completion/complete` request.
pub type CompleteRequest = Request<Complete>;
/// A `subscriptions/listen` request.
pub type SubscriptionsListenRequest = Request<SubscriptionsListen>;
/// A request for one page of a list.
pub type PaginatedRequest<M> = Request<M>;

/// The response to `server/discover`.
pub type DiscoverResultResponse = ResultResponse<DiscoverResult>;
/// The response to `tools/list`.
pub type ListToolsResultResponse = ResultResponse<ListToolsResult>;
/// The response to `tools/call`.
pub type CallToolResultResponse = ResultResponse<CompleteOrInput<CallToolResult>>;
/// The response to `resources/list`.
pub type ListResourcesResultResponse = ResultResponse<ListResourcesResult>;
/// The response to `resources/templates/list`.
pub type ListResourceTemplatesResultResponse = ResultResponse<ListResourceTemplatesResult>;
/// The response to `resources/read`.
pub type ReadResourceResultResponse = ResultResponse<CompleteOrInput<ReadResourceResult>>;
/// The response to `prompts/list`.
pub type ListPromptsResultResponse = ResultResponse<ListPromptsResult>;
/// The response to `prompts/get`.
pub type GetPromptResultResponse = ResultResponse<CompleteOrInput<GetPromptResult>>;
/// The response to `completion/complete`.
pub type CompleteResultResponse = ResultResponse<CompleteResult>;
/// The response to `subscriptions/listen`.
pub type SubscriptionsListenResultResponse = ResultResponse<SubscriptionsListenResult>;

/// Nobody waits for a request any more.
pub type CancelledNotification = Notification<Cancelled>;
/// How far a request is.
pub type ProgressNotification = Notification<Progress>;
/// A log message. Deprecated in 2026-07-28.
pub type LoggingMessageNotification = Notification<LoggingMessage>;
/// A resource changed.
pub type ResourceUpdatedNotification = Notification<ResourceUpdated>;
/// The list of resources changed.
pub type ResourceListChangedNotification = Notification<ResourceListChanged>;
/// The list of tools changed.
pub type ToolListChangedNotification = Notification<ToolListChanged>;
/// The list of prompts changed.
pub type PromptListChangedNotification = Notification<PromptListChanged>;
/// What a subscription will bring.
pub type SubscriptionsAcknowledgedNotification = Notification<SubscriptionsAcknowledged>;
/// What a client may send as a notification.
pub type ClientNotification = CancelledNotification;
