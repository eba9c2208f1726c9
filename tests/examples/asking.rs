//! Servers that ask for input, in a process of their own: they outlive the programs that are tested with them.
//!
//! Commands come on standard input, one a line, as JSON; each is answered by an object on standard output. The process ends with its
//! input.
//!
//! * `{"kitchen": {"scenario": "elicitation.approval", "params": {…}}}` selects a scenario of the Test Kitchen, empties its log,
//!   and gives its `url`.
//! * `{"script": [{"resultType": …}, null, "silence"]}` starts a server that answers with these results, one a request, the last again and
//!   again, and gives its `url`. `null` breaks the connection off without an answer, `"silence"` keeps it and never
//!   answers.
//! * `"posts"` gives the `posts` of the server that was begun last: their messages, in order.

use std::{
    error::Error,
    io::{BufRead as _, Write as _, stdin, stdout},
};

use mcp_tests::{FaultServer, Kitchen, RawRequest, Reply, Step};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let kitchen = Kitchen::start().await?;
    // The scripted servers that were begun; all live on, since calls may still wait for them.
    let mut scripted = Vec::new();
    let mut in_kitchen = true;
    for line in stdin().lock().lines() {
        let command: Command = serde_json::from_str(&line?)?;
        let answer = match command {
            Command::Kitchen { scenario, params } => {
                in_kitchen = true;
                kitchen.switch(&scenario, params)?;
                kitchen.clear_log();
                json!({ "url": kitchen.url() })
            }
            Command::Script(script) => {
                in_kitchen = false;
                let server =
                    FaultServer::start(script.iter().map(|result| reply(result)).collect::<Vec<_>>()).await?;
                let url = server.url();
                scripted.push(server);
                json!({ "url": url })
            }
            Command::Posts => json!({ "posts": match scripted.last() {
                Some(server) if !in_kitchen => server.requests().iter().filter_map(RawRequest::json).collect(),
                _ => kitchen.posts().into_iter().filter_map(|post| post.body).collect::<Vec<_>>(),
            }}),
        };
        writeln!(stdout(), "{answer}")?;
        stdout().flush()?;
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Command {
    Kitchen {
        scenario: String,
        #[serde(default)]
        params: Value,
    },
    /// Results as they are written: a form's fields have an order.
    Script(Vec<Box<RawValue>>),
    Posts,
}

fn reply(result: &RawValue) -> Reply {
    match result.get() {
        "null" => Reply::steps([Step::Close]),
        r#""silence""# => Reply::steps([Step::Hang]),
        result => Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#)),
    }
}
