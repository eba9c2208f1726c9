//! Why a value was not checked.

use std::fmt;

use super::violation::bounded;

/// Why a schema or a value cannot be used for checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaFaultKind {
    /// `$schema` names a dialect that is not supported; [`detail`](SchemaFault::detail) is its name.
    UnsupportedDialect,
    /// The schema is invalid for its dialect; [`detail`](SchemaFault::detail) says where and how.
    InvalidSchema,
    /// A `$ref` leads out of the schema, or nowhere; [`detail`](SchemaFault::detail) is the reference.
    UnresolvedRef,
    /// A pattern needs look-around or back-references, is malformed, or is too large.
    UnsupportedPattern,
    /// The schema's text is larger than 1 MiB.
    SchemaTooLarge,
    /// The schema is nested deeper than 127 levels.
    SchemaTooDeep,
    /// The schema has more than 10,000 subschemas.
    TooManySubschemas,
    /// The schema's parts refer to each other in too many ways.
    TooComplex,
    /// The value's text is larger than 4 MiB.
    ValueTooLarge,
    /// The value is nested deeper than 127 levels.
    ValueTooDeep,
    /// A number in the value or the schema is beyond what a double holds.
    NumberOutOfRange,
    /// Checking this value could take too long.
    TooMuchWork,
    /// The validator failed.
    Internal,
}

/// Why a value was not checked against its schema.
///
/// The text is one short sentence. What it quotes of the schema is escaped and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    kind: SchemaFaultKind,
    detail: String,
}

impl SchemaFault {
    pub(super) fn new(kind: SchemaFaultKind) -> Self {
        Self { kind, detail: String::new() }
    }

    pub(super) fn with(kind: SchemaFaultKind, detail: impl fmt::Display) -> Self {
        Self { kind, detail: bounded(detail) }
    }

    /// What is wrong.
    pub fn kind(&self) -> SchemaFaultKind {
        self.kind
    }

    /// More about it, escaped and at most 256 characters; empty where the kind says it all.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SchemaFaultKind as Kind;
        f.write_str(match self.kind {
            Kind::UnsupportedDialect => "the schema's dialect is not supported",
            Kind::InvalidSchema => "the schema is invalid for its dialect",
            Kind::UnresolvedRef => "a reference leads out of the schema",
            Kind::UnsupportedPattern => "a pattern of the schema is not supported",
            Kind::SchemaTooLarge => "the schema is too large",
            Kind::SchemaTooDeep => "the schema is nested too deep",
            Kind::TooManySubschemas => "the schema has too many subschemas",
            Kind::TooComplex => "the schema is too complex",
            Kind::ValueTooLarge => "the value is too large to be checked",
            Kind::ValueTooDeep => "the value is nested too deep to be checked",
            Kind::NumberOutOfRange => "a number is out of range",
            Kind::TooMuchWork => "checking the value could take too long",
            Kind::Internal => "the validator failed",
        })?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

impl std::error::Error for SchemaFault {}
