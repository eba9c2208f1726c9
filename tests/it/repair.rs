//! What the client mends by itself.
