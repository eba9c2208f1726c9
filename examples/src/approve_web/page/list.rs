//! The first page: what waits, and a call to begin with.

use axum::response::Html;
use maud::html;
use mcp_client::StoredCall;

use super::{
    super::desk::{DEMOS, Desk, Offer},
    ago, text, whole,
};

/// What is wrong with a call that was to be started, and what was entered.
pub(in super::super) struct NotStarted<'a> {
    pub(in super::super) why: &'a str,
    pub(in super::super) entered: Offer,
}

pub(in super::super) fn list(
    desk: &Desk,
    waiting: &[StoredCall],
    wrong: Option<&NotStarted<'_>>,
) -> Html<String> {
    let why = wrong.map(|wrong| wrong.why);
    let offer = wrong.map_or(desk.offer(), |wrong| &wrong.entered);
    let content = html! {
        h1 { "Calls that wait for you" }
        @if waiting.is_empty() {
            p { "Nothing waits. A call that needs a person will stand here until it is answered." }
        } @else {
            ul .calls {
                @for call in waiting {
                    li {
                        a href={ "/calls/" (call.id()) } { (text(call.target())) }
                        " asked " (ago(call.created()))
                        span .server { " " (text(call.server())) }
                    }
                }
            }
        }
        section .start aria-labelledby="start-title" {
            h2 #start-title { "Start a call" }
            p { "Server: " (text(desk.server())) }
            form method="post" action="/calls" {
                @if desk.is_kitchen() {
                    div .field {
                        label for="demo" { "What the Test Kitchen shall do" }
                        select #demo name="demo" {
                            @for (number, demo) in DEMOS.iter().enumerate() {
                                option value=(number) { (demo.what) }
                            }
                        }
                    }
                } @else {
                    div .field {
                        label for="tool" { "Tool" }
                        input #tool type="text" name="tool" value=(offer.tool) required autocomplete="off";
                    }
                    div .field {
                        label for="arguments" { "Arguments, as a JSON object" }
                        @if let Some(why) = why { p .error #arguments-error { span .unseen { "Error: " } (why) } }
                        textarea #arguments name="arguments" rows="4" spellcheck="false" dir="ltr"
                            aria-invalid=[why.map(|_| "true")] aria-describedby=[why.map(|_| "arguments-error")] {
                            "\n" (offer.arguments)
                        }
                    }
                }
                p .buttons { button type="submit" .primary { "Start the call" } }
            }
        }
    };
    whole(if why.is_some() { "Error: calls that wait for you" } else { "Calls that wait for you" }, &content)
}
