//! Which dialect a schema is written in.

use jsonschema::Draft;
use serde_json::Value;

use super::{SchemaFault, SchemaFaultKind};

/// The dialect of a schema: that of `$schema`, else 2020-12.
pub(super) fn of(schema: &Value) -> Result<Draft, SchemaFault> {
    match schema.get("$schema") {
        None => Ok(Draft::Draft202012),
        Some(Value::String(name)) => named(name),
        Some(_) => Err(SchemaFault::with(SchemaFaultKind::InvalidSchema, "`$schema` is not a string")),
    }
}

/// The dialect of this name.
pub(super) fn named(name: &str) -> Result<Draft, SchemaFault> {
    let id = name.strip_suffix('#').unwrap_or(name);
    let id = id.strip_prefix("http://").or_else(|| id.strip_prefix("https://"));
    match id {
        Some("json-schema.org/draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some("json-schema.org/draft/2019-09/schema") => Ok(Draft::Draft201909),
        Some("json-schema.org/draft-07/schema") => Ok(Draft::Draft7),
        Some("json-schema.org/draft-06/schema") => Ok(Draft::Draft6),
        Some("json-schema.org/draft-04/schema") => Ok(Draft::Draft4),
        _ => Err(SchemaFault::with(SchemaFaultKind::UnsupportedDialect, name)),
    }
}
