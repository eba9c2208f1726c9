//! What a slow store costs: no more than the time of the call, and no record.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    BearerToken, CancelHandle, Client, ClientBuilder, Delivery, OutcomeKind, TokenError, TokenSource,
    async_trait,
    cache::{CacheEntry, CacheKey, CacheOptions, CacheSelector, CacheStore, MemoryStore},
    error::{TransportError, TransportErrorKind},
    transport::{Exchange, MemoryTransport},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::{Log, listed};

const MS: Duration = Duration::from_millis(1);

/// A store that takes its time, as it is told.
#[derive(Clone, Debug, Default)]
struct Slow(Arc<Times>);

#[derive(Debug, Default)]
struct Times {
    memory: MemoryStore,
    get: Mutex<Duration>,
    put: Mutex<Duration>,
    older: Mutex<Duration>,
}

impl Slow {
    fn get_takes(&self, time: Duration) {
        *self.0.get.lock().unwrap() = time;
    }

    fn put_takes(&self, time: Duration) {
        *self.0.put.lock().unwrap() = time;
    }

    /// From now on entries are stale.
    fn older(&self) {
        *self.0.older.lock().unwrap() = Duration::from_secs(700);
    }
}

#[async_trait]
impl CacheStore for Slow {
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        let time = *self.0.get.lock().unwrap();
        if !time.is_zero() {
            sleep(time).await;
        }
        let mut written = serde_json::to_value(self.0.memory.get(key).await?).unwrap();
        let older = u64::try_from(self.0.older.lock().unwrap().as_micros()).unwrap();
        written["receivedUs"] = json!(written["receivedUs"].as_u64().unwrap() - older);
        serde_json::from_value(written).ok()
    }

    async fn put(&self, key: &CacheKey, entry: CacheEntry) {
        let time = *self.0.put.lock().unwrap();
        if !time.is_zero() {
            sleep(time).await;
        }
        self.0.memory.put(key, entry).await;
    }

    async fn remove(&self, selector: &CacheSelector) {
        self.0.memory.remove(selector).await;
    }
}

/// How the server answers: with the number of the request, or not at all.
#[derive(Clone, Debug, Default)]
struct Far(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    asked: usize,
    fails: Option<TransportErrorKind>,
    hangs: bool,
}

impl Far {
    fn fails(&self, kind: TransportErrorKind) {
        self.0.lock().unwrap().fails = Some(kind);
    }

    fn asked(&self) -> usize {
        self.0.lock().unwrap().asked
    }
}

/// A client of a server in memory whose results are fresh for ten minutes, and whose store has a minute for each answer.
fn set_up() -> (Far, Slow, Log, ClientBuilder) {
    let (far, store, log) = (Far::default(), Slow::default(), Log::default());
    let server = far.clone();
    let transport = MemoryTransport::new(move |request| {
        let (number, fails, hangs) = {
            let mut state = server.0.lock().unwrap();
            state.asked += 1;
            (state.asked - 1, state.fails, state.hangs)
        };
        let result = json!({ "resultType": "complete", "ttlMs": 600_000, "tools": [], "number": number });
        let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": result });
        async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            if let Some(kind) = fails {
                return Err(TransportError::new(kind, Delivery::Unknown));
            }
            Ok(Exchange::message(answer.to_string()))
        }
    });
    let options = CacheOptions::new().store(store.clone()).store_timeout(60_000 * MS);
    let client = Client::with_transport(transport).retry(mcp_client::Retry::never()).cache(options);
    (far, store, log.clone(), client.observer(log))
}

#[tokio::test(start_paused = true)]
async fn a_lookup_takes_no_more_than_the_time_of_the_call() {
    let (far, store, log, client) = set_up();
    let client = client.build().unwrap();
    store.get_takes(200 * MS);
    let begun = Instant::now();
    let error = client.list_tools().timeout(100 * MS).send().await.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Timeout, Delivery::NotSent));
    let took = begun.elapsed();
    assert!(took >= 100 * MS && took < 110 * MS, "{took:?}");
    assert_eq!(far.asked(), 0, "nothing is sent when the time is over");
    let [told] = log.take().try_into().unwrap();
    assert_eq!((&told["outcome"], &told["postCount"]), (&json!("TIMEOUT"), &json!(0)));
    assert!(told["durationMs"].as_f64().unwrap() >= 100.0, "{told}");

    // What is left after a slow lookup is what the request has.
    far.0.lock().unwrap().hangs = true;
    let begun = Instant::now();
    let error = client.list_tools().timeout(1_000 * MS).send().await.unwrap_err();
    assert_eq!(
        (error.outcome(), error.delivery(), far.asked()),
        (OutcomeKind::Timeout, Delivery::Unknown, 1)
    );
    let took = begun.elapsed();
    assert!(took >= 1_000 * MS && took < 1_010 * MS, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_does_not_wait_for_the_store() {
    let (far, store, log, client) = set_up();
    let client = client.build().unwrap();
    store.get_takes(200 * MS);
    let cancel = CancelHandle::new();
    let begun = Instant::now();
    let (ended, ()) = tokio::join!(client.list_tools().cancel_with(&cancel).send(), async {
        sleep(10 * MS).await;
        cancel.cancel("enough");
    });
    let error = ended.unwrap_err();
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::Cancelled, Delivery::NotSent));
    assert!(begun.elapsed() < 20 * MS, "{:?}", begun.elapsed());
    let [told] = log.take().try_into().unwrap();
    assert_eq!((&told["outcome"], far.asked()), (&json!("CANCELLED"), 0));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_kept_in_time_is_handed_out_all_the_same() {
    let (far, store, log, client) = set_up();
    let client = client.build().unwrap();
    assert_eq!(listed(&client).await, 0);
    store.put_takes(5_000 * MS);
    log.take();
    let begun = Instant::now();
    let page = client.list_tools().refresh().timeout(100 * MS).send().await.unwrap();
    assert_eq!(super::number(&page), 1);
    assert!(begun.elapsed() < 110 * MS, "{:?}", begun.elapsed());
    let [told] = log.take().try_into().unwrap();
    assert_eq!(told["outcome"], json!("TOOL_SUCCESS"));

    let cancel = CancelHandle::new();
    let begun = Instant::now();
    let (ended, ()) = tokio::join!(client.list_tools().refresh().cancel_with(&cancel).send(), async {
        sleep(10 * MS).await;
        cancel.cancel("enough");
    });
    assert_eq!(super::number(&ended.unwrap()), 2);
    assert!(begun.elapsed() < 20 * MS, "{:?}", begun.elapsed());
    // What was kept before is older than what could not be kept.
    store.put_takes(Duration::ZERO);
    assert_eq!((listed(&client).await, listed(&client).await, far.asked()), (3, 3, 4));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_dropped_while_it_is_kept_leaves_nothing_older() {
    let (_, store, log, client) = set_up();
    let client = client.build().unwrap();
    assert_eq!(listed(&client).await, 0);
    log.take();
    store.put_takes(5_000 * MS);
    assert!(timeout(10 * MS, client.list_tools().refresh().send()).await.is_err());
    let [told] = log.take().try_into().unwrap();
    assert_eq!(told["outcome"], json!("TOOL_SUCCESS"), "it was answered, and told once");
    store.put_takes(Duration::ZERO);
    assert_eq!(listed(&client).await, 2);
}

/// The server is silent until the time is over, and the store is then as slow as before: what it had at first will do.
#[tokio::test(start_paused = true)]
async fn cac_12_what_is_stale_can_be_had_when_no_time_is_left_for_the_store() {
    let (far, store, log, client) = set_up();
    let client = client.build().unwrap();
    listed(&client).await;
    store.older();
    store.get_takes(10 * MS);
    far.0.lock().unwrap().hangs = true;
    log.take();
    let page = client.list_tools().stale_if_error().timeout(1_000 * MS).send().await.unwrap();
    assert!(page.freshness().is_stale());
    let [told] = log.take().try_into().unwrap();
    assert_eq!((&told["cache"], &told["postCount"]), (&json!("stale"), &json!(1)));
    // Not what was dropped meanwhile.
    let (ended, ()) = tokio::join!(client.list_tools().stale_if_error().timeout(1_000 * MS).send(), async {
        sleep(500 * MS).await;
        client.clear_cache().await;
    });
    assert_eq!(ended.unwrap_err().outcome(), OutcomeKind::Timeout);
}

/// A source that never has a token.
#[derive(Debug)]
struct Hangs;

#[async_trait]
impl TokenSource for Hangs {
    async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
        std::future::pending().await
    }
}

#[track_caller]
fn assert_dropped(told: Vec<Value>, posts: u64) {
    let [told] = told.try_into().unwrap();
    assert_eq!((&told["outcome"], &told["postCount"]), (&json!("CANCELLED"), &json!(posts)), "{told}");
    assert!(told["durationMs"].as_f64().unwrap() >= 50.0, "{told}");
}

#[tokio::test(start_paused = true)]
async fn the_observer_is_told_of_what_is_dropped_before_the_call_and_after_it() {
    // While a token is waited for, and while the store is asked.
    let (_, _, log, client) = set_up();
    let client = client.token_source(Hangs).build().unwrap();
    assert!(timeout(50 * MS, client.list_tools().send()).await.is_err());
    assert_dropped(log.take(), 0);
    let (far, store, log, client) = set_up();
    let client = client.build().unwrap();
    store.get_takes(200 * MS);
    assert!(timeout(50 * MS, client.list_tools().send()).await.is_err());
    assert_dropped(log.take(), 0);
    assert_eq!(far.asked(), 0);

    // While it is asked for the second time: all that happened before is told.
    let (far, store, log, client) = set_up();
    let client = client.build().unwrap();
    listed(&client).await;
    store.older();
    store.get_takes(40 * MS);
    far.fails(TransportErrorKind::Broken);
    log.take();
    // Both keys are asked for each time: 80 ms, then the request, and again.
    assert!(timeout(100 * MS, client.list_tools().stale_if_error().send()).await.is_err());
    let told = log.take();
    assert_eq!(
        (told[0]["delivery"].clone(), told[0]["attempts"].as_array().unwrap().len()),
        (json!("unknown"), 1)
    );
    assert_dropped(told, 1);
}
