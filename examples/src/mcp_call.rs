//! `mcp-call`: one call from the command line, its answer in full, and an exit code a layer.

mod args;
pub(crate) mod content;
mod inputs;
pub(crate) mod json;
mod lists;
mod person;
mod said;
mod settings;
mod task;
mod watch;

use std::{
    fmt::Display,
    pin::pin,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use mcp_client::{
    CallRecord, CallToolBuilder, CancelHandle, Client, Continuation, IdempotencyKey, Observer, OutcomeKind,
    Retry, cache::CacheOptions, retry::Trust,
};
use mcp_tests::Kitchen;

pub use self::args::Args;
use self::{
    inputs::Answers,
    lists::Lists,
    said::{Rounds, Said},
    settings::{Settings, set, steer},
    task::{Suspended, Task},
};
use crate::text::say;

/// Why there is no call to report on.
struct Usage(String);

impl<E: Display> From<E> for Usage {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// How it ended, with the POSTs of all rounds and pages.
struct Ended {
    said: Said,
    /// The call as a value that can be stored, where it can go on.
    continuation: Option<String>,
    /// One entry a round or a page, the last one included.
    rounds: Vec<CallRecord>,
}

impl Ended {
    /// One record of all that was sent: that of the end, with the POSTs of all rounds.
    fn record(&self) -> Option<CallRecord> {
        let succeeded = || self.rounds.iter().rfind(|round| round.outcome == OutcomeKind::ToolSuccess);
        let mut record = match &self.said {
            Said::Listed(lists) => {
                // What the server does not list at all is no end of the list.
                let last = lists.fault().is_none().then(succeeded).flatten().or(self.rounds.last());
                let mut record = last?.clone();
                record.duration = self.rounds.iter().map(|round| round.duration).sum();
                record
            }
            said => said.record()?.clone(),
        };
        record.posts = self.rounds.iter().flat_map(|round| round.posts.iter().copied()).collect();
        Some(record)
    }
}

/// Runs the program.
pub async fn run(args: Args) -> ExitCode {
    let (json, verbose) = (args.json, args.verbose);
    let stop = CancelHandle::new();
    let mut call = pin!(call(args, stop.clone()));
    let mut interrupted = pin!(tokio::signal::ctrl_c());
    let ended = loop {
        tokio::select! {
            // A call that has ended is told, even if the interrupt came at the same time.
            biased;
            ended = &mut call => break ended,
            // The call ends now, and says itself how far it was.
            _ = &mut interrupted, if !stop.is_cancelled() => stop.cancel("interrupted"),
        }
    };
    match ended {
        Ok(ended) => {
            if verbose > 0 {
                person::trace(&ended.rounds, verbose);
            }
            if json {
                say!("{}", json::line(&ended));
            } else {
                person::print(&ended.said);
            }
            ExitCode::from(ended.said.exit_code())
        }
        Err(Usage(message)) => {
            eprintln!("mcp-call: {message}");
            ExitCode::from(2)
        }
    }
}

async fn call(args: Args, stop: CancelHandle) -> Result<Ended, Usage> {
    args.refuse_what_is_not_there_yet()?;
    let (url, task) = Task::of(&args)?;
    let settings = Settings::new(&args, stop)?;
    let answers = Answers::new(&args, &settings.stop, settings.watch.clone())?;
    // The embedded server lives as long as the call.
    let (url, _kitchen) = match (url, &args.kitchen) {
        (Some(url), _) => (url, None),
        (None, scenario) => {
            let kitchen = Kitchen::start().await?;
            kitchen.select(scenario.as_deref().unwrap_or_default(), args.kitchen_params()?)?;
            (kitchen.url(), Some(kitchen))
        }
    };
    let seen = Seen::default();
    let client = client(&args, &url, seen.clone())?;
    let (said, continuation) = perform(&client, task, answers, &settings, &args).await?;
    if let Some(watch) = &settings.watch {
        watch.finish();
    }
    Ok(Ended { said, continuation, rounds: seen.records() })
}

/// Does what is asked for. Every ending is told in full, so a failure to begin is the only error.
async fn perform(
    client: &Client,
    task: Task,
    answers: Answers,
    settings: &Settings,
    args: &Args,
) -> Result<(Said, Option<String>), Usage> {
    let said = match task {
        Task::Call { tool, arguments } => {
            let mut call = args.vouch(set!(client.call_tool(tool), settings));
            if let Some(arguments) = arguments {
                call = call.arguments(arguments);
            }
            if let Some(definition) = args.definition()? {
                call = call.tool(&definition);
            }
            return Ok(answers.begin(call.accept_input(args.kinds()?), args).await);
        }
        Task::Read { uri } => {
            let call = set!(client.read_resource(uri), settings);
            return Ok(answers.begin(call.accept_input(args.kinds()?), args).await);
        }
        Task::Prompt { name, arguments } => {
            let mut call = set!(client.get_prompt(name), settings);
            if let Some(arguments) = arguments {
                call = call.arguments(arguments);
            }
            return Ok(answers.begin(call.accept_input(args.kinds()?), args).await);
        }
        Task::Resume(stored) => {
            return Ok(match *stored {
                Suspended::Call(call) => resume(client.restore(call)?, answers, settings, args).await,
                Suspended::Read(call) => resume(client.restore(call)?, answers, settings, args).await,
                Suspended::Prompt(call) => resume(client.restore(call)?, answers, settings, args).await,
            });
        }
        Task::ListTools => Said::Listed(Lists::tools(client, settings).await),
        Task::ListResources => Said::Listed(Lists::resources(client, settings).await),
        Task::ListPrompts => Said::Listed(Lists::prompts(client, settings).await),
        Task::Discover => match set!(client.discover(), settings).send().await {
            Ok(discovered) => Said::Discovered(discovered),
            Err(error) => Said::Failed(error),
        },
    };
    Ok((said, None))
}

/// Goes on with a call that was stored.
async fn resume<M: Rounds>(
    asked: Continuation<M>,
    answers: Answers,
    settings: &Settings,
    args: &Args,
) -> (Said, Option<String>) {
    let mut asked = steer!(asked, settings);
    if let Some(why) = &args.accept_duplicates {
        asked = asked.accepting_duplicates(why.clone());
    }
    answers.resume(asked, args).await
}

fn client(args: &Args, url: &str, seen: Seen) -> Result<Client, Usage> {
    let mut builder = Client::http(url)?
        .client_info(mcp_client::types::Implementation::new("mcp-call", env!("CARGO_PKG_VERSION")))
        .accept_input(args.kinds()?)
        .timeout(Duration::try_from_secs_f64(args.timeout)?)
        .retry(match args.retry {
            args::Retry::Standard => Retry::standard(),
            args::Retry::Never => Retry::never(),
        })
        .trust(if args.trust_annotations { Trust::Trusted } else { Trust::Untrusted })
        .strict_results(args.strict_results)
        .lenient_results(args.lenient_results)
        .cache(if args.no_cache { CacheOptions::off() } else { CacheOptions::new() })
        .observer(seen);
    if let Some(limit) = args.max_body {
        builder = builder.max_body_bytes(limit).max_event_bytes(limit);
    }
    for header in &args.headers {
        let (name, value) = header.split_once(':').ok_or("a header is written `NAME: VALUE`")?;
        builder = builder.header(name.trim(), value.trim());
    }
    if let Some(variable) = &args.bearer_env {
        let token = std::env::var(variable)
            .map_err(|_| "--bearer-env takes the name of a variable, and none of that name is set")?;
        builder = builder.bearer_token(&token);
    }
    Ok(builder.build()?)
}

/// Keeps the records of all exchanges, also of one that is dropped.
#[derive(Clone, Debug, Default)]
struct Seen(Arc<Mutex<Vec<CallRecord>>>);

impl Seen {
    fn records(&self) -> Vec<CallRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Seen {
    fn call_ended(&self, record: &CallRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone());
    }
}

impl Args {
    /// What the command line says about repeating the call.
    fn vouch(&self, call: CallToolBuilder) -> CallToolBuilder {
        let key = match (&self.idempotency_key_arg, &self.idempotency_key_meta) {
            (Some(pointer), _) => Some(IdempotencyKey::in_argument(pointer).generate()),
            (None, Some(key)) => Some(IdempotencyKey::in_meta(key).generate()),
            (None, None) => None,
        };
        match key {
            Some(key) => call.idempotency_key(key),
            None if self.idempotent => call.idempotent(),
            None if self.not_idempotent => call.not_idempotent(),
            None => call,
        }
    }
}
