//! Runs the program and takes its answer apart.

use std::{
    io::{Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use mcp_tests::{FaultServer, Reply};
use serde_json::Value;

/// No run may take longer: what hangs, fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A good answer. `{{id}}` stands for the id of the request.
pub(crate) const ANSWER: &str = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}]}}"#;

/// What one run of the program came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The one line of `--json`.
    #[track_caller]
    pub(crate) fn line(&self) -> Value {
        let mut lines = self.stdout.lines();
        let line = lines.next().unwrap_or_else(|| panic!("no line: {self:?}"));
        assert_eq!(lines.next(), None, "one line: {self:?}");
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }
}

/// The program, with nothing of this process's environment that could change what it does.
fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-call"));
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "RUST_LOG", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn run(words: &[&str]) -> Run {
    run_with(words, "", &[])
}

/// With something on standard input, and variables.
pub(crate) fn run_with(words: &[&str], input: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = command(words);
    command.envs(variables.iter().copied()).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read it may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    finish(child)
}

/// Starts the program and lets it run.
pub(crate) fn start(words: &[&str]) -> Child {
    command(words).stdin(Stdio::null()).spawn().unwrap()
}

/// Runs the program with a terminal of 100 columns as its standard error.
#[cfg(unix)]
pub(crate) fn run_on_terminal(words: &[&str]) -> Run {
    let size = nix::pty::Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = nix::pty::openpty(&size, None).unwrap();
    let mut command = command(words);
    let child = command.env("TERM", "xterm").stdin(Stdio::null()).stderr(terminal.slave).spawn().unwrap();
    // It holds the terminal open.
    drop(command);
    finish_with(child, Box::new(std::fs::File::from(terminal.master)))
}

/// Waits for its end.
pub(crate) fn finish(mut child: Child) -> Run {
    let stderr = child.stderr.take().unwrap();
    finish_with(child, Box::new(stderr))
}

fn finish_with(mut child: Child, stderr: Box<dyn Read + Send>) -> Run {
    let reader = |mut pipe: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // The end of a terminal is an error.
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8(bytes).unwrap()
        })
    };
    let stdout = reader(Box::new(child.stdout.take().unwrap()));
    let stderr = reader(stderr);
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it did not end: {} {}", stdout.join().unwrap(), stderr.join().unwrap());
        }
        thread::sleep(Duration::from_millis(5));
    };
    let code = status.code().unwrap_or_else(|| panic!("it ended by a signal: {status}"));
    Run { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// A server that plays a script.
pub(crate) async fn serve(script: impl Into<Vec<Reply>>) -> FaultServer {
    FaultServer::start(script).await.unwrap()
}

/// Calls the tool `x` of a server with these flags, with `--json`.
pub(crate) fn call(server: &FaultServer, flags: &[&str]) -> Run {
    let url = server.url();
    run(&[&[url.as_str(), "x", "--json", "--era", "modern", "--retry", "never"], flags].concat())
}

/// The bodies of all that the server received, each a POST of `tools/call`.
#[track_caller]
pub(crate) fn posts(server: &FaultServer, count: usize) -> Vec<Value> {
    posts_of(server, &vec!["tools/call"; count])
}

/// The bodies of all that the server received: POSTs of these methods.
#[track_caller]
pub(crate) fn posts_of(server: &FaultServer, methods: &[&str]) -> Vec<Value> {
    let requests = server.requests();
    let sent: Vec<_> = requests.iter().map(|request| request.header("mcp-method").unwrap()).collect();
    assert_eq!(sent, methods, "{requests:#?}");
    for request in &requests {
        assert!(request.request_line().starts_with("POST /mcp"), "{}", request.request_line());
        assert_eq!((request.header("last-event-id"), request.header("mcp-session-id")), (None, None));
    }
    requests.iter().map(|request| request.json().unwrap()).collect()
}
