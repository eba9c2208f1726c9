//! The one way this crate writes structs for JSON objects that may carry more members than it knows.
//!
//! [`open_struct!`](open_struct) defines a struct with a field per known member and `extra` for all others.
//! Reading takes one pass, in any member order, and never buffers the object. The kinds of members:
//!
//! | kind | field | absent | `null` | wrong type |
//! |---|---|---|---|---|
//! | `required` | `T` | error | as `T` says | error |
//! | `integer` | `i64` | error | error | error; `5.0` is 5 |
//! | `optional` | `Option<T>` | `None` | `None` | error |
//! | `hint` | `Option<T>` | `None` | `None` | `None`, and the raw value goes to `extra` |
//! | `value` | `Option<RawJson>` | `None` | `Some(null)` | cannot be |
//! | `result_type` | `Option<ResultType>` | `None` | error | error |
//! | `@"name" = "tag"` | none | error | error | error |
//!
//! `input_type` is `result_type` with another default in `new`.

mod hint;
mod member;

pub(crate) use hint::{Hint, Hinted, raw_hints, read_hint, read_raw, read_text, settle_hint};
pub(crate) use member::{MemberName, check_tag, integer, member, next_integer, read_tag};

macro_rules! open_struct {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $( @ $tag_name:literal = $tag_value:literal; )?
            $( $(#[$fmeta:meta])* $kind:ident $name:literal => $field:ident : $ty:ty; )*
        }
    ) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub struct $Name {
            $( $(#[$fmeta])* pub $field: open_struct!(@type $kind $ty), )*
            /// Members that this type does not name, and hints that could not be read.
            pub extra: $crate::RawMap,
        }

        impl $Name {
            open_struct!(@new [] [] $( [$kind $field $ty] )*);

            /// The names of known members whose value could not be read; the raw value is in `extra`.
            pub fn dropped_hints(&self) -> impl Iterator<Item = &'static str> {
                const NAMES: &[&str] = &[$( $name, )*];
                let any = !self.extra.is_empty();
                NAMES.iter().copied().filter(move |name| any && !self.writes(name) && self.extra.contains_key(name))
            }

            /// Whether a member comes from a field, so that `extra` must not write it again.
            fn writes(&self, member: &str) -> bool {
                match member {
                    $( $tag_name => true, )?
                    $( $name => open_struct!(@is_set $kind self.$field), )*
                    _ => false,
                }
            }
        }

        impl ::serde::Serialize for $Name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $( map.serialize_entry($tag_name, $tag_value)?; )?
                $( open_struct!(@write $kind map $name self.$field); )*
                for (name, value) in &self.extra {
                    if !self.writes(name) {
                        map.serialize_entry(name, value)?;
                    }
                }
                map.end()
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ObjectVisitor;

                impl<'de> ::serde::de::Visitor<'de> for ObjectVisitor {
                    type Value = $Name;

                    fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        f.write_str(concat!("an object (", stringify!($Name), ")"))
                    }

                    fn visit_map<A: ::serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$Name, A::Error> {
                        $( let mut $field = None; )*
                        $( let mut tagged = open_struct!(@untagged $tag_name); )?
                        let mut extra = $crate::RawMap::new();
                        while let Some(key) = map.next_key::<$crate::open_struct::MemberName<'de>>()? {
                            match key.as_str() {
                                $( $tag_name => {
                                    tagged = Some($crate::open_struct::read_tag(&mut map, $tag_name, $tag_value)?);
                                } )?
                                $( $name => $field = open_struct!(@read $kind map $name $ty), )*
                                _ => extra.push_bounded(key.into_string(), map.next_value()?)?,
                            }
                        }
                        extra.settle();
                        $( $crate::open_struct::check_tag(tagged, $tag_name, $tag_value)?; )?
                        Ok($Name {
                            $( $field: open_struct!(@finish $kind $field $name extra), )*
                            extra,
                        })
                    }
                }

                deserializer.deserialize_map(ObjectVisitor)
            }
        }
    };

    (@type required $ty:ty) => { $ty };
    (@type integer $ty:ty) => { $ty };
    (@type $kind:ident $ty:ty) => { Option<$ty> };

    (@untagged $name:literal) => { None::<bool> };

    (@is_set required $field:expr) => { true };
    (@is_set integer $field:expr) => { true };
    (@is_set $kind:ident $field:expr) => { $field.is_some() };

    (@write required $map:ident $name:literal $field:expr) => { $map.serialize_entry($name, &$field)? };
    (@write integer $map:ident $name:literal $field:expr) => { $map.serialize_entry($name, &$field)? };
    (@write $kind:ident $map:ident $name:literal $field:expr) => {
        if let Some(value) = &$field {
            $map.serialize_entry($name, value)?;
        }
    };

    (@read required $map:ident $name:literal $ty:ty) => {
        Some($crate::open_struct::member::<A, $ty>(&mut $map, $name)?)
    };
    (@read integer $map:ident $name:literal $ty:ty) => {
        Some($crate::open_struct::next_integer(&mut $map, $name)?)
    };
    (@read optional $map:ident $name:literal $ty:ty) => {
        $crate::open_struct::member::<A, Option<$ty>>(&mut $map, $name)?
    };
    (@read hint $map:ident $name:literal $ty:ty) => {
        $crate::open_struct::read_hint::<A, $ty>(&mut $map)?
    };
    (@read value $map:ident $name:literal $ty:ty) => { Some($map.next_value::<$ty>()?) };
    (@read $kind:ident $map:ident $name:literal $ty:ty) => {
        Some($crate::open_struct::member::<A, $ty>(&mut $map, $name)?)
    };

    (@finish required $field:ident $name:literal $extra:ident) => {
        $field.ok_or_else(|| ::serde::de::Error::missing_field($name))?
    };
    (@finish integer $field:ident $name:literal $extra:ident) => {
        $field.ok_or_else(|| ::serde::de::Error::missing_field($name))?
    };
    (@finish hint $field:ident $name:literal $extra:ident) => {
        $crate::open_struct::settle_hint($field, $name, &mut $extra)
    };
    (@finish $kind:ident $field:ident $name:literal $extra:ident) => { $field };

    // `new`: one parameter for each required member.
    (@new [$($params:tt)*] [$($inits:tt)*] [required $field:ident $ty:ty] $($rest:tt)*) => {
        open_struct!(@new [$($params)* $field: impl Into<$ty>,] [$($inits)* $field: $field.into(),] $($rest)*);
    };
    (@new [$($params:tt)*] [$($inits:tt)*] [integer $field:ident $ty:ty] $($rest:tt)*) => {
        open_struct!(@new [$($params)* $field: $ty,] [$($inits)* $field,] $($rest)*);
    };
    (@new [$($params:tt)*] [$($inits:tt)*] [result_type $field:ident $ty:ty] $($rest:tt)*) => {
        open_struct!(@new [$($params)*] [$($inits)* $field: Some($crate::ResultType::Complete),] $($rest)*);
    };
    (@new [$($params:tt)*] [$($inits:tt)*] [input_type $field:ident $ty:ty] $($rest:tt)*) => {
        open_struct!(@new [$($params)*] [$($inits)* $field: Some($crate::ResultType::InputRequired),] $($rest)*);
    };
    (@new [$($params:tt)*] [$($inits:tt)*] [$kind:ident $field:ident $ty:ty] $($rest:tt)*) => {
        open_struct!(@new [$($params)*] [$($inits)* $field: None,] $($rest)*);
    };
    (@new [$($params:tt)*] [$($inits:tt)*]) => {
        /// Builds the object from its required members; a `resultType` gets its usual value, all else is absent.
        pub fn new($($params)*) -> Self {
            Self { $($inits)* extra: $crate::RawMap::new() }
        }
    };
}
pub(crate) use open_struct;
