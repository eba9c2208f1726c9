//! A person at a terminal answers what servers ask for.
//!
//! All that comes from the server is shown as plain text that cannot steer the terminal. The prompts are `inquire`'s.

mod field;
mod form;
mod link;
mod prompt;
mod raw;
mod show;

use std::{
    io::{IsTerminal as _, stderr, stdin},
    sync::Arc,
};

use mcp_client::{
    CancelHandle, ElicitAnswer, ElicitForm, ElicitLink, InputContext, InputError, InputHandler, InputKinds,
    async_trait,
};
use tokio::sync::{Mutex, oneshot};

use self::prompt::{Ended, Open};

/// Answers forms and links by asking the person at the terminal, one question after the other.
///
/// Esc cancels, and declining is always offered. Ctrl-C answers nothing: the call is handed back, or cancelled with
/// [`cancel_with`](Self::cancel_with). Where standard input or standard error is no terminal, the question is shown and the
/// call handed back ([`InputError::Later`]).
#[derive(Debug)]
pub struct TerminalHandler {
    interactive: bool,
    /// Two questions at once would mix their keys.
    turn: Arc<Mutex<()>>,
    stop: Option<CancelHandle>,
}

impl TerminalHandler {
    /// Asks on this process's terminal, if it has one.
    pub fn new() -> Self {
        let interactive = stdin().is_terminal() && stderr().is_terminal();
        Self { interactive, turn: Arc::default(), stop: None }
    }

    /// Lets Ctrl-C cancel the call. While a question is open the terminal sends it as a key, not as a signal.
    #[must_use]
    pub fn cancel_with(mut self, stop: &CancelHandle) -> Self {
        self.stop = Some(stop.clone());
        self
    }

    /// Whether there is a terminal to ask on.
    pub fn is_interactive(&self) -> bool {
        self.interactive
    }

    async fn ask(
        &self,
        cx: &InputContext,
        shown: String,
        question: impl FnOnce() -> Result<ElicitAnswer, Ended> + Send + 'static,
    ) -> Result<ElicitAnswer, InputError> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        eprint!("{}{shown}", show::who_asks(cx));
        if !self.interactive {
            return Err(InputError::Later);
        }
        let (tell, told) = oneshot::channel();
        // A thread of its own: nobody has to wait for it when the call ends before the answer. It keeps its turn, since a key
        // that was meant for it must not answer the next question.
        let open = Open::new();
        std::thread::Builder::new().name("question".to_owned()).spawn(move || {
            let answer = question();
            drop(turn);
            tell.send(answer)
        })?;
        let answer = told.await;
        open.close();
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Ended::Failed(error))) => Err(error.into()),
            Ok(Err(Ended::Interrupted)) => {
                if let Some(stop) = &self.stop {
                    stop.cancel("interrupted");
                    // The call ends now, and this question with it.
                    std::future::pending::<()>().await;
                }
                Err(InputError::Later)
            }
            Err(_) => Err(InputError::Failed("the question was not asked to its end".into())),
        }
    }
}

impl Default for TerminalHandler {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl InputHandler for TerminalHandler {
    fn kinds(&self) -> InputKinds {
        InputKinds::FORM | InputKinds::URL
    }

    async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        self.ask(cx, show::form(&form), move || form::ask(&form)).await
    }

    async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        self.ask(cx, show::link(&link), move || link::ask(&link)).await
    }
}
