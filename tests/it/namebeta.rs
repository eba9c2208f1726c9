//! A server of an older stack, with its own ways of reporting failures.
//!
//! It refuses the revision that the client speaks, so most of its answers are taken from it by plain HTTP requests of an
//! older revision, and given to the client byte for byte.

mod points;
mod refusals;
mod results;

use mcp_tests::{NameBeta, NameBetaOptions};
use serde_json::{Value, json};

use crate::stage::Canned;

/// A request to `NameBeta` as an older client makes it.
struct Legacy {
    verb: reqwest::Method,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

/// The id that older requests carry here; in the canned answer it stands for that of the client's request.
const ID: i64 = 471_100;

impl Legacy {
    fn new(body: impl Into<String>) -> Self {
        let headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        Self { verb: reqwest::Method::POST, headers, body: body.into() }
    }

    fn request(method: &str, params: &Value) -> Self {
        Self::new(json!({ "jsonrpc": "2.0", "id": ID, "method": method, "params": params }).to_string())
    }

    fn call(tool: &str, arguments: &Value) -> Self {
        Self::request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    fn verb(verb: reqwest::Method) -> Self {
        Self { verb, ..Self::new("") }
    }

    /// Replaces a header.
    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
        self
    }

    /// What the server answers, ready to be given to the client.
    async fn answer(&self, server: &NameBeta) -> Canned {
        let mut request =
            reqwest::Client::new().request(self.verb.clone(), server.url()).body(self.body.clone());
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let header =
            |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let media_type = header("content-type").unwrap_or_default();
        let kept = ["www-authenticate", "retry-after", "allow"].map(|name| (name, header(name)));
        let body = response.text().await.unwrap().replace(&format!("\"id\":{ID}"), "\"id\":{{id}}");
        let mut canned = Canned::new(status, &media_type, body);
        for (name, value) in kept {
            if let Some(value) = value {
                canned = canned.header(name, &value);
            }
        }
        canned
    }
}

async fn namebeta() -> NameBeta {
    NameBeta::start().await.unwrap()
}

async fn namebeta_with(change: impl FnOnce(&mut NameBetaOptions)) -> NameBeta {
    let mut options = NameBetaOptions::default();
    change(&mut options);
    NameBeta::start_with(options).await.unwrap()
}
