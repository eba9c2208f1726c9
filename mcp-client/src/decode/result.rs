//! The result: complete, or a request for input.

use std::{borrow::Cow, fmt};

use mcp_types::{InputRequest, InputRequests, InputRequiredResult, RequestState, ResultType};
use serde::{
    Deserializer as _,
    de::{self, DeserializeOwned, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Members, opened::Opened};
use crate::{error::ProtocolFault, input_kinds::InputKinds, method::Answer, record::Note};

/// How strictly results are read, and what was declared for the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expect {
    /// Missing `content` beside `structuredContent`, and a null `isError`, are accepted and noted.
    pub(crate) lenient: bool,
    /// A missing `resultType` is an error.
    pub(crate) strict: bool,
    /// The input requests that were declared.
    pub(crate) declared: InputKinds,
}

/// What was odd, each oddity once.
#[derive(Debug, Default)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// A hostile answer cannot make the list long.
    const MAX: usize = 32;

    pub(crate) fn add(&mut self, note: Note) {
        if self.0.len() < Self::MAX && !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.0)
    }
}

/// A result that was decoded.
#[expect(clippy::large_enum_variant, reason = "it only passes through; what callers get is boxed")]
pub(crate) enum Decoded<R> {
    Complete(R),
    InputRequired(InputRequiredResult),
    /// A subscription began.
    Opened(Box<Opened>),
}

/// Says where a result is wrong, and how.
pub(crate) fn invalid(
    path: impl Into<Cow<'static, str>>,
    reason: impl Into<Cow<'static, str>>,
) -> ProtocolFault {
    ProtocolFault::InvalidResult { reason: reason.into(), path: path.into() }
}

/// Decodes a result into the type that the method implies. `resultType` is looked at first.
pub(crate) fn result<M: Answer>(
    raw: &RawValue,
    expect: Expect,
    notes: &mut Notes,
) -> Result<Decoded<M::Result>, ProtocolFault> {
    let members = Members::of(raw).map_err(|reason| invalid("result", reason))?;
    let result_type = match members.get("resultType", notes) {
        // The usual one needs no copy.
        Some(raw) if raw.get() == "\"complete\"" => Some(ResultType::Complete),
        Some(raw) => match serde_json::from_str::<ResultType>(raw.get()) {
            Ok(result_type) => Some(result_type),
            Err(_) => return Err(invalid("result.resultType", "it is not a string")),
        },
        None if expect.strict => return Err(invalid("result.resultType", "it is missing")),
        None => {
            notes.add(Note::MissingResultType);
            None
        }
    };
    match result_type {
        None | Some(ResultType::Complete) => {
            M::decode(raw, &members, result_type, expect, notes).map(Decoded::Complete)
        }
        Some(ResultType::InputRequired) if !M::MAY_ASK => {
            Err(invalid("result.resultType", "this method cannot ask for input"))
        }
        Some(ResultType::InputRequired) => {
            input_required(&members, expect, notes).map(Decoded::InputRequired)
        }
        Some(_) => Err(invalid("result.resultType", "no declared extension owns this value")),
    }
}

/// What a member must be for a result to be of any use.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    List,
    Object,
}

/// Decodes a result as the schema has it, after a look at the members without which it would be none.
pub(crate) fn as_it_is<R: DeserializeOwned>(
    raw: &RawValue,
    members: &Members<'_>,
    needed: &[(&'static str, Shape)],
    notes: &mut Notes,
) -> Result<R, ProtocolFault> {
    for (name, shape) in needed {
        let path = || format!("result.{name}");
        let (begins, what) = match shape {
            Shape::List => ('[', "it is not a list"),
            Shape::Object => ('{', "it is not an object"),
        };
        match members.get(name, notes) {
            None => return Err(invalid(path(), "it is missing")),
            Some(value) if !value.get().starts_with(begins) => return Err(invalid(path(), what)),
            Some(value) if matches!(shape, Shape::List) && !is_bounded(value) => {
                return Err(invalid(path(), "it has too many entries"));
            }
            Some(_) => {}
        }
    }
    // The parser's own words may quote values.
    serde_json::from_str(raw.get()).map_err(|error| {
        let path = needed.first().map_or("result".to_owned(), |(name, _)| format!("result.{name}"));
        let what = if error.is_data() {
            "it does not have the shape that the method promises"
        } else {
            "it is nested too deeply"
        };
        invalid(path, what)
    })
}

/// How many entries a list may have that is the point of a result: more in one answer serve nobody but an attacker of memory.
pub(super) const MAX_ENTRIES: usize = 65_536;

/// Whether a list has no more entries than are read; told before any of them takes its place in memory.
fn is_bounded(list: &RawValue) -> bool {
    struct Counted;

    impl<'de> Visitor<'de> for Counted {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MAX_ENTRIES} entries")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            let mut count = 0_usize;
            while seq.next_element::<&RawValue>()?.is_some() {
                count += 1;
                if count > MAX_ENTRIES {
                    return Err(de::Error::invalid_length(count, &self));
                }
            }
            Ok(())
        }
    }

    // Two bytes an entry at least: most lists need no look.
    list.get().len() / 2 < MAX_ENTRIES
        || serde_json::Deserializer::from_str(list.get()).deserialize_seq(Counted).is_ok()
}

fn input_required(
    members: &Members<'_>,
    expect: Expect,
    notes: &mut Notes,
) -> Result<InputRequiredResult, ProtocolFault> {
    let mut extra = members.others(&["_meta", "resultType", "inputRequests", "requestState"], notes);
    let requests = match members.get_non_null("inputRequests", notes) {
        Some(raw) => serde_json::from_str::<InputRequests>(raw.get()).map(Some).map_err(|_| {
            let is_object = raw.get().starts_with('{');
            let reason = if is_object { "it has too many members" } else { "it is not an object" };
            invalid("result.inputRequests", reason)
        })?,
        None => None,
    };
    let state = match members.get_non_null("requestState", notes) {
        Some(raw) => serde_json::from_str::<RequestState>(raw.get())
            .map(Some)
            .map_err(|_| invalid("result.requestState", "it is not a string"))?,
        None => None,
    };
    let requests = requests.filter(|requests| !requests.is_empty());
    if requests.is_none() && state.is_none() {
        return Err(invalid(
            "result",
            "it asks for input and has neither `inputRequests` nor `requestState`",
        ));
    }
    for (_, request) in requests.iter().flat_map(|requests| requests.iter()) {
        match InputKinds::of(request) {
            None if matches!(request, InputRequest::Unknown(_)) => notes.add(Note::UnknownInputRequest),
            Some(kind) if !expect.declared.contains(kind) => notes.add(Note::UndeclaredInputRequest),
            _ => {}
        }
    }
    let mut result = InputRequiredResult::new();
    result.meta = members.hint("_meta", &mut extra, notes);
    result.input_requests = requests;
    result.request_state = state;
    result.extra = extra;
    Ok(result)
}
