//! Tools whose annotations break the rules: left out of lists, with the reason, and never called.

use mcp_client::{HeaderParamsFaultKind as Kind, SkipReason, error::InvalidKind, types::Tool};
use serde_json::{Value, json};

use super::{definition, page, params, tool};
use crate::{
    fault::{assert_good, good, in_time, serve},
    stage::{INVALID_CALL, assert_ending, failed},
};

/// Every way to be invalid, and where.
fn invalid() -> Vec<(&'static str, Value, Kind, &'static str)> {
    let marked = |kind: &str, header: Value| json!({ "p": { "type": kind, "x-mcp-header": header } });
    let schema = |schema: Value| json!({ "name": "", "inputSchema": schema });
    let of = |properties: &Value| definition("", properties);
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    vec![
        ("empty", of(&marked("string", json!(""))), Kind::Empty, "/properties/p"),
        ("null", of(&marked("string", Value::Null)), Kind::NotAString, "/properties/p"),
        ("number", of(&marked("string", json!(1))), Kind::NotAString, "/properties/p"),
        ("space", of(&marked("string", json!("A B"))), Kind::NotAToken, "/properties/p"),
        ("injection", of(&marked("string", json!("R\r\nX"))), Kind::NotAToken, "/properties/p"),
        ("colon", of(&marked("string", json!("A:B"))), Kind::NotAToken, "/properties/p"),
        ("umlaut", of(&marked("string", json!("Région"))), Kind::NotAToken, "/properties/p"),
        (
            "duplicate",
            of(&json!({ "a": region, "b": { "type": "string", "x-mcp-header": "region" } })),
            Kind::Duplicate,
            "/properties/b",
        ),
        ("of a number", of(&marked("number", json!("P"))), Kind::WrongType, "/properties/p"),
        ("of an object", of(&marked("object", json!("P"))), Kind::WrongType, "/properties/p"),
        ("of no type", of(&json!({ "p": { "x-mcp-header": "P" } })), Kind::WrongType, "/properties/p"),
        (
            "under items",
            of(&json!({ "p": { "type": "array", "items": region } })),
            Kind::Unreachable,
            "/properties/p/items",
        ),
        (
            "behind a reference",
            schema(json!({ "properties": { "p": { "$ref": "#/$defs/r" } }, "$defs": { "r": region } })),
            Kind::Unreachable,
            "/$defs/r",
        ),
        (
            "under anyOf",
            of(&json!({ "p": { "anyOf": [region] } })),
            Kind::Unreachable,
            "/properties/p/anyOf/0",
        ),
        (
            "under then",
            schema(json!({ "if": {}, "then": { "properties": { "p": region } } })),
            Kind::Unreachable,
            "/then/properties/p",
        ),
        ("at the root", schema(json!({ "type": "string", "x-mcp-header": "R" })), Kind::Unreachable, ""),
    ]
}

fn named(mut definition: Value, name: &str) -> Value {
    definition["name"] = json!(name);
    definition
}

fn good_tool(name: &str) -> Value {
    definition(name, &json!({ "region": { "type": "string", "x-mcp-header": "Region" } }))
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn xmh_03_to_xmh_07_xmh_09_field_hdr_03_only_the_invalid_tools_are_left_out() {
    let mut tools = vec![good_tool("first")];
    tools.extend(invalid().into_iter().map(|(name, definition, ..)| named(definition, name)));
    tools.push(definition("plain", &json!({ "a": { "type": "number" } })));
    tools.push(good_tool("last"));
    let (server, client) = serve([page(&tools, None), good()]).await;
    let listed = client.list_tools().send().await.unwrap();
    assert_eq!(names(listed.items()), ["first", "plain", "last"]);
    let skipped = listed.skipped();
    assert_eq!(skipped.len(), invalid().len());
    for ((name, definition, kind, path), skipped) in invalid().into_iter().zip(skipped) {
        assert_eq!(skipped.name().as_deref(), Some(name));
        let SkipReason::Header(fault) = skipped.reason() else { panic!("{skipped:?}") };
        assert_eq!((fault.kind(), fault.path()), (kind, path), "{name}");
        // The whole entry can still be looked at.
        let raw: Tool = skipped.raw().parse().unwrap();
        assert_eq!(raw, tool(&named(definition, name)));
    }
    // The rest is as good as ever.
    let arguments = json!({ "region": "eu" });
    for name in ["first", "last"] {
        assert_good(&name, &in_time(client.call_tool(name).arguments(&arguments).send()).await);
        assert_eq!(params(&super::last(&server)), super::pairs(&[("mcp-param-region", "eu")]));
    }
}

#[tokio::test]
async fn xmh_10_the_tool_and_the_reason_are_told_in_words() {
    let mut bad = definition("ba\u{1b}d", &json!({ "p": { "type": "number", "x-mcp-header": "P" } }));
    bad["description"] = json!("hunter2");
    let (_server, client) = serve([page(&[bad], None)]).await;
    let listed = client.list_tools().send().await.unwrap();
    assert_eq!(
        listed.skipped()[0].to_string(),
        r"`ba\u{1b}d`: the x-mcp-header at `/properties/p` is on a property that is not of type integer, string or boolean"
    );
}

#[tokio::test]
async fn xmh_11_an_invalid_tool_changes_neither_pages_nor_cache() {
    let bad = |name: &str| definition(name, &json!({ "p": { "type": "string", "x-mcp-header": "" } }));
    let kept = |tools: &[Value], next: Option<&str>| {
        let mut page =
            json!({ "resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "private" });
        if let Some(next) = next {
            page["nextCursor"] = json!(next);
        }
        super::result(&page)
    };
    let script = [
        kept(&[bad("a"), good_tool("b")], Some("2")),
        kept(&[bad("c")], Some("3")),
        kept(&[good_tool("d")], None),
    ];
    let (server, client) = serve(script).await;
    for posts in [3, 3] {
        let all = client.list_tools().all().await.unwrap();
        assert_eq!(names(all.items()), ["b", "d"]);
        assert!(all.is_complete());
        assert_eq!(all.pages(), 3, "a page without a usable tool is a page");
        let skipped: Vec<_> = all.skipped().iter().filter_map(mcp_client::Skipped::name).collect();
        assert_eq!(skipped, ["a", "c"], "from the cache, too");
        assert_eq!(server.requests().len(), posts, "the second time nothing is sent");
    }
    let mut stream = client.list_tools().stream();
    let mut streamed = Vec::new();
    while let Some(tool) = stream.next().await {
        streamed.push(tool.unwrap().name);
    }
    assert_eq!(streamed, ["b", "d"]);
}

#[tokio::test]
async fn decision_25_an_excluded_tool_is_not_called() {
    for (name, definition, ..) in invalid() {
        let excluded = named(definition, name);
        let (server, client) = serve([page(std::slice::from_ref(&excluded), None), good()]).await;
        client.list_tools().send().await.unwrap();
        let ended = client.call_tool(name).arguments(json!({ "p": 1 })).send().await;
        assert_ending(&ended, INVALID_CALL, &[], &name);
        let error = failed(ended);
        let mcp_client::CallError::Invalid(invalid) = &error else { panic!("{error:?}") };
        assert_eq!(invalid.kind(), InvalidKind::Tool);
        assert!(invalid.what().starts_with("the x-mcp-header at "), "{invalid}");
        assert_eq!(server.requests().len(), 1, "the list, and no call");
        // The definition that the caller brings is judged like one that was listed.
        let ended = client.call_tool(name).tool(&tool(&excluded)).send().await;
        assert_ending(&ended, INVALID_CALL, &[], &name);
        assert_eq!(server.requests().len(), 1);
        // Once it is mended, it can be called.
        client.learn_tools([&tool(&good_tool(name))]);
        assert_good(&name, &in_time(client.call_tool(name).send()).await);
    }
}

/// A list is never the same twice: only what it says now counts.
#[tokio::test]
async fn a_tool_that_becomes_invalid_is_no_longer_called_and_one_that_is_mended_is() {
    let bad = definition("x", &json!({ "p": { "type": "string", "x-mcp-header": "" } }));
    let script = [page(&[good_tool("x")], None), page(&[bad], None), page(&[good_tool("x")], None), good()];
    let (server, client) = serve(script).await;
    client.list_tools().send().await.unwrap();
    client.list_tools().send().await.unwrap();
    assert_ending(&client.call_tool("x").send().await, INVALID_CALL, &[], &"invalid now");
    client.list_tools().send().await.unwrap();
    assert_good(&"mended", &in_time(client.call_tool("x").send()).await);
    assert_eq!(server.requests().len(), 4);
}
