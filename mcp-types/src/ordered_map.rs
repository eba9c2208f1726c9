//! A map of JSON object members in the order they arrived.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{JsonError, RawJson};

/// How many members an object may have: more serve nobody but an attacker of memory. Reading a larger one is an error.
pub const MAX_MEMBERS: usize = 65_536;

/// Up to this size, lookups while reading scan the entries; beyond it a set is built once.
const SCAN_LIMIT: usize = 32;

/// Members of a JSON object that are not parsed, in the order they arrived.
///
/// `Debug` shows the names, and of each value its kind and size.
pub type RawMap = OrderedMap<RawJson>;

/// A map with string keys that keeps the order in which members arrived.
///
/// Keys are any strings, the empty one included. A key occurs once; setting it again replaces its value. Equality
/// does not look at the order. Nothing is allocated while the map is empty.
///
/// ```
/// use mcp_types::{RawJson, RawMap};
///
/// let mut map = RawMap::new();
/// map.insert("unit", RawJson::from_serialize("celsius")?);
/// assert_eq!(map.get_as::<String>("unit").transpose()?.as_deref(), Some("celsius"));
/// # Ok::<(), mcp_types::JsonError>(())
/// ```
#[derive(Clone)]
pub struct OrderedMap<V> {
    entries: Vec<(String, V)>,
}

impl<V> OrderedMap<V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Whether the map has no members.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value of a member.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The value of a member, to be changed in place.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.entries.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Whether the map has this member.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets a member and gives back the value it had. A member that exists keeps its place.
    pub fn insert(&mut self, key: impl Into<String>, value: V) -> Option<V> {
        let key = key.into();
        if let Some(slot) = self.get_mut(&key) {
            return Some(std::mem::replace(slot, value));
        }
        self.entries.push((key, value));
        None
    }

    /// Takes a member out.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let index = self.entries.iter().position(|(k, _)| k == key)?;
        Some(self.entries.remove(index).1)
    }

    /// The members in order.
    pub fn iter(&self) -> OrderedMapIter<'_, V> {
        OrderedMapIter(self.entries.iter())
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(k, _)| k.as_str())
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, v)| v)
    }

    /// Adds a member without looking whether it exists; [`settle`](Self::settle) must follow.
    pub(crate) fn push(&mut self, key: String, value: V) {
        self.entries.push((key, value));
    }

    /// As [`push`](Self::push), for members that are being read.
    pub(crate) fn push_bounded<E: de::Error>(&mut self, key: String, value: V) -> Result<(), E> {
        if self.entries.len() >= MAX_MEMBERS {
            return Err(E::custom(format_args!("an object has more than {MAX_MEMBERS} members")));
        }
        self.push(key, value);
        Ok(())
    }

    /// Removes all but the last entry of each key, in linear time also for hostile input.
    pub(crate) fn settle(&mut self) {
        let repeats =
            |i: usize| self.entries.iter().skip(i + 1).any(|(k, _)| Some(k.as_str()) == self.key_at(i));
        if self.entries.len() <= SCAN_LIMIT && !(0..self.entries.len()).any(repeats) {
            return;
        }
        let mut keep = self.last_occurrences().into_iter();
        self.entries.retain(|_| keep.next().unwrap_or(true));
    }

    fn key_at(&self, index: usize) -> Option<&str> {
        self.entries.get(index).map(|(k, _)| k.as_str())
    }

    fn last_occurrences(&self) -> Vec<bool> {
        let mut seen = HashSet::with_capacity(self.entries.len());
        let mut keep: Vec<bool> = self.entries.iter().rev().map(|(k, _)| seen.insert(k.as_str())).collect();
        keep.reverse();
        keep
    }
}

impl OrderedMap<RawJson> {
    /// Reads a member into a type; `None` if there is no such member.
    pub fn get_as<T: DeserializeOwned>(&self, key: &str) -> Option<Result<T, JsonError>> {
        self.get(key).map(RawJson::parse)
    }

    /// Serialises a value and sets it as a member.
    ///
    /// # Errors
    ///
    /// When the value cannot be written as JSON.
    pub fn insert_serialize<T: Serialize + ?Sized>(
        &mut self,
        key: impl Into<String>,
        value: &T,
    ) -> Result<Option<RawJson>, JsonError> {
        RawJson::from_serialize(value).map(|raw| self.insert(key, raw))
    }
}

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for OrderedMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<V: PartialEq> PartialEq for OrderedMap<V> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.entries == other.entries {
            return true;
        }
        let sorted = |map: &'_ Self| {
            let mut order: Vec<usize> = (0..map.entries.len()).collect();
            order.sort_by(|&a, &b| map.key_at(a).cmp(&map.key_at(b)));
            order
        };
        sorted(self).into_iter().zip(sorted(other)).all(|(a, b)| self.entries.get(a) == other.entries.get(b))
    }
}

impl<V> Extend<(String, V)> for OrderedMap<V> {
    fn extend<I: IntoIterator<Item = (String, V)>>(&mut self, iter: I) {
        self.entries.extend(iter);
        self.settle();
    }
}

impl<V> FromIterator<(String, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(iter: I) -> Self {
        let mut map = Self::new();
        map.extend(iter);
        map
    }
}

/// The members of an [`OrderedMap`], borrowed.
#[derive(Debug, Clone)]
pub struct OrderedMapIter<'a, V>(std::slice::Iter<'a, (String, V)>);

impl<'a, V> Iterator for OrderedMapIter<'a, V> {
    type Item = (&'a str, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(k, v)| (k.as_str(), v))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<V> ExactSizeIterator for OrderedMapIter<'_, V> {}

impl<'a, V> IntoIterator for &'a OrderedMap<V> {
    type Item = (&'a str, &'a V);
    type IntoIter = OrderedMapIter<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<V> IntoIterator for OrderedMap<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for MapVisitor<V> {
            type Value = OrderedMap<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut map = OrderedMap::new();
                while let Some((key, value)) = access.next_entry()? {
                    map.push_bounded(key, value)?;
                }
                map.settle();
                Ok(map)
            }
        }

        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    use super::*;

    fn map(text: &str) -> RawMap {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn order_and_odd_keys_are_kept() {
        let text = r#"{"z":1,"":2,"__proto__":{"a":[]},"a\"b":null}"#;
        assert_eq!(serde_json::to_string(&map(text)).unwrap(), text);
        assert_eq!(map(text).keys().collect::<Vec<_>>(), ["z", "", "__proto__", "a\"b"]);
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        assert_eq!(serde_json::to_string(&map(r#"{"a":1,"b":2,"a":3}"#)).unwrap(), r#"{"b":2,"a":3}"#);
        let mut m = map(r#"{"a":1,"b":2}"#);
        assert_eq!(m.insert("a", RawJson::null()).unwrap().get(), "1");
        assert_eq!(serde_json::to_string(&m).unwrap(), r#"{"a":null,"b":2}"#);
        assert_eq!(m.remove("a"), Some(RawJson::null()));
        assert_eq!(m.remove("a"), None);
        assert_eq!(m.len(), 1);
    }

    #[test]
    fn equality_ignores_the_order() {
        assert_eq!(map(r#"{"a":1,"b":2}"#), map(r#"{"b":2,"a":1}"#));
        assert_ne!(map(r#"{"a":1,"b":2}"#), map(r#"{"b":1,"a":2}"#));
        assert_ne!(map(r#"{"a":1}"#), map(r#"{"a":1,"b":2}"#));
    }

    #[test]
    fn only_objects_are_maps() {
        for text in ["null", "[]", "1", "\"a\""] {
            assert!(serde_json::from_str::<RawMap>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn more_members_than_anybody_needs_are_refused() {
        let object = |count: usize| {
            let members: Vec<String> = (0..count).map(|i| format!("\"{i}\":0")).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(map(&object(MAX_MEMBERS)).len(), MAX_MEMBERS);
        let error = serde_json::from_str::<RawMap>(&object(MAX_MEMBERS + 1)).unwrap_err();
        assert!(error.to_string().contains("more than 65536 members"), "{error}");
        // The same for members of an object that are not known.
        let error = serde_json::from_str::<crate::Implementation>(&object(MAX_MEMBERS + 1)).unwrap_err();
        assert!(error.to_string().contains("more than 65536 members"), "{error}");
    }

    #[test]
    fn debug_hides_values() {
        assert_eq!(format!("{:?}", map(r#"{"token":"hunter2"}"#)), r#"{"token": RawJson(string, 9 bytes)}"#);
    }

    #[test]
    fn a_hostile_object_is_read_in_linear_time() {
        let mut text = String::from("{");
        for i in 0..30_000 {
            write!(text, "\"k{i}\":0,\"same\":{i},").unwrap();
        }
        text.push_str("\"end\":1}");
        let started = Instant::now();
        let read = map(&text);
        assert!(read == read.iter().map(|(k, v)| (k.to_owned(), v.clone())).collect());
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert_eq!(read.len(), 30_002);
        assert_eq!(read.get("same").unwrap().get(), "29999");
    }
}
