//! Prompts, how they end, and what is left of one that is given up.

use std::fmt;

use inquire::{InquireError, Select};

/// Why a question has no answer.
pub(super) enum Ended {
    /// Ctrl-C.
    Interrupted,
    /// The terminal failed.
    Failed(InquireError),
}

/// What a prompt ended in; `None` is Esc.
pub(super) type Prompted<T> = Result<Option<T>, Ended>;

/// Sorts the ends of a prompt.
pub(super) fn prompted<T>(answer: Result<T, InquireError>) -> Prompted<T> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled) => Ok(None),
        Err(InquireError::OperationInterrupted) => Err(Ended::Interrupted),
        Err(error) => Err(Ended::Failed(error)),
    }
}

/// Lets the person choose what to do.
pub(super) fn choose<T: fmt::Display>(what: &str, choices: Vec<T>) -> Prompted<T> {
    prompted(
        Select::new(what, choices).with_help_message("↑ ↓ to move, Enter to choose, Esc to cancel").prompt(),
    )
}

/// An open question. If nobody waits for its answer any more, the terminal is given back as it was.
pub(super) struct Open(bool);

impl Open {
    pub(super) fn new() -> Self {
        Self(true)
    }

    pub(super) fn close(mut self) {
        self.0 = false;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.0 {
            // Whatever cannot be set back now cannot be told either.
            let _ = crossterm::terminal::disable_raw_mode();
            let _ = crossterm::execute!(
                std::io::stderr(),
                crossterm::event::DisableBracketedPaste,
                crossterm::cursor::Show
            );
            eprintln!("\nThe question is no longer open.");
        }
    }
}
