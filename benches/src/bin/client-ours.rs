//! The client of this repository, with its defaults.

use mcp_bench_kit::{Result, allocator::Counting, job, ours::Ours};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<()> {
    job::main::<Ours>()
}
