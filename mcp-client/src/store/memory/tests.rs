use std::time::Duration;

use mcp_types::method::{CallTool, GetPrompt};
use serde_json::{Value, json};

use super::*;
use crate::{
    Client, RestoreError, SuspendedCall,
    continuation::{MAX_SUSPENDED_BYTES, MultiRound},
    transport::MemoryTransport,
};

fn call<M: MultiRound>(server: &str, target: &str, state: &str) -> SuspendedCall<M> {
    let stored = json!({
        "version": 1, "server": server, "method": M::NAME, "target": target, "declared": [],
        "inputRequests": {}, "requestState": state, "rounds": 2,
    });
    SuspendedCall::from_json(stored.to_string().as_bytes()).unwrap()
}

fn stored(target: &str) -> StoredCall {
    StoredCall::new(&call::<CallTool>("memory:", target, "s"), None)
}

fn ids(calls: &[StoredCall]) -> Vec<&str> {
    calls.iter().map(StoredCall::id).collect()
}

#[tokio::test]
async fn calls_are_listed_by_what_they_are_the_oldest_first() {
    let store = MemoryStore::new();
    let mut all = vec![stored("a"), stored("b")];
    all.push(StoredCall::new(&call::<CallTool>("https://b.example/mcp", "a", "s"), None));
    all.push(StoredCall::new(&call::<GetPrompt>("memory:", "a", "s"), None));
    for call in &all {
        store.clone().put(call.clone()).await.unwrap();
    }
    all.sort_by(|one, other| (one.created(), one.id()).cmp(&(other.created(), other.id())));
    assert_eq!(ids(&store.list(&StoreFilter::new()).await.unwrap()), ids(&all));
    let matching = |filter: StoreFilter| {
        let wanted: Vec<String> =
            all.iter().filter(|call| filter.matches(call)).map(|call| call.id().to_owned()).collect();
        (filter, wanted)
    };
    for (filter, count) in [
        (StoreFilter::new().target("a"), 3),
        (StoreFilter::new().server("memory:"), 3),
        (StoreFilter::new().method("tools/call"), 3),
        (StoreFilter::new().server("memory:").target("a").method("prompts/get"), 1),
        (StoreFilter::new().target("A"), 0),
    ] {
        let (filter, wanted) = matching(filter);
        assert_eq!(ids(&store.list(&filter).await.unwrap()), wanted);
        assert_eq!(wanted.len(), count, "{filter:?}");
    }
    assert_eq!(format!("{store:?}"), "MemoryStore { calls: 4 }");
}

#[tokio::test]
async fn a_call_is_claimed_by_one_taker_and_what_stays_is_in_doubt() {
    let store = MemoryStore::new();
    let first = stored("a");
    store.put(first.clone()).await.unwrap();
    let (one, other) = tokio::join!(store.claim(first.id()), store.claim(first.id()));
    let given = one.unwrap().unwrap();
    assert!(other.unwrap().is_none());
    assert!(!given.may_have_run() && !given.is_claimed(), "it is as it was put");
    let kept = store.get(first.id()).await.unwrap().unwrap();
    assert!(kept.may_have_run() && kept.is_claimed());
    assert_eq!(store.list(&StoreFilter::new()).await.unwrap().len(), 1, "it is still to be seen");

    // Put back as it is by then: another round of it.
    let again = given.with_call(&call::<CallTool>("memory:", "a", "s2"));
    assert_eq!((again.id(), again.created()), (first.id(), first.created()));
    store.put(again).await.unwrap();
    let given = store.claim(first.id()).await.unwrap().unwrap();
    assert!(!given.may_have_run());

    // Left behind: it can be had again, and is in doubt.
    assert!(store.claim(first.id()).await.unwrap().is_none());
    let left = store.get(first.id()).await.unwrap().unwrap();
    store.put(left).await.unwrap();
    let given = store.claim(first.id()).await.unwrap().unwrap();
    assert!(given.may_have_run());
    let transport = std::sync::Arc::new(MemoryTransport::reply("{}"));
    let client = Client::with_transport(transport.clone()).build().unwrap();
    let asked = client.restore(given.suspended::<CallTool>().unwrap()).unwrap();
    assert!(matches!(asked.resume().await, Err(crate::CallError::Invalid(_))));
    assert!(transport.sent().is_empty());

    assert!(store.remove(first.id()).await.unwrap());
    assert!(!store.remove(first.id()).await.unwrap());
    assert!(store.claim(first.id()).await.unwrap().is_none());
    assert!(store.get(first.id()).await.unwrap().is_none());
}

#[tokio::test]
async fn what_has_expired_is_gone() {
    let store = MemoryStore::new();
    let hour = Duration::from_secs(3600);
    let short = StoredCall::new(&call::<CallTool>("memory:", "a", "s"), Some(Duration::ZERO));
    let long = StoredCall::new(&call::<CallTool>("memory:", "a", "s"), Some(hour));
    let endless = StoredCall::new(&call::<CallTool>("memory:", "a", "s"), Some(Duration::MAX));
    assert_eq!(long.expires(), Some(long.created() + hour));
    assert!(!long.is_expired(long.created() + hour - Duration::from_millis(1)));
    assert!(long.is_expired(long.created() + hour));
    assert_eq!(endless.expires(), None, "no clock can hold it");
    for call in [&short, &long] {
        store.put(call.clone()).await.unwrap();
    }
    assert_eq!(ids(&store.list(&StoreFilter::new()).await.unwrap()), [long.id()]);
    assert!(store.get(short.id()).await.unwrap().is_none());
    assert!(store.claim(short.id()).await.unwrap().is_none());
    assert!(!store.remove(short.id()).await.unwrap());
}

#[tokio::test]
async fn what_could_not_be_read_again_is_not_kept() {
    let store = MemoryStore::new();
    let stored = json!({
        "version": 1, "server": "memory:", "method": "tools/call", "target": "a", "declared": [],
        "inputRequests": {}, "requestState": "x".repeat(MAX_SUSPENDED_BYTES), "rounds": 1,
    });
    let text = stored.to_string();
    let refused = SuspendedCall::<CallTool>::from_json(text.as_bytes()).unwrap_err();
    assert_eq!(refused, RestoreError::TooLarge { bytes: text.len() });
    let too_long: SuspendedCall = serde_json::from_str(&text).unwrap();
    let error = store.put(StoredCall::new(&too_long, None)).await.unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { bytes } if bytes > text.len()), "{error}");
    assert!(store.list(&StoreFilter::new()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_full_store_takes_no_new_calls() {
    let store = MemoryStore::new();
    let last = stored("a");
    let others = (1..DEFAULT_MAX_STORED_CALLS).map(|number| number.to_string());
    store.calls().extend(others.map(|id| (id.clone(), last.clone().with_id(id))));
    store.put(last.clone()).await.unwrap();
    let error = store.put(stored("b")).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { max: DEFAULT_MAX_STORED_CALLS }), "{error}");
    // One that is there already is replaced.
    store.put(last).await.unwrap();
}

#[test]
fn the_text_of_a_stored_call_is_read_again_and_what_is_wrong_is_named() {
    let kept = StoredCall::new(&call::<CallTool>("memory:", "a", "s"), Some(Duration::from_secs(60)));
    let read = StoredCall::from_json(kept.to_json().unwrap().as_bytes()).unwrap();
    assert_eq!((read.id(), read.created(), read.expires()), (kept.id(), kept.created(), kept.expires()));
    assert_eq!((read.server(), read.method(), read.target()), ("memory:", "tools/call", "a"));
    assert_eq!((read.rounds(), read.requests().len(), read.id().len()), (2, 0, 36));
    assert!(
        read.clone().into_claimed().is_claimed() && !read.clone().into_claimed().into_free().is_claimed()
    );
    assert_eq!(
        read.suspended::<GetPrompt>().unwrap_err(),
        RestoreError::Method { found: "tools/call".to_owned() }
    );
    let value: Value = serde_json::to_value(&kept).unwrap();
    assert_eq!(serde_json::from_value::<StoredCall>(value.clone()).unwrap().id(), kept.id());
    let changed = |pointer: &str, to: Value| {
        let mut value = value.clone();
        *value.pointer_mut(pointer).unwrap() = to;
        StoredCall::from_json(value.to_string().as_bytes()).unwrap_err()
    };
    assert_eq!(changed("/call/version", json!(2)), RestoreError::Version { found: 2 });
    assert_eq!(changed("/call/rounds", json!("x")), RestoreError::Malformed("rounds"));
    assert_eq!(changed("/call", json!(7)), RestoreError::Malformed("json"));
    assert_eq!(changed("/created", json!(-1)), RestoreError::Malformed("json"));
    let secret = StoredCall::new(&call::<CallTool>("memory:", "a", "hunter2"), None);
    assert!(!format!("{secret:?}").contains("hunter2"));
}
