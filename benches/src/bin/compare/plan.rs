//! What is measured.

use mcp_bench_kit::workload::Workload;

/// One group of rows.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// For `--workload`.
    pub name: &'static str,
    pub title: &'static str,
    pub workload: Workload,
    pub what: What,
}

/// How it is measured.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// CPU time, wall time, allocations and instructions per call. Instructions are those of the second number of calls less
    /// those of the first.
    Costs { calls: usize, warm_up: usize, in_flight: usize, counted: (usize, usize) },
    /// Wall time of so many calls at once.
    Batches { batches: usize, in_flight: usize },
    /// Memory per call while so many wait.
    Memory { in_flight: usize },
    /// Connections over so many calls, one after the other.
    Connections { calls: usize },
    /// System calls per call.
    SystemCalls { calls: usize },
    /// From the start of the process to its first result.
    ColdStart { starts: usize },
}

const fn costs(calls: usize, warm_up: usize, in_flight: usize, counted: (usize, usize)) -> What {
    What::Costs { calls, warm_up, in_flight, counted }
}

/// All of it, in the order of the table.
pub const PLAN: [Plan; 17] = [
    Plan {
        name: "echo",
        title: "short text, JSON, one after the other",
        workload: Workload::Echo,
        what: costs(4000, 200, 1, (100, 600)),
    },
    Plan {
        name: "sse-64",
        title: "short text, event streams, 64 at a time",
        workload: Workload::Sse,
        what: costs(6400, 640, 64, (128, 640)),
    },
    Plan {
        name: "progress",
        title: "1,000 progress notifications, then a short text",
        workload: Workload::Progress,
        what: costs(60, 5, 1, (1, 5)),
    },
    Plan {
        name: "text-1m",
        title: "1 MiB of text",
        workload: Workload::Text1M,
        what: costs(60, 5, 1, (2, 8)),
    },
    Plan {
        name: "text-16m",
        title: "16 MiB of text",
        workload: Workload::Text16M,
        what: costs(8, 2, 1, (1, 3)),
    },
    Plan {
        name: "event-4m",
        title: "4 MiB of text in one event of a stream",
        workload: Workload::Event4M,
        what: costs(20, 3, 1, (1, 4)),
    },
    Plan {
        name: "typed",
        title: "1 MiB of structured content, straight into a type",
        workload: Workload::Typed,
        what: costs(40, 4, 1, (1, 4)),
    },
    Plan {
        name: "kept",
        title: "the same, kept, then read into a type (by hand: as above)",
        workload: Workload::Kept,
        what: costs(40, 4, 1, (1, 4)),
    },
    Plan {
        name: "unread",
        title: "the same, kept, not looked at (by hand: as above)",
        workload: Workload::Unread,
        what: costs(40, 4, 1, (1, 4)),
    },
    Plan {
        name: "tools",
        title: "a list of 1,000 tools",
        workload: Workload::Tools,
        what: costs(40, 4, 1, (1, 4)),
    },
    Plan {
        name: "wait-64",
        title: "64 calls of 50 ms at once",
        workload: Workload::Wait,
        what: What::Batches { batches: 4, in_flight: 64 },
    },
    Plan {
        name: "memory-1000",
        title: "1,000 calls of 3 s at once",
        workload: Workload::Hold,
        what: What::Memory { in_flight: 1000 },
    },
    Plan {
        name: "memory-5000",
        title: "5,000 calls of 3 s at once",
        workload: Workload::Hold,
        what: What::Memory { in_flight: 5000 },
    },
    Plan {
        name: "memory-sse-1000",
        title: "1,000 event streams of 3 s at once",
        workload: Workload::HoldSse,
        what: What::Memory { in_flight: 1000 },
    },
    Plan {
        name: "connections",
        title: "1,000 calls, one after the other",
        workload: Workload::Echo,
        what: What::Connections { calls: 1000 },
    },
    Plan {
        name: "system-calls",
        title: "short text, JSON, one after the other",
        workload: Workload::Echo,
        what: What::SystemCalls { calls: 1000 },
    },
    Plan {
        name: "cold-start",
        title: "a process from its start to its first result",
        workload: Workload::Echo,
        what: What::ColdStart { starts: 15 },
    },
];
