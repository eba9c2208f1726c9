//! Callers, their selected scenario, and their session with its counters.
//!
//! A session belongs to a caller, not to a connection. It is made on the caller's first POST and lives on across
//! connections, so a changed selection takes hold only where the rules below say so.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::watch;

use super::scenario::{Scenario, SelectError};
use crate::sync::lock;

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    /// Without a token.
    Anonymous,
    /// With the shared token: always `baseline`.
    Shared,
    /// The owner of a personal access token.
    Owner(String),
}

/// What a caller chose.
#[derive(Clone, Debug)]
struct Selection {
    id: String,
    params: Value,
    scenario: Arc<Scenario>,
}

impl Selection {
    fn new(id: &str, params: Value) -> Result<Self, SelectError> {
        let params = if params.is_null() { json!({}) } else { params };
        let scenario = Arc::new(Scenario::parse(id, &params)?);
        Ok(Self { id: id.to_owned(), params, scenario })
    }

    fn baseline() -> Self {
        let scenario = Arc::new(Scenario::Baseline { delay_ms: 0 });
        Self { id: "baseline".to_owned(), params: json!({}), scenario }
    }

    fn same_as(&self, other: &Self) -> bool {
        self.id == other.id && self.params == other.params
    }
}

#[derive(Debug)]
struct Session {
    selection: Selection,
    counters: BTreeMap<String, u64>,
}

impl Session {
    fn new(selection: Selection) -> Self {
        Self { selection, counters: BTreeMap::new() }
    }

    fn count(&mut self, key: &str) -> u64 {
        let counter = self.counters.entry(key.to_owned()).or_default();
        *counter += 1;
        *counter
    }
}

#[derive(Debug)]
struct State {
    selection: Selection,
    session: Option<Session>,
    terminated: watch::Sender<()>,
}

impl Default for State {
    fn default() -> Self {
        Self { selection: Selection::baseline(), session: None, terminated: watch::Sender::new(()) }
    }
}

impl State {
    /// The session as it is, or a new one from the selection.
    fn session(&mut self) -> &mut Session {
        let selection = &self.selection;
        self.session.get_or_insert_with(|| Session::new(selection.clone()))
    }

    /// Drops the session if the selection has changed since it was made.
    fn follow_selection(&mut self) {
        if self.session.as_ref().is_some_and(|session| !session.selection.same_as(&self.selection)) {
            self.session = None;
        }
    }
}

/// What is known of a POST that got past authorization.
pub(super) struct Arrival {
    /// Scenario of the session that the POST found.
    pub(super) scenario: Arc<Scenario>,
    /// POSTs of this session, this one included.
    pub(super) http_requests: u64,
    /// `tools/call` POSTs of this session, this one included.
    pub(super) tool_calls: u64,
    /// `initialize` POSTs of this session, this one included.
    pub(super) initializes: u64,
    /// Fires when the caller's sessions are terminated.
    pub(super) terminated: watch::Receiver<()>,
}

/// All callers of a Kitchen.
#[derive(Debug, Default)]
pub(super) struct Callers {
    states: Mutex<HashMap<Caller, State>>,
    started: Mutex<BTreeMap<String, u64>>,
    finished: Mutex<BTreeMap<String, u64>>,
}

impl Callers {
    fn with<T>(&self, caller: &Caller, act: impl FnOnce(&mut State) -> T) -> T {
        let mut states = lock(&self.states);
        act(states.entry(caller.clone()).or_default())
    }

    /// Saves a selection. The session stays as it is.
    pub(super) fn select(&self, caller: &Caller, id: &str, params: Value) -> Result<(), SelectError> {
        let selection = Selection::new(id, params)?;
        self.with(caller, |state| state.selection = selection);
        Ok(())
    }

    /// A POST arrives: finds its session and counts it.
    pub(super) fn arrive(&self, caller: &Caller, method: Option<&str>, has_session_id: bool) -> Arrival {
        self.with(caller, |state| {
            if method == Some("initialize") && !has_session_id {
                state.follow_selection();
            }
            let terminated = state.terminated.subscribe();
            let session = state.session();
            let http_requests = session.count("http_request");
            let mut count_if = |wanted: &str, key: &str| {
                if method == Some(wanted) {
                    session.count(key)
                } else {
                    session.counters.get(key).copied().unwrap_or(0)
                }
            };
            let tool_calls = count_if("tools/call", "tools_call");
            count_if("resources/list", "resources_list");
            count_if("prompts/list", "prompts_list");
            // Not a counter of the real Kitchen, but its wire faults count it.
            let initializes = count_if("initialize", "initialize");
            Arrival {
                scenario: Arc::clone(&session.selection.scenario),
                http_requests,
                tool_calls,
                initializes,
                terminated,
            }
        })
    }

    /// The POST reaches the protocol layer, which reads the selection anew.
    pub(super) fn enter_host(&self, caller: &Caller) -> Arc<Scenario> {
        self.with(caller, |state| {
            state.follow_selection();
            Arc::clone(&state.session().selection.scenario)
        })
    }

    /// A tool starts. Gives the number of this execution within the session.
    pub(super) fn execute(&self, caller: &Caller, tool: &str) -> u64 {
        *lock(&self.started).entry(tool.to_owned()).or_default() += 1;
        self.with(caller, |state| state.session().count(tool))
    }

    /// A tool came to its end.
    pub(super) fn finish(&self, tool: &str) {
        *lock(&self.finished).entry(tool.to_owned()).or_default() += 1;
    }

    /// A page of a forged list is served. Gives its number within the session.
    pub(super) fn page(&self, caller: &Caller) -> u64 {
        self.with(caller, |state| state.session().count("catalog_page"))
    }

    /// Drops the sessions of all callers and breaks their open requests off.
    pub(super) fn terminate(&self) {
        for state in lock(&self.states).values_mut() {
            state.session = None;
            state.terminated.send_replace(());
        }
    }

    /// Zeroes all counters; the sessions stay.
    pub(super) fn reset_counters(&self) {
        for session in lock(&self.states).values_mut().filter_map(|state| state.session.as_mut()) {
            session.counters.clear();
        }
        lock(&self.started).clear();
        lock(&self.finished).clear();
    }

    /// Counters of the caller's session.
    pub(super) fn counters(&self, caller: &Caller) -> BTreeMap<String, u64> {
        lock(&self.states)
            .get(caller)
            .and_then(|state| state.session.as_ref())
            .map(|session| session.counters.clone())
            .unwrap_or_default()
    }

    pub(super) fn started(&self, tool: &str) -> u64 {
        lock(&self.started).get(tool).copied().unwrap_or(0)
    }

    pub(super) fn finished(&self, tool: &str) -> u64 {
        lock(&self.finished).get(tool).copied().unwrap_or(0)
    }
}
