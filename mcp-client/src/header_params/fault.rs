//! Why a tool is not listed.

use std::fmt;

/// The longest path that an error names, in characters.
const MAX_PATH: usize = 120;

/// Which rule for `x-mcp-header` a tool's `inputSchema` breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HeaderParamsFaultKind {
    /// The annotation is not a string; `null` counts too.
    NotAString,
    /// The annotation is the empty string.
    Empty,
    /// The annotation is not a token of RFC 9110, section 5.6.2.
    NotAToken,
    /// Another property has the same annotation, ASCII case ignored.
    Duplicate,
    /// The property's `type` is not exactly `integer`, `string` or `boolean`.
    WrongType,
    /// The property is not reached from the root through `properties` alone.
    Unreachable,
    /// The schema or a header's name is too large.
    TooLarge,
    /// The schema is nested too deep to be read.
    TooDeep,
}

/// Why a tool's `x-mcp-header` annotations are invalid, and with them the tool.
///
/// The text is one short sentence. The path in it comes from the server: escaped, and cut at 120 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderParamsFault {
    kind: HeaderParamsFaultKind,
    path: String,
}

impl HeaderParamsFault {
    pub(super) fn new(kind: HeaderParamsFaultKind, pointer: &str) -> Self {
        let mut path: String = pointer.chars().flat_map(char::escape_debug).take(MAX_PATH).collect();
        if pointer.chars().flat_map(char::escape_debug).nth(MAX_PATH).is_some() {
            path.push('…');
        }
        Self { kind, path }
    }

    /// Which rule is broken.
    pub fn kind(&self) -> HeaderParamsFaultKind {
        self.kind
    }

    /// The annotated schema as a JSON pointer into the `inputSchema`, escaped and cut; empty is the root.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for HeaderParamsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use HeaderParamsFaultKind as Kind;
        let what = match self.kind {
            Kind::NotAString => "is not a string",
            Kind::Empty => "is empty",
            Kind::NotAToken => "is not a token",
            Kind::Duplicate => "is used twice",
            Kind::WrongType => "is on a property that is not of type integer, string or boolean",
            Kind::Unreachable => "is on what is not reached through `properties` alone",
            Kind::TooLarge if self.path.is_empty() => return f.write_str("the input schema is too large"),
            Kind::TooDeep => return f.write_str("the input schema is nested too deep"),
            Kind::TooLarge => "is too long",
        };
        if self.path.is_empty() {
            write!(f, "the x-mcp-header at the root {what}")
        } else {
            write!(f, "the x-mcp-header at `{}` {what}", self.path)
        }
    }
}

impl std::error::Error for HeaderParamsFault {}
