//! Calls that the server answered with a request for input, and how they go on.
//!
//! One mechanism for the three methods that can ask: `tools/call`, `resources/read` and `prompts/get`.

mod answer;
mod asked;
mod method;
mod sampling;
mod settings;
mod stored;
mod suspended;

use std::{borrow::Cow, fmt, marker::PhantomData, time::Duration};

use mcp_types::{InputRequest, InputRequests, InputRequiredResult, InputResponse, RawJson, RequestState};

pub use self::{
    answer::{AnswerError, AnswerFault},
    method::MultiRound,
    sampling::SamplingFault,
    suspended::{MAX_SUSPENDED_BYTES, RestoreError, SuspendedCall},
};
pub(crate) use self::{sampling::check_request as check_sampling, stored::Stored};
use crate::{
    Delivery,
    bare_uri::shown,
    call::Spec,
    client::Client,
    decode::Decoded,
    error::{CallError, InvalidCall, InvalidKind},
    input::DriveStop,
    input_kinds::InputKinds,
    record::CallRecord,
};

/// A call that needs input before it can finish.
///
/// Look at what is asked ([`requests`](Self::requests)), answer each, and [`resume`](Self::resume). Nothing is ever
/// answered, declined or sent without being told to; dropping the continuation abandons the call without a message.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::{ElicitAnswer, ToolOutcome, types::InputRequest};
/// use serde_json::json;
///
/// let mut outcome = client.call_tool("close_ticket").arguments(json!({ "id": 7 })).send().await?;
/// while let ToolOutcome::InputRequired(mut asked) = outcome {
///     let keys: Vec<String> = asked.requests().iter().map(|(key, _)| key.to_owned()).collect();
///     for key in keys {
///         // Show the request to a person; here every form gets the same answer.
///         match asked.request(&key) {
///             Some(InputRequest::Elicit(_)) => asked.answer(&key, ElicitAnswer::accept(&json!({ "reason": "done" }))?)?,
///             other => return Err(format!("cannot answer {other:?}").into()),
///         };
///     }
///     outcome = asked.resume().await?;
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "the call has not finished: answer and resume it, suspend it, or drop it on purpose"]
pub struct Continuation<M: MultiRound = mcp_types::method::CallTool> {
    pub(crate) state: Box<State>,
    method: PhantomData<fn() -> M>,
}

/// What a continuation owns, whatever its method.
pub(crate) struct State {
    pub(crate) client: Client,
    /// The call as it was made at first.
    pub(crate) spec: Spec,
    pub(crate) round: Round,
    /// What the round was answered with so far, in the order of the requests.
    pub(crate) answers: Vec<(String, RawJson)>,
    /// How many times input was asked for, this one included.
    pub(crate) rounds: u32,
    /// The record of the exchange that asked.
    pub(crate) record: Option<Box<CallRecord>>,
    pub(crate) may_have_run: bool,
    pub(crate) accepting_duplicates: Option<Cow<'static, str>>,
    /// Why nobody drives it any more.
    pub(crate) stopped: Option<DriveStop>,
}

/// What one round asked for.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) requests: InputRequests,
    pub(crate) state: Option<RequestState>,
    /// How the server names itself.
    pub(crate) server_name: Option<String>,
}

impl From<InputRequiredResult> for Round {
    fn from(result: InputRequiredResult) -> Self {
        Self {
            requests: result.input_requests.unwrap_or_default(),
            state: result.request_state,
            server_name: result.meta.and_then(|meta| meta.server_info).map(|server| server.name),
        }
    }
}

impl<M: MultiRound> Continuation<M> {
    pub(crate) fn from_state(state: Box<State>) -> Self {
        Self { state, method: PhantomData }
    }

    /// The continuation of a call that was answered with a request for input, for the `rounds`th time.
    pub(crate) fn asked(
        client: Client,
        spec: Spec,
        asked: InputRequiredResult,
        record: Box<CallRecord>,
        rounds: u32,
    ) -> Self {
        Self::from_state(Box::new(State {
            client,
            spec,
            round: asked.into(),
            answers: Vec::new(),
            rounds,
            record: Some(record),
            may_have_run: false,
            accepting_duplicates: None,
            stopped: None,
        }))
    }

    /// What is asked for, by key. Empty when the server only wants the call to be sent again with its state.
    ///
    /// The requests are untrusted text of the server. One that could not be decoded is
    /// [`InputRequest::Unknown`].
    pub fn requests(&self) -> &InputRequests {
        &self.state.round.requests
    }

    /// The request of that key.
    pub fn request(&self, key: &str) -> Option<&InputRequest> {
        self.state.round.requests.get(key)
    }

    /// Whether the request of that key is of a kind that was declared for this call. Others can be seen, and are
    /// refused by [`answer`](Self::answer): a server must not send them.
    pub fn is_declared(&self, key: &str) -> bool {
        self.request(key).and_then(InputKinds::of).is_some_and(|kind| self.state.declared().contains(kind))
    }

    /// Whether the server handed out state to be given back.
    pub fn request_state(&self) -> Option<&RequestState> {
        self.state.round.state.as_ref()
    }

    /// Answers the request of a key; a second answer replaces the first.
    ///
    /// An accepted form is checked as by [`ElicitForm::validate`](crate::ElicitForm::validate), but may have members that were
    /// not asked for: the server judges those. One without content is sent with an empty one. Nothing else has content, and a
    /// link that is no page on the web cannot be accepted. Raw JSON is judged like the answer that it reads as.
    ///
    /// # Errors
    ///
    /// [`AnswerError`] when the key was not asked, the answer is of another kind than the request or does not fit its
    /// form, or the request was not declared for this call. Nothing changes then.
    pub fn answer(&mut self, key: &str, answer: impl Into<InputResponse>) -> Result<&mut Self, AnswerError> {
        let answer = answer::check(key, self.request(key), self.state.declared(), &answer.into())?;
        let answers = &mut self.state.answers;
        match answers.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = answer,
            None => answers.push((key.to_owned(), answer)),
        }
        Ok(self)
    }

    /// The keys that have no answer yet.
    pub fn unanswered(&self) -> impl Iterator<Item = &str> {
        self.state.unanswered()
    }

    /// The name of the tool or prompt, or the URI, of the call.
    pub fn target(&self) -> &str {
        &self.state.spec.target
    }

    /// How many times input was asked for in this call, this one included.
    pub fn rounds(&self) -> u32 {
        self.state.rounds
    }

    /// The record of the exchange that asked.
    pub fn record(&self) -> &CallRecord {
        // Only a restored continuation has none of its own, and it was given an empty one.
        self.state.record.as_deref().unwrap_or(crate::call::no_record())
    }

    /// Accepts that the work may be done twice, for a reason that goes into the log.
    ///
    /// Needed only after a resumption failed with delivery [`Unknown`](crate::Delivery::Unknown).
    pub fn accepting_duplicates(mut self, why: impl Into<Cow<'static, str>>) -> Self {
        self.state.accepting_duplicates = Some(why.into());
        self
    }

    /// Sends the call again with the answers: a new POST with a new id, the original parameters, the answers of this
    /// round, and the state byte for byte if there was one.
    ///
    /// # Errors
    ///
    /// [`CallError`], which gives the continuation back, answers included, in
    /// [`take_continuation`](CallError::take_continuation). [`CallError::Invalid`] when an answer is missing (it says
    /// which), or when the last resumption may have run and duplicates were not accepted: nothing is sent then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request and loses the continuation with its answers;
    /// [`suspend`](Self::suspend) first where they must survive.
    pub async fn resume(self) -> Result<M::Outcome, CallError> {
        self.go_on().await.map(Ended::into_outcome)
    }

    /// As [`resume`](Self::resume), told apart.
    pub(crate) async fn go_on(self) -> Result<Ended<M>, CallError> {
        match self.state.check() {
            Ok(()) => self.send().await,
            Err(refusal) => Err(self.refused(refusal)),
        }
    }

    /// Sends the call again with what answers there are.
    pub(crate) async fn send(self) -> Result<Ended<M>, CallError> {
        let mut state = self.state;
        state.stopped = None;
        match crate::call::run::<M>(&state.client, &state.spec, Some(&state)).await {
            Ok(finished) => match finished.decoded {
                Decoded::Complete(result) => {
                    Ok(Ended::Done(M::complete(result, finished.record, finished.tool)))
                }
                Decoded::InputRequired(asked) => {
                    let rounds = state.rounds.saturating_add(1);
                    let State { client, spec, .. } = *state;
                    Ok(Ended::Asked(Self::asked(client, spec, asked, finished.record, rounds)))
                }
                Decoded::Opened(_) => Err(crate::cached::unexpected()),
            },
            Err(error) => Err(handed_back(state, error)),
        }
    }

    /// The error of a resumption that was refused here.
    pub(crate) fn refused(self, refusal: InvalidCall) -> CallError {
        let error = crate::call::refuse(&self.state.client, &self.state.spec, refusal);
        handed_back(self.state, error)
    }

    /// Why [`drive`](Self::drive) came to an early end and handed the call back; `None` where nobody drove it this far.
    pub fn stopped(&self) -> Option<&DriveStop> {
        self.state.stopped.as_ref()
    }

    /// Makes it a value that can be stored and restored, days later and in another process. Nothing is sent.
    ///
    /// It holds the arguments, the state and the answers so far: store it as you would store those. Of the value and
    /// this continuation only one should be resumed.
    pub fn suspend(&self) -> SuspendedCall<M> {
        SuspendedCall::of(&self.state)
    }
}

/// An error that gives the continuation back.
fn handed_back(mut state: Box<State>, mut error: CallError) -> CallError {
    // Also when it was an earlier attempt than the last: its work may be done.
    state.may_have_run |= error.context().fates.unknown || error.delivery() == Delivery::Unknown;
    state.accepting_duplicates = None;
    state.spec.spent = Duration::ZERO;
    state.spec.end_streams();
    error.context_mut().continuation = Some(state);
    error
}

/// How one round ended.
pub(crate) enum Ended<M: MultiRound> {
    Done(M::Outcome),
    Asked(Continuation<M>),
}

impl<M: MultiRound> Ended<M> {
    pub(crate) fn into_outcome(self) -> M::Outcome {
        match self {
            Self::Done(outcome) => outcome,
            Self::Asked(mut asked) => {
                // Here the caller is told: who reads the streams waits for that.
                asked.state.spec.end_streams();
                M::input_required(asked)
            }
        }
    }
}

impl State {
    pub(crate) fn declared(&self) -> InputKinds {
        self.spec.kinds.unwrap_or(self.client.accepted_input())
    }

    pub(crate) fn unanswered(&self) -> impl Iterator<Item = &str> {
        self.round
            .requests
            .iter()
            .map(|(key, _)| key)
            .filter(|key| !self.answers.iter().any(|(answered, _)| answered == key))
    }

    fn check(&self) -> Result<(), InvalidCall> {
        let missing: Vec<String> = self.unanswered().map(|key| format!("`{}`", key.escape_debug())).collect();
        if !missing.is_empty() {
            let what = format!("input is still missing for {}", missing.join(", "));
            return Err(InvalidCall::new(InvalidKind::Answers, what));
        }
        self.check_doubt()
    }

    /// Whether nothing of the last attempt is left in doubt, or the doubt is accepted.
    pub(crate) fn check_doubt(&self) -> Result<(), InvalidCall> {
        if self.may_have_run && self.accepting_duplicates.is_none() {
            let what = "the last attempt may have run; resume with `accepting_duplicates` if doing it twice is harmless";
            return Err(InvalidCall::new(InvalidKind::MayHaveRun, what));
        }
        Ok(())
    }
}

impl<M: MultiRound> fmt::Debug for Continuation<M> {
    /// Arguments, answers and state are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Continuation")
            .field("method", &M::NAME)
            .field("target", &shown(M::NAME, &self.state.spec.target))
            .field("requests", &self.requests().iter().map(|(key, _)| key).collect::<Vec<_>>())
            .field("unanswered", &self.unanswered().collect::<Vec<_>>())
            .field("request_state", &self.request_state())
            .field("rounds", &self.state.rounds)
            .finish_non_exhaustive()
    }
}
