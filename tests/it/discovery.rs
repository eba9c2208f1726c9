//! What a server says of itself.
