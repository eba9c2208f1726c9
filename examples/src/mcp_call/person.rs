//! The answer for a person to read.

use mcp_client::{
    CallError, CallRecord, Delivery, ToolOutcome,
    error::InvalidKind,
    types::{ElicitRequest, ElicitRequestParams, InputRequest},
};

use super::json::message;

pub(super) fn print(outcome: &Result<ToolOutcome, CallError>) {
    match outcome {
        Ok(ToolOutcome::Success(output)) => {
            println!("{}", output.text());
            if let (true, Some(raw)) = (output.content().is_empty(), output.structured_raw()) {
                println!("{}", raw.get());
            }
        }
        Ok(ToolOutcome::ToolError(output)) => {
            println!("{}", output.text());
            eprintln!(
                "The tool reported this as an error (application layer). Correct the arguments, or try later."
            );
        }
        Ok(ToolOutcome::InputRequired(asked)) => {
            eprintln!("The server needs input before it can finish (interaction layer):");
            for (key, request) in asked.requests() {
                let what = match request {
                    InputRequest::Elicit(elicit) => elicit.params.message(),
                    other => other.method().unwrap_or("an unknown request"),
                };
                eprintln!("  {}: {}", printable(key), printable(what));
                if let InputRequest::Elicit(ElicitRequest {
                    params: ElicitRequestParams::Url(link), ..
                }) = request
                {
                    eprintln!("    opens {}", printable(&link.url));
                }
            }
            eprintln!(
                "Answer with --answer KEY=JSON, --decline or --cancel, or keep it with --suspend FILE."
            );
        }
        Err(error) => {
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
    }
}

/// What was sent and received, an exchange a line.
pub(super) fn trace(records: &[CallRecord], level: u8) {
    for record in records {
        let id = record.request_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let tool = record.tool.as_deref().unwrap_or_default();
        for status in &record.posts {
            let answer = match status {
                Some(status) => format!("{status} {}", record.content_type.as_deref().unwrap_or("-")),
                None => "no answer".to_owned(),
            };
            eprintln!("POST {} {} (id {id}) -> {answer}", record.method, printable(tool));
        }
        if level > 1 {
            eprintln!("{}", record.to_json());
        }
    }
}

pub(super) fn may_have_run(delivery: Delivery) -> &'static str {
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
        (CallError::Transport(_), Delivery::NotSent) => "Check the address and the network, and call again.",
        (_, Delivery::Unknown) => "Call again only if doing it twice is harmless.",
        _ => "The same call will fail again.",
    }
}

/// Text from a server must not steer the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{FFFD}' } else { c }).collect()
}
