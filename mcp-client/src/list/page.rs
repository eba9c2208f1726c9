//! One page of a list.

use std::fmt;

use mcp_types::{Item, RawJson};

use crate::{
    cache::Freshness,
    header_params::HeaderParamsFault,
    method::ListMethod,
    record::{CallRecord, cut_message},
};

/// One page of a list: its entries, what was left out of them, and where the next page begins.
pub struct Page<M: ListMethod> {
    items: Vec<M::Item>,
    skipped: Vec<Skipped>,
    next_cursor: Option<String>,
    /// The result without its entries.
    result: Box<M::Result>,
    record: Box<CallRecord>,
    /// How long the text of the result was.
    bytes: usize,
}

impl<M: ListMethod> Page<M> {
    /// Sorts the entries. `refuse` says why an entry is not to be handed out.
    pub(super) fn new(
        mut result: M::Result,
        record: Box<CallRecord>,
        bytes: usize,
        refuse: impl Fn(&M::Item) -> Option<HeaderParamsFault>,
    ) -> Self {
        let next_cursor = M::next_cursor(&result).map(str::to_owned);
        let mut items = Vec::new();
        let mut skipped = Vec::new();
        for (position, item) in std::mem::take(M::items(&mut result)).into_all().into_iter().enumerate() {
            match item {
                Item::Good(item) => match refuse(&item) {
                    None => items.push(item),
                    Some(fault) => skipped.extend(RawJson::from_serialize(&item).ok().map(|raw| Skipped {
                        raw,
                        position,
                        reason: SkipReason::Header(fault),
                    })),
                },
                Item::Malformed(raw) => {
                    let what =
                        raw.parse::<M::Item>().err().map_or_else(String::new, |error| error.to_string());
                    let reason = SkipReason::Malformed(cut_message(&what));
                    skipped.push(Skipped { raw, position, reason });
                }
            }
        }
        Self { items, skipped, next_cursor, result: Box::new(result), record, bytes }
    }

    /// The entries.
    pub fn items(&self) -> &[M::Item] {
        &self.items
    }

    /// The entries, without the rest.
    pub fn into_items(self) -> Vec<M::Item> {
        self.items
    }

    pub(super) fn take(self) -> (Vec<M::Item>, Vec<Skipped>) {
        (self.items, self.skipped)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The entries that were left out, and why.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Where the next page begins; `None` on the last one. An empty cursor is one.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }

    /// The result without its entries: `_meta`, the cache hint, unknown members.
    pub fn result(&self) -> &M::Result {
        &self.result
    }

    /// Whether the page came from the cache, and how old it is.
    pub fn freshness(&self) -> Freshness {
        self.record.freshness
    }

    /// The record of the call.
    pub fn record(&self) -> &CallRecord {
        &self.record
    }
}

impl<M: ListMethod> fmt::Debug for Page<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("method", &M::NAME)
            .field("items", &self.items.len())
            .field("skipped", &self.skipped)
            .field("has_next", &self.next_cursor.is_some())
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

/// An entry that was left out of a list. The others are not touched by it.
#[derive(Clone, Debug)]
pub struct Skipped {
    raw: RawJson,
    position: usize,
    reason: SkipReason,
}

impl Skipped {
    /// The entry as it came.
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// Where it stood on its page, counted from 0.
    pub fn position(&self) -> usize {
        self.position
    }

    /// What it calls itself, where it does.
    pub fn name(&self) -> Option<String> {
        #[derive(serde::Deserialize)]
        struct Named {
            name: String,
        }
        self.raw.parse::<Named>().ok().map(|named| named.name)
    }

    /// Why it was left out.
    pub fn reason(&self) -> &SkipReason {
        &self.reason
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "`{}`: {}", cut_message(&name).escape_debug(), self.reason),
            None => write!(f, "entry {} of its page: {}", self.position, self.reason),
        }
    }
}

/// Why an entry was left out of a list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SkipReason {
    /// It does not have the shape that the protocol gives it: how not, without its values.
    Malformed(String),
    /// The tool asks for headers in a way that the protocol forbids; it must not be used ([streamable HTTP], schema
    /// extension).
    ///
    /// [streamable HTTP]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
    Header(HeaderParamsFault),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "it is malformed: {what}"),
            Self::Header(fault) => fault.fmt(f),
        }
    }
}
