//! Runs clients, one process a run, and reads what they report.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Command, Stdio, id as process_id},
    time::{Duration, Instant},
};

use mcp_bench_kit::{
    Result,
    job::{Job, Report},
    process::{self, Server},
    workload::Workload,
};
use nix::{
    sched::sched_getaffinity,
    sys::resource::{Resource, getrlimit, setrlimit},
    unistd::Pid,
};

use crate::{BASE, CLIENTS, Client, options::Options};

/// When a run is given up that should not take long, and one whose calls take [`mcp_bench_kit::workload::HOLD_MS`].
const PATIENCE: Duration = Duration::from_secs(300);
const HOLD_PATIENCE: Duration = Duration::from_secs(10);

/// Files that are open beside a connection a call.
const OTHER_FILES: u64 = 200;

/// One row: a cell for each client.
#[derive(Debug)]
pub struct Measured {
    pub unit: &'static str,
    pub cells: Vec<Cell>,
}

/// What is known of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A value, and its ratio to the base's.
    Value { value: f64, ratio: Option<f64>, note: Option<String> },
    /// Why there is none.
    None(String),
}

/// The server, and how clients are run.
#[derive(Debug)]
pub struct Rig {
    pub rounds: usize,
    pub quick: bool,
    pub valgrind: bool,
    pub strace: bool,
    pub files: u64,
    programs: PathBuf,
    server: Server,
    /// The processors of the server and of clients that have many calls in flight.
    processors: Option<(usize, usize)>,
}

impl Rig {
    pub fn new(options: &Options) -> Result<Self> {
        let programs = std::env::current_exe()?.parent().ok_or("no folder")?.to_owned();
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
        let allowed = sched_getaffinity(Pid::from_raw(0))?;
        let mut allowed = (0..nix::sched::CpuSet::count()).filter(|at| allowed.is_set(*at).unwrap_or(false));
        let processors = allowed.next().zip(allowed.next());
        let mut command = Command::new(programs.join("server"));
        command.args(processors.map(|(of_server, _)| of_server.to_string()));
        Ok(Self {
            rounds: options.rounds,
            quick: options.quick,
            valgrind: !options.quick && is_there("valgrind"),
            strace: is_there("strace"),
            files: hard,
            server: Server::start(&mut command)?,
            programs,
            processors,
        })
    }

    /// What the server has to say at the end.
    pub fn check(&self) -> Result<()> {
        match self.server.stats()?.wrong {
            0 => Ok(()),
            wrong => Err(format!("{wrong} requests were not as the protocol asks").into()),
        }
    }

    fn job(&self, client: Client, workload: Workload, calls: usize, in_flight: usize) -> Job {
        let processor =
            self.processors.map(|(of_server, other)| if in_flight > 1 { other } else { of_server });
        Job {
            url: self.server.url(),
            workload,
            calls,
            warm_up: 0,
            in_flight,
            tuned: client.tuned,
            processor,
            count: false,
            patience_ms: PATIENCE.as_millis().try_into().unwrap_or(u64::MAX),
        }
    }

    fn command(&self, client: Client, under: &[&str], job: &Job) -> Result<Command> {
        let program = self.programs.join(client.program);
        let mut command = match under.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.arg(serde_json::to_string(job)?).stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a job; the error is what the client said.
    fn report(&self, client: Client, job: &Job) -> std::result::Result<Report, String> {
        let output = self
            .command(client, &[], job)
            .and_then(|mut command| Ok(command.output()?))
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
        } else {
            let said = String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect::<String>();
            eprintln!("  {}: {said}", client.name);
            Err("fails".to_owned())
        }
    }

    /// A quarter where it has to be quick.
    fn fewer(&self, calls: usize) -> usize {
        if self.quick { calls.div_ceil(4) } else { calls }
    }
}

fn is_there(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 { Some(upper) } else { Some((values.get(middle - 1)? + upper) / 2.0) }
}

type Run<T> = std::result::Result<T, String>;

/// Rounds in which each client runs once.
fn rounds<T>(count: usize, mut run: impl FnMut(Client) -> Run<T>) -> Vec<[Run<T>; 5]> {
    (0..count)
        .map(|round| {
            eprintln!("  round {} of {count}", round + 1);
            CLIENTS.map(&mut run)
        })
        .collect()
}

/// Medians over the rounds; a ratio is one within a round.
fn row<T>(unit: &'static str, rounds: &[[Run<T>; 5]], value: impl Fn(&T) -> f64) -> Measured {
    let cells = (0..CLIENTS.len()).map(|at| {
        let of = |round: &[Run<T>; 5], at: usize| round[at].as_ref().ok().map(&value);
        let values = rounds.iter().filter_map(|round| of(round, at)).collect();
        let ratios = rounds.iter().filter_map(|round| Some(of(round, at)? / of(round, BASE)?)).collect();
        match median(values) {
            Some(value) => Cell::Value { value, ratio: median(ratios), note: None },
            None => Cell::None(
                rounds.iter().find_map(|round| round[at].as_ref().err()).cloned().unwrap_or_default(),
            ),
        }
    });
    Measured { unit, cells: cells.collect() }
}

/// CPU time, wall time, allocations, instructions.
pub fn costs(
    rig: &Rig,
    workload: Workload,
    (calls, warm_up, in_flight): (usize, usize, usize),
    counted: (usize, usize),
) -> Result<Vec<Measured>> {
    let calls = rig.fewer(calls);
    let job = |client| Job { warm_up, ..rig.job(client, workload, calls, in_flight) };
    let times = rounds(rig.rounds, |client| rig.report(client, &job(client)));
    let allocations = [CLIENTS.map(|client| rig.report(client, &Job { count: true, ..job(client) }))];
    let mut rows = Vec::new();
    if rig.valgrind {
        eprintln!("  instructions");
        let instructions = [CLIENTS.map(|client| instructions(rig, client, workload, in_flight, counted))];
        rows.push(row("instructions", &instructions, |count| *count));
    }
    let calls = calls as f64;
    rows.push(row("CPU, µs", &times, |report| report.cpu_us));
    rows.push(row("wall, µs", &times, |report| report.wall_us / calls));
    rows.push(row("allocator calls", &allocations, |report| report.allocator_calls));
    rows.push(row("allocated, KiB", &allocations, |report| report.allocator_bytes / 1024.0));
    Ok(rows)
}

fn instructions(
    rig: &Rig,
    client: Client,
    workload: Workload,
    in_flight: usize,
    (few, many): (usize, usize),
) -> Run<f64> {
    let count = |calls| -> Result<f64> {
        let job = Job { processor: None, ..rig.job(client, workload, calls, in_flight) };
        let under = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
        let output = rig.command(client, &under, &job)?.output()?;
        if !output.status.success() {
            return Err("fails".into());
        }
        let counted = process::instructions(&String::from_utf8_lossy(&output.stderr));
        Ok(counted.ok_or("valgrind counted nothing")? as f64)
    };
    let per_call = || Ok((count(many)? - count(few)?) / (many - few) as f64);
    per_call().map_err(|error: Box<dyn std::error::Error + Send + Sync>| error.to_string())
}

/// Wall time of calls that wait all at once.
pub fn batches(rig: &Rig, workload: Workload, batches: usize, in_flight: usize) -> Result<Vec<Measured>> {
    let batches = rig.fewer(batches);
    let calls = batches * in_flight;
    let runs = rounds(rig.rounds, |client| {
        rig.report(client, &Job { warm_up: in_flight, ..rig.job(client, workload, calls, in_flight) })
    });
    Ok(vec![row("wall of all 64, ms", &runs, |report| report.wall_us / 1e3 / batches as f64)])
}

/// Resident memory that calls in flight add.
pub fn memory(rig: &Rig, workload: Workload, in_flight: usize) -> Result<Vec<Measured>> {
    if rig.files < in_flight as u64 + OTHER_FILES {
        let why = format!("only {} files may be open", rig.files);
        return Ok(vec![Measured { unit: "KiB per call", cells: vec![Cell::None(why); CLIENTS.len()] }]);
    }
    let patience_ms = HOLD_PATIENCE.as_millis().try_into().unwrap_or(u64::MAX);
    let runs = rounds(rig.rounds.min(3), |client| {
        let job = rig.job(client, workload, in_flight, in_flight);
        rig.report(client, &Job { warm_up: 1, patience_ms, ..job })
    });
    let mut row = row("KiB per call", &runs, |report| {
        report.peak_kib.saturating_sub(report.resident_kib) as f64 / in_flight as f64
    });
    for (at, cell) in row.cells.iter_mut().enumerate() {
        let answered =
            runs.iter().filter_map(|round| round[at].as_ref().ok()).map(|report| report.answered).min();
        if let (Cell::Value { note, .. }, Some(answered)) = (cell, answered) {
            if answered < in_flight {
                *note = Some(format!("{answered} answered in {} s", HOLD_PATIENCE.as_secs()));
            }
        }
    }
    Ok(vec![row])
}

/// Connections, as the server counts them.
pub fn connections(rig: &Rig, workload: Workload, calls: usize) -> Result<Vec<Measured>> {
    let runs = rounds(1, |client| {
        let before = rig.server.stats().map_err(|error| error.to_string())?;
        if before.wrong > 0 {
            return Err("requests were not as the protocol asks".to_owned());
        }
        rig.report(client, &rig.job(client, workload, calls, 1))?;
        rig.server.stats().map_err(|error| error.to_string())
    });
    Ok(vec![row("connections", &runs, |stats| stats.connections as f64)])
}

/// System calls per call, as strace counts them.
pub fn system_calls(rig: &Rig, workload: Workload, calls: usize) -> Result<Vec<Measured>> {
    if !rig.strace {
        let none = Cell::None("no strace here".to_owned());
        return Ok(vec![Measured { unit: "system calls", cells: vec![none; CLIENTS.len()] }]);
    }
    let file = std::env::temp_dir().join(format!("compare-{}.strace", process_id()));
    let count = |client, calls| -> Result<f64> {
        let job = rig.job(client, workload, calls, 1);
        let under = ["strace", "-f", "-c", "-o", file.to_str().ok_or("no path")?];
        let output = rig.command(client, &under, &job)?.output()?;
        if !output.status.success() {
            return Err("fails".into());
        }
        Ok(total(&fs::read_to_string(&file)?).ok_or("strace counted nothing")?)
    };
    let few = calls / 10;
    let runs = rounds(1, |client| {
        let per_call = || Ok((count(client, calls + few)? - count(client, few)?) / calls as f64);
        per_call().map_err(|error: Box<dyn std::error::Error + Send + Sync>| error.to_string())
    });
    let _ = fs::remove_file(&file);
    Ok(vec![row("system calls", &runs, |count| *count)])
}

/// The calls in the last line of strace's table: share, seconds, microseconds per call, calls, …, `total`.
fn total(table: &str) -> Option<f64> {
    let line = table.lines().rev().find(|line| line.trim_end().ends_with("total"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// From the start of the process to its report, which follows its first result at once.
pub fn cold_start(rig: &Rig, workload: Workload, starts: usize) -> Result<Vec<Measured>> {
    let starts = rig.fewer(starts);
    let runs = rounds(starts, |client| {
        let start = || -> Result<f64> {
            let job = Job { processor: None, ..rig.job(client, workload, 1, 1) };
            let mut command = rig.command(client, &[], &job)?;
            let begun = Instant::now();
            let mut child = command.stdout(Stdio::piped()).spawn()?;
            let mut line = String::new();
            BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
            let took = begun.elapsed().as_secs_f64() * 1e3;
            if child.wait()?.success() && !line.is_empty() { Ok(took) } else { Err("fails".into()) }
        };
        start().map_err(|error| error.to_string())
    });
    Ok(vec![row("ms", &runs, |took| *took)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strace_prints_is_read() {
        let table = "% time  seconds  usecs/call  calls  errors syscall\n 9.1 0.1 1 99 writev\n100.00 0.5 1 3012 4 total\n";
        assert_eq!(total(table), Some(3012.0));
    }

    #[test]
    fn medians_and_ratios_within_a_round() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
        let round = |ours: f64, base: f64| [Ok(ours), Ok(base), Ok(1.0), Err("fails".to_owned()), Ok(1.0)];
        let row = row("x", &[round(2.0, 1.0), round(30.0, 10.0), round(8.0, 2.0)], |value| *value);
        assert_eq!(row.cells[0], Cell::Value { value: 8.0, ratio: Some(3.0), note: None });
        assert_eq!(row.cells[3], Cell::None("fails".to_owned()));
    }
}
