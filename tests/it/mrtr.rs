//! Calls that take several rounds, and who answers what is asked in between.

mod declared;
mod roots;
mod rounds;
mod sampling;
mod state;
mod stored;

use std::sync::Mutex;

use mcp_client::{
    CallError, Continuation, DriveStop, ElicitAnswer, ElicitForm, ElicitLink, InputContext, InputError,
    InputHandler, InputKinds, Outcome, ToolOutcome, async_trait,
    types::{CreateMessageRequestParams, CreateMessageResult, ListRootsResult, Root},
};
use serde_json::{Value, json};

use crate::{
    lists::desk::{Asked, Desk},
    stage::Canned,
};

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Why?","requestedSchema":{"type":"object","properties":{"why":{"type":"string"}},"required":["why"]}}}"#;
const LINK: &str = r#"{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://a.example/pay"}}"#;
const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":5}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;
/// A complete result of each of the three methods.
const DONE: &str = r#"{"resultType":"complete","content":[],"contents":[],"messages":[]}"#;

/// Every kind there is.
fn all() -> InputKinds {
    InputKinds::FORM | InputKinds::URL | InputKinds::SAMPLING | InputKinds::ROOTS
}

/// A result that asks for these (keys are JSON texts without quotes), and hands out a state (a JSON text).
fn asks(requests: &[(&str, &str)], state: Option<&str>) -> Canned {
    let mut members = vec![r#""resultType":"input_required""#.to_owned()];
    if !requests.is_empty() {
        let list: Vec<String> = requests.iter().map(|(key, text)| format!(r#""{key}":{text}"#)).collect();
        members.push(format!(r#""inputRequests":{{{}}}"#, list.join(",")));
    }
    members.extend(state.map(|state| format!(r#""requestState":{state}"#)));
    Canned::result(&format!("{{{}}}", members.join(",")))
}

fn done() -> Canned {
    Canned::result(DONE)
}

/// Answers everything as one would wish, and remembers what it was asked.
struct Willing {
    kinds: InputKinds,
    asked: Mutex<Vec<(String, u32)>>,
}

impl Willing {
    fn new(kinds: InputKinds) -> Self {
        Self { kinds, asked: Mutex::default() }
    }

    fn note(&self, cx: &InputContext) {
        self.asked.lock().unwrap().push((cx.key().to_owned(), cx.round()));
    }

    /// The keys that were asked, each with its round.
    fn asked(&self) -> Vec<(String, u32)> {
        self.asked.lock().unwrap().clone()
    }

    fn keys(&self) -> Vec<String> {
        self.asked().into_iter().map(|(key, _)| key).collect()
    }
}

#[async_trait]
impl InputHandler for Willing {
    fn kinds(&self) -> InputKinds {
        self.kinds
    }

    async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        self.note(cx);
        let name = form.fields()[0].name();
        Ok(form.fill_text([(name, format!("{} {}", cx.key(), cx.round()))])?)
    }

    async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
        self.note(cx);
        Ok(link.accept())
    }

    async fn sample(
        &self,
        request: CreateMessageRequestParams,
        cx: &InputContext,
    ) -> Result<CreateMessageResult, InputError> {
        self.note(cx);
        let last = request.messages.len();
        Ok(CreateMessageResult::text("m", format!("answer to {last} messages")))
    }

    async fn roots(&self, cx: &InputContext) -> Result<ListRootsResult, InputError> {
        self.note(cx);
        Ok(ListRootsResult::new([Root::new("file:///home/ada").with_name("home")]))
    }
}

/// Says no: to forms and links in the server's words, to all else in its own.
struct Refusing(InputKinds);

#[async_trait]
impl InputHandler for Refusing {
    fn kinds(&self) -> InputKinds {
        self.0
    }

    async fn form(&self, _: ElicitForm, _: &InputContext) -> Result<ElicitAnswer, InputError> {
        Ok(ElicitAnswer::decline())
    }

    async fn url(&self, _: ElicitLink, _: &InputContext) -> Result<ElicitAnswer, InputError> {
        Ok(ElicitAnswer::cancel())
    }

    async fn sample(
        &self,
        _: CreateMessageRequestParams,
        _: &InputContext,
    ) -> Result<CreateMessageResult, InputError> {
        Err(InputError::Declined)
    }

    async fn roots(&self, _: &InputContext) -> Result<ListRootsResult, InputError> {
        Err(InputError::Declined)
    }
}

/// What a handler says to a form whose words are in the key.
#[track_caller]
fn filled(key: &str, round: u32) -> Value {
    json!({ "action": "accept", "content": { "why": format!("{key} {round}") } })
}

/// The continuation of a tool call that asks for input.
#[track_caller]
fn asked(outcome: Result<ToolOutcome, CallError>) -> Continuation {
    match outcome {
        Ok(ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("no request for input: {other:?}"),
    }
}

/// Why a driven call was stopped, and its continuation.
#[track_caller]
fn stopped(outcome: Result<ToolOutcome, CallError>) -> (Continuation, DriveStop) {
    let asked = asked(outcome);
    let stop = asked.stopped().expect("it says why").clone();
    (asked, stop)
}

/// The ids of all requests so far.
fn ids(desk: &Desk) -> Vec<Value> {
    desk.asked().iter().map(Asked::id).collect()
}

/// One parameter of each request so far; null where there is none.
fn each(desk: &Desk, name: &str) -> Vec<Value> {
    desk.asked().iter().map(|asked| asked.params.get(name).cloned().unwrap_or_default()).collect()
}

/// Drives a call of each of the three methods that can ask, each at a server of its own that gives these answers; the server is
/// given back, with the method and what names the target.
async fn drive_each(answers: &[Canned], handler: &Willing) -> Vec<(Desk, &'static str, Value)> {
    let mut desks = Vec::new();
    for method in ["tools/call", "resources/read", "prompts/get"] {
        let desk = Desk::script(answers).await;
        let client = desk.client();
        let own = match method {
            "tools/call" => {
                let call = client.call_tool("t").arguments(json!({ "pin": 4711 }));
                call.drive(handler).await.unwrap().into_success().unwrap();
                json!({ "name": "t", "arguments": { "pin": 4711 } })
            }
            "resources/read" => {
                let read = client.read_resource("file:///a").drive(handler).await.unwrap();
                assert!(matches!(read, Outcome::Complete(_)));
                json!({ "uri": "file:///a" })
            }
            _ => {
                let prompt = client.get_prompt("p").argument("a", "1").drive(handler).await.unwrap();
                assert!(matches!(prompt, Outcome::Complete(_)));
                json!({ "name": "p", "arguments": { "a": "1" } })
            }
        };
        desks.push((desk, method, own));
    }
    desks
}
