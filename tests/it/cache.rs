//! Results that are kept.
