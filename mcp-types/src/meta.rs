//! The `_meta` member of requests, results, notifications and other objects.

pub mod key;

pub use key::{MetaKeyError, validate_key};

use crate::open_struct::{open_struct, raw_hints};
use crate::{
    ClientCapabilities, Implementation, LoggingLevel, ProgressToken, ProtocolVersion, RawMap, RequestId,
};

/// A `_meta` object whose keys the protocol does not define at this place.
pub type Meta = RawMap;
/// The schema's name for [`Meta`].
pub type MetaObject = Meta;

open_struct! {
    /// The `_meta` of a request: who asks, in which version, and what the client can do meanwhile.
    ///
    /// ```
    /// use mcp_types::{ClientCapabilities, Implementation, ProtocolVersion, RequestMeta};
    ///
    /// let meta = RequestMeta::new(ProtocolVersion::LATEST, ClientCapabilities::new())
    ///     .with_client_info(Implementation::new("my-agent", "1.2.0"))
    ///     .with_progress_token("upload-1");
    /// assert_eq!(meta.protocol_version, "2026-07-28");
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    pub struct RequestMeta {
        /// The version that the request is written in.
        required "io.modelcontextprotocol/protocolVersion" => protocol_version: ProtocolVersion;
        /// Who asks.
        hint "io.modelcontextprotocol/clientInfo" => client_info: Implementation;
        /// What the client can do while this request runs.
        required "io.modelcontextprotocol/clientCapabilities" => client_capabilities: ClientCapabilities;
        /// The least level of log messages to be sent; absent means none. Deprecated in 2026-07-28.
        hint "io.modelcontextprotocol/logLevel" => log_level: LoggingLevel;
        /// The token under which progress is to be reported; absent means not at all.
        hint "progressToken" => progress_token: ProgressToken;
    }
}

impl RequestMeta {
    /// Sets who asks.
    #[must_use]
    pub fn with_client_info(mut self, info: Implementation) -> Self {
        self.client_info = Some(info);
        self
    }

    /// Asks for progress under this token.
    #[must_use]
    pub fn with_progress_token(mut self, token: impl Into<ProgressToken>) -> Self {
        self.progress_token = Some(token.into());
        self
    }

    /// Asks for log messages of this level and above. Deprecated in 2026-07-28.
    #[must_use]
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }
}

open_struct! {
    /// The `_meta` of a result.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ResultMeta {
        /// Who answers.
        hint "io.modelcontextprotocol/serverInfo" => server_info: Implementation;
    }
}

open_struct! {
    /// The `_meta` of a notification.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct NotificationMeta {
        /// The id of the `subscriptions/listen` request that this notification belongs to.
        hint "io.modelcontextprotocol/subscriptionId" => subscription_id: RequestId;
    }
}

open_struct! {
    /// The `_meta` of the result that ends a subscription.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SubscriptionsListenResultMeta {
        /// Who answers.
        hint "io.modelcontextprotocol/serverInfo" => server_info: Implementation;
        /// The id of the `subscriptions/listen` request.
        required "io.modelcontextprotocol/subscriptionId" => subscription_id: RequestId;
    }
}

raw_hints!(ResultMeta, NotificationMeta);

/// The schema's name for [`RequestMeta`].
pub type RequestMetaObject = RequestMeta;
/// The schema's name for [`ResultMeta`].
pub type ResultMetaObject = ResultMeta;
/// The schema's name for [`NotificationMeta`].
pub type NotificationMetaObject = NotificationMeta;
/// The schema's name for [`SubscriptionsListenResultMeta`].
pub type SubscriptionsListenResultMetaObject = SubscriptionsListenResultMeta;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_request_meta_round_trips() {
        let value = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "n", "version": "v", "x": 1},
            "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
            "io.modelcontextprotocol/logLevel": "verbose",
            "progressToken": 7,
            "traceparent": "00-1-2-01",
            "com.example/k": {"deep": [null]},
        });
        let meta: RequestMeta = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(meta.progress_token, Some(ProgressToken::Number(7)));
        assert_eq!(meta.log_level, Some(LoggingLevel::Other("verbose".to_owned())));
        assert_eq!(meta.extra.len(), 2);
        assert_eq!(serde_json::to_value(&meta).unwrap(), value);
    }

    #[test]
    fn optional_reserved_keys_never_cost_the_message() {
        let value = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": "me",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/logLevel": {"a": [1]},
            "progressToken": 1.5,
        });
        let meta: RequestMeta = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(meta.dropped_hints().count(), 3);
        assert_eq!(serde_json::to_value(&meta).unwrap(), value);
        for wrong in [json!(1), json!([]), json!({"name": 1}), json!("x"), Value::Bool(true)] {
            let value = json!({ key::SERVER_INFO: wrong });
            let meta: ResultMeta = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(meta.server_info, None);
            assert_eq!(serde_json::to_value(&meta).unwrap(), value);
        }
    }

    #[test]
    fn required_keys_are_named_when_missing() {
        let error = serde_json::from_str::<RequestMeta>("{}").unwrap_err().to_string();
        assert!(error.contains(key::PROTOCOL_VERSION), "{error}");
    }
}
