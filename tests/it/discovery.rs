//! Discovery: what a server speaks and offers, and what follows from it.

use mcp_client::{
    CallError, Client, Delivery, OutcomeKind,
    cache::CacheOptions,
    error::InvalidKind,
    types::{PromptReference, ProtocolVersion, SubscriptionFilter},
};
use serde_json::{Map, json};

use crate::{
    lists::desk::Desk,
    stage::{Canned, OK},
};

const SPOKEN: &str = r#""supportedVersions":["2026-07-28"]"#;

/// A server that says this of itself, and answers everything else well.
async fn says(discovered: &str) -> Desk {
    let discovered = discovered.to_owned();
    Desk::new(move |asked| match asked.method.as_str() {
        "server/discover" => Canned::result(&discovered),
        "completion/complete" => Canned::result(r#"{"completion":{"values":[]}}"#),
        "tools/call" => Canned::result(OK),
        _ => Canned::result(
            r#"{"tools":[],"resources":[],"resourceTemplates":[],"prompts":[],"contents":[],"messages":[]}"#,
        ),
    })
    .await
}

#[tokio::test]
async fn dsc_02_what_is_sent_and_what_comes_back() {
    let desk = says(
        r#"{"resultType":"complete","supportedVersions":["2025-11-25","2026-07-28"],
            "capabilities":{"tools":{"listChanged":true},"x":{"n":1.0}},"instructions":"Be nice.","ttlMs":0,
            "cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"more":[1]}"#,
    )
    .await;
    let client = desk.client();
    assert_eq!(client.capabilities(), None, "nothing is known before it is asked");
    let server = client.discover().send().await.unwrap();
    assert_eq!(server.supported_versions.len(), 2);
    assert_eq!(server.capabilities.tools.as_ref().unwrap().list_changed, Some(true));
    assert!(server.capabilities.prompts.is_none());
    assert_eq!(server.server_info().unwrap().name, "s");
    assert_eq!(server.extra.get("more").unwrap().get(), "[1]", "unknown members are kept");
    assert_eq!(client.capabilities().as_ref(), Some(&server.capabilities));
    assert_eq!((server.record().method, server.record().post_count()), ("server/discover", 1));

    let [asked] = desk.asked().try_into().unwrap();
    assert_eq!(
        (asked.method.as_str(), &asked.params),
        ("server/discover", &Map::new()),
        "nothing but `_meta`"
    );
    assert_eq!(asked.meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!((asked.header("mcp-method"), asked.header("mcp-name")), (Some("server/discover"), None));
}

#[tokio::test]
async fn dsc_01_it_is_never_needed() {
    let desk = says("{}").await;
    desk.client().call_tool("x").send().await.unwrap().into_success().unwrap();
    desk.client().list_resources().send().await.unwrap();
    let methods: Vec<String> = desk.asked().into_iter().map(|asked| asked.method).collect();
    assert_eq!(methods, ["tools/call", "resources/list"]);
}

#[tokio::test]
async fn dsc_03_a_version_is_chosen_whatever_else_stands_in_the_list() {
    for (versions, common) in [
        (json!(["2026-07-28"]), true),
        (json!(["2024-11-05", "3000-01-01", "draft", "", "2026-07-28", "2025-11-25"]), true),
        (json!(["2025-11-25", "2024-11-05"]), false),
        (json!(["2026-07-28 ", "2026-07-2"]), false),
        (json!([]), false),
    ] {
        let desk = says(&json!({ "supportedVersions": versions, "capabilities": {} }).to_string()).await;
        let server = desk.client().discover().send().await.unwrap();
        let kept: Vec<&str> = server.supported_versions.iter().map(ProtocolVersion::as_str).collect();
        assert_eq!(json!(kept), versions, "all of them are told, in their order");
        assert_eq!(server.common_version(), common.then_some(ProtocolVersion::V2026_07_28), "{versions}");
    }
}

#[tokio::test]
async fn dsc_04_without_a_common_version_requests_end_in_the_refusal_with_both_sides() {
    let refusal = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"Unsupported","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}}}"#;
    let desk = Desk::new(move |asked| match asked.method.as_str() {
        "server/discover" => {
            Canned::result(r#"{"supportedVersions":["2025-11-25"],"capabilities":{"tools":{}}}"#)
        }
        _ => Canned::new(400, "application/json", refusal),
    })
    .await;
    let client = desk.client();
    assert_eq!(client.discover().send().await.unwrap().common_version(), None);
    let error = client.list_tools().send().await.unwrap_err();
    assert_eq!((error.rpc_code(), error.delivery()), (Some(-32022), Delivery::Refused));
    let supported = error.supported_versions().unwrap();
    assert_eq!(supported.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>(), ["2025-11-25"]);
    assert_eq!(desk.count(), 2, "no version is made up, and nothing is sent again");
}

#[tokio::test]
async fn dsc_05_instructions_are_handed_out_as_they_are() {
    for (instructions, expected) in [
        (r#""\n Use **a** first. \u0000""#, Some("\n Use **a** first. \0")),
        (r#""""#, Some("")),
        ("null", None),
        (r#"["no text"]"#, None),
    ] {
        let desk = says(&format!(r#"{{{SPOKEN},"capabilities":{{}},"instructions":{instructions}}}"#)).await;
        let server = desk.client().discover().send().await.unwrap();
        assert_eq!(server.instructions.as_deref(), expected);
        let odd = instructions.starts_with('[');
        let kept = server.extra.get("instructions").map(|raw| raw.get().to_owned());
        assert_eq!(kept, odd.then(|| instructions.to_owned()), "what cannot be read is kept raw");
    }
}

#[tokio::test]
async fn a_result_without_what_it_is_about_is_none() {
    for result in [
        "{}",
        r#"{"supportedVersions":["2026-07-28"]}"#,
        r#"{"capabilities":{}}"#,
        r#"{"supportedVersions":"2026-07-28","capabilities":{}}"#,
        r#"{"supportedVersions":[7],"capabilities":{}}"#,
        r#"{"supportedVersions":["2026-07-28"],"capabilities":[]}"#,
        r#"{"supportedVersions":["2026-07-28"],"capabilities":null}"#,
    ] {
        let desk = says(result).await;
        let client = desk.client();
        let error = client.discover().send().await.unwrap_err();
        assert_eq!(error.outcome(), OutcomeKind::InvalidToolResult, "{result}");
        assert_eq!(client.capabilities(), None, "nothing is learnt from it");
        assert!(client.list_tools().send().await.is_ok(), "and nothing is refused for it");
    }
}

/// Makes one request of each kind; says which were refused here.
async fn refused(client: &Client) -> Vec<&'static str> {
    let filter = SubscriptionFilter::default().with_tools();
    let outcomes = [
        ("tools/call", client.call_tool("x").send().await.err()),
        ("tools/list", client.list_tools().send().await.err()),
        ("resources/list", client.list_resources().send().await.err()),
        ("resources/templates/list", client.list_resource_templates().send().await.err()),
        ("resources/read", client.read_resource("x:y").send().await.err()),
        ("prompts/list", client.list_prompts().send().await.err()),
        ("prompts/get", client.get_prompt("x").send().await.err()),
        ("completion/complete", client.complete(PromptReference::new("x"), "a", "b").send().await.err()),
        ("server/discover", client.discover().no_cache().send().await.err()),
        ("subscriptions/listen", client.listen(filter).open().await.err()),
    ];
    let mut refused = Vec::new();
    for (method, error) in outcomes {
        let Some(error) = error else { continue };
        let CallError::Invalid(invalid) = &error else { panic!("{method}: {error:?}") };
        assert_eq!(
            (invalid.kind(), error.delivery()),
            (InvalidKind::NotOffered, Delivery::NotSent),
            "{method}"
        );
        let record = error.record().unwrap();
        assert_eq!(
            (record.outcome, record.method, record.post_count()),
            (OutcomeKind::InvalidCall, method, 0)
        );
        refused.push(method);
    }
    refused
}

#[tokio::test]
async fn what_a_server_says_it_does_not_offer_is_refused_before_the_wire() {
    const RESOURCES: [&str; 3] = ["resources/list", "resources/templates/list", "resources/read"];
    for (capabilities, expected) in [
        (r#"{"tools":{},"resources":{},"prompts":{},"completions":{}}"#, vec![]),
        (
            r#"{"tools":{}}"#,
            [&RESOURCES[..], &["prompts/list", "prompts/get", "completion/complete"]].concat(),
        ),
        (r#"{"resources":{},"prompts":{}}"#, vec!["tools/call", "tools/list", "completion/complete"]),
        (
            "{}",
            [
                &["tools/call", "tools/list"],
                &RESOURCES[..],
                &["prompts/list", "prompts/get", "completion/complete"],
            ]
            .concat(),
        ),
    ] {
        let desk = says(&format!(r#"{{{SPOKEN},"capabilities":{capabilities}}}"#)).await;
        let client = desk.client();
        client.discover().send().await.unwrap();
        assert_eq!(refused(&client).await, expected, "{capabilities}");
        assert_eq!(desk.count(), 1 + 10 - expected.len(), "what is refused is not sent");

        // Who was not asked has said nothing.
        assert!(refused(&desk.client()).await.len() <= expected.len());
    }
}

#[tokio::test]
async fn nobody_who_was_not_asked_refuses_and_the_check_can_be_switched_off() {
    let desk = says(&format!(r#"{{{SPOKEN},"capabilities":{{}}}}"#)).await;
    assert!(desk.client().list_tools().send().await.is_ok());
    let ignoring = desk.builder().ignore_capabilities().build().unwrap();
    ignoring.discover().send().await.unwrap();
    assert_eq!(refused(&ignoring).await, Vec::<&str>::new());
    assert_eq!(desk.count(), 12);
}

#[tokio::test]
async fn a_server_that_learnt_more_is_believed_when_it_is_asked_again() {
    let desk = Desk::new(|asked| match asked.number {
        0 => Canned::result(r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":60000}"#),
        1 => Canned::result(r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#),
        _ => Canned::result(r#"{"tools":[]}"#),
    })
    .await;
    let client = desk.client();
    client.discover().send().await.unwrap();
    assert!(client.list_tools().send().await.is_err());
    client.discover().refresh().send().await.unwrap();
    assert!(client.list_tools().send().await.is_ok());
    assert_eq!(desk.count(), 3);
}

#[tokio::test]
async fn a_kept_result_teaches_like_one_that_has_just_come() {
    let desk =
        says(&format!(r#"{{{SPOKEN},"capabilities":{{}},"ttlMs":60000,"cacheScope":"public"}}"#)).await;
    let shared = CacheOptions::new();
    let [one, other] = [0, 1].map(|_| desk.builder().cache(shared.clone()).build().unwrap());
    one.discover().send().await.unwrap();
    let server = other.discover().send().await.unwrap();
    assert!(!server.freshness().is_fetched() && other.capabilities().is_some());
    let error = other.list_tools().send().await.unwrap_err();
    assert!(matches!(&error, CallError::Invalid(invalid) if invalid.kind() == InvalidKind::NotOffered));
    assert_eq!(desk.count(), 1);
}
