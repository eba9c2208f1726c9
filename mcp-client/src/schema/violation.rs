//! What a value is checked to be.

use std::fmt::{self, Write};

use super::SchemaFault;

/// How many violations are listed at most.
pub const MAX_VIOLATIONS: usize = 64;

/// The longest text of a violation or fault, in characters.
const MAX_TEXT: usize = 256;

/// What checking a value against its schema found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Validation {
    /// The value conforms.
    Valid,
    /// The value does not conform: between 1 and [`MAX_VIOLATIONS`] of the reasons.
    Invalid(Vec<SchemaViolation>),
    /// The value was not checked: the schema cannot be used, or a bound was reached.
    NotChecked(SchemaFault),
}

impl Validation {
    /// The violations; none unless it is [`Invalid`](Self::Invalid).
    pub fn violations(&self) -> &[SchemaViolation] {
        if let Self::Invalid(violations) = self { violations } else { &[] }
    }

    /// Why the value was not checked.
    pub fn fault(&self) -> Option<&SchemaFault> {
        if let Self::NotChecked(fault) = self { Some(fault) } else { None }
    }
}

/// One place where a value does not conform to its schema.
///
/// The texts are escaped and cut at 256 characters. They name members and quote the schema, but no values of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaViolation {
    instance_path: String,
    schema_path: String,
    message: String,
}

impl SchemaViolation {
    pub(super) fn new(
        instance_path: impl fmt::Display,
        schema_path: impl fmt::Display,
        message: impl fmt::Display,
    ) -> Self {
        Self {
            instance_path: bounded(instance_path),
            schema_path: bounded(schema_path),
            message: bounded(message),
        }
    }

    /// There is no value at all.
    pub(crate) fn missing() -> Self {
        Self::new("", "", "there is no structured content, which the tool promises by its schema")
    }

    /// Where in the value, as a JSON pointer; empty is the whole value.
    pub fn instance_path(&self) -> &str {
        &self.instance_path
    }

    /// The keyword that is not met, as a JSON pointer into the schema.
    pub fn schema_path(&self) -> &str {
        &self.schema_path
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.instance_path.is_empty() { "the value" } else { &self.instance_path };
        write!(f, "{place}: {}", self.message)
    }
}

/// The text with control characters escaped, cut at [`MAX_TEXT`] characters.
pub(super) fn bounded(text: impl fmt::Display) -> String {
    struct Bounded(String, usize);

    impl Write for Bounded {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for character in text.chars() {
                if self.1 >= MAX_TEXT {
                    self.0.push('…');
                    return Err(fmt::Error);
                }
                // Quotes and backslashes stay readable; what could forge a line or hide text does not get through.
                if matches!(character, '"' | '\'' | '\\') {
                    self.0.push(character);
                } else {
                    self.0.extend(character.escape_debug());
                }
                self.1 += 1;
            }
            Ok(())
        }
    }

    let mut kept = Bounded(String::new(), 0);
    // The error is how writing ends early.
    let _ = write!(kept, "{text}");
    kept.0
}
