//! The schema of a tool's structured content.
//!
//! The text is always kept. With the feature `schema`, values are checked against it.

use std::fmt;
use std::sync::Arc;
#[cfg(feature = "schema")]
use std::sync::OnceLock;

use mcp_types::RawJson;

#[cfg(feature = "schema")]
pub use self::{
    fault::{SchemaFault, SchemaFaultKind},
    violation::{MAX_VIOLATIONS, SchemaViolation, Validation},
};

#[cfg(feature = "schema")]
pub(crate) use self::pattern::{MAX_PATTERNS, weight as pattern_weight};

#[cfg(feature = "schema")]
mod checker;
#[cfg(feature = "schema")]
mod dialect;
#[cfg(feature = "schema")]
mod document;
#[cfg(feature = "schema")]
mod fault;
#[cfg(feature = "schema")]
mod pattern;
#[cfg(feature = "schema")]
mod plan;
#[cfg(feature = "schema")]
mod violation;
#[cfg(feature = "schema")]
mod work;

/// An `outputSchema`: the text as it came, and with the feature `schema` what it was compiled to.
///
/// Clones are cheap and share the compiled schema. Equality compares the texts.
#[derive(Clone)]
pub struct OutputSchema(Arc<Kept>);

struct Kept {
    raw: RawJson,
    #[cfg(feature = "schema")]
    checker: OnceLock<Result<checker::Checker, SchemaFault>>,
}

impl OutputSchema {
    /// Keeps a schema. Nothing is checked or compiled yet.
    pub fn new(schema: RawJson) -> Self {
        Self(Arc::new(Kept {
            raw: schema,
            #[cfg(feature = "schema")]
            checker: OnceLock::new(),
        }))
    }

    /// The text as it came.
    pub fn raw(&self) -> &RawJson {
        &self.0.raw
    }

    /// Checks a value. The schema is compiled at the first use and kept, and so is why it cannot be.
    ///
    /// **Dialects**: 2020-12, also where there is no `$schema`; 2019-09; draft-07, draft-06 and draft-04. `format` and
    /// `contentSchema` are annotations, not checked. A `$ref` resolves within the schema only: nothing is ever fetched from a
    /// network or a file, and such a schema is a fault.
    ///
    /// **Bounds**, since schemas come from servers; beyond any of them the value is [`NotChecked`](Validation::NotChecked):
    ///
    /// * of the schema: 1 MiB of text, 127 levels, 10,000 subschemas;
    /// * of its patterns: matched in linear time, thus without look-around and back-references, and bounded in size;
    /// * of the value: 4 MiB of text, 127 levels;
    /// * of the work: before a value is checked, the steps that this can take at most are counted, with every branch, `$ref`
    ///   and element. More than 4,000,000, or a path of more than 256 subschemas, are refused. That is a few tenths of a
    ///   second at worst; ordinary schemas and values take microseconds;
    /// * of the violations: 64 are listed. Where listing them could take more than 100,000 steps, one stands for all.
    ///
    /// **Numbers** compare exactly as far as 64-bit integers and doubles go; integers beyond 64 bits and decimals are
    /// rounded to a double first.
    ///
    /// The time is spent on the calling thread; nothing is spawned.
    #[cfg(feature = "schema")]
    pub fn validate(&self, value: &RawJson) -> Validation {
        match self.0.checker.get_or_init(|| checker::Checker::compile(&self.0.raw)) {
            Ok(checker) => checker.check(value),
            Err(fault) => Validation::NotChecked(fault.clone()),
        }
    }

    /// Whether two are clones of one, and share what was compiled.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for OutputSchema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.raw() == other.raw()
    }
}

impl Eq for OutputSchema {}

impl fmt::Debug for OutputSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutputSchema").field(self.raw()).finish()
    }
}

#[cfg(feature = "schema")]
#[cfg(test)]
mod tests;
