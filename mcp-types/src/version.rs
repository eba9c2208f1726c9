//! Protocol versions.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the protocol that these types describe.
pub const LATEST_PROTOCOL_VERSION: &str = "2026-07-28";

/// A version of the protocol, as a date. Any string is accepted; versions order by their text, so dates by time.
///
/// ```
/// use mcp_types::ProtocolVersion;
///
/// assert!(ProtocolVersion::V2025_11_25 < ProtocolVersion::LATEST);
/// assert_eq!(ProtocolVersion::from("2026-07-28"), ProtocolVersion::LATEST);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion(Cow<'static, str>);

impl ProtocolVersion {
    /// 2026-07-28: stateless, without a handshake.
    pub const V2026_07_28: Self = Self(Cow::Borrowed(LATEST_PROTOCOL_VERSION));
    /// 2025-11-25.
    pub const V2025_11_25: Self = Self(Cow::Borrowed("2025-11-25"));
    /// 2025-06-18.
    pub const V2025_06_18: Self = Self(Cow::Borrowed("2025-06-18"));
    /// 2025-03-26.
    pub const V2025_03_26: Self = Self(Cow::Borrowed("2025-03-26"));
    /// 2024-11-05, the first one.
    pub const V2024_11_05: Self = Self(Cow::Borrowed("2024-11-05"));
    /// The newest version that this crate describes.
    pub const LATEST: Self = Self::V2026_07_28;

    /// All versions that have a constant here, the newest first.
    pub const KNOWN: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The version as it is written on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this crate has a constant for the version.
    pub fn is_known(&self) -> bool {
        Self::KNOWN.contains(self)
    }
}

impl Default for ProtocolVersion {
    /// [`LATEST`](Self::LATEST).
    fn default() -> Self {
        Self::LATEST
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ProtocolVersion {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ProtocolVersion {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ProtocolVersion {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl From<String> for ProtocolVersion {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl From<&'static str> for ProtocolVersion {
    fn from(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl Serialize for ProtocolVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ProtocolVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_versions_are_ordered_newest_first() {
        assert!(ProtocolVersion::KNOWN.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(ProtocolVersion::from("2024-11-05".to_owned()).is_known());
    }

    #[test]
    fn unknown_versions_are_kept() {
        let version: ProtocolVersion = serde_json::from_str("\"DRAFT-2027-v1\"").unwrap();
        assert!(!version.is_known());
        assert_eq!(version, "DRAFT-2027-v1");
        assert_eq!(serde_json::to_string(&version).unwrap(), "\"DRAFT-2027-v1\"");
        assert!(serde_json::from_str::<ProtocolVersion>("20260728").is_err());
    }
}
