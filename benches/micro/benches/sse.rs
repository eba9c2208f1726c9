//! The SSE parser: many small events, and a few large ones.

use divan::{Bencher, counter::BytesCount};
use mcp_client::sse::SseParser;

/// As much as a socket hands out at a time.
const CHUNK: usize = 16 << 10;

fn main() {
    divan::main();
}

fn stream(events: usize, size: usize) -> Vec<u8> {
    let event = format!("event: message\ndata: {{\"text\":\"{}\"}}\n\n", "x".repeat(size));
    event.repeat(events).into_bytes()
}

fn parse(stream: &[u8]) -> usize {
    let mut parser = SseParser::new(64 << 20);
    let mut bytes = 0;
    for chunk in stream.chunks(CHUNK) {
        parser.push(chunk);
        while let Ok(Some(event)) = parser.next_event() {
            bytes += event.data.len();
        }
    }
    bytes
}

#[divan::bench(args = [(1000, 100), (100, 10_000), (1, 4 << 20)])]
fn events(bencher: Bencher<'_, '_>, (events, size): (usize, usize)) {
    let stream = stream(events, size);
    bencher.counter(BytesCount::of_slice(&stream)).bench(|| parse(divan::black_box(&stream)));
}
