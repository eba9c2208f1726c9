//! Resources: what they say of themselves, and reading them.

mod rounds;

use mcp_client::{
    Answered, CallError, Client, Delivery, Outcome, OutcomeKind, ToolOutcome,
    types::{ContentBlock, RawJson, ResourceContents, Role, SubscriptionFilter, method::ReadResource},
};
use mcp_tests::{FaultServer, Reply, Step};
use serde_json::{Value, json};

use crate::{lists::desk::Desk, stage::Canned};

async fn read(client: &Client, uri: &str) -> Answered<ReadResource> {
    match client.read_resource(uri).send().await.unwrap() {
        Outcome::Complete(read) => read,
        Outcome::InputRequired(asked) => panic!("{asked:?}"),
    }
}

async fn contents(contents: &Value) -> (Desk, Answered<ReadResource>) {
    let desk = Desk::script([Canned::result(&json!({ "contents": contents }).to_string())]).await;
    let read = read(&desk.client(), "file:///d").await;
    (desk, read)
}

#[tokio::test]
async fn res_01_res_02_what_resources_and_templates_say_of_themselves() {
    let both = json!({
        "uri": "file:///a", "uriTemplate": "file:///{+path}{?q*}", "name": "a", "title": "A", "description": "d",
        "mimeType": "text/plain", "size": 3, "icons": [{ "src": "https://a.example/i.png" }],
        "annotations": { "audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z" },
        "_meta": { "com.example/k": 1 }, "x-own": 1.50,
    });
    let bare = json!({ "uri": "b", "uriTemplate": "b", "name": "b" });
    let result = json!({ "resources": [both, bare], "resourceTemplates": [both, bare] });
    let desk = Desk::script([Canned::result(&result.to_string())]).await;
    let resources = desk.client().list_resources().send().await.unwrap();
    let [resource, bare] = resources.items() else { panic!("{resources:?}") };
    assert_eq!((resource.uri.as_str(), resource.name.as_str()), ("file:///a", "a"));
    assert_eq!((resource.title.as_deref(), resource.description.as_deref()), (Some("A"), Some("d")));
    assert_eq!((resource.mime_type.as_deref(), resource.size), (Some("text/plain"), Some(3)));
    let annotations = resource.annotations.as_ref().unwrap();
    assert_eq!(
        (annotations.audience.as_deref(), annotations.priority()),
        (Some(&[Role::User][..]), Some(0.5))
    );
    assert_eq!(annotations.last_modified.as_deref(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(resource.icons.as_ref().unwrap().len(), 1);
    assert_eq!(resource.extra.get("x-own").unwrap().get(), "1.5");
    assert_eq!((bare.uri.as_str(), &bare.title, bare.size), ("b", &None, None));

    let templates = desk.client().list_resource_templates().send().await.unwrap();
    let [template, bare] = templates.items() else { panic!("{templates:?}") };
    assert_eq!((template.uri_template.as_str(), template.name.as_str()), ("file:///{+path}{?q*}", "a"));
    assert_eq!((template.mime_type.as_deref(), bare.uri_template.as_str()), (Some("text/plain"), "b"));
}

#[tokio::test]
async fn res_03_res_10_several_parts_with_other_addresses_and_a_bad_one_costs_the_others_nothing() {
    let (desk, read) = contents(&json!([
        { "uri": "file:///d/a", "text": "A\u{0}", "mimeType": "text/plain" },
        { "uri": "file:///d/b", "blob": "AAEC/w==" },
        { "uri": "file:///d/c", "blob": "not base64!" },
        { "uri": "file:///d/e", "blob": "AAEC_w" },
        { "uri": "file:///d/f", "text": "" },
        { "uri": "file:///d/g" },
        { "text": "no address" },
        42,
    ]))
    .await;
    let parts = read.contents.as_slice();
    assert!(
        matches!(&parts[0], ResourceContents::Text(text) if text.text == "A\0" && text.uri == "file:///d/a")
    );
    assert_eq!(parts[0].mime_type(), Some("text/plain"));
    let bytes = |part: &ResourceContents| match part {
        ResourceContents::Blob(blob) => blob.bytes().ok(),
        other => panic!("{other:?}"),
    };
    assert_eq!(bytes(&parts[1]), Some(vec![0, 1, 2, 255]));
    let bad = [bytes(&parts[2]), bytes(&parts[3])];
    assert_eq!(bad, [None, None], "no Base64 of the standard alphabet with padding");
    assert!(
        matches!(&parts[2], ResourceContents::Blob(blob) if blob.blob == "not base64!"),
        "kept as it came"
    );
    assert!(matches!(&parts[4], ResourceContents::Text(text) if text.text.is_empty()));
    let unknown = [r#"{"uri":"file:///d/g"}"#, r#"{"text":"no address"}"#, "42"];
    for (part, raw) in parts[5..].iter().zip(unknown) {
        assert!(matches!(part, ResourceContents::Unknown(kept) if kept.get() == raw), "{part:?}");
    }
    assert_eq!((parts.len(), parts[5].uri()), (8, Some("file:///d/g")));

    let [asked] = desk.asked().try_into().unwrap();
    assert_eq!(
        (asked.method.as_str(), Value::from(asked.params.clone())),
        ("resources/read", json!({ "uri": "file:///d" }))
    );
    assert_eq!(
        (asked.header("mcp-method"), asked.header("mcp-name")),
        (Some("resources/read"), Some("file:///d"))
    );
}

#[tokio::test]
async fn res_04_empty_contents_are_a_resource_that_is_empty() {
    let (_desk, read) = contents(&json!([])).await;
    assert_eq!((read.contents.len(), read.record().outcome), (0, OutcomeKind::ToolSuccess));
}

#[tokio::test]
async fn res_04_what_does_not_exist_is_told_apart_from_what_is_wrong() {
    for (code, data, is_not_found) in [
        (-32602, json!({ "uri": "file:///d" }), true),
        (-32002, json!({ "uri": "file:///d" }), true),
        (-32602, json!(null), false),
        (-32602, json!({ "uri": 7 }), false),
        (-32602, json!({ "uri": "file:///d", "field": "cursor" }), false),
        (-32603, json!({ "uri": "file:///d" }), false),
    ] {
        let error = json!({ "code": code, "message": "Gone fishing", "data": data });
        let body = format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"error":{error}}}"#);
        let desk = Desk::script([Canned::json(body)]).await;
        let error = desk.client().read_resource("file:///d").send().await.unwrap_err();
        assert_eq!((error.rpc_code(), error.rpc_message()), (Some(code), Some("Gone fishing")));
        assert_eq!(error.is_resource_not_found(), is_not_found, "{code} {data}");
        assert_eq!((error.delivery(), desk.count()), (Delivery::Answered, 1));
    }
}

#[tokio::test]
async fn a_result_without_contents_is_none() {
    for result in
        ["{}", r#"{"contents":null}"#, r#"{"contents":{"uri":"x","text":"y"}}"#, r#"{"contents":"x"}"#]
    {
        let desk = Desk::script([Canned::result(result)]).await;
        let error = desk.client().read_resource("x:y").send().await.unwrap_err();
        let CallError::Protocol(_) = &error else { panic!("{error:?}") };
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::InvalidToolResult, Delivery::Unknown));
    }
}

/// Addresses are text: no scheme is special, nothing is parsed, escaped or resolved.
#[tokio::test]
async fn res_06_addresses_go_back_to_the_byte() {
    let desk = Desk::script([Canned::result(r#"{"contents":[]}"#)]).await;
    let client = desk.client();
    let uris = [
        "file:///a/../b",
        "git://x/%7Efoo?q#f",
        "https://A.example:443/",
        "ui://w",
        "custom",
        "",
        " x ",
        "a b",
        "ü:😀",
        "x:\u{0}\n",
        "=?base64?eA==?=",
        "HTTP://x/%zz",
    ];
    for uri in uris {
        read(&client, uri).await;
    }
    let sent: Vec<Value> = desk.asked().iter().map(|asked| asked.params["uri"].clone()).collect();
    assert_eq!(sent, uris);
    let names: Vec<String> =
        desk.asked().iter().map(|asked| asked.header("mcp-name").unwrap_or_default().to_owned()).collect();
    assert_eq!((names[0].as_str(), names[8].as_str()), ("file:///a/../b", "=?base64?w7w68J+YgA==?="));
}

#[tokio::test]
async fn res_07_annotations_are_hints_and_odd_ones_cost_nothing() {
    let annotated = |annotations: Value| json!({ "uri": "u", "name": "n", "annotations": annotations });
    let result = json!({ "resources": [
        annotated(json!({ "audience": ["user", "robot"], "priority": 7, "lastModified": "yesterday" })),
        annotated(json!({ "audience": "user", "priority": "high", "lastModified": 7 })),
        annotated(json!("none")),
    ] });
    let desk = Desk::script([Canned::result(&result.to_string())]).await;
    let resources = desk.client().list_resources().send().await.unwrap();
    let [odd, odder, oddest] = resources.items() else { panic!("{resources:?}") };
    let annotations = odd.annotations.as_ref().unwrap();
    assert_eq!(annotations.audience.as_ref().unwrap().len(), 2, "who else it is for is kept");
    assert_eq!(
        (annotations.priority(), annotations.last_modified.as_deref()),
        (Some(1.0), Some("yesterday"))
    );
    let annotations = odder.annotations.as_ref().unwrap();
    assert_eq!(
        (&annotations.audience, annotations.priority(), &annotations.last_modified),
        (&None, None, &None)
    );
    assert_eq!(annotations.extra.get("priority").unwrap().get(), r#""high""#);
    assert_eq!((&oddest.annotations, oddest.extra.get("annotations").unwrap().get()), (&None, r#""none""#));
}

#[tokio::test]
async fn res_11_sizes_are_large_odd_or_absent_and_never_believed() {
    for (size, expected) in [
        ("0", Some(0)),
        ("4294967296", Some(4_294_967_296)),
        ("18446744073709551615", Some(u64::MAX)),
        ("-1", None),
        ("1e300", None),
        ("\"9\"", None),
        ("null", None),
    ] {
        let result = format!(r#"{{"resources":[{{"uri":"u","name":"n","size":{size}}}]}}"#);
        let desk = Desk::script([Canned::result(&result)]).await;
        let resources = desk.client().list_resources().send().await.unwrap();
        assert_eq!(resources.items()[0].size, expected, "{size}");
        let known = expected.is_some() || size == "null";
        assert_eq!(resources.items()[0].extra.get("size").map(RawJson::get), (!known).then_some(size));
    }
}

#[tokio::test]
async fn tool_16_a_linked_resource_is_read_only_when_it_is_asked_for_and_need_not_be_listed() {
    let desk = Desk::new(|asked| match asked.method.as_str() {
        "tools/call" => {
            Canned::result(r#"{"content":[{"type":"resource_link","uri":"res://r/1","name":"r1"}]}"#)
        }
        "resources/list" => Canned::result(r#"{"resources":[]}"#),
        _ => Canned::result(r#"{"contents":[{"uri":"res://r/1","text":"found"}]}"#),
    })
    .await;
    let client = desk.client();
    assert!(client.list_resources().all().await.unwrap().items().is_empty());
    let ToolOutcome::Success(output) = client.call_tool("x").send().await.unwrap() else {
        panic!("a success")
    };
    assert_eq!(desk.count(), 2, "nothing is fetched by itself");
    let [ContentBlock::ResourceLink(link)] = output.content() else { panic!("{:?}", output.content()) };
    let read = read(&client, &link.uri).await;
    assert!(matches!(&read.contents[..], [ResourceContents::Text(text)] if text.text == "found"));
    assert_eq!(desk.count(), 3);
}

#[tokio::test]
async fn res_08_updates_are_subscribed_to_by_listening() {
    let acknowledged = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["file:///d"]}}}"#;
    let stream = Reply::sse(&[acknowledged]).unfinished().then(Step::AwaitClientClose);
    let server = FaultServer::start([stream]).await.unwrap();
    let client = crate::support::client(&server.url());
    let filter = SubscriptionFilter::default().with_resource("file:///d");
    let mut changes = client.listen(filter).open().await.unwrap();
    assert_eq!(changes.acknowledged().resource_subscriptions, Some(vec!["file:///d".to_owned()]));
    changes.close();
    let [asked] = server.requests().try_into().unwrap();
    let sent = asked.json().unwrap();
    assert_eq!(sent["method"], "subscriptions/listen");
    assert_eq!(sent["params"]["notifications"], json!({ "resourceSubscriptions": ["file:///d"] }));
}
