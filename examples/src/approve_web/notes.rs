//! What is known of calls beside the store: how they ended, and why the last attempt failed. It is there to be shown, and lost
//! without harm.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use mcp_client::{CallError, Delivery, ToolOutput};

use crate::mcp_call::{content, json::message};

/// How many calls are remembered.
const REMEMBERED: usize = 200;

/// How a call ended, or why it did not.
#[derive(Debug)]
pub(super) enum Note {
    /// The tool's result, an error of its own or not.
    Result { server: String, tool: String, texts: Vec<String>, is_error: bool },
    /// There is no result. Whether the call is kept says the store.
    Failure { server: String, tool: String, failure: Failure },
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) layer: &'static str,
    pub(super) message: String,
    /// What the server says of it.
    pub(super) said: Option<String>,
    pub(super) delivery: Delivery,
}

impl Note {
    pub(super) fn result(server: &str, tool: &str, output: &ToolOutput) -> Self {
        let mut texts: Vec<String> = output.content().iter().map(content::of_block).collect();
        if let (true, Some(raw)) = (texts.is_empty(), output.structured_raw()) {
            texts.push(raw.get().to_owned());
        }
        Self::Result { server: server.to_owned(), tool: tool.to_owned(), texts, is_error: output.is_error() }
    }
}

impl Failure {
    pub(super) fn of(error: &CallError) -> Self {
        Self {
            layer: error.layer().as_str(),
            message: message(error),
            said: error.rpc_message().map(str::to_owned),
            delivery: error.delivery(),
        }
    }
}

/// The notes, by the ids of the calls; the oldest go first.
#[derive(Debug, Default)]
pub(super) struct Notes(Mutex<VecDeque<(String, Arc<Note>)>>);

impl Notes {
    pub(super) fn keep(&self, id: &str, note: Note) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.retain(|(known, _)| known != id);
        notes.push_back((id.to_owned(), Arc::new(note)));
        if notes.len() > REMEMBERED {
            notes.pop_front();
        }
    }

    pub(super) fn of(&self, id: &str) -> Option<Arc<Note>> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.iter().find(|(known, _)| known == id).map(|(_, note)| Arc::clone(note))
    }

    pub(super) fn forget(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != id);
    }
}
