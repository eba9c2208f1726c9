//! Plays the person: reads what is on the terminal, and types.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// No text may be waited for longer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const ENTER: &str = "\r";
pub(crate) const DOWN: &str = "\u{1b}[B";
pub(crate) const ESC: &str = "\u{1b}";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const BACKSPACE: &str = "\u{7f}";

#[derive(Default)]
struct Screen {
    text: Mutex<(String, bool)>,
    changed: Condvar,
}

/// A program on a terminal of 300 columns.
pub(crate) struct Person {
    child: Child,
    keyboard: File,
    screen: Arc<Screen>,
    reader: Option<JoinHandle<()>>,
    /// How much of the screen was read.
    read: usize,
}

impl Person {
    /// Starts a program with nothing of this process's environment that could change what it does.
    pub(crate) fn start(program: &str, words: &[&str]) -> Self {
        let size = nix::pty::Winsize { ws_row: 60, ws_col: 300, ws_xpixel: 0, ws_ypixel: 0 };
        let terminal = nix::pty::openpty(&size, None).unwrap();
        let slave = || Stdio::from(terminal.slave.try_clone().unwrap());
        let mut command = Command::new(program);
        command.args(words).stdin(slave()).stdout(slave()).stderr(slave()).env("TERM", "xterm");
        for variable in
            ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "RUST_LOG", "RUST_BACKTRACE", "NO_COLOR"]
        {
            command.env_remove(variable);
        }
        let child = command.spawn().unwrap();
        // These hold the terminal open.
        drop(command);
        drop(terminal.slave);
        let keyboard = File::from(terminal.master);
        let screen = Arc::new(Screen::default());
        let (mut from, to) = (keyboard.try_clone().unwrap(), Arc::clone(&screen));
        let reader = std::thread::spawn(move || {
            let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
            // The end of a terminal is an error.
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..count]);
                to.text.lock().unwrap().0 = plain(&String::from_utf8_lossy(&bytes));
                to.changed.notify_all();
            }
            to.text.lock().unwrap().1 = true;
            to.changed.notify_all();
        });
        Self { child, keyboard, screen, reader: Some(reader), read: 0 }
    }

    /// Waits until the text is on the screen, after what was waited for before.
    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) -> &mut Self {
        let started = Instant::now();
        let mut shown = self.screen.text.lock().unwrap();
        loop {
            if let Some(at) = shown.0.get(self.read..).and_then(|new| new.find(text)) {
                self.read += at + text.len();
                break;
            }
            let left = PATIENCE.checked_sub(started.elapsed());
            let (Some(left), false) = (left, shown.1) else {
                panic!(
                    "{text:?} never came after {:?} in {:?}",
                    &shown.0[..self.read],
                    &shown.0[self.read..]
                );
            };
            shown = self.screen.changed.wait_timeout(shown, left).unwrap().0;
        }
        drop(shown);
        self
    }

    pub(crate) fn types(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the terminal shows what is typed, as it does where no prompt has taken it over.
    pub(crate) fn echoes(&self) -> bool {
        use nix::sys::termios::{LocalFlags, tcgetattr};
        tcgetattr(&self.keyboard).unwrap().local_flags.contains(LocalFlags::ECHO | LocalFlags::ICANON)
    }

    /// Waits until it was killed.
    pub(crate) fn is_gone(&mut self) {
        assert!(!self.child.wait().unwrap().success());
        self.reader.take().unwrap().join().unwrap();
    }

    /// Waits for the end: the exit code, and all that was shown.
    #[track_caller]
    pub(crate) fn ends(&mut self) -> (i32, String) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("it did not end: {:?}", self.screen.text.lock().unwrap().0);
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        self.reader.take().unwrap().join().unwrap();
        let shown = self.screen.text.lock().unwrap().0.clone();
        (status.code().unwrap_or_else(|| panic!("it ended by a signal: {status}")), shown)
    }
}

/// What is shown, without what moves the cursor and changes colours.
fn plain(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(sequence) = rest.strip_prefix('[') {
            let end = sequence
                .find(|c: char| ('\u{40}'..='\u{7e}').contains(&c))
                .map_or(sequence.len(), |end| end + 1);
            rest = &sequence[end..];
        }
    }
    shown + rest
}
