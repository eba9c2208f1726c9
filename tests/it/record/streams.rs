//! What of an event stream comes into the record.

use std::time::Duration;

use mcp_tests::{FaultServer, Reply, Step};

use super::{
    Line,
    endings::{NO_ENVELOPE, info},
    line,
};
use crate::stage::{Canned, Stage, response};
use crate::support::record;

#[tokio::test]
async fn c_41_c_43_a_stream_is_in_the_record_with_its_end() {
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    let foreign = r#"{"jsonrpc":"2.0","id":99,"result":{}}"#;
    let good = response(r#"{"resultType":"complete","content":[]}"#);
    let bad = response(r#"{"resultType":"complete","content":{}}"#);
    let both = r#"{"jsonrpc":"2.0","id":{{id}},"result":{},"error":{}}"#;
    let stream = || Line {
        content_type: "\"text/event-stream\"",
        outcome: "TOOL_SUCCESS",
        layer: "application",
        result_type: "\"complete\"",
        ..Line::default()
    };
    let incomplete = |message: &str| Line {
        outcome: "STREAM_INCOMPLETE",
        layer: "transport",
        message: message.to_owned(),
        delivery: "unknown",
        result_type: "null",
        ..stream()
    };
    let refused = |outcome: &'static str, message: &str| Line {
        outcome,
        layer: "protocol",
        message: message.to_owned(),
        delivery: "unknown",
        result_type: "null",
        ..stream()
    };
    let rows = [
        (
            Canned::sse(&[note, foreign, &good]),
            Line {
                sse: r#"{"events":3,"terminalResponse":true,"skipped":1,"closeCause":"answered"}"#,
                ..stream()
            },
        ),
        (
            Canned::sse(&[note, foreign]),
            Line {
                sse: r#"{"events":2,"terminalResponse":false,"skipped":1,"closeCause":"ended"}"#,
                ..incomplete(
                    "the event stream ended after 2 events without the answer (1 events were no answer to this call)",
                )
            },
        ),
        (
            Canned::sse(&[&bad]),
            Line {
                sse: r#"{"events":1,"terminalResponse":true,"skipped":0,"closeCause":"answered"}"#,
                ..refused(
                    "INVALID_TOOL_RESULT",
                    "the result is invalid at `result.content`: it is not a list",
                )
            },
        ),
        (
            Canned::sse(&[note, both]),
            Line {
                sse: r#"{"events":2,"terminalResponse":false,"skipped":0,"closeCause":"refused"}"#,
                ..refused("INVALID_ENVELOPE", &format!("{NO_ENVELOPE} it has both `result` and `error`"))
            },
        ),
    ];
    for (reply, expected) in rows {
        let stage = Stage::with(|builder| builder.client_info(info())).await;
        let outcome = stage.call(&reply).await;
        assert_eq!(line(record(&outcome)), expected.text(), "{reply:?}");
    }
    // Broken off, and too slow.
    let broken = Reply::sse(&[note]).unfinished().then(Step::Close);
    let silent = Reply::sse(&[note]).unfinished().then(Step::AwaitClientClose);
    for (reply, expected) in [
        (
            broken,
            Line {
                sse: r#"{"events":1,"terminalResponse":false,"skipped":0,"closeCause":"broken"}"#,
                ..incomplete("the event stream ended after 1 events without the answer")
            },
        ),
        (
            silent,
            Line {
                outcome: "TIMEOUT",
                sse: r#"{"events":1,"terminalResponse":false,"skipped":0,"closeCause":"timeout"}"#,
                ..incomplete("no answer came within 1s")
            },
        ),
    ] {
        let server = FaultServer::start([reply]).await.unwrap();
        let builder = crate::support::once(&server.url()).client_info(info()).timeout(Duration::from_secs(1));
        let outcome = builder.build().unwrap().call_tool("x").send().await;
        let text = line(record(&outcome));
        assert_eq!(text, expected.text());
        assert_eq!(server.requests().len(), 1);
    }
}
