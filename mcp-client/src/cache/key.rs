//! Under which text a result is kept, and which texts an event drops.

use std::{fmt, sync::Arc};

use hmac_sha256::Hash as Sha256;

use super::authorization::hex;

/// Under what a result is kept.
///
/// It stands for the server, the method, the parameters that decide the result (`cursor` or `uri`), what else the request says
/// (the caller's `_meta`, declared capabilities and extensions) and the credentials that it was got with; of public results
/// for all credentials. It is the same in every process and on every machine.
///
/// It holds no credentials but a digest of them. It does hold the URI of the resource, or the cursor, so `Debug` prints neither.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CacheKey {
    text: Arc<str>,
    method: &'static str,
    public: bool,
}

impl CacheKey {
    pub(super) fn new(text: Arc<str>, method: &'static str, public: bool) -> Self {
        Self { text, method, public }
    }

    /// The key as text: ASCII letters and digits and `-._~/:%=|`, so without a meaning in the patterns of stores.
    ///
    /// It is `mcp1|server|method|parameter|variant|credentials`, and may be some 24 KiB long, since servers choose the parameter;
    /// [`digest`](Self::digest) has a fixed length. The variant is empty for requests without `_meta` of the caller's that
    /// declare nothing.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The SHA-256 digest of the text as 64 hexadecimal digits in lower case: fit for the name of a file.
    pub fn digest(&self) -> String {
        hex(&Sha256::hash(self.text.as_bytes()))
    }

    /// The method whose result is kept.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Whether the result may be used for all credentials.
    pub fn is_public(&self) -> bool {
        self.public
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheKey")
            .field("method", &self.method)
            .field("public", &self.public)
            .field("text", &format_args!("{} bytes", self.text.len()))
            .finish()
    }
}

/// How much a selector selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Everything,
    Server,
    Method,
    /// All results of one request, whatever the credentials.
    Request,
    Key,
}

/// Which entries to drop: all whose key starts with a text.
#[derive(Clone, PartialEq, Eq)]
pub struct CacheSelector {
    prefix: Arc<str>,
    depth: Depth,
}

impl CacheSelector {
    pub(super) fn new(prefix: Arc<str>, depth: Depth) -> Self {
        Self { prefix, depth }
    }

    /// All entries of all servers.
    pub fn everything() -> Self {
        Self { prefix: Arc::from(""), depth: Depth::Everything }
    }

    /// One entry.
    pub fn one(key: &CacheKey) -> Self {
        Self { prefix: key.text.clone(), depth: Depth::Key }
    }

    /// What the [text](CacheKey::as_str) of the selected keys starts with; no text but that of a selected key does.
    pub fn as_prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether the key is selected.
    pub fn matches(&self, key: &CacheKey) -> bool {
        key.text.starts_with(&*self.prefix)
    }

    pub(super) fn depth(&self) -> Depth {
        self.depth
    }
}

impl fmt::Debug for CacheSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheSelector")
            .field("depth", &self.depth)
            .field("prefix", &format_args!("{} bytes", self.prefix.len()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_selectors_show_no_text() {
        let key = CacheKey::new("mcp1|s|resources/read|uri=secret||public".into(), "resources/read", true);
        assert_eq!(
            format!("{key:?}"),
            r#"CacheKey { method: "resources/read", public: true, text: 40 bytes }"#
        );
        assert_eq!(
            format!("{:?}", CacheSelector::one(&key)),
            "CacheSelector { depth: Key, prefix: 40 bytes }"
        );
        assert!(CacheSelector::one(&key).matches(&key) && CacheSelector::everything().matches(&key));
    }

    #[test]
    fn the_digest_is_that_of_the_text() {
        let key = CacheKey::new("abc".into(), "tools/list", true);
        // The example of FIPS 180-4.
        assert_eq!(key.digest(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
