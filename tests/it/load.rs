//! Many calls at once.
