//! `mcp-retry` without the client: any function that can say how it failed is repeated by the same rules.

use std::{
    fmt,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcp_retry::{
    AttemptLog, Call, Classify, Constant, Delivery, Evidence, Failure, FailureKind, Layer, Repeat, Retry,
    Source,
};

/// How our printer fails. It only states facts; what follows from them is not its business.
#[derive(Clone, Copy, Debug)]
enum PrinterError {
    /// Nothing was handed over.
    SwitchedOff,
    /// The page was sent, and no answer came: it may lie in the tray.
    NoAnswer,
    /// It will not print this, however often it is asked.
    BadPage,
}

impl Classify for PrinterError {
    fn failure(&self) -> Option<Failure<'_>> {
        let (delivery, kind) = match self {
            Self::SwitchedOff => (Delivery::NotSent, FailureKind::Unavailable),
            Self::NoAnswer => (Delivery::Unknown, FailureKind::Timeout),
            Self::BadPage => (Delivery::Refused, FailureKind::Invalid),
        };
        Some(Failure::new(Layer::Transport, delivery, kind))
    }
}

/// A printer that fails so the first time, and prints the second time.
struct Printer {
    fails: PrinterError,
    asked: AtomicU32,
}

impl Printer {
    fn new(fails: PrinterError) -> Self {
        Self { fails, asked: AtomicU32::new(0) }
    }

    /// A plain function: it knows nothing of repetition.
    fn print(&self) -> Result<&'static str, PrinterError> {
        if self.asked.fetch_add(1, Ordering::Relaxed) == 0 { Err(self.fails) } else { Ok("printed") }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let retry = Retry::builder().backoff(Constant(Duration::from_millis(20))).build();
    let page = Call::new("printer/print").named("page 1");
    // The printer drops a page whose number it has printed already.
    let numbered = page.with_evidence(Evidence::new(Repeat::Keyed, Source::Call));

    for (what, fails, call) in [
        ("switched off", PrinterError::SwitchedOff, &page),
        ("no answer", PrinterError::NoAnswer, &page),
        ("no answer, page is numbered", PrinterError::NoAnswer, &numbered),
        ("bad page, page is numbered", PrinterError::BadPage, &numbered),
    ] {
        let printer = Printer::new(fails);
        let (result, log) = retry.run(call, |_| async { printer.print() }).await;
        report(what, &result, &log);
    }
}

fn report(what: &str, result: &dyn fmt::Debug, log: &AttemptLog) {
    let result = format!("{result:?}");
    println!("{what:<28} {result:<16} attempts: {}  stopped: {:?}", log.attempts().len(), log.stopped());
}
