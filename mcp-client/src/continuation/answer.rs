//! Is an answer one to the request?

use std::{error::Error, fmt};

use mcp_types::{
    ElicitAction, ElicitRequest, ElicitRequestParams, ElicitResult, InputRequest, InputResponse, RawJson,
};

use super::form;

use crate::input_kinds::InputKinds;

/// Why an answer was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnswerFault {
    /// The server did not ask for that key.
    UnknownKey,
    /// The answer is of another kind than the request.
    WrongKind,
    /// The request needs a capability that was not declared for this call; a server must not send it.
    Undeclared,
    /// The request could not be decoded, so nothing can be known to answer it.
    UnknownRequest,
    /// The accepted form has a field that is missing, or breaks the schema that was asked for.
    Misfit,
    /// The answer cannot be put into JSON.
    Unserializable,
}

/// An answer was refused; the continuation is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerError {
    key: String,
    fault: AnswerFault,
    field: Option<String>,
}

impl AnswerError {
    /// The key that was answered.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The field of the form that does not fit.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Why the answer was refused.
    pub fn fault(&self) -> AnswerFault {
        self.fault
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.escape_debug();
        match self.fault {
            AnswerFault::UnknownKey => write!(f, "the server did not ask for `{key}`"),
            AnswerFault::WrongKind => write!(f, "the answer to `{key}` is of another kind than the request"),
            AnswerFault::Undeclared => {
                write!(f, "the request `{key}` is of a kind that was not declared for this call")
            }
            AnswerFault::UnknownRequest => write!(f, "the request `{key}` could not be decoded"),
            AnswerFault::Misfit => {
                let field = self.field.as_deref().unwrap_or_default().escape_debug();
                write!(f, "the answer to `{key}` does not fit its form at `{field}`")
            }
            AnswerFault::Unserializable => write!(f, "the answer to `{key}` cannot be put into JSON"),
        }
    }
}

impl Error for AnswerError {}

/// The answer as it goes over the wire: a bare result, without an envelope.
pub(super) fn check(
    key: &str,
    request: Option<&InputRequest>,
    declared: InputKinds,
    answer: &InputResponse,
) -> Result<RawJson, AnswerError> {
    let refuse = |fault| AnswerError { key: key.to_owned(), fault, field: None };
    let request = request.ok_or_else(|| refuse(AnswerFault::UnknownKey))?;
    let kind = InputKinds::of(request).ok_or_else(|| refuse(AnswerFault::UnknownRequest))?;
    if !declared.contains(kind) {
        return Err(refuse(AnswerFault::Undeclared));
    }
    let misfit = match (request, answer) {
        (InputRequest::Elicit(asked), InputResponse::Elicit(result)) => misfit(asked, result),
        (InputRequest::Sample(_), InputResponse::Sample(_))
        | (InputRequest::ListRoots(_), InputResponse::ListRoots(_)) => None,
        // Raw JSON is for those who know better than the types do. It must be an object, and where it reads as an answer to a
        // form it is judged like one.
        (InputRequest::Elicit(asked), InputResponse::Raw(raw)) if raw.is_object() => {
            raw.parse().ok().and_then(|result| misfit(asked, &result))
        }
        (_, InputResponse::Raw(raw)) if raw.is_object() => None,
        _ => return Err(refuse(AnswerFault::WrongKind)),
    };
    if misfit.is_some() {
        return Err(AnswerError { field: misfit, ..refuse(AnswerFault::Misfit) });
    }
    RawJson::from_serialize(answer).map_err(|_| refuse(AnswerFault::Unserializable))
}

/// The first field of an accepted form that does not fit.
fn misfit(asked: &ElicitRequest, result: &ElicitResult) -> Option<String> {
    match &asked.params {
        ElicitRequestParams::Form(form) if result.action == ElicitAction::Accept => {
            form::misfit(form, result.content.as_ref())
        }
        _ => None,
    }
}
