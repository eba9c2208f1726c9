//! One page: what is sent, and what comes back.

use mcp_client::{
    CallError, Delivery, OutcomeKind,
    types::{CacheScope, Tool},
};
use serde_json::{Map, Value, json};

use super::{cursors, desk::Desk, invalid_cursor, names, page, tool};
use crate::stage::Canned;

/// Sends a list request by name, without and with a cursor, and gives the names or addresses of what came.
macro_rules! both_ways {
    ($client:expr, $list:ident, $of:expr) => {{
        let first = $client.$list().send().await.unwrap();
        assert_eq!(first.next_cursor(), Some("c 1"));
        let second = $client.$list().cursor(first.next_cursor().unwrap()).send().await.unwrap();
        assert_eq!(second.next_cursor(), None);
        for page in [&first, &second] {
            assert_eq!(
                (page.result().ttl_ms, page.result().cache_scope.clone()),
                (Some(0), Some(CacheScope::Public))
            );
            assert_eq!(
                page.result().extra.get("x-more").unwrap().get(),
                r#"{"n":1.50}"#,
                "unknown members are kept"
            );
            assert_eq!((page.record().post_count(), page.skipped().len()), (1, 0));
            assert!(page.freshness().is_fetched());
        }
        first.items().iter().chain(second.items()).map($of).collect::<Vec<String>>()
    }};
}

#[tokio::test]
async fn tool_01_res_01_res_02_pmt_01_pag_01_a_page_of_each_list_and_its_cursor() {
    let desk = Desk::new(|asked| {
        let second = asked.cursor().is_some();
        let at = if second { "b" } else { "a" };
        let items = match asked.method.as_str() {
            "tools/list" => format!(r#""tools":[{{"name":"{at}","inputSchema":{{"type":"object"}}}}]"#),
            "resources/list" => format!(r#""resources":[{{"uri":"x:{at}","name":"n"}}]"#),
            "resources/templates/list" => {
                format!(r#""resourceTemplates":[{{"uriTemplate":"x:{{{at}}}","name":"n"}}]"#)
            }
            _ => format!(r#""prompts":[{{"name":"{at}"}}]"#),
        };
        let next = if second { "" } else { r#","nextCursor":"c 1""# };
        Canned::result(&format!(
            r#"{{"resultType":"complete",{items},"ttlMs":0,"cacheScope":"public","x-more":{{"n":1.50}}{next}}}"#
        ))
    })
    .await;
    let client = desk.client();
    assert_eq!(both_ways!(client, list_tools, |tool| tool.name.clone()), ["a", "b"]);
    assert_eq!(both_ways!(client, list_resources, |resource| resource.uri.clone()), ["x:a", "x:b"]);
    assert_eq!(
        both_ways!(client, list_resource_templates, |template| template.uri_template.clone()),
        ["x:{a}", "x:{b}"]
    );
    assert_eq!(both_ways!(client, list_prompts, |prompt| prompt.name.clone()), ["a", "b"]);

    let asked = desk.asked();
    let methods = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    for (pair, method) in asked.chunks(2).zip(methods) {
        for asked in pair {
            assert_eq!(asked.method, method);
            assert_eq!(asked.header("mcp-method"), Some(method));
            assert_eq!(asked.header("mcp-name"), None, "a list names nothing");
            assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
            assert_eq!(asked.meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        }
        assert_eq!(pair[0].params, Map::new(), "nothing but `_meta`");
        assert_eq!(Value::from(pair[1].params.clone()), json!({ "cursor": "c 1" }));
    }
    assert_eq!(asked.len(), 8);
}

#[tokio::test]
async fn tool_01_an_empty_list_is_a_list() {
    let desk = Desk::script([Canned::result(r#"{"tools":[]}"#)]).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!((listing.items().len(), listing.pages(), listing.is_complete()), (0, 1, true));
}

#[tokio::test]
async fn pag_04_cursors_go_back_to_the_byte_whatever_they_are() {
    let long = "x".repeat(10_000);
    for cursor in
        ["", " ", "0", "null", "  a b  ", "=?base64?QQ==?=", "ü\u{0}\"\\\u{2028}😀", "{\"page\":2}", &long]
    {
        let next = cursor.to_owned();
        let desk = Desk::new(move |asked| match asked.number {
            0 => page(&["a"], Some(&next)),
            _ => page(&["b"], None),
        })
        .await;
        let client = desk.client();
        let first = client.list_tools().send().await.unwrap();
        assert_eq!(first.next_cursor(), Some(cursor));
        client.list_tools().cursor(cursor).send().await.unwrap();
        let listing = client.list_tools().cursor(cursor).all().await.unwrap();
        assert!(listing.is_complete(), "{cursor:?}");
        let expected = Some(cursor.to_owned());
        assert_eq!(cursors(&desk.asked()), [None, expected.clone(), expected]);
    }
}

/// A cursor of another type is no end of the list: taking it for one would hide the rest.
#[tokio::test]
async fn pag_02_null_is_no_cursor_and_another_type_is_no_result() {
    for next in ["7", "true", "{}", "[]"] {
        let result = format!(r#"{{"resultType":"complete","tools":[],"nextCursor":{next}}}"#);
        let desk = Desk::script([Canned::result(&result)]).await;
        let error = desk.client().list_tools().send().await.unwrap_err();
        assert_eq!(
            (error.outcome(), error.delivery()),
            (OutcomeKind::InvalidToolResult, Delivery::Unknown),
            "{next}"
        );
        assert_eq!(desk.count(), 1);
    }
    let desk = Desk::script([Canned::result(r#"{"tools":[],"nextCursor":null}"#)]).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!((desk.count(), listing.is_complete()), (1, true));
}

#[tokio::test]
async fn a_result_without_its_list_is_none_and_the_answer_is_kept() {
    for (result, path) in [
        ("{}", "result.tools"),
        (r#"{"tools":null}"#, "result.tools"),
        (r#"{"tools":{}}"#, "result.tools"),
        (r#"{"prompts":[]}"#, "result.tools"),
        ("[]", "result"),
        (r#"{"resultType":"input_required","requestState":"s"}"#, "result.resultType"),
        (r#"{"resultType":"odd","tools":[]}"#, "result.resultType"),
    ] {
        let desk = Desk::script([Canned::result(result)]).await;
        let error = desk.client().list_tools().send().await.unwrap_err();
        let CallError::Protocol(error) = error else { panic!("{result}: {error:?}") };
        assert!(error.to_string().contains(path), "{result}: {error}");
        let raw = String::from_utf8_lossy(error.raw());
        assert!(raw.contains(result), "{raw}");
    }
}

#[tokio::test]
async fn the_error_of_a_list_is_told_like_any_other() {
    let desk = Desk::script([invalid_cursor()]).await;
    let error = desk.client().list_tools().cursor("gone").send().await.unwrap_err();
    assert_eq!((error.rpc_code(), error.rpc_message()), (Some(-32602), Some("Invalid cursor")));
    let record = error.record().unwrap();
    assert_eq!((record.method, record.tool.as_deref(), record.post_count()), ("tools/list", None, 1));
    assert_eq!((record.outcome, record.error_code), (OutcomeKind::JsonrpcError, Some(-32602)));
}

#[tokio::test]
async fn a_list_can_come_as_an_event_stream() {
    let message =
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
    let desk = Desk::script([Canned::sse(&[note, message])]).await;
    let tools = desk.client().list_tools().send().await.unwrap();
    assert_eq!(names(tools.items()), ["a"]);
    assert_eq!(tools.record().sse.unwrap().notifications, 1);
}

#[tokio::test]
async fn tool_14_a_schema_is_kept_to_the_byte() {
    let schema = r##"{ "type":"object", "$schema":"https://json-schema.org/draft/2020-12/schema",
        "$defs":{"n":{"minimum":1.0}}, "properties":{"a":{"$ref":"#/$defs/n"},"b":true},
        "oneOf":[{"required":["a"]},{"required":["b"]}], "x-own":[1e2,12345678901234567890123] }"##;
    let result = format!(r#"{{"tools":[{{"name":"a","inputSchema":{schema},"outputSchema":{schema}}}]}}"#);
    let desk = Desk::script([Canned::result(&result)]).await;
    let tools = desk.client().list_tools().send().await.unwrap();
    let [tool] = tools.items() else { panic!("{tools:?}") };
    assert_eq!(tool.input_schema.get(), schema);
    assert_eq!(tool.output_schema.as_ref().unwrap().get(), schema);
    assert!(serde_json::to_string(tool).unwrap().contains(schema), "also when it is written again");
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_told_before_the_wire() {
    let desk = Desk::script([page(&["a"], None)]).await;
    let client = desk.client();
    let bad = || client.list_tools().header("Mcp-Method", "tools/call");
    let error = bad().send().await.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::InvalidCall, Delivery::NotSent));
    let error = bad().all().await.unwrap_err();
    assert_eq!(error.call_error().unwrap().outcome(), OutcomeKind::InvalidCall);
    let mut stream = bad().stream();
    assert!(stream.next().await.unwrap().is_err() && stream.next().await.is_none());
    let mut pages = bad().pages();
    assert!(pages.next().await.unwrap().is_err() && pages.next().await.is_none());
    assert_eq!((pages.end(), desk.count()), (None, 0));
}

/// Hints that cannot be read cost nothing but themselves.
#[tokio::test]
async fn tool_10_tool_09_odd_hints_are_left_out_and_kept_raw() {
    let mut odd = tool("a");
    for (member, value) in [
        ("title", json!(7)),
        ("annotations", json!({ "title": "From the annotations", "readOnlyHint": "yes" })),
        ("icons", json!("none")),
        ("_meta", json!([])),
        ("x-own", json!({ "kept": true })),
    ] {
        odd[member] = value;
    }
    let desk =
        Desk::script([Canned::result(&json!({ "tools": [odd], "_meta": 7, "ttlMs": "x" }).to_string())])
            .await;
    let tools = desk.client().list_tools().send().await.unwrap();
    let [tool] = tools.items() else { panic!("{tools:?}") };
    assert_eq!(tool.display_name(), "From the annotations");
    let annotations = tool.annotations.as_ref().unwrap();
    assert!(!annotations.is_read_only() && annotations.is_destructive() && !annotations.is_idempotent());
    assert_eq!(annotations.extra.get("readOnlyHint").unwrap().get(), r#""yes""#);
    assert_eq!((tool.title.as_ref(), tool.icons.as_ref(), tool.meta.as_ref()), (None, None, None));
    for (member, raw) in
        [("title", "7"), ("icons", r#""none""#), ("_meta", "[]"), ("x-own", r#"{"kept":true}"#)]
    {
        assert_eq!(tool.extra.get(member).unwrap().get(), raw, "{member}");
    }
    let notes: Vec<String> = tools.record().notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["missing-result-type", "dropped-hint:_meta", "dropped-hint:ttlMs"]);
    let again: Tool = serde_json::from_str(&serde_json::to_string(tool).unwrap()).unwrap();
    assert_eq!(again, *tool);
}

/// Names outside of what the protocol recommends are usable, and compared with regard to case.
#[tokio::test]
async fn tool_11_names_are_used_as_they_are() {
    let long = "n".repeat(300);
    let all = ["Get", "get", "", " ", "a/b c", "ü😀", &long];
    let tools: Vec<Value> = all.iter().map(|name| tool(name)).collect();
    let list = json!({ "tools": tools }).to_string();
    let desk = Desk::new(move |asked| match asked.method.as_str() {
        "tools/list" => Canned::result(&list),
        _ => Canned::result(crate::stage::OK),
    })
    .await;
    let client = desk.client();
    let listing = client.list_tools().all().await.unwrap();
    assert_eq!(names(listing.items()), all);
    for tool in listing.items() {
        client.call_tool(&tool.name).send().await.unwrap().into_success().unwrap();
    }
    let called: Vec<Value> = desk.asked()[1..].iter().map(|asked| asked.params["name"].clone()).collect();
    assert_eq!(called, all);
}
