//! What callers may add to a request, and what the client owns.

use http::{HeaderName, HeaderValue};
use mcp_types::{RawJson, meta};
use serde::Serialize;

use crate::{
    error::{InvalidCall, InvalidKind},
    trace_context,
};

/// Headers that follow from the message or the connection. A value of the caller's that disagreed with the body
/// would be refused by servers, or smuggle something past them.
const OWNED: [&str; 14] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "keep-alive",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// The prefix of the headers that mirror tool parameters.
const PARAM_PREFIX: &str = "mcp-param-";

/// Headers whose values are never to be printed.
const SENSITIVE: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// A header of the caller's, or why it is refused. The value is named in no error.
pub(crate) fn user_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), InvalidCall> {
    let refuse = |what| InvalidCall::new(InvalidKind::Header, what);
    let name = HeaderName::try_from(name).map_err(|_| refuse("a header name is malformed".to_owned()))?;
    if OWNED.contains(&name.as_str()) || name.as_str().starts_with(PARAM_PREFIX) {
        return Err(refuse(format!("the header `{name}` is owned by the client")));
    }
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| refuse(format!("the value of the header `{name}` is malformed")))?;
    if SENSITIVE.contains(&name.as_str()) {
        value.set_sensitive(true);
    }
    Ok((name, value))
}

/// A `_meta` entry of the caller's, or why it is refused. The key `progressToken` belongs to the client, and so do
/// all keys with a reserved prefix; `traceparent`, `tracestate` and `baggage` to the trace context.
pub(crate) fn meta_entry(key: &str, value: &impl Serialize) -> Result<RawJson, InvalidCall> {
    let refuse = |what| InvalidCall::new(InvalidKind::MetaKey, what);
    if key == meta::key::PROGRESS_TOKEN {
        return Err(refuse(format!("the `_meta` key `{key}` is owned by the client")));
    }
    if trace_context::is_key(key) {
        return Err(refuse(format!("the `_meta` key `{key}` is that of the trace context")));
    }
    meta::validate_key(key).map_err(|error| {
        refuse(format!("the `_meta` key `{}` is refused", key.escape_debug())).with_source(error)
    })?;
    json(key, value)
}

/// The value of a `_meta` entry.
pub(crate) fn json(key: &str, value: &impl Serialize) -> Result<RawJson, InvalidCall> {
    RawJson::from_serialize(value).map_err(|error| {
        let what = format!("the value of the `_meta` key `{key}` cannot be put into JSON");
        InvalidCall::new(InvalidKind::MetaKey, what).with_source(error)
    })
}

/// The settings of an extension, or why it is refused. Identifiers of the protocol's own extensions are allowed here.
pub(crate) fn extension(identifier: &str, settings: &impl Serialize) -> Result<RawJson, InvalidCall> {
    let refuse = |what| InvalidCall::new(InvalidKind::MetaKey, what);
    let shown = identifier.escape_debug();
    // Of a key with a reserved prefix the name is not looked at, so both are checked apart.
    let well_formed = identifier.split_once('/').is_some_and(|(prefix, name)| {
        let prefix = meta::validate_key(&format!("{prefix}/"));
        let reserved = matches!(prefix, Err(meta::MetaKeyError::Reserved(_)));
        (prefix.is_ok() || reserved)
            && !name.is_empty()
            && !name.contains('/')
            && meta::validate_key(name).is_ok()
    });
    if !well_formed {
        return Err(refuse(format!("the extension `{shown}` is not named as `prefix/name`")));
    }
    match RawJson::from_serialize(settings) {
        Ok(settings) if settings.is_object() => Ok(settings),
        Ok(_) => Err(refuse(format!("the settings of the extension `{shown}` are no object"))),
        Err(error) => Err(refuse(format!("the settings of the extension `{shown}` cannot be put into JSON"))
            .with_source(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_client_and_malformed_ones_are_refused() {
        for name in [
            "Accept",
            "MCP-Protocol-Version",
            "mcp-name",
            "Mcp-Param-Region",
            "Content-Type",
            "Mcp-Session-Id",
        ] {
            let error = user_header(name, "x").unwrap_err();
            assert_eq!(error.kind(), InvalidKind::Header, "{name}");
        }
        assert!(user_header("x y", "1").is_err());
        let error = user_header("x-key", "secret\r\nmcp-name: x").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"));
        let (_, value) = user_header("Authorization", "Bearer secret").unwrap();
        assert!(!format!("{value:?}").contains("secret"));
    }

    #[test]
    fn ext_01_extensions_are_named_with_a_prefix() {
        for identifier in ["com.example/a", "io.modelcontextprotocol/tasks", "mcp/x"] {
            assert_eq!(extension(identifier, &serde_json::json!({})).unwrap().get(), "{}", "{identifier}");
        }
        for identifier in [
            "plain",
            "",
            "/x",
            "com.example/",
            "1a/x",
            "com.example/_x",
            "io.modelcontextprotocol/ x",
            "a/b/c",
        ] {
            assert_eq!(
                extension(identifier, &serde_json::json!({})).unwrap_err().kind(),
                InvalidKind::MetaKey,
                "{identifier}"
            );
        }
        assert!(extension("com.example/a", &1).is_err());
    }

    #[test]
    fn meta_keys_of_the_protocol_are_refused() {
        for key in [
            "progressToken",
            "io.modelcontextprotocol/clientInfo",
            "com.mcp.tools/x",
            "1a/b",
            "a/-b",
            "traceparent",
            "tracestate",
            "baggage",
        ] {
            assert_eq!(meta_entry(key, &1).unwrap_err().kind(), InvalidKind::MetaKey, "{key}");
        }
        for key in ["Traceparent", "com.example/id", "com.example.mcp/x", "plain"] {
            assert_eq!(meta_entry(key, &1).unwrap().get(), "1", "{key}");
        }
    }
}
