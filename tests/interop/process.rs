//! A peer as a process of its own.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// How long a peer may take until it says that it is ready, on a machine that is busy.
const START: Duration = Duration::from_secs(60);

/// A server that runs, in a process group of its own; killed when it is dropped.
///
/// Its standard input is a pipe from here: a peer that ends with it does not outlive a test run that was killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    url: String,
}

impl Process {
    /// Starts a server and waits for the line `ready URL` on its standard output.
    pub(crate) fn start(name: &str, mut command: Command) -> Self {
        let log = log_file(name);
        let mut child = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap_or_else(|error| panic!("{name} cannot be started: {error}: {command:?}"));
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut process = Self { child, url: String::new() };
        process.url = ready(output).unwrap_or_else(|why| {
            panic!("{name} {why}: {command:?}\n{}", fs::read_to_string(&log).unwrap_or_default())
        });
        process
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The standard library kills single processes only.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("sh").args(["-c", r#"kill -s KILL -- "$1""#, "sh", &group]).status();
        let _ = self.child.wait();
    }
}

/// Where a peer writes its own errors.
fn log_file(name: &str) -> PathBuf {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("peer-{name}-{number}.log"))
}

fn ready(mut output: impl BufRead + Send + 'static) -> Result<String, &'static str> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|read| read > 0) {
            if let Some(url) = line.strip_prefix("ready ") {
                let _ = sender.send(url.trim().to_owned());
                // Whatever else it says is taken, so that it never waits for somebody to read.
                let _ = io::copy(&mut output, &mut io::sink());
                return;
            }
            line.clear();
        }
    });
    receiver.recv_timeout(START).map_err(|error| match error {
        mpsc::RecvTimeoutError::Disconnected => "ended before it was ready",
        mpsc::RecvTimeoutError::Timeout => "was not ready in time",
    })
}
