//! What has to be known to read the table: when, of what, on what, how.

use std::{fs, process::Command};

use crate::measure::Rig;

/// What the table needs beside it.
pub const METHOD: &str = "\
Medians, in brackets the ratio to reqwest: of CPU and wall time the median of the ratios within a round. One process a run, the \
clients in turn, current-thread runtimes, HTTP/1.1 without TLS on the loopback interface, a server in a process of its own; where \
one call is in flight the client shares the server's processor, otherwise it has another. Every reply is checked, and the server \
checks every request. CPU time is the client's user and system time in the measured calls; instructions are those of callgrind in \
user space, of many calls less those of few; allocations are counted in a run of their own. `reqwest` and `hyper-util` are written by hand \
with serde structs, as somebody would who trusts the server; `rmcp` is set up as its documentation says (`from_uri`: no connection is \
kept), `rmcp, tuned` with a client that keeps them, and without its limits of 16 requests at a time and 16 MiB. All are built in one \
package, and so with one copy of reqwest, hyper, tokio and serde_json with the same features.";

const LOCK: &str = include_str!("../../../Cargo.lock");

pub fn describe(rig: &Rig) -> String {
    let versions = ["mcp-client", "reqwest", "hyper-util", "hyper", "rmcp", "serde_json", "tokio"]
        .map(|name| format!("{name} {}", version(name).unwrap_or("?")))
        .join(", ");
    format!(
        "{}. {versions}; {}. {}. Rounds: {}{}.",
        said("date", &["-u", "+%Y-%m-%d"]),
        said("rustc", &["--version"]),
        machine(),
        rig.rounds,
        if rig.quick { ", `--quick`" } else { "" },
    )
}

/// The version of a package in the lock file.
fn version(name: &str) -> Option<&'static str> {
    let (_, rest) = LOCK.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0)
}

fn machine() -> String {
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(String::new(), |kib| format!(", {:.0} GiB", kib / 1024.0 / 1024.0));
    format!("{processors} processors ({model}){memory}, {}", said("uname", &["-sr"]))
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    output.map_or_else(
        |_| format!("no {program}"),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
