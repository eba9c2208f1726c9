//! The store, its file, and processes that race for a call.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use mcp_client::{
    Client, Continuation, ContinuationStore, MAX_SUSPENDED_BYTES, StoreError, StoreFilter, StoredCall,
    ToolOutcome,
};
use mcp_tests::{FaultServer, Reply};
use serde_json::json;

use super::SqliteStore;

/// A file that is removed at the end, with those that `SQLite` puts beside it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = Self(std::env::temp_dir().join(format!("mcp-store-{}-{name}.db", std::process::id())));
        place.clear();
        place
    }

    fn files(&self) -> [PathBuf; 3] {
        ["", "-wal", "-shm"].map(|suffix| PathBuf::from(format!("{}{suffix}", self.0.display())))
    }

    fn clear(&self) {
        self.files().iter().for_each(|file| drop(fs::remove_file(file)));
    }

    async fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.0).await.unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A call that waits, of a server that says nothing more.
async fn asked(tool: &str) -> (FaultServer, Continuation) {
    let answer = json!({ "resultType": "input_required", "requestState": "secret-state" });
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{answer}}}"#);
    let server = FaultServer::start([Reply::json(200, answer)]).await.unwrap();
    let client = Client::http(&server.url()).unwrap().build().unwrap();
    match client.call_tool(tool).arguments(json!({ "n": 1 })).send().await.unwrap() {
        ToolOutcome::InputRequired(asked) => (server, asked),
        other => panic!("{other:?}"),
    }
}

async fn call(tool: &str, ttl: Option<Duration>) -> StoredCall {
    StoredCall::new(&asked(tool).await.1.suspend(), ttl)
}

fn ids(calls: &[StoredCall]) -> Vec<&str> {
    calls.iter().map(StoredCall::id).collect()
}

#[tokio::test]
async fn a_call_survives_as_it_was() {
    let place = Place::new("survives");
    let (server, asked) = asked("pay").await;
    let stored = StoredCall::new(&asked.suspend(), Some(Duration::from_secs(60)));
    {
        let store = place.open().await;
        store.put(stored.clone()).await.unwrap();
    }
    let store = place.open().await;
    let found = store.get(stored.id()).await.unwrap().unwrap();
    assert_eq!(found.to_json().unwrap(), stored.to_json().unwrap());
    assert_eq!(found.server(), server.url());
    assert_eq!(format!("{store:?}"), format!("SqliteStore {{ file: {:?}, .. }}", place.0));
    assert!(store.get("none").await.unwrap().is_none());
    assert!(store.remove(stored.id()).await.unwrap());
    assert!(!store.remove(stored.id()).await.unwrap());
    assert!(store.get(stored.id()).await.unwrap().is_none());
}

#[tokio::test]
async fn calls_are_listed_by_server_method_and_target() {
    let place = Place::new("listed");
    let store = place.open().await;
    let mut calls = Vec::new();
    for tool in ["pay", "pay", "book"] {
        let call = call(tool, None).await;
        store.put(call.clone()).await.unwrap();
        calls.push(call);
    }
    calls.sort_by(|one, other| (one.created(), one.id()).cmp(&(other.created(), other.id())));
    let all = ids(&calls);
    let of = |tool: &str| -> Vec<&str> {
        calls.iter().filter(|call| call.target() == tool).map(StoredCall::id).collect()
    };
    let first = calls.first().unwrap();
    for (filter, expected) in [
        (StoreFilter::new(), all.clone()),
        (StoreFilter::new().method("tools/call"), all),
        (StoreFilter::new().method("prompts/get"), vec![]),
        (StoreFilter::new().target("pay"), of("pay")),
        (StoreFilter::new().target("book"), of("book")),
        (StoreFilter::new().target("p%"), vec![]),
        (StoreFilter::new().server(first.server()), vec![first.id()]),
        (StoreFilter::new().server(first.server()).target("other"), vec![]),
    ] {
        assert_eq!(ids(&store.list(&filter).await.unwrap()), expected, "{filter:?}");
    }
}

#[tokio::test]
async fn what_has_expired_is_gone() {
    let place = Place::new("expired");
    let store = place.open().await;
    let (gone, kept) =
        (call("x", Some(Duration::ZERO)).await, call("x", Some(Duration::from_secs(600))).await);
    store.put(gone.clone()).await.unwrap();
    store.put(kept.clone()).await.unwrap();
    assert_eq!(ids(&store.list(&StoreFilter::new()).await.unwrap()), [kept.id()]);
    assert!(store.get(gone.id()).await.unwrap().is_none());
    assert!(store.claim(gone.id()).await.unwrap().is_none());
    assert!(!store.remove(gone.id()).await.unwrap());
    // And takes no room.
    let store = store.max_calls(2);
    store.put(gone.clone()).await.unwrap();
    store.put(call("x", None).await).await.unwrap();
    assert_eq!(store.list(&StoreFilter::new()).await.unwrap().len(), 2);
}

/// What is claimed is in doubt until it is put back or removed, whatever becomes of the taker.
#[tokio::test]
async fn a_call_is_claimed_once() {
    let place = Place::new("claimed");
    let store = place.open().await;
    let stored = call("pay", None).await;
    store.put(stored.clone()).await.unwrap();
    let claimed = store.claim(stored.id()).await.unwrap().unwrap();
    assert_eq!((claimed.is_claimed(), claimed.may_have_run()), (false, false), "as it was");
    assert!(store.claim(stored.id()).await.unwrap().is_none());
    let other = place.open().await;
    assert!(other.claim(stored.id()).await.unwrap().is_none());
    let left = other.get(stored.id()).await.unwrap().unwrap();
    assert_eq!((left.is_claimed(), left.may_have_run()), (true, true));
    // Put back as it was left, it can be claimed, and is still in doubt.
    other.put(left).await.unwrap();
    let again = store.claim(stored.id()).await.unwrap().unwrap();
    assert_eq!((again.is_claimed(), again.may_have_run()), (false, true));
    // Put back as it was before, it is not.
    other.put(claimed).await.unwrap();
    assert!(!store.claim(stored.id()).await.unwrap().unwrap().may_have_run());
}

/// Each has a connection of its own, as processes have.
#[tokio::test]
async fn of_many_that_race_one_gets_it() {
    let place = Place::new("race");
    let calls: Vec<StoredCall> = {
        let store = place.open().await;
        let (_server, asked) = asked("pay").await;
        let calls: Vec<_> = (0..10).map(|_| StoredCall::new(&asked.suspend(), None)).collect();
        for call in &calls {
            store.put(call.clone()).await.unwrap();
        }
        calls
    };
    let ids: Arc<Vec<String>> = Arc::new(calls.iter().map(|call| call.id().to_owned()).collect());
    let mut takers = Vec::new();
    for _ in 0..4 {
        let (store, ids) = (place.open().await, Arc::clone(&ids));
        takers.push(tokio::spawn(async move {
            let mut got = Vec::new();
            for id in ids.iter() {
                got.extend(store.claim(id).await.unwrap().map(|call| call.id().to_owned()));
            }
            got
        }));
    }
    let mut got = Vec::new();
    for taker in takers {
        got.extend(taker.await.unwrap());
    }
    got.sort();
    let mut expected = ids.to_vec();
    expected.sort();
    assert_eq!(got, expected, "each once");
}

#[tokio::test]
async fn many_that_open_a_new_file_open_the_same() {
    let place = Place::new("opened");
    let opening: Vec<_> = (0..6).map(|_| tokio::spawn(SqliteStore::open(place.0.clone()))).collect();
    let mut stores = Vec::new();
    for opened in opening {
        stores.push(opened.await.unwrap().unwrap());
    }
    let waiting = call("x", None).await;
    stores.first().unwrap().put(waiting.clone()).await.unwrap();
    for store in &stores {
        assert!(store.get(waiting.id()).await.unwrap().is_some());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_are_the_owners_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |file: &PathBuf| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    let place = Place::new("private");
    for before in [None, Some(0o644)] {
        if let Some(before) = before {
            fs::set_permissions(&place.0, fs::Permissions::from_mode(before)).unwrap();
        }
        let store = place.open().await;
        store.put(call("x", None).await).await.unwrap();
        assert_eq!(place.files().map(|file| mode(&file)), [0o600; 3]);
    }
}

#[tokio::test]
async fn a_store_that_is_full_says_so() {
    let place = Place::new("full");
    let store = place.open().await.max_calls(2);
    let calls = [call("a", None).await, call("b", None).await, call("c", None).await];
    store.put(calls[0].clone()).await.unwrap();
    store.put(calls[1].clone()).await.unwrap();
    let refused = store.put(calls[2].clone()).await.unwrap_err();
    assert!(matches!(refused, StoreError::Full { max: 2 }), "{refused:?}");
    // What is there can be written anew.
    store.put(calls[1].clone()).await.unwrap();
    store.remove(calls[0].id()).await.unwrap();
    store.put(calls[2].clone()).await.unwrap();
}

#[tokio::test]
async fn a_call_that_is_too_large_is_refused() {
    let place = Place::new("large");
    let store = place.open().await;
    let state = "x".repeat(MAX_SUSPENDED_BYTES);
    let answer = json!({ "resultType": "input_required", "requestState": state });
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{answer}}}"#);
    let server = FaultServer::start([Reply::json(200, answer)]).await.unwrap();
    let client = Client::http(&server.url()).unwrap().build().unwrap();
    let ToolOutcome::InputRequired(asked) = client.call_tool("x").send().await.unwrap() else { panic!() };
    let refused = store.put(StoredCall::new(&asked.suspend(), None)).await.unwrap_err();
    assert!(matches!(refused, StoreError::TooLarge { .. }), "{refused:?}");
    assert_eq!(ids(&store.list(&StoreFilter::new()).await.unwrap()), [] as [&str; 0]);
}

/// Nothing is written to a file that is something else.
#[tokio::test]
async fn other_files_are_refused() {
    let place = Place::new("other");
    let error = |error: StoreError| std::error::Error::source(&error).unwrap().to_string();
    fs::write(&place.0, "no database, but long enough to be looked at as one".repeat(100)).unwrap();
    let before = fs::read(&place.0).unwrap();
    let refused = error(SqliteStore::open(&place.0).await.unwrap_err());
    assert!(refused.contains("not a database"), "{refused}");
    assert_eq!(fs::read(&place.0).unwrap(), before);

    place.clear();
    rusqlite::Connection::open(&place.0).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
    let refused = error(SqliteStore::open(&place.0).await.unwrap_err());
    assert_eq!(refused, "the file is a database of something else");

    place.clear();
    drop(place.open().await);
    rusqlite::Connection::open(&place.0).unwrap().pragma_update(None, "user_version", 2).unwrap();
    let refused = error(SqliteStore::open(&place.0).await.unwrap_err());
    assert_eq!(refused, "the store is of version 2, and only 1 is known");

    let refused = SqliteStore::open("/no/such/directory/calls.db").await.unwrap_err();
    assert!(matches!(refused, StoreError::Failed(_)), "{refused:?}");
}

/// A row that somebody else wrote is told, and the others can still be had.
#[tokio::test]
async fn a_row_that_makes_no_sense_is_told() {
    let place = Place::new("row");
    let store = place.open().await;
    let (good, bad) = (call("x", None).await, call("x", None).await);
    store.put(good.clone()).await.unwrap();
    store.put(bad.clone()).await.unwrap();
    let other = rusqlite::Connection::open(&place.0).unwrap();
    other.execute("UPDATE calls SET call = '{}' WHERE id = ?1", [bad.id()]).unwrap();
    for refused in [
        store.list(&StoreFilter::new()).await.unwrap_err(),
        store.get(bad.id()).await.unwrap_err(),
        store.claim(bad.id()).await.unwrap_err(),
    ] {
        assert!(matches!(refused, StoreError::Unreadable(_)), "{refused:?}");
        assert!(!format!("{refused:?}").contains("secret-state"));
    }
    assert!(store.claim(good.id()).await.unwrap().is_some());
    assert!(store.remove(bad.id()).await.unwrap());
}
