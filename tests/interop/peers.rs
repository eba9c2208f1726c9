//! The table of peers, and how a test meets each of them.

use std::{
    env,
    panic::resume_unwind,
    path::Path,
    process::Command,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
};

use mcp_client::{
    CallError, CallRecord, CallToolBuilder, Client, ClientBuilder, Delivery, OutcomeKind, Retry, ToolOutcome,
    record::CloseCause,
};
use serde_json::Value;

use crate::process::Process;

/// How a server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replies {
    /// With one message.
    Json,
    /// With a stream of messages.
    Sse,
}

/// What SDKs word, or decide, in their own way.
#[derive(Debug)]
pub(crate) struct Ways {
    /// The text of a tool that failed with `the disk is full`.
    pub(crate) tool_error: &'static str,
    /// How a tool that does not exist is told.
    pub(crate) unknown_tool: Unknown,
    /// The text for an argument of the wrong type.
    pub(crate) wrong_argument: &'static str,
    /// Whether it asks for input of a kind that the client did not declare, instead of refusing the call.
    pub(crate) asks_undeclared: bool,
}

/// How a tool that does not exist is told.
#[derive(Debug)]
pub(crate) enum Unknown {
    /// By a JSON-RPC error with this code and text.
    JsonRpc(i64, &'static str),
    /// By a tool error with this text.
    Tool(&'static str),
}

/// A server on another SDK.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// The program: one on the path, or one below `MCP_PEERS`.
    program: &'static str,
    /// What it runs, below `tests/peers`. It is given the kind of its replies as `json` or `sse`.
    server: &'static str,
    pub(crate) replies: Replies,
    /// How many notifications it sends before each answer, whatever the tool.
    opening: u64,
    pub(crate) ways: &'static Ways,
    running: Mutex<Weak<Process>>,
}

impl Peer {
    const fn typescript(name: &'static str, replies: Replies) -> Self {
        Self {
            name,
            program: "node",
            server: "typescript/server.cjs",
            replies,
            opening: 0,
            ways: &Ways {
                tool_error: "the disk is full",
                unknown_tool: Unknown::JsonRpc(-32602, "Tool unknown not found"),
                wrong_argument: "Input validation error: Invalid arguments for tool text: name: Invalid input: \
                                 expected string, received number",
                asks_undeclared: false,
            },
            running: Mutex::new(Weak::new()),
        }
    }

    const fn python(name: &'static str, replies: Replies) -> Self {
        Self {
            name,
            program: "python/bin/python",
            server: "python/server.py",
            replies,
            // This SDK streams an answer only when a notification comes before it.
            opening: matches!(replies, Replies::Sse) as u64,
            ways: &Ways {
                tool_error: "Error executing tool error: the disk is full",
                unknown_tool: Unknown::Tool("Unknown tool: unknown"),
                wrong_argument: "Error executing tool text: 1 validation error for textArguments\nname\n  \
                                 Input should be a valid string [type=string_type, input_value=7, input_type=int]\n    \
                                 For further information visit https://errors.pydantic.dev/2.14/v/string_type",
                asks_undeclared: true,
            },
            running: Mutex::new(Weak::new()),
        }
    }
}

static PEERS: [Peer; 4] = [
    Peer::typescript("typescript-json", Replies::Json),
    Peer::typescript("typescript-sse", Replies::Sse),
    Peer::python("python-json", Replies::Json),
    Peer::python("python-sse", Replies::Sse),
];

impl Peer {
    fn command(&self, installed: &Path) -> Command {
        let program = installed.join(self.program);
        let mut command =
            Command::new(if program.exists() { program.as_path() } else { Path::new(self.program) });
        command
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(self.server))
            .arg(if self.replies == Replies::Json { "json" } else { "sse" })
            .env("NODE_PATH", installed.join("typescript/node_modules"));
        command
    }

    /// The server, started by the first test that needs it and ended with the last one.
    fn run(&self, installed: &Path) -> Arc<Process> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.upgrade().unwrap_or_else(|| {
            let process = Arc::new(Process::start(self.name, self.command(installed)));
            *running = Arc::downgrade(&process);
            process
        })
    }
}

/// One peer, up and running.
pub(crate) struct Meeting {
    pub(crate) peer: &'static Peer,
    process: Arc<Process>,
}

impl Meeting {
    /// A client of the peer that makes each call once.
    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::http(self.process.url()).unwrap().retry(Retry::never())
    }

    /// A client of the peer that makes each call once.
    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    /// A call of a tool by a client of its own.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> CallToolBuilder {
        self.client().call_tool(tool).arguments(arguments)
    }

    /// What a peer answered: one POST, an answer of the kind that this peer gives, after so many notifications of the
    /// tool, and nothing odd about it.
    pub(crate) fn assert_answered(&self, record: &CallRecord, outcome: OutcomeKind, notifications: u64) {
        let peer = self.peer;
        assert_eq!(record.outcome, outcome, "{}: {}", peer.name, record.to_json());
        assert_eq!(record.posts, [Some(200)]);
        assert_eq!(record.delivery, Delivery::Answered);
        assert_eq!(record.notes, []);
        let content_type = record.content_type.as_deref();
        match (peer.replies, &record.sse) {
            (Replies::Json, None) => assert_eq!(content_type, Some("application/json")),
            (Replies::Sse, Some(sse)) => {
                assert_eq!(content_type, Some("text/event-stream"));
                assert_eq!(sse.notifications, peer.opening + notifications);
                assert_eq!((sse.events, sse.skipped), (sse.notifications + 1, 0));
                assert_eq!((sse.terminal_response, sse.close_cause), (true, Some(CloseCause::Answered)));
            }
            other => panic!("{}: an answer of the wrong kind: {other:?}", peer.name),
        }
    }

    /// As [`assert_answered`](Self::assert_answered), of a tool that sends no notifications.
    pub(crate) fn assert_outcome(&self, outcome: &Result<ToolOutcome, CallError>, expected: OutcomeKind) {
        self.assert_answered(CallRecord::of(outcome).unwrap(), expected, 0);
    }
}

/// Runs a test with each peer. The one whose name was printed last is the one that a failure is about.
pub(crate) async fn with_each_peer(test: impl AsyncFn(Meeting)) {
    let Some(installed) = env::var_os("MCP_PEERS") else {
        println!("skipped: MCP_PEERS is not set");
        return;
    };
    let installed = Path::new(&installed);
    // All of them start at once, and stay until the test is done.
    let processes: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> = PEERS.iter().map(|peer| scope.spawn(|| peer.run(installed))).collect();
        starts.into_iter().map(|start| start.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    for (peer, process) in PEERS.iter().zip(&processes) {
        println!("{}", peer.name);
        test(Meeting { peer, process: Arc::clone(process) }).await;
    }
}
