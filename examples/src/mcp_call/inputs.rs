//! What is done about input requests: the command line answers, or the person at the terminal, or nobody.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use mcp_client::{
    CallError, CancelHandle, Continuation, Drive, DriveStop, ElicitAnswer, ElicitForm, ElicitLink,
    InputContext, InputError, InputHandler, InputKinds, RequestBuilder, SuspendedCall, async_trait,
    types::{CreateMessageRequestParams, CreateMessageResult, ListRootsResult, RawJson},
};
use serde::de::DeserializeOwned;

use super::{
    Args, Usage,
    json::message,
    said::{Rounds, Said},
    watch::Watch,
};
use crate::terminal::TerminalHandler;

/// Answers with what the command line says, or else asks the person. What neither answers is left for later.
pub(super) struct Answers {
    by_key: Vec<(String, RawJson)>,
    otherwise: Option<fn() -> ElicitAnswer>,
    person: Option<TerminalHandler>,
    watch: Option<Watch>,
    mark: Option<Mark>,
}

/// What is written to the file of a resumed call before it is sent again.
struct Mark {
    /// How many requests of its first round have no answer yet.
    open: AtomicUsize,
    write: Box<dyn Fn() + Send + Sync>,
}

impl Mark {
    /// The file says from now on that the call may have run: however this ends, the same command does not do the work twice.
    fn answered(&self) {
        if self.open.fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.write)();
        }
    }
}

impl Answers {
    pub(super) fn new(args: &Args, stop: &CancelHandle, watch: Option<Watch>) -> Result<Self, Usage> {
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
        // A script reads JSON, and who suspends wants to be asked later.
        let asks = !args.json && args.suspend.is_none();
        let person = asks.then(|| TerminalHandler::new().cancel_with(stop));
        let person = person.filter(TerminalHandler::is_interactive);
        Ok(Self { by_key, otherwise, person, watch, mark: None })
    }

    /// Makes a new call, and answers what it asks for.
    pub(super) async fn begin<M: Rounds>(
        &self,
        call: RequestBuilder<M>,
        args: &Args,
    ) -> (Said, Option<String>) {
        // Where nothing can be answered, what is to be kept is not sent again, not even if nothing is asked but that.
        let kept = args.suspend.is_some() && self.by_key.is_empty() && self.otherwise.is_none();
        let rounds = if kept { 0 } else { args.max_rounds };
        hand_back(self.drive(call.drive(self), rounds).await, args)
    }

    /// Goes on with a call that was stored.
    pub(super) async fn resume<M: Rounds>(
        mut self,
        asked: Continuation<M>,
        args: &Args,
    ) -> (Said, Option<String>) {
        if let Some(file) = args.resume.clone() {
            let suspended = asked.suspend().in_doubt();
            let write = move || drop(store(&suspended, Some(&file)));
            match asked.unanswered().count() {
                0 if !asked.may_have_run() => write(),
                0 => {}
                open => self.mark = Some(Mark { open: open.into(), write: Box::new(write) }),
            }
        }
        let outcome = self.drive(asked.drive(&self), args.max_rounds).await;
        hand_back(outcome, args)
    }

    /// Drives a call: one thing after the other, since a person is asked.
    async fn drive<M: Rounds>(
        &self,
        mut drive: Drive<'_, M>,
        mut rounds: u32,
    ) -> Result<Result<Said, Continuation<M>>, CallError> {
        loop {
            let outcome = drive.one_at_a_time().max_rounds(rounds).await.map(M::sort);
            let Ok(Err(mut asked)) = outcome else { return outcome };
            let Some(DriveStop::Link { key, .. }) = asked.stopped() else { return Ok(Err(asked)) };
            // No handler is asked about a link that must not be opened. The command line can decline it all the same, or accept
            // plain `http` in a network that it knows.
            let key = key.clone();
            let answered = self.bad_link(&key).is_some_and(|answer| asked.answer(&key, answer).is_ok());
            if !answered {
                return Ok(Err(asked));
            }
            self.marked();
            // Each link that is answered so costs a round, so that this ends.
            rounds = rounds.saturating_sub(1);
            drive = asked.drive(self);
        }
    }

    fn bad_link(&self, key: &str) -> Option<ElicitAnswer> {
        match (self.by_key.iter().find(|(known, _)| known == key), self.otherwise) {
            (Some((_, json)), _) if is_written_out(json) => json.parse().ok(),
            (Some((_, json)), _) => is_empty(json).then(ElicitAnswer::accept_empty),
            (None, otherwise) => otherwise.map(|otherwise| otherwise()),
        }
    }

    fn given(&self, cx: &InputContext) -> Option<&RawJson> {
        self.by_key.iter().find(|(key, _)| key == cx.key()).map(|(_, json)| json)
    }

    /// An answer of the command line to something else than a form or a link: as it goes over the wire.
    fn written_out<T: DeserializeOwned>(&self, cx: &InputContext) -> Result<T, InputError> {
        let json = self.given(cx).ok_or(InputError::Later)?;
        self.settled(json.parse().map_err(InputError::from))
    }

    /// The terminal is the person's now.
    fn make_room(&self) {
        if let Some(watch) = &self.watch {
            watch.finish();
        }
    }

    fn settled<T>(&self, answer: Result<T, InputError>) -> Result<T, InputError> {
        if answer.is_ok() {
            self.marked();
        }
        answer
    }

    /// One answer less is missing.
    fn marked(&self) {
        if let Some(mark) = &self.mark {
            mark.answered();
        }
    }
}

/// An answer may be written out (`{"action":…}`), be the content of a form that is accepted, or be `{}` for a link that is
/// accepted.
#[async_trait]
impl InputHandler for Answers {
    /// What the command line declares is declared by the client, and a call that is resumed has declared it already.
    fn kinds(&self) -> InputKinds {
        [
            InputKinds::FORM,
            InputKinds::URL,
            InputKinds::SAMPLING_TOOLS,
            InputKinds::SAMPLING_CONTEXT,
            InputKinds::ROOTS,
        ]
        .into_iter()
        .collect()
    }

    async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        let answer = match (self.given(cx), self.otherwise, &self.person) {
            (Some(json), ..) if is_written_out(json) => json.parse().map_err(InputError::from),
            (Some(json), ..) => ElicitAnswer::accept(json).map_err(InputError::from),
            (None, Some(otherwise), _) => Ok(otherwise()),
            (None, None, Some(person)) => {
                self.make_room();
                person.form(form, cx).await
            }
            (None, None, None) => Err(InputError::Later),
        };
        self.settled(answer)
    }

    async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        let answer = match (self.given(cx), self.otherwise, &self.person) {
            (Some(json), ..) if is_written_out(json) => json.parse().map_err(InputError::from),
            (Some(json), ..) => accepted_link(&link, json, cx),
            (None, Some(otherwise), _) => Ok(otherwise()),
            (None, None, Some(person)) => {
                self.make_room();
                person.url(link, cx).await
            }
            (None, None, None) => Err(InputError::Later),
        };
        self.settled(answer)
    }

    async fn sample(
        &self,
        _: CreateMessageRequestParams,
        cx: &InputContext,
    ) -> Result<CreateMessageResult, InputError> {
        self.written_out(cx)
    }

    async fn roots(&self, cx: &InputContext) -> Result<ListRootsResult, InputError> {
        self.written_out(cx)
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
fn accepted_link(link: &ElicitLink, json: &RawJson, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
    if is_empty(json) {
        return Ok(link.accept());
    }
    let key = cx.key().escape_debug();
    Err(InputError::Failed(format!("`{key}` is a link: its answer is {{}}, or written out").into()))
}

fn is_empty(json: &RawJson) -> bool {
    matches!(json.to_value(), Ok(serde_json::Value::Object(members)) if members.is_empty())
}

/// How it ended. From the first exchange on nothing that goes wrong here may lose the call: it is told on stderr, and the call
/// is handed back, also as the text of its suspended form.
pub(super) fn hand_back<M: Rounds>(
    outcome: Result<Result<Said, Continuation<M>>, CallError>,
    args: &Args,
) -> (Said, Option<String>) {
    // Written back where it came from, too: the file must know what became of the call.
    let file = args.suspend.as_deref().or(args.resume.as_deref());
    match outcome {
        Ok(Ok(complete)) => (complete, None),
        Ok(Err(asked)) => {
            asked.stopped().into_iter().for_each(tell);
            let stored = store(&asked.suspend(), file);
            (Said::asked(&asked), stored)
        }
        Err(mut error) => {
            let asked = error.take_continuation_of::<M>();
            (Said::Failed(error), asked.and_then(|asked| store(&asked.suspend(), file)))
        }
    }
}

/// Says why it was not answered, where that is more than that nobody answered.
fn tell(stop: &DriveStop) {
    let said = match stop {
        DriveStop::Later { .. } | DriveStop::MaxRounds { asked: 0 } => return,
        DriveStop::Handler { source, .. } => message(source.as_ref()),
        other => other.to_string(),
    };
    eprintln!("mcp-call: {said}");
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
