//! What references within a schema can lead to.
//!
//! Only the work is counted with this: the validator resolves references exactly. So where resolving needs the rules of
//! URIs, all that the reference could mean is taken; counting too much is safe.

use std::collections::HashMap;

use serde_json::Value;

use super::{SchemaFault, SchemaFaultKind};

/// The names in a schema.
pub(super) struct Document<'a> {
    root: &'a Value,
    /// Objects with an id, by the id.
    resources: Vec<(&'a str, &'a Value)>,
    anchors: HashMap<&'a str, Vec<&'a Value>>,
    /// Objects with `$recursiveAnchor`.
    recursive: Vec<&'a Value>,
    /// The keywords that name a resource.
    ids: &'static [&'static str],
}

impl<'a> Document<'a> {
    pub(super) fn of(root: &'a Value) -> Result<Self, SchemaFault> {
        // Elsewhere `id` is an ordinary member, of a default say.
        let ids: &[_] = if mentions_draft_04(root) { &["$id", "id"] } else { &["$id"] };
        let (resources, anchors, recursive) = (Vec::new(), HashMap::new(), Vec::new());
        let mut document = Self { root, resources, anchors, recursive, ids };
        document.collect(root)?;
        Ok(document)
    }

    /// Recursion is bounded by the depth that was parsed.
    fn collect(&mut self, value: &'a Value) -> Result<(), SchemaFault> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.collect(item)),
            Value::Object(members) => {
                for id in self.ids.iter().filter_map(|keyword| members.get(*keyword)?.as_str()) {
                    let (uri, anchor) = id.split_once('#').unwrap_or((id, ""));
                    check_uri(uri)?;
                    if !uri.is_empty() {
                        self.resources.push((uri, value));
                    }
                    if !anchor.is_empty() {
                        self.anchors.entry(anchor).or_default().push(value);
                    }
                }
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    if let Some(anchor) = members.get(keyword).and_then(Value::as_str) {
                        self.anchors.entry(anchor).or_default().push(value);
                    }
                }
                if members.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
                    self.recursive.push(value);
                }
                members.values().try_for_each(|member| self.collect(member))
            }
            _ => Ok(()),
        }
    }

    /// What a `$ref` or `$dynamicRef` can lead to.
    pub(super) fn targets(&self, reference: &str) -> Result<Vec<&'a Value>, SchemaFault> {
        let unresolved = || SchemaFault::with(SchemaFaultKind::UnresolvedRef, reference);
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        check_uri(uri)?;
        let name = last_segment(uri);
        let all = matches!(name, "" | "." | "..");
        let named = self.resources.iter().filter(|(id, _)| all || last_segment(id) == name);
        let mut resources: Vec<&'a Value> = named.map(|(_, resource)| *resource).collect();
        if all && !resources.iter().any(|resource| std::ptr::eq(*resource, self.root)) {
            resources.push(self.root);
        }
        let fragment = percent_decoded(fragment).ok_or_else(unresolved)?;
        let targets: Vec<&'a Value> = if fragment.is_empty() || fragment.starts_with('/') {
            resources.into_iter().filter_map(|resource| resource.pointer(&fragment)).collect()
        } else if resources.is_empty() {
            Vec::new()
        } else {
            self.anchors.get(fragment.as_str()).cloned().unwrap_or_default()
        };
        if targets.is_empty() { Err(unresolved()) } else { Ok(targets) }
    }

    /// What a `$recursiveRef` can lead to.
    pub(super) fn recursive_targets(&self) -> Vec<&'a Value> {
        let resources = self.resources.iter().map(|(_, resource)| *resource);
        resources.chain(self.recursive.iter().copied()).chain([self.root]).collect()
    }
}

/// Whether any part says that it is written in draft-04.
fn mentions_draft_04(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(mentions_draft_04),
        Value::Object(members) => {
            let dialect = members.get("$schema").and_then(Value::as_str);
            dialect.is_some_and(|name| name.contains("draft-04")) || members.values().any(mentions_draft_04)
        }
        _ => false,
    }
}

/// Refuses URIs that could name a meta-schema, which the validator knows and this count does not.
fn check_uri(uri: &str) -> Result<(), SchemaFault> {
    let lower = uri.to_ascii_lowercase();
    if lower.contains('%') || lower.contains("json-schema.org") {
        return Err(SchemaFault::with(SchemaFaultKind::UnresolvedRef, uri));
    }
    Ok(())
}

/// The last segment of a URI's path. Resolving a reference keeps it.
fn last_segment(uri: &str) -> &str {
    let uri = uri.split(['#', '?']).next().unwrap_or_default();
    uri.rsplit(['/', ':']).next().unwrap_or_default()
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(bytes.next())? * 16 + digit(bytes.next())?;
            decoded.push(u8::try_from(value).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}
