//! The two tools of `NameBeta`, and how they refuse arguments.

use serde_json::{Value, json};

const KNOWN_ENDINGS: &[&str] = &["ai", "app", "co", "com", "dev", "info", "io", "net", "no", "org"];
const MAX_DOMAINS: usize = 20;

/// What a tool said.
pub(super) struct Outcome {
    text: String,
    is_error: bool,
    /// The tool itself was reached.
    pub(super) ran: bool,
}

impl Outcome {
    fn success(answer: &Value) -> Self {
        Self { text: answer.to_string(), is_error: false, ran: true }
    }

    fn failure(text: &str) -> Self {
        Self { text: text.to_owned(), is_error: true, ran: true }
    }

    /// The stack refused before the tool was reached.
    fn refused(text: &str) -> Self {
        Self { text: format!("MCP error -32602: {text}"), is_error: true, ran: false }
    }

    fn invalid(tool: &str, detail: &str) -> Self {
        Self::refused(&format!("Input validation error: Invalid arguments for tool {tool}: {detail}"))
    }

    /// The result of the call. Nothing says `complete`, and a success has no `isError`.
    pub(super) fn result(&self) -> Value {
        let content = json!([{ "type": "text", "text": self.text }]);
        if self.is_error {
            json!({ "content": content, "isError": true })
        } else {
            json!({ "content": content })
        }
    }
}

pub(super) fn list() -> Value {
    json!([
        {
            "name": "check_availability",
            "description": "Tells whether domain names are free",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "domains": {
                        "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": MAX_DOMAINS,
                    },
                },
                "required": ["domains"],
            },
        },
        {
            "name": "compare_prices",
            "description": "Compares what registrars ask for a domain name",
            "inputSchema": {
                "type": "object",
                "properties": { "domain": { "type": "string" } },
                "required": ["domain"],
            },
        },
    ])
}

/// Calls a tool. `broken` is what its lookup fails with.
pub(super) fn call(name: &str, arguments: Option<&Value>, broken: Option<&str>) -> Outcome {
    let outcome = match name {
        "check_availability" => check_availability(arguments),
        "compare_prices" => compare_prices(arguments),
        _ => return Outcome::refused(&format!("Tool {name} not found")),
    };
    match broken {
        Some(text) if outcome.ran && !outcome.is_error => Outcome::failure(text),
        _ => outcome,
    }
}

fn check_availability(arguments: Option<&Value>) -> Outcome {
    let invalid = |detail: &str| Outcome::invalid("check_availability", detail);
    let given = arguments.and_then(|arguments| arguments.get("domains"));
    let Some(domains) = given.and_then(Value::as_array) else {
        return invalid(&format!("Invalid input: expected array, received {} at domains", kind(given)));
    };
    if domains.is_empty() {
        return invalid("Too small: expected array to have >=1 items at domains");
    }
    if domains.len() > MAX_DOMAINS {
        return invalid(&format!("Too big: expected array to have <={MAX_DOMAINS} items at domains"));
    }
    let mut results = Vec::with_capacity(domains.len());
    for (index, domain) in domains.iter().enumerate() {
        let Some(domain) = domain.as_str() else {
            let kind = kind(Some(domain));
            return invalid(&format!("Invalid input: expected string, received {kind} at domains[{index}]"));
        };
        match clean(domain) {
            Some(domain) => {
                results.push(json!({ "domain": domain, "available": !domain.starts_with("taken") }));
            }
            None => return Outcome::failure("Invalid domain format"),
        }
    }
    Outcome::success(&json!({ "results": results }))
}

fn compare_prices(arguments: Option<&Value>) -> Outcome {
    let invalid = |detail: &str| Outcome::invalid("compare_prices", detail);
    let given = arguments.and_then(|arguments| arguments.get("domain"));
    let Some(domain) = given.and_then(Value::as_str) else {
        return invalid(&format!("Invalid input: expected string, received {} at domain", kind(given)));
    };
    if !domain.contains('.') {
        return invalid("A full domain name is required at domain");
    }
    match clean(domain) {
        Some(domain) => Outcome::success(&json!({
            "domain": domain,
            "offers": [
                { "registrar": "Registrar A", "price": 9.5, "currency": "USD" },
                { "registrar": "Registrar B", "price": 11, "currency": "USD" },
            ],
        })),
        None => Outcome::failure("Invalid domain format"),
    }
}

/// Drops the characters that no domain name has. None if nothing is left or the ending is unknown. A bare name stands
/// for its `.com`.
fn clean(domain: &str) -> Option<String> {
    let kept: String = domain
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || matches!(character, '.' | '-'))
        .map(|character| character.to_ascii_lowercase())
        .collect();
    let kept = kept.trim_end_matches('.');
    let named = |name: &str| name.contains(|character: char| character.is_ascii_alphanumeric());
    match kept.rsplit_once('.') {
        None if named(kept) => Some(format!("{kept}.com")),
        Some((name, ending)) if named(name) && KNOWN_ENDINGS.contains(&ending) => Some(kept.to_owned()),
        _ => None,
    }
}

/// The name that the schema library gives to a value's type.
fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}
