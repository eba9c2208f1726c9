//! Kept results: when no POST is made, for whom, and what brings the next one.

mod changes;
mod freshness;
mod in_time;
mod pages;
mod principal;
mod scope;
mod stale;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    CallRecord, Client, InputKinds, Observer, Page, async_trait,
    cache::{CacheEntry, CacheKey, CacheOptions, CacheSelector, CacheStore, MemoryStore},
    types::{LoggingLevel, method::ListTools},
};
use serde_json::{Value, json};

use crate::{
    lists::desk::{Asked, Desk},
    stage::{Canned, OK},
};

/// Every result in one, with members by which the answers are told apart.
fn result(number: usize, ttl: &Value, scope: &Value) -> Canned {
    let tool = json!({ "name": format!("t{number}"), "inputSchema": { "type": "object" } });
    let result = json!({
        "resultType": "complete", "ttlMs": ttl, "cacheScope": scope, "number": number, "content": [], "messages": [],
        "completion": { "values": [] }, "tools": [tool, 42], "prompts": [], "resources": [], "resourceTemplates": [],
        "contents": [], "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "prompts": {}, "resources": {}, "completions": {} },
    });
    Canned::result(&result.to_string())
}

/// A server whose results are fresh for so long.
async fn fresh_for(ttl: Value, scope: &'static str) -> Desk {
    Desk::new(move |asked| result(asked.number, &ttl, &json!(scope))).await
}

/// Lists the tools, and says which answer of the server that was.
async fn listed(client: &Client) -> usize {
    number(&client.list_tools().send().await.unwrap())
}

fn number(page: &Page<ListTools>) -> usize {
    page.result().extra.get("number").unwrap().parse().unwrap()
}

/// A store in which entries can be made older than they are.
#[derive(Clone, Debug, Default)]
struct Shelf(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    memory: MemoryStore,
    older: Mutex<Duration>,
    /// Instead of the results.
    result: Mutex<Option<String>>,
}

impl Shelf {
    /// From now on all entries are that much older than they are.
    fn older(&self, by: Duration) {
        *self.0.older.lock().unwrap() = by;
    }

    fn replace(&self, result: &str) {
        *self.0.result.lock().unwrap() = Some(result.to_owned());
    }

    fn options(&self) -> CacheOptions {
        CacheOptions::new().store(self.clone())
    }

    fn client(&self, desk: &Desk) -> Client {
        desk.builder().cache(self.options()).build().unwrap()
    }
}

#[async_trait]
impl CacheStore for Shelf {
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        let entry = self.0.memory.get(key).await?;
        let mut written = serde_json::to_value(&entry).unwrap();
        let older = u64::try_from(self.0.older.lock().unwrap().as_micros()).unwrap();
        written["receivedUs"] = json!(written["receivedUs"].as_u64().unwrap() - older);
        if let Some(result) = self.0.result.lock().unwrap().as_ref() {
            written["result"] = json!(result);
        }
        serde_json::from_value(written).ok()
    }

    async fn put(&self, key: &CacheKey, entry: CacheEntry) {
        self.older(Duration::ZERO);
        self.0.memory.put(key, entry).await;
    }

    async fn remove(&self, selector: &CacheSelector) {
        self.0.memory.remove(selector).await;
    }
}

/// Keeps the records of all calls.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<Value>>>);

impl Observer for Log {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(serde_json::to_value(record).unwrap());
    }
}

impl Log {
    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Asks for each result that can be kept; the text of the result of each, and how old it is.
async fn six(client: &Client) -> Vec<(Value, bool)> {
    macro_rules! value {
        ($answer:expr, $result:ident) => {{
            let answer = $answer;
            (serde_json::to_value(answer.$result()).unwrap(), answer.freshness().is_fetched())
        }};
    }
    let read = client.read_resource("x:y").send().await.unwrap().into_complete().unwrap();
    let tools = client.list_tools().send().await.unwrap();
    assert_eq!(
        (tools.items().len(), tools.skipped().len()),
        (1, 1),
        "kept or not, it is sorted the same way"
    );
    vec![
        value!(client.discover().send().await.unwrap(), result),
        value!(tools, result),
        value!(client.list_prompts().send().await.unwrap(), result),
        value!(client.list_resources().send().await.unwrap(), result),
        value!(client.list_resource_templates().send().await.unwrap(), result),
        value!(read, result),
    ]
}

const SIX: [&str; 6] = [
    "resources/read",
    "tools/list",
    "server/discover",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

#[tokio::test]
async fn cac_01_six_results_are_kept_and_the_record_says_so() {
    let log = Log::default();
    let desk = fresh_for(json!(600_000), "private").await;
    let client = desk.builder().observer(log.clone()).build().unwrap();
    let fetched = six(&client).await;
    assert!(fetched.iter().all(|(_, is_fetched)| *is_fetched));
    for record in log.take() {
        assert_eq!((&record["postCount"], record.get("cache")), (&json!(1), None), "{record}");
    }
    let kept = six(&client).await;
    assert!(kept.iter().all(|(_, is_fetched)| !is_fetched));
    let values =
        |results: Vec<(Value, bool)>| results.into_iter().map(|(value, _)| value).collect::<Vec<_>>();
    assert_eq!(values(kept), values(fetched), "the same, unknown members included");
    assert_eq!(
        desk.asked().iter().map(|asked| asked.method.as_str()).collect::<Vec<_>>(),
        SIX,
        "and no POST more"
    );

    let records = log.take();
    assert_eq!(records.iter().map(|record| record["method"].as_str().unwrap()).collect::<Vec<_>>(), SIX);
    for record in records {
        for (member, expected) in [
            ("cache", json!("fresh")),
            ("postCount", json!(0)),
            ("httpStatuses", json!([])),
            ("attempts", json!([])),
            ("outcome", json!("TOOL_SUCCESS")),
            ("resultType", json!("complete")),
            ("jsonrpc", json!({ "id": null, "errorCode": null })),
            ("errorMessage", json!(null)),
        ] {
            assert_eq!(record[member], expected, "{member}: {record}");
        }
    }
}

#[tokio::test]
async fn cac_01_nothing_else_is_kept() {
    let desk = Desk::new(|asked| match asked.method.as_str() {
        "tools/call" => Canned::result(&OK.replace('{', r#"{"ttlMs":600000,"#)),
        _ => result(asked.number, &json!(600_000), &json!("public")),
    })
    .await;
    let client = desk.client();
    for posts in 1..4 {
        let output = client.call_tool("x").send().await.unwrap().into_success().unwrap();
        assert!(output.record().freshness.is_fetched());
        assert_eq!(desk.count(), posts);
    }
}

#[tokio::test]
async fn cac_02_another_method_or_parameter_is_another_result() {
    let desk = fresh_for(json!(600_000), "public").await;
    let client = desk.client();
    for _ in 0..2 {
        six(&client).await;
        for uri in ["x:z", "x:Y", "x:y ", ""] {
            client.read_resource(uri).send().await.unwrap().into_complete().unwrap();
        }
        for cursor in ["", "x:y", "a", "A"] {
            client.list_tools().cursor(cursor).send().await.unwrap();
        }
        client.list_prompts().cursor("a").send().await.unwrap();
        assert_eq!(desk.count(), 15, "each once");
    }
}

/// A server may answer by what the caller says in `_meta`, and by what is declared to it.
#[tokio::test]
async fn cac_02_what_is_said_in_meta_or_declared_is_a_parameter() {
    for scope in ["private", "public"] {
        let desk = fresh_for(json!(600_000), scope).await;
        let shared = CacheOptions::new();
        let builder = || desk.builder().cache(shared.clone());
        let plain = builder().build().unwrap();
        let declares = builder().accept_input(InputKinds::FORM).build().unwrap();
        let extended = builder().extension("com.example/x", json!({})).build().unwrap();
        for _ in 0..2 {
            assert_eq!(listed(&plain).await, 0, "{scope}");
            for (number_of_list, key, value) in [(1, "k", 1), (2, "k", 2), (3, "l", 1)] {
                let key = format!("com.example/{key}");
                let page = plain.list_tools().meta(&key, value).send().await.unwrap();
                assert_eq!(number(&page), number_of_list, "{scope} {key} {value}");
            }
            assert_eq!([listed(&declares).await, listed(&extended).await], [4, 5], "{scope}");
            // Declared for one call.
            let read = |client: &Client| client.read_resource("x:y");
            read(&plain).send().await.unwrap().into_complete().unwrap();
            read(&plain).accept_input(InputKinds::FORM).send().await.unwrap().into_complete().unwrap();
            read(&declares).send().await.unwrap().into_complete().unwrap();
            assert_eq!(desk.count(), 8, "{scope}: each once, and what declares the same is the same");
        }
    }
}

/// What is listened to, how a call is traced and what it is labelled with decide no result.
#[tokio::test]
async fn cac_02_progress_log_and_trace_are_no_parameters() {
    let desk = fresh_for(json!(600_000), "private").await;
    let client = desk.client();
    assert_eq!(listed(&client).await, 0);
    let request = client.list_tools().progress(|_| ()).log(LoggingLevel::Debug, |_| ()).scenario("s");
    let traced = request.meta("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let page = traced.send().await.unwrap();
    assert_eq!((number(&page), page.record().scenario.as_deref(), desk.count()), (0, Some("s"), 1));
}

#[tokio::test]
async fn the_cache_can_be_switched_off_for_a_client_and_for_a_call() {
    let desk = fresh_for(json!(600_000), "public").await;
    for options in [CacheOptions::off(), CacheOptions::new().max_ttl(Duration::ZERO)] {
        let client = desk.builder().cache(options).build().unwrap();
        let before = desk.count();
        assert_eq!((listed(&client).await, listed(&client).await), (before, before + 1));
    }

    let client = desk.client();
    let before = desk.count();
    let without = client.list_tools().no_cache().send().await.unwrap();
    assert_eq!(number(&without), before);
    assert_eq!(listed(&client).await, before + 1, "it was not kept");
    client.list_tools().no_cache().send().await.unwrap();
    assert_eq!(listed(&client).await, before + 1, "and what was kept is not touched");
    assert_eq!(desk.count(), before + 3);
}

#[tokio::test]
async fn cac_11_a_refresh_asks_the_server_and_keeps_its_answer() {
    let desk = fresh_for(json!(600_000), "public").await;
    let client = desk.client();
    assert_eq!(listed(&client).await, 0);
    let page = client.list_tools().refresh().send().await.unwrap();
    assert!(page.freshness().is_fetched());
    assert_eq!((number(&page), listed(&client).await, desk.count()), (1, 1, 2));
}

#[tokio::test]
async fn a_call_that_was_given_up_is_not_answered_from_the_cache() {
    let desk = fresh_for(json!(600_000), "public").await;
    let client = desk.client();
    listed(&client).await;
    let cancel = mcp_client::CancelHandle::new();
    cancel.cancel("no more");
    let error = client.list_tools().cancel_with(&cancel).send().await.unwrap_err();
    assert_eq!((error.outcome(), desk.count()), (mcp_client::OutcomeKind::Cancelled, 1));
}

/// What a store gives that can not be read is as good as nothing.
#[tokio::test]
async fn a_result_that_can_not_be_read_any_more_is_fetched() {
    for text in ["{}", r#"{"tools":7}"#, r#"{"resultType":"input_required","requestState":"s"}"#, "[]"] {
        let desk = fresh_for(json!(600_000), "public").await;
        let shelf = Shelf::default();
        let client = shelf.client(&desk);
        listed(&client).await;
        shelf.replace(text);
        assert_eq!((listed(&client).await, desk.count()), (1, 2), "{text}");
    }
}

/// Tools of a kept list are known like those of one that has just come.
#[tokio::test]
async fn a_kept_list_teaches_the_headers_of_its_tools() {
    let schema =
        json!({ "type": "object", "properties": { "r": { "type": "string", "x-mcp-header": "R" } } });
    let list = json!({ "tools": [{ "name": "x", "inputSchema": schema }], "ttlMs": 600_000, "cacheScope": "public" });
    let list = list.to_string();
    let desk = Desk::new(move |asked: &Asked| match asked.method.as_str() {
        "tools/list" => Canned::result(&list),
        _ => Canned::result(OK),
    })
    .await;
    let shared = CacheOptions::new();
    let [one, other] = [0, 1].map(|_| desk.builder().cache(shared.clone()).build().unwrap());
    one.list_tools().send().await.unwrap();
    assert!(!other.list_tools().send().await.unwrap().freshness().is_fetched());
    other.call_tool("x").arguments(json!({ "r": "eu" })).send().await.unwrap().into_success().unwrap();
    let [_, call] = desk.asked().try_into().unwrap();
    assert_eq!(call.header("mcp-param-r"), Some("eu"));
}
