//! JSON that cannot be read or written.

use std::fmt;

use serde_json::error::Category;

/// A value does not fit a type, a text is not JSON, or a value cannot be written as JSON.
///
/// Of a text that was read, `Display` says of what sort the fault is and where it is; the parser's own words, which may quote
/// values, are in [`detail`](Self::detail) only. Of a value that could not be written, `Display` repeats what its `Serialize`
/// said. `Debug` shows neither.
pub struct JsonError {
    error: serde_json::Error,
    writing: bool,
}

impl JsonError {
    pub(crate) fn reading(error: serde_json::Error) -> Self {
        Self { error, writing: false }
    }

    pub(crate) fn writing(error: serde_json::Error) -> Self {
        Self { error, writing: true }
    }

    /// What the parser says of the fault; it may quote names and values.
    pub fn detail(&self) -> String {
        self.error.to_string()
    }

    /// The line of the fault, counted from 1; 0 where there was no text.
    pub fn line(&self) -> usize {
        self.error.line()
    }

    /// The column of the fault, counted from 1; 0 where there was no text.
    pub fn column(&self) -> usize {
        self.error.column()
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.writing {
            return self.error.fmt(f);
        }
        let what = match self.error.classify() {
            Category::Data => "a json value does not have the expected type or members",
            Category::Syntax => "a text is not json",
            Category::Eof => "a json text breaks off",
            Category::Io => "json cannot be read",
        };
        f.write_str(what)?;
        if self.error.line() > 0 {
            write!(f, " at line {} column {}", self.error.line(), self.error.column())?;
        }
        Ok(())
    }
}

impl fmt::Debug for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.writing { "writing" } else { "reading" };
        f.debug_struct("JsonError").field("while", &what).field("line", &self.line()).finish_non_exhaustive()
    }
}

impl std::error::Error for JsonError {}
