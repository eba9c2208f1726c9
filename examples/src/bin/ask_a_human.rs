//! Asks a person whether to try again, and says whether the work may have been done already.
//!
//! On a terminal you are asked. Elsewhere a scripted person answers, so that it runs to its end by itself.

use std::{
    collections::VecDeque,
    error::Error,
    io::{IsTerminal as _, Write as _, stdin, stdout},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use mcp_client::{
    CallError, CallRecord, Client, ToolOutcome, async_trait,
    retry::{Attempt, Decision, Origin, Retry, RetryPolicy},
};
use mcp_tests::Kitchen;
use serde_json::json;
use tokio::sync::oneshot;

const TOOL: &str = "run_configured_test_scenario";

/// A policy that takes its time: it waits for a person, and the call's deadline bounds that.
#[derive(Debug)]
struct AskAHuman {
    /// What the scripted person says, where nobody sits at a terminal.
    script: Mutex<VecDeque<bool>>,
}

#[async_trait]
impl RetryPolicy for AskAHuman {
    async fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        let failure = attempt.failure();
        let status =
            failure.status().map_or("no answer".to_owned(), |status| format!("HTTP status {status}"));
        println!("  attempt {} failed: {status}", attempt.number());
        let may_have_run = failure.delivery().may_have_run();
        println!("  the work {}", if may_have_run { "MAY HAVE BEEN DONE" } else { "was not done" });
        if !self.says_yes("  try again? [y/n] ").await {
            return Decision::stop("the person said no");
        }
        let again = Decision::retry().by(Origin::User).after(Duration::ZERO);
        // Only a person who was told can accept this, and the log keeps that they did.
        if may_have_run { again.accepting_duplicates("the person was told and said yes") } else { again }
    }

    fn name(&self) -> String {
        "a person".to_owned()
    }
}

impl AskAHuman {
    async fn says_yes(&self, question: &str) -> bool {
        print!("{question}");
        // A terminal that cannot be written to cannot be answered either.
        let _ = stdout().flush();
        if !stdin().is_terminal() {
            let yes = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front().unwrap_or(false);
            println!("{} (scripted)", if yes { "y" } else { "n" });
            return yes;
        }
        // A thread of its own, which nobody has to wait for when the deadline passes without an answer.
        let (tell, told) = oneshot::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let yes = stdin().read_line(&mut line).is_ok() && line.trim().eq_ignore_ascii_case("y");
            tell.send(yes)
        });
        told.await.unwrap_or(false)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let kitchen = Kitchen::start().await?;
    let policy = AskAHuman { script: Mutex::new(VecDeque::from([true, false, true])) };
    let retry = Retry::builder().policy(policy).build();
    let client = Client::http(&kitchen.url())?.retry(retry).timeout(Duration::from_secs(60)).build()?;
    for (what, scenario, params) in [
        ("The server is busy", "errors.http_status_sequence", json!({ "statusCodes": [429, 200] })),
        ("The connection breaks", "errors.connection_close", json!({})),
        ("The connection breaks once more", "errors.connection_close", json!({})),
    ] {
        println!("{what}:");
        kitchen.switch(scenario, params)?;
        kitchen.clear_log();
        report(&client.call_tool(TOOL).send().await);
        println!("  the server saw {} POSTs\n", kitchen.posts().len());
    }
    Ok(())
}

fn report(outcome: &Result<ToolOutcome, CallError>) {
    let record = CallRecord::of(outcome);
    let Some(record) = record else { return };
    println!("  {}, retried by: {}", record.outcome, record.retry_origin().as_str());
    for attempt in record.attempts.attempts() {
        let ended = attempt.failed.as_deref().unwrap_or("succeeded");
        let note = attempt.note.as_deref().unwrap_or_default();
        println!("    attempt {}: {ended} {note}", attempt.number);
    }
}
