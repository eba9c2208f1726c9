//! Lists in which one malformed entry does not cost the others.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::RawJson;

/// The entries of a list. Those that could not be read are kept as they came, in their place.
///
/// ```
/// use mcp_types::{Items, Tool};
///
/// let text = r#"[{"name":"a","inputSchema":{"type":"object"}},{"name":7}]"#;
/// let tools: Items<Tool> = serde_json::from_str(text)?;
/// assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a"]);
/// assert_eq!(tools.malformed().count(), 1);
/// assert_eq!(serde_json::to_string(&tools)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Items<T>(Vec<Item<T>>);

/// One entry of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Item<T> {
    /// An entry that could be read.
    Good(T),
    /// One that could not be read.
    Malformed(RawJson),
}

impl<T> Items<T> {
    /// An empty list.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The entries that could be read.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().filter_map(|item| if let Item::Good(good) = item { Some(good) } else { None })
    }

    /// The entries that could not be read.
    pub fn malformed(&self) -> impl Iterator<Item = &RawJson> {
        self.0.iter().filter_map(|item| if let Item::Malformed(raw) = item { Some(raw) } else { None })
    }

    /// All entries in their order.
    pub fn all(&self) -> &[Item<T>] {
        &self.0
    }

    /// The number of entries that could be read.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether no entry could be read.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Adds an entry.
    pub fn push(&mut self, item: T) {
        self.0.push(Item::Good(item));
    }

    /// Gives all entries back in their order.
    pub fn into_all(self) -> Vec<Item<T>> {
        self.0
    }

    /// Gives the entries back that could be read.
    pub fn into_vec(self) -> Vec<T> {
        self.into_iter().collect()
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T> FromIterator<T> for Items<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self(iter.into_iter().map(Item::Good).collect())
    }
}

impl<T> Extend<T> for Items<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        self.0.extend(iter.into_iter().map(Item::Good));
    }
}

impl<T> IntoIterator for Items<T> {
    type Item = T;
    type IntoIter = ItemsIntoIter<T>;

    /// The entries that could be read.
    fn into_iter(self) -> ItemsIntoIter<T> {
        ItemsIntoIter(self.0.into_iter())
    }
}

/// The entries of [`Items`] that could be read, by value.
#[derive(Debug)]
pub struct ItemsIntoIter<T>(std::vec::IntoIter<Item<T>>);

impl<T> Iterator for ItemsIntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.find_map(|item| if let Item::Good(good) = item { Some(good) } else { None })
    }
}

impl<T: Serialize> Serialize for Item<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Good(good) => good.serialize(serializer),
            Self::Malformed(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        Ok(raw.parse().map_or(Self::Malformed(raw), Self::Good))
    }
}

impl<T: Serialize> Serialize for Items<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}
