//! Nothing to be used: see `benches/`.
