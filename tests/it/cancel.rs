//! Calls that are given up.
