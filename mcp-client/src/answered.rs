//! What calls of methods besides `tools/call` end in.

use std::{fmt, ops::Deref};

use mcp_types::Method;

use crate::{
    cache::Freshness,
    continuation::{Continuation, MultiRound},
    record::CallRecord,
};

/// A complete result, with the record of its call. Reads as the result that it holds.
pub struct Answered<M: Method> {
    result: Box<M::Result>,
    record: Box<CallRecord>,
}

impl<M: Method> Answered<M> {
    pub(crate) fn new(result: M::Result, record: Box<CallRecord>) -> Self {
        Self { result: Box::new(result), record }
    }

    /// The result, unknown members included.
    pub fn result(&self) -> &M::Result {
        &self.result
    }

    /// The result, without the record.
    pub fn into_result(self) -> M::Result {
        *self.result
    }

    /// The record of the call.
    pub fn record(&self) -> &CallRecord {
        &self.record
    }

    /// Whether it came from the cache, and how old it is.
    pub fn freshness(&self) -> Freshness {
        self.record.freshness
    }
}

impl<M: Method> Deref for Answered<M> {
    type Target = M::Result;

    fn deref(&self) -> &M::Result {
        &self.result
    }
}

impl<M: Method> Clone for Answered<M> {
    fn clone(&self) -> Self {
        Self { result: self.result.clone(), record: self.record.clone() }
    }
}

impl<M: Method> fmt::Debug for Answered<M> {
    /// The result is left out: it can be long, and private.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answered")
            .field("method", &M::NAME)
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

/// How `resources/read` and `prompts/get` end: complete, or with a request for input. Exhaustive on purpose.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
/// use mcp_client::Outcome;
///
/// match client.read_resource("file:///notes.txt").send().await? {
///     Outcome::Complete(read) => println!("{} parts", read.contents.len()),
///     Outcome::InputRequired(asked) => println!("asked for {:?}", asked.unanswered().collect::<Vec<_>>()),
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "the call can end in a request for input; look at which"]
pub enum Outcome<M: MultiRound> {
    /// The result is there.
    Complete(Answered<M>),
    /// The server needs input before it can finish: answer and resume, or drop it.
    InputRequired(Continuation<M>),
}

impl<M: MultiRound> Outcome<M> {
    /// The result, or the continuation where input is needed first.
    ///
    /// # Errors
    ///
    /// The [`Continuation`] with which the call goes on.
    pub fn into_complete(self) -> Result<Answered<M>, Continuation<M>> {
        match self {
            Self::Complete(answered) => Ok(answered),
            Self::InputRequired(asked) => Err(asked),
        }
    }

    /// The record of the call.
    pub fn record(&self) -> &CallRecord {
        match self {
            Self::Complete(answered) => answered.record(),
            Self::InputRequired(asked) => asked.record(),
        }
    }
}

impl<M: MultiRound> fmt::Debug for Outcome<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete(answered) => f.debug_tuple("Complete").field(answered).finish(),
            Self::InputRequired(asked) => f.debug_tuple("InputRequired").field(asked).finish(),
        }
    }
}
