//! What is shown before a person is asked: who asks, for which call, and what the server says.

use std::fmt::Write as _;

use mcp_client::{ElicitForm, ElicitLink, FieldKind, FormField, InputContext, types::StringFormat};

use crate::text::{cut, one_line, printable, unlinked};

/// How much of a text is shown, in characters.
const MAX_SHOWN: usize = 4_000;
/// How much of a name or label is shown, in characters.
const MAX_LABEL: usize = 200;

/// A server's name or label, on one line.
pub(super) fn label(text: &str) -> String {
    unlinked(&one_line(&shortened(text, MAX_LABEL)))
}

/// A server's text, which may have lines.
fn text(text: &str) -> String {
    unlinked(&printable(&shortened(text, MAX_SHOWN)))
}

/// Says so where it is not the whole text.
fn shortened(text: &str, max: usize) -> String {
    let shown = cut(text, max);
    if shown.len() == text.len() { shown.to_owned() } else { format!("{shown} […]") }
}

/// Which server asks, and for which call.
pub(super) fn who_asks(cx: &InputContext) -> String {
    let name =
        cx.server_name().map(|name| format!(", which calls itself \"{}\"", label(name))).unwrap_or_default();
    let what = match cx.method() {
        "resources/read" => "the resource",
        "prompts/get" => "the prompt",
        _ => "the tool",
    };
    let round = if cx.round() > 1 { format!(" (round {})", cx.round()) } else { String::new() };
    format!(
        "\nA server asks for your input{round}.\n  server: {}{name}\n  for {what}: {}\n",
        one_line(cut(cx.server(), MAX_LABEL)),
        label(cx.target()),
    )
}

fn message(message: &str) -> String {
    let mut shown = "  it says:\n".to_owned();
    for line in text(message).lines() {
        let _ = writeln!(shown, "    {line}");
    }
    shown
}

/// The message of a form, and what it asks for.
pub(super) fn form(form: &ElicitForm) -> String {
    let mut shown = message(form.message());
    if let Some(why) = form.unsupported() {
        let _ = writeln!(
            shown,
            "  it is no form that can be filled in field by field: {}",
            one_line(&why.to_string())
        );
        let _ = writeln!(
            shown,
            "  its schema: {}",
            unlinked(&one_line(&shortened(form.schema().get(), MAX_SHOWN)))
        );
        return shown;
    }
    if !form.fields().is_empty() {
        let fields: Vec<String> = form.fields().iter().map(|field| label(field.label())).collect();
        let _ = writeln!(shown, "  it asks for: {}", shortened(&fields.join(", "), MAX_SHOWN));
    }
    shown
}

/// The message of a link, the whole address, and the host on a line of its own.
pub(super) fn link(link: &ElicitLink) -> String {
    let mut shown = message(link.message());
    let _ = writeln!(
        shown,
        "  it wants you to open this page:\n    {}\n  on the host:\n    {}",
        link.as_str(),
        link.host()
    );
    if let Some(unicode) = link.unicode_host() {
        let _ = writeln!(shown, "  in the letters of its language: {}", one_line(&unicode));
    }
    for warning in link.warnings() {
        let _ = writeln!(shown, "  warning: {warning}");
    }
    shown
}

/// What helps to fill in a field: what the server says of it, and its rules.
pub(super) fn help(field: &FormField) -> String {
    let mut parts = Vec::new();
    parts.extend(field.description().map(label).filter(|text| !text.is_empty()));
    parts.extend(format(field.kind()));
    parts.extend(rules(field.kind()));
    if !field.is_required() {
        parts.push("may be left empty".to_owned());
    }
    parts.push("Esc cancels".to_owned());
    parts.join("; ")
}

fn format(kind: &FieldKind) -> Option<String> {
    let FieldKind::Text { format: Some(format), .. } = kind else { return None };
    let shown = match format {
        StringFormat::Email => "an email address",
        StringFormat::Uri => "a full address",
        StringFormat::Date => "a date such as 2026-07-28",
        StringFormat::DateTime => "a date and time such as 2026-07-28T14:30:00Z",
        _ => return None,
    };
    Some(shown.to_owned())
}

fn rules(kind: &FieldKind) -> Option<String> {
    let between = |least: Option<String>, most: Option<String>, unit: &str| match (least, most) {
        (None, None) => None,
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
    };
    let text = |value: &Option<u64>| value.map(|value| value.to_string());
    match kind {
        FieldKind::Text { min_length, max_length, .. } => {
            between(text(min_length), text(max_length), " characters")
        }
        FieldKind::Number { minimum, maximum } | FieldKind::Integer { minimum, maximum } => {
            let number = |value: &Option<serde_json::Number>| value.as_ref().map(ToString::to_string);
            between(number(minimum), number(maximum), "")
        }
        FieldKind::MultiSelect { min_items, max_items, .. } => {
            between(text(min_items), text(max_items), " choices")
        }
        _ => None,
    }
}
