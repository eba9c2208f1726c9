//! The members that JSON-RPC messages are made of.

use std::fmt;

use serde::de::{self, DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::JSONRPC_VERSION;
use crate::open_struct::MemberName;
use crate::{RawJson, RawMap, RequestId};

/// The members of a message before it is decided what it is. Reading checks `jsonrpc`.
pub(super) struct Envelope {
    /// May be `null`.
    pub(super) id: Option<RawJson>,
    pub(super) method: Option<String>,
    pub(super) params: Option<RawJson>,
    pub(super) result: Option<RawJson>,
    pub(super) error: Option<RawJson>,
    pub(super) extra: RawMap,
}

impl Envelope {
    /// The id of a message that must have one.
    pub(super) fn required_id<E: de::Error>(&mut self) -> Result<RequestId, E> {
        parse(&self.id.take().ok_or_else(|| E::missing_field("id"))?, "id")
    }

    /// The id of a message that may be without one; `null` counts as absent.
    pub(super) fn optional_id<E: de::Error>(&mut self) -> Result<Option<RequestId>, E> {
        self.id.take().filter(|id| !id.is_null()).map(|id| parse(&id, "id")).transpose()
    }

    /// Checks the method against the one that is expected.
    pub(super) fn check_method<E: de::Error>(&self, expected: &'static str) -> Result<(), E> {
        match self.method.as_deref() {
            Some(method) if method == expected => Ok(()),
            Some(method) => {
                Err(E::custom(format_args!("`method`: expected \"{expected}\", found \"{method}\"")))
            }
            None => Err(E::missing_field("method")),
        }
    }
}

/// Reads a member that was kept raw; an error names it.
pub(super) fn parse<T: DeserializeOwned, E: de::Error>(raw: &RawJson, name: &str) -> Result<T, E> {
    raw.parse().map_err(|error| E::custom(format_args!("`{name}`: {}", error.detail())))
}

/// Reads `params`, which may be absent if their type says so.
pub(super) fn parse_params<T: DeserializeOwned, E: de::Error>(raw: Option<&RawJson>) -> Result<T, E> {
    match raw {
        Some(raw) => parse(raw, "params"),
        None => {
            T::deserialize(de::value::UnitDeserializer::<E>::new()).map_err(|_| E::missing_field("params"))
        }
    }
}

/// Writes `jsonrpc`, the members that are there, then the others.
pub(super) fn write<S: Serializer>(
    serializer: S,
    members: impl FnOnce(&mut S::SerializeMap) -> Result<(), S::Error>,
    extra: &RawMap,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("jsonrpc", JSONRPC_VERSION)?;
    members(&mut map)?;
    for (name, value) in extra {
        if !matches!(name, "jsonrpc" | "id" | "method" | "params" | "result" | "error") {
            map.serialize_entry(name, value)?;
        }
    }
    map.end()
}

/// Writes a member if there is a value.
pub(super) fn entry<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EnvelopeVisitor;

        impl<'de> Visitor<'de> for EnvelopeVisitor {
            type Value = Envelope;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope, A::Error> {
                let mut version = None;
                let (mut id, mut method, mut result, mut error) = (None, None, None, None);
                let mut params = None;
                let mut extra = RawMap::new();
                while let Some(name) = map.next_key::<MemberName<'de>>()? {
                    match name.as_str() {
                        "jsonrpc" => once(&mut version, map.next_value()?, "jsonrpc")?,
                        "id" => once(&mut id, map.next_value()?, "id")?,
                        "method" => once(&mut method, map.next_value()?, "method")?,
                        "result" => once(&mut result, map.next_value()?, "result")?,
                        "error" => once(&mut error, map.next_value()?, "error")?,
                        "params" => params = Some(map.next_value()?),
                        _ => extra.push_bounded(name.into_string(), map.next_value()?)?,
                    }
                }
                extra.settle();
                let version: RawJson = version.ok_or_else(|| de::Error::missing_field("jsonrpc"))?;
                if version.parse_borrowed::<std::borrow::Cow<'_, str>>().ok().as_deref()
                    != Some(JSONRPC_VERSION)
                {
                    return Err(de::Error::custom("`jsonrpc`: must be \"2.0\""));
                }
                Ok(Envelope { id, method, params, result, error, extra })
            }
        }

        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

fn once<T, E: de::Error>(slot: &mut Option<T>, value: T, name: &'static str) -> Result<(), E> {
    if slot.replace(value).is_some() { Err(E::duplicate_field(name)) } else { Ok(()) }
}
