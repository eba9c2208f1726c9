//! The keys of `_meta`: those of the protocol, and the rules for one's own.

/// The version that a request is written in.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Who asks.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do while the request runs.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least level of log messages to be sent.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Who answers.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The subscription that a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The token under which progress is reported.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// Why a key must not be used in `_meta`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetaKeyError {
    /// A label before the slash does not start with a letter, end with a letter or digit, and have only letters,
    /// digits and hyphens between them.
    #[error("`{0}` is not a valid label in the prefix of a `_meta` key")]
    Label(String),
    /// The name after the slash does not start and end with a letter or digit, or has other characters than these,
    /// hyphens, underscores and dots.
    #[error("`{0}` is not a valid name of a `_meta` key")]
    Name(String),
    /// The prefix belongs to the protocol: its second label is `modelcontextprotocol` or `mcp`.
    #[error("the prefix `{0}/` of `_meta` keys is reserved for the protocol")]
    Reserved(String),
}

/// Checks that an application may use a key of its own in `_meta`: `name`, or `prefix/name` with a prefix of labels
/// separated by dots, such as `com.example/tenant`.
///
/// # Errors
///
/// When the key breaks the grammar, or its prefix is reserved for the protocol.
///
/// ```
/// use mcp_types::meta::validate_key;
///
/// assert!(validate_key("com.example/tenant").is_ok());
/// assert!(validate_key("io.modelcontextprotocol/tenant").is_err());
/// ```
pub fn validate_key(key: &str) -> Result<(), MetaKeyError> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        if let Some(bad) = prefix.split('.').find(|label| !is_label(label)) {
            return Err(MetaKeyError::Label(bad.to_owned()));
        }
        if matches!(prefix.split('.').nth(1), Some("modelcontextprotocol" | "mcp")) {
            return Err(MetaKeyError::Reserved(prefix.to_owned()));
        }
    }
    if is_name(name) { Ok(()) } else { Err(MetaKeyError::Name(name.to_owned())) }
}

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn is_name(name: &str) -> bool {
    name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.ends_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_may_be_used() {
        for key in [
            "traceparent",
            "a",
            "9",
            "a.b-c_d",
            "x/y",
            "com.example/",
            "com.example.mcp/k",
            "mcp/k",
            "modelcontextprotocol/k",
            "com.mcp-tools/k",
            "a1.b2-c3/0",
            "",
        ] {
            assert_eq!(validate_key(key), Ok(()), "{key}");
        }
    }

    #[test]
    fn keys_against_the_grammar() {
        for key in ["/k", "1a/k", "a-/k", "-a/k", "a..b/k", ".a/k", "a./k", "a_b/k", "é/k", "a b/k"] {
            assert!(matches!(validate_key(key), Err(MetaKeyError::Label(_))), "{key}");
        }
        for key in ["_a", "a_", "-a", "a-", ".", "a b", "a/b/c", "a/é", "com.example/_x", "a\n"] {
            assert!(matches!(validate_key(key), Err(MetaKeyError::Name(_))), "{key}");
        }
    }

    #[test]
    fn reserved_prefixes() {
        for key in [
            "io.modelcontextprotocol/x",
            "dev.mcp/x",
            "com.mcp.tools/x",
            "com.modelcontextprotocol.a/x",
            SERVER_INFO,
        ] {
            assert!(matches!(validate_key(key), Err(MetaKeyError::Reserved(_))), "{key}");
        }
    }
}
