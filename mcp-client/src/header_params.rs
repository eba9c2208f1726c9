//! Parameters of a tool that are mirrored into headers: `x-mcp-header` in its `inputSchema`.
//!
//! Source: transports/streamable-http, "Custom Headers from Tool Parameters". What is read here comes from a server; sizes
//! and depths are bounded, and no recursion follows the schema beyond its parsed depth.

use std::collections::{BTreeMap, HashSet};

use http::{HeaderName, HeaderValue};
use mcp_types::RawJson;
use serde_json::{Map, Value};

pub use self::fault::{HeaderParamsFault, HeaderParamsFaultKind};

mod fault;
mod mirror;

/// The keyword that marks a property.
const ANNOTATION: &str = "x-mcp-header";

/// What comes before the annotation's value in the name of the header.
const PREFIX: &str = "Mcp-Param-";

/// Up to this size, in bytes, a schema with annotations is read: 1 MiB. A larger one makes its tool invalid.
pub const MAX_INPUT_SCHEMA: usize = 1 << 20;

/// Keywords whose value is a schema.
const ONE_SCHEMA: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas.
const SCHEMA_LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords whose value is an object of schemas, by names that mean nothing here.
const NAMED_SCHEMAS: [&str; 5] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];

/// Which parameters of a tool go into `Mcp-Param-…` headers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct HeaderParams {
    root: Branch,
    params: Vec<Param>,
}

/// One mirrored parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Param {
    header: HeaderName,
    kind: ParamKind,
}

/// The types that a mirrored parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParamKind {
    Integer,
    String,
    Boolean,
}

/// The annotated properties below one object, by the next name of their path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Branch(BTreeMap<String, Step>);

/// A property on the way to annotated ones, or annotated itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Step {
    /// The place in `HeaderParams::params`.
    param: Option<usize>,
    below: Branch,
}

impl HeaderParams {
    /// Reads the annotations of a tool's `inputSchema` and checks every rule of the specification for them.
    ///
    /// A schema that does not mention `x-mcp-header` is not parsed and has no such parameters, whatever else is wrong with
    /// it. Values that are no schemas (`const`, `enum`, `default`, `examples`) are not searched.
    ///
    /// # Errors
    ///
    /// When an annotation breaks a rule: the tool is then not to be listed. So it is when a schema with annotations is larger
    /// than [`MAX_INPUT_SCHEMA`] or nested deeper than 127 levels.
    pub(crate) fn of(input_schema: &RawJson) -> Result<Self, HeaderParamsFault> {
        if !may_be_annotated(input_schema.get()) {
            return Ok(Self::default());
        }
        if input_schema.get().len() > MAX_INPUT_SCHEMA {
            return Err(HeaderParamsFault::new(HeaderParamsFaultKind::TooLarge, ""));
        }
        let Ok(schema) = input_schema.to_value() else {
            // The text is JSON, so it is nested too deep, or has a number of hundreds of digits.
            return Err(HeaderParamsFault::new(HeaderParamsFaultKind::TooDeep, ""));
        };
        let mut reader = Reader { found: Self::default(), headers: HashSet::new(), pointer: String::new() };
        reader.schema(&schema, &Place::Reachable(Vec::new()))?;
        Ok(reader.found)
    }

    /// The names of the headers, in lower case.
    #[cfg(test)]
    pub(crate) fn header_names(&self) -> impl Iterator<Item = &HeaderName> {
        self.params.iter().map(|param| &param.header)
    }

    /// Whether no parameter is mirrored.
    pub(crate) fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// About how many bytes this keeps.
    pub(crate) fn size(&self) -> usize {
        fn below(branch: &Branch) -> usize {
            branch.0.iter().map(|(name, step)| 64 + name.len() + below(&step.below)).sum()
        }
        let headers: usize = self.params.iter().map(|param| 48 + param.header.as_str().len()).sum();
        headers + below(&self.root)
    }
}

/// Whether the text may hold the annotation; escaped it would be written with `\u`.
fn may_be_annotated(schema: &str) -> bool {
    let has = |needle: &str| memchr::memmem::find(schema.as_bytes(), needle.as_bytes()).is_some();
    has(ANNOTATION) || has("\\u")
}

/// Where a schema stands.
enum Place<'a> {
    /// Below the root through `properties` only; empty is the root itself.
    Reachable(Vec<&'a str>),
    /// Anywhere else.
    Elsewhere,
}

/// Reads a schema from the root on.
struct Reader {
    found: HeaderParams,
    headers: HashSet<HeaderName>,
    /// The JSON pointer of the schema at hand.
    pointer: String,
}

impl Reader {
    fn schema(&mut self, schema: &Value, place: &Place<'_>) -> Result<(), HeaderParamsFault> {
        let Some(schema) = schema.as_object() else { return Ok(()) };
        if let Some(annotation) = schema.get(ANNOTATION) {
            self.annotation(schema, annotation, place)?;
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                let place = match place {
                    Place::Reachable(names) => {
                        Place::Reachable([names.as_slice(), &[name.as_str()]].concat())
                    }
                    Place::Elsewhere => Place::Elsewhere,
                };
                self.at(&["properties", name], property, &place)?;
            }
        }
        for keyword in ONE_SCHEMA {
            if let Some(value) = schema.get(keyword) {
                self.at(&[keyword], value, &Place::Elsewhere)?;
            }
        }
        for keyword in SCHEMA_LIST {
            let list = schema.get(keyword).and_then(Value::as_array);
            for (index, value) in list.into_iter().flatten().enumerate() {
                self.at(&[keyword, &index.to_string()], value, &Place::Elsewhere)?;
            }
        }
        for keyword in NAMED_SCHEMAS {
            let named = schema.get(keyword).and_then(Value::as_object);
            for (name, value) in named.into_iter().flatten() {
                self.at(&[keyword, name], value, &Place::Elsewhere)?;
            }
        }
        Ok(())
    }

    fn at(&mut self, steps: &[&str], schema: &Value, place: &Place<'_>) -> Result<(), HeaderParamsFault> {
        if !schema.is_object() {
            return Ok(());
        }
        let before = self.pointer.len();
        for step in steps {
            self.pointer.push('/');
            self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        }
        self.schema(schema, place)?;
        self.pointer.truncate(before);
        Ok(())
    }

    fn annotation(
        &mut self,
        schema: &Map<String, Value>,
        annotation: &Value,
        place: &Place<'_>,
    ) -> Result<(), HeaderParamsFault> {
        let fault = |kind| HeaderParamsFault::new(kind, &self.pointer);
        let name = annotation.as_str().ok_or_else(|| fault(HeaderParamsFaultKind::NotAString))?;
        if name.is_empty() {
            return Err(fault(HeaderParamsFaultKind::Empty));
        }
        if !name.bytes().all(is_token_byte) {
            return Err(fault(HeaderParamsFaultKind::NotAToken));
        }
        let Place::Reachable(path) = place else { return Err(fault(HeaderParamsFaultKind::Unreachable)) };
        let Some((last, above)) = path.split_last() else {
            return Err(fault(HeaderParamsFaultKind::Unreachable));
        };
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("integer") => ParamKind::Integer,
            Some("string") => ParamKind::String,
            Some("boolean") => ParamKind::Boolean,
            _ => return Err(fault(HeaderParamsFaultKind::WrongType)),
        };
        // All that can fail for a token is its length.
        let header = HeaderName::try_from(format!("{PREFIX}{name}"))
            .map_err(|_| fault(HeaderParamsFaultKind::TooLarge))?;
        // Header names are in lower case, so this ignores ASCII case.
        if !self.headers.insert(header.clone()) {
            return Err(fault(HeaderParamsFaultKind::Duplicate));
        }
        let mut branch = &mut self.found.root;
        for name in above {
            branch = &mut branch.0.entry((*name).to_owned()).or_default().below;
        }
        branch.0.entry((*last).to_owned()).or_default().param = Some(self.found.params.len());
        self.found.params.push(Param { header, kind });
        Ok(())
    }
}

/// RFC 9110, section 5.6.2: `tchar`.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The value of one parameter, if a header can carry it.
fn header_value(kind: ParamKind, value: &RawJson) -> Option<HeaderValue> {
    let fits = match kind {
        ParamKind::Integer => value.is_number(),
        ParamKind::String => value.is_string(),
        ParamKind::Boolean => value.is_bool(),
    };
    let text = if fits { mcp_types::header_value::encode_json(value)? } else { return None };
    let mut value = HeaderValue::try_from(text).ok()?;
    // Arguments may hold what is not to be logged.
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests;
