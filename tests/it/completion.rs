//! Completion.
