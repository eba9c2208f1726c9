//! The command line.

use mcp_bench_kit::Result;

use crate::plan::PLAN;

/// How often everything is measured, unless it is said.
const ROUNDS: usize = 5;

/// What was asked for.
#[derive(Debug)]
pub struct Options {
    pub rounds: usize,
    pub quick: bool,
    workloads: Vec<String>,
}

impl Options {
    /// `None` where help is wanted.
    pub fn from_args() -> Result<Option<Self>> {
        let mut options = Self { rounds: 0, quick: false, workloads: Vec::new() };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--rounds" => options.rounds = args.next().ok_or("--rounds takes a number")?.parse()?,
                "--workload" => {
                    let name = args.next().ok_or("--workload takes a name")?;
                    if !PLAN.iter().any(|plan| plan.name == name) {
                        return Err(format!("there is no workload {name}\n\n{}", help()).into());
                    }
                    options.workloads.push(name);
                }
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("what is {arg}?\n\n{}", help()).into()),
            }
        }
        if options.rounds == 0 {
            options.rounds = if options.quick { 1 } else { ROUNDS };
        }
        Ok(Some(options))
    }

    pub fn wants(&self, name: &str) -> bool {
        self.workloads.is_empty() || self.workloads.iter().any(|wanted| wanted == name)
    }
}

pub fn help() -> String {
    let mut help = format!(
        "compare [--workload NAME]… [--rounds N] [--quick]\n\n\
         --workload NAME  only this one, or these (default: all)\n\
         --rounds N       how often each client is measured (default: {ROUNDS})\n\
         --quick          one round, a quarter of the calls, no instructions\n\n\
         Workloads:"
    );
    for plan in PLAN {
        help += &format!("\n  {:16} {}", plan.name, plan.title);
    }
    help
}
