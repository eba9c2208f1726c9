//! The command line.

use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Parser, ValueEnum};
use mcp_client::{
    InputKinds,
    types::{RawJson, Tool},
};
use serde_json::{Map, Value};

use super::Usage;

/// Calls a tool of an MCP server, or asks what the server has, and says which layer answered.
///
/// On a terminal you are asked for what the server wants to know and no flag answers, unless --json or --suspend is given.
///
/// Exit codes: 0 success, 1 the tool reported an error, 2 usage or a call that was never sent, 3 input required, 4 HTTP
/// error, 5 JSON-RPC error, 6 no valid answer, 7 no complete answer, 8 authorization, 9 cancelled.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-call",
    version,
    override_usage = "mcp-call [OPTIONS] <URL> <TOOL> [ARGUMENTS]\n       \
    mcp-call [OPTIONS] <URL> --list | --list-resources | --list-prompts | --discover\n       \
    mcp-call [OPTIONS] <URL> --read <URI>\n       \
    mcp-call [OPTIONS] <URL> --prompt <NAME> [ARGUMENTS]\n       \
    mcp-call [OPTIONS] <URL> --resume <FILE>\n       \
    mcp-call [OPTIONS] --kitchen <SCENARIO> [--param k=v] <TOOL> [ARGUMENTS]",
    // What is done instead of calling a tool: one thing.
    group = ArgGroup::new("instead").args(INSTEAD),
    // No call of a tool: its flags make no sense.
    group = ArgGroup::new("no_tool").args(INSTEAD).multiple(true),
    // What ends in one answer, without rounds.
    group = ArgGroup::new("no_rounds").args(["list", "list_resources", "list_prompts", "discover"]).multiple(true)
)]
#[expect(missing_docs, reason = "the help texts are the documentation")]
pub struct Args {
    /// The URL, the tool, and its arguments: a JSON object, or @file, or - for standard input
    #[arg(value_name = "WORD", num_args = 0..)]
    pub words: Vec<String>,

    /// List the tools, and say which were left out and why
    #[arg(long)]
    pub list: bool,
    /// List the resources and the resource templates
    #[arg(long)]
    pub list_resources: bool,
    /// List the prompts
    #[arg(long)]
    pub list_prompts: bool,
    /// Ask which versions the server speaks and what it offers
    #[arg(long)]
    pub discover: bool,
    /// Read a resource
    #[arg(long, value_name = "URI")]
    pub read: Option<String>,
    /// Get a prompt; its arguments are an object of strings
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,

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
    #[arg(long = "answer", value_name = "KEY=JSON", conflicts_with = "no_rounds")]
    pub answers: Vec<String>,
    /// Decline every other elicitation
    #[arg(long, conflicts_with_all = ["cancel", "no_rounds"])]
    pub decline: bool,
    /// Cancel every other elicitation
    #[arg(long, conflicts_with = "no_rounds")]
    pub cancel: bool,
    /// How many rounds of input requests are answered
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "no_rounds")]
    pub max_rounds: u32,
    /// When the call cannot finish and can go on, write the suspended call to FILE; nobody is asked at the terminal then
    #[arg(long, value_name = "FILE", conflicts_with = "no_rounds")]
    pub suspend: Option<PathBuf>,
    /// Go on with the suspended call in FILE. Before it is sent, FILE is marked: it may have run. What comes of it is written
    /// to FILE, or to that of --suspend
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Go on although the last attempt may have run, for a reason that goes into the record
    #[arg(long, value_name = "WHY", requires = "resume")]
    pub accept_duplicates: Option<String>,
    /// Input requests to declare: elicitation.form, elicitation.url, sampling, sampling.tools, sampling.context, roots, none;
    /// repeatable
    /// [default: elicitation.form and elicitation.url]
    #[arg(long = "capability", value_name = "KIND")]
    pub capabilities: Vec<String>,

    /// Which protocol era to speak
    #[arg(long, value_enum, default_value_t = Era::Auto)]
    pub era: Era,
    /// Whole call, or whole list, in seconds; what a person needs to answer does not count
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub timeout: f64,
    /// Let progress begin that time anew, up to so many seconds in all [default with --progress: 600]
    #[arg(long, value_name = "SECONDS")]
    pub max_timeout: Option<f64>,
    /// When to send a call again
    #[arg(long, value_enum, default_value_t = Retry::Standard)]
    pub retry: Retry,
    /// Vouch for the call: running it twice has the effect of running it once
    #[arg(long, conflicts_with_all = ["not_idempotent", "no_tool"])]
    pub idempotent: bool,
    /// Running it twice does its work twice, whatever others say
    #[arg(long, conflicts_with = "no_tool")]
    pub not_idempotent: bool,
    /// Send a generated idempotency key in the arguments, at this JSON pointer
    #[arg(long, value_name = "POINTER", conflicts_with_all = ["not_idempotent", "idempotency_key_meta", "no_tool"])]
    pub idempotency_key_arg: Option<String>,
    /// Send a generated idempotency key in `_meta`, under this key
    #[arg(long, value_name = "KEY", conflicts_with_all = ["not_idempotent", "no_tool"])]
    pub idempotency_key_meta: Option<String>,
    /// Believe what the server says of its own tools; needs the tool's definition
    #[arg(long, requires = "tool_definition")]
    pub trust_annotations: bool,
    /// The definition of the tool, as the server lists it
    #[arg(long, value_name = "FILE", conflicts_with = "no_tool")]
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
    /// Keep no result, not even within one run
    #[arg(long)]
    pub no_cache: bool,
    /// Label the record
    #[arg(long, value_name = "LABEL")]
    pub scenario: Option<String>,

    /// Show progress and log messages on standard error: a bar on a terminal, else a line each
    #[arg(long)]
    pub progress: bool,
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
}

/// The flags that stand in the place of a tool.
const INSTEAD: [&str; 7] = ["list", "list_resources", "list_prompts", "discover", "read", "prompt", "resume"];

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
        let flags = [
            ("--stdio", self.later.stdio.is_some()),
            ("--era probe", self.era == Era::Probe),
            ("--era legacy", self.era == Era::Legacy),
        ];
        match flags.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Usage(format!("`{flag}` is not there yet"))),
            None => Ok(()),
        }
    }

    /// Whether something else is done than calling a tool.
    pub(super) fn is_instead_of_a_tool(&self) -> bool {
        self.list
            || self.list_resources
            || self.list_prompts
            || self.discover
            || self.read.is_some()
            || self.prompt.is_some()
            || self.resume.is_some()
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

    /// What the server says of the tool.
    pub(super) fn definition(&self) -> Result<Option<Tool>, Usage> {
        let Some(file) = &self.tool_definition else { return Ok(None) };
        Ok(Some(RawJson::from_text(std::fs::read_to_string(file)?)?.parse()?))
    }

    pub(super) fn kinds(&self) -> Result<InputKinds, Usage> {
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
