//! What was dropped, and when: so that neither a call on its way nor a slow store brings it back.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use super::{
    key::{CacheSelector, Depth},
    place::Place,
};

/// How many drops are remembered one by one. Servers may name as many URIs as they like: what is older counts as a drop of
/// everything, which costs some requests more and no memory.
const MAX_MARKS: usize = 4_096;

/// When something was dropped last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// A count of all drops: later ones have higher numbers, whatever the clock does.
    pub(super) number: u64,
    /// By the clock. What was received at that time or before is not used any more.
    pub(super) time: Option<SystemTime>,
}

impl Mark {
    fn raise(&mut self, other: Self) {
        self.number = self.number.max(other.number);
        self.time = self.time.max(other.time);
    }

    /// Whether a result that was received then was dropped.
    pub(super) fn covers(&self, received: SystemTime) -> bool {
        self.time.is_some_and(|time| received <= time)
    }
}

/// All marks, of bounded size whatever is dropped.
#[derive(Debug, Default)]
pub(super) struct Marks {
    state: Mutex<State>,
    /// Of what was dropped only a hash is kept. Two with the same one would be dropped together; nobody can choose them.
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct State {
    drops: u64,
    marks: HashMap<u64, Mark>,
    /// The hashes by the number of their mark.
    order: BTreeMap<u64, u64>,
    /// All marks that are no longer remembered one by one.
    rest: Mark,
}

impl Marks {
    /// How many drops there were so far.
    pub(super) fn number(&self) -> u64 {
        self.state().drops
    }

    /// Notes that what the selector selects is dropped.
    ///
    /// Of single entries nothing is noted: another result takes their place, which is no reason against one on its way.
    pub(super) fn set(&self, selector: &CacheSelector, now: SystemTime) {
        if selector.depth() == Depth::Key {
            return;
        }
        let hash = self.hasher.hash_one(selector.as_prefix());
        let mut guard = self.state();
        let state = &mut *guard;
        state.drops += 1;
        let mark = state.marks.entry(hash).or_default();
        state.order.remove(&mark.number);
        mark.raise(Mark { number: state.drops, time: Some(now) });
        state.order.insert(state.drops, hash);
        if state.order.len() > MAX_MARKS {
            let oldest = state.order.pop_first().and_then(|(_, hash)| state.marks.remove(&hash));
            state.rest.raise(oldest.unwrap_or_default());
        }
    }

    /// When the results of a place were dropped last, alone or with others.
    pub(super) fn latest(&self, place: &Place) -> Mark {
        let hashes = place.depths().map(|(_, text)| self.hasher.hash_one(text));
        let state = self.state();
        let mut latest = state.rest;
        for mark in hashes.iter().filter_map(|hash| state.marks.get(hash)) {
            latest.raise(*mark);
        }
        latest
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::cache::place::{Cacheable, Server};

    fn read(server: &Server, uri: &str) -> Place {
        server.place(Cacheable::of("resources/read", None, Some(uri)).unwrap())
    }

    #[test]
    fn a_mark_covers_what_it_selects_at_its_time_and_before() {
        let (server, other) = (Server::new("a"), Server::new("b"));
        let place = read(&server, "x");
        let now = UNIX_EPOCH + Duration::from_secs(10);
        let tick = Duration::from_nanos(100);
        for selector in
            [CacheSelector::everything(), server.all(), server.of_method("resources/read"), place.all()]
        {
            let marks = Marks::default();
            assert_eq!((marks.number(), marks.latest(&place)), (0, Mark::default()));
            marks.set(&selector, now);
            let mark = marks.latest(&place);
            assert_eq!((marks.number(), mark.number), (1, 1));
            assert!(mark.covers(now) && mark.covers(UNIX_EPOCH) && !mark.covers(now + tick));
        }
        let marks = Marks::default();
        marks.set(&CacheSelector::one(&place.key(None)), now);
        assert_eq!((marks.number(), marks.latest(&place)), (0, Mark::default()));
        for selector in [other.all(), server.of_method("tools/list"), read(&server, "y").all()] {
            marks.set(&selector, now);
        }
        assert_eq!((marks.number(), marks.latest(&place)), (3, Mark::default()));
    }

    #[test]
    fn a_clock_that_is_set_back_brings_nothing_back() {
        let marks = Marks::default();
        let server = Server::new("a");
        let place = read(&server, "x");
        marks.set(&place.all(), UNIX_EPOCH + Duration::from_secs(10));
        marks.set(&place.all(), UNIX_EPOCH);
        let mark = marks.latest(&place);
        assert_eq!(mark.number, 2);
        assert!(mark.covers(UNIX_EPOCH + Duration::from_secs(10)));
    }

    #[test]
    fn any_number_of_drops_takes_bounded_memory_and_none_is_forgotten() {
        let marks = Marks::default();
        let server = Server::new("a");
        let time = |at: usize| UNIX_EPOCH + Duration::from_secs(at as u64);
        let place = |at: usize| read(&server, &at.to_string());
        for at in 0..10_000 {
            marks.set(&place(at).all(), time(at));
            // The same one again and again takes no room of others.
            marks.set(&server.of_method("tools/list"), time(at));
        }
        assert_eq!(marks.number(), 20_000);
        let sizes = {
            let state = marks.state();
            (state.marks.len(), state.order.len())
        };
        assert_eq!(sizes, (4_096, 4_096));
        for at in 0..10_000 {
            assert!(marks.latest(&place(at)).covers(time(at)), "{at}");
        }
        // 4,095 URIs are remembered one by one, so of another URI what came after the one before those is used.
        assert_eq!(marks.latest(&read(&server, "other")).time, Some(time(10_000 - 4_096)));
        assert_eq!(marks.latest(&place(9_998)).time, Some(time(9_998)));
    }
}
