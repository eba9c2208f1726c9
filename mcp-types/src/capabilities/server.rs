//! What a server says it offers.

use crate::RawMap;
use crate::open_struct::{open_struct, raw_hints};

open_struct! {
    /// What a server offers.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ServerCapabilities {
        /// Capabilities outside of the protocol: name to object.
        hint "experimental" => experimental: RawMap;
        /// The server sends log messages. Deprecated in 2026-07-28.
        hint "logging" => logging: RawMap;
        /// The server completes arguments.
        hint "completions" => completions: RawMap;
        /// The server has prompts.
        hint "prompts" => prompts: PromptsCapability;
        /// The server has resources.
        hint "resources" => resources: ResourcesCapability;
        /// The server has tools.
        hint "tools" => tools: ToolsCapability;
        /// Extensions of the protocol: identifier to settings.
        hint "extensions" => extensions: RawMap;
    }
}

open_struct! {
    /// The server has prompts.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct PromptsCapability {
        /// The server says when the list changes; absent means no.
        hint "listChanged" => list_changed: bool;
    }
}

open_struct! {
    /// The server has resources.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ResourcesCapability {
        /// Single resources can be watched; absent means no.
        hint "subscribe" => subscribe: bool;
        /// The server says when the list changes; absent means no.
        hint "listChanged" => list_changed: bool;
    }
}

open_struct! {
    /// The server has tools.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ToolsCapability {
        /// The server says when the list changes; absent means no.
        hint "listChanged" => list_changed: bool;
    }
}

raw_hints!(ServerCapabilities, PromptsCapability, ResourcesCapability, ToolsCapability);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_with_unknown_members() {
        let text = r#"{"logging":{},"completions":{"x":1},"prompts":{},"resources":{"subscribe":true,"listChanged":false,"z":null},"tools":{"listChanged":true},"extensions":{"a/b":{}},"new":[1]}"#;
        let read: ServerCapabilities = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(read.dropped_hints().count(), 0);
    }

    #[test]
    fn null_is_absent_and_wrong_types_are_kept_aside() {
        let read: ServerCapabilities =
            serde_json::from_str(r#"{"tools":null,"prompts":[],"logging":"x"}"#).unwrap();
        assert_eq!(read.tools, None);
        assert_eq!(read.dropped_hints().collect::<Vec<_>>(), ["logging", "prompts"]);
        assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::json!({"prompts": [], "logging": "x"}));
    }
}
