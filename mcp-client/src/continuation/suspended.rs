//! A call that waits for input, as a value that can be stored.

use std::{error::Error, fmt, marker::PhantomData};

use mcp_retry::Repeat;
use mcp_types::{InputRequests, RawJson, RawMap, RequestState};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Continuation, MultiRound, Round, State, answer};
use crate::{bare_uri::shown, call::Spec, client::Client, headers, input_kinds::InputKinds};

/// The version of the stored form. Others are refused.
const VERSION: u32 = 1;

/// A call that waits for input, as a value that can be stored and restored: see
/// [`Continuation::suspend`] and [`Client::restore`].
///
/// It is versioned and bound to the server (the identity of the transport). It holds the arguments, the server's
/// state and the answers so far, and no headers or credentials. Its `Debug` shows none of that.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client, asked: mcp_client::Continuation) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::SuspendedCall;
///
/// std::fs::write("call.json", serde_json::to_vec(&asked.suspend())?)?;
/// // … days later, in another process …
/// let suspended: SuspendedCall = serde_json::from_slice(&std::fs::read("call.json")?)?;
/// let asked = client.restore(suspended)?;
/// # Ok(())
/// # }
/// ```
pub struct SuspendedCall<M: MultiRound = mcp_types::method::CallTool> {
    stored: Stored,
    method: PhantomData<fn() -> M>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    version: u32,
    server: String,
    method: String,
    target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<RawJson>,
    #[serde(default, skip_serializing_if = "RawMap::is_empty")]
    meta: RawMap,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
    declared: Vec<String>,
    input_requests: InputRequests,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_state: Option<RequestState>,
    #[serde(default, skip_serializing_if = "RawMap::is_empty")]
    answers: RawMap,
    rounds: u32,
    #[serde(default)]
    may_have_run: bool,
    /// The caller's word on repeating the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<Repeat>,
}

impl<M: MultiRound> SuspendedCall<M> {
    pub(super) fn of(state: &State) -> Self {
        let stored = Stored {
            version: VERSION,
            server: state.client.identity().to_owned(),
            method: M::NAME.to_owned(),
            target: state.spec.target.as_ref().to_owned(),
            arguments: state.spec.arguments.clone(),
            meta: state.spec.meta.clone(),
            scenario: state.spec.scenario.clone(),
            declared: state.declared().names().map(str::to_owned).collect(),
            input_requests: state.round.requests.clone(),
            request_state: state.round.state.clone(),
            answers: state.answers.iter().cloned().collect(),
            rounds: state.rounds,
            may_have_run: state.may_have_run,
            repeat: state.spec.repeat,
        };
        Self { stored, method: PhantomData }
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
        let mut spec = Spec::new::<M>(stored.target);
        spec.arguments = stored.arguments;
        spec.meta = stored.meta;
        spec.scenario = stored.scenario;
        spec.repeat = stored.repeat;
        spec.kinds = Some(declared);
        let round = Round { requests: stored.input_requests, state: stored.request_state };
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
        let stored = Stored::deserialize(deserializer)?;
        if stored.version != VERSION {
            return Err(de::Error::custom("this version of a suspended call is not known"));
        }
        if stored.method != M::NAME {
            return Err(de::Error::custom("the suspended call is of another method"));
        }
        Ok(Self { stored, method: PhantomData })
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
    /// It was changed since it was stored: a part makes no sense.
    Malformed(&'static str),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { .. } => f.write_str("the suspended call belongs to another server"),
            Self::Malformed(part) => write!(f, "the suspended call is malformed: `{part}`"),
        }
    }
}

impl Error for RestoreError {}
