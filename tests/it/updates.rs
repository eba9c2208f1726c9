//! Progress and log messages of a call.
