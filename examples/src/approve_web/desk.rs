//! What is done with calls: started, kept, answered, resumed.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_client::{
    CallError, Client, Continuation, ContinuationStore, ElicitAnswer, StoreError, StoreFilter, StoredCall,
    ToolOutcome,
    types::{ElicitAction, InputResponse, Method as _, RawJson, method::CallTool},
};
use mcp_tests::Kitchen;
use serde_json::Value;
use uuid::Uuid;

use super::{
    filled::{self, Wrong},
    notes::{Failure, Note, Notes},
    sent::Sent,
};

const RUN: &str = "run_configured_test_scenario";

/// What the embedded Test Kitchen can be asked for.
pub(super) struct Demo {
    pub(super) what: &'static str,
    scenario: &'static str,
    tool: &'static str,
    arguments: &'static str,
}

/// The first is offered first.
pub(super) const DEMOS: [Demo; 4] = [
    Demo {
        what: "Ask for approval, with a reason",
        scenario: "elicitation.approval",
        tool: RUN,
        arguments: "{}",
    },
    Demo {
        what: "Close ticket 7, with a reason that can be changed",
        scenario: "compat.sdk_v2",
        tool: "simulate_ticket_close_mrtr",
        arguments: r#"{"ticketId":7}"#,
    },
    Demo {
        what: "Ask for a page to be opened",
        scenario: "elicitation.url_mode",
        tool: RUN,
        arguments: "{}",
    },
    Demo { what: "Answer without a question", scenario: "baseline", tool: RUN, arguments: "{}" },
];

/// The call that the page offers to start.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) tool: String,
    /// JSON, as it is edited.
    pub(super) arguments: String,
}

/// A call that waits, with its question.
pub(super) struct Waiting {
    pub(super) stored: StoredCall,
    pub(super) asked: Continuation,
}

/// What became of a request to this page.
pub(super) enum Taken {
    /// See the page of the call.
    Look,
    /// The answer does not fit.
    Refused { waiting: Box<Waiting>, request: usize, wrong: Wrong },
    /// There is no such call, or no longer.
    Gone,
    /// Somebody was faster.
    Already,
    /// Another question is asked now.
    Changed,
    /// The request makes no sense.
    Nonsense,
    /// It may be done twice, and nobody said that this is all right.
    NotAgreed,
}

/// The server, and the calls to it.
pub(super) struct Desk {
    client: Client,
    server: String,
    store: Arc<dyn ContinuationStore>,
    offer: Offer,
    /// The embedded server, where there is one.
    kitchen: Option<Kitchen>,
    notes: Notes,
    /// The calls that are with the server now.
    running: Mutex<HashSet<String>>,
    /// One answer is taken at a time, up to where it is sent.
    turn: tokio::sync::Mutex<()>,
}

/// A call that is with the server.
struct Running {
    desk: Arc<Desk>,
    id: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.desk.running().remove(&self.id);
    }
}

impl Desk {
    pub(super) fn new(
        client: Client,
        server: String,
        store: Arc<dyn ContinuationStore>,
        offer: Offer,
        kitchen: Option<Kitchen>,
    ) -> Arc<Self> {
        let (notes, running, turn) = (Notes::default(), Mutex::default(), tokio::sync::Mutex::default());
        Arc::new(Self { client, server, store, offer, kitchen, notes, running, turn })
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }

    pub(super) fn is_kitchen(&self) -> bool {
        self.kitchen.is_some()
    }

    pub(super) fn note(&self, id: &str) -> Option<Arc<Note>> {
        self.notes.of(id)
    }

    /// Whether the server is working on the call now.
    pub(super) fn is_running(&self, id: &str) -> bool {
        self.running().contains(id)
    }

    fn running(&self) -> MutexGuard<'_, HashSet<String>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(self: &Arc<Self>, id: &str) -> Running {
        self.running().insert(id.to_owned());
        Running { desk: Arc::clone(self), id: id.to_owned() }
    }

    /// What waits for a person, of this server.
    pub(super) async fn waiting(&self) -> Result<Vec<StoredCall>, StoreError> {
        self.store.list(&StoreFilter::new().server(self.client.identity()).method(CallTool::NAME)).await
    }

    /// A call that waits.
    pub(super) async fn look(&self, id: &str) -> Result<Option<Waiting>, StoreError> {
        let Some(stored) = self.store.get(id).await? else { return Ok(None) };
        self.restore(stored).map(Some)
    }

    fn restore(&self, stored: StoredCall) -> Result<Waiting, StoreError> {
        let asked = self.client.restore(stored.suspended()?)?;
        Ok(Waiting { stored, asked })
    }

    /// What the embedded server is to be asked for.
    pub(super) fn choose(&self, demo: usize) -> Option<Offer> {
        let demo = DEMOS.get(demo)?;
        self.kitchen.as_ref()?.switch(demo.scenario, Value::Null).ok()?;
        Some(Offer { tool: demo.tool.to_owned(), arguments: demo.arguments.to_owned() })
    }

    /// Starts a call, and gives the id under which it can be looked at.
    pub(super) async fn start(
        self: &Arc<Self>,
        tool: String,
        arguments: RawJson,
    ) -> Result<String, StoreError> {
        let desk = Arc::clone(self);
        self.apart(async move {
            let id = Uuid::new_v4().to_string();
            let outcome = desk.client.call_tool(&tool).arguments(arguments).send().await;
            desk.settle(&id, None, &tool, outcome).await?;
            Ok(id)
        })
        .await
    }

    /// Takes the answer to one request; the last answer sends the call on, unless a person has to say when.
    pub(super) async fn answer(self: &Arc<Self>, id: &str, sent: &Sent) -> Result<Taken, StoreError> {
        let turn = self.turn.lock().await;
        let Some(Waiting { stored, mut asked }) = self.look(id).await? else { return Ok(Taken::Gone) };
        if self.is_running(id) {
            return Ok(Taken::Already);
        }
        if sent.number("round") != Some(asked.rounds()) {
            return Ok(Taken::Changed);
        }
        let request = sent.number("request").unwrap_or(usize::MAX);
        let Some(key) = asked.requests().iter().nth(request).map(|(key, _)| key.to_owned()) else {
            return Ok(Taken::Nonsense);
        };
        if !asked.unanswered().any(|unanswered| unanswered == key) {
            return Ok(Taken::Already);
        }
        let answer = match given(&asked, &key, sent) {
            None => return Ok(Taken::Nonsense),
            Some(Ok(answer)) => answer,
            Some(Err(wrong)) => return Ok(refused(stored, asked, request, wrong)),
        };
        if let Err(error) = asked.answer(&key, answer) {
            return Ok(refused(stored, asked, request, Wrong::Whole(format!("was not taken: {error}"))));
        }
        // Nothing is claimed for an answer that is not taken; of two programs that answer at the same time one gets it.
        let Some(claimed) = self.claim(&stored).await? else { return Ok(Taken::Already) };
        // The answer is in the store before it is anywhere else.
        let answered = claimed.with_call(&asked.suspend());
        self.store.put(answered.clone()).await?;
        if !may_go_on(&asked) {
            return Ok(Taken::Look);
        }
        if self.claim(&answered).await?.is_none() {
            return Ok(Taken::Already);
        }
        let running = self.run(id);
        drop(turn);
        self.resume(running, answered, asked).await
    }

    /// Sends a call on that is answered already.
    pub(super) async fn go_on(self: &Arc<Self>, id: &str, sent: &Sent) -> Result<Taken, StoreError> {
        let turn = self.turn.lock().await;
        let Some(Waiting { stored, mut asked }) = self.look(id).await? else { return Ok(Taken::Gone) };
        if self.is_running(id) {
            return Ok(Taken::Already);
        }
        if sent.number("round") != Some(asked.rounds()) || asked.unanswered().next().is_some() {
            return Ok(Taken::Changed);
        }
        if asked.may_have_run() {
            if sent.one("again") != Some("yes") {
                return Ok(Taken::NotAgreed);
            }
            asked = asked.accepting_duplicates("the person was told and said yes");
        }
        if self.claim(&stored).await?.is_none() {
            return Ok(Taken::Already);
        }
        let running = self.run(id);
        drop(turn);
        self.resume(running, stored, asked).await
    }

    /// Claims a call as it was looked at. What is claimed, and by nobody here, was left behind by a program that ended: it is in
    /// doubt, and goes on only where the person agrees to that.
    async fn claim(&self, seen: &StoredCall) -> Result<Option<StoredCall>, StoreError> {
        if seen.is_claimed() {
            self.store.put(seen.clone()).await?;
        }
        let Some(claimed) = self.store.claim(seen.id()).await? else { return Ok(None) };
        if claimed.to_json()? == seen.clone().into_free().to_json()? {
            return Ok(Some(claimed));
        }
        // Another program took it on since it was looked at.
        self.store.put(claimed).await?;
        Ok(None)
    }

    /// Deletes a call that waits.
    pub(super) async fn forget(&self, id: &str) -> Result<bool, StoreError> {
        self.notes.forget(id);
        self.store.remove(id).await
    }

    /// Sends a claimed call on.
    async fn resume(
        &self,
        running: Running,
        stored: StoredCall,
        asked: Continuation,
    ) -> Result<Taken, StoreError> {
        self.apart(async move {
            let tool = asked.target().to_owned();
            let outcome = asked.resume().await;
            running.desk.settle(&running.id, Some(stored), &tool, outcome).await?;
            Ok(Taken::Look)
        })
        .await
    }

    /// Keeps what came of a call: in the store what can go on, else a note.
    async fn settle(
        &self,
        id: &str,
        stored: Option<StoredCall>,
        tool: &str,
        outcome: Result<ToolOutcome, CallError>,
    ) -> Result<(), StoreError> {
        let failed = |error: &CallError| Note::Failure {
            server: self.server.clone(),
            tool: tool.to_owned(),
            failure: Failure::of(error),
        };
        let (asked, note) = match outcome {
            Ok(ToolOutcome::Success(output) | ToolOutcome::ToolError(output)) => {
                (None, Some(Note::result(&self.server, tool, &output)))
            }
            Ok(ToolOutcome::InputRequired(asked)) => (Some(asked), None),
            Err(mut error) => (error.take_continuation(), Some(failed(&error))),
        };
        let kept = asked.map(|asked| match stored {
            Some(stored) => stored.with_call(&asked.suspend()),
            None => StoredCall::new(&asked.suspend(), None).with_id(id),
        });
        match kept {
            Some(call) => self.store.put(call).await?,
            None => {
                self.store.remove(id).await?;
            }
        }
        match note {
            Some(note) => self.notes.keep(id, note),
            None => self.notes.forget(id),
        }
        Ok(())
    }

    /// Runs to its end, also when the browser goes away: what a call comes to is never lost.
    async fn apart<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        tokio::spawn(work).await.unwrap_or_else(|error| Err(StoreError::failed(error)))
    }
}

impl Waiting {
    /// What the request of a key was answered with.
    pub(super) fn answer_to(&self, key: &str) -> Option<ElicitAction> {
        action(&self.asked, key)
    }
}

/// The answer that was sent to a request; `None` where there can be none.
fn given(asked: &Continuation, key: &str, sent: &Sent) -> Option<Result<InputResponse, Wrong>> {
    let answer = match sent.one("action")? {
        "decline" => Ok(ElicitAnswer::decline()),
        "cancel" => Ok(ElicitAnswer::cancel()),
        "accept" => match (asked.form(key), asked.link(key)) {
            (Some(form), _) => filled::read(&form, sent),
            (_, Some(Ok(link))) => Ok(link.accept()),
            _ => return None,
        },
        _ => return None,
    };
    Some(answer.map(Into::into))
}

/// Not before everything is answered; not while a page is to be opened first, or what was done is in doubt: the person says then.
fn may_go_on(asked: &Continuation) -> bool {
    let is_opened = |key| asked.link(key).is_some() && action(asked, key) == Some(ElicitAction::Accept);
    asked.unanswered().next().is_none()
        && !asked.may_have_run()
        && !asked.requests().iter().any(|(key, _)| is_opened(key))
}

fn action(asked: &Continuation, key: &str) -> Option<ElicitAction> {
    asked.answer_to(key)?.parse::<ElicitAnswer>().ok().map(|answer| answer.action)
}

fn refused(stored: StoredCall, asked: Continuation, request: usize, wrong: Wrong) -> Taken {
    Taken::Refused { waiting: Box::new(Waiting { stored, asked }), request, wrong }
}
