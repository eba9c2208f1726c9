//! Ceilings on what a call asks of the allocator and of the processor. Counts, no times: the same on a slow machine, and on
//! one that is busy.
//!
//! Each workload is called twice: over a transport that answers from memory (all of the client but HTTP), and over HTTP, with
//! the server in a process of its own. Every reply is checked.

mod ceilings;
mod memory;
mod run;

use std::process::{Command, ExitCode, Stdio};

use mcp_bench_kit::{Result, allocator::Counting, process::Server, workload::Workload};

use self::{
    ceilings::{CEILINGS, Ceiling},
    run::{Run, Usage},
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often allocations are counted at least, and, while they are above their ceiling, at most. How the bytes of a socket are
/// cut is chance, above all on a busy machine, so the lowest count stands: what a call needs always, it needs every time.
const TRIES: (usize, usize) = (2, 10);

const HELP: &str = "\
perf-guard [--print] [--no-instructions]

  --print            print the table of what is measured, for ceilings.rs; check nothing
  --no-instructions  count allocations only, also where valgrind is there";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ended = match *args.as_slice() {
        ["serve"] => mcp_bench_kit::server::main(None).map(|()| true),
        ["run", run] => run::print(run).map(|()| true),
        _ if args.iter().all(|arg| ["--print", "--no-instructions"].contains(arg)) => {
            guard(args.contains(&"--print"), !args.contains(&"--no-instructions"))
        }
        _ => Err(HELP.into()),
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures everything; whether all of it is within its ceiling.
fn guard(print: bool, instructions: bool) -> Result<bool> {
    let valgrind = instructions && is_there("valgrind");
    if instructions && !valgrind {
        println!("skipped: instructions, since valgrind is not installed");
    }
    let server = Server::start(Command::new(std::env::current_exe()?).arg("serve"))?;
    let url = server.url();
    let measured: Vec<Result<Usage>> = in_pairs(&CEILINGS, |ceiling| measure(ceiling, &url, valgrind));
    let mut holds = true;
    for (ceiling, usage) in CEILINGS.iter().zip(measured) {
        let usage = usage.map_err(|error| format!("{}: {error}", ceiling.name()))?;
        if print {
            println!("{}", ceiling.with(&usage));
        } else {
            holds &= ceiling.check(&usage);
        }
    }
    if server.stats()?.wrong > 0 {
        return Err("requests were not as the protocol asks".into());
    }
    if !holds {
        println!("If that is meant, and worth it: `.ci/perf-guard --print` prints the ceilings anew.");
    }
    Ok(holds)
}

/// Two at a time: counts do not mind.
fn in_pairs<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let mut done = Vec::new();
    for pair in items.chunks(2) {
        std::thread::scope(|scope| {
            let threads: Vec<_> = pair.iter().map(|item| scope.spawn(|| work(item))).collect();
            done.extend(threads.into_iter().map(|thread| thread.join().expect("no panic")));
        });
    }
    done
}

fn measure(ceiling: &Ceiling, url: &str, valgrind: bool) -> Result<Usage> {
    let (few, many) = calls(ceiling.workload);
    let run = |calls| Run {
        over: ceiling.over,
        workload: ceiling.workload,
        calls,
        prepared: many,
        url: url.to_owned(),
    };
    let mut lowest: Option<Usage> = None;
    for tried in 0..TRIES.1 {
        if tried >= TRIES.0 && lowest.is_some_and(|usage| ceiling.holds(&usage)) {
            break;
        }
        let found = run::allocations(&run(many))?;
        let before = lowest.unwrap_or(found);
        let (calls, bytes) = (found.calls.min(before.calls), found.bytes.min(before.bytes));
        lowest = Some(Usage { calls, bytes, instructions: None });
    }
    let mut usage = lowest.ok_or("nothing was counted")?;
    if valgrind {
        let counted = run::instructions(&run(many))?.saturating_sub(run::instructions(&run(few))?);
        usage.instructions = Some(counted / (many - few) as u64);
    }
    Ok(usage)
}

/// How many calls, so that the difference is a mean and the run is short.
fn calls(workload: Workload) -> (usize, usize) {
    match workload {
        Workload::Echo | Workload::Sse => (50, 450),
        Workload::Progress => (1, 4),
        _ => (1, 5),
    }
}

fn is_there(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}
