//! Tokens that come from a source.
