//! What the client knows of a server's tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use mcp_types::{RawMap, Tool, ToolAnnotations};

use crate::{
    cache::Authorization,
    header_params::{HeaderParams, HeaderParamsFault},
    schema::OutputSchema,
    whose::Whose,
};

/// How many tools a book keeps.
const MAX_KNOWN_TOOLS: usize = 65_536;

/// About how many bytes a book keeps: 64 MiB.
const MAX_BOOK_BYTES: usize = 64 << 20;

/// What a tool's definition means for calls of it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownTool {
    /// Which parameters go into headers, or why the tool is invalid.
    pub(crate) header_params: Result<HeaderParams, HeaderParamsFault>,
    /// What the tool says of its behaviour; members that this crate does not know are left out.
    pub(crate) annotations: Option<ToolAnnotations>,
    /// The schema of its structured content.
    pub(crate) output_schema: Option<OutputSchema>,
}

impl KnownTool {
    /// Reads a definition.
    pub(crate) fn of(tool: &Tool) -> Self {
        let mut annotations = tool.annotations.clone();
        if let Some(annotations) = &mut annotations {
            // What nobody reads would only take memory.
            annotations.extra = RawMap::new();
        }
        Self {
            header_params: HeaderParams::of(&tool.input_schema),
            annotations,
            output_schema: tool.output_schema.clone().map(OutputSchema::new),
        }
    }

    fn size(&self) -> usize {
        let title = self.annotations.as_ref().and_then(|annotations| annotations.title.as_ref());
        self.header_params.as_ref().map_or(0, HeaderParams::size)
            + title.map_or(0, String::len)
            + self.output_schema.as_ref().map_or(0, |schema| schema.raw().get().len())
    }
}

/// The tools of one server, as last learnt: in public, or by those with the same credentials. What others were told counts for
/// nothing, least of all as evidence; servers show each user the tools that they may use, and say of them what they like.
///
/// Shared between threads; a look-up takes a read lock for the time of a hash. At most [`MAX_KNOWN_TOOLS`] tools and about
/// [`MAX_BOOK_BYTES`] are kept: beyond that, the tool that was learnt the longest ago is forgotten. The latest one is always
/// kept.
#[derive(Debug, Default)]
pub(crate) struct ToolBook {
    pages: RwLock<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    tools: HashMap<Arc<str>, Told>,
    /// What was learnt, by when.
    order: BTreeMap<u64, (Arc<str>, Whose)>,
    clock: u64,
    bytes: usize,
}

/// What was said of one tool.
#[derive(Debug, Default)]
struct Told {
    to_all: Option<Entry>,
    to_some: HashMap<Authorization, Entry>,
    /// What was learnt last, whoever was told it: most are told the same, which is kept once.
    last: Weak<KnownTool>,
}

#[derive(Debug)]
struct Entry {
    tool: Arc<KnownTool>,
    learnt: u64,
    bytes: usize,
}

impl ToolBook {
    /// Reads a definition and keeps it in place of an older one, of everybody's or of these credentials. A schema whose text is
    /// the same as before stays compiled.
    pub(crate) fn learn(&self, tool: &Tool, whose: Whose) -> Arc<KnownTool> {
        // Reading is the long part and needs no lock.
        let known = KnownTool::of(tool);
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        pages.put(&tool.name, known, whose)
    }

    /// What is known of a tool to those with these credentials: the latest of what they were told and what all were. The context
    /// is only worked out where it counts.
    pub(crate) fn get(&self, name: &str, context: impl FnOnce() -> Authorization) -> Option<Arc<KnownTool>> {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        let told = pages.tools.get(name)?;
        let own = if told.to_some.is_empty() { None } else { told.to_some.get(&context()) };
        let latest = own.into_iter().chain(&told.to_all).max_by_key(|entry| entry.learnt);
        latest.map(|entry| Arc::clone(&entry.tool))
    }
}

#[cfg(test)]
impl ToolBook {
    fn len(&self) -> usize {
        self.pages.read().unwrap_or_else(PoisonError::into_inner).order.len()
    }
}

impl Pages {
    fn put(&mut self, name: &str, mut known: KnownTool, whose: Whose) -> Arc<KnownTool> {
        // Held, so that it outlives its removal.
        let last = self.tools.get(name).and_then(|told| told.last.upgrade());
        self.remove(name, whose);
        let tool = match last {
            Some(last) if *last == known => last,
            Some(last) if last.output_schema == known.output_schema => {
                known.output_schema.clone_from(&last.output_schema);
                Arc::new(known)
            }
            _ => Arc::new(known),
        };
        let name: Arc<str> = name.into();
        let bytes = 256 + 2 * name.len() + tool.size();
        while self.order.len() >= MAX_KNOWN_TOOLS || self.bytes.saturating_add(bytes) > MAX_BOOK_BYTES {
            let Some((oldest, whose)) = self.order.values().next().cloned() else { break };
            self.remove(&oldest, whose);
        }
        self.clock += 1;
        self.bytes += bytes;
        self.order.insert(self.clock, (Arc::clone(&name), whose));
        let entry = Entry { tool: Arc::clone(&tool), learnt: self.clock, bytes };
        let told = self.tools.entry(name).or_default();
        told.last = Arc::downgrade(&tool);
        match whose.0 {
            None => told.to_all = Some(entry),
            Some(context) => drop(told.to_some.insert(context, entry)),
        }
        tool
    }

    fn remove(&mut self, name: &str, whose: Whose) {
        let Some(told) = self.tools.get_mut(name) else { return };
        let entry = match whose.0 {
            None => told.to_all.take(),
            Some(context) => told.to_some.remove(&context),
        };
        if told.to_all.is_none() && told.to_some.is_empty() {
            self.tools.remove(name);
        }
        if let Some(entry) = entry {
            self.order.remove(&entry.learnt);
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use http::HeaderMap;

    use super::*;
    use crate::cache::Principal;

    /// What nobody but everybody was told.
    impl ToolBook {
        fn hear(&self, tool: &Tool) -> Arc<KnownTool> {
            self.learn(tool, Whose::EVERYBODYS)
        }

        fn find(&self, name: &str) -> Option<Arc<KnownTool>> {
            self.get(name, || panic!("no context is needed"))
        }
    }

    fn tool(name: &str, input: Value) -> Tool {
        Tool::new(name, input)
    }

    fn region(header: &str) -> Value {
        json!({"type": "object", "properties": {"r": {"type": "string", "x-mcp-header": header}}})
    }

    #[test]
    fn xmh_17_the_latest_definition_counts() {
        let book = ToolBook::default();
        book.hear(&tool("t", region("A")));
        book.hear(&tool("t", region("B")));
        let known = book.find("t").unwrap();
        let names: Vec<String> =
            known.header_params.as_ref().unwrap().header_names().map(ToString::to_string).collect();
        assert_eq!(names, ["mcp-param-b"]);
        assert_eq!(book.len(), 1);
    }

    #[test]
    fn xmh_19_an_unseen_tool_is_unknown() {
        let book = ToolBook::default();
        book.hear(&tool("t", json!({})));
        assert!(book.find("T").is_none());
    }

    #[test]
    fn xmh_11_an_invalid_tool_is_known_as_such_and_touches_no_other() {
        let book = ToolBook::default();
        book.hear(&tool("bad", region("a b")));
        book.hear(&tool("good", region("A")));
        assert!(book.find("bad").unwrap().header_params.is_err());
        assert!(book.find("good").unwrap().header_params.is_ok());
    }

    #[test]
    fn the_same_output_schema_is_kept_and_another_is_not() {
        let book = ToolBook::default();
        let with = |input: Value, output: Value| tool("t", input).with_output_schema(output);
        let first = book.hear(&with(json!({}), json!({"type": "object"})));
        let same = book.hear(&with(json!({}), json!({"type": "object"})));
        assert!(Arc::ptr_eq(&first, &same));
        let schema = |known: &KnownTool| known.output_schema.clone().unwrap();
        let other_input = book.hear(&with(region("A"), json!({"type": "object"})));
        assert!(!Arc::ptr_eq(&first, &other_input));
        assert!(schema(&first).is_same(&schema(&other_input)));
        let other = book.hear(&with(json!({}), json!({"type": "array"})));
        assert!(!schema(&first).is_same(&schema(&other)));
        assert_eq!(schema(&other).raw().get(), r#"{"type":"array"}"#);
    }

    #[test]
    fn annotations_are_kept_without_what_nobody_reads() {
        let book = ToolBook::default();
        let text = r#"{"name":"t","inputSchema":{},"annotations":{"readOnlyHint":true,"vendor":[1]}}"#;
        let known = book.hear(&serde_json::from_str(text).unwrap());
        let annotations = known.annotations.as_ref().unwrap();
        assert!(annotations.is_read_only() && annotations.extra.is_empty());
    }

    #[test]
    fn the_oldest_tool_goes_first() {
        let book = ToolBook::default();
        for i in 0..MAX_KNOWN_TOOLS {
            book.hear(&tool(&i.to_string(), json!({})));
        }
        // Learnt again, it is no longer the oldest.
        book.hear(&tool("0", json!({})));
        book.hear(&tool("new", json!({})));
        assert_eq!(book.len(), MAX_KNOWN_TOOLS);
        assert!(book.find("0").is_some() && book.find("new").is_some());
        assert!(book.find("1").is_none() && book.find("2").is_some());
    }

    #[test]
    fn the_bytes_are_bounded_too() {
        let book = ToolBook::default();
        let large =
            |name: &str| tool(name, json!({})).with_output_schema(json!("x".repeat(MAX_BOOK_BYTES / 3)));
        for name in ["a", "b", "c"] {
            book.hear(&large(name));
        }
        assert!(book.find("a").is_none() && book.find("b").is_some() && book.find("c").is_some());
        book.hear(&tool("huge", json!({})).with_output_schema(json!("x".repeat(MAX_BOOK_BYTES))));
        assert_eq!(book.len(), 1);
        assert!(book.find("huge").is_some());
        book.hear(&tool("small", json!({})));
        assert_eq!(book.len(), 1);
    }

    fn user(name: &str) -> Authorization {
        Authorization::of("s", &HeaderMap::new(), Some(name), &Principal::Visible)
    }

    fn header(book: &ToolBook, name: &str) -> Option<String> {
        let known = book.get("t", || user(name))?;
        known.header_params.as_ref().unwrap().header_names().next().map(ToString::to_string)
    }

    #[test]
    fn what_one_is_told_counts_for_nobody_else_and_the_latest_word_holds() {
        let book = ToolBook::default();
        let own = |name| Whose(Some(user(name)));
        book.learn(&tool("t", region("A")), own("alice"));
        assert_eq!((header(&book, "alice").as_deref(), header(&book, "bob")), (Some("mcp-param-a"), None));
        book.learn(&tool("t", region("B")), own("bob"));
        book.learn(&tool("t", region("C")), Whose::EVERYBODYS);
        for name in ["alice", "bob", "carol"] {
            assert_eq!(header(&book, name).as_deref(), Some("mcp-param-c"), "{name}: told to all, and later");
        }
        book.learn(&tool("t", region("D")), own("alice"));
        assert_eq!(header(&book, "alice").as_deref(), Some("mcp-param-d"));
        assert_eq!(header(&book, "bob").as_deref(), Some("mcp-param-c"));
        assert_eq!(book.len(), 3);
    }

    #[test]
    fn the_same_definition_is_kept_once_whoever_is_told_it() {
        let book = ToolBook::default();
        let of_all = book.hear(&tool("t", region("A")));
        for name in ["alice", "bob"] {
            let own = book.learn(&tool("t", region("A")), Whose(Some(user(name))));
            assert!(Arc::ptr_eq(&own, &of_all), "{name}");
        }
    }

    #[test]
    fn the_tools_of_many_users_are_bounded_like_those_of_one() {
        let book = ToolBook::default();
        for i in 0..=MAX_KNOWN_TOOLS {
            book.learn(&tool("t", json!({})), Whose(Some(user(&i.to_string()))));
        }
        assert_eq!(book.len(), MAX_KNOWN_TOOLS);
        assert!(book.get("t", || user("0")).is_none() && book.get("t", || user("1")).is_some());
    }
}
