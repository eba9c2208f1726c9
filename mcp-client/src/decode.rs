//! How a reply becomes an answer: one decoder for every transport, sans-IO.
//!
//! Two steps. [`envelope`] finds the one JSON-RPC response to a call; [`result`] decodes what it carries into the
//! one type that the method implies. There is no union of all results anywhere.
//!
//! Before them, [`at_once`] tries to read the message in one pass: the usual answer needs no more.

mod at_once;
mod call_tool;
mod envelope;
mod members;
mod opened;
mod result;
mod scan;

#[cfg(test)]
mod tests;

pub(crate) use self::{
    at_once::{AtOnce, Complete, Want, Wanted, at_once, call_tool as call_tool_at_once, whole},
    call_tool::{call_tool, note_content},
    envelope::{ErrorBody, Event, Reply, event, is_plainly, reply},
    members::Members,
    opened::{Acknowledged, Opened},
    result::{Decoded, Expect, Notes, Shape, as_it_is, invalid, result},
    scan::Scan,
};
use self::{call_tool::MAX_BLOCKS, result::MAX_ENTRIES};
