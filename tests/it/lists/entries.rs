//! Entries that cannot be read: each is left out alone, and it is said which and why.

use mcp_client::{CallError, SkipReason, Skipped, error::ProtocolFault};
use serde_json::{Value, json};

use super::{desk::Desk, names, tool};
use crate::stage::Canned;

async fn serve(result: &Value) -> Desk {
    Desk::script([Canned::result(&result.to_string())]).await
}

#[tokio::test]
async fn tool_15_of_10_000_tools_with_a_bad_one_9_999_are_kept() {
    let mut tools: Vec<Value> = (0..10_000).map(|number| tool(&format!("t{number}"))).collect();
    tools[4_711] = json!({ "name": "bad", "inputSchema": { "type": "object" }, "outputSchema": 7, "n": 1.0 });
    tools[4_711]["name"] = json!(["no", "name"]);
    let desk = serve(&json!({ "tools": tools })).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!((listing.items().len(), listing.pages(), listing.is_complete()), (9_999, 1, true));
    assert_eq!(
        (listing.items()[4_710].name.as_str(), listing.items()[4_711].name.as_str()),
        ("t4710", "t4712")
    );
    let [skipped] = listing.skipped() else { panic!("{:?}", listing.skipped()) };
    assert_eq!((skipped.position(), skipped.name()), (4_711, None));
    assert_eq!(skipped.raw().to_value().unwrap(), tools[4_711], "kept as it came");
    assert!(matches!(skipped.reason(), SkipReason::Malformed(_)));
    let said = skipped.to_string();
    assert!(said.starts_with("entry 4711 of its page: it is malformed: "), "{said}");
    assert_eq!(desk.count(), 1);
}

#[tokio::test]
async fn each_list_leaves_out_what_it_cannot_read() {
    let bad = json!([42, null, "x", [], {}, { "name": 7 }, { "name": "n" }, { "name": "n", "uri": 7, "uriTemplate": 7 }]);
    let mut tools = bad.as_array().unwrap().clone();
    let (mut resources, mut templates) = (tools.clone(), tools.clone());
    let mut prompts = tools[..6].to_vec();
    tools.insert(3, tool("good"));
    resources.insert(3, json!({ "uri": "x:good", "name": "good" }));
    templates.insert(3, json!({ "uriTemplate": "x:{good}", "name": "good" }));
    prompts.insert(3, json!({ "name": "good" }));
    let result =
        json!({ "tools": tools, "resources": resources, "resourceTemplates": templates, "prompts": prompts });
    let client = serve(&result).await;
    let client = (client.client(), client);
    macro_rules! check {
        ($list:ident, $bad:expr) => {{
            let page = client.0.$list().send().await.unwrap();
            assert_eq!(page.items().iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["good"]);
            assert_eq!(page.skipped().len(), $bad);
            let positions: Vec<usize> = page.skipped().iter().map(Skipped::position).collect();
            assert_eq!(positions, (0..=$bad).filter(|position| *position != 3).collect::<Vec<usize>>());
            for skipped in page.skipped() {
                assert!(matches!(skipped.reason(), SkipReason::Malformed(why) if !why.is_empty()), "{skipped}");
            }
        }};
    }
    check!(list_tools, 8);
    check!(list_resources, 8);
    check!(list_resource_templates, 8);
    check!(list_prompts, 6);
}

/// What is shown of an entry holds its name, bounded and escaped, and none of its values.
#[tokio::test]
async fn what_is_said_of_an_entry_is_safe_to_log() {
    let name = format!("evil\n\u{1b}[31m{}", "x".repeat(1_000));
    let desk = serve(&json!({ "tools": [{ "name": name, "inputSchema": "hunter2" }, { "name": "n", "token": "hunter2" }] })).await;
    let page = desk.client().list_tools().send().await.unwrap();
    assert!(page.items().len() <= 1);
    for skipped in page.skipped() {
        let said = skipped.to_string();
        assert!(!said.contains("hunter2") && !said.contains('\n') && !said.contains('\u{1b}'), "{said}");
        assert!(said.len() < 700, "{}", said.len());
        assert!(!format!("{skipped:?}").contains("hunter2"));
    }
    assert_eq!(page.skipped().last().unwrap().name().as_deref(), Some("n"));
}

/// Legal JSON Schema of any shape costs no tool.
#[tokio::test]
async fn field_list_05_an_odd_but_legal_schema_drops_nothing() {
    let schemas = [
        json!({ "type": "object" }),
        json!({ "anyOf": [{ "type": "object" }, { "type": "object" }] }),
        json!({ "type": "object", "properties": { "x": true } }),
        json!({ "type": "object", "$defs": { "a": { "type": "string" } }, "properties": { "a": { "$ref": "#/$defs/a" } } }),
        json!({ "type": ["object"] }),
        json!({}),
    ];
    let tools: Vec<Value> = schemas
        .iter()
        .enumerate()
        .map(|(number, schema)| json!({ "name": format!("t{number}"), "inputSchema": schema }))
        .collect();
    let desk = serve(&json!({ "tools": tools })).await;
    let listing = desk.client().list_tools().all().await.unwrap();
    assert_eq!(names(listing.items()), ["t0", "t1", "t2", "t3", "t4", "t5"]);
    assert!(listing.skipped().is_empty(), "{:?}", listing.skipped());
    for (tool, schema) in listing.items().iter().zip(&schemas) {
        assert_eq!(tool.input_schema.to_value().unwrap(), *schema);
    }
}

/// Two bytes of an answer must not take a thousand of memory, without end.
#[tokio::test]
async fn floods_of_entries_are_refused() {
    const MAX: usize = 65_536;
    let flood = |count: usize| format!("[7{}]", ",7".repeat(count - 1));
    for (count, fits) in [(MAX, true), (MAX + 1, false), (MAX * 4, false)] {
        let list = flood(count);
        let desk = Desk::script([Canned::result(&format!(
            r#"{{"tools":{list},"contents":{list},"messages":{list},"prompts":{list}}}"#
        ))])
        .await;
        let client = desk.client();
        let prompts = client.list_prompts().send().await;
        let tools = client.list_tools().send().await;
        let refusals = if fits {
            assert_eq!(tools.unwrap().skipped().len(), MAX);
            assert_eq!(prompts.unwrap().skipped().len(), MAX);
            assert!(
                client.read_resource("x:y").send().await.is_ok(),
                "contents that cannot be read are kept raw"
            );
            Vec::new()
        } else {
            vec![
                ("result.tools", tools.unwrap_err()),
                ("result.prompts", prompts.unwrap_err()),
                ("result.contents", client.read_resource("x:y").send().await.unwrap_err()),
                ("result.messages", client.get_prompt("p").send().await.unwrap_err()),
            ]
        };
        for (expected, error) in refusals {
            let CallError::Protocol(error) = error else { panic!("{error:?}") };
            let ProtocolFault::InvalidResult { path, reason } = error.fault() else { panic!("{error:?}") };
            assert_eq!((path.as_ref(), reason.as_ref()), (expected, "it has too many entries"));
        }
    }
}
