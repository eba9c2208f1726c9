//! Progress and log messages, shown while a call runs: a bar on a terminal, else a line each.

use std::{
    fmt::Write as _,
    io::{IsTerminal as _, stderr},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_client::{LogMessage, Progress};

use crate::text::{cut, one_line};

/// How finely a bar is divided: servers count in fractions, too.
const STEPS: u64 = 1_000;

/// How much of a message or of logged data is shown, in characters.
const MAX_SHOWN_CHARS: usize = 1_000;

/// Who shows it.
#[derive(Clone)]
pub(super) enum Watch {
    Bar(ProgressBar),
    Lines,
}

impl Watch {
    pub(super) fn new() -> Self {
        if stderr().is_terminal() {
            Self::Bar(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
        } else {
            Self::Lines
        }
    }

    pub(super) fn progress(&self, update: &Progress) {
        let done = amount(update);
        let message = update.message.as_deref().map(shown).unwrap_or_default();
        match self {
            Self::Bar(bar) => {
                // It made room for a person's answer.
                if bar.is_finished() {
                    bar.reset();
                }
                let template = match update.fraction() {
                    Some(fraction) => {
                        bar.set_length(STEPS);
                        bar.set_position(steps(fraction));
                        "[{bar:30}] {prefix} {wide_msg}"
                    }
                    None => "{spinner} {prefix} {wide_msg}",
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style.progress_chars("=> "));
                }
                bar.set_prefix(done);
                bar.set_message(message);
                bar.tick();
            }
            Self::Lines if message.is_empty() => eprintln!("progress: {done}"),
            Self::Lines => eprintln!("progress: {done}: {message}"),
        }
    }

    pub(super) fn log(&self, message: &LogMessage) {
        let mut line = format!("log: {}: ", shown(message.level.as_str()));
        if let Some(logger) = &message.logger {
            let _ = write!(line, "{}: ", shown(logger));
        }
        // Text is shown as text, and anything else as JSON.
        match message.data.parse::<String>() {
            Ok(text) => line.push_str(&shown(&text)),
            Err(_) => line.push_str(&shown(message.data.get())),
        }
        match self {
            Self::Bar(bar) => bar.suspend(|| eprintln!("{line}")),
            Self::Lines => eprintln!("{line}"),
        }
    }

    /// Nothing more comes for now: the bar makes room.
    pub(super) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Text from a server must neither steer the terminal nor flood it.
fn shown(text: &str) -> String {
    one_line(cut(text, MAX_SHOWN_CHARS))
}

/// `3 of 10`, in the server's unit.
fn amount(update: &Progress) -> String {
    match update.total {
        Some(total) => format!("{} of {}", number(update.progress), number(total)),
        None => number(update.progress),
    }
}

/// Short, however large it is.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e15).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction is 0 to 1")]
fn steps(fraction: f64) -> u64 {
    (fraction * 1_000.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (3.0, "3"),
            (0.5, "0.5"),
            (-2.0, "-2"),
            (1e300, "1e300"),
            (1e-300, "1e-300"),
            (123_456.75, "123456.75"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!((steps(0.0), steps(0.25), steps(1.0)), (0, 250, STEPS));
    }
}
