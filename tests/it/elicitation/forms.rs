//! Forms: read, filled in, and sent with the next request.

use mcp_client::{
    AnswerFault, ElicitAnswer, FieldFault, FieldKind, FormUnsupported, ToolOutcome,
    types::{InputRequest, InputResponse, RawJson, StringFormat},
};
use serde_json::{Value, json};

use super::{ask, asks, form, log, stage};
use crate::stage::{Canned, OK};

const PERSON: &str = r#"{"name":{"type":"string","title":"Your name","minLength":2},"mail":{"type":"string","format":"email"},"age":{"type":"integer","minimum":18},"news":{"type":"boolean","default":false},"colours":{"type":"array","maxItems":2,"items":{"anyOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}}}"#;

fn raw(text: &str) -> InputResponse {
    RawJson::from_text(text.to_owned()).unwrap().into()
}

#[tokio::test]
async fn elf_04_elf_06_a_request_without_mode_is_a_form_with_typed_fields() {
    let stage = stage().await;
    let plain = form(PERSON, r#"["name"]"#);
    let with_mode = plain.replacen('{', r#"{"mode":"form","#, 1);
    for params in [plain, with_mode] {
        let asked = ask(&stage, &stage.client, &asks(&params, "s")).await;
        let form = asked.form("k").unwrap();
        assert!(asked.link("k").is_none() && asked.form("other").is_none());
        assert_eq!(form.message(), "Who?");
        assert!(form.is_supported());
        let labels: Vec<&str> = form.fields().iter().map(mcp_client::FormField::label).collect();
        assert_eq!(labels, ["Your name", "mail", "age", "news", "colours"]);
        assert!(form.field("name").unwrap().is_required() && !form.field("mail").unwrap().is_required());
        assert!(matches!(
            form.field("mail").unwrap().kind(),
            FieldKind::Text { format: Some(StringFormat::Email), .. }
        ));
    }
}

/// Two rounds: each POST has an id of its own, the state of its round and the answers of its round only.
#[tokio::test]
async fn elf_08_elf_09_what_is_filled_in_is_checked_and_sent_once() {
    let stage = stage().await;
    let mut asked = ask(&stage, &stage.client, &asks(&form(PERSON, r#"["name"]"#), "one")).await;
    let first = asked.form("k").unwrap();
    let errors = first.fill_text([("name", "A"), ("mail", "ada"), ("age", "17"), ("nick", "x")]).unwrap_err();
    let faults: Vec<_> = errors.iter().map(|error| (error.field(), error.fault().clone())).collect();
    assert_eq!(
        faults,
        [
            ("name", FieldFault::TooShort { min: 2 }),
            ("mail", FieldFault::Format(StringFormat::Email)),
            ("age", FieldFault::TooSmall { min: 18.into() }),
            ("nick", FieldFault::UnknownField),
        ]
    );
    let answer = first
        .fill_text([("colours", "r"), ("name", "Ada"), ("age", "36"), ("mail", ""), ("colours", "g")])
        .unwrap();
    asked.answer("k", answer).unwrap();
    assert_eq!(stage.count(), 1, "nothing is sent by answering");

    stage.answers(&asks(&form(r#"{"sure":{"type":"boolean"}}"#, r#"["sure"]"#), "two"));
    let Ok(ToolOutcome::InputRequired(mut asked)) = asked.resume().await else { panic!("a second round") };
    assert_eq!((asked.rounds(), asked.unanswered().count()), (2, 1));
    asked.answer("k", asked.form("k").unwrap().fill_text([("sure", "yes")]).unwrap()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(
        log(&stage),
        [
            (json!(1), Value::Null, Value::Null),
            (
                json!(2),
                json!({ "k": { "action": "accept", "content": { "name": "Ada", "age": 36, "colours": ["r", "g"] } } }),
                json!("one")
            ),
            (json!(3), json!({ "k": { "action": "accept", "content": { "sure": true } } }), json!("two")),
        ]
    );
}

#[tokio::test]
async fn elf_09_an_answer_that_breaks_its_form_is_refused_with_every_error() {
    let stage = stage().await;
    let mut asked = ask(&stage, &stage.client, &asks(&form(PERSON, r#"["name","age"]"#), "s")).await;
    let misfit = json!({ "mail": "nobody", "age": 1.5, "news": "yes", "colours": ["b"] });
    for answer in [
        ElicitAnswer::accept(&misfit).unwrap().into(),
        raw(&format!(r#"{{"action":"accept","content":{misfit}}}"#)),
    ] {
        let error = asked.answer("k", answer).unwrap_err();
        assert_eq!((error.fault(), error.key(), error.field()), (AnswerFault::Misfit, "k", Some("name")));
        let faults: Vec<_> = error
            .form_errors()
            .unwrap()
            .iter()
            .map(|error| (error.field().to_owned(), error.fault().clone()))
            .collect();
        assert_eq!(
            faults,
            [
                ("name".to_owned(), FieldFault::Missing),
                ("mail".to_owned(), FieldFault::Format(StringFormat::Email)),
                ("age".to_owned(), FieldFault::NotAnInteger),
                ("news".to_owned(), FieldFault::WrongType { expected: "true or false" }),
                ("colours".to_owned(), FieldFault::NotAChoice),
            ]
        );
        assert_eq!(
            error.to_string(),
            "the answer to `k` does not fit its form: `name` must be filled in; `mail` must be an email address; \
             `age` must be a whole number; `news` must be true or false; `colours` must be one of the choices"
        );
        assert_eq!(asked.unanswered().collect::<Vec<_>>(), ["k"], "nothing changed");
    }
    // A schema allows what it does not name: the server judges that.
    asked
        .answer("k", ElicitAnswer::accept(&json!({ "name": "Ada", "age": 36, "more": "x" })).unwrap())
        .unwrap();
}

#[tokio::test]
async fn elf_07_elf_08_to_decline_and_to_cancel_have_no_content() {
    let stage = stage().await;
    for (answer, action) in [(ElicitAnswer::decline(), "decline"), (ElicitAnswer::cancel(), "cancel")] {
        let number = stage.count() + 1;
        // Neither is checked against the form.
        let mut asked = ask(&stage, &stage.client, &asks(&form(PERSON, r#"["name"]"#), "s")).await;
        let mut filled = answer.clone();
        filled.content = asked.form("k").unwrap().fill(json!({ "name": "Ada" })).unwrap().content;
        let as_raw = raw(&serde_json::to_string(&filled).unwrap());
        for with_content in [InputResponse::from(filled), as_raw] {
            let error = asked.answer("k", with_content).unwrap_err();
            assert_eq!(error.fault(), AnswerFault::Content);
            assert_eq!(error.to_string(), "the answer to `k` has content, which only an accepted form has");
        }
        asked.answer("k", answer).unwrap();
        asked.resume().await.unwrap().into_success().unwrap();
        let sent = (json!(number + 1), json!({ "k": { "action": action } }), json!("s"));
        assert_eq!(log(&stage).swap_remove(number), sent);
    }
}

#[tokio::test]
async fn elf_07_there_are_three_actions() {
    let stage = stage().await;
    let mut asked = ask(&stage, &stage.client, &asks(&form("{}", "[]"), "s")).await;
    let mut other = ElicitAnswer::decline();
    other.action = "reject".into();
    for answer in [InputResponse::from(other), raw(r#"{"action":"reject"}"#)] {
        let error = asked.answer("k", answer).unwrap_err();
        assert_eq!(error.fault(), AnswerFault::Action);
        assert_eq!(
            error.to_string(),
            "the action of the answer to `k` is none of accept, decline and cancel"
        );
    }
}

/// A form without fields is a question for yes or no: yes has an empty object, also where it is given as nothing.
#[tokio::test]
async fn field_mrtr_06_an_empty_form_can_be_accepted_declined_and_cancelled() {
    let stage = stage().await;
    let empty = r#"{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}"#;
    let nothing: [(&str, &str); 0] = [];
    let accepted = json!({ "k": { "action": "accept", "content": {} } });
    let form = ask(&stage, &stage.client, &asks(empty, "s")).await.form("k").unwrap();
    assert!(form.is_supported() && form.fields().is_empty());
    for (answer, sent) in [
        (form.fill_text(nothing).unwrap(), accepted.clone()),
        (form.fill(json!({})).unwrap(), accepted.clone()),
        (form.fill_defaults().unwrap(), accepted.clone()),
        (ElicitAnswer::accept_empty(), accepted),
        (ElicitAnswer::decline(), json!({ "k": { "action": "decline" } })),
        (ElicitAnswer::cancel(), json!({ "k": { "action": "cancel" } })),
    ] {
        let number = stage.count() + 1;
        let mut asked = ask(&stage, &stage.client, &asks(empty, "s")).await;
        asked.answer("k", answer).unwrap();
        asked.resume().await.unwrap().into_success().unwrap();
        assert_eq!(log(&stage).swap_remove(number), (json!(number + 1), sent, json!("s")));
    }
}

#[tokio::test]
async fn elf_05_a_mode_that_is_not_known_is_no_form() {
    let stage = stage().await;
    for mode in ["\"hologram\"", "\"Form\"", "\"\"", "7", "[]"] {
        let params = form("{}", "[]").replacen('{', &format!(r#"{{"mode":{mode},"#), 1);
        let asked = ask(&stage, &stage.client, &asks(&params, "s")).await;
        assert!(matches!(asked.request("k"), Some(InputRequest::Unknown(_))), "{mode}");
        assert!(asked.form("k").is_none() && asked.link("k").is_none(), "{mode}");
    }
    for broken in [
        r#"{"message":"?"}"#,
        r#"{"message":7,"requestedSchema":{"type":"object","properties":{}}}"#,
        r#"{"message":"?","requestedSchema":{"type":"string","properties":{}}}"#,
        r#"{"message":"?","requestedSchema":{"type":"object"}}"#,
        r#"{"message":"?","requestedSchema":{"type":"object","properties":[]}}"#,
    ] {
        let mut asked = ask(&stage, &stage.client, &asks(broken, "s")).await;
        assert!(asked.form("k").is_none(), "{broken}");
        let fault = asked.answer("k", ElicitAnswer::decline()).unwrap_err().fault();
        assert_eq!(fault, AnswerFault::UnknownRequest, "{broken}");
    }
}

#[tokio::test]
async fn elf_17_a_form_beyond_the_subset_is_shown_raw_and_answered_raw() {
    let stage = stage().await;
    let nested = r#"{"address":{"type":"object","properties":{"city":{"type":"string"}}},"note":{"type":"string","format":"haiku","x-widget":"area"}}"#;
    let mut asked = ask(&stage, &stage.client, &asks(&form(nested, r#"["address"]"#), "s")).await;
    let form = asked.form("k").unwrap();
    assert_eq!(form.unsupported(), Some(FormUnsupported::Kind { field: "address".to_owned() }));
    assert_eq!(
        form.schema().get(),
        format!(r#"{{"type":"object","properties":{nested},"required":["address"]}}"#)
    );
    // A format that is not known is a plain text.
    assert_eq!(form.field("note").unwrap().parse(&["5 7 5"]).unwrap().unwrap().get(), "\"5 7 5\"");
    let content = json!({ "address": { "city": "Oslo" }, "note": "5 7 5" });
    asked.answer("k", form.fill(&content).unwrap()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(
        log(&stage)[1],
        (json!(2), json!({ "k": { "action": "accept", "content": content } }), json!("s"))
    );
}

/// What is asked in ten thousand fields, by odd names, against itself: it is shown, and can be answered or declined.
#[tokio::test]
async fn hostile_forms_are_shown_and_can_be_answered() {
    let stage = stage().await;
    let many: Vec<String> = (0..10_000).map(|n| format!(r#""f{n}":{{"type":"boolean"}}"#)).collect();
    let many = format!("{{{}}}", many.join(","));
    let long = "k".repeat(1 << 20);
    let odd = format!(
        r#"{{"":{{"type":"boolean"}},"__proto__":{{"type":"boolean"}},"{long}":{{"type":"boolean"}}}}"#
    );
    let crossed = r#"{"f":{"type":"number","minimum":2,"maximum":1},"g":{"type":"number","maximum":1e400}}"#;
    let unlisted = r#"["ghost"]"#;
    for (properties, required, supported, answer) in [
        (many.as_str(), "[]", false, json!({ "f0": true, "f9999": false })),
        (odd.as_str(), r#"[""]"#, true, json!({ "": true, "__proto__": false })),
        (crossed, "[]", false, json!({ "f": 7, "g": 1e300 })),
        ("{}", unlisted, false, json!({ "ghost": "boo" })),
    ] {
        let number = stage.count() + 1;
        let mut asked = ask(&stage, &stage.client, &asks(&form(properties, required), "s")).await;
        let form = asked.form("k").unwrap();
        assert_eq!(form.is_supported(), supported);
        asked.answer("k", form.fill(&answer).unwrap()).unwrap();
        stage.answers(&Canned::result(OK));
        asked.resume().await.unwrap().into_success().unwrap();
        let (_, answers, _) = log(&stage).swap_remove(number);
        assert_eq!(answers, json!({ "k": { "action": "accept", "content": answer } }));
    }
}
