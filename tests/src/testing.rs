//! A tiny HTTP client for the tests of the servers: one request a connection, every byte visible.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// A response as received.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// The body, with a chunked coding taken off.
    pub(crate) body: String,
    /// The body was as long as announced.
    pub(crate) complete: bool,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC message, from a JSON body or from the only event of a stream.
    pub(crate) fn message(&self) -> Value {
        let text = match self.header("content-type") {
            Some("text/event-stream") => {
                let data = self.body.strip_prefix("event: message\ndata: ").expect("one event");
                data.strip_suffix("\n\n").expect("the event ends")
            }
            _ => self.body.as_str(),
        };
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    /// The JSON in the text block of a tool result.
    pub(crate) fn tool_text(&self) -> Value {
        let message = self.message();
        let text = message["result"]["content"][0]["text"].as_str().expect("a text block");
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }
}

/// A request to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) verb: &'static str,
    pub(crate) path: &'static str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Sent {
    pub(crate) fn new(verb: &'static str, path: &'static str) -> Self {
        Self { verb, path, headers: Vec::new(), body: Vec::new() }
    }

    /// A POST with the headers that every client sends.
    pub(crate) fn post(path: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let mut sent = Self::new("POST", path);
        sent.body = body.into();
        sent.header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// A request of version 2026-07-28, complete.
    pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name =
            params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params });
        let sent = Self::post("/mcp", body.to_string())
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", method);
        match name {
            Some(name) => sent.header("Mcp-Name", &name),
            None => sent,
        }
    }

    /// A request of an older version.
    pub(crate) fn legacy(id: impl Into<Value>, method: &str, params: &Value) -> Self {
        let body = json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params });
        Self::post("/mcp", body.to_string()).header("MCP-Protocol-Version", "2025-11-25")
    }

    /// Calls the tool that every scenario has.
    pub(crate) fn run(id: impl Into<Value>) -> Self {
        Self::modern(id, "tools/call", json!({ "name": "run_configured_test_scenario", "arguments": {} }))
    }

    /// Sends it to another path.
    pub(crate) fn on(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Sets a header; an empty value removes it.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nHost: localhost\r\n", self.verb, self.path);
        for (name, value) in &self.headers {
            write!(text, "{name}: {value}\r\n").expect("written");
        }
        let framed = self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("transfer-encoding"));
        if !framed {
            write!(text, "Content-Length: {}\r\n", self.body.len()).expect("written");
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Sends it on a connection of its own and reads the answer to the end of the connection.
    pub(crate) fn to(&self, addr: SocketAddr) -> Received {
        self.try_to(addr).expect("an answer")
    }

    /// As [`to`](Self::to); None if the connection ended without a status line.
    pub(crate) fn try_to(&self, addr: SocketAddr) -> Option<Received> {
        let mut stream = connect(addr);
        stream.write_all(&self.clone().header("Connection", "close").bytes()).expect("sent");
        let mut bytes = Vec::new();
        // A reset ends the answer like an orderly close.
        let _ = stream.read_to_end(&mut bytes);
        parse(&bytes)
    }
}

/// A connection whose reads do not block for ever.
pub(crate) fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("set");
    stream
}

/// Reads a response out of all bytes of a connection.
pub(crate) fn parse(bytes: &[u8]) -> Option<Received> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).expect("an ASCII head");
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .map(|line| line.split_once(": ").expect("a header"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut received = Received { status, headers, body: String::new(), complete: false };
    let rest = &bytes[end + 4..];
    let (body, complete) = if received.header("transfer-encoding") == Some("chunked") {
        dechunk(rest)
    } else {
        let length =
            received.header("content-length").map_or(rest.len(), |length| length.parse().expect("a length"));
        (rest[..length.min(rest.len())].to_vec(), rest.len() == length)
    };
    received.body = String::from_utf8(body).expect("UTF-8");
    received.complete = complete;
    Some(received)
}

fn dechunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(line) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&rest[..line]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return (body, true);
        }
        let start = line + 2;
        body.extend_from_slice(&rest[start..(start + size).min(rest.len())]);
        match rest.get(start + size + 2..) {
            Some(more) => rest = more,
            None => break,
        }
    }
    (body, false)
}
