//! Text from a server, made fit for a terminal.

/// Prints a line. Whoever reads may have had enough (`| head`): that is no failure of the call.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($part)*);
    }};
}

pub(crate) use say;

/// What could steer the terminal, or turn the reading direction round, is replaced; lines stay.
pub(crate) fn printable(text: &str) -> String {
    replaced(text, |c| steers(c) && c != '\n' && c != '\t')
}

/// The same on one line.
pub(crate) fn one_line(text: &str) -> String {
    replaced(text, |c| steers(c) || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// The same where nothing may look like a link: terminals make addresses clickable, and what a form says is not to be opened.
pub(crate) fn unlinked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(':') {
        let (before, from) = rest.split_at(at);
        // What follows a scheme that opens something, with or without slashes.
        let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let opens = from.starts_with("://") || scheme.eq_ignore_ascii_case("mailto");
        shown.push_str(before);
        shown.push_str(if opens { "[:]" } else { ":" });
        rest = from.strip_prefix(':').unwrap_or_default();
    }
    shown.push_str(rest);
    without_www(&shown)
}

/// Some terminals take these for addresses, too.
fn without_www(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dot) = rest.find('.') {
        let (before, from) = rest.split_at(dot);
        let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        shown.push_str(before);
        shown.push_str(if word.eq_ignore_ascii_case("www") { "[.]" } else { "." });
        rest = from.strip_prefix('.').unwrap_or_default();
    }
    shown.push_str(rest);
    shown
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn replaced(text: &str, bad: impl Fn(char) -> bool) -> String {
    text.chars().map(|c| if bad(c) { '\u{FFFD}' } else { c }).collect()
}

/// The first so many characters.
pub(crate) fn cut(text: &str, chars: usize) -> &str {
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
        assert_eq!(printable("to \u{202E}moc.elpmaxe"), "to \u{FFFD}moc.elpmaxe");
    }

    #[test]
    fn nothing_looks_like_a_link() {
        for (text, shown) in [
            ("see https://example.com/a:b", "see https[:]//example.com/a:b"),
            ("HTTP://a ftp://b x://c", "HTTP[:]//a ftp[:]//b x[:]//c"),
            ("write to mailto:me@example.com", "write to mailto[:]me@example.com"),
            ("(www.example.com) WWW.x", "(www[.]example.com) WWW[.]x"),
            ("at 10:30: done. v1.2", "at 10:30: done. v1.2"),
            ("", ""),
            (":", ":"),
            ("://", "[:]//"),
        ] {
            assert_eq!(unlinked(text), shown);
        }
    }
}
