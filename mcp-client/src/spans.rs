//! Calls as spans of `tracing`, named as the OpenTelemetry conventions for MCP name them. Without the feature of that name
//! all of this is nothing.
//!
//! No field holds arguments, results, tokens, header values, the query of a URL, or what a server says in words, but for two
//! things: the name of a tool that is left out, and the reason for which a server cancels a subscription, cut and escaped.

use std::future::Future;

use crate::{
    call::Spec, client::Client, header_params::HeaderParamsFault, record::CallRecord, record::OutcomeKind,
};

/// The target of all spans and events.
#[cfg(feature = "tracing")]
const TARGET: &str = "mcp_client";

/// The span of one call.
#[derive(Clone, Debug)]
pub(crate) struct CallSpan {
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

#[cfg(not(feature = "tracing"))]
mod nothing {
    use super::{CallRecord, CallSpan, Client, Future, HeaderParamsFault, OutcomeKind, Spec};

    impl CallSpan {
        pub(crate) fn begin(_: &Client, _: &Spec) -> Self {
            Self {}
        }

        pub(crate) fn is_recorded(&self) -> bool {
            let Self {} = self;
            false
        }

        pub(crate) fn within<F: Future>(&self, future: F) -> F {
            let Self {} = self;
            future
        }

        pub(crate) fn ended(&self, _: &CallRecord) {
            let Self {} = self;
        }
    }

    pub(crate) fn repeated(_: Option<OutcomeKind>, _: Option<u16>, _: usize) {}
    pub(crate) fn mended(_: &str) {}
    pub(crate) fn cancelled(_: &str) {}
    pub(crate) fn subscription_cancelled(_: Option<&str>) {}
    pub(crate) fn excluded(_: &str, _: &HeaderParamsFault) {}
}
#[cfg(not(feature = "tracing"))]
pub(crate) use self::nothing::{cancelled, excluded, mended, repeated, subscription_cancelled};

#[cfg(feature = "tracing")]
mod recorded {
    use std::borrow::Cow;

    use mcp_types::{
        Method, RequestId,
        method::{CallTool, GetPrompt, ReadResource},
    };
    use tracing::{Instrument as _, Span, field::Empty, instrument::Instrumented};

    use super::{CallRecord, CallSpan, Client, Future, HeaderParamsFault, OutcomeKind, Spec, TARGET};
    use crate::{bare_uri::bare, record::cut_message};

    impl CallSpan {
        /// A span of level INFO; the current one is its parent.
        pub(crate) fn begin(client: &Client, spec: &Spec) -> Self {
            let span = tracing::info_span!(
                target: TARGET,
                "mcp.client",
                "otel.name" = Empty,
                "otel.kind" = "client",
                "otel.status_code" = Empty,
                "mcp.method.name" = spec.method,
                "mcp.protocol.version" = client.protocol_version().as_str(),
                "mcp.resource.uri" = Empty,
                "gen_ai.operation.name" = Empty,
                "gen_ai.tool.name" = Empty,
                "gen_ai.prompt.name" = Empty,
                "jsonrpc.request.id" = Empty,
                "rpc.response.status_code" = Empty,
                "error.type" = Empty,
                "network.transport" = Empty,
                "network.protocol.name" = Empty,
                "server.address" = Empty,
                "server.port" = Empty,
            );
            if !span.is_disabled() {
                name(&span, spec);
                whereto(&span, client.identity());
            }
            Self { span }
        }

        pub(crate) fn is_recorded(&self) -> bool {
            !self.span.is_disabled()
        }

        /// Not an `async fn`, which would hold the future twice.
        pub(crate) fn within<F: Future>(&self, future: F) -> Instrumented<F> {
            future.instrument(self.span.clone())
        }

        /// Adds how the call ended.
        pub(crate) fn ended(&self, record: &CallRecord) {
            if self.span.is_disabled() {
                return;
            }
            match &record.request_id {
                Some(RequestId::String(id)) => self.span.record("jsonrpc.request.id", id.as_str()),
                Some(id) => self.span.record("jsonrpc.request.id", id.to_string()),
                None => &self.span,
            };
            if let Some(code) = record.error_code {
                self.span.record("rpc.response.status_code", code.to_string());
            }
            if let Some(class) = error_type(record) {
                self.span.record("error.type", class.as_ref());
                self.span.record("otel.status_code", "ERROR");
            }
        }
    }

    /// The class of an error, of which there are few.
    fn error_type(record: &CallRecord) -> Option<Cow<'static, str>> {
        Some(match (record.error_code, record.outcome) {
            (Some(code), _) => code.to_string().into(),
            (None, OutcomeKind::ToolSuccess | OutcomeKind::InputRequired) => return None,
            (None, OutcomeKind::HttpError) => match record.http_statuses().last() {
                Some(status) => status.to_string().into(),
                None => "http_error".into(),
            },
            (None, other) => other.as_str().to_ascii_lowercase().into(),
        })
    }

    /// `{method} {target}`, where there are few targets: URIs are told in a field of their own.
    fn name(span: &Span, spec: &Spec) {
        let (field, target) = match spec.method {
            CallTool::NAME => {
                span.record("gen_ai.operation.name", "execute_tool");
                ("gen_ai.tool.name", cut_message(&spec.target))
            }
            GetPrompt::NAME => ("gen_ai.prompt.name", cut_message(&spec.target)),
            method => {
                if method == ReadResource::NAME {
                    span.record("mcp.resource.uri", cut_message(&bare(&spec.target)));
                }
                span.record("otel.name", method);
                return;
            }
        };
        span.record(field, target.as_str());
        span.record("otel.name", format!("{} {target}", spec.method));
    }

    /// The server, as far as the identity of the transport is a URL.
    fn whereto(span: &Span, identity: &str) {
        let Some((scheme, rest)) = identity.split_once("://") else { return };
        let port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return,
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let authority = authority.rsplit('@').next().unwrap_or_default();
        // The colons of an IPv6 address stand in brackets.
        let after_host = authority.rfind(']').unwrap_or_default();
        let colon = authority.rfind(':').filter(|colon| *colon >= after_host);
        let (host, explicit) = authority.split_at(colon.unwrap_or(authority.len()));
        let port = explicit.get(1..).and_then(|port| port.parse::<u16>().ok()).unwrap_or(port);
        span.record("network.transport", "tcp");
        span.record("network.protocol.name", "http");
        span.record("server.address", host.trim_start_matches('[').trim_end_matches(']'));
        span.record("server.port", port);
    }

    /// An attempt failed, and the next one is about to be made.
    pub(crate) fn repeated(failed: Option<OutcomeKind>, status: Option<u16>, attempts: usize) {
        tracing::info!(
            target: TARGET,
            failed = failed.map(OutcomeKind::as_str),
            "http.response.status_code" = status,
            attempts,
            "the call is repeated"
        );
    }

    /// What an attempt was refused for has been mended.
    pub(crate) fn mended(what: &str) {
        tracing::info!(target: TARGET, what, "the call was refused and is sent again");
    }

    /// The caller gave up, in words of its own.
    pub(crate) fn cancelled(reason: &str) {
        tracing::info!(target: TARGET, reason = cut_message(reason), "the call was cancelled");
    }

    /// The server ended a subscription. Why, it says in words of its own, which are no lines of a log.
    pub(crate) fn subscription_cancelled(reason: Option<&str>) {
        tracing::info!(
            target: TARGET,
            reason = reason.map(|reason| cut_message(reason).escape_debug().to_string()),
            "the server cancelled the subscription"
        );
    }

    /// A tool is left out of a list.
    pub(crate) fn excluded(tool: &str, fault: &HeaderParamsFault) {
        tracing::warn!(
            target: TARGET,
            reason = fault.to_string(),
            "gen_ai.tool.name" = cut_message(tool),
            "a tool is left out of the list"
        );
    }
}
#[cfg(feature = "tracing")]
pub(crate) use self::recorded::{cancelled, excluded, mended, repeated, subscription_cancelled};
