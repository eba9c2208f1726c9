//! The form in which a call is stored.

use mcp_retry::Repeat;
use mcp_types::{InputRequests, RawJson, RawMap, RequestState};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

use super::{MultiRound, RestoreError, State};

/// The version of the stored form. Others are refused.
const VERSION: u32 = 1;

/// What every JSON reader keeps exactly; nobody has sent that many requests.
const MAX_NEXT_ID: i64 = 1 << 53;

/// A call as it is stored, whatever its method.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stored {
    version: u32,
    pub(crate) server: String,
    pub(crate) method: String,
    pub(crate) target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<RawJson>,
    #[serde(skip_serializing_if = "RawMap::is_empty")]
    pub(super) meta: RawMap,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scenario: Option<String>,
    pub(super) declared: Vec<String>,
    pub(super) input_requests: InputRequests,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request_state: Option<RequestState>,
    #[serde(skip_serializing_if = "RawMap::is_empty")]
    pub(super) answers: RawMap,
    pub(crate) rounds: u32,
    pub(crate) may_have_run: bool,
    /// Above all ids that the call was sent with: another process must not begin again with one of them.
    pub(super) next_id: i64,
    /// The caller's word on repeating the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeat: Option<Repeat>,
}

impl Stored {
    pub(super) fn of<M: MultiRound>(state: &State) -> Self {
        Self {
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
            next_id: state.client.ids_so_far(),
            repeat: state.spec.repeat,
        }
    }

    /// Reads the members one by one: what is wrong is told by its name. The version goes first, since another one may have other
    /// members.
    pub(crate) fn read(members: &RawMap) -> Result<Self, RestoreError> {
        let version = needed(members, "version")?;
        if version != VERSION {
            return Err(RestoreError::Version { found: version });
        }
        let stored = Self {
            version,
            server: needed(members, "server")?,
            method: needed(members, "method")?,
            target: needed(members, "target")?,
            arguments: optional(members, "arguments")?,
            meta: optional(members, "meta")?.unwrap_or_default(),
            scenario: optional(members, "scenario")?,
            declared: needed(members, "declared")?,
            input_requests: needed(members, "inputRequests")?,
            request_state: optional(members, "requestState")?,
            answers: optional(members, "answers")?.unwrap_or_default(),
            rounds: needed(members, "rounds")?,
            may_have_run: optional(members, "mayHaveRun")?.unwrap_or_default(),
            next_id: optional(members, "nextId")?.unwrap_or(1),
            repeat: optional(members, "repeat")?,
        };
        if !(1..=MAX_NEXT_ID).contains(&stored.next_id) {
            return Err(RestoreError::Malformed("nextId"));
        }
        if stored.rounds == 0 {
            return Err(RestoreError::Malformed("rounds"));
        }
        Ok(stored)
    }

    pub(crate) fn requests(&self) -> &InputRequests {
        &self.input_requests
    }

    /// Whether it is of that method.
    pub(crate) fn check_method<M: MultiRound>(&self) -> Result<(), RestoreError> {
        if self.method == M::NAME { Ok(()) } else { Err(RestoreError::Method { found: self.method.clone() }) }
    }
}

fn needed<T: DeserializeOwned>(members: &RawMap, name: &'static str) -> Result<T, RestoreError> {
    let member = members.get(name).ok_or(RestoreError::Malformed(name))?;
    member.parse().map_err(|_| RestoreError::Malformed(name))
}

fn optional<T: DeserializeOwned>(members: &RawMap, name: &'static str) -> Result<Option<T>, RestoreError> {
    match members.get(name) {
        None => Ok(None),
        Some(member) => member.parse().map_err(|_| RestoreError::Malformed(name)),
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&RawMap::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
