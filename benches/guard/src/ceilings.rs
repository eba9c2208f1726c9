//! The ceilings. They change with the code of the client, with that of its dependencies (`Cargo.lock`), and a little with the
//! compiler; `.ci/perf-guard --print` prints them anew.

use mcp_bench_kit::workload::Workload::{self, Echo, Progress, Sse, Text1M, Typed};

use crate::run::{
    Over::{self, Http, Memory},
    Usage,
};

/// What one call needs at most.
#[derive(Clone, Copy, Debug)]
pub struct Ceiling {
    pub over: Over,
    pub workload: Workload,
    most: Usage,
}

const fn at_most(over: Over, workload: Workload, calls: u64, bytes: u64, instructions: u64) -> Ceiling {
    Ceiling { over, workload, most: Usage { calls, bytes, instructions: Some(instructions) } }
}

/// Calls of the allocator, bytes asked of it, instructions.
#[rustfmt::skip]
pub const CEILINGS: [Ceiling; 10] = [
    at_most(Memory, Echo, 19, 3_970, 20_935),
    at_most(Memory, Sse, 20, 4_025, 22_271),
    at_most(Memory, Progress, 1_041, 20_165, 4_082_806),
    at_most(Memory, Text1M, 19, 1_109_493, 8_841_620),
    at_most(Memory, Typed, 37_043, 1_770_369, 45_047_107),
    at_most(Http, Echo, 67, 23_793, 91_589),
    at_most(Http, Sse, 68, 15_702, 100_767),
    at_most(Http, Progress, 1_119, 379_808, 9_970_667),
    at_most(Http, Text1M, 73, 4_700_000, 11_198_697),
    at_most(Http, Typed, 38_186, 5_300_000, 48_716_876),
];

/// Head room of the ceilings that are printed, in hundredths: of what is counted exactly, and of what depends on the
/// compiler. Over HTTP, how the bytes are cut adds some more.
const ROOM: u64 = 2;
const ROOM_OF_INSTRUCTIONS: u64 = 5;
const ROOM_OVER_HTTP: u64 = 3;
/// And of the bytes for a stream of many small events: the fewer of them come at a time, the more buffers are begun.
const ROOM_OF_A_STREAM: u64 = 300;

impl Ceiling {
    pub fn name(&self) -> String {
        format!("{:?} over {}", self.workload, self.over)
    }

    /// Whether it is within, as far as it was measured.
    pub fn holds(&self, usage: &Usage) -> bool {
        let instructions = usage.instructions.zip(self.most.instructions).is_none_or(|(is, most)| is <= most);
        usage.calls <= self.most.calls && usage.bytes <= self.most.bytes && instructions
    }

    /// Prints what was measured beside what is allowed; whether it is within.
    pub fn check(&self, usage: &Usage) -> bool {
        let within = self.holds(usage);
        let side = |what: &str, is: u64, most: u64| {
            format!("{is} {what} ({}at most {most})", if is <= most { "" } else { "TOO MUCH: " })
        };
        let mut sides = vec![
            side("allocator calls", usage.calls, self.most.calls),
            side("bytes", usage.bytes, self.most.bytes),
        ];
        if let (Some(is), Some(most)) = (usage.instructions, self.most.instructions) {
            sides.push(side("instructions", is, most));
        }
        println!("{} {}: {}", if within { "ok  " } else { "FAIL" }, self.name(), sides.join(", "));
        within
    }

    /// The line of [`CEILINGS`] for what was measured.
    pub fn with(&self, usage: &Usage) -> String {
        let over = if self.over == Http { ROOM_OVER_HTTP } else { 0 };
        let plus = |count: u64, room: u64| count + (count * (room + over)).div_ceil(100);
        let streamed = over > 0 && self.workload == Progress;
        let room_of_bytes = if streamed { ROOM_OF_A_STREAM } else { ROOM };
        // What was not counted keeps its ceiling.
        let instructions = usage
            .instructions
            .map_or(self.most.instructions.unwrap_or_default(), |count| plus(count, ROOM_OF_INSTRUCTIONS));
        format!(
            "    at_most({:?}, {:?}, {}, {}, {}),",
            self.over,
            self.workload,
            grouped(plus(usage.calls, ROOM)),
            grouped(plus(usage.bytes, room_of_bytes)),
            grouped(instructions),
        )
    }
}

/// As Rust reads it best.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_three_has_its_ceiling() {
        let ceiling = at_most(Memory, Echo, 10, 1000, 50_000);
        let usage = Usage { calls: 10, bytes: 1000, instructions: Some(50_000) };
        assert!(ceiling.check(&usage));
        assert!(ceiling.check(&Usage { instructions: None, ..usage }));
        assert!(!ceiling.check(&Usage { calls: 11, ..usage }));
        assert!(!ceiling.check(&Usage { bytes: 1001, ..usage }));
        assert!(!ceiling.check(&Usage { instructions: Some(50_001), ..usage }));
    }

    #[test]
    fn a_new_ceiling_has_head_room() {
        let ceiling = at_most(Http, Sse, 1, 1, 7);
        let usage = Usage { calls: 100, bytes: 20_000, instructions: Some(100_000) };
        assert_eq!(ceiling.with(&usage), "    at_most(Http, Sse, 105, 21_000, 108_000),");
        let usage = Usage { instructions: None, ..usage };
        assert_eq!(ceiling.with(&usage), "    at_most(Http, Sse, 105, 21_000, 7),");
    }
}
