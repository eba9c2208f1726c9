//! The subschemas of a schema and how checking goes from one to another: what is needed to count work.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::document::Document;
use super::{SchemaFault, SchemaFaultKind, dialect, pattern};

/// How many subschemas a schema may have.
pub(super) const MAX_SUBSCHEMAS: usize = 10_000;

/// How many ways may lead from one subschema to another.
const MAX_EDGES: usize = 100_000;

/// How a subschema is applied to the value that its parent is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InPlace {
    /// By reference; the validator does not enter a target again that it is in already.
    Reference,
    /// It has to hold.
    All,
    /// It is tried.
    Choice,
}

/// One subschema, all dialects taken together.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// About how much the keywords hold that have no subschemas.
    pub(super) weight: u64,
    /// The states of its pattern.
    pub(super) pattern: u64,
    /// The states of the patterns for names.
    pub(super) name_patterns: u64,
    pub(super) in_place: Vec<(usize, InPlace)>,
    pub(super) properties: HashMap<String, usize>,
    pub(super) each_property: Vec<usize>,
    pub(super) names: Vec<usize>,
    pub(super) prefix: Vec<usize>,
    pub(super) each_item: Vec<usize>,
    /// Whether it asks what others have evaluated.
    pub(super) unevaluated: bool,
    pub(super) unique: bool,
}

impl Node {
    /// All that it leads to.
    pub(super) fn next(&self) -> impl Iterator<Item = usize> + '_ {
        let lists = [&self.each_property, &self.names, &self.prefix, &self.each_item];
        let in_place = self.in_place.iter().map(|(node, _)| *node);
        in_place.chain(self.properties.values().copied()).chain(lists.into_iter().flatten().copied())
    }
}

/// The subschemas that can be reached; the first is the root.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
}

impl Plan {
    pub(super) fn of(root: &Value) -> Result<Self, SchemaFault> {
        let document = Document::of(root)?;
        let mut builder =
            Builder { document, places: HashMap::new(), open: Vec::new(), edges: 0, patterns: 0 };
        builder.place(root)?;
        let mut nodes = Vec::new();
        // Places are numbered in the order of this list, so a node's place is its number.
        while let Some(schema) = builder.open.get(nodes.len()).copied() {
            nodes.push(builder.node(schema)?);
        }
        Ok(Self { nodes })
    }
}

struct Builder<'a> {
    document: Document<'a>,
    /// The number of each subschema, by its address in the document.
    places: HashMap<usize, usize>,
    open: Vec<&'a Value>,
    edges: usize,
    patterns: u64,
}

impl<'a> Builder<'a> {
    fn place(&mut self, schema: &'a Value) -> Result<usize, SchemaFault> {
        self.edges += 1;
        if self.edges > MAX_EDGES {
            return Err(SchemaFault::new(SchemaFaultKind::TooComplex));
        }
        let next = self.open.len();
        let place = *self.places.entry(std::ptr::from_ref(schema).addr()).or_insert(next);
        if place == next {
            if next == MAX_SUBSCHEMAS {
                return Err(SchemaFault::new(SchemaFaultKind::TooManySubschemas));
            }
            self.open.push(schema);
        }
        Ok(place)
    }

    fn places(&mut self, schemas: impl IntoIterator<Item = &'a Value>) -> Result<Vec<usize>, SchemaFault> {
        schemas.into_iter().map(|schema| self.place(schema)).collect()
    }

    fn node(&mut self, schema: &'a Value) -> Result<Node, SchemaFault> {
        let mut node = Node { weight: 1, ..Node::default() };
        let Some(schema) = schema.as_object() else { return Ok(node) };
        for (keyword, value) in schema {
            self.keyword(&mut node, keyword, value)?;
        }
        Ok(node)
    }

    fn keyword(&mut self, node: &mut Node, keyword: &str, value: &'a Value) -> Result<(), SchemaFault> {
        node.weight += 1;
        match keyword {
            "$schema" => {
                if let Some(name) = value.as_str() {
                    dialect::named(name)?;
                }
            }
            "$ref" | "$dynamicRef" => {
                if let Some(reference) = value.as_str() {
                    let targets = self.document.targets(reference)?;
                    self.in_place(node, targets, InPlace::Reference)?;
                }
            }
            "$recursiveRef" => {
                let targets = self.document.recursive_targets();
                self.in_place(node, targets, InPlace::Reference)?;
            }
            "allOf" => self.in_place(node, array(value), InPlace::All)?,
            "anyOf" | "oneOf" => self.in_place(node, array(value), InPlace::Choice)?,
            "not" | "if" | "then" | "else" => self.in_place(node, [value], InPlace::Choice)?,
            "dependentSchemas" | "dependencies" => {
                let schemas = object(value).filter(|(_, schema)| !schema.is_array());
                self.in_place(node, schemas.map(|(_, schema)| schema), InPlace::All)?;
                node.weight += size(value);
            }
            "properties" => {
                for (name, schema) in object(value) {
                    node.properties.insert(name.clone(), self.place(schema)?);
                    node.weight += 1;
                }
            }
            "patternProperties" => {
                for (name, schema) in object(value) {
                    node.name_patterns += self.pattern(name)?;
                    node.each_property.push(self.place(schema)?);
                    node.weight += 1;
                }
            }
            "additionalProperties" => node.each_property.push(self.place(value)?),
            "unevaluatedProperties" => {
                node.unevaluated = true;
                node.each_property.push(self.place(value)?);
            }
            "propertyNames" => node.names.push(self.place(value)?),
            "prefixItems" => node.prefix.extend(self.places(array(value))?),
            "items" if value.is_array() => node.prefix.extend(self.places(array(value))?),
            "items" | "additionalItems" | "contains" => node.each_item.push(self.place(value)?),
            "unevaluatedItems" => {
                node.unevaluated = true;
                node.each_item.push(self.place(value)?);
            }
            "pattern" => {
                if let Some(pattern) = value.as_str() {
                    node.pattern += self.pattern(pattern)?;
                }
            }
            // It is computed with fractions of any size.
            "multipleOf" => node.weight += 40,
            "uniqueItems" => node.unique |= value == &Value::Bool(true),
            "enum" | "const" | "required" | "dependentRequired" | "type" => node.weight += size(value),
            _ => {}
        }
        Ok(())
    }

    fn in_place(
        &mut self,
        node: &mut Node,
        schemas: impl IntoIterator<Item = &'a Value>,
        how: InPlace,
    ) -> Result<(), SchemaFault> {
        for schema in schemas {
            node.in_place.push((self.place(schema)?, how));
        }
        Ok(())
    }

    fn pattern(&mut self, text: &str) -> Result<u64, SchemaFault> {
        let weight = pattern::weight(text)?;
        // Compiling even the smallest one takes some time.
        self.patterns += weight + 20;
        if self.patterns > pattern::MAX_PATTERNS {
            return Err(SchemaFault::with(
                SchemaFaultKind::UnsupportedPattern,
                "together they are too large",
            ));
        }
        Ok(weight)
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// About how much there is to compare in a value: its parts, and a sixteenth of the bytes of its strings.
///
/// Recursion is bounded by the depth that was parsed.
pub(super) fn size(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(size).sum::<u64>() + 1,
        Value::Object(members) => {
            members.iter().map(|(name, value)| length(name) + size(value)).sum::<u64>() + 1
        }
        Value::String(text) => length(text) + 1,
        _ => 1,
    }
}

/// A sixteenth of the bytes of a text.
pub(super) fn length(text: &str) -> u64 {
    bytes(text) / 16
}

pub(super) fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
