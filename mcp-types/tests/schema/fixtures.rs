//! At least one value of each type of the schema, made up for these tests.

use serde_json::{Value, json};

mod messages;

fn request_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": implementation(),
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "io.modelcontextprotocol/logLevel": "notice",
        "progressToken": "p-1",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    })
}

fn result_meta() -> Value {
    json!({"io.modelcontextprotocol/serverInfo": implementation(), "com.example/cost": 0.25})
}

fn notification_meta() -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": 12})
}

fn implementation() -> Value {
    json!({
        "name": "almanac", "version": "3.1.4", "title": "Almanac", "description": "Tides and stars",
        "websiteUrl": "https://almanac.example", "icons": [icon()],
    })
}

fn icon() -> Value {
    json!({"src": "https://almanac.example/i.svg", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"})
}

fn annotations() -> Value {
    json!({"audience": ["assistant"], "priority": 0.5, "lastModified": "2026-01-02T03:04:05Z"})
}

fn text() -> Value {
    json!({"type": "text", "text": "High water at 04:12", "annotations": annotations(), "_meta": {"com.example/n": 1}})
}

fn image() -> Value {
    json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"})
}

fn audio() -> Value {
    json!({"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"})
}

fn text_contents() -> Value {
    json!({"uri": "tide://oslo", "mimeType": "text/plain", "text": "04:12", "_meta": {}})
}

fn blob_contents() -> Value {
    json!({"uri": "tide://oslo.png", "mimeType": "image/png", "blob": "iVBORw=="})
}

fn resource() -> Value {
    json!({
        "uri": "tide://oslo", "name": "oslo", "title": "Oslo", "description": "Tides of Oslo", "mimeType": "text/plain",
        "annotations": annotations(), "size": 4_294_967_296_u64, "icons": [icon()], "_meta": {"com.example/n": [1]},
    })
}

fn tagged(tag: &str, value: &str, mut object: Value) -> Value {
    object[tag] = json!(value);
    object
}

fn template() -> Value {
    json!({"uriTemplate": "tide://{port}", "name": "port", "title": "Port", "mimeType": "text/plain"})
}

fn tool() -> Value {
    json!({
        "name": "tide", "title": "Tide", "description": "Next high water",
        "inputSchema": {"type": "object", "properties": {"port": {"type": "string", "x-mcp-header": "Port"}}},
        "outputSchema": {"type": "array", "items": true},
        "annotations": {"title": "T", "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
        "icons": [icon()], "_meta": {"com.example/n": null},
    })
}

fn prompt_argument() -> Value {
    json!({"name": "port", "title": "Port", "description": "Where", "required": true})
}

fn prompt() -> Value {
    json!({"name": "sail", "title": "Sail", "description": "Plan a trip", "arguments": [prompt_argument()], "_meta": {}})
}

fn prompt_message() -> Value {
    json!({"role": "user", "content": text()})
}

fn client_capabilities() -> Value {
    json!({
        "experimental": {"sextant": {}}, "roots": {"listChanged": true}, "sampling": {"context": {}, "tools": {}},
        "elicitation": {"form": {}, "url": {}}, "extensions": {"com.example/charts": {"formats": ["s57"]}},
    })
}

fn server_capabilities() -> Value {
    json!({
        "experimental": {"sextant": {}}, "logging": {}, "completions": {}, "prompts": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": false}, "tools": {}, "extensions": {"com.example/charts": {}},
    })
}

fn titled_options() -> Value {
    json!([{"const": "n", "title": "North"}, {"const": "s", "title": "South"}])
}

fn form() -> Value {
    json!({"mode": "form", "message": "Which boat?", "requestedSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"name": {"type": "string"}, "length": {"type": "number"}, "sail": {"type": "boolean"},
            "course": {"type": "string", "enum": ["n", "s"]}},
        "required": ["name"],
    }})
}

fn url() -> Value {
    json!({"mode": "url", "message": "Log in", "url": "https://almanac.example/login?t=1"})
}

fn sampling() -> Value {
    json!({
        "messages": [sampling_message()], "modelPreferences": model_preferences(), "systemPrompt": "Be brief",
        "includeContext": "none", "temperature": 0.75, "maxTokens": 64, "stopSequences": ["."], "metadata": {"k": {}},
        "tools": [tool()], "toolChoice": {"mode": "required"},
    })
}

fn model_preferences() -> Value {
    json!({"hints": [{"name": "small"}], "costPriority": 1, "speedPriority": 0.5, "intelligencePriority": 0})
}

fn sampling_message() -> Value {
    json!({"role": "assistant", "content": [text(), tool_use(), tool_result()], "_meta": {}})
}

fn tool_use() -> Value {
    json!({"type": "tool_use", "id": "u1", "name": "tide", "input": {"port": "oslo"}, "_meta": {}})
}

fn tool_result() -> Value {
    json!({"type": "tool_result", "toolUseId": "u1", "content": [text()], "structuredContent": null, "isError": false})
}

fn created() -> Value {
    json!({"role": "assistant", "content": text(), "model": "small-1", "stopReason": "endTurn"})
}

fn elicited() -> Value {
    json!({"action": "accept", "content": {"name": "Ran", "length": 7.5, "sail": true, "tags": ["a"]}})
}

fn input_requests() -> Value {
    json!({
        "boat": {"method": "elicitation/create", "params": form()},
        "login": {"method": "elicitation/create", "params": url()},
        "plan": {"method": "sampling/createMessage", "params": sampling()},
        "": {"method": "roots/list", "id": 3},
        "later": {"method": "com.example/ask"},
    })
}

fn round() -> Value {
    json!({"boat": elicited(), "plan": created(), "": {"roots": []}})
}

fn result(members: Value) -> Value {
    let mut result = json!({"_meta": result_meta(), "resultType": "complete"});
    result.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    result
}

fn page(name: &str, items: Value) -> Value {
    let mut page = result(json!({"nextCursor": "p2", "ttlMs": 60_000, "cacheScope": "public"}));
    page[name] = items;
    page
}

fn params(members: Value) -> Value {
    let mut params = json!({"_meta": request_meta()});
    params.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    params
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "r-1", "method": method, "params": params})
}

fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn response(result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 4, "result": result})
}

fn error(code: i64, data: Value) -> Value {
    json!({"code": code, "message": "That went wrong", "data": data})
}

fn error_response(error: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 4, "error": error})
}

fn input_required() -> Value {
    json!({"resultType": "input_required", "inputRequests": input_requests(), "requestState": "s=1"})
}

fn call_result() -> Value {
    result(json!({
        "content": [text(), image(), audio(), tagged("type", "resource_link", resource()), embedded(), {"type": "chart"}],
        "structuredContent": {"time": "04:12"}, "isError": false,
    }))
}

fn embedded() -> Value {
    json!({"type": "resource", "resource": text_contents(), "annotations": annotations(), "_meta": {}})
}

fn filter() -> Value {
    json!({"toolsListChanged": true, "promptsListChanged": false, "resourceSubscriptions": ["tide://oslo"], "taskIds": []})
}

fn round_params(members: Value) -> Value {
    let mut params = params(members);
    params["inputResponses"] = round();
    params["requestState"] = json!("s=1");
    params
}

fn complete_params() -> Value {
    params(json!({
        "ref": {"type": "ref/prompt", "name": "sail", "title": "Sail"},
        "argument": {"name": "port", "value": "os"}, "context": {"arguments": {"country": "no"}},
    }))
}

fn completion() -> Value {
    result(json!({"completion": {"values": ["oslo"], "total": 12, "hasMore": true}}))
}

fn discovered() -> Value {
    result(json!({
        "supportedVersions": ["2026-07-28", "2025-11-25"], "capabilities": server_capabilities(),
        "instructions": "Ask for tides", "ttlMs": 0, "cacheScope": "private",
    }))
}

fn listen_result() -> Value {
    let mut result = result(json!({}));
    result["_meta"]["io.modelcontextprotocol/subscriptionId"] = json!("l-1");
    result
}

/// Pairs of a type's name and a value of it.
pub(crate) fn fixtures() -> Vec<(&'static str, Value)> {
    let mut all = content();
    all.extend(lists());
    all.extend(rounds());
    all.extend(forms());
    all.extend(messages::messages());
    all
}

fn content() -> Vec<(&'static str, Value)> {
    vec![
        ("Annotations", annotations()),
        ("AudioContent", audio()),
        ("BlobResourceContents", blob_contents()),
        ("ContentBlock", text()),
        ("ContentBlock", json!(["not", {"a": "block"}])),
        ("EmbeddedResource", embedded()),
        ("Icon", icon()),
        ("ImageContent", image()),
        ("Implementation", implementation()),
        ("JSONArray", json!([1, [2.5], null])),
        ("JSONObject", json!({"a": {"b": null}})),
        ("JSONValue", json!([{"a": 1}])),
        ("MetaObject", json!({"com.example/a": {"b": [1]}})),
        ("NotificationMetaObject", notification_meta()),
        ("RequestMetaObject", request_meta()),
        ("Resource", resource()),
        ("ResourceContents", text_contents()),
        ("ResourceContents", blob_contents()),
        ("ResourceLink", tagged("type", "resource_link", resource())),
        ("ResultMetaObject", result_meta()),
        ("Role", json!("user")),
        ("SubscriptionsListenResultMetaObject", json!({"io.modelcontextprotocol/subscriptionId": "l-1"})),
        ("TextContent", text()),
        ("TextResourceContents", text_contents()),
    ]
}

fn lists() -> Vec<(&'static str, Value)> {
    vec![
        ("Cursor", json!("")),
        ("ListPromptsResult", page("prompts", json!([prompt(), "odd"]))),
        ("ListResourceTemplatesResult", page("resourceTemplates", json!([template()]))),
        ("ListResourcesResult", page("resources", json!([resource(), {"uri": 5}]))),
        ("ListRootsResult", json!({"roots": [{"uri": "file:///harbour", "name": "Harbour", "_meta": {}}]})),
        ("ListToolsResult", page("tools", json!([tool(), 42]))),
        ("PaginatedRequestParams", params(json!({"cursor": "p2"}))),
        ("Prompt", prompt()),
        ("PromptArgument", prompt_argument()),
        ("PromptMessage", prompt_message()),
        ("ResourceTemplate", template()),
        ("Root", json!({"uri": "file:///harbour", "name": "Harbour"})),
        ("Tool", tool()),
        ("ToolAnnotations", tool()["annotations"].clone()),
    ]
}

fn rounds() -> Vec<(&'static str, Value)> {
    vec![
        ("CallToolRequestParams", round_params(json!({"name": "tide", "arguments": {"port": {"x": 1.5}}}))),
        ("CallToolResult", call_result()),
        ("CompleteRequestParams", complete_params()),
        ("CompleteResult", completion()),
        ("DiscoverResult", discovered()),
        ("EmptyResult", result(json!({"more": 1}))),
        ("GetPromptRequestParams", round_params(json!({"name": "sail", "arguments": {"port": "oslo"}}))),
        ("GetPromptResult", result(json!({"description": "A trip", "messages": [prompt_message()]}))),
        ("InputRequest", input_requests()["plan"].clone()),
        ("InputRequest", json!("odd")),
        ("InputRequests", input_requests()),
        ("InputRequiredResult", input_required()),
        ("InputResponse", elicited()),
        ("InputResponseRequestParams", round_params(json!({}))),
        ("InputResponses", round()),
        ("ReadResourceRequestParams", round_params(json!({"uri": "tide://oslo"}))),
        (
            "ReadResourceResult",
            result(json!({"contents": [text_contents(), blob_contents(), 7], "ttlMs": 5})),
        ),
        ("RequestParams", params(json!({}))),
        ("ResourceRequestParams", params(json!({"uri": "tide://oslo"}))),
        ("Result", result(json!({"resultType": "task", "taskId": "t"}))),
        ("ResultType", json!("complete")),
        ("ClientResult", result(json!({}))),
        ("ServerResult", call_result()),
        ("SubscriptionsListenRequestParams", params(json!({"notifications": filter()}))),
        ("SubscriptionsListenResult", listen_result()),
        ("SubscriptionFilter", filter()),
    ]
}

fn forms() -> Vec<(&'static str, Value)> {
    let titled_multi = json!({"type": "array", "title": "T", "minItems": 1, "items": {"anyOf": titled_options()}, "default": ["n"]});
    let plain_multi =
        json!({"type": "array", "maxItems": 2, "items": {"type": "string", "enum": ["n", "s"]}});
    let titled = json!({"type": "string", "description": "D", "oneOf": titled_options(), "default": "n"});
    let plain = json!({"type": "string", "enum": ["n", "s"], "default": "s"});
    let legacy = json!({"type": "string", "enum": ["n"], "enumNames": ["North"]});
    vec![
        ("BooleanSchema", json!({"type": "boolean", "title": "T", "default": true})),
        ("CreateMessageRequest", json!({"method": "sampling/createMessage", "params": sampling()})),
        ("CreateMessageRequestParams", sampling()),
        ("CreateMessageResult", created()),
        ("ElicitRequest", json!({"method": "elicitation/create", "params": form(), "id": 1})),
        ("ElicitRequestFormParams", form()),
        ("ElicitRequestParams", form()),
        ("ElicitRequestParams", url()),
        ("ElicitRequestURLParams", url()),
        ("ElicitResult", elicited()),
        ("EnumSchema", titled_multi.clone()),
        ("EnumSchema", legacy.clone()),
        ("LegacyTitledEnumSchema", legacy),
        ("ListRootsRequest", json!({"method": "roots/list", "params": {"_meta": {"k": 1}}})),
        ("ModelHint", json!({"name": "small", "family": "s"})),
        ("ModelPreferences", model_preferences()),
        ("MultiSelectEnumSchema", plain_multi.clone()),
        ("NumberSchema", json!({"type": "integer", "minimum": 0, "maximum": 1.5, "default": 1})),
        ("PrimitiveSchemaDefinition", titled.clone()),
        ("PrimitiveSchemaDefinition", json!({"type": "colour"})),
        ("SamplingMessage", sampling_message()),
        ("SamplingMessageContentBlock", tool_result()),
        ("SingleSelectEnumSchema", plain.clone()),
        (
            "StringSchema",
            json!({"type": "string", "minLength": 1, "maxLength": 9, "format": "date", "default": "x"}),
        ),
        ("TitledMultiSelectEnumSchema", titled_multi),
        ("TitledSingleSelectEnumSchema", titled),
        ("ToolChoice", json!({"mode": "auto"})),
        ("ToolResultContent", tool_result()),
        ("ToolUseContent", tool_use()),
        ("UntitledMultiSelectEnumSchema", plain_multi),
        ("UntitledSingleSelectEnumSchema", plain),
    ]
}
