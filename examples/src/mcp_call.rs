//! `mcp-call`: one call of a tool from the command line, its answer in full, and an exit code a layer.

mod args;
mod inputs;
mod json;
mod person;

use std::{
    fmt::Display,
    fs,
    io::Read as _,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use mcp_client::{
    CallError, CallRecord, CallToolBuilder, Client, IdempotencyKey, InputKinds, Layer, Observer, OutcomeKind,
    Retry, SuspendedCall, ToolOutcome,
    retry::Trust,
    types::{RawJson, Tool},
};
use mcp_tests::Kitchen;

pub use self::args::Args;
use self::inputs::Answers;

/// Why there is no call to report on.
struct Usage(String);

impl<E: Display> From<E> for Usage {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// How a call ended, with the POSTs of all its rounds.
struct Ended {
    outcome: Result<ToolOutcome, CallError>,
    /// The call as a value that can be stored, where it can go on.
    continuation: Option<String>,
    /// One entry a round, the last one included.
    rounds: Vec<CallRecord>,
}

/// Runs the program.
pub async fn run(args: Args) -> ExitCode {
    let json = args.json;
    let verbose = args.verbose;
    let seen = Seen::default();
    let call = call(args, seen.clone());
    let interrupted = tokio::signal::ctrl_c();
    let ended = tokio::select! {
        // A call that has ended is told, even if the interrupt came at the same time.
        biased;
        ended = call => ended,
        _ = interrupted => return cancelled(json, &seen),
    };
    match ended {
        Ok(ended) => {
            if verbose > 0 {
                person::trace(&seen.records(), verbose);
            }
            if json {
                println!("{}", json::line(&ended));
            } else {
                person::print(&ended.outcome);
            }
            ExitCode::from(exit_code(&ended.outcome))
        }
        Err(Usage(message)) => {
            eprintln!("mcp-call: {message}");
            ExitCode::from(2)
        }
    }
}

/// The call was dropped with its future, so the observer has its record by now.
fn cancelled(json: bool, seen: &Seen) -> ExitCode {
    match of_all_rounds(&seen.records()) {
        Some(record) if json => println!("{}", record.to_json()),
        Some(record) => eprintln!("cancelled; the request {}", person::may_have_run(record.delivery)),
        None => eprintln!("cancelled before anything was sent"),
    }
    ExitCode::from(9)
}

/// One record of a call that was cancelled: with the POSTs of all rounds, and cancelled also if that was between two of
/// them, where the last record is that of a round that was answered.
fn of_all_rounds(rounds: &[CallRecord]) -> Option<CallRecord> {
    let mut record = rounds.last()?.clone();
    record.posts = rounds.iter().flat_map(|round| round.posts.iter().copied()).collect();
    record.outcome = OutcomeKind::Cancelled;
    record.layer = Layer::Local;
    record.result_type = None;
    Some(record)
}

fn exit_code(outcome: &Result<ToolOutcome, CallError>) -> u8 {
    match outcome {
        Ok(ToolOutcome::Success(_)) => 0,
        Ok(ToolOutcome::ToolError(_)) => 1,
        Ok(ToolOutcome::InputRequired(_)) => 3,
        Err(CallError::Invalid(_)) => 2,
        Err(CallError::Http(_)) => 4,
        Err(CallError::JsonRpc(_)) => 5,
        Err(CallError::Protocol(_)) => 6,
        Err(CallError::Auth(_)) => 8,
        Err(error) if error.outcome() == OutcomeKind::Cancelled => 9,
        Err(_) => 7,
    }
}

async fn call(args: Args, seen: Seen) -> Result<Ended, Usage> {
    args.refuse_what_is_not_there_yet()?;
    let expected = if args.resume.is_some() { 1 } else { 3 } - usize::from(args.kitchen.is_some());
    // The words are not repeated: arguments may hold secrets.
    if args.words.len() > expected {
        return Err(Usage(format!("{} words are too many, at most {expected} are taken", args.words.len())));
    }
    let mut words = args.words.iter().map(String::as_str);
    // The embedded server lives as long as the call.
    let (url, _kitchen) = match &args.kitchen {
        Some(scenario) => {
            let kitchen = Kitchen::start().await?;
            kitchen.select(scenario, args.kitchen_params()?)?;
            (kitchen.url(), Some(kitchen))
        }
        None => (words.next().ok_or("the URL of the server is missing")?.to_owned(), None),
    };
    let client = client(&args, &url, seen.clone())?;
    let answers = Answers::new(&args)?;
    let first = if let Some(file) = &args.resume {
        let mut asked = client.restore(read_suspended(&fs::read(file)?)?)?;
        if let Some(why) = &args.accept_duplicates {
            asked = asked.accepting_duplicates(why.clone());
        }
        Ok(ToolOutcome::InputRequired(asked))
    } else {
        let tool = words.next().ok_or("the name of the tool is missing")?;
        let mut call = client.call_tool(tool);
        if let Some(arguments) = words.next() {
            call = call.arguments(read_arguments(arguments)?);
        }
        if let Some(label) = &args.scenario {
            call = call.scenario(label);
        }
        if let Some(definition) = args.definition()? {
            call = call.tool(&definition);
        }
        args.vouch(call).send().await
    };
    let (outcome, continuation) = inputs::go_on(first, &answers, &args).await;
    Ok(Ended { outcome, continuation, rounds: seen.records() })
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

/// What is wrong with it is told without its values, which are the call's.
fn read_suspended(bytes: &[u8]) -> Result<SuspendedCall, Usage> {
    serde_json::from_slice(bytes).map_err(|error| {
        Usage(format!("no suspended call is in the file: line {}, column {}", error.line(), error.column()))
    })
}

/// A JSON text, `@file`, or `-` for standard input. Whether it is an object is the client's to say.
fn read_arguments(word: &str) -> Result<RawJson, Usage> {
    let text = match word.strip_prefix('@') {
        Some(file) => fs::read_to_string(file)?,
        None if word == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        None => word.to_owned(),
    };
    RawJson::from_text(text.trim().to_owned())
        .map_err(|error| Usage(format!("the arguments are not JSON: {error}")))
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

    /// What the server says of the tool.
    fn definition(&self) -> Result<Option<Tool>, Usage> {
        let Some(file) = &self.tool_definition else { return Ok(None) };
        let text = RawJson::from_text(fs::read_to_string(file)?)?;
        Ok(Some(text.parse()?))
    }

    fn kinds(&self) -> Result<InputKinds, Usage> {
        if self.capabilities.is_empty() {
            return Ok(InputKinds::FORM | InputKinds::URL);
        }
        let kind = |name: &String| match name.as_str() {
            "none" => Ok(InputKinds::NONE),
            name => InputKinds::from_name(name).ok_or_else(|| Usage(format!("`{name}` is no capability"))),
        };
        self.capabilities.iter().map(kind).collect()
    }
}
