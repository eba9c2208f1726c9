//! Trace context.
