//! How a call ended.

use axum::response::Html;
use maud::{Markup, html};
use mcp_client::Delivery;

use super::{
    super::notes::{Failure, Note},
    facts, text, whole,
};

/// A call that has ended.
pub(in super::super) fn ended(note: &Note) -> Html<String> {
    let (title, tool, content) = match note {
        Note::Result { server, tool, texts, is_error } => {
            let title = if *is_error { "The tool reported an error" } else { "Done" };
            let content = html! {
                (facts(server, tool, &[]))
                @if *is_error { p { "The answer came, and the tool says that it failed:" } }
                @else { p { "The tool's result:" } }
                @for text in texts { pre .result tabindex="0" role="region" aria-label="Result" dir="auto" { (text) } }
                @if texts.is_empty() { p { "It has no content." } }
            };
            (title, tool, content)
        }
        Note::Failure { server, tool, failure: failed } => {
            let content = html! { (facts(server, tool, &[])) (failure(failed)) };
            ("The call failed", tool, content)
        }
    };
    let content = html! {
        h1 { (title) }
        (content)
        p { a href="/" { "Back to the calls that wait" } }
    };
    whole(&format!("{title}: {tool}"), &content)
}

/// Which layer spoke, what it said, and whether the work may have been done.
pub(super) fn failure(failure: &Failure) -> Markup {
    html! {
        p { strong { "The " (failure.layer) " layer says: " } (text(&failure.message)) }
        @if let Some(said) = &failure.said { (super::said(said)) }
        p { (done(failure.delivery)) }
    }
}

fn done(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::NotSent => "The request was not sent, so nothing was done.",
        Delivery::Refused => "The request was refused, so nothing was done.",
        Delivery::Unknown => "The request may have been carried out: the work may have been done.",
        Delivery::Answered => "The request was answered: the server has decided.",
    }
}
