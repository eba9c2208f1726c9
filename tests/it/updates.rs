//! Progress and log messages of a call.

mod asked;
mod delivery;
mod flood;
mod foreign;
mod logs;
mod streams;

use std::sync::{Arc, Mutex};

use mcp_client::Progress;
use serde_json::{Value, json};

use crate::fault::ANSWER;

/// Keeps what it is given.
struct Heard<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone + Send + 'static> Heard<T> {
    fn new() -> Self {
        Self(Arc::default())
    }

    /// Adds to it.
    fn listener(&self) -> impl Fn(T) + Send + Sync + 'static {
        let heard = Arc::clone(&self.0);
        move |update| heard.lock().unwrap().push(update)
    }

    fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }

    /// How many listeners there still are.
    fn listeners(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

/// A notification of that method.
fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// Progress by the token that is the id of the request.
fn progress(done: f64) -> String {
    let params = json!({ "progressToken": "TOKEN", "progress": done });
    notification("notifications/progress", &params).replace("\"TOKEN\"", "{{id}}")
}

/// Progress by a token that stands as it is.
fn progress_of(token: &Value, done: f64) -> String {
    notification("notifications/progress", &json!({ "progressToken": token, "progress": done }))
}

fn log(level: &str, data: &Value) -> String {
    notification("notifications/message", &json!({ "level": level, "data": data }))
}

/// Messages, and the answer after them.
fn answered_after(mut messages: Vec<String>) -> Vec<String> {
    messages.push(ANSWER.to_owned());
    messages
}

/// How far they say it is.
fn done(heard: &[Progress]) -> Vec<f64> {
    heard.iter().map(|progress| progress.progress).collect()
}
