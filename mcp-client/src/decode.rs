//! How a reply becomes an answer: one decoder for every transport, sans-IO.
//!
//! Two steps. [`envelope`] finds the one JSON-RPC response to a call; [`result`] decodes what it carries into the
//! one type that the method implies. There is no union of all results anywhere.

mod call_tool;
mod envelope;
mod members;
mod opened;
mod result;

#[cfg(test)]
mod tests;

pub(crate) use self::{
    call_tool::call_tool,
    envelope::{ErrorBody, Event, Reply, event, is_plainly, reply},
    members::Members,
    opened::{Acknowledged, Opened},
    result::{Decoded, Expect, Notes, Shape, as_it_is, invalid, result},
};
