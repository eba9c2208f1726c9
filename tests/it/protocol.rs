//! Answers with a 2xx that are an error, or none at all: each as JSON and, where that makes sense, as an event.

mod content;
mod deep;
mod envelope;
mod json_rpc;
mod lenient;
mod malformed;
mod results;

use mcp_client::error::{EnvelopeFault, ProtocolFault};

use crate::stage::{Canned, Ending, Stage, notes, protocol_error};

/// Makes the answer as JSON and as an event; checks how both end, what is wrong, and that the answer itself is kept.
async fn is_refused(stage: &Stage, body: &str, want: Ending, fault: &ProtocolFault, noted: &[&str]) {
    for reply in [Canned::json(body), Canned::sse(&[body])] {
        let outcome = stage.ends(&reply, want).await;
        assert_eq!(notes(&outcome), noted, "{reply:?}");
        let record = crate::support::record(&outcome);
        let id = record.request_id.clone().unwrap().to_string();
        let sent = body.replace("{{id}}", &id);
        assert_eq!(record.error_message.as_deref(), Some(fault.to_string().as_str()), "{reply:?}");
        let error = protocol_error(outcome);
        assert_eq!(error.fault(), fault, "{reply:?}");
        assert_eq!(error.raw(), sent.as_bytes(), "{reply:?}");
        let shown: String = error.excerpt().into_owned();
        assert!(!shown.is_empty() && sent.starts_with(&shown), "{reply:?}");
        assert!(!format!("{error} {error:?}").contains(&sent), "the answer is not printed: {reply:?}");
    }
}

fn envelope(fault: EnvelopeFault) -> ProtocolFault {
    ProtocolFault::InvalidEnvelope(fault)
}
