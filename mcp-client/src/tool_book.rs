//! What the client knows of a server's tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use mcp_types::{RawMap, Tool, ToolAnnotations};

use crate::{
    header_params::{HeaderParams, HeaderParamsFault},
    schema::OutputSchema,
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

/// The tools of one server, as last learnt.
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
    tools: HashMap<Arc<str>, Entry>,
    /// Names by when they were learnt.
    order: BTreeMap<u64, Arc<str>>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    tool: Arc<KnownTool>,
    learnt: u64,
    bytes: usize,
}

impl ToolBook {
    /// Reads a definition and keeps it in place of an older one. A schema whose text is the same as before stays compiled.
    pub(crate) fn learn(&self, tool: &Tool) -> Arc<KnownTool> {
        // Reading is the long part and needs no lock.
        let known = KnownTool::of(tool);
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        pages.put(&tool.name, known)
    }

    /// What is known of a tool.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<KnownTool>> {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        pages.tools.get(name).map(|entry| Arc::clone(&entry.tool))
    }
}

#[cfg(test)]
impl ToolBook {
    fn len(&self) -> usize {
        self.pages.read().unwrap_or_else(PoisonError::into_inner).tools.len()
    }
}

impl Pages {
    fn put(&mut self, name: &str, mut known: KnownTool) -> Arc<KnownTool> {
        let before = self.remove(name);
        let tool = match before {
            Some(before) if *before == known => before,
            Some(before) if before.output_schema == known.output_schema => {
                known.output_schema.clone_from(&before.output_schema);
                Arc::new(known)
            }
            _ => Arc::new(known),
        };
        let name: Arc<str> = name.into();
        let bytes = 256 + 2 * name.len() + tool.size();
        while self.tools.len() >= MAX_KNOWN_TOOLS || self.bytes.saturating_add(bytes) > MAX_BOOK_BYTES {
            let Some(oldest) = self.order.values().next().map(Arc::clone) else { break };
            self.remove(&oldest);
        }
        self.clock += 1;
        self.bytes += bytes;
        self.order.insert(self.clock, Arc::clone(&name));
        self.tools.insert(name, Entry { tool: Arc::clone(&tool), learnt: self.clock, bytes });
        tool
    }

    fn remove(&mut self, name: &str) -> Option<Arc<KnownTool>> {
        let entry = self.tools.remove(name)?;
        self.order.remove(&entry.learnt);
        self.bytes -= entry.bytes;
        Some(entry.tool)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn tool(name: &str, input: Value) -> Tool {
        Tool::new(name, input)
    }

    fn region(header: &str) -> Value {
        json!({"type": "object", "properties": {"r": {"type": "string", "x-mcp-header": header}}})
    }

    #[test]
    fn xmh_17_the_latest_definition_counts() {
        let book = ToolBook::default();
        book.learn(&tool("t", region("A")));
        book.learn(&tool("t", region("B")));
        let known = book.get("t").unwrap();
        let names: Vec<String> =
            known.header_params.as_ref().unwrap().header_names().map(ToString::to_string).collect();
        assert_eq!(names, ["mcp-param-b"]);
        assert_eq!(book.len(), 1);
    }

    #[test]
    fn xmh_19_an_unseen_tool_is_unknown() {
        let book = ToolBook::default();
        book.learn(&tool("t", json!({})));
        assert!(book.get("T").is_none());
    }

    #[test]
    fn xmh_11_an_invalid_tool_is_known_as_such_and_touches_no_other() {
        let book = ToolBook::default();
        book.learn(&tool("bad", region("a b")));
        book.learn(&tool("good", region("A")));
        assert!(book.get("bad").unwrap().header_params.is_err());
        assert!(book.get("good").unwrap().header_params.is_ok());
    }

    #[test]
    fn the_same_output_schema_is_kept_and_another_is_not() {
        let book = ToolBook::default();
        let with = |input: Value, output: Value| tool("t", input).with_output_schema(output);
        let first = book.learn(&with(json!({}), json!({"type": "object"})));
        let same = book.learn(&with(json!({}), json!({"type": "object"})));
        assert!(Arc::ptr_eq(&first, &same));
        let schema = |known: &KnownTool| known.output_schema.clone().unwrap();
        let other_input = book.learn(&with(region("A"), json!({"type": "object"})));
        assert!(!Arc::ptr_eq(&first, &other_input));
        assert!(schema(&first).is_same(&schema(&other_input)));
        let other = book.learn(&with(json!({}), json!({"type": "array"})));
        assert!(!schema(&first).is_same(&schema(&other)));
        assert_eq!(schema(&other).raw().get(), r#"{"type":"array"}"#);
    }

    #[test]
    fn annotations_are_kept_without_what_nobody_reads() {
        let book = ToolBook::default();
        let text = r#"{"name":"t","inputSchema":{},"annotations":{"readOnlyHint":true,"vendor":[1]}}"#;
        let known = book.learn(&serde_json::from_str(text).unwrap());
        let annotations = known.annotations.as_ref().unwrap();
        assert!(annotations.is_read_only() && annotations.extra.is_empty());
    }

    #[test]
    fn the_oldest_tool_goes_first() {
        let book = ToolBook::default();
        for i in 0..MAX_KNOWN_TOOLS {
            book.learn(&tool(&i.to_string(), json!({})));
        }
        // Learnt again, it is no longer the oldest.
        book.learn(&tool("0", json!({})));
        book.learn(&tool("new", json!({})));
        assert_eq!(book.len(), MAX_KNOWN_TOOLS);
        assert!(book.get("0").is_some() && book.get("new").is_some());
        assert!(book.get("1").is_none() && book.get("2").is_some());
    }

    #[test]
    fn the_bytes_are_bounded_too() {
        let book = ToolBook::default();
        let large =
            |name: &str| tool(name, json!({})).with_output_schema(json!("x".repeat(MAX_BOOK_BYTES / 3)));
        for name in ["a", "b", "c"] {
            book.learn(&large(name));
        }
        assert!(book.get("a").is_none() && book.get("b").is_some() && book.get("c").is_some());
        book.learn(&tool("huge", json!({})).with_output_schema(json!("x".repeat(MAX_BOOK_BYTES))));
        assert_eq!(book.len(), 1);
        assert!(book.get("huge").is_some());
        book.learn(&tool("small", json!({})));
        assert_eq!(book.len(), 1);
    }
}
