//! Structured content against the tool's output schema.
