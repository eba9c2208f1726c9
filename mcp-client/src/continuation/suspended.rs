//! A call that waits for input, as a value that can be stored.

use std::{error::Error, fmt, marker::PhantomData};

use mcp_types::{InputRequests, RawMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Continuation, MultiRound, Round, State, Stored, answer};
use crate::{bare_uri::shown, call::Spec, client::Client, headers, input_kinds::InputKinds};

/// The longest text of a suspended call that is read: 16 MiB.
pub const MAX_SUSPENDED_BYTES: usize = 16 << 20;

/// A call that waits for input, as a value that can be stored and restored: see
/// [`Continuation::suspend`] and [`Client::restore`].
///
/// It is versioned and bound to the server (the identity of the transport). It holds the arguments, the server's
/// state and the answers so far, and no headers or credentials. Its `Debug` shows none of that.
///
/// What is stored is looked at again before it is restored: another server, version or method, answers that do not fit what was
/// asked, and what makes no sense are refused. It is not signed: who can write to the place can have another call made in
/// the name of whoever resumes it. Store it where only they can write.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client, asked: mcp_client::Continuation) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::SuspendedCall;
///
/// std::fs::write("call.json", serde_json::to_vec(&asked.suspend())?)?;
/// // … days later, in another process …
/// let suspended: SuspendedCall = SuspendedCall::from_json(&std::fs::read("call.json")?)?;
/// let asked = client.restore(suspended)?;
/// # Ok(())
/// # }
/// ```
pub struct SuspendedCall<M: MultiRound = mcp_types::method::CallTool> {
    stored: Stored,
    method: PhantomData<fn() -> M>,
}

impl<M: MultiRound> SuspendedCall<M> {
    pub(super) fn of(state: &State) -> Self {
        Self { stored: Stored::of::<M>(state), method: PhantomData }
    }

    /// Reads a call that was stored as JSON.
    ///
    /// # Errors
    ///
    /// [`RestoreError`]: it is longer than [`MAX_SUSPENDED_BYTES`], of another version or method, or makes no sense.
    pub fn from_json(text: &[u8]) -> Result<Self, RestoreError> {
        if text.len() > MAX_SUSPENDED_BYTES {
            return Err(RestoreError::TooLarge { bytes: text.len() });
        }
        let members: RawMap = serde_json::from_slice(text).map_err(|_| RestoreError::Malformed("json"))?;
        Self::from_stored(Stored::read(&members)?)
    }

    pub(crate) fn from_stored(stored: Stored) -> Result<Self, RestoreError> {
        stored.check_method::<M>()?;
        Ok(Self { stored, method: PhantomData })
    }

    pub(crate) fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The server that the call belongs to: the identity of the transport.
    pub fn server(&self) -> &str {
        &self.stored.server
    }

    /// The name of the tool or prompt, or the URI, of the call.
    pub fn target(&self) -> &str {
        &self.stored.target
    }

    /// What is asked for.
    pub fn requests(&self) -> &InputRequests {
        &self.stored.input_requests
    }

    /// The same call, marked as one that may have run: what to store before it is resumed, in place of what was stored before.
    /// If the process ends meanwhile, the call that is restored then is not sent again before somebody
    /// [accepts duplicates](Continuation::accepting_duplicates).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(asked: mcp_client::Continuation) -> Result<(), Box<dyn std::error::Error>> {
    /// std::fs::write("call.json", serde_json::to_vec(&asked.suspend().in_doubt())?)?;
    /// match asked.resume().await {
    ///     Ok(_) => std::fs::remove_file("call.json")?,
    ///     // Says itself whether it may have run.
    ///     Err(mut error) => {
    ///         if let Some(asked) = error.take_continuation() {
    ///             std::fs::write("call.json", serde_json::to_vec(&asked.suspend())?)?;
    ///         }
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.stored.may_have_run = true;
        self
    }

    pub(crate) fn restore(self, client: &Client) -> Result<Continuation<M>, RestoreError> {
        let stored = self.stored;
        if stored.server != client.identity() {
            return Err(RestoreError::Server {
                expected: stored.server,
                found: client.identity().to_owned(),
            });
        }
        let mut declared = InputKinds::NONE;
        for name in &stored.declared {
            declared = declared | InputKinds::from_name(name).ok_or(RestoreError::Malformed("declared"))?;
        }
        if stored.arguments.as_ref().is_some_and(|arguments| !arguments.is_object()) {
            return Err(RestoreError::Malformed("arguments"));
        }
        if stored.meta.iter().any(|(key, value)| headers::meta_entry(key, value).is_err()) {
            return Err(RestoreError::Malformed("meta"));
        }
        client.ids_from(stored.next_id);
        let mut spec = Spec::new::<M>(stored.target);
        spec.arguments = stored.arguments;
        spec.meta = stored.meta;
        spec.scenario = stored.scenario;
        spec.repeat = stored.repeat;
        spec.kinds = Some(declared);
        let round = Round { requests: stored.input_requests, state: stored.request_state, server_name: None };
        if round.requests.is_empty() && round.state.is_none() {
            return Err(RestoreError::Malformed("inputRequests"));
        }
        let mut answers = Vec::new();
        for (key, answer) in &stored.answers {
            // The same rules as for an answer that is given now.
            let answer = answer::check(key, round.requests.get(key), declared, &answer.clone().into())
                .map_err(|_| RestoreError::Malformed("answers"))?;
            answers.push((key.to_owned(), answer));
        }
        Ok(Continuation::from_state(Box::new(State {
            client: client.clone(),
            spec,
            round,
            answers,
            rounds: stored.rounds,
            record: None,
            may_have_run: stored.may_have_run,
            accepting_duplicates: None,
            stopped: None,
        })))
    }
}

impl<M: MultiRound> Clone for SuspendedCall<M> {
    fn clone(&self) -> Self {
        Self { stored: self.stored.clone(), method: PhantomData }
    }
}

impl<M: MultiRound> Serialize for SuspendedCall<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl<'de, M: MultiRound> Deserialize<'de> for SuspendedCall<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_stored(Stored::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<M: MultiRound> fmt::Debug for SuspendedCall<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SuspendedCall")
            .field("server", &self.stored.server)
            .field("method", &self.stored.method)
            .field("target", &shown(&self.stored.method, &self.stored.target))
            .field("rounds", &self.stored.rounds)
            .finish_non_exhaustive()
    }
}

/// Why a suspended call cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// It belongs to another server than this client's.
    Server {
        /// The server that it belongs to.
        expected: String,
        /// The client's server.
        found: String,
    },
    /// It is longer than [`MAX_SUSPENDED_BYTES`].
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// It was stored by another version of this library, in a form that is not known here.
    Version {
        /// The version of the form.
        found: u32,
    },
    /// It is a call of another method.
    Method {
        /// The method of the call.
        found: String,
    },
    /// It was changed since it was stored: a part makes no sense. `json` where it is no JSON object at all.
    Malformed(&'static str),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { .. } => f.write_str("the suspended call belongs to another server"),
            Self::TooLarge { bytes } => {
                write!(f, "the suspended call is too large: {bytes} of {MAX_SUSPENDED_BYTES} bytes")
            }
            Self::Version { found } => {
                write!(f, "the suspended call is of version {found}, which is not known")
            }
            Self::Method { found } => {
                write!(f, "the suspended call is of another method: `{}`", found.escape_debug())
            }
            Self::Malformed(part) => write!(f, "the suspended call is malformed: `{part}`"),
        }
    }
}

impl Error for RestoreError {}
