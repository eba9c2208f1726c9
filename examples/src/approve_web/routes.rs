//! The addresses of the page.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    http::{StatusCode, header},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use mcp_client::{StoreError, types::RawJson};

use super::{
    desk::{Desk, Offer, Taken},
    guard::{self, Guard, MAX_FORM},
    page::{self, NotStarted, Refused},
    sent::Sent,
};
use crate::mcp_call::json::message;

type Shared = State<Arc<Desk>>;

pub(super) fn app(desk: Arc<Desk>, guard: Guard) -> Router {
    Router::new()
        .route("/", get(list))
        .route("/style.css", get(style))
        .route("/calls", post(start))
        .route("/calls/{id}", get(look).post(answer))
        .route("/calls/{id}/resume", post(go_on))
        .route("/calls/{id}/forget", post(forget))
        .fallback(nowhere)
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .with_state(desk)
}

/// The store failed. Nothing can be done from here.
struct Failed(StoreError);

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        eprintln!("approve-web: {}", message(&self.0));
        let text = "The calls that wait could not be read or written. The program's own output says why.";
        (StatusCode::INTERNAL_SERVER_ERROR, page::notice("The store failed", text, HOME)).into_response()
    }
}

const HOME: Option<(&str, &str)> = Some(("/", "Back to the calls that wait"));

async fn list(State(desk): Shared) -> Result<Response, Failed> {
    Ok(page::list(&desk, &desk.waiting().await?, None).into_response())
}

async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], page::STYLE)
}

async fn nowhere() -> Response {
    (StatusCode::NOT_FOUND, page::notice("There is no such page", "", HOME)).into_response()
}

async fn start(State(desk): Shared, body: Bytes) -> Result<Response, Failed> {
    let sent = Sent::read(&body);
    let offer = match sent.number("demo") {
        Some(demo) if desk.is_kitchen() => desk.choose(demo),
        _ => Some(Offer {
            tool: sent.one("tool").unwrap_or_default().to_owned(),
            arguments: sent.one("arguments").unwrap_or_default().to_owned(),
        }),
    };
    let Some(offer) = offer else { return Ok(nonsense()) };
    let arguments = RawJson::from_text(offer.arguments.trim().to_owned());
    match arguments {
        Ok(arguments) if arguments.is_object() => Ok(see(&desk.start(offer.tool, arguments).await?)),
        _ => {
            let wrong = NotStarted { why: "The arguments must be a JSON object", entered: offer };
            let page = page::list(&desk, &desk.waiting().await?, Some(&wrong));
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
    }
}

/// What is known of a call: its question, that it runs, or how it ended.
async fn look(State(desk): Shared, Path(id): Path<String>) -> Result<Response, Failed> {
    let note = desk.note(&id);
    if desk.is_running(&id) {
        return Ok(running(&id));
    }
    Ok(match (desk.look(&id).await?, note) {
        (Some(waiting), note) => page::call(&waiting, note.as_deref(), None).into_response(),
        (None, Some(note)) => page::ended(&note).into_response(),
        (None, None) => gone(),
    })
}

async fn answer(State(desk): Shared, Path(id): Path<String>, body: Bytes) -> Result<Response, Failed> {
    let sent = Sent::read(&body);
    let taken = desk.answer(&id, &sent).await?;
    Ok(told(&desk, &id, &sent, taken))
}

async fn go_on(State(desk): Shared, Path(id): Path<String>, body: Bytes) -> Result<Response, Failed> {
    let sent = Sent::read(&body);
    let taken = desk.go_on(&id, &sent).await?;
    Ok(told(&desk, &id, &sent, taken))
}

async fn forget(State(desk): Shared, Path(id): Path<String>) -> Result<Response, Failed> {
    Ok(if desk.forget(&id).await? { Redirect::to("/").into_response() } else { gone() })
}

fn told(desk: &Desk, id: &str, sent: &Sent, taken: Taken) -> Response {
    let there = format!("/calls/{id}");
    let conflict = |title: &str, text: &str| {
        let page = page::notice(title, text, Some((&there, "See how it stands")));
        (StatusCode::CONFLICT, page).into_response()
    };
    match taken {
        Taken::Look => see(id),
        Taken::Refused { waiting, request, wrong } => {
            let refused = Refused { request, sent, wrong };
            let page = page::call(&waiting, desk.note(id).as_deref(), Some(&refused));
            (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
        }
        // Answered a moment ago, as far as is remembered.
        Taken::Gone if desk.note(id).is_some() => already(&conflict),
        Taken::Gone => gone(),
        Taken::Already => already(&conflict),
        Taken::Changed => conflict(
            "This question is no longer asked",
            "The call has gone on since this form was loaded. Nothing was sent now.",
        ),
        Taken::NotAgreed => conflict(
            "Nothing was sent",
            "The work may have been done already. Tick the box if it may be done twice.",
        ),
        Taken::Nonsense => nonsense(),
    }
}

fn already(conflict: &dyn Fn(&str, &str) -> Response) -> Response {
    conflict("This was answered already", "An answer was taken before this one. Nothing was sent now.")
}

fn see(id: &str) -> Response {
    Redirect::to(&format!("/calls/{id}")).into_response()
}

fn running(id: &str) -> Response {
    let there = format!("/calls/{id}");
    page::notice("The server is working on it", "The answer was sent.", Some((&there, "Look again")))
        .into_response()
}

fn gone() -> Response {
    let text = "It was answered, forgotten, or has expired.";
    (StatusCode::NOT_FOUND, page::notice("This call does not wait", text, HOME)).into_response()
}

fn nonsense() -> Response {
    let text = "That cannot have come from a form of this page.";
    (StatusCode::BAD_REQUEST, page::notice("Not understood", text, HOME)).into_response()
}
