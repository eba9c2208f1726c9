use serde_json::{Value, json};

use super::*;
use crate::PaginatedResult as _;

fn result(value: &Value) -> Result<CallToolResult, serde_json::Error> {
    serde_json::from_str(&value.to_string())
}

#[test]
fn a_tool_keeps_its_schemas_to_the_byte() {
    let schema = r#"{ "type":"object","x-mcp-header":{"region":"Region"},"properties":{"z":{},"a":{"maximum":1.50}} }"#;
    let text = format!(
        r#"{{"name":"t","inputSchema":{schema},"outputSchema":{{"$ref":"\u0023/x"}},"later":[null]}}"#
    );
    let tool: Tool = serde_json::from_str(&text).unwrap();
    assert_eq!(tool.input_schema.get(), schema);
    assert_eq!(serde_json::to_string(&tool).unwrap(), text);
    assert!(!format!("{tool:?}").contains("Region"));
}

#[test]
fn hints_of_the_wrong_type_are_kept_aside() {
    let value = json!({
        "name": "t", "inputSchema": {"type": "object"},
        "title": 5, "description": {"en": ["x", {"deep": null}]}, "annotations": "safe",
        "icons": [{"src": 1}], "_meta": false, "unknown": 1,
    });
    let tool: Tool = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(
        (&tool.title, &tool.description, &tool.annotations, &tool.icons, &tool.meta),
        (&None, &None, &None, &None, &None)
    );
    assert_eq!(
        tool.dropped_hints().collect::<Vec<_>>(),
        ["title", "description", "annotations", "icons", "_meta"]
    );
    assert_eq!(serde_json::to_value(&tool).unwrap(), value);
    assert_eq!(tool.extra.get("title").unwrap().get(), "5");

    let set = tool.with_title("now");
    assert_eq!(set.dropped_hints().count(), 4);
    let text = serde_json::to_string(&set).unwrap();
    assert_eq!(text.matches("\"title\"").count(), 1, "{text}");
}

#[test]
fn hints_survive_hostile_values() {
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    for title in
        [deep.as_str(), r#"{"a":{"b":{}},"a":1}"#, "1e5", "-0", "18446744073709551616", "[1e999]", "true"]
    {
        let text = format!(r#"{{"name":"t","inputSchema":{{}},"title":{title}}}"#);
        let tool: Tool = serde_json::from_str(&text).unwrap();
        assert_eq!(
            tool.dropped_hints().collect::<Vec<_>>(),
            ["title"],
            "{}",
            title.get(..20).unwrap_or(title)
        );
        assert_eq!(tool.display_name(), "t");
    }
    for annotations in [deep.as_str(), "1e999"] {
        let text = format!(r#"{{"name":"t","inputSchema":{{}},"annotations":{annotations}}}"#);
        assert!(serde_json::from_str::<Tool>(&text).unwrap().annotations.is_none());
    }
}

#[test]
fn of_members_given_twice_the_last_counts() {
    let read = |text: &str| serde_json::from_str::<Tool>(text).unwrap();
    let tool = read(r#"{"name":"a","inputSchema":{},"title":1,"name":"b","title":"x","u":1,"u":2}"#);
    assert_eq!((tool.name.as_str(), tool.title.as_deref()), ("b", Some("x")));
    assert_eq!(serde_json::to_string(&tool).unwrap(), r#"{"name":"b","title":"x","inputSchema":{},"u":2}"#);
    let tool = read(r#"{"name":"a","inputSchema":{},"title":"x","title":1}"#);
    assert_eq!(serde_json::to_string(&tool).unwrap(), r#"{"name":"a","inputSchema":{},"title":1}"#);
    let tool = read(r#"{"name":"a","inputSchema":{},"title":1,"title":null}"#);
    assert!(tool.extra.is_empty());
}

#[test]
fn member_names_may_be_escaped() {
    let tool: Tool = serde_json::from_str(r#"{"n\u0061me":"a","inputSchem\u0061":{},"x\n":1}"#).unwrap();
    assert_eq!(tool.name, "a");
    assert_eq!(tool.extra.keys().collect::<Vec<_>>(), ["x\n"]);
}

#[test]
fn errors_name_the_member() {
    for (text, name) in [
        (r#"{"inputSchema":{}}"#, "`name`"),
        (r#"{"name":"x"}"#, "`inputSchema`"),
        (r#"{"name":[],"inputSchema":{}}"#, "`name`"),
    ] {
        let error = serde_json::from_str::<Tool>(text).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let error = result(&json!({"content": [], "isError": "yes"})).unwrap_err();
    assert!(error.to_string().starts_with("`isError`: invalid type") && error.column() > 0, "{error}");
}

#[test]
fn annotations_have_the_defaults_of_the_protocol() {
    let annotations = ToolAnnotations::default();
    assert_eq!(
        (
            annotations.is_read_only(),
            annotations.is_destructive(),
            annotations.is_idempotent(),
            annotations.is_open_world()
        ),
        (false, true, false, true)
    );
    let text = r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#;
    let annotations: ToolAnnotations = serde_json::from_str(text).unwrap();
    assert_eq!(
        (
            annotations.is_read_only(),
            annotations.is_destructive(),
            annotations.is_idempotent(),
            annotations.is_open_world()
        ),
        (true, false, true, false)
    );
    let odd: ToolAnnotations =
        serde_json::from_str(r#"{"readOnlyHint":"true","destructiveHint":0}"#).unwrap();
    assert!(!odd.is_read_only() && odd.is_destructive());
    assert_eq!(serde_json::to_string(&odd).unwrap(), r#"{"readOnlyHint":"true","destructiveHint":0}"#);
}

#[test]
fn the_name_to_show() {
    let mut tool = Tool::new("name", RawJson::empty_object());
    assert_eq!(tool.display_name(), "name");
    tool.annotations = Some(serde_json::from_str(r#"{"title":"annotated"}"#).unwrap());
    assert_eq!(tool.display_name(), "annotated");
    tool.title = Some("title".to_owned());
    assert_eq!(tool.display_name(), "title");
}

#[test]
fn one_malformed_tool_does_not_cost_the_list() {
    let value = json!({
        "resultType": "complete", "nextCursor": "", "ttlMs": -5, "cacheScope": "galaxy",
        "tools": [{"name": "a", "inputSchema": {}}, {"name": "b"}, 42, {"name": "c", "inputSchema": {}}],
    });
    let page: ListToolsResult = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(page.items().iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(page.tools.malformed().count(), 2);
    assert_eq!(page.next_cursor(), Some(""));
    assert_eq!(serde_json::to_value(&page).unwrap(), value);
    assert_eq!(page.into_items().into_vec().len(), 2);
}

#[test]
fn a_result_tells_null_from_absent() {
    let absent = result(&json!({"content": []})).unwrap();
    assert_eq!(
        (absent.structured_content.as_ref(), absent.is_error(), absent.result_type.as_ref()),
        (None, false, None)
    );
    let null = result(&json!({"content": [], "structuredContent": null, "isError": null})).unwrap();
    assert!(null.structured_content.as_ref().unwrap().is_null());
    assert!(!null.is_error());
    assert_eq!(serde_json::to_string(&null).unwrap(), r#"{"content":[],"structuredContent":null}"#);
}

#[test]
fn a_result_is_strict_where_its_meaning_depends_on_it() {
    for value in
        [json!({}), json!({"content": {}}), json!({"content": null}), json!({"content": [], "isError": 1})]
    {
        assert!(result(&value).is_err());
    }
    assert!(result(&json!({"content": [], "_meta": 5})).unwrap().meta.is_none());
}

#[test]
fn structured_content_keeps_its_digits() {
    let text = r#"{"content":[],"structuredContent":{"n": 12345678901234567890.10, "a":[1e400]}}"#;
    let read: CallToolResult = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

#[test]
fn arguments_stay_out_of_debug() {
    let meta: RequestMeta = serde_json::from_value(json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    }))
    .unwrap();
    let params = CallToolParams::new(meta, "login")
        .with_arguments(json!({"password": "hunter2"}))
        .with_request_state("hunter2");
    let shown = format!("{params:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("RequestState(7 bytes)"), "{shown}");
    let text = serde_json::to_string(&params).unwrap();
    assert_eq!(serde_json::from_str::<CallToolParams>(&text).unwrap(), params);
}

#[test]
fn results_can_be_built() {
    let failed = CallToolResult::error("no").with_structured_content(json!(null));
    assert!(failed.is_error());
    assert_eq!(
        serde_json::to_value(&failed).unwrap(),
        json!({
            "resultType": "complete", "content": [{"type": "text", "text": "no"}], "structuredContent": null, "isError": true,
        })
    );
}
