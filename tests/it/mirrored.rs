//! Tool parameters that are mirrored to headers.
