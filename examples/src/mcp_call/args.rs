//! The command line.

use std::path::PathBuf;

use clap::{ArgAction, Parser, ValueEnum};
use serde_json::{Map, Value};

use super::Usage;

/// Calls a tool of an MCP server and says which layer answered.
///
/// Exit codes: 0 success, 1 the tool reported an error, 2 usage or a call that was never sent, 3 input required, 4 HTTP
/// error, 5 JSON-RPC error, 6 no valid answer, 7 no complete answer, 8 authorization, 9 cancelled.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-call",
    version,
    override_usage = "mcp-call [OPTIONS] <URL> <TOOL> [ARGUMENTS]\n       \
    mcp-call [OPTIONS] --kitchen <SCENARIO> [--param k=v] <TOOL> [ARGUMENTS]\n       \
    mcp-call [OPTIONS] <URL> --resume <FILE>"
)]
#[expect(missing_docs, reason = "the help texts are the documentation")]
pub struct Args {
    /// The URL, the tool, and its arguments: a JSON object, or @file, or - for standard input
    #[arg(value_name = "WORD", num_args = 0..)]
    pub words: Vec<String>,

    /// Use a scenario of the embedded Test Kitchen instead of a URL
    #[arg(long, value_name = "SCENARIO")]
    pub kitchen: Option<String>,
    /// A parameter of the scenario; the value is JSON, or else text
    #[arg(long = "param", value_name = "K=V", requires = "kitchen")]
    pub params: Vec<String>,

    /// Print one JSON line: the record of the call, with its result or error
    #[arg(long)]
    pub json: bool,

    /// An input response for KEY, whenever it is asked for; repeatable
    #[arg(long = "answer", value_name = "KEY=JSON")]
    pub answers: Vec<String>,
    /// Decline every other elicitation
    #[arg(long, conflicts_with = "cancel")]
    pub decline: bool,
    /// Cancel every other elicitation
    #[arg(long)]
    pub cancel: bool,
    /// How many rounds of input requests are answered
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub max_rounds: u32,
    /// When the call cannot finish and can go on, write the suspended call to FILE
    #[arg(long, value_name = "FILE")]
    pub suspend: Option<PathBuf>,
    /// Go on with the suspended call in FILE; a failure is written back to it, or to the FILE of --suspend
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Go on although the last attempt may have run, for a reason that goes into the record
    #[arg(long, value_name = "WHY", requires = "resume")]
    pub accept_duplicates: Option<String>,
    /// Input requests to declare: elicitation.form, elicitation.url, sampling, roots, none; repeatable
    /// [default: elicitation.form and elicitation.url]
    #[arg(long = "capability", value_name = "KIND")]
    pub capabilities: Vec<String>,

    /// Which protocol era to speak
    #[arg(long, value_enum, default_value_t = Era::Auto)]
    pub era: Era,
    /// Whole call, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub timeout: f64,
    /// When to send a call again
    #[arg(long, value_enum, default_value_t = Retry::Standard)]
    pub retry: Retry,
    /// Vouch for the call: running it twice has the effect of running it once
    #[arg(long, conflicts_with = "not_idempotent")]
    pub idempotent: bool,
    /// Running it twice does its work twice, whatever others say
    #[arg(long)]
    pub not_idempotent: bool,
    /// Send a generated idempotency key in the arguments, at this JSON pointer
    #[arg(long, value_name = "POINTER", conflicts_with_all = ["not_idempotent", "idempotency_key_meta"])]
    pub idempotency_key_arg: Option<String>,
    /// Send a generated idempotency key in `_meta`, under this key
    #[arg(long, value_name = "KEY", conflicts_with = "not_idempotent")]
    pub idempotency_key_meta: Option<String>,
    /// Believe what the server says of its own tools; needs the tool's definition
    #[arg(long, requires = "tool_definition")]
    pub trust_annotations: bool,
    /// The definition of the tool, as the server lists it
    #[arg(long, value_name = "FILE")]
    pub tool_definition: Option<PathBuf>,

    /// Add an HTTP header; repeatable
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Send the bearer token in this environment variable
    #[arg(long, value_name = "VARIABLE")]
    pub bearer_env: Option<String>,
    /// The longest answer, in bytes
    #[arg(long, value_name = "BYTES")]
    pub max_body: Option<usize>,
    /// Refuse results without `resultType`
    #[arg(long, conflicts_with = "lenient_results")]
    pub strict_results: bool,
    /// Accept results without `content` that have structured content
    #[arg(long)]
    pub lenient_results: bool,
    /// Label the record
    #[arg(long, value_name = "LABEL")]
    pub scenario: Option<String>,

    /// Show what was sent and received, without secrets; twice: the records too
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,

    #[command(flatten)]
    pub later: Later,
}

/// Flags whose mechanism is not there yet.
#[derive(Debug, clap::Args)]
#[allow(missing_docs, reason = "hidden until they work")]
pub struct Later {
    #[arg(long, hide = true)]
    pub stdio: Option<String>,
    #[arg(long, hide = true)]
    pub list: bool,
    #[arg(long, hide = true)]
    pub list_resources: bool,
    #[arg(long, hide = true)]
    pub list_prompts: bool,
    #[arg(long, hide = true)]
    pub discover: bool,
    #[arg(long, hide = true)]
    pub read: Option<String>,
    #[arg(long, hide = true)]
    pub prompt: Option<String>,
    #[arg(long, hide = true)]
    pub max_timeout: Option<f64>,
    #[arg(long, hide = true)]
    pub no_cache: bool,
    #[arg(long, hide = true)]
    pub progress: bool,
}

/// Protocol eras.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Era {
    /// The newest that the server speaks.
    Auto,
    /// Ask first.
    Probe,
    /// 2026-07-28.
    Modern,
    /// 2025-11-25 and older.
    Legacy,
}

/// When a call is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Retry {
    /// Where it is safe.
    Standard,
    /// Never.
    Never,
}

impl Args {
    /// Flags that are known and do nothing yet must not look as if they did.
    pub(super) fn refuse_what_is_not_there_yet(&self) -> Result<(), Usage> {
        let later = &self.later;
        let flags = [
            ("--stdio", later.stdio.is_some()),
            ("--list", later.list),
            ("--list-resources", later.list_resources),
            ("--list-prompts", later.list_prompts),
            ("--discover", later.discover),
            ("--read", later.read.is_some()),
            ("--prompt", later.prompt.is_some()),
            ("--max-timeout", later.max_timeout.is_some()),
            ("--no-cache", later.no_cache),
            ("--progress", later.progress),
            ("--era probe", self.era == Era::Probe),
            ("--era legacy", self.era == Era::Legacy),
        ];
        match flags.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Usage(format!("`{flag}` is not there yet"))),
            None => Ok(()),
        }
    }

    /// The parameters of the Test Kitchen's scenario, as one object.
    pub(super) fn kitchen_params(&self) -> Result<Value, Usage> {
        let mut params = Map::new();
        for param in &self.params {
            let (key, value) = param.split_once('=').ok_or("a parameter is written `K=V`")?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            params.insert(key.to_owned(), value);
        }
        Ok(params.into())
    }
}
