//! Text from a server, made fit for a terminal.

/// Prints a line. Whoever reads may have had enough (`| head`): that is no failure of the call.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($part)*);
    }};
}

pub(super) use say;

/// What could steer the terminal is replaced; lines stay.
pub(super) fn printable(text: &str) -> String {
    replaced(text, |c| c.is_control() && c != '\n' && c != '\t')
}

/// The same on one line.
pub(super) fn one_line(text: &str) -> String {
    replaced(text, |c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

fn replaced(text: &str, bad: impl Fn(char) -> bool) -> String {
    text.chars().map(|c| if bad(c) { '\u{FFFD}' } else { c }).collect()
}

/// The first so many characters.
pub(super) fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_characters_and_cannot_steer() {
        assert_eq!((cut("häuser", 2), cut("hä", 2), cut("", 2)), ("hä", "hä", ""));
        assert_eq!(printable("a\u{1b}[0m\n\tb"), "a\u{FFFD}[0m\n\tb");
        assert_eq!(one_line("a\r\nb\u{2028}"), "a\u{FFFD}\u{FFFD}b\u{FFFD}");
    }
}
