//! One run of one client, in a process of its own: what is to be done comes as JSON in the only argument, what was
//! measured goes out as one line of JSON.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use nix::{
    sched::{CpuSet, sched_setaffinity},
    sys::resource::{UsageWho, getrusage},
    unistd::Pid,
};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::{
    Result, allocator,
    call::Contestant,
    workload::{Ask, Reply, Workload},
};

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub url: String,
    pub workload: Workload,
    /// How many calls are measured.
    pub calls: usize,
    /// How many are made before, so that connections and buffers are there.
    pub warm_up: usize,
    /// How many are made at a time.
    pub in_flight: usize,
    /// Whether the client is set up for the best that it can do.
    pub tuned: bool,
    /// The processor to stay on.
    pub processor: Option<usize>,
    /// Whether allocations are counted.
    pub count: bool,
    /// When calls that have no answer yet are given up, in milliseconds.
    pub patience_ms: u64,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// User and system time of the process, per call.
    pub cpu_us: f64,
    /// Time of all calls.
    pub wall_us: f64,
    /// Per call.
    pub allocator_calls: f64,
    /// Per call.
    pub allocator_bytes: f64,
    /// Resident memory before, and the most of it meanwhile.
    pub resident_kib: u64,
    pub peak_kib: u64,
    /// How many calls had their answer in time. A wrong one ends the run.
    pub answered: usize,
}

/// The `main` of a client.
pub fn main<C: Contestant>() -> Result<()> {
    let job = std::env::args().nth(1).ok_or("the only argument is a job, as JSON")?;
    let job: Job = serde_json::from_str(&job)?;
    println!("{}", serde_json::to_string(&run::<C>(&job)?)?);
    Ok(())
}

/// Does a job in this process.
pub fn run<C: Contestant>(job: &Job) -> Result<Report> {
    if let Some(processor) = job.processor {
        stay_on(processor)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(measure::<C>(job));
    // Calls that were given up hold nobody up.
    runtime.shutdown_background();
    report
}

/// Keeps this process on one processor.
pub fn stay_on(processor: usize) -> Result<()> {
    let mut set = CpuSet::new();
    set.set(processor)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

struct Plan {
    ask: Ask,
    right: Reply,
}

impl Plan {
    fn new(workload: Workload) -> Arc<Self> {
        Arc::new(Self { ask: workload.ask(), right: workload.reply() })
    }

    async fn once<C: Contestant>(&self, client: &C) -> Result<()> {
        let reply = client.ask(&self.ask).await?;
        if reply == self.right { Ok(()) } else { Err(format!("{reply:?} came, not {:?}", self.right).into()) }
    }
}

async fn measure<C: Contestant>(job: &Job) -> Result<Report> {
    let client = Arc::new(C::connect(&job.url, job.tuned).await?);
    let plan = Plan::new(job.workload.warm_up());
    make(&client, &plan, job.warm_up, job.in_flight, &Arc::default()).await?;
    let plan = Plan::new(job.workload);
    let answered = Arc::new(AtomicUsize::new(0));
    forget_peak();
    let resident_kib = memory("VmRSS:")?;
    let cpu = cpu_us()?;
    let begun = Instant::now();
    if job.count {
        allocator::start();
    }
    let all = make(&client, &plan, job.calls, job.in_flight, &answered);
    let ended = tokio::time::timeout(Duration::from_millis(job.patience_ms), all).await;
    let counts = allocator::stop();
    let wall_us = begun.elapsed().as_secs_f64() * 1e6;
    let cpu_us = cpu_us()? - cpu;
    if let Ok(ended) = ended {
        ended?;
    }
    let calls = job.calls.max(1) as f64;
    Ok(Report {
        cpu_us: cpu_us / calls,
        wall_us,
        allocator_calls: counts.calls as f64 / calls,
        allocator_bytes: counts.bytes as f64 / calls,
        resident_kib,
        peak_kib: memory("VmHWM:")?,
        answered: answered.load(Relaxed),
    })
}

/// Makes the calls; those that are made one after the other without a task of their own.
async fn make<C: Contestant>(
    client: &Arc<C>,
    plan: &Arc<Plan>,
    calls: usize,
    in_flight: usize,
    answered: &Arc<AtomicUsize>,
) -> Result<()> {
    if in_flight <= 1 {
        for _ in 0..calls {
            plan.once(&**client).await?;
            answered.fetch_add(1, Relaxed);
        }
        return Ok(());
    }
    let begun = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..in_flight.min(calls) {
        let (client, plan, begun, answered) = (client.clone(), plan.clone(), begun.clone(), answered.clone());
        tasks.spawn(async move {
            while begun.fetch_add(1, Relaxed) < calls {
                plan.once(&*client).await?;
                answered.fetch_add(1, Relaxed);
            }
            Result::Ok(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// User and system time of this process, in microseconds.
fn cpu_us() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok([usage.user_time(), usage.system_time()]
        .into_iter()
        .map(|time| time.tv_sec() as f64 * 1e6 + time.tv_usec() as f64)
        .sum())
}

/// Resident memory in KiB, as Linux tells it; 0 elsewhere.
fn memory(name: &str) -> Result<u64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return Ok(0);
    };
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Makes the peak of resident memory start anew. Where that cannot be done, warm-up counts, too.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
