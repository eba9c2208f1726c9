//! Why a call that was driven is handed back.

use std::{error::Error, fmt, sync::Arc};

use crate::{
    continuation::{AnswerError, SamplingFault},
    link::LinkFault,
};

/// Why a [drive](super::Drive) came to an early end. The call is not lost: its continuation has the answers so far, and can be
/// answered by hand, driven on, suspended or dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DriveStop {
    /// The server asked for more rounds than are allowed.
    MaxRounds {
        /// For how many rounds it was driven.
        asked: u32,
    },
    /// The person refuses ([`InputError::Declined`](super::InputError::Declined)).
    Declined {
        /// The key of the request.
        key: String,
    },
    /// Not now ([`InputError::Later`](super::InputError::Later)).
    Later {
        /// The key of the request.
        key: String,
    },
    /// The handler failed.
    Handler {
        /// The key of the request.
        key: String,
        /// The handler's own error.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The handler's answer was refused, and is not sent.
    Answer(AnswerError),
    /// The request is of a kind that was not declared for this call: servers must not send it.
    Undeclared {
        /// The key of the request.
        key: String,
    },
    /// The request is malformed, or of a method that is not known.
    Unknown {
        /// The key of the request.
        key: String,
    },
    /// The request is of a kind that was declared, but the handler does not answer it.
    NotHandled {
        /// The key of the request.
        key: String,
    },
    /// The link must not be opened.
    Link {
        /// The key of the request.
        key: String,
        /// What is wrong with it.
        fault: LinkFault,
    },
    /// The messages for the language model break the rules of the protocol.
    Sampling {
        /// The key of the request.
        key: String,
        /// What is wrong with them.
        fault: SamplingFault,
    },
    /// No answer came in time ([`Drive::input_timeout`](super::Drive::input_timeout)).
    InputTimeout {
        /// The key of the first request that was not answered.
        key: String,
    },
}

impl DriveStop {
    /// The key of the request that stopped it; `None` where it was none.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::MaxRounds { .. } => None,
            Self::Answer(error) => Some(error.key()),
            Self::Declined { key }
            | Self::Later { key }
            | Self::Handler { key, .. }
            | Self::Undeclared { key }
            | Self::Unknown { key }
            | Self::NotHandled { key }
            | Self::Link { key, .. }
            | Self::Sampling { key, .. }
            | Self::InputTimeout { key } => Some(key),
        }
    }
}

impl fmt::Display for DriveStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key().unwrap_or_default().escape_debug();
        match self {
            Self::MaxRounds { asked } => write!(f, "the server asks again after {asked} rounds"),
            Self::Declined { .. } => write!(f, "the answer to `{key}` was refused by the person"),
            Self::Later { .. } => write!(f, "`{key}` is to be answered later"),
            Self::Handler { .. } => write!(f, "the handler failed to answer `{key}`"),
            Self::Answer(error) => error.fmt(f),
            Self::Undeclared { .. } => {
                write!(f, "the request `{key}` is of a kind that was not declared for this call")
            }
            Self::Unknown { .. } => write!(f, "the request `{key}` could not be decoded"),
            Self::NotHandled { .. } => write!(f, "the handler does not answer the request `{key}`"),
            Self::Link { fault, .. } => write!(f, "`{key}` must not be opened: {fault}"),
            Self::Sampling { fault, .. } => write!(f, "`{key}` cannot be given to a language model: {fault}"),
            Self::InputTimeout { .. } => write!(f, "`{key}` was not answered in time"),
        }
    }
}

impl Error for DriveStop {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Handler { source, .. } => Some(source.as_ref()),
            Self::Answer(error) => error.source(),
            Self::Link { fault, .. } => Some(fault),
            Self::Sampling { fault, .. } => Some(fault),
            _ => None,
        }
    }
}
