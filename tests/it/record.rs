//! The record: one JSON line of every ending, safe to log.

mod cancelled;
mod data;
mod endings;
mod streams;

use std::sync::{Arc, Mutex};

use mcp_client::{CallRecord, Observer};

/// Keeps what it is told.
#[derive(Clone, Debug, Default)]
struct Diary(Arc<Mutex<Vec<CallRecord>>>);

impl Observer for Diary {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

impl Diary {
    /// What was told since the last time.
    fn take(&self) -> Vec<CallRecord> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// The line of a record with all durations at 0.
fn line(record: &CallRecord) -> String {
    let mut text = record.to_json();
    assert!(!text.contains(['\n', '\r']), "one line: {text}");
    assert_eq!(serde_json::to_string(record).unwrap(), text);
    for name in ["\"durationMs\":", "\"tookMs\":"] {
        let mut done = String::new();
        while let Some((before, after)) = text.split_once(name) {
            let end = after.find(|digit: char| !digit.is_ascii_digit()).unwrap();
            assert!(end > 0, "{name} is a number: {after}");
            done.extend([before, name, "0"]);
            text = after[end..].to_owned();
        }
        text = done + &text;
    }
    text
}

/// The line that is expected, in the order in which its members stand. What is not set is null, or empty.
struct Line {
    scenario: &'static str,
    tool: &'static str,
    posts: usize,
    statuses: &'static str,
    id: &'static str,
    code: &'static str,
    result_type: &'static str,
    outcome: &'static str,
    layer: &'static str,
    message: String,
    data: &'static str,
    delivery: &'static str,
    content_type: &'static str,
    sse: &'static str,
    notes: &'static str,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            scenario: "null",
            tool: "x",
            posts: 1,
            statuses: "200",
            id: "1",
            code: "null",
            result_type: "null",
            outcome: "",
            layer: "",
            message: String::new(),
            data: "",
            delivery: "answered",
            content_type: "\"application/json\"",
            sse: "null",
            notes: "",
        }
    }
}

impl Line {
    fn text(&self) -> String {
        let Self { scenario, tool, posts, statuses, id, code, result_type, outcome, layer, data, .. } = self;
        let Self { delivery, content_type, sse, notes, .. } = self;
        let message =
            if self.message.is_empty() { "null".to_owned() } else { format!("\"{}\"", self.message) };
        let data = if data.is_empty() { String::new() } else { format!(r#""errorData":{data},"#) };
        let succeeded = matches!(*outcome, "TOOL_SUCCESS" | "INPUT_REQUIRED");
        let failed = if succeeded { "null".to_owned() } else { format!("\"{outcome}\"") };
        let attempts = match *id {
            "null" => String::new(),
            id => format!(r#"{{"number":1,"requestId":{id},"origin":"none","tookMs":0,"failed":{failed}}}"#),
        };
        format!(
            r#"{{"client":"agent@1.2.0","protocolVersion":"2026-07-28","scenario":{scenario},"method":"tools/call","tool":"{tool}","postCount":{posts},"httpStatuses":[{statuses}],"jsonrpc":{{"id":{id},"errorCode":{code}}},"resultType":{result_type},"outcome":"{outcome}","layer":"{layer}","errorMessage":{message},{data}"retryOrigin":"none","delivery":"{delivery}","contentType":{content_type},"sse":{sse},"durationMs":0,"attempts":[{attempts}],"notes":[{notes}]}}"#
        )
    }
}
