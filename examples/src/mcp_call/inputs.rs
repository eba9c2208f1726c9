//! What is done about input requests.

use std::{fs, path::Path, time::Duration};

use mcp_client::{
    CallError, Continuation, ElicitAnswer, ToolOutcome,
    types::{InputRequest, InputResponse, RawJson},
};

use super::{Args, Usage};

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

    /// Answers what the command line answers. An answer may be written out (`{"action":…}`), or be the content of a form
    /// that is accepted.
    fn fill(&self, asked: &mut Continuation) -> Result<(), Usage> {
        let keys: Vec<String> = asked.requests().iter().map(|(key, _)| key.to_owned()).collect();
        for key in keys {
            let given = self.by_key.iter().find(|(known, _)| *known == key).map(|(_, json)| json);
            let is_form = matches!(asked.request(&key), Some(InputRequest::Elicit(_)));
            let answer = match (given, self.otherwise) {
                (Some(json), _) if is_form && !is_written_out(json) => ElicitAnswer::accept(json)?.into(),
                (Some(json), _) => InputResponse::from(json.clone()),
                (None, Some(otherwise)) if is_form => otherwise().into(),
                (None, _) => continue,
            };
            asked.answer(&key, answer)?;
        }
        Ok(())
    }
}

fn is_written_out(json: &RawJson) -> bool {
    json.to_value().is_ok_and(|value| value.get("action").is_some_and(serde_json::Value::is_string))
}

/// Answers and resumes until the call has ended or an answer is missing. From the first exchange on nothing that goes wrong
/// here may lose the call: it is told on stderr, and the call is handed back.
pub(super) async fn go_on(
    mut outcome: Result<ToolOutcome, CallError>,
    answers: &Answers,
    args: &Args,
) -> Result<ToolOutcome, CallError> {
    loop {
        let mut asked = match outcome {
            Ok(ToolOutcome::InputRequired(asked)) => asked,
            ended => return ended,
        };
        if let Err(Usage(refused)) = answers.fill(&mut asked) {
            eprintln!("mcp-call: {refused}");
        }
        let state_only = asked.requests().is_empty();
        let complete = asked.unanswered().next().is_none();
        // The limit is looked at before anything is sent, and the call is handed back, not thrown away.
        if !complete || asked.rounds() > args.max_rounds || (state_only && args.suspend.is_some()) {
            if let Some(Err(Usage(failed))) = args.suspend.as_deref().map(|file| store(&asked, file)) {
                eprintln!("mcp-call: the suspended call could not be stored: {failed}");
            }
            return Ok(ToolOutcome::InputRequired(asked));
        }
        if state_only {
            tokio::time::sleep(STATE_ONLY_PAUSE).await;
        }
        outcome = asked.resume().await;
    }
}

fn store(asked: &Continuation, file: &Path) -> Result<(), Usage> {
    fs::write(file, serde_json::to_vec(&asked.suspend())?)?;
    Ok(())
}
