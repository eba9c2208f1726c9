//! The server that all clients call.

fn main() -> mcp_bench_kit::Result<()> {
    let processor = std::env::args().nth(1).map(|processor| processor.parse()).transpose()?;
    mcp_bench_kit::server::main(processor)
}
