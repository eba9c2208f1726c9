//! The answer for a person to read.

use mcp_client::{
    CallError, CallRecord, Delivery, ListFault, OutcomeKind,
    error::InvalidKind,
    types::{
        DiscoverResult, ElicitRequest, ElicitRequestParams, GetPromptResult, InputRequest, InputRequests,
    },
};

use super::{
    content,
    json::message,
    lists::{Entry, Lists},
    said::Said,
};
use crate::text::{one_line, printable, say};

pub(super) fn print(said: &Said) {
    match said {
        Said::Tool(output) => {
            say!("{}", output.text());
            if output.is_error() {
                eprintln!(
                    "The tool reported this as an error (application layer). Correct the arguments, or try later."
                );
            } else if let (true, Some(raw)) = (output.content().is_empty(), output.structured_raw()) {
                say!("{}", raw.get());
            }
        }
        Said::Read(read) => read.contents.iter().for_each(|part| say!("{}", content::of_resource(part))),
        Said::Prompt(prompt) => print_prompt(prompt),
        Said::Discovered(discovered) => {
            print_server(discovered);
            if discovered.common_version().is_none() {
                eprintln!("This program speaks none of these versions: calls will be refused.");
            }
        }
        Said::Listed(lists) => print_lists(lists),
        Said::Asked { requests, .. } => print_asked(requests),
        Said::Failed(error) => print_error(error),
    }
}

fn print_prompt(prompt: &GetPromptResult) {
    if let Some(description) = &prompt.description {
        eprintln!("{}", printable(description));
    }
    for message in &prompt.messages {
        say!("{}: {}", one_line(message.role.as_str()), content::of_block(&message.content));
    }
}

fn print_server(discovered: &DiscoverResult) {
    let name = discovered.server_info().map(|info| format!("{} {}", info.name, info.version));
    say!("{}", name.as_deref().map_or("a server that does not say its name".to_owned(), one_line));
    let versions: Vec<_> =
        discovered.supported_versions.iter().map(|version| one_line(version.as_str())).collect();
    say!("speaks: {}", versions.join(", "));
    let offered = &discovered.capabilities;
    let offers = [
        ("tools", offered.tools.is_some()),
        ("resources", offered.resources.is_some()),
        ("prompts", offered.prompts.is_some()),
        ("completions", offered.completions.is_some()),
        ("logging", offered.logging.is_some()),
    ];
    let offers: Vec<_> = offers.into_iter().filter_map(|(name, offered)| offered.then_some(name)).collect();
    say!("offers: {}", if offers.is_empty() { "nothing".to_owned() } else { offers.join(", ") });
    for (identifier, _) in offered.extensions.iter().flatten() {
        say!("extension: {}", one_line(identifier));
    }
    if let Some(instructions) = &discovered.instructions {
        say!("instructions:");
        indented(instructions);
    }
}

fn print_lists(lists: &Lists) {
    for list in lists.lists() {
        list.entries.iter().for_each(print_entry);
        for skipped in &list.skipped {
            eprintln!("left out: {}", one_line(&skipped.shown));
        }
    }
    match lists.fault() {
        Some(ListFault::Call(error)) => {
            eprintln!("The list ended early.");
            print_error(error);
        }
        Some(other) => eprintln!("The list ended early (protocol layer): {other}."),
        None if lists.is_complete() => {}
        None => eprintln!("There is more: only so much is listed."),
    }
}

fn print_entry(entry: &Entry) {
    let title = entry.title.as_deref().map(|title| format!(" ({})", one_line(title)));
    say!("{}{}", one_line(&entry.name), title.unwrap_or_default());
    entry.description.as_deref().into_iter().for_each(indented);
    for detail in &entry.details {
        say!("    {}", one_line(detail));
    }
}

fn indented(text: &str) {
    for line in text.trim_end().lines() {
        say!("    {}", printable(line));
    }
}

fn print_asked(requests: &InputRequests) {
    eprintln!("The server needs input before it can finish (interaction layer):");
    for (key, request) in requests {
        let what = match request {
            InputRequest::Elicit(elicit) => elicit.params.message(),
            other => other.method().unwrap_or("an unknown request"),
        };
        eprintln!("  {}: {}", printable(key), printable(what));
        if let InputRequest::Elicit(ElicitRequest { params: ElicitRequestParams::Url(link), .. }) = request {
            eprintln!("    opens {}", printable(&link.url));
        }
    }
    eprintln!("Answer with --answer KEY=JSON, --decline or --cancel, or keep it with --suspend FILE.");
}

fn print_error(error: &CallError) {
    eprintln!("{} layer: {}", error.layer(), message(error));
    if let Some(said) = error.rpc_message() {
        eprintln!("The server says: {}", printable(said));
    }
    if let Some(delay) = error.retry_after() {
        eprintln!("It asks to wait for {} s.", delay.as_secs());
    }
    match error {
        CallError::Invalid(refused) if refused.kind() == InvalidKind::MayHaveRun => eprintln!(
            "Nothing was sent now. If doing it twice is harmless, say why with --accept-duplicates WHY."
        ),
        _ => eprintln!("The request {}. {}", may_have_run(error.delivery()), next_step(error)),
    }
}

/// What was sent and received, an exchange a line.
pub(super) fn trace(records: &[CallRecord], level: u8) {
    for record in records {
        let id = record.request_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let tool = record.tool.as_deref().map(|tool| format!(" {}", printable(tool))).unwrap_or_default();
        for status in &record.posts {
            let answer = match status {
                Some(status) => format!("{status} {}", record.content_type.as_deref().unwrap_or("-")),
                None => "no answer".to_owned(),
            };
            eprintln!("POST {}{tool} (id {id}) -> {answer}", record.method);
        }
        if level > 1 {
            eprintln!("{}", record.to_json());
        }
    }
}

fn may_have_run(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::NotSent => "was not sent, so nothing was done",
        Delivery::Refused => "was refused, so nothing was done",
        Delivery::Unknown => "may have been carried out",
        Delivery::Answered => "was answered",
    }
}

fn next_step(error: &CallError) -> &'static str {
    match (error, error.delivery()) {
        (CallError::Invalid(_), _) => "Correct the call.",
        (CallError::Auth(_), _) => "Authorize, and call again.",
        (CallError::Http(http), Delivery::Refused) => match http.status() {
            401 | 403 => "Send credentials that are allowed to do this (--bearer-env, --header).",
            408 | 421 | 425 | 429 => "Call again later.",
            300..=399 => "Call the URL that it points to.",
            _ => "Correct the call or the URL.",
        },
        (_, Delivery::Unknown) => "Call again only if doing it twice is harmless.",
        _ if error.outcome() == OutcomeKind::Cancelled => "Call again when it is to be done after all.",
        (CallError::Transport(_), Delivery::NotSent) => "Check the address and the network, and call again.",
        _ => "The same call will fail again.",
    }
}
