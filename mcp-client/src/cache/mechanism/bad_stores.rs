//! Stores that fail, hang, panic, lie and are slow to forget.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use tokio::time::Instant;

use super::{
    tests::{SECOND, at, hint, list, result},
    *,
};
use crate::cache::{CacheStore, MemoryStore, guarded::PAUSE};

/// What a bad store does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Hang,
    Panic,
    /// Panics before there is a future.
    PanicAtOnce,
    None,
}

#[derive(Debug)]
struct Bad {
    memory: MemoryStore,
    fault: Mutex<Fault>,
    asked: AtomicUsize,
}

impl Bad {
    fn new(fault: Fault) -> Arc<Self> {
        let (memory, fault) = (MemoryStore::default(), Mutex::new(fault));
        Arc::new(Self { memory, fault, asked: AtomicUsize::new(0) })
    }

    fn now(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    async fn fail(&self, fault: Fault) {
        match fault {
            Fault::Hang => std::future::pending().await,
            Fault::Panic => panic!("a store's own fault"),
            Fault::PanicAtOnce | Fault::None => {}
        }
    }

    fn enter(&self) -> Fault {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let fault = *self.fault.lock().unwrap();
        assert!(fault != Fault::PanicAtOnce, "a store's own fault");
        fault
    }
}

/// As `async_trait` writes it, so that something can happen before there is a future.
type Task<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl CacheStore for Bad {
    fn get<'a, 'b, 'c>(&'a self, key: &'b CacheKey) -> Task<'c, Option<CacheEntry>>
    where
        'a: 'c,
        'b: 'c,
    {
        let fault = self.enter();
        Box::pin(async move {
            self.fail(fault).await;
            self.memory.get(key).await
        })
    }

    fn put<'a, 'b, 'c>(&'a self, key: &'b CacheKey, entry: CacheEntry) -> Task<'c, ()>
    where
        'a: 'c,
        'b: 'c,
    {
        let fault = self.enter();
        Box::pin(async move {
            self.fail(fault).await;
            self.memory.put(key, entry).await;
        })
    }

    fn remove<'a, 'b, 'c>(&'a self, selector: &'b CacheSelector) -> Task<'c, ()>
    where
        'a: 'c,
        'b: 'c,
    {
        let fault = self.enter();
        Box::pin(async move {
            self.fail(fault).await;
            self.memory.remove(selector).await;
        })
    }
}

async fn keep(cache: &Cache, name: &str, now: SystemTime) -> bool {
    let ticket = cache.begin(list(None));
    cache.store(&ticket, &cache.user("u"), || Some(result(name)), hint(300, false), now).await
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_or_panics_costs_little_once_and_is_then_left_alone() {
    for (fault, cost) in [
        (Fault::Hang, Duration::from_millis(250)),
        (Fault::Panic, Duration::ZERO),
        (Fault::PanicAtOnce, Duration::ZERO),
    ] {
        let store = Bad::new(fault);
        let cache = Cache::new(CacheOptions::new().store(store.clone()), "a", Principal::Visible);
        let start = Instant::now();
        assert_eq!(cache.find(list(None), "u", at(0)).await, "miss");
        // The paused clock moves in whole milliseconds, one past what was waited for.
        let took = start.elapsed();
        assert!(took >= cost && took <= cost + Duration::from_millis(2), "{fault:?}: {took:?}");
        assert_eq!(store.asked(), 1, "{fault:?}");

        let start = Instant::now();
        assert!(!keep(&cache, "one", at(0)).await);
        assert_eq!(cache.find(list(None), "u", at(1)).await, "miss");
        assert_eq!((start.elapsed(), store.asked()), (Duration::ZERO, 1), "{fault:?}");

        store.now(Fault::None);
        tokio::time::advance(PAUSE).await;
        assert!(keep(&cache, "two", at(2)).await);
        assert_eq!(cache.find(list(None), "u", at(3)).await, "fresh two");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_to_forget_brings_nothing_back() {
    for fault in [Fault::Hang, Fault::Panic, Fault::PanicAtOnce] {
        let store = Bad::new(Fault::None);
        let cache = Cache::new(CacheOptions::new().store(store.clone()), "a", Principal::Visible);
        assert!(keep(&cache, "one", at(0)).await);
        store.now(fault);
        cache.invalidate(&Invalidation::Tools, at(1)).await;
        store.now(Fault::None);
        tokio::time::advance(PAUSE).await;
        // It is still in the store, and not used.
        let own = cache.server.place(list(None)).key(Some(&cache.user("u")));
        assert!(store.memory.get(&own).await.is_some(), "{fault:?}");
        assert_eq!(cache.find(list(None), "u", at(2)).await, "miss", "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn drops_are_tried_also_while_a_store_is_left_alone() {
    let store = Bad::new(Fault::None);
    let cache = Cache::new(CacheOptions::new().store(store.clone()), "a", Principal::Visible);
    assert!(keep(&cache, "one", at(0)).await);
    store.now(Fault::Panic);
    assert_eq!(cache.find(list(None), "u", at(1)).await, "miss");
    store.now(Fault::None);
    cache.invalidate(&Invalidation::Everything, at(2)).await;
    let own = cache.server.place(list(None)).key(Some(&cache.user("u")));
    assert_eq!(store.memory.get(&own).await, None);
}

/// Answers every question with the same entry.
#[derive(Debug)]
struct Liar(CacheEntry);

#[async_trait]
impl CacheStore for Liar {
    async fn get(&self, _: &CacheKey) -> Option<CacheEntry> {
        Some(self.0.clone())
    }

    async fn put(&self, _: &CacheKey, _: CacheEntry) {}

    async fn remove(&self, _: &CacheSelector) {}
}

#[tokio::test]
async fn what_a_store_says_is_checked() {
    let entry = |text: &str| serde_json::from_str::<CacheEntry>(text).unwrap();
    let good = r#"{"receivedUs":1000000000000,"ttlMs":300000,"scope":"SCOPE","result":"{\"name\":\"x\"}"}"#;
    let (private, public) = (good.replace("SCOPE", "private"), good.replace("SCOPE", "public"));
    for (text, found) in [
        (private.clone(), "fresh x"),
        (public.clone(), "fresh x"),
        // Received in the future, the farthest too.
        (private.replace("1000000000000", "1000000000001"), "miss"),
        (private.replace("1000000000000", "18446744073709551615"), "miss"),
        // Times that would overflow are cut at a day.
        (private.replace("300000", "18446744073709551615"), "fresh x"),
        (
            private.replace("300000", "18446744073709551615").replace("1000000000000", "913599999999"),
            "stale x",
        ),
        (private.replace("300000", "0"), "stale x"),
        // No result of any method is one of these.
        (private.replace(r#"{\"name\":\"x\"}"#, "[]"), "miss"),
        (private.replace(r#"{\"name\":\"x\"}"#, "null"), "miss"),
    ] {
        let cache = Cache::new(CacheOptions::new().store(Liar(entry(&text))), "a", Principal::Visible);
        assert_eq!(cache.find(list(None), "u", at(0)).await, found, "{text}");
    }
}

#[tokio::test]
async fn cac_14_a_private_entry_under_the_public_key_is_given_to_nobody() {
    let store = Arc::new(MemoryStore::default());
    let cache = Cache::new(CacheOptions::new().store(store.clone()), "a", Principal::Visible);
    let place = cache.server.place(list(None));
    let entry = |public| CacheEntry::new(result("x"), at(0), hint(300, public));
    store.put(&place.key(None), entry(false)).await;
    assert_eq!(cache.find(list(None), "u", at(1)).await, "miss");
    store.put(&place.key(None), entry(true)).await;
    assert_eq!(cache.find(list(None), "u", at(1)).await, "fresh x");
}

/// Is told of a change while an entry is put into it, as it happens when two threads meet.
#[derive(Debug, Default)]
struct Meeting {
    memory: MemoryStore,
    cache: Mutex<Option<std::sync::Weak<Cache>>>,
}

#[async_trait]
impl CacheStore for Meeting {
    async fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        self.memory.get(key).await
    }

    async fn put(&self, key: &CacheKey, entry: CacheEntry) {
        let cache = self.cache.lock().unwrap().take().and_then(|cache| cache.upgrade());
        if let Some(cache) = cache {
            // Noted by a clock that runs behind, so that times alone do not show it.
            cache.invalidate(&Invalidation::Tools, entry.received() - SECOND).await;
        }
        self.memory.put(key, entry).await;
    }

    async fn remove(&self, selector: &CacheSelector) {
        self.memory.remove(selector).await;
    }
}

#[tokio::test]
async fn a_change_while_the_store_keeps_an_entry_drops_it_again() {
    let store = Arc::new(Meeting::default());
    let cache = Arc::new(Cache::new(CacheOptions::new().store(store.clone()), "a", Principal::Visible));
    *store.cache.lock().unwrap() = Some(Arc::downgrade(&cache));
    assert!(!keep(&cache, "one", at(10)).await);
    assert_eq!(cache.find(list(None), "u", at(11)).await, "miss");
    assert!(keep(&cache, "two", at(12)).await);
    assert_eq!(cache.find(list(None), "u", at(13)).await, "fresh two");
}
