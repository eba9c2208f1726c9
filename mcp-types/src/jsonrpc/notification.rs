//! Notifications of a known method.

use std::fmt;

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::envelope::{self, Envelope};
use crate::{NotificationMethod, RawMap};

/// A notification of the method `N`. Reading checks `jsonrpc` and `method`, and that there is no id.
#[non_exhaustive]
pub struct Notification<N: NotificationMethod> {
    /// The parameters.
    pub params: N::Params,
    /// Members that JSON-RPC does not name.
    pub extra: RawMap,
}

impl<N: NotificationMethod> Notification<N> {
    /// A notification.
    pub fn new(params: impl Into<N::Params>) -> Self {
        Self { params: params.into(), extra: RawMap::new() }
    }

    /// The name of the method.
    pub const fn method(&self) -> &'static str {
        N::NAME
    }
}

impl<N: NotificationMethod> Clone for Notification<N> {
    fn clone(&self) -> Self {
        Self { params: self.params.clone(), extra: self.extra.clone() }
    }
}

impl<N: NotificationMethod> PartialEq for Notification<N> {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params && self.extra == other.extra
    }
}

impl<N: NotificationMethod> fmt::Debug for Notification<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification")
            .field("method", &N::NAME)
            .field("params", &self.params)
            .field("extra", &self.extra)
            .finish()
    }
}

impl<N: NotificationMethod> Serialize for Notification<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope::write(
            serializer,
            |map| {
                map.serialize_entry("method", N::NAME)?;
                if N::leaves_out(&self.params) { Ok(()) } else { map.serialize_entry("params", &self.params) }
            },
            &self.extra,
        )
    }
}

impl<'de, N: NotificationMethod> Deserialize<'de> for Notification<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let envelope = Envelope::deserialize(deserializer)?;
        envelope.check_method(N::NAME)?;
        if envelope.id.is_some() {
            return Err(de::Error::custom("`id`: a notification has none"));
        }
        Ok(Self { params: envelope::parse_params(envelope.params.as_ref())?, extra: envelope.extra })
    }
}
