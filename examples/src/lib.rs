//! What the programs of this package share.
#![forbid(unsafe_code)]

pub mod approve_web;
pub mod mcp_call;
pub mod store;
pub mod terminal;
mod text;

/// The README's code is compiled as this item's documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
