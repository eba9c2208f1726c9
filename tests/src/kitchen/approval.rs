//! The scenarios that ask for input in a second round.

use serde_json::{Map, Value, json};

use super::scenario::{Form, Scenario};
use super::tools::{Reply, ToolCall, id, plain};

const KEY: &str = "elicitation";

/// Asks, or takes the answer. Neither the state nor the answer's content is checked, and no capability is asked for.
pub(super) fn run(call: &ToolCall, message: Option<String>, invocation: u64) -> Reply {
    let scenario = &*call.scenario;
    let mut fields = plain(id(scenario), invocation);
    if !call.revision.modern {
        fields.push(("elicitationOutcome", json!("unsupported")));
        fields.extend(message.map(|message| ("message", json!(message))));
        return Reply::with_error(&fields, true);
    }
    let Some(answer) = call.response(KEY) else {
        return Reply::InputRequired {
            key: KEY,
            request: json!({ "method": "elicitation/create", "params": question(scenario) }),
            state: "awaiting-elicitation".to_owned(),
        };
    };
    let action = answer.get("action").and_then(Value::as_str).unwrap_or("cancel");
    let accepted = action == "accept";
    fields.push(("elicitationOutcome", json!(if accepted { "accepted" } else { action })));
    if accepted {
        let reason = answer.pointer("/content/reason").and_then(Value::as_str);
        fields.extend(reason.map(|reason| ("approvalReason", json!(reason))));
    }
    fields.extend(message.map(|message| ("message", json!(message))));
    Reply::with_error(&fields, !accepted)
}

fn question(scenario: &Scenario) -> Value {
    match scenario {
        Scenario::Approval(form) => approval(form),
        Scenario::UrlMode { url, prompt } => json!({ "mode": "url", "message": prompt, "url": url }),
        Scenario::Decline { prompt } => json!({
            "mode": "form",
            "message": prompt,
            "requestedSchema": {
                "type": "object",
                "properties": { "confirm": { "type": "string", "maxLength": 32 } },
            },
        }),
        // The other scenarios do not ask.
        _ => Value::Null,
    }
}

fn approval(form: &Form) -> Value {
    let reason = json!({ "type": "string", "title": form.title, "maxLength": form.max_length });
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), json!({ "reason": reason }));
    if form.required {
        schema.insert("required".to_owned(), json!(["reason"]));
    }
    json!({ "mode": "form", "message": form.prompt, "requestedSchema": schema })
}
