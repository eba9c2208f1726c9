//! String enums that accept values they do not know.

/// Defines an enum over known strings with a variant `Other` for the rest.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident {
            $( $(#[$vmeta:meta])* $Variant:ident = $text:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Name {
            $( $(#[$vmeta])* $Variant, )*
            /// A value that this crate does not know.
            Other(String),
        }

        impl $Name {
            /// The value as it is written in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$Variant => $text, )*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $Name {
            fn from(text: &str) -> Self {
                match text {
                    $( $text => Self::$Variant, )*
                    _ => Self::Other(text.to_owned()),
                }
            }
        }

        impl From<String> for $Name {
            fn from(text: String) -> Self {
                match text.as_str() {
                    $( $text => Self::$Variant, )*
                    _ => Self::Other(text),
                }
            }
        }

        impl ::std::fmt::Display for $Name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $Name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct TextVisitor;

                impl ::serde::de::Visitor<'_> for TextVisitor {
                    type Value = $Name;

                    fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        f.write_str(concat!("a string (", stringify!($Name), ")"))
                    }

                    fn visit_str<E: ::serde::de::Error>(self, text: &str) -> Result<$Name, E> {
                        Ok($Name::from(text))
                    }
                }

                deserializer.deserialize_str(TextVisitor)
            }
        }

        impl $crate::open_struct::Hint for $Name {
            fn read<'de, D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<$crate::open_struct::Hinted<Self>>, D::Error> {
                $crate::open_struct::read_text(deserializer, |text| $Name::from(text))
            }
        }
    };
}
pub(crate) use open_enum;
