//! Calls that are answered and sent again until they are finished.

use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    time::Duration,
};

use tokio::{select, time::Instant};

use super::{InputHandler, round, stop::DriveStop};
#[cfg(doc)]
use crate::RequestBuilder;
use crate::{
    call::RequestBuilder as Call,
    cancel::cancelled,
    continuation::{Continuation, Ended, MultiRound},
    error::CallError,
};

/// For how many rounds a call is driven at most: see [`Drive::max_rounds`].
pub const DEFAULT_MAX_ROUNDS: u32 = 10;

/// A call that goes on by itself while there are answers: made by [`RequestBuilder::drive`] and [`Continuation::drive`]. Await it.
///
/// # How it ends
///
/// In the call's own outcome, where the server came to one. Where it could not be driven so far the outcome is a request for
/// input: its continuation has all answers that were given so far, it can be resumed, and [`stopped`](Continuation::stopped) says
/// why it was stopped. A call that failed is an error, and gives the continuation back, too.
///
/// Before anybody is asked, all requests of a round are looked at: where one was not declared, is malformed, or is of a kind that
/// the handler does not answer, it is stopped and nobody is asked. Only what the handler answers is sent, and only once all is
/// answered. Requests that were answered before (of a call that was suspended, say) are not asked again.
///
/// # Time
///
/// The [timeout](RequestBuilder::timeout) of the call bounds what it takes to exchange messages with the server, all rounds
/// together. The time that a person takes does not count, and has no limit unless [`input_timeout`](Self::input_timeout) sets
/// one. A [cancel handle](RequestBuilder::cancel_with) ends the call at once, also while somebody is asked.
///
/// A server that asks for nothing and wants the call to be sent again with its state is obeyed after 250 ms.
///
/// # Cancel safety
///
/// Dropping the future drops the handlers' futures, cancels the request, and loses the answers.
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client, terminal: impl mcp_client::InputHandler) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::{DriveStop, ToolOutcome};
///
/// match client.call_tool("close_ticket").drive(&terminal).max_rounds(3).await? {
///     ToolOutcome::Success(output) => println!("{}", output.text()),
///     ToolOutcome::ToolError(output) => println!("the tool failed: {}", output.text()),
///     ToolOutcome::InputRequired(asked) => match asked.stopped() {
///         Some(DriveStop::Later { .. }) => std::fs::write("call.json", serde_json::to_vec(&asked.suspend())?)?,
///         Some(stop) => println!("stopped: {stop}"),
///         None => unreachable!("a driven call says why it was stopped"),
///     },
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a call does nothing until it is awaited"]
pub struct Drive<'h, M: MultiRound> {
    start: Start<M>,
    handler: Box<dyn InputHandler + 'h>,
    /// How much of the time of the call is over.
    spent: Duration,
    settings: Settings,
}

enum Start<M: MultiRound> {
    Call(Box<Call<M>>),
    Asked(Continuation<M>),
}

/// How a call is driven.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    max_rounds: u32,
    pub(super) one_at_a_time: bool,
    pub(super) input_timeout: Option<Duration>,
}

impl<M: MultiRound> Continuation<M> {
    /// Lets this handler answer what is asked and not answered yet, and goes on with the call until it is finished. What was
    /// declared for the call is not changed by it. Await it: see [`Drive`] for what it can be told first, and for how it ends.
    pub fn drive<H: InputHandler + ?Sized>(self, handler: &H) -> Drive<'_, M> {
        Drive::new(Start::Asked(self), Box::new(handler))
    }
}

impl<'h, M: MultiRound> Drive<'h, M> {
    fn new(start: Start<M>, handler: Box<dyn InputHandler + 'h>) -> Self {
        let settings = Settings { max_rounds: DEFAULT_MAX_ROUNDS, one_at_a_time: false, input_timeout: None };
        Self { start, handler, spent: Duration::ZERO, settings }
    }

    /// Goes on after the first round, which took so long.
    pub(crate) fn of_round(
        asked: Continuation<M>,
        handler: Box<dyn InputHandler + 'h>,
        spent: Duration,
    ) -> Self {
        Self { spent, ..Self::new(Start::Asked(asked), handler) }
    }

    pub(crate) fn of_call(call: Call<M>, handler: Box<dyn InputHandler + 'h>) -> Self {
        Self::new(Start::Call(Box::new(call)), handler)
    }

    /// For how many rounds it is driven at most (default: 10). Looked at before anybody is asked: with a limit of N the handler is
    /// asked in N rounds at most, and what is asked then is handed back. Rounds in which nothing is asked count.
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.settings.max_rounds = rounds;
        self
    }

    /// Asks for one thing after the other, in the order of the server. By default the requests of a round are given to the
    /// handler at once, 16 at most.
    pub fn one_at_a_time(mut self) -> Self {
        self.settings.one_at_a_time = true;
        self
    }

    /// How long the answers of one round may take (default: no limit). When it is over, the call is handed back.
    pub fn input_timeout(mut self, timeout: Duration) -> Self {
        self.settings.input_timeout = Some(timeout);
        self
    }

    async fn run(self) -> Result<M::Outcome, CallError> {
        let Self { start, handler, mut spent, settings } = self;
        let kinds = handler.kinds();
        let mut ended = match start {
            Start::Call(call) => timed(&mut spent, call.first_round()).await?,
            Start::Asked(asked) => Ended::Asked(asked),
        };
        let mut asked = 0;
        loop {
            let mut waiting = match ended {
                Ended::Done(outcome) => return Ok(outcome),
                Ended::Asked(waiting) => waiting,
            };
            // Nobody's work is to be in vain.
            if let Err(refusal) = waiting.state.check_doubt() {
                return Err(waiting.refused(refusal));
            }
            let handle = waiting.state.spec.cancel.clone();
            let stop = if asked == settings.max_rounds {
                Err(DriveStop::MaxRounds { asked })
            } else {
                asked += 1;
                select! {
                    biased;
                    () = cancelled(handle.as_ref()) => {
                        // Ends at its beginning: nothing is sent.
                        return waiting.send().await.map(Ended::into_outcome);
                    }
                    answered = round::ask(&mut waiting, &*handler, kinds, settings) => answered,
                }
            };
            if let Err(stop) = stop {
                waiting.state.stopped = Some(stop);
                waiting.state.spec.spent = Duration::ZERO;
                return Ok(Ended::Asked(waiting).into_outcome());
            }
            waiting.state.spec.spent = spent;
            ended = timed(&mut spent, waiting.go_on()).await?;
        }
    }
}

/// Adds the time that an exchange takes.
async fn timed<T>(spent: &mut Duration, exchange: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let ended = exchange.await;
    *spent = spent.saturating_add(began.elapsed());
    ended
}

impl<'h, M: MultiRound> IntoFuture for Drive<'h, M> {
    type Output = Result<M::Outcome, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'h>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M: MultiRound> fmt::Debug for Drive<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Drive");
        match &self.start {
            Start::Call(call) => shown.field("call", call),
            Start::Asked(asked) => shown.field("asked", asked),
        };
        shown.field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
