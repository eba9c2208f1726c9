//! Lists that end early.

use std::{error::Error, fmt};

use super::Listing;
use crate::{error::CallError, method::ListMethod};

/// Why a list could not be walked to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum ListFault {
    /// A page could not be had.
    Call(CallError),
    /// The server gave out a cursor that was used in this walk before: it would never come to an end.
    RepeatedCursor,
}

impl From<CallError> for ListFault {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl fmt::Display for ListFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::RepeatedCursor => f.write_str("the server gave out the same cursor twice"),
        }
    }
}

impl Error for ListFault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Call(error) => error.source(),
            Self::RepeatedCursor => None,
        }
    }
}

/// A list that could not be fetched in full, with what was listed so far.
pub struct ListError<M: ListMethod> {
    pub(super) fault: ListFault,
    pub(super) partial: Listing<M>,
}

impl<M: ListMethod> ListError<M> {
    /// Why it ended early.
    pub fn fault(&self) -> &ListFault {
        &self.fault
    }

    /// The error of the page that could not be had.
    pub fn call_error(&self) -> Option<&CallError> {
        if let ListFault::Call(error) = &self.fault { Some(error) } else { None }
    }

    /// What was listed until then.
    pub fn partial(&self) -> &Listing<M> {
        &self.partial
    }

    /// What was listed until then, and why it ended early.
    pub fn into_parts(self) -> (Listing<M>, ListFault) {
        (self.partial, self.fault)
    }
}

impl<M: ListMethod> fmt::Debug for ListError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListError").field("fault", &self.fault).field("partial", &self.partial).finish()
    }
}

impl<M: ListMethod> fmt::Display for ListError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = self.partial.items().len();
        write!(f, "the list ended early, after {items} entries: {}", self.fault)
    }
}

impl<M: ListMethod> Error for ListError<M> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.fault.source()
    }
}
