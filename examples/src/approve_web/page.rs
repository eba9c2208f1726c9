//! What a person sees. All text of servers is escaped, and set apart from the page's own words.

mod call;
mod ended;
mod form;
mod link;
mod list;

use maud::{DOCTYPE, Markup, html};

pub(super) use self::{
    call::{Refused, call},
    ended::ended,
    list::{NotStarted, list},
};

pub(super) const STYLE: &str = include_str!("page/style.css");

/// A whole page. The title says first what the page is about, and that something is wrong where it is.
fn whole(title: &str, content: &Markup) -> axum::response::Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (title) " – approve-web" }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="stylesheet" href="/style.css";
            }
            body {
                header { nav { a href="/" { "Calls that wait for you" } } }
                main { (content) }
            }
        }
    };
    axum::response::Html(page.into_string())
}

/// A page that says one thing.
pub(super) fn notice(title: &str, text: &str, link: Option<(&str, &str)>) -> axum::response::Html<String> {
    let content = html! {
        h1 { (title) }
        p { (text) }
        @if let Some((target, name)) = link { p { a href=(target) { (name) } } }
    };
    whole(title, &content)
}

/// Which server, which tool.
fn facts(server: &str, tool: &str, more: &[(&str, String)]) -> Markup {
    html! {
        dl .facts {
            div { dt { "Server" } dd { (text(server)) } }
            div { dt { "Tool" } dd { (text(tool)) } }
            @for (name, value) in more { div { dt { (name) } dd { (value) } } }
        }
    }
}

/// A text of the server, in a line of the page: whatever its direction, it cannot turn what stands beside it.
fn text(text: &str) -> Markup {
    html! { bdi { (text) } }
}

/// What the server says, as such.
fn said(words: &str) -> Markup {
    html! {
        div .said {
            p .by { "The server says:" }
            p .words dir="auto" { (words) }
        }
    }
}

/// So long ago.
fn ago(then: std::time::SystemTime) -> String {
    let seconds = then.elapsed().unwrap_or_default().as_secs();
    let (count, unit) = match seconds {
        0..60 => return "less than a minute ago".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}
