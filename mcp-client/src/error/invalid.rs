//! Calls that were refused here.

use std::{borrow::Cow, error::Error, fmt};

use super::Context;

/// What was wrong with a call that was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidKind {
    /// The arguments do not serialise to a JSON object.
    Arguments,
    /// A `_meta` key is malformed, reserved, or owned by the protocol.
    MetaKey,
    /// The trace context that was given as `_meta` entries is malformed.
    TraceContext,
    /// The definition that was given is that of another tool, or the tool breaks the rules of its headers.
    Tool,
    /// A header is malformed, or owned by the client.
    Header,
    /// An answer to an input request is missing, of the wrong kind, or for a key that was not asked.
    Answers,
    /// A continuation of which the last attempt may have run is resumed without accepting duplicates.
    MayHaveRun,
    /// The server says, in its answer to `server/discover`, that it does not offer this.
    NotOffered,
    /// More completions are asked for than the client's
    /// [rate](crate::ClientBuilder::completion_rate) lets through in the time that the request has.
    TooFast,
    /// The message is larger than the transport takes, or otherwise cannot be built.
    Message,
}

/// The call was refused here; nothing was sent.
#[derive(Debug)]
pub struct InvalidCall {
    kind: InvalidKind,
    what: Cow<'static, str>,
    source: Option<Box<dyn Error + Send + Sync>>,
    pub(crate) context: Context,
}

impl InvalidCall {
    /// A refusal: which rule, and what broke it, without the offending value.
    pub fn new(kind: InvalidKind, what: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, what: what.into(), source: None, context: Context::default() }
    }

    /// Adds what lies beneath.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Which rule was broken.
    pub fn kind(&self) -> InvalidKind {
        self.kind
    }

    /// What broke it.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for InvalidCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid call, not sent: {}", self.what)
    }
}

impl Error for InvalidCall {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
