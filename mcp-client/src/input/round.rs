//! One round: what is asked, and what the handler says to it.

use std::{future::Future, future::poll_fn, pin::Pin, sync::Arc, task::Poll, time::Duration};

use mcp_types::{CreateMessageRequestParams, ElicitRequestParams, InputRequest, InputResponse};
use tokio::time::{Instant, sleep, timeout_at};

use super::{InputContext, InputError, InputHandler, drive::Settings, stop::DriveStop};
use crate::{
    cancel::CancelHandle,
    client::Client,
    continuation::{Continuation, MultiRound, State, check_sampling},
    form::ElicitForm,
    input_kinds::InputKinds,
    link::ElicitLink,
};

/// How many requests of a round are with the handler at once.
const MAX_AT_ONCE: usize = 16;

/// How long a server is left alone that asks for nothing but to be asked again.
const PAUSE: Duration = Duration::from_millis(250);

/// What the handler is asked.
enum Question {
    Form(ElicitForm),
    Link(ElicitLink),
    Sample(Box<CreateMessageRequestParams>),
    Roots,
}

/// An answer under way, with its key.
type Asking<'a> = Pin<Box<dyn Future<Output = (String, Result<InputResponse, InputError>)> + Send + 'a>>;

/// Tells the handler when nobody waits any more: when it is dropped before all is answered.
struct Guard {
    handle: CancelHandle,
    is_over: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.is_over {
            self.handle.cancel("nobody waits for the answer any more");
        }
    }
}

/// Has everything answered that is not answered yet. The answers that there are stay, however it ends.
pub(super) async fn ask<M: MultiRound>(
    waiting: &mut Continuation<M>,
    handler: &(dyn InputHandler + '_),
    kinds: InputKinds,
    settings: Settings,
) -> Result<(), DriveStop> {
    if waiting.requests().is_empty() {
        sleep(PAUSE).await;
        return Ok(());
    }
    let questions = questions(&waiting.state, kinds)?;
    let deadline = settings.input_timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut guard = Guard { handle: CancelHandle::new(), is_over: false };
    let cx = InputContext::new(&waiting.state, deadline.map(Instant::into_std), &guard.handle);
    let client = waiting.state.client.clone();
    let asking = questions.into_iter().map(|(key, question)| {
        let cx = cx.of_request(&key);
        let asking: Asking<'_> = Box::pin(answer(&client, handler, question, cx, key));
        asking
    });
    let at_once = if settings.one_at_a_time { 1 } else { MAX_AT_ONCE };
    let all = all(asking, at_once, |key, answered| settle(waiting, key, answered));
    let answered = match deadline {
        None => Ok(all.await),
        Some(deadline) => timeout_at(deadline, all).await,
    };
    let Ok(answered) = answered else {
        let key = waiting.unanswered().next().unwrap_or_default().to_owned();
        return Err(DriveStop::InputTimeout { key });
    };
    answered?;
    guard.is_over = true;
    Ok(())
}

/// What the handler is to be asked, once all that is asked is known to be of use.
fn questions(state: &State, kinds: InputKinds) -> Result<Vec<(String, Question)>, DriveStop> {
    let declared = state.declared();
    let mut questions = Vec::new();
    for key in state.unanswered() {
        let owned = || key.to_owned();
        let Some(request) = state.round.requests.get(key) else { continue };
        let Some(kind) = InputKinds::of(request) else { return Err(DriveStop::Unknown { key: owned() }) };
        if !declared.contains(kind) {
            return Err(DriveStop::Undeclared { key: owned() });
        }
        if !kinds.contains(kind) {
            return Err(DriveStop::NotHandled { key: owned() });
        }
        let question = match request {
            InputRequest::Elicit(elicit) => match &elicit.params {
                ElicitRequestParams::Form(form) => Question::Form(ElicitForm::new(form)),
                ElicitRequestParams::Url(link) => Question::Link(
                    ElicitLink::new(link).map_err(|fault| DriveStop::Link { key: owned(), fault })?,
                ),
                _ => return Err(DriveStop::Unknown { key: owned() }),
            },
            InputRequest::Sample(sample) => {
                check_sampling(&sample.params)
                    .map_err(|fault| DriveStop::Sampling { key: owned(), fault })?;
                let mut params = sample.params.clone();
                if !declared.contains(InputKinds::SAMPLING_CONTEXT) {
                    params.include_context = None;
                }
                Question::Sample(Box::new(params))
            }
            InputRequest::ListRoots(_) => Question::Roots,
            _ => return Err(DriveStop::Unknown { key: owned() }),
        };
        questions.push((owned(), question));
    }
    Ok(questions)
}

async fn answer(
    client: &Client,
    handler: &(dyn InputHandler + '_),
    question: Question,
    cx: InputContext,
    key: String,
) -> (String, Result<InputResponse, InputError>) {
    let answered = match question {
        Question::Form(form) => handler.form(form, &cx).await.map(InputResponse::from),
        Question::Link(link) => handler.url(link, &cx).await.map(InputResponse::from),
        Question::Sample(request) => {
            match client.config().samplings.take(Instant::now(), Duration::MAX) {
                None | Some(Duration::ZERO) => {}
                Some(wait) => sleep(wait).await,
            }
            handler.sample(*request, &cx).await.map(InputResponse::from)
        }
        Question::Roots => handler.roots(&cx).await.map(InputResponse::from),
    };
    (key, answered)
}

/// Takes an answer over, or says why there is none.
fn settle<M: MultiRound>(
    waiting: &mut Continuation<M>,
    key: String,
    answered: Result<InputResponse, InputError>,
) -> Result<(), DriveStop> {
    Err(match answered {
        Ok(answer) => match waiting.answer(&key, answer) {
            Ok(_) => return Ok(()),
            Err(error) => DriveStop::Answer(error),
        },
        Err(InputError::NotHandled) => DriveStop::NotHandled { key },
        Err(InputError::Declined) => DriveStop::Declined { key },
        Err(InputError::Later) => DriveStop::Later { key },
        Err(InputError::Failed(error)) => DriveStop::Handler { key, source: Arc::from(error) },
    })
}

/// Drives the answers, so many at once, and gives each to `settle` as soon as it is there, until that stops it. On this task: when
/// this future is dropped, so are they.
async fn all<'a>(
    mut next: impl Iterator<Item = Asking<'a>>,
    at_once: usize,
    mut settle: impl FnMut(String, Result<InputResponse, InputError>) -> Result<(), DriveStop>,
) -> Result<(), DriveStop> {
    let mut asking: Vec<Asking<'a>> = Vec::new();
    poll_fn(|cx| {
        loop {
            asking.extend(next.by_ref().take(at_once - asking.len()));
            if asking.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let before = asking.len();
            let mut stop = None;
            asking.retain_mut(|answer| {
                if stop.is_some() {
                    return true;
                }
                match answer.as_mut().poll(cx) {
                    Poll::Pending => true,
                    Poll::Ready((key, answered)) => {
                        stop = settle(key, answered).err();
                        false
                    }
                }
            });
            if let Some(stop) = stop {
                return Poll::Ready(Err(stop));
            }
            if asking.len() == before {
                return Poll::Pending;
            }
        }
    })
    .await
}
