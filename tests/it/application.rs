//! What the tool says: success, its own error, and all that its content may hold.

mod content;
mod errors;
mod model;
mod structured;

use mcp_client::{ToolOutcome, ToolOutput};

use crate::stage::{Canned, SUCCESS, Stage, TOOL_ERROR, response};

/// The output of a call that ended so, once as JSON and once as an event.
async fn outputs(stage: &Stage, result: &str) -> [ToolOutput; 2] {
    let body = response(result);
    let json = output(stage, &Canned::json(body.as_str())).await;
    let event = output(stage, &Canned::sse(&[&body])).await;
    [json, event]
}

async fn output(stage: &Stage, reply: &Canned) -> ToolOutput {
    let text = String::from_utf8_lossy(&reply.body);
    let want = if text.contains(r#""isError":true"#) { TOOL_ERROR } else { SUCCESS };
    match stage.ends(reply, want).await.unwrap() {
        ToolOutcome::Success(output) | ToolOutcome::ToolError(output) => output,
        ToolOutcome::InputRequired(asked) => panic!("no output: {asked:?}"),
    }
}

/// A complete result with these content blocks.
fn blocks(content: &str) -> String {
    format!(r#"{{"resultType":"complete","content":[{content}]}}"#)
}

/// The notes of the record of an output.
fn notes(output: &ToolOutput) -> Vec<String> {
    output.record().notes.iter().map(ToString::to_string).collect()
}
