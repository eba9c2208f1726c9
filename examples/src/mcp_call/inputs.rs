//! What is done about input requests.

use std::{fs, path::Path, time::Duration};

use mcp_client::{
    CallError, Continuation, ElicitAnswer, SuspendedCall,
    types::{ElicitRequestParams, InputRequest, InputResponse, RawJson},
};

use super::{
    Args, Usage,
    said::{Rounds, Said},
};

/// The pause before a round is resumed that asked for nothing.
const STATE_ONLY_PAUSE: Duration = Duration::from_millis(250);

/// What the command line answers.
pub(super) struct Answers {
    by_key: Vec<(String, RawJson)>,
    otherwise: Option<fn() -> ElicitAnswer>,
}

impl Answers {
    pub(super) fn new(args: &Args) -> Result<Self, Usage> {
        let mut by_key = Vec::new();
        for answer in &args.answers {
            let (key, json) = answer.split_once('=').ok_or("an answer is written `KEY=JSON`")?;
            let json = RawJson::from_text(json.to_owned())
                .map_err(|error| Usage(format!("the answer to `{key}` is not JSON: {error}")))?;
            by_key.push((key.to_owned(), json));
        }
        let otherwise: Option<fn() -> ElicitAnswer> = match (args.decline, args.cancel) {
            (true, _) => Some(ElicitAnswer::decline),
            (_, true) => Some(ElicitAnswer::cancel),
            _ => None,
        };
        Ok(Self { by_key, otherwise })
    }

    /// Answers what the command line answers. An answer may be written out (`{"action":…}`), be the content of a form
    /// that is accepted, or be `{}` for a link that is accepted.
    fn fill<M: Rounds>(&self, asked: &mut Continuation<M>) -> Result<(), Usage> {
        let keys: Vec<String> = asked.requests().iter().map(|(key, _)| key.to_owned()).collect();
        for key in keys {
            let given = self.by_key.iter().find(|(known, _)| *known == key).map(|(_, json)| json);
            let elicited = match asked.request(&key) {
                Some(InputRequest::Elicit(elicit)) => Some(&elicit.params),
                _ => None,
            };
            let answer = match (given, elicited, self.otherwise) {
                (Some(json), Some(_), _) if is_written_out(json) => InputResponse::from(json.clone()),
                (Some(json), Some(ElicitRequestParams::Url(_)), _) => accepted_link(&key, json)?.into(),
                (Some(json), Some(_), _) => ElicitAnswer::accept(json)?.into(),
                (Some(json), None, _) => InputResponse::from(json.clone()),
                (None, Some(_), Some(otherwise)) => otherwise().into(),
                (None, _, _) => continue,
            };
            asked.answer(&key, answer)?;
        }
        Ok(())
    }
}

/// Whether it is the answer as it goes over the wire. Anything else is the content of a form, which may well have a field
/// called `action`.
fn is_written_out(json: &RawJson) -> bool {
    let Ok(serde_json::Value::Object(members)) = json.to_value() else { return false };
    let action = members.get("action").and_then(serde_json::Value::as_str);
    matches!(action, Some("accept" | "decline" | "cancel"))
        && members.keys().all(|name| matches!(name.as_str(), "action" | "content" | "_meta"))
}

/// A link has no form: it is accepted without content.
fn accepted_link(key: &str, json: &RawJson) -> Result<ElicitAnswer, Usage> {
    match json.to_value() {
        Ok(serde_json::Value::Object(members)) if members.is_empty() => Ok(ElicitAnswer::accept_empty()),
        _ => Err(Usage(format!("`{}` is a link: its answer is {{}}, or written out", key.escape_debug()))),
    }
}

/// Answers and resumes until the call has ended or an answer is missing. From the first exchange on nothing that goes wrong
/// here may lose the call: it is told on stderr, and the call is handed back, also as the text of its suspended form.
pub(super) async fn go_on<M: Rounds>(
    mut outcome: Result<Result<Said, Continuation<M>>, CallError>,
    answers: &Answers,
    args: &Args,
) -> (Said, Option<String>) {
    // Written back where it came from, too: the file must know what became of the call.
    let file = args.suspend.as_deref().or(args.resume.as_deref());
    loop {
        let mut asked = match outcome {
            Ok(Ok(complete)) => return (complete, None),
            Ok(Err(asked)) => asked,
            Err(mut error) => {
                let asked = error.take_continuation_of::<M>();
                return (Said::Failed(error), asked.and_then(|asked| store(&asked.suspend(), file)));
            }
        };
        if let Err(Usage(refused)) = answers.fill(&mut asked) {
            eprintln!("mcp-call: {refused}");
        }
        let state_only = asked.requests().is_empty();
        let complete = asked.unanswered().next().is_none();
        // The limit is looked at before anything is sent, and the call is handed back, not thrown away.
        if !complete || asked.rounds() > args.max_rounds || (state_only && args.suspend.is_some()) {
            let stored = store(&asked.suspend(), file);
            return (Said::asked(&asked), stored);
        }
        if state_only {
            tokio::time::sleep(STATE_ONLY_PAUSE).await;
        }
        if args.resume.is_some() {
            // Marked before it is sent: however this ends, the same command does not do the work twice.
            store(&asked.suspend().in_doubt(), args.resume.as_deref());
        }
        outcome = asked.resume().await.map(M::sort);
    }
}

/// The suspended call as text, written to the file if there is one.
fn store<M: Rounds>(suspended: &SuspendedCall<M>, file: Option<&Path>) -> Option<String> {
    let suspended = serde_json::to_string(suspended);
    let written = suspended.as_ref().map_err(ToString::to_string).and_then(|suspended| match file {
        Some(file) => fs::write(file, suspended).map_err(|error| error.to_string()),
        None => Ok(()),
    });
    if let Err(failed) = written {
        eprintln!("mcp-call: the suspended call could not be stored: {failed}");
    }
    suspended.ok()
}
