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
pub(crate) use redacted_string;

redacted_string! {
    /// The text of one argument of a prompt or a completion. `Debug` shows its length only.
    pub struct ArgumentText;
}
