//! A call that waits: who asks, what is asked, and how it can go on.

use axum::response::Html;
use maud::{Markup, html};
use mcp_client::{
    Continuation, ElicitForm, LinkFault,
    types::{ElicitAction, ElicitRequestParams, InputRequest},
};

use super::{
    super::{desk::Waiting, filled::Wrong, notes::Note, sent::Sent},
    ago, ended, facts,
    form::{self, State},
    link, said, text, whole,
};

/// An answer that was not taken: to which request, what was sent, and what is wrong with it.
pub(in super::super) struct Refused<'a> {
    pub(in super::super) request: usize,
    pub(in super::super) sent: &'a Sent,
    pub(in super::super) wrong: Wrong,
}

/// The page of a call that waits.
pub(in super::super) fn call(
    waiting: &Waiting,
    note: Option<&Note>,
    refused: Option<&Refused<'_>>,
) -> Html<String> {
    let (stored, asked) = (&waiting.stored, &waiting.asked);
    let mut more = vec![("Asked", ago(stored.created()))];
    if asked.rounds() > 1 {
        more.push(("Round", asked.rounds().to_string()));
    }
    let count = asked.requests().len();
    let ready = asked.unanswered().next().is_none();
    let content = html! {
        @if let Some(refused) = refused { (summary(asked, refused)) }
        h1 { (text(stored.target())) " asks for input" }
        (facts(stored.server(), stored.target(), &more))
        @if let Some(Note::Failure { failure, .. }) = note {
            section .trouble aria-labelledby="trouble-title" {
                h2 #trouble-title { "The last attempt failed" }
                (ended::failure(failure))
                p { "The call is kept, with your answers." }
            }
        } @else if asked.may_have_run() {
            section .trouble aria-labelledby="trouble-title" {
                h2 #trouble-title { "How the last attempt ended is not known" }
                p { "This program was ended, or is still waiting, while the answer was on its way to the server. The work may have been done." }
            }
        }
        @if count > 1 && !ready { p { "The server gets the answers together, when all questions are answered." } }
        @for (index, (key, request)) in asked.requests().iter().enumerate() {
            section .request aria-labelledby={ "r" (index) "-title" } {
                h2 #{ "r" (index) "-title" } {
                    @if count > 1 { "Question " (index + 1) " of " (count) } @else { "Question" }
                }
                (Question { waiting, index, key, request, refused: refused.filter(|refused| refused.request == index) }.markup())
            }
        }
        @if ready { (go_on(waiting)) }
        (forget(waiting))
    };
    let error = if refused.is_some() { "Error: " } else { "" };
    whole(&format!("{error}{} asks for input", stored.target()), &content)
}

fn summary(asked: &Continuation, refused: &Refused<'_>) -> Markup {
    let form = asked.requests().iter().nth(refused.request).and_then(|(key, _)| asked.form(key));
    html! {
        @if let Some(form) = form { (form::summary(&form, &prefix(refused.request), &refused.wrong)) }
    }
}

fn prefix(index: usize) -> String {
    format!("r{index}")
}

/// One request of the round.
struct Question<'a> {
    waiting: &'a Waiting,
    index: usize,
    key: &'a str,
    request: &'a InputRequest,
    refused: Option<&'a Refused<'a>>,
}

impl Question<'_> {
    fn markup(&self) -> Markup {
        let asked = &self.waiting.asked;
        if let Some(action) = self.waiting.answer_to(self.key) {
            return self.answered(&action);
        }
        if !asked.is_declared(self.key) {
            let what = self.request.method().unwrap_or("an unknown request");
            return html! {
                p { "The server asks for something that it was not offered (" (text(what)) "). It cannot be answered." }
            };
        }
        match (asked.form(self.key), asked.link(self.key)) {
            (Some(form), _) => self.form(&form),
            (_, Some(Ok(link))) => self
                .answer(&html! { (said(link.message())) (link::before(&link)) }, Some("I agree to open it")),
            (_, Some(Err(fault))) => self.answer(&self.no_link(fault), None),
            // Only forms and links are declared.
            (None, None) => html! { p { "This cannot be answered here." } },
        }
    }

    /// A link that cannot be agreed to.
    fn no_link(&self, fault: LinkFault) -> Markup {
        let params = match self.request {
            InputRequest::Elicit(elicit) => Some(&elicit.params),
            _ => None,
        };
        html! {
            @if let Some(params) = params { (said(params.message())) }
            p .warning { "The server wants something to be opened that must not be: " (fault) "." }
            @if let Some(ElicitRequestParams::Url(link)) = params { p .address dir="ltr" { (text(&link.url)) } }
        }
    }

    fn form(&self, form: &ElicitForm) -> Markup {
        let state = State {
            sent: self.refused.map(|refused| refused.sent),
            wrong: self.refused.map(|refused| &refused.wrong),
        };
        let fields = form::fields(form, &prefix(self.index), state);
        let accept = if form.fields().is_empty() { "Accept" } else { "Send answer" };
        self.answer(&html! { (said(form.message())) (fields) }, Some(accept))
    }

    /// The form of the page around a question.
    fn answer(&self, content: &Markup, accept: Option<&str>) -> Markup {
        html! {
            // Errors are told by the page itself, all at once and next to their fields.
            form method="post" action={ "/calls/" (self.waiting.stored.id()) } novalidate {
                input type="hidden" name="request" value=(self.index);
                input type="hidden" name="round" value=(self.waiting.asked.rounds());
                (content)
                p .buttons {
                    @if let Some(accept) = accept {
                        button type="submit" name="action" value="accept" .primary { (accept) }
                    }
                    button type="submit" name="action" value="decline" aria-describedby={ "r" (self.index) "-ways" } { "Decline" }
                    button type="submit" name="action" value="cancel" aria-describedby={ "r" (self.index) "-ways" } { "Cancel" }
                }
                p .hint #{ "r" (self.index) "-ways" } {
                    "Decline tells the server no. Cancel tells it that you did not decide. Both end this question."
                }
            }
        }
    }

    fn answered(&self, action: &ElicitAction) -> Markup {
        let asked = &self.waiting.asked;
        let message = match self.request {
            InputRequest::Elicit(elicit) => elicit.params.message(),
            _ => "",
        };
        html! {
            (said(message))
            @match (action, asked.link(self.key)) {
                (ElicitAction::Accept, Some(Ok(link))) => (link::after(&link)),
                (ElicitAction::Accept, _) => p { "Answered." },
                (ElicitAction::Decline, _) => p { "Declined." },
                _ => p { "Cancelled." },
            }
        }
    }
}

/// Everything is answered: the call can be sent.
fn go_on(waiting: &Waiting) -> Markup {
    let asked = &waiting.asked;
    let opened = asked.requests().iter().any(|(key, _)| asked.link(key).is_some());
    let doubt = asked.may_have_run();
    html! {
        section .request aria-labelledby="go-on-title" {
            h2 #go-on-title { @if doubt { "Do it again?" } @else { "Go on" } }
            form method="post" action={ "/calls/" (waiting.stored.id()) "/resume" } {
                input type="hidden" name="round" value=(asked.rounds());
                @if doubt {
                    p { "If the work was done already, it will be done twice." }
                    div .choice {
                        input #again type="checkbox" name="again" value="yes" required;
                        label for="again" { "Do it again, even if it is done twice" }
                    }
                } @else if opened {
                    p { "When you are done there, let the server go on with the call. It may ask again." }
                }
                p .buttons { button type="submit" .primary { @if doubt { "Do it again" } @else { "Go on with the call" } } }
            }
        }
    }
}

/// What can always be done.
fn forget(waiting: &Waiting) -> Markup {
    html! {
        details .forget {
            summary { "Forget this call" }
            p { "The server is not told. The answers so far are deleted, and the call never goes on." }
            form method="post" action={ "/calls/" (waiting.stored.id()) "/forget" } {
                p .buttons { button type="submit" { "Forget this call" } }
            }
        }
    }
}
