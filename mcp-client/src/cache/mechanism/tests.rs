use std::time::UNIX_EPOCH;

use super::*;

pub(super) const SECOND: Duration = Duration::from_secs(1);

pub(super) fn at(secs: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000 + secs)
}

pub(super) fn hint(ttl: u64, public: bool) -> CacheHint {
    let mut hint = CacheHint::default();
    (hint.ttl, hint.public) = (Duration::from_secs(ttl), public);
    hint
}

pub(super) fn result(name: &str) -> RawJson {
    RawJson::from(serde_json::json!({ "resultType": "complete", "name": name }))
}

pub(super) fn list(cursor: Option<&str>) -> Cacheable<'_> {
    Cacheable::of("tools/list", cursor, None).unwrap()
}

pub(super) fn read(uri: &str) -> Cacheable<'_> {
    Cacheable::of("resources/read", None, Some(uri)).unwrap()
}

impl Cache {
    pub(super) fn user(&self, token: &str) -> Authorization {
        self.authorization(&HeaderMap::new(), Some(token))
    }

    /// A request that brings a result, from its beginning to its end.
    async fn fetch(
        &self,
        request: Cacheable<'_>,
        user: &str,
        name: &str,
        hint: CacheHint,
        now: SystemTime,
    ) -> bool {
        let ticket = self.begin(request);
        self.store(&ticket, &self.user(user), || Some(result(name)), hint, now).await
    }

    /// What is found, as `fresh NAME`, `stale NAME` or `miss`.
    pub(super) async fn find(&self, request: Cacheable<'_>, user: &str, now: SystemTime) -> String {
        let (state, entry) = match self.lookup(request, &self.user(user), now).await {
            Lookup::Fresh(entry) => ("fresh", entry),
            Lookup::Stale(entry) => ("stale", entry),
            Lookup::Miss => return "miss".to_owned(),
        };
        let value = entry.result().to_value().unwrap();
        format!("{state} {}", value["name"].as_str().unwrap())
    }
}

pub(super) fn cache() -> Cache {
    Cache::new(CacheOptions::new(), "https://a.example/mcp", Principal::Visible)
}

#[tokio::test]
async fn cac_05_cac_08_fresh_for_its_time_then_stale() {
    let cache = cache();
    assert_eq!(cache.find(list(None), "u", at(0)).await, "miss");
    assert!(cache.fetch(list(None), "u", "one", hint(300, false), at(0)).await);
    assert_eq!(cache.find(list(None), "u", at(0)).await, "fresh one");
    assert_eq!(cache.find(list(None), "u", at(300) - Duration::from_micros(1)).await, "fresh one");
    assert_eq!(cache.find(list(None), "u", at(300)).await, "stale one");
    assert_eq!(cache.find(list(None), "u", at(9_999)).await, "stale one");
    // The clock was set back: nothing can be said about its age.
    assert_eq!(cache.find(list(None), "u", at(0) - SECOND).await, "miss");
    // A later answer takes its place and starts its own time.
    assert!(cache.fetch(list(None), "u", "two", hint(300, false), at(400)).await);
    assert_eq!(cache.find(list(None), "u", at(699)).await, "fresh two");
}

#[tokio::test]
async fn cac_04_without_a_time_nothing_is_kept_and_nothing_earlier_either() {
    let cache = cache();
    assert!(cache.fetch(read("x:1"), "u", "old", hint(300, false), at(0)).await);
    assert!(cache.fetch(read("x:2"), "u", "other", hint(300, false), at(0)).await);
    assert!(!cache.fetch(read("x:1"), "u", "new", hint(0, false), at(10)).await);
    assert_eq!(cache.find(read("x:1"), "u", at(11)).await, "miss");
    assert_eq!(cache.find(read("x:2"), "u", at(11)).await, "fresh other");
    // The next one that has a time is kept again.
    assert!(cache.fetch(read("x:1"), "u", "newer", hint(300, false), at(12)).await);
    assert_eq!(cache.find(read("x:1"), "u", at(13)).await, "fresh newer");
}

#[tokio::test]
async fn cac_20_the_longest_time_is_a_day_or_what_is_set() {
    for (max, longest) in [(None, 86_400), (Some(60), 60)] {
        let mut options = CacheOptions::new();
        if let Some(max) = max {
            options = options.max_ttl(Duration::from_secs(max));
        }
        let cache = Cache::new(options, "s", Principal::Visible);
        let mut endless = hint(0, false);
        endless.ttl = Duration::MAX;
        assert!(cache.fetch(list(None), "u", "one", endless, at(0)).await);
        assert_eq!(cache.find(list(None), "u", at(longest - 1)).await, "fresh one");
        assert_eq!(cache.find(list(None), "u", at(longest)).await, "stale one");
    }
}

#[tokio::test]
async fn cac_13_cac_14_public_for_all_and_private_for_the_same_credentials() {
    let cache = cache();
    assert!(cache.fetch(list(None), "alice", "hers", hint(300, false), at(0)).await);
    assert_eq!(cache.find(list(None), "alice", at(1)).await, "fresh hers");
    assert_eq!(cache.find(list(None), "bob", at(1)).await, "miss");
    assert!(cache.fetch(list(None), "bob", "his", hint(300, false), at(1)).await);
    assert_eq!(cache.find(list(None), "alice", at(2)).await, "fresh hers");
    assert_eq!(cache.find(list(None), "bob", at(2)).await, "fresh his");

    assert!(cache.fetch(read("x:1"), "alice", "for all", hint(300, true), at(0)).await);
    assert_eq!(cache.find(read("x:1"), "bob", at(1)).await, "fresh for all");
    assert_eq!(cache.find(read("x:2"), "bob", at(1)).await, "miss");

    // Another header of the caller's is another context too.
    let mut headers = HeaderMap::new();
    headers.insert("x-tenant", "t".parse().unwrap());
    let tenant = cache.authorization(&headers, Some("alice"));
    assert_eq!(cache.lookup(list(None), &tenant, at(1)).await, Lookup::Miss);
}

#[tokio::test]
async fn the_latest_word_on_who_may_have_it_holds() {
    let cache = cache();
    // Private, then public: the older private one must not hide the newer.
    assert!(cache.fetch(list(None), "alice", "old", hint(300, false), at(0)).await);
    assert!(cache.fetch(list(None), "alice", "new", hint(300, true), at(1)).await);
    assert_eq!(cache.find(list(None), "alice", at(2)).await, "fresh new");
    // Public, then private: nobody else is given it any more.
    assert!(cache.fetch(list(None), "alice", "secret", hint(300, false), at(3)).await);
    assert_eq!(cache.find(list(None), "alice", at(4)).await, "fresh secret");
    assert_eq!(cache.find(list(None), "bob", at(4)).await, "miss");
}

#[tokio::test]
async fn a_stale_own_result_gives_way_to_a_fresh_public_one_and_the_newer_stale_one_is_found() {
    let cache = cache();
    assert!(cache.fetch(list(None), "alice", "hers", hint(10, false), at(0)).await);
    assert!(cache.fetch(list(None), "bob", "for all", hint(10, true), at(5)).await);
    assert_eq!(cache.find(list(None), "alice", at(9)).await, "fresh hers");
    assert_eq!(cache.find(list(None), "alice", at(12)).await, "fresh for all");
    assert_eq!(cache.find(list(None), "alice", at(20)).await, "stale for all");
    assert_eq!(cache.find(list(None), "bob", at(20)).await, "stale for all");
}

#[tokio::test]
async fn cac_02_cac_17_cac_21_each_page_uri_and_server_has_its_own() {
    let options = CacheOptions::new();
    let (cache, other) =
        (Cache::new(options.clone(), "a", Principal::Visible), Cache::new(options, "b", Principal::Visible));
    assert!(cache.fetch(list(None), "u", "first", hint(100, true), at(0)).await);
    assert!(cache.fetch(list(Some("")), "u", "empty", hint(200, true), at(50)).await);
    assert_eq!(cache.find(list(None), "u", at(60)).await, "fresh first");
    assert_eq!(cache.find(list(Some("")), "u", at(60)).await, "fresh empty");
    assert_eq!(cache.find(list(None), "u", at(100)).await, "stale first");
    assert_eq!(cache.find(list(Some("")), "u", at(249)).await, "fresh empty");
    assert_eq!(cache.find(list(Some("2")), "u", at(60)).await, "miss");
    let prompts = Cacheable::of("prompts/list", None, None).unwrap();
    assert_eq!(cache.find(prompts, "u", at(60)).await, "miss");
    assert_eq!(other.find(list(None), "u", at(60)).await, "miss");
}

/// All that can be kept, under the names that the test below uses.
fn everything() -> Vec<(&'static str, Cacheable<'static>)> {
    let list = |method, cursor| Cacheable::of(method, cursor, None).unwrap();
    vec![
        ("discover", list("server/discover", None)),
        ("tools", list("tools/list", None)),
        ("tools 2", list("tools/list", Some("2"))),
        ("prompts", list("prompts/list", None)),
        ("resources", list("resources/list", None)),
        ("templates", list("resources/templates/list", None)),
        ("x:d", read("x:d")),
        ("x:d/1", read("x:d/1")),
        ("x:e", read("x:e")),
    ]
}

#[tokio::test]
async fn cac_16_cac_19_sub_15_each_event_drops_what_it_concerns_for_all_credentials() {
    let subscribed = ["x:d".to_owned(), "x:e".to_owned()];
    let resource = |uri| Invalidation::Resource { uri, subscribed: &subscribed };
    let all: Vec<&str> = everything().into_iter().map(|(name, _)| name).collect();
    for (event, dropped) in [
        (Invalidation::Tools, &["tools", "tools 2"][..]),
        (Invalidation::Prompts, &["prompts"]),
        (Invalidation::Resources, &["resources", "templates"]),
        (resource("x:e"), &["x:e"]),
        (resource("x:d/1"), &["x:d", "x:d/1"]),
        (Invalidation::Pages("tools/list"), &["tools", "tools 2"]),
        (Invalidation::Everything, &all),
    ] {
        // Another server shares store and marks, and keeps all of its own.
        let options = CacheOptions::new();
        let (cache, other) = (
            Cache::new(options.clone(), "a", Principal::Visible),
            Cache::new(options, "b", Principal::Visible),
        );
        let mut tickets = Vec::new();
        for (name, request) in everything() {
            assert!(cache.fetch(request, "alice", name, hint(300, false), at(0)).await);
            assert!(other.fetch(request, "alice", name, hint(300, false), at(0)).await);
            tickets.push((name, request, cache.begin(request)));
        }
        assert!(cache.fetch(list(None), "bob", "tools", hint(300, false), at(0)).await);
        cache.invalidate(&event, at(1)).await;
        let tools_are_dropped = dropped.contains(&"tools");
        assert_eq!(cache.find(list(None), "bob", at(2)).await == "miss", tools_are_dropped, "{dropped:?}");
        for (name, request, ticket) in tickets {
            let is_dropped = dropped.contains(&name);
            let expected = if is_dropped { "miss".to_owned() } else { format!("fresh {name}") };
            assert_eq!(cache.find(request, "alice", at(2)).await, expected, "{dropped:?}: {name}");
            assert_eq!(other.find(request, "alice", at(2)).await, format!("fresh {name}"));
            // What was on its way when the event came is kept only if that did not concern it.
            let kept = cache
                .store(&ticket, &cache.user("alice"), || Some(result("late")), hint(300, false), at(2))
                .await;
            assert_eq!(kept, !is_dropped, "{dropped:?}: {name}");
        }
        // After that all is as before: nothing is kept out for good.
        assert!(cache.fetch(list(None), "alice", "again", hint(300, false), at(3)).await);
        assert_eq!(cache.find(list(None), "alice", at(4)).await, "fresh again");
    }
}

#[tokio::test]
async fn an_event_holds_from_the_moment_it_is_told_of() {
    let cache = cache();
    assert!(cache.fetch(list(None), "u", "one", hint(300, false), at(0)).await);
    // The future that empties the store is dropped.
    drop(cache.invalidate(&Invalidation::Tools, at(1)));
    assert_eq!(cache.find(list(None), "u", at(2)).await, "miss");
    assert!(cache.fetch(list(None), "u", "two", hint(300, false), at(3)).await);
    drop(cache.clear(at(4)));
    assert_eq!(cache.find(list(None), "u", at(5)).await, "miss");
    assert!(cache.fetch(list(None), "u", "three", hint(300, false), at(6)).await);
    assert_eq!(cache.find(list(None), "u", at(7)).await, "fresh three");
}

#[tokio::test]
async fn a_late_result_does_not_push_out_what_came_after_the_change() {
    let cache = cache();
    let (late, without_time) = (cache.begin(list(None)), cache.begin(list(None)));
    cache.invalidate(&Invalidation::Tools, at(1)).await;
    assert!(cache.fetch(list(None), "u", "new", hint(300, false), at(2)).await);
    assert!(!cache.store(&late, &cache.user("u"), || Some(result("late")), hint(300, false), at(3)).await);
    assert!(
        !cache.store(&without_time, &cache.user("u"), || Some(result("late")), hint(0, false), at(4)).await
    );
    assert_eq!(cache.find(list(None), "u", at(5)).await, "fresh new");
}

#[tokio::test]
async fn clients_that_share_options_share_what_is_kept_and_what_is_dropped() {
    let options = CacheOptions::new();
    let (one, two) =
        (Cache::new(options.clone(), "a", Principal::Visible), Cache::new(options, "a", Principal::Visible));
    assert!(one.fetch(list(None), "u", "one", hint(300, false), at(0)).await);
    assert_eq!(two.find(list(None), "u", at(1)).await, "fresh one");
    let ticket = two.begin(list(None));
    one.invalidate(&Invalidation::Tools, at(2)).await;
    assert!(!two.store(&ticket, &two.user("u"), || Some(result("late")), hint(300, false), at(3)).await);
    assert_eq!(one.find(list(None), "u", at(4)).await, "miss");
    one.clear(at(5)).await;
    assert_eq!(two.find(list(None), "u", at(6)).await, "miss");
}

#[tokio::test]
async fn off_finds_and_keeps_nothing() {
    for options in [CacheOptions::off(), CacheOptions::new().max_ttl(Duration::ZERO)] {
        let cache = Cache::new(options, "a", Principal::Visible);
        assert!(!cache.is_enabled());
        assert!(!cache.fetch(list(None), "u", "one", hint(300, true), at(0)).await);
        assert_eq!(cache.find(list(None), "u", at(1)).await, "miss");
        cache.invalidate(&Invalidation::Everything, at(2)).await;
        cache.clear(at(3)).await;
        assert_eq!(cache.marks.number(), 0);
    }
}
