//! JSON that cannot be read or written.

use std::fmt;

/// A value does not fit a type, a text is not JSON, or a value cannot be written as JSON.
///
/// It says what and where, and may quote names of members, but no values.
#[derive(Debug)]
pub struct JsonError(serde_json::Error);

impl JsonError {
    pub(crate) fn new(error: serde_json::Error) -> Self {
        Self(error)
    }

    /// The line of the fault, counted from 1; 0 where there was no text.
    pub fn line(&self) -> usize {
        self.0.line()
    }

    /// The column of the fault, counted from 1; 0 where there was no text.
    pub fn column(&self) -> usize {
        self.0.column()
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for JsonError {}
