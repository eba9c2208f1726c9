//! What somebody would write who knows the tools and trusts the server: typed requests and answers, and an event stream read
//! with just enough care.

use bytes::{Buf as _, Bytes, BytesMut};
use mcp_bench_kit::{
    Result,
    payload::Order,
    workload::{Arguments, Ask, Reply, Want},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The revision of the protocol.
pub const VERSION: &str = "2026-07-28";
/// Both kinds of answers.
pub const ACCEPT: &str = "application/json, text/event-stream";

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Params<'a> {
    #[serde(rename = "_meta")]
    meta: Meta,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Arguments>,
}

#[derive(Serialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'static str,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    client: Info,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Capabilities,
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    progress_token: Option<u64>,
}

#[derive(Serialize)]
struct Info {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Capabilities {}

/// A request, ready to be posted.
#[derive(Debug)]
pub struct Post {
    pub method: &'static str,
    pub name: Option<&'static str>,
    pub body: Vec<u8>,
}

impl Post {
    pub fn new(id: u64, ask: &Ask) -> Result<Self> {
        let (method, name, arguments, wants_progress) = match ask {
            Ask::Call { tool, arguments, want } => {
                ("tools/call", Some(*tool), Some(arguments), *want == Want::Progress)
            }
            Ask::List => ("tools/list", None, None, false),
        };
        let meta = Meta {
            version: VERSION,
            client: Info { name: "bench", version: "0.1.0" },
            capabilities: Capabilities {},
            progress_token: wants_progress.then_some(id),
        };
        let request = Request { jsonrpc: "2.0", id, method, params: Params { meta, name, arguments } };
        Ok(Self { method, name, body: serde_json::to_vec(&request)? })
    }
}

#[derive(Deserialize)]
struct Answer<T> {
    id: u64,
    result: T,
}

#[derive(Deserialize)]
struct Called<S> {
    content: Vec<Block>,
    #[serde(rename = "structuredContent")]
    structured: Option<S>,
    #[serde(rename = "isError", default)]
    is_error: bool,
}

#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Listed {
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    title: Option<String>,
    description: Option<String>,
    input_schema: Value,
    annotations: Option<Hints>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    read_only_hint: Option<bool>,
    open_world_hint: Option<bool>,
}

#[derive(Deserialize)]
struct Notification<'a> {
    method: &'a str,
    params: Progress,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    progress_token: u64,
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

/// Reads the answer to a request.
pub fn read(message: &[u8], id: u64, ask: &Ask) -> Result<Reply> {
    let mut reply = Reply::default();
    match ask {
        // By hand there is one type for what the tool answers, whether it is looked at or not.
        Ask::Call { want: want @ (Want::Typed | Want::Kept | Want::Unread), .. } => {
            let orders =
                result::<Called<Vec<Order>>>(message, id)?.structured.ok_or("no structured content")?;
            if *want == Want::Unread {
                std::hint::black_box(orders);
            } else {
                reply.orders(&orders);
            }
        }
        Ask::Call { .. } => {
            let called = result::<Called<Value>>(message, id)?;
            if called.is_error {
                return Err("the tool failed".into());
            }
            for block in &called.content {
                reply.text(block.text.as_deref().unwrap_or_default());
            }
            std::hint::black_box(called.content);
        }
        Ask::List => {
            let tools = result::<Listed>(message, id)?.tools;
            reply.tools(tools.len());
            for tool in &tools {
                let hints =
                    tool.annotations.as_ref().map(|hints| (hints.read_only_hint, hints.open_world_hint));
                let texts = (&tool.name, &tool.title, &tool.description);
                std::hint::black_box((texts, &tool.input_schema, hints));
            }
        }
    }
    Ok(reply)
}

fn result<T: DeserializeOwned>(message: &[u8], id: u64) -> Result<T> {
    let answer: Answer<T> = serde_json::from_slice(message)?;
    if answer.id == id { Ok(answer.result) } else { Err("an answer to something else".into()) }
}

/// An event stream while it comes.
#[derive(Debug)]
pub struct Events<'a> {
    id: u64,
    ask: &'a Ask,
    buffer: BytesMut,
    searched: usize,
    reply: Option<Reply>,
    steps: usize,
    sum: f64,
}

impl<'a> Events<'a> {
    pub fn new(id: u64, ask: &'a Ask) -> Self {
        Self { id, ask, buffer: BytesMut::new(), searched: 0, reply: None, steps: 0, sum: 0.0 }
    }

    /// Takes what came; events end with an empty line, and have one line of data.
    pub fn push(&mut self, chunk: &Bytes) -> Result<()> {
        self.buffer.extend_from_slice(chunk);
        while let Some(end) = memchr::memmem::find(&self.buffer[self.searched..], b"\n\n") {
            let event = self.buffer.split_to(self.searched + end);
            self.buffer.advance(2);
            self.searched = 0;
            let start = memchr::memmem::find(&event, b"data: ").ok_or("an event without data")?;
            self.event(&event[start + 6..])?;
        }
        self.searched = self.buffer.len().saturating_sub(1);
        Ok(())
    }

    fn event(&mut self, data: &[u8]) -> Result<()> {
        if self.is_progress() {
            // Which of both it is, only its members tell.
            if let Ok(note) = serde_json::from_slice::<Notification<'_>>(data) {
                let step = note.params;
                if note.method == "notifications/progress" && step.progress_token == self.id {
                    self.steps += 1;
                    self.sum += step.progress;
                    std::hint::black_box((step.total, &step.message));
                }
                return Ok(());
            }
        }
        self.reply = Some(read(data, self.id, self.ask)?);
        Ok(())
    }

    fn is_progress(&self) -> bool {
        matches!(self.ask, Ask::Call { want: Want::Progress, .. })
    }

    /// What the stream told, once it has ended.
    pub fn finish(self) -> Result<Reply> {
        let mut reply = self.reply.ok_or("the stream ended without an answer")?;
        reply.progress(self.steps, self.sum);
        Ok(reply)
    }
}
