//! What the client mends by itself, each thing once a call: a request that was refused for its version or its headers
//! was not executed, so that sending it again is harmless.

use std::sync::Arc;

use mcp_types::{
    Method, ProtocolVersion,
    error_code::{HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION},
    method::CallTool,
};

use super::{Spec, flight::Flight};
use crate::{client::Client, error::CallError, list, method::Answer, tool_book::KnownTool};

/// What was mended so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repaired {
    version: bool,
    headers: bool,
}

/// What can be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// -32022: the server names a version that the client speaks, be it the one that was just refused.
    Version,
    /// -32020: the tool's parameters are mirrored by another schema than the server's.
    Headers,
}

impl Repair {
    /// What is wrong, where it can be mended and was not yet.
    pub(super) fn of<M: Answer>(error: &CallError, repaired: Repaired) -> Option<Self> {
        if !is_refusal(error) {
            return None;
        }
        match error.rpc_code()? {
            UNSUPPORTED_PROTOCOL_VERSION if !repaired.version => {
                error.supported_versions()?.contains(&ProtocolVersion::LATEST).then_some(Self::Version)
            }
            HEADER_MISMATCH if !repaired.headers && M::NAME == CallTool::NAME => Some(Self::Headers),
            _ => None,
        }
    }

    /// As it stands in the log of attempts.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Version => "the protocol version was agreed on again",
            Self::Headers => "the tool was listed again for its headers",
        }
    }

    /// Mends it. False when that did not work: the refusal stands.
    pub(super) async fn mend(self, client: &Client, spec: &Spec, flight: &mut Flight<'_>) -> bool {
        match self {
            Self::Version => {
                flight.repaired.version = true;
                true
            }
            Self::Headers => {
                flight.repaired.headers = true;
                let (tool, posts) = list::find_tool(client, spec).await;
                flight.exchange.add_posts(posts);
                let usable = tool.filter(|tool: &Arc<KnownTool>| tool.header_params.is_ok());
                let found = usable.is_some();
                if found {
                    flight.tool = usable;
                }
                found
            }
        }
    }
}

/// Whether the server refused the request before it looked at what is asked. A body that says so under a status that
/// speaks of something else (no credentials, a rate limit, an outage) proves nothing.
fn is_refusal(error: &CallError) -> bool {
    match error {
        CallError::JsonRpc(_) => true,
        CallError::Http(error) => {
            (400..500).contains(&error.status())
                && !matches!(error.status(), 401 | 403 | 408 | 421 | 425 | 429)
        }
        _ => false,
    }
}
