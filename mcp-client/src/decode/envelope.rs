//! The JSON-RPC envelope: is this the answer to the call?

use std::{borrow::Cow, fmt};

use mcp_types::{ErrorObject, RequestId};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    error::{EnvelopeFault, ProtocolFault},
    sse::SseParser,
};

/// A valid JSON-RPC response to the call.
pub(crate) enum Reply<'a> {
    /// It carries a result, of whatever shape.
    Result(&'a RawValue),
    /// It carries an error object. The id is `None` where it was absent or null.
    Error(ErrorObject, Option<RequestId>),
}

/// What an event of a stream is to the call that opened it.
pub(crate) enum Event<'a> {
    /// The answer.
    Reply(Reply<'a>),
    /// A notification, of a method, with its parameters.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// No JSON-RPC message, or one for another request: skipped and counted.
    Foreign,
}

/// Reads a whole answer.
pub(crate) fn reply<'a>(bytes: &'a [u8], id: &RequestId) -> Result<Reply<'a>, ProtocolFault> {
    let envelope = Envelope::read(bytes)?;
    judge(&envelope, id).map_err(ProtocolFault::InvalidEnvelope)
}

/// Reads one event of a stream. Only what is meant for this call can end it.
pub(crate) fn event<'a>(bytes: &'a [u8], id: &RequestId) -> Result<Event<'a>, ProtocolFault> {
    let Ok(envelope) = Envelope::read(bytes) else { return Ok(Event::Foreign) };
    if envelope.result.is_none() && envelope.error.is_none() {
        // A request of the server has no place here: it is never answered.
        let method = envelope.method.filter(|_| envelope.id.is_none() && envelope.is_version_2());
        let method = method.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let params = envelope.params;
        return Ok(method.map_or(Event::Foreign, |Key(method)| Event::Notification { method, params }));
    }
    let ours = match envelope.id.map(|raw| compare(raw, id)) {
        Some(IdMatch::Same | IdMatch::OtherType) => true,
        // A valid error without an id belongs to the exchange.
        Some(IdMatch::Null) | None => matches!(judge(&envelope, id), Ok(Reply::Error(..))),
        Some(IdMatch::Foreign) => false,
    };
    if !ours {
        return Ok(Event::Foreign);
    }
    judge(&envelope, id).map(Event::Reply).map_err(ProtocolFault::InvalidEnvelope)
}

/// What the body of an answer says whose status already decided.
#[derive(Default)]
pub(crate) struct ErrorBody {
    /// The JSON-RPC error in it. Its id is not compared.
    pub(crate) error: Option<ErrorObject>,
    /// The id beside it, where there was one that is not null.
    id: Option<Box<RawValue>>,
}

impl ErrorBody {
    /// Reads a JSON body, or the events of a stream: servers answer either way, whatever the status.
    pub(crate) fn read(bytes: &[u8], is_stream: bool) -> Self {
        if !is_stream {
            return Self::of_message(bytes).unwrap_or_default();
        }
        let mut parser = SseParser::new(bytes.len());
        parser.push(bytes);
        while let Ok(Some(event)) = parser.next_event() {
            if let Some(found) = Self::of_message(&event.data) {
                return found;
            }
        }
        Self::default()
    }

    fn of_message(bytes: &[u8]) -> Option<Self> {
        let envelope = Envelope::read(bytes).ok()?;
        if !envelope.is_version_2() || envelope.result.is_some() {
            return None;
        }
        let error = serde_json::from_str(envelope.error?.get()).ok()?;
        Some(Self { error: Some(error), id: envelope.id.map(ToOwned::to_owned) })
    }

    /// Whether there is an id, and it is not that of the call.
    pub(crate) fn has_foreign_id(&self, id: &RequestId) -> bool {
        let seen = self.id.as_deref().map(|raw| compare(raw, id));
        matches!(seen, Some(IdMatch::Foreign | IdMatch::OtherType))
    }
}

fn judge<'a>(envelope: &Envelope<'a>, id: &RequestId) -> Result<Reply<'a>, EnvelopeFault> {
    if let Some(name) = envelope.duplicate {
        return Err(EnvelopeFault::DuplicateMember(name));
    }
    if !envelope.is_version_2() {
        return Err(EnvelopeFault::Version);
    }
    let seen = envelope.id.map_or(IdMatch::Null, |raw| compare(raw, id));
    match (envelope.result, envelope.error, seen) {
        (_, _, IdMatch::OtherType) => Err(EnvelopeFault::IdType),
        (_, _, IdMatch::Foreign) | (Some(_), None, IdMatch::Null) => Err(EnvelopeFault::ForeignId),
        (Some(_), Some(_), _) => Err(EnvelopeFault::ResultAndError),
        (None, None, _) => Err(EnvelopeFault::NeitherResultNorError),
        (Some(result), None, IdMatch::Same) => Ok(Reply::Result(result)),
        (None, Some(error), _) => match serde_json::from_str::<ErrorObject>(error.get()) {
            Ok(error) => Ok(Reply::Error(error, (seen == IdMatch::Same).then(|| id.clone()))),
            Err(_) => Err(EnvelopeFault::InvalidError),
        },
    }
}

/// Whether a value is our id written as we write it, told without a copy. False means that it takes a closer look.
pub(crate) fn is_plainly(raw: &RawValue, id: &RequestId) -> bool {
    matches!(id, RequestId::Number(number) if raw.get().parse() == Ok(*number))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IdMatch {
    Same,
    /// Our value in another JSON type.
    OtherType,
    Null,
    Foreign,
}

/// Compares with the JSON type: `"1"` is not `1`, and `1.0` is.
fn compare(raw: &RawValue, id: &RequestId) -> IdMatch {
    if is_plainly(raw, id) {
        return IdMatch::Same;
    }
    match serde_json::from_str::<Option<RequestId>>(raw.get()) {
        Ok(None) => IdMatch::Null,
        Ok(Some(seen)) if seen == *id => IdMatch::Same,
        Ok(Some(RequestId::String(text))) if matches!(id, RequestId::Number(number) if text == number.to_string()) => {
            IdMatch::OtherType
        }
        Ok(Some(RequestId::Number(number))) if matches!(id, RequestId::String(text) if *text == number.to_string()) => {
            IdMatch::OtherType
        }
        // Fractions, numbers beyond 64 bits, booleans, lists: nothing that we ever sent.
        _ => IdMatch::Foreign,
    }
}

/// The members that make an envelope, as raw text.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    duplicate: Option<&'static str>,
}

impl<'a> Envelope<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, ProtocolFault> {
        // RFC 8259 §8.1 lets a reader skip a byte order mark.
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|_| ProtocolFault::MalformedJson)?;
        serde_json::from_str(text).map_err(|_| {
            let is_object = text.trim_start().starts_with('{');
            // Reading it to its end tells JSON that is no object from text that is no JSON.
            if !is_object && serde_json::from_str::<&RawValue>(text).is_ok() {
                ProtocolFault::InvalidEnvelope(EnvelopeFault::NotAnObject)
            } else {
                ProtocolFault::MalformedJson
            }
        })
    }

    fn is_version_2(&self) -> bool {
        // Compared as a value: the text may hold escapes.
        self.jsonrpc.is_some_and(|raw| {
            raw.get() == "\"2.0\"" || serde_json::from_str::<Key<'_>>(raw.get()).is_ok_and(|v| v.0 == "2.0")
        })
    }
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(Key(key)) = map.next_key()? {
            let value = map.next_value::<&RawValue>()?;
            let (slot, name) = match key.as_ref() {
                "jsonrpc" => (&mut envelope.jsonrpc, "jsonrpc"),
                "id" => (&mut envelope.id, "id"),
                "result" => (&mut envelope.result, "result"),
                "error" => (&mut envelope.error, "error"),
                "method" => (&mut envelope.method, "method"),
                "params" => (&mut envelope.params, "params"),
                _ => continue,
            };
            if slot.replace(value).is_some() && !matches!(name, "method" | "params") {
                envelope.duplicate = Some(name);
            }
        }
        Ok(envelope)
    }
}

/// A member name: borrowed where it holds no escapes. (Serde's own `Cow` always copies.)
pub(super) struct Key<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(name)))
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: RequestId = RequestId::Number(1);

    fn fault(body: &str) -> ProtocolFault {
        match reply(body.as_bytes(), &ID) {
            Ok(_) => panic!("{body} was accepted"),
            Err(fault) => fault,
        }
    }

    fn envelope_fault(body: &str) -> EnvelopeFault {
        match fault(body) {
            ProtocolFault::InvalidEnvelope(fault) => fault,
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_malformed() {
        for body in [
            "{unclosed",
            "",
            "{} {}",
            "nul",
            "[1,",
            "\"open",
            "<html>",
            "{\"a\":\"\u{1}\"}",
            "{\"a\":01}",
            "'a'",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        ] {
            assert_eq!(fault(body), ProtocolFault::MalformedJson, "{body}");
        }
        let bad_utf8 = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"x\":\"\xFF\"}";
        assert!(matches!(reply(bad_utf8, &ID), Err(ProtocolFault::MalformedJson)));
    }

    #[test]
    fn json_that_is_no_response_to_this_call_is_an_invalid_envelope() {
        use EnvelopeFault as F;
        for (body, expected) in [
            ("null", F::NotAnObject),
            ("true", F::NotAnObject),
            ("-7", F::NotAnObject),
            ("7", F::NotAnObject),
            ("1.5", F::NotAnObject),
            ("1e999999", F::NotAnObject),
            ("\"text\"", F::NotAnObject),
            ("[]", F::NotAnObject),
            (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, F::NotAnObject),
            ("{}", F::Version),
            (r#"{"id":1,"result":{}}"#, F::Version),
            (r#"{"jsonrpc":"1.0","id":1,"result":{}}"#, F::Version),
            (r#"{"jsonrpc":2.0,"id":1,"result":{}}"#, F::Version),
            (r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":""}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","result":{}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","id":true,"result":{}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#, F::ForeignId),
            (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, F::IdType),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#, F::ResultAndError),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, F::ResultAndError),
            (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":""}}"#, F::ResultAndError),
            (r#"{"jsonrpc":"2.0","id":1}"#, F::NeitherResultNorError),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, F::NeitherResultNorError),
            (r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#, F::DuplicateMember("id")),
            (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}"#, F::DuplicateMember("jsonrpc")),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"r\u0065sult":{}}"#, F::DuplicateMember("result")),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"error":1}"#,
                F::DuplicateMember("error"),
            ),
            (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, F::InvalidError),
            (r#"{"jsonrpc":"2.0","id":1,"error":[]}"#, F::InvalidError),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}"#, F::InvalidError),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}"#, F::InvalidError),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, F::InvalidError),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}"#, F::InvalidError),
        ] {
            assert_eq!(envelope_fault(body), expected, "{body}");
        }
    }

    #[test]
    fn a_result_is_kept_raw_and_1_0_is_1() {
        for body in [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[ 1 ]}",
            "\u{FEFF}{\"result\":[ 1 ],\"id\":1.0,\"jsonrpc\":\"2\\u002e0\",\"odd\":{\"id\":7}}",
            " {\"result\":[ 1 ],\"id\":1,\"jsonrpc\":\"2.0\"}\r\n",
        ] {
            match reply(body.as_bytes(), &ID).map_err(|fault| format!("{fault:?}")) {
                Ok(Reply::Result(raw)) => assert_eq!(raw.get(), "[ 1 ]"),
                Ok(Reply::Error(..)) => panic!("an error?"),
                Err(fault) => panic!("{body}: {fault}"),
            }
        }
    }

    #[test]
    fn an_error_without_an_id_belongs_to_the_exchange() {
        for id in ["", r#""id":null,"#, r#""id":1,"#] {
            let body =
                format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32602,"message":"m","data":[null]}}}}"#);
            let Ok(Reply::Error(error, seen)) = reply(body.as_bytes(), &ID) else { panic!("{body}") };
            assert_eq!((error.code, error.message.as_str()), (-32602, "m"));
            assert_eq!(error.data.as_ref().map(mcp_types::RawJson::get), Some("[null]"));
            assert_eq!(seen.is_some(), id.contains('1'));
        }
    }

    #[test]
    fn an_event_ends_the_call_only_if_it_is_meant_for_it() {
        let kind = |data: &str| match event(data.as_bytes(), &ID) {
            Ok(Event::Reply(Reply::Result(_))) => "result",
            Ok(Event::Reply(Reply::Error(..))) => "error",
            Ok(Event::Notification { .. }) => "notification",
            Ok(Event::Foreign) => "foreign",
            Err(ProtocolFault::InvalidEnvelope(_)) => "invalid",
            Err(_) => "other",
        };
        for (data, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "result"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#, "error"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, "error"),
            (r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#, "notification"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, "result"),
            (r#"{"jsonrpc":"2.0","error":{"code":"x","message":""}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","method":7}"#, "foreign"),
            (r#"{"method":"notifications/progress"}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":"x","result":{}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "foreign"),
            ("{unclosed", "foreign"),
            ("[]", "foreign"),
            ("ping", "foreign"),
            (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, "invalid"),
            (r#"{"id":1,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":1,"error":7}"#, "invalid"),
        ] {
            assert_eq!(kind(data), expected, "{data}");
        }
    }

    #[test]
    fn depth_overflows_no_stack() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(envelope_fault(&deep), EnvelopeFault::NotAnObject);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deep}}}"#);
        assert!(matches!(reply(body.as_bytes(), &ID), Ok(Reply::Result(_))));
        let body = format!(r#"{{"jsonrpc":"2.0","id":{deep},"result":{{}}}}"#);
        assert_eq!(envelope_fault(&body), EnvelopeFault::ForeignId);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"m","data":{deep}}}}}"#);
        assert!(matches!(reply(body.as_bytes(), &ID), Ok(Reply::Error(..))));
        let unclosed = "[".repeat(200_000);
        assert_eq!(fault(&unclosed), ProtocolFault::MalformedJson);
    }

    #[test]
    fn the_error_of_an_error_body_is_read_whatever_its_id_and_form() {
        let body = br#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32000,"message":"no"}}"#;
        let read = ErrorBody::read(body, false);
        assert_eq!(read.error.as_ref().map(|error| error.code), Some(-32000));
        assert!(read.has_foreign_id(&ID));
        let null = ErrorBody::read(br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, false);
        assert!(null.error.is_some() && !null.has_foreign_id(&ID));
        let stream = b"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n\
            data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"\"}}\n\n";
        let read = ErrorBody::read(stream, true);
        assert_eq!(read.error.as_ref().map(|error| error.code), Some(-32601));
        assert!(!read.has_foreign_id(&ID));
        for body in ["", "no", r#"{"error":{"code":1,"message":""}}"#, r#"{"jsonrpc":"2.0","error":"x"}"#] {
            assert!(ErrorBody::read(body.as_bytes(), false).error.is_none());
            assert!(ErrorBody::read(body.as_bytes(), true).error.is_none());
        }
    }
}
