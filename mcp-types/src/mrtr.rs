//! Multi-round-trip requests: a server that needs more from the client before it can answer.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

mod state;

pub use self::state::RequestState;
use crate::open_struct::open_struct;
use crate::{
    CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, ListRootsRequest,
    ListRootsResult, OrderedMap, RawJson, RequestMeta, ResultMeta, ResultType, probe,
};

/// One thing a server asks the client for. Reading never fails: what cannot be read becomes
/// [`Unknown`](Self::Unknown).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// Ask the user.
    Elicit(ElicitRequest),
    /// Ask a language model. Deprecated in 2026-07-28.
    Sample(Box<CreateMessageRequest>),
    /// List the roots. Deprecated in 2026-07-28.
    ListRoots(ListRootsRequest),
    /// A method that this crate does not know, a known one that is malformed, or no object at all; the text as it came.
    Unknown(RawJson),
}

impl InputRequest {
    /// The method. `None` if an unknown request has none, or writes it with escapes.
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Elicit(_) => Some(ElicitRequest::METHOD),
            Self::Sample(_) => Some(CreateMessageRequest::METHOD),
            Self::ListRoots(_) => Some(ListRootsRequest::METHOD),
            Self::Unknown(raw) => probe::plain_text(raw, "method"),
        }
    }

    fn known(raw: &RawJson) -> Option<Self> {
        match probe::text(raw, "method")?.as_ref() {
            ElicitRequest::METHOD => raw.parse().ok().map(Self::Elicit),
            CreateMessageRequest::METHOD => raw.parse().ok().map(Self::Sample),
            ListRootsRequest::METHOD => raw.parse().ok().map(Self::ListRoots),
            _ => None,
        }
    }
}

impl From<RawJson> for InputRequest {
    fn from(raw: RawJson) -> Self {
        Self::known(&raw).unwrap_or(Self::Unknown(raw))
    }
}

impl From<ElicitRequest> for InputRequest {
    fn from(request: ElicitRequest) -> Self {
        Self::Elicit(request)
    }
}

impl From<CreateMessageRequest> for InputRequest {
    fn from(request: CreateMessageRequest) -> Self {
        Self::Sample(Box::new(request))
    }
}

impl From<ListRootsRequest> for InputRequest {
    fn from(request: ListRootsRequest) -> Self {
        Self::ListRoots(request)
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Elicit(request) => request.serialize(serializer),
            Self::Sample(request) => request.serialize(serializer),
            Self::ListRoots(request) => request.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::from)
    }
}

/// The client's answer to one input request.
///
/// Its JSON has no mark of its kind: which one it is follows from the request under the same key. So it is always read
/// as [`Raw`](Self::Raw).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// What the user said.
    Elicit(ElicitResult),
    /// What the language model said. Deprecated in 2026-07-28.
    Sample(Box<CreateMessageResult>),
    /// The roots. Deprecated in 2026-07-28.
    ListRoots(ListRootsResult),
    /// Any JSON.
    Raw(RawJson),
}

impl From<ElicitResult> for InputResponse {
    fn from(result: ElicitResult) -> Self {
        Self::Elicit(result)
    }
}

impl From<CreateMessageResult> for InputResponse {
    fn from(result: CreateMessageResult) -> Self {
        Self::Sample(Box::new(result))
    }
}

impl From<ListRootsResult> for InputResponse {
    fn from(result: ListRootsResult) -> Self {
        Self::ListRoots(result)
    }
}

impl From<RawJson> for InputResponse {
    fn from(raw: RawJson) -> Self {
        Self::Raw(raw)
    }
}

impl Serialize for InputResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Elicit(result) => result.serialize(serializer),
            Self::Sample(result) => result.serialize(serializer),
            Self::ListRoots(result) => result.serialize(serializer),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::Raw)
    }
}

/// What a server asks for, by the keys under which it wants the answers.
pub type InputRequests = OrderedMap<InputRequest>;
/// The client's answers, by the keys of the requests.
pub type InputResponses = OrderedMap<InputResponse>;

open_struct! {
    /// A server's reply that it needs more first: send the request again with the answers and the state.
    #[derive(Debug, Clone, PartialEq)]
    pub struct InputRequiredResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is.
        input_type "resultType" => result_type: ResultType;
        /// What is asked for; absent or empty means that only the state is to be sent back.
        optional "inputRequests" => input_requests: InputRequests;
        /// What is to be sent back as it is; absent means that nothing is.
        optional "requestState" => request_state: RequestState;
    }
}

impl Default for InputRequiredResult {
    /// Without requests and state, which is not valid yet.
    fn default() -> Self {
        Self::new()
    }
}

impl InputRequiredResult {
    /// Adds something to ask for.
    #[must_use]
    pub fn with_request(mut self, key: impl Into<String>, request: impl Into<InputRequest>) -> Self {
        self.input_requests.get_or_insert_default().insert(key, request.into());
        self
    }

    /// Sets what is to be sent back.
    #[must_use]
    pub fn with_request_state(mut self, state: impl Into<RequestState>) -> Self {
        self.request_state = Some(state.into());
        self
    }

    /// Whether there is something to go on with: at least one request, or a state.
    pub fn is_actionable(&self) -> bool {
        self.request_state.is_some()
            || self.input_requests.as_ref().is_some_and(|requests| !requests.is_empty())
    }
}

/// Setters of parameters that can carry answers.
macro_rules! answerable {
    ($($Name:ident),*) => { $(
        impl $Name {
            /// Sets the answers to the input requests of the round before.
            #[must_use]
            pub fn with_input_responses(mut self, responses: $crate::InputResponses) -> Self {
                self.input_responses = Some(responses);
                self
            }

            /// Sets the state that the server gave with them.
            #[must_use]
            pub fn with_request_state(mut self, state: impl Into<$crate::RequestState>) -> Self {
                self.request_state = Some(state.into());
                self
            }
        }
    )* };
}
pub(crate) use answerable;

open_struct! {
    /// The members that requests have in common that can be answered with [`InputRequiredResult`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct InputResponseParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// Answers to the input requests of the round before.
        optional "inputResponses" => input_responses: InputResponses;
        /// The state that the server gave with them, byte for byte.
        optional "requestState" => request_state: RequestState;
    }
}

answerable!(InputResponseParams);

/// The schema's name for [`InputResponseParams`].
pub type InputResponseRequestParams = InputResponseParams;

/// The result of a request that may be answered with a request for input: decided by `resultType`, never by trial.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "results of methods are about as large as the other variant")]
pub enum CompleteOrInput<T> {
    /// The request is answered.
    Complete(T),
    /// The server needs more first.
    InputRequired(InputRequiredResult),
}

impl<T: Serialize> Serialize for CompleteOrInput<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Complete(result) => result.serialize(serializer),
            Self::InputRequired(result) => result.serialize(serializer),
        }
    }
}

impl<'de, T: serde::de::DeserializeOwned> Deserialize<'de> for CompleteOrInput<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let kind = probe::text(&raw, "resultType").map(|text| ResultType::from(text.as_ref()));
        match kind {
            Some(ResultType::InputRequired) => raw.parse().map(Self::InputRequired),
            Some(ResultType::Other(other)) => {
                return Err(serde::de::Error::custom(format_args!("`resultType`: unknown type \"{other}\"")));
            }
            _ => raw.parse().map(Self::Complete),
        }
        .map_err(|error| serde::de::Error::custom(error.detail()))
    }
}

#[cfg(test)]
mod tests;
