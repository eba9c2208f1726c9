use std::collections::HashMap;

use mcp_types::{CacheHint, RawJson};
use proptest::prelude::*;

use super::*;
use crate::cache::key::Depth;

fn key(text: &str) -> CacheKey {
    CacheKey::new(text.into(), "tools/list", true)
}

/// An entry whose result has that many bytes.
fn entry(received: u64, ttl: u64, bytes: usize) -> CacheEntry {
    let mut hint = CacheHint::default();
    hint.ttl = Duration::from_secs(ttl);
    let result = RawJson::from_text(format!("\"{}\"", "x".repeat(bytes - 2))).unwrap();
    CacheEntry::new(result, UNIX_EPOCH + Duration::from_secs(received), hint)
}

fn selector(prefix: &str) -> CacheSelector {
    CacheSelector::new(prefix.into(), Depth::Method)
}

impl MemoryStore {
    /// Which keys are kept, without using them.
    fn keys(&self) -> Vec<String> {
        self.kept().slots.keys().map(ToString::to_string).collect()
    }
}

#[test]
fn the_defaults_are_what_the_documentation_says() {
    let shown = "MemoryStore { entries: 0, max_entries: 1024, bytes: 0, max_bytes: 16777216, .. }";
    assert_eq!(format!("{:?}", MemoryStore::default()), shown);
}

#[tokio::test]
async fn entries_whose_time_is_over_go_first_then_those_used_longest_ago() {
    let store = MemoryStore::new(3, 1 << 20);
    store.put(&key("a"), entry(0, 1_000, 10)).await;
    store.put(&key("short"), entry(1, 5, 10)).await;
    store.put(&key("b"), entry(2, 1_000, 10)).await;
    // Used last, but over at 6.
    assert!(store.get(&key("short")).await.is_some());
    store.put(&key("c"), entry(6, 1_000, 10)).await;
    assert_eq!(store.keys(), ["a", "b", "c"]);
    // None is over now: `b` was used the longest ago.
    assert!(store.get(&key("a")).await.is_some());
    store.put(&key("d"), entry(7, 1_000, 10)).await;
    assert_eq!(store.keys(), ["a", "c", "d"]);
    // Overwriting one drives out none.
    store.put(&key("a"), entry(8, 1_000, 20)).await;
    assert_eq!(store.keys(), ["a", "c", "d"]);
    assert_eq!(store.get(&key("a")).await.unwrap().received(), UNIX_EPOCH + Duration::from_secs(8));
}

#[tokio::test]
async fn bytes_are_bounded_and_none_takes_more_than_a_quarter() {
    let store = MemoryStore::new(100, 4_000);
    // 256 + 1 + 743 = 1,000 bytes are a quarter.
    for name in ["a", "b", "c", "d"] {
        store.put(&key(name), entry(0, 9, 743)).await;
    }
    assert_eq!((store.keys().len(), store.kept().bytes), (4, 4_000));
    store.put(&key("e"), entry(0, 9, 743)).await;
    assert_eq!(store.keys(), ["b", "c", "d", "e"]);
    // Too large: not kept, and neither is what it should have replaced.
    store.put(&key("e"), entry(0, 9, 744)).await;
    assert_eq!((store.keys(), store.kept().bytes), (vec!["b".into(), "c".into(), "d".into()], 3_000));
    for empty in [MemoryStore::new(0, 4_000), MemoryStore::new(4, 0)] {
        empty.put(&key("a"), entry(0, 9, 10)).await;
        assert_eq!(empty.keys(), [""; 0]);
    }
}

#[tokio::test]
async fn drops_are_by_prefix() {
    let store = MemoryStore::default();
    for name in ["a|", "a|x", "a|y", "ab", "b"] {
        store.put(&key(name), entry(0, 9, 10)).await;
    }
    store.remove(&selector("a|")).await;
    assert_eq!(store.keys(), ["ab", "b"]);
    store.clear().await;
    assert_eq!((store.keys().len(), store.kept().bytes), (0, 0));
}

#[derive(Clone, Debug)]
enum Step {
    Put { key: String, ttl: u64, bytes: usize },
    Get(String),
    Remove(String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let put =
        ("[ab]{1,2}", 0..40_u64, 2..900_usize).prop_map(|(key, ttl, bytes)| Step::Put { key, ttl, bytes });
    let step = prop_oneof![
        6 => put,
        3 => "[ab]{1,2}".prop_map(Step::Get),
        1 => "[ab]{0,2}".prop_map(Step::Remove),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    #[test]
    fn whatever_happens_it_is_bounded_and_gives_the_latest_entry_or_none(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let store = MemoryStore::new(4, 3_000);
        let mut latest: HashMap<String, CacheEntry> = HashMap::new();
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put { key: name, ttl, bytes } => {
                    let entry = entry(at as u64, ttl, bytes);
                    runtime.block_on(store.put(&key(&name), entry.clone()));
                    // What fits is there right after.
                    let fits = 256 + name.len() + bytes <= 750;
                    prop_assert_eq!(store.keys().contains(&name), fits);
                    latest.insert(name, entry);
                }
                Step::Get(name) => {
                    if let Some(found) = runtime.block_on(store.get(&key(&name))) {
                        prop_assert_eq!(Some(&found), latest.get(&name));
                    }
                }
                Step::Remove(prefix) => {
                    runtime.block_on(store.remove(&selector(&prefix)));
                    latest.retain(|name, _| !name.starts_with(&prefix));
                }
            }
            let kept = store.kept();
            let bytes: usize = kept.slots.values().map(|slot| slot.bytes).sum();
            prop_assert!(kept.slots.len() <= 4 && kept.bytes == bytes && bytes <= 3_000);
            prop_assert_eq!((kept.by_end.len(), kept.by_use.len()), (kept.slots.len(), kept.slots.len()));
            for name in kept.slots.keys() {
                prop_assert!(latest.contains_key(name.as_ref()), "{} came back", name);
            }
        }
    }
}
