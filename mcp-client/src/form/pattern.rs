//! Patterns of texts. The feature `schema` brings what matches them; without it they are only shown.

#[cfg(feature = "schema")]
use crate::schema::{MAX_PATTERNS, OutputSchema, Validation, pattern_weight};

/// A pattern that can be matched in linear time.
#[cfg(feature = "schema")]
#[derive(Clone)]
pub(super) struct Pattern(OutputSchema);

/// A pattern: there is nothing to match it with.
#[cfg(not(feature = "schema"))]
#[derive(Clone)]
pub(super) struct Pattern;

/// How much the patterns of one form weigh together, since each is compiled and kept.
#[derive(Default)]
pub(super) struct Patterns {
    #[cfg(feature = "schema")]
    weight: u64,
}

impl Patterns {
    /// A pattern, if it can be checked.
    #[cfg(feature = "schema")]
    pub(super) fn add(&mut self, pattern: &str) -> Option<Pattern> {
        let sum = self.weight.saturating_add(pattern_weight(pattern).ok()?);
        if sum > MAX_PATTERNS {
            return None;
        }
        self.weight = sum;
        let schema = mcp_types::RawJson::from_serialize(&serde_json::json!({ "pattern": pattern })).ok()?;
        Some(Pattern(OutputSchema::new(schema)))
    }

    #[cfg(not(feature = "schema"))]
    #[expect(clippy::unused_self, reason = "the same call with and without the feature")]
    pub(super) fn add(&mut self, _: &str) -> Option<Pattern> {
        None
    }
}

impl Pattern {
    /// Whether a text, as JSON, matches. What cannot be checked is left to the server.
    #[cfg(feature = "schema")]
    pub(super) fn fits(&self, text: &mcp_types::RawJson) -> bool {
        !matches!(self.0.validate(text), Validation::Invalid(_))
    }

    #[cfg(not(feature = "schema"))]
    #[expect(clippy::unused_self, reason = "the same call with and without the feature")]
    pub(super) fn fits(&self, _: &mcp_types::RawJson) -> bool {
        true
    }
}
