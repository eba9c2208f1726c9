//! Messages and their parts.

use serde_json::{Value, json};

use super::*;

pub(super) fn messages() -> Vec<(&'static str, Value)> {
    let mut all = requests();
    all.extend(notifications());
    all.extend(responses());
    all
}

fn requests() -> Vec<(&'static str, Value)> {
    let call = request("tools/call", params(json!({"name": "tide", "arguments": {}})));
    let list = |method| request(method, params(json!({"cursor": "p2"})));
    vec![
        ("CallToolRequest", call.clone()),
        ("ClientCapabilities", client_capabilities()),
        ("ClientRequest", call.clone()),
        ("ClientRequest", request("com.example/ask", json!([1]))),
        ("CompleteRequest", request("completion/complete", complete_params())),
        ("DiscoverRequest", request("server/discover", params(json!({})))),
        ("GetPromptRequest", request("prompts/get", params(json!({"name": "sail"})))),
        ("JSONRPCMessage", call.clone()),
        ("JSONRPCRequest", call.clone()),
        ("ListPromptsRequest", list("prompts/list")),
        ("ListResourceTemplatesRequest", list("resources/templates/list")),
        ("ListResourcesRequest", list("resources/list")),
        ("ListToolsRequest", list("tools/list")),
        ("PaginatedRequest", list("tools/list")),
        ("PromptReference", json!({"type": "ref/prompt", "name": "sail", "title": "Sail"})),
        ("ReadResourceRequest", request("resources/read", params(json!({"uri": "tide://oslo"})))),
        ("Request", call),
        ("RequestId", json!("r-1")),
        ("RequestId", json!(-1)),
        ("ResourceTemplateReference", json!({"type": "ref/resource", "uri": "tide://{port}"})),
        ("ServerCapabilities", server_capabilities()),
        (
            "SubscriptionsListenRequest",
            request("subscriptions/listen", params(json!({"notifications": filter()}))),
        ),
    ]
}

fn notifications() -> Vec<(&'static str, Value)> {
    let cancelled = json!({"_meta": notification_meta(), "requestId": 4, "reason": "bored"});
    let progress =
        json!({"_meta": {}, "progressToken": "p-1", "progress": 50, "total": 99.5, "message": "half"});
    let log = json!({"_meta": {}, "level": "warning", "logger": "tides", "data": {"a": [null]}});
    let updated = json!({"_meta": notification_meta(), "uri": "tide://oslo"});
    let acknowledged = json!({"_meta": notification_meta(), "notifications": filter()});
    let changed = json!({"_meta": notification_meta()});
    vec![
        ("CancelledNotification", notification("notifications/cancelled", cancelled.clone())),
        ("CancelledNotificationParams", cancelled.clone()),
        ("ClientNotification", notification("notifications/cancelled", cancelled.clone())),
        ("JSONRPCNotification", json!({"jsonrpc": "2.0", "method": "com.example/tick"})),
        ("LoggingLevel", json!("alert")),
        ("LoggingMessageNotification", notification("notifications/message", log.clone())),
        ("LoggingMessageNotificationParams", log),
        ("Notification", notification("notifications/cancelled", cancelled)),
        ("NotificationParams", changed.clone()),
        ("ProgressNotification", notification("notifications/progress", progress.clone())),
        ("ProgressNotificationParams", progress.clone()),
        ("ProgressToken", json!(7)),
        (
            "PromptListChangedNotification",
            notification("notifications/prompts/list_changed", changed.clone()),
        ),
        (
            "ResourceListChangedNotification",
            notification("notifications/resources/list_changed", changed.clone()),
        ),
        ("ResourceUpdatedNotification", notification("notifications/resources/updated", updated.clone())),
        ("ResourceUpdatedNotificationParams", updated),
        ("ServerNotification", notification("notifications/progress", progress)),
        ("ServerNotification", notification("com.example/tick", json!({}))),
        (
            "SubscriptionsAcknowledgedNotification",
            notification("notifications/subscriptions/acknowledged", acknowledged.clone()),
        ),
        ("SubscriptionsAcknowledgedNotificationParams", acknowledged),
        ("ToolListChangedNotification", notification("notifications/tools/list_changed", changed)),
    ]
}

fn responses() -> Vec<(&'static str, Value)> {
    let prompts = result(json!({"messages": [prompt_message()]}));
    let missing = error(-32021, json!({"requiredCapabilities": {"sampling": {}}}));
    let unsupported = error(-32022, json!({"supported": ["2025-11-25"], "requested": "2026-07-28"}));
    vec![
        ("CallToolResultResponse", response(call_result())),
        ("CallToolResultResponse", response(input_required())),
        ("CompleteResultResponse", response(completion())),
        ("DiscoverResultResponse", response(discovered())),
        ("Error", error(-1, json!([1]))),
        ("GetPromptResultResponse", response(prompts)),
        ("HeaderMismatchError", error_response(error(-32020, json!(null)))),
        ("InternalError", error(-32603, json!("x"))),
        ("InvalidParamsError", error(-32602, json!({"uri": "tide://x"}))),
        ("InvalidRequestError", error(-32600, json!(false))),
        ("JSONRPCErrorResponse", error_response(error(1, json!({})))),
        ("JSONRPCResponse", response(json!({"a": 1}))),
        ("JSONRPCResultResponse", response(json!({"a": 1}))),
        ("ListPromptsResultResponse", response(page("prompts", json!([])))),
        ("ListResourceTemplatesResultResponse", response(page("resourceTemplates", json!([template()])))),
        ("ListResourcesResultResponse", response(page("resources", json!([resource()])))),
        ("ListToolsResultResponse", response(page("tools", json!([tool()])))),
        ("MethodNotFoundError", error(-32601, json!(1.5))),
        ("MissingRequiredClientCapabilityError", error_response(missing)),
        ("ParseError", error(-32700, json!({}))),
        ("ReadResourceResultResponse", response(result(json!({"contents": []})))),
        ("SubscriptionsListenResultResponse", response(listen_result())),
        ("UnsupportedProtocolVersionError", error_response(unsupported)),
    ]
}
