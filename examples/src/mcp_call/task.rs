//! What the command line asks for.

use std::{fs, io::Read as _, path::Path};

use mcp_client::{
    SuspendedCall,
    types::{
        RawJson,
        method::{CallTool, GetPrompt, ReadResource},
    },
};
use serde::Deserialize;

use super::{Args, Usage};

/// One thing to do.
pub(super) enum Task {
    Call { tool: String, arguments: Option<RawJson> },
    Read { uri: String },
    Prompt { name: String, arguments: Option<RawJson> },
    Resume(Box<Suspended>),
    ListTools,
    ListResources,
    ListPrompts,
    Discover,
}

/// A call that was stored, by its method.
pub(super) enum Suspended {
    Call(SuspendedCall<CallTool>),
    Read(SuspendedCall<ReadResource>),
    Prompt(SuspendedCall<GetPrompt>),
}

impl Task {
    /// The URL, where the server is not the Test Kitchen, and what to do. Nothing is sent before all of it is understood.
    pub(super) fn of(args: &Args) -> Result<(Option<String>, Self), Usage> {
        let named = usize::from(args.kitchen.is_none());
        let expected = named
            + match args {
                Args { prompt: Some(_), .. } => 1,
                _ if args.is_instead_of_a_tool() => 0,
                _ => 2,
            };
        // The words are not repeated: arguments may hold secrets.
        if args.words.len() > expected {
            let given = args.words.len();
            return Err(Usage(format!("{given} words are too many, at most {expected} are taken")));
        }
        let mut words = args.words.iter();
        let url = match args.kitchen {
            Some(_) => None,
            None => Some(words.next().ok_or("the URL of the server is missing")?.clone()),
        };
        let task = if args.list {
            Self::ListTools
        } else if args.list_resources {
            Self::ListResources
        } else if args.list_prompts {
            Self::ListPrompts
        } else if args.discover {
            Self::Discover
        } else if let Some(uri) = &args.read {
            Self::Read { uri: uri.clone() }
        } else if let Some(name) = &args.prompt {
            let arguments = words.next().map(|word| read_arguments(word)).transpose()?;
            Self::Prompt { name: name.clone(), arguments }
        } else if let Some(file) = &args.resume {
            Self::Resume(Box::new(read_suspended(file)?))
        } else {
            let tool = words.next().ok_or("the name of the tool is missing")?.clone();
            let arguments = words.next().map(|word| read_arguments(word)).transpose()?;
            Self::Call { tool, arguments }
        };
        Ok((url, task))
    }
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

fn read_suspended(file: &Path) -> Result<Suspended, Usage> {
    #[derive(Deserialize)]
    struct Stored {
        method: String,
    }
    // What is wrong with it is told without its values, which are the call's.
    let told = |error: serde_json::Error| {
        Usage(format!("no suspended call is in the file: line {}, column {}", error.line(), error.column()))
    };
    let bytes = fs::read(file)?;
    let stored: Stored = serde_json::from_slice(&bytes).map_err(told)?;
    match stored.method.as_str() {
        "resources/read" => serde_json::from_slice(&bytes).map(Suspended::Read),
        "prompts/get" => serde_json::from_slice(&bytes).map(Suspended::Prompt),
        _ => serde_json::from_slice(&bytes).map(Suspended::Call),
    }
    .map_err(told)
}
