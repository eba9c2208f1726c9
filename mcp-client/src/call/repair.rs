//! What the client mends by itself, each thing once a call: a request that was refused for its version or its headers
//! was not executed, so that sending it again is harmless.

use std::sync::Arc;

use mcp_types::{
    Method,
    error_code::{HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION},
    method::CallTool,
};

use tokio::time::Instant;

use super::{Spec, flight::Flight};
use crate::{
    cache::Authorization,
    client::Client,
    error::{CallError, Mismatch},
    list,
    method::Answer,
    token::TokenRefusal,
    tool_book::KnownTool,
};

const MCP_PROTOCOL_VERSION: &str = "mcp-protocol-version";
const MCP_METHOD: &str = "mcp-method";
const MCP_NAME: &str = "mcp-name";

/// What was mended so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repaired {
    version: bool,
    headers: bool,
    token: bool,
}

impl Repaired {
    /// Whether the tool was listed for this call.
    pub(super) fn has_listed(self) -> bool {
        self.headers
    }
}

/// What can be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// -32022: the server names a version that the client speaks, be it the one that was just refused.
    Version,
    /// -32020: the tool's parameters are mirrored by another schema than the server's.
    Headers,
    /// 401: the source of tokens may have another one.
    Token,
}

impl Repair {
    /// What is wrong, where it can be mended and was not yet.
    pub(super) fn of<M: Answer>(client: &Client, error: &CallError, flight: &Flight<'_>) -> Option<Self> {
        if error.http_status() == Some(401) && matches!(error, CallError::Http(_)) {
            return (!flight.repaired.token && flight.has_token_source()).then_some(Self::Token);
        }
        // Who has sent progress has begun to work.
        if !is_refusal(error) || flight.sse.is_some_and(|sse| sse.notifications > 0) {
            return None;
        }
        match error.rpc_code()? {
            UNSUPPORTED_PROTOCOL_VERSION if !flight.repaired.version => {
                error.supported_versions()?.contains(&client.protocol_version()).then_some(Self::Version)
            }
            HEADER_MISMATCH if !flight.repaired.headers => {
                let has_params = M::NAME == CallTool::NAME && client.transport().carries_headers();
                has_params.then_some(Self::Headers)
            }
            _ => None,
        }
    }

    /// As it stands in the log of attempts.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Version => "the protocol version was agreed on again",
            Self::Headers => "the tool was listed again for its headers",
            Self::Token => "another token was had",
        }
    }

    /// Mends it. False when that did not work: the refusal stands; or another error does instead.
    pub(super) async fn mend(
        self,
        client: &Client,
        spec: &Spec,
        error: &CallError,
        flight: &mut Flight<'_>,
    ) -> Result<bool, CallError> {
        Ok(match self {
            Self::Version => {
                flight.repaired.version = true;
                true
            }
            Self::Token => {
                flight.repaired.token = true;
                let refusal = TokenRefusal {
                    server: client.identity(),
                    status: 401,
                    challenges: error.challenges(),
                    token: flight.token.as_ref(),
                };
                let another = client.another_token(refusal).await;
                let another = another.map_err(|error| error.after_a_refusal(401, refusal.challenges))?;
                flight.renewed = another.filter(|another| Some(another) != flight.token.as_ref());
                flight.renewed.is_some()
            }
            Self::Headers => {
                flight.repaired.headers = true;
                let tool = find_tool(client, spec, flight).await;
                let usable = tool.filter(|tool: &Arc<KnownTool>| tool.header_params.is_ok());
                let found = usable.is_some();
                if found {
                    flight.tool = usable;
                }
                found
            }
        })
    }
}

/// A walk through the list of tools for a repair.
#[derive(PartialEq)]
pub(crate) struct Walk {
    tool: Arc<str>,
    whose: Authorization,
}

/// The tool as the server has it now. Of many calls that were refused for the same tool one lists, and the others use what it
/// learnt.
async fn find_tool(client: &Client, spec: &Spec, flight: &mut Flight<'_>) -> Option<Arc<KnownTool>> {
    let used = flight.tool.clone();
    let token = flight.token.clone();
    let learnt = || {
        let known = client.known_tool(spec, token.as_ref())?;
        let is_news = used.as_ref().is_none_or(|used| !Arc::ptr_eq(used, &known));
        // A definition given by hand differs from what was learnt, which need not be newer.
        (is_news && spec.tool.is_none()).then_some(known)
    };
    if let Some(known) = learnt() {
        return Some(known);
    }
    let refused = Instant::now();
    let mut last = client.listing_turn().await;
    let walk = Walk { tool: spec.target.clone(), whose: client.authorization_context(spec, token.as_ref()) };
    let was_listed = |(last, ended): &(Walk, Instant)| *last == walk && *ended >= refused;
    if let Some(known) = learnt() {
        return Some(known);
    }
    // Listed meanwhile, and nothing is new: listing it again would not help.
    if last.as_ref().is_some_and(was_listed) {
        return None;
    }
    let found = list::find_tool(client, spec, flight.inner_posts()).await;
    *last = Some((walk, Instant::now()));
    found
}

/// What the two sides do not agree on, as far as an error speaks of that.
pub(super) fn mismatch<M: Answer>(
    client: &Client,
    spec: &Spec,
    tool: Option<&KnownTool>,
    error: &CallError,
) -> Option<Mismatch> {
    if !is_refusal(error) {
        return None;
    }
    match error.rpc_code()? {
        UNSUPPORTED_PROTOCOL_VERSION => Some(Mismatch::Versions {
            spoken: Client::SPOKEN.to_vec(),
            supported: error.supported_versions().unwrap_or_default(),
        }),
        HEADER_MISMATCH if client.transport().carries_headers() => {
            let params = tool.and_then(|tool| tool.header_params.as_ref().ok());
            let mut sent = vec![MCP_PROTOCOL_VERSION.to_owned(), MCP_METHOD.to_owned()];
            sent.extend(M::TARGET.map(|_| MCP_NAME.to_owned()));
            sent.extend(
                params
                    .map(|params| params.headers(spec.arguments.as_ref()))
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.as_str().to_owned()),
            );
            Some(Mismatch::Headers { sent })
        }
        _ => None,
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
