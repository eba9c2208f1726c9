//! The usual answer, read in one pass: what the careful way (see [`envelope`](super::envelope) and [`result`](super::result)) would
//! make of it, or `None`.
//!
//! Everything unusual makes it `None`: it never says what is wrong, and notes nothing then. So the careful way alone decides what
//! is an error, and which.

mod call_tool;
mod whole;

use std::ops::Range;

use mcp_types::{NotificationMethod as _, RequestId, method};

pub(crate) use self::{
    call_tool::{Want, Wanted, call_tool},
    whole::whole,
};
use super::{Expect, Notes, Scan};
use crate::{
    method::Answer,
    record::Note,
    updates::{LogMessage, MAX_UPDATE_BYTES, Progress},
};

/// Results with more members are not usual.
const MAX_USUAL_MEMBERS: usize = 32;

/// A message of the usual form.
pub(crate) enum AtOnce<R> {
    /// The answer, complete. Where in the message the result stands.
    Result(R, Range<usize>),
    /// Progress of the call, and how long the parameters were.
    Progress(Progress, usize),
    /// A log message, and how long the parameters were.
    Log(LogMessage, usize),
}

/// What a method reads of a complete result.
#[derive(Debug)]
pub struct Complete<R> {
    pub(crate) result: R,
    /// Whether it says that it is complete: those of older servers do not.
    pub(crate) has_type: bool,
}

/// Reads a message that is meant for the call with that id. `want` is where structured content goes that the caller wants as a
/// type of theirs.
pub(crate) fn at_once<M: Answer>(
    bytes: &[u8],
    id: &RequestId,
    expect: Expect,
    want: Option<&dyn Want>,
    notes: &mut Notes,
) -> Option<AtOnce<M::Result>> {
    let RequestId::Number(id) = *id else { return None };
    if M::OPENS {
        return None;
    }
    let scan = &mut Scan::of(bytes)?;
    let mut version = None;
    let mut seen_id = None;
    let mut result = None;
    let mut method = None;
    let mut update = None;
    scan.object(|scan, name| match name {
        "jsonrpc" => once(&mut version, (scan.name()? == "2.0").then_some(())?),
        "id" => once(&mut seen_id, (scan.integer()? == id).then_some(())?),
        "method" => once(&mut method, scan.name()?),
        "result" => {
            scan.peek()?;
            let start = scan.at();
            let complete = M::at_once(scan, want)?;
            once(&mut result, (complete, start..scan.at()))
        }
        // The method comes first: it says what they are.
        "params" if result.is_none() && scan.len() <= MAX_UPDATE_BYTES => match method? {
            method::Progress::NAME => once(&mut update, progress(scan, id)?),
            method::LoggingMessage::NAME => {
                scan.peek()?;
                let start = scan.at();
                let message = scan.value::<LogMessage>()?;
                once(&mut update, AtOnce::Log(message, scan.at() - start))
            }
            _ => None,
        },
        _ => None,
    })?;
    scan.end()?;
    version?;
    match (result, seen_id, method, update) {
        (Some((complete, range)), Some(()), None, None) => {
            if !complete.has_type {
                if expect.strict {
                    return None;
                }
                notes.add(Note::MissingResultType);
            }
            M::note(&complete.result, notes);
            Some(AtOnce::Result(complete.result, range))
        }
        (None, None, Some(_), update) => update,
        _ => None,
    }
}

/// Keeps a value. A second one is not usual.
fn once<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    if slot.is_some() {
        return None;
    }
    *slot = Some(value);
    Some(())
}

/// Progress with the token that is our id.
fn progress<R>(scan: &mut Scan<'_>, id: i64) -> Option<AtOnce<R>> {
    let mut token = None;
    let mut progress = None;
    let mut total = None;
    let mut message = None;
    let range = scan.object(|scan, name| match name {
        "progressToken" => once(&mut token, (scan.integer()? == id).then_some(())?),
        "progress" => once(&mut progress, number(scan)?),
        "total" => once(&mut total, number(scan)?),
        "message" => once(&mut message, scan.string()?),
        _ => None,
    })?;
    token?;
    Some(AtOnce::Progress(Progress { progress: progress?, total, message }, range.len()))
}

fn number(scan: &mut Scan<'_>) -> Option<f64> {
    scan.peek()?;
    let start = scan.at();
    if let Some(Ok(small)) = scan.integer().map(i32::try_from) {
        return Some(f64::from(small));
    }
    // Fractions and the like: rounded as everywhere else.
    scan.rewind(start);
    scan.value()
}

#[cfg(test)]
mod tests;
