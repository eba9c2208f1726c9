//! One process asks, another one answers, and the call goes on: what lies between them is a file.
//!
//! Without arguments it plays both: it starts the Test Kitchen, and then itself twice.

use std::{error::Error, path::Path, process::Command, time::Duration};

use mcp_client::{
    Client, ContinuationStore, ElicitAnswer, ElicitForm, InputContext, InputError, InputHandler, InputKinds,
    StoreFilter, StoredCall, ToolOutcome, async_trait, types::method::CallTool,
};
use mcp_examples::store::SqliteStore;
use mcp_tests::Kitchen;
use serde_json::{Value, json};

const TOOL: &str = "run_configured_test_scenario";
/// How long an answer is waited for.
const ONE_WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

type Done<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => both().await,
        ["ask", url, file] => ask(url, Path::new(file)).await,
        ["answer", url, file, reason] => answer(url, Path::new(file), reason).await,
        _ => Err("usage: resume_later [ask URL FILE | answer URL FILE REASON]".into()),
    }
}

async fn both() -> Done<()> {
    let kitchen = Kitchen::start().await?;
    kitchen.select("elicitation.approval", Value::Null)?;
    let file = std::env::temp_dir().join(format!("resume-later-{}.db", std::process::id()));
    let result = play(&kitchen.url(), &file).await;
    for suffix in ["", "-wal", "-shm"] {
        let mut name = file.clone().into_os_string();
        name.push(suffix);
        // SQLite has removed what it did not need any more.
        let _ = std::fs::remove_file(name);
    }
    result?;
    println!("The server saw:");
    for post in kitchen.posts() {
        let answers = post.at("/params/inputResponses").cloned().unwrap_or_default();
        let id = post.at("/id").cloned().unwrap_or_default();
        println!("  POST with id {id}, answers: {answers}");
    }
    Ok(())
}

/// Two processes, one after the other.
async fn play(url: &str, file: &Path) -> Done<()> {
    let program = std::env::current_exe()?;
    for (role, more) in [("ask", None), ("answer", Some("it was looked at on another day"))] {
        let mut process = Command::new(&program);
        process.arg(role).arg(url).arg(file).args(more);
        let status = tokio::task::spawn_blocking(move || process.status()).await??;
        if !status.success() {
            return Err(format!("the process that should {role} failed: {status}").into());
        }
    }
    Ok(())
}

/// The first process: calls the tool, and keeps the call when it needs input.
async fn ask(url: &str, file: &Path) -> Done<()> {
    let client = Client::http(url)?.accept_input(InputKinds::FORM).build()?;
    let call = client.call_tool(TOOL).arguments(json!({ "message": "from the first process" }));
    let ToolOutcome::InputRequired(asked) = call.send().await? else {
        return Err("the tool finished without asking".into());
    };
    let stored = StoredCall::new(&asked.suspend(), Some(ONE_WEEK));
    let id = stored.id().to_owned();
    SqliteStore::open(file).await?.put(stored).await?;
    println!("Process {} was asked for input, and keeps the call as {id}.", std::process::id());
    Ok(())
}

/// The second process: takes what waits, answers and resumes it.
async fn answer(url: &str, file: &Path, reason: &str) -> Done<()> {
    let client = Client::http(url)?.build()?;
    let store = SqliteStore::open(file).await?;
    for waiting in store.list(&StoreFilter::new().server(client.identity()).target(TOOL)).await? {
        // Of several processes one gets it. What stays is in doubt until it is put back or removed.
        let Some(stored) = store.claim(waiting.id()).await? else { continue };
        let asked = client.restore::<CallTool>(stored.suspended()?)?;
        match asked.drive(&Reason(reason.to_owned())).await {
            Ok(ToolOutcome::Success(output) | ToolOutcome::ToolError(output)) => {
                store.remove(stored.id()).await?;
                println!("Process {} answered, and the tool says: {}", std::process::id(), output.text());
            }
            // Asked again, or not answered: it goes on waiting.
            Ok(ToolOutcome::InputRequired(asked)) => store.put(stored.with_call(&asked.suspend())).await?,
            // Nothing is lost, and the call knows whether it may have run.
            Err(mut error) => {
                if let Some(asked) = error.take_continuation() {
                    store.put(stored.with_call(&asked.suspend())).await?;
                }
                return Err(error.into());
            }
        }
    }
    Ok(())
}

/// Answers each form with one reason.
struct Reason(String);

#[async_trait]
impl InputHandler for Reason {
    fn kinds(&self) -> InputKinds {
        InputKinds::FORM
    }

    async fn form(&self, form: ElicitForm, _: &InputContext) -> Result<ElicitAnswer, InputError> {
        Ok(form.fill_text([("reason", self.0.as_str())])?)
    }
}
