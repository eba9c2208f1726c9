//! What is asked of every client, and how the reply is checked.

use serde::{Deserialize, Serialize};

use crate::payload::{self, Order, ends_of_text};

/// The text that `echo` is sent.
pub const ECHO: &str = "forty bytes of text, there and back again";
/// How many notifications of progress come before the answer.
pub const STEPS: usize = 1000;
/// The sum of what they report.
const SUM_OF_STEPS: f64 = 500_500.0;
/// How long the server takes for a call of [`Workload::Wait`], in milliseconds.
pub const WAIT_MS: usize = 50;
/// How long it takes for one of [`Workload::Hold`].
pub const HOLD_MS: usize = 3000;

const MIB: usize = 1 << 20;

/// What is asked in each call of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// A short text, answered with JSON.
    Echo,
    /// A short text, answered with an event stream.
    Sse,
    /// 1,000 notifications of progress, each typed and looked at, then a short text.
    Progress,
    /// 1 MiB of text.
    #[serde(rename = "text-1m")]
    Text1M,
    /// 16 MiB of text.
    #[serde(rename = "text-16m")]
    Text16M,
    /// 4 MiB of text in one event of a stream.
    #[serde(rename = "event-4m")]
    Event4M,
    /// 1 MiB of structured content, read as `Vec<Order>` on the shortest way that the client has.
    Typed,
    /// The same, read as `Vec<Order>` from a result that is kept.
    Kept,
    /// The same, not looked at.
    Unread,
    /// A list of 1,000 tools.
    Tools,
    /// A short text after [`WAIT_MS`].
    Wait,
    /// A short text after [`HOLD_MS`].
    Hold,
    /// The same as an event stream, whose head comes at once.
    HoldSse,
}

/// The arguments of a call. Each client puts them into what its interface takes, within what is measured.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Arguments {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
}

/// What the caller wants of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The text.
    Text,
    /// The text, and each notification of progress.
    Progress,
    /// The orders, on the shortest way.
    Typed,
    /// The orders, of a result that is kept.
    Kept,
    /// That it came.
    Unread,
}

/// One request.
#[derive(Clone, Debug)]
pub enum Ask {
    Call { tool: &'static str, arguments: Arguments, want: Want },
    List,
}

/// What was seen of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reply {
    text: usize,
    ends: Option<(u8, u8)>,
    orders: u64,
    numbers: u64,
    steps: usize,
    progress: f64,
    tools: usize,
}

impl Reply {
    pub fn text(&mut self, text: &str) {
        self.text += text.len();
        self.ends = text.as_bytes().first().copied().zip(text.as_bytes().last().copied());
    }

    pub fn orders(&mut self, orders: &[Order]) {
        self.orders += orders.len() as u64;
        self.numbers += orders.iter().map(|order| order.number).sum::<u64>();
        std::hint::black_box(orders);
    }

    pub fn progress(&mut self, steps: usize, sum: f64) {
        self.steps += steps;
        self.progress += sum;
    }

    pub fn tools(&mut self, count: usize) {
        self.tools += count;
    }
}

impl Workload {
    /// The request.
    pub fn ask(self) -> Ask {
        let text = Arguments { text: Some(ECHO), number: None };
        let number = |number| Arguments { text: None, number: Some(number) };
        let (tool, arguments, want) = match self {
            Self::Echo => ("echo", text, Want::Text),
            Self::Sse => ("echo_stream", text, Want::Text),
            Self::Progress => ("steps", number(STEPS), Want::Progress),
            Self::Text1M => ("text", number(MIB), Want::Text),
            Self::Text16M => ("text", number(16 * MIB), Want::Text),
            Self::Event4M => ("text_stream", number(4 * MIB), Want::Text),
            Self::Typed => ("orders", number(MIB), Want::Typed),
            Self::Kept => ("orders", number(MIB), Want::Kept),
            Self::Unread => ("orders", number(MIB), Want::Unread),
            Self::Wait => ("wait", number(WAIT_MS), Want::Text),
            Self::Hold => ("wait", number(HOLD_MS), Want::Text),
            Self::HoldSse => ("wait_stream", number(HOLD_MS), Want::Text),
            Self::Tools => return Ask::List,
        };
        Ask::Call { tool, arguments, want }
    }

    /// What a run warms up with: the workload itself, where that does not only take time.
    pub fn warm_up(self) -> Self {
        if matches!(self, Self::Wait | Self::Hold | Self::HoldSse) { Self::Echo } else { self }
    }

    /// The only right reply. Nothing large is built for it: it would change the heap that the client runs on.
    pub fn reply(self) -> Reply {
        let text = |size| Reply { text: size, ends: ends_of_text(size), ..Reply::default() };
        let mut reply = Reply::default();
        match self {
            Self::Echo | Self::Sse => reply.text(ECHO),
            Self::Progress => {
                reply.text("done");
                reply.progress(STEPS, SUM_OF_STEPS);
            }
            Self::Text1M => return text(MIB),
            Self::Text16M => return text(16 * MIB),
            Self::Event4M => return text(4 * MIB),
            Self::Typed | Self::Kept => {
                let orders = payload::ORDERS as u64;
                return Reply { orders, numbers: orders * (orders - 1) / 2, ..reply };
            }
            Self::Unread => {}
            Self::Tools => reply.tools(payload::TOOLS),
            Self::Wait | Self::Hold | Self::HoldSse => reply.text("done"),
        }
        reply
    }
}
