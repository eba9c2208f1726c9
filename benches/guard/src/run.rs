//! One run of the client in a process of its own.

use std::{
    fmt,
    process::{Command, Stdio},
};

use mcp_bench_kit::{Result, allocator, call::Contestant as _, ours::Ours, workload::Workload};
use mcp_client::Client;
use serde::{Deserialize, Serialize};

use crate::memory::Prepared;

/// How the server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    Memory,
    Http,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Memory { "memory" } else { "HTTP" })
    }
}

/// What is run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub over: Over,
    pub workload: Workload,
    /// How many calls are counted, after as many warm ones as [`WARM_UP`].
    pub calls: usize,
    /// For how many calls answers are prepared: as many in each run, so that they cancel out.
    pub prepared: usize,
    pub url: String,
}

/// What one call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Calls of the allocator, rounded up.
    pub calls: u64,
    /// Bytes asked of it, rounded up.
    pub bytes: u64,
    /// Instructions, where they were counted.
    pub instructions: Option<u64>,
}

/// Makes the connection, and fills what is filled once.
const WARM_UP: usize = 3;

/// Does a run in this process, and prints what it asked of the allocator.
pub fn print(run: &str) -> Result<()> {
    let run: Run = serde_json::from_str(run)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let usage = runtime.block_on(run.count())?;
    println!("{}", serde_json::to_string(&usage)?);
    Ok(())
}

impl Run {
    async fn count(&self) -> Result<Usage> {
        let client = match self.over {
            Over::Memory => {
                Ours(Client::with_transport(Prepared::new(self.workload, WARM_UP + self.prepared)).build()?)
            }
            Over::Http => Ours::connect(&self.url, false).await?,
        };
        let (ask, right) = (self.workload.ask(), self.workload.reply());
        for _ in 0..WARM_UP {
            client.ask(&ask).await?;
        }
        allocator::start();
        for _ in 0..self.calls {
            let reply = client.ask(&ask).await?;
            if reply != right {
                return Err(format!("{reply:?} came, not {right:?}").into());
            }
        }
        let counts = allocator::stop();
        let per_call = |count: u64| count.div_ceil(self.calls as u64);
        Ok(Usage { calls: per_call(counts.calls), bytes: per_call(counts.bytes), instructions: None })
    }

    /// Does it in another process.
    fn command(&self, under: &[&str]) -> Result<Command> {
        let this = std::env::current_exe()?;
        let mut command = match under.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(this);
                command
            }
            None => Command::new(this),
        };
        command.args(["run", &serde_json::to_string(self)?]).stdin(Stdio::null());
        Ok(command)
    }
}

/// What a run asks of the allocator.
pub fn allocations(run: &Run) -> Result<Usage> {
    let output = run.command(&[])?.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// How many instructions the whole process takes, in user space.
pub fn instructions(run: &Run) -> Result<u64> {
    let under = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let output = run.command(&under)?.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(said.into());
    }
    mcp_bench_kit::process::instructions(&said).ok_or_else(|| "valgrind counted nothing".into())
}
