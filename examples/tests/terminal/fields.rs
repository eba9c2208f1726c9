//! Every kind of field, and forms that no field can be made of.

use mcp_tests::FaultServer;
use serde_json::json;

use crate::{
    person::{BACKSPACE, DOWN, ENTER, ESC, Person},
    server::{answers, asks, asks_for},
};

const SPACE: &str = " ";

fn start(server: &FaultServer) -> Person {
    let mut person = Person::start(env!("CARGO_BIN_EXE_approve"), &[&server.url(), "--tool", "x"]);
    person.sees("Your answer?").sees("Cancel").types(ENTER);
    person
}

fn sends(mut person: Person) {
    person.sees("Send this?").sees("Cancel").types(ENTER);
    let (code, shown) = person.sees("the tool is done").ends();
    assert_eq!(code, 0, "{shown}");
}

#[tokio::test]
async fn each_kind_of_field_has_its_prompt() {
    // In the order of the names: `json!` sorts them.
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": "string", "format": "email", "title": "Mail address" },
            "b": { "type": "integer", "minimum": 18, "maximum": 99, "title": "Age" },
            "c": { "type": "number", "default": 0.50, "title": "Share" },
            "d": { "type": "boolean", "title": "News", "default": false },
            "e": { "type": "boolean", "title": "Terms" },
            "f": { "oneOf": [{ "const": "s", "title": "Small" }, { "const": "l", "title": "Large" }], "type": "string", "title": "Size" },
            "g": { "type": "array", "items": { "type": "string", "enum": ["red", "green", "blue"] }, "minItems": 2, "title": "Tags" },
            "h": { "type": "string", "title": "Note" }
        },
        "required": ["a", "b", "e", "f", "g"]
    });
    let server = asks("Who are you?", &schema).await;
    let mut person = start(&server);
    person.sees("Mail address:").sees("an email address").types("nobody").types(ENTER);
    person.sees("Mail address must be an email address").types("@example.com").types(ENTER);
    person.sees("Age:").sees("18 to 99").types("seven").types(ENTER);
    person.sees("Age must be a number").types(&BACKSPACE.repeat("seven".len())).types("36.5").types(ENTER);
    person.sees("Age must be a whole number").types(&BACKSPACE.repeat("36.5".len())).types("7").types(ENTER);
    person.sees("Age must be at least 18").types(BACKSPACE).types("36").types(ENTER);
    person.sees("Share:").sees("0.5").sees("may be left empty").types(ENTER);
    person.sees("News:").sees("yes").sees("no").sees("leave it out").types(ENTER);
    person.sees("Terms:").types("y").types(ENTER);
    person.sees("Size:").sees("Small").sees("Large").types(DOWN).types(ENTER);
    person.sees("Tags:").sees("red").sees("green").sees("blue").types(SPACE).types(ENTER);
    person.sees("Tags must have at least 2 choices").types(DOWN).types(DOWN).types(SPACE).types(ENTER);
    person.sees("Note:").types(ENTER);
    person.sees("Your answer:").sees("Tags: red, blue").sees("Note: (left out)");
    sends(person);
    let content = json!({ "a": "nobody@example.com", "b": 36, "c": 0.5, "d": false, "e": true,
        "f": "l", "g": ["red", "blue"] });
    assert_eq!(answers(&server), json!({ "form": { "action": "accept", "content": content } }));
}

/// A form that only asks for consent.
#[tokio::test]
async fn consent_needs_no_field() {
    let server = asks("Delete all?", &json!({ "type": "object", "properties": {} })).await;
    let mut person = Person::start(env!("CARGO_BIN_EXE_approve"), &[&server.url(), "--tool", "x"]);
    person.sees("Delete all?").sees("Agree").sees("Decline").sees("Cancel").types(ENTER);
    assert_eq!(person.sees("the tool is done").ends().0, 0);
    assert_eq!(answers(&server), json!({ "form": { "action": "accept", "content": {} } }));
}

/// It is shown as it is, and answered with JSON.
#[tokio::test]
async fn a_form_beyond_the_subset_is_answered_raw() {
    let schema = json!({ "type": "object", "required": ["who"],
        "properties": { "who": { "type": "object", "properties": { "name": { "type": "string" } } } } });
    let server = asks("Who?", &schema).await;
    let mut person = Person::start(env!("CARGO_BIN_EXE_approve"), &[&server.url(), "--tool", "x"]);
    person.sees("no form that can be filled in field by field").sees(r#""name""#);
    person.sees("Your answer?").sees("Cancel").types(ENTER);
    person.sees("Answer (a JSON object)").types("name: Ada").types(ENTER).sees("This is no JSON");
    person
        .types(&BACKSPACE.repeat("name: Ada".len()))
        .types("{}")
        .types(ENTER)
        .sees("`who` must be filled in");
    person.types(&BACKSPACE.repeat(2)).types(r#"{"who":{"name":"Ada"}}"#).types(ENTER);
    assert_eq!(person.sees("the tool is done").ends().0, 0);
    let content = json!({ "who": { "name": "Ada" } });
    assert_eq!(answers(&server), json!({ "form": { "action": "accept", "content": content } }));
}

/// Nothing that a server sends can steer the terminal, and nothing in a form can be clicked.
#[tokio::test]
async fn text_of_a_form_is_text() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string", "title": "A\u{1b}]0;title\u{7}", "description": "see http://evil.example/a", "default": "x\u{1b}[2J" },
        "b": { "type": "string", "enum": ["\u{202e}b\u{9b}31m", "www.evil.example"] } } });
    let server = asks("Read https://evil.example/\u{1b}[31m\nnow", &schema).await;
    let mut person = start(&server);
    person.sees("A\u{FFFD}]0;title\u{FFFD}:").sees("see http[:]//evil.example/a").types(ENTER);
    person.sees("b:").sees("\u{FFFD}b\u{FFFD}31m").sees("www[.]evil.example").types(ENTER);
    person.sees("Send this?").sees("Cancel").types(ESC);
    let (code, shown) = person.sees("the tool is done").ends();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Read https[:]//evil.example/\u{FFFD}[31m\r\n    now"), "{shown}");
    for hostile in ["://evil", "www.evil", "\u{7}", "\u{9b}", "\u{202e}"] {
        assert!(!shown.contains(hostile), "{hostile:?} in {shown:?}");
    }
}

/// One question after the other, though both are of one round.
#[tokio::test]
async fn several_requests_are_asked_one_after_the_other() {
    let form = |message: &str| {
        json!({ "method": "elicitation/create", "params": { "message": message,
        "requestedSchema": { "type": "object", "properties": {} } } })
    };
    let server = asks_for(&json!({ "one": form("First?"), "two": form("Second?") })).await;
    let mut person = Person::start(env!("CARGO_BIN_EXE_approve"), &[&server.url(), "--tool", "x"]);
    person.sees("First?").sees("Your answer?").sees("Cancel").types(DOWN).types(ENTER);
    person.sees("Second?").sees("Your answer?").sees("Cancel").types(ENTER);
    assert_eq!(person.sees("the tool is done").ends().0, 0);
    let expected = json!({ "one": { "action": "decline" }, "two": { "action": "accept", "content": {} } });
    assert_eq!(answers(&server), expected);
}
