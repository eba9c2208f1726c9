//! Strings whose `Debug` does not show them.

/// Defines a string that serialises as itself and whose `Debug` tells its length only.
macro_rules! redacted_string {
    ( $(#[$meta:meta])* pub struct $Name:ident; ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(transparent)]
        pub struct $Name(String);

        impl $Name {
            /// Wraps a string.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The string itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Gives the string back.
            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl From<String> for $Name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $Name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl ::std::fmt::Debug for $Name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!(stringify!($Name), "({} bytes)"), self.0.len())
            }
        }
    };
}

redacted_string! {
    /// The text of one argument of a prompt or a completion. `Debug` shows its length only.
    pub struct ArgumentText;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ClientCapabilities, CompleteParams, CompletionArgument, GetPromptParams, PromptReference,
        ProtocolVersion, RequestMeta,
    };

    #[test]
    fn arguments_stay_out_of_debug() {
        let meta = RequestMeta::new(ProtocolVersion::LATEST, ClientCapabilities::new());
        let prompt = GetPromptParams::new(meta.clone(), "p").with_argument("pin", "hunter2");
        let argument = CompletionArgument::new("pin", "hunter2");
        let complete =
            CompleteParams::new(meta, PromptReference::new("p"), argument).with_argument("old", "hunter2");
        for shown in [format!("{prompt:?}"), format!("{complete:?}")] {
            assert!(shown.contains("pin") && !shown.contains("hunter2"), "{shown}");
        }
        assert!(serde_json::to_string(&complete).unwrap().contains("hunter2"));
        assert_eq!(ArgumentText::new("é").into_string(), "é");
        assert_eq!(format!("{:?}", ArgumentText::from("é")), "ArgumentText(2 bytes)");
    }
}
