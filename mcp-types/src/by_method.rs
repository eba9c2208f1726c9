//! The messages of each side, by method.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::method::{self, Method, NotificationMethod};
use crate::{JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, Notification, RawJson, Request};

macro_rules! by_method {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident($Generic:ident, $Any:ident, $Trait:ident) {
            $( $(#[$vmeta:meta])* $Variant:ident, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $Name {
            $( $(#[$vmeta])* $Variant(Box<$Generic<method::$Variant>>), )*
            /// A method that is not among these, or parameters that could not be read.
            Unknown($Any),
        }

        impl $Name {
            /// The name of the method.
            pub fn method(&self) -> &str {
                match self {
                    $( Self::$Variant(message) => message.method(), )*
                    Self::Unknown(message) => &message.method,
                }
            }
        }

        impl From<$Any> for $Name {
            fn from(message: $Any) -> Self {
                let known = match message.method.as_str() {
                    $( <method::$Variant as $Trait>::NAME => {
                        RawJson::from_serialize(&message).and_then(|raw| raw.parse()).map(Self::$Variant).ok()
                    } )*
                    _ => None,
                };
                known.unwrap_or(Self::Unknown(message))
            }
        }

        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$Variant(message) => message.serialize(serializer), )*
                    Self::Unknown(message) => message.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $Any::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

by_method! {
    /// A notification of a server. Reading fails only if it is no JSON-RPC notification.
    pub enum ServerNotification(Notification, JsonRpcNotification, NotificationMethod) {
        /// Nobody waits for a request any more.
        Cancelled,
        /// How far a request is.
        Progress,
        /// A log message. Deprecated in 2026-07-28.
        LoggingMessage,
        /// A resource changed.
        ResourceUpdated,
        /// The list of resources changed.
        ResourceListChanged,
        /// The list of tools changed.
        ToolListChanged,
        /// The list of prompts changed.
        PromptListChanged,
        /// What a subscription will bring.
        SubscriptionsAcknowledged,
    }
}

by_method! {
    /// A request of a client. Reading fails only if it is no JSON-RPC request.
    pub enum ClientRequest(Request, JsonRpcRequest, Method) {
        /// Which versions the server speaks and what it offers.
        Discover,
        /// Completes an argument.
        Complete,
        /// Gets a prompt.
        GetPrompt,
        /// A page of the prompts.
        ListPrompts,
        /// A page of the resources.
        ListResources,
        /// A page of the resource templates.
        ListResourceTemplates,
        /// Reads a resource.
        ReadResource,
        /// Brings notifications until it ends.
        SubscriptionsListen,
        /// Calls a tool.
        CallTool,
        /// A page of the tools.
        ListTools,
    }
}

impl From<JsonRpcNotification> for JsonRpcMessage {
    fn from(notification: JsonRpcNotification) -> Self {
        Self::Notification(notification)
    }
}

impl From<JsonRpcRequest> for JsonRpcMessage {
    fn from(request: JsonRpcRequest) -> Self {
        Self::Request(request)
    }
}
