//! The client against reqwest and hyper-util by hand, and against rmcp: one table, as Markdown.

mod machine;
mod measure;
mod options;
mod plan;
mod table;

use std::process::{Command, ExitCode};

use mcp_bench_kit::Result;

use self::{
    measure::{Measured, Rig},
    options::Options,
    plan::{PLAN, Plan},
    table::Table,
};

/// Who takes part: the name, the program, and whether it is tuned. The second is the base of all ratios.
const CLIENTS: [Client; 5] = [
    Client { name: "mcp-client", program: "client-ours", tuned: false },
    Client { name: "reqwest", program: "client-reqwest", tuned: false },
    Client { name: "hyper-util", program: "client-hyper", tuned: false },
    Client { name: "rmcp", program: "client-rmcp", tuned: false },
    Client { name: "rmcp, tuned", program: "client-rmcp", tuned: true },
];

/// Where the base stands in [`CLIENTS`].
const BASE: usize = 1;

#[derive(Clone, Copy, Debug)]
struct Client {
    name: &'static str,
    program: &'static str,
    tuned: bool,
}

fn main() -> ExitCode {
    let ended = match Options::from_args() {
        Ok(Some(options)) => compare(&options),
        Ok(None) => {
            println!("{}", options::help());
            Ok(())
        }
        Err(error) => Err(error),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(options: &Options) -> Result<()> {
    build()?;
    let rig = Rig::new(options)?;
    let mut table = Table::default();
    for plan in PLAN.iter().filter(|plan| options.wants(plan.name)) {
        eprintln!("{} ({})", plan.title, plan.name);
        for measured in run(&rig, plan)? {
            table.add(plan, &measured);
        }
    }
    println!("{}\n\n{table}\n{}", machine::describe(&rig), machine::METHOD);
    rig.check()
}

/// The other programs, in the profile and the folder of this one.
fn build() -> Result<()> {
    let this = std::env::current_exe()?;
    let target = this.ancestors().nth(2).ok_or("this program is in no folder of Cargo")?;
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--bins", "--target-dir"])
        .arg(target)
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .status()?;
    if status.success() { Ok(()) } else { Err("the clients cannot be built".into()) }
}

fn run(rig: &Rig, plan: &Plan) -> Result<Vec<Measured>> {
    match plan.what {
        plan::What::Costs { calls, warm_up, in_flight, counted } => {
            measure::costs(rig, plan.workload, (calls, warm_up, in_flight), counted)
        }
        plan::What::Batches { batches, in_flight } => {
            measure::batches(rig, plan.workload, batches, in_flight)
        }
        plan::What::Memory { in_flight } => measure::memory(rig, plan.workload, in_flight),
        plan::What::Connections { calls } => measure::connections(rig, plan.workload, calls),
        plan::What::SystemCalls { calls } => measure::system_calls(rig, plan.workload, calls),
        plan::What::ColdStart { starts } => measure::cold_start(rig, plan.workload, starts),
    }
}
