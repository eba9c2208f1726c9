//! Is an answer one to the request?

use std::{error::Error, fmt};

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitAction, ElicitRequest, ElicitRequestParams,
    ElicitResult, InputRequest, InputResponse, ListRootsResult, RawJson, RawMap,
};
use url::Url;

use super::sampling::{self, SamplingFault};
use crate::{
    form::{ElicitForm, FieldError, FieldFault, FormErrors},
    input_kinds::InputKinds,
    link::{ElicitLink, LinkFault},
};

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
    /// The accepted form has a field that is missing, or breaks the schema that was asked for:
    /// [`AnswerError::form_errors`] has every one.
    Misfit,
    /// There is content, but only an accepted form has any.
    Content,
    /// The link must not be opened, so it cannot be accepted. Plain `http` to another host is left to the caller.
    Link(LinkFault),
    /// The sampling request, or the answer to it, breaks the rules of the protocol.
    Sampling(SamplingFault),
    /// A root is no `file:` URI.
    Root {
        /// Which of the roots, counted from 0.
        number: usize,
    },
    /// The action is none of accept, decline and cancel.
    Action,
    /// The answer cannot be put into JSON.
    Unserializable,
}

/// An answer was refused; the continuation is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerError {
    key: String,
    fault: AnswerFault,
    form: Option<FormErrors>,
}

impl AnswerError {
    /// The key that was answered.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The first field of the form that does not fit.
    pub fn field(&self) -> Option<&str> {
        self.form.as_ref()?.iter().next().map(FieldError::field)
    }

    /// Everything that does not fit the form.
    pub fn form_errors(&self) -> Option<&FormErrors> {
        self.form.as_ref()
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
                write!(f, "the answer to `{key}` does not fit its form")?;
                self.form.iter().try_for_each(|errors| write!(f, ": {errors}"))
            }
            AnswerFault::Content => {
                write!(f, "the answer to `{key}` has content, which only an accepted form has")
            }
            AnswerFault::Link(fault) => write!(f, "`{key}` cannot be accepted: {fault}"),
            AnswerFault::Sampling(fault) => write!(f, "`{key}` cannot be answered so: {fault}"),
            AnswerFault::Root { number } => {
                write!(f, "root {number} of the answer to `{key}` is no `file:` URI")
            }
            AnswerFault::Action => {
                write!(f, "the action of the answer to `{key}` is none of accept, decline and cancel")
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
    let refuse = |fault| AnswerError { key: key.to_owned(), fault, form: None };
    let request = request.ok_or_else(|| refuse(AnswerFault::UnknownKey))?;
    let kind = InputKinds::of(request).ok_or_else(|| refuse(AnswerFault::UnknownRequest))?;
    if !declared.contains(kind) {
        return Err(refuse(AnswerFault::Undeclared));
    }
    let misfit = |fault| match fault {
        Misfit::Form(errors) => AnswerError { form: Some(errors), ..refuse(AnswerFault::Misfit) },
        Misfit::Other(fault) => refuse(fault),
    };
    match (request, answer) {
        (InputRequest::Elicit(asked), InputResponse::Elicit(result)) => {
            elicited(asked, result).map_err(misfit)?;
            if let Some(filled) = with_content(asked, result) {
                return RawJson::from_serialize(&filled).map_err(|_| refuse(AnswerFault::Unserializable));
            }
        }
        (InputRequest::Sample(asked), InputResponse::Sample(result)) => {
            sampled(&asked.params, Some(result)).map_err(refuse)?;
        }
        (InputRequest::ListRoots(_), InputResponse::ListRoots(result)) => listed(result).map_err(refuse)?,
        // Raw JSON is for those who know better than the types do. It must be an object, and where it reads as an answer to the
        // request it is judged like one.
        (InputRequest::Elicit(asked), InputResponse::Raw(raw)) if raw.is_object() => {
            if let Ok(result) = raw.parse() {
                elicited(asked, &result).map_err(misfit)?;
            }
        }
        (InputRequest::Sample(asked), InputResponse::Raw(raw)) if raw.is_object() => {
            sampled(&asked.params, raw.parse().ok().as_ref()).map_err(refuse)?;
        }
        (InputRequest::ListRoots(_), InputResponse::Raw(raw)) if raw.is_object() => {
            if let Ok(result) = raw.parse() {
                listed(&result).map_err(refuse)?;
            }
        }
        _ => return Err(refuse(AnswerFault::WrongKind)),
    }
    RawJson::from_serialize(answer).map_err(|_| refuse(AnswerFault::Unserializable))
}

/// Why an answer to a form or a link does not fit.
enum Misfit {
    Form(FormErrors),
    Other(AnswerFault),
}

fn elicited(asked: &ElicitRequest, result: &ElicitResult) -> Result<(), Misfit> {
    let no_content = || match result.content {
        Some(_) => Err(Misfit::Other(AnswerFault::Content)),
        None => Ok(()),
    };
    match (&result.action, &asked.params) {
        (ElicitAction::Accept, ElicitRequestParams::Form(form)) => {
            let form = ElicitForm::new(form);
            let empty = RawMap::new();
            let answers = result.content.as_ref().unwrap_or(&empty);
            // A schema allows members that it does not name: the server judges those.
            match form.validate(answers).err().and_then(|errors| errors.without(&FieldFault::UnknownField)) {
                Some(errors) => Err(Misfit::Form(errors)),
                None => Ok(()),
            }
        }
        (ElicitAction::Accept, ElicitRequestParams::Url(link)) => match ElicitLink::new(link) {
            // Such as a server in one's own network, which only the caller can know.
            Ok(_) | Err(LinkFault::Insecure) => no_content(),
            Err(fault) => Err(Misfit::Other(AnswerFault::Link(fault))),
        },
        (ElicitAction::Other(_), _) => Err(Misfit::Other(AnswerFault::Action)),
        _ => no_content(),
    }
}

fn sampled(
    asked: &CreateMessageRequestParams,
    result: Option<&CreateMessageResult>,
) -> Result<(), AnswerFault> {
    sampling::check_request(asked).map_err(AnswerFault::Sampling)?;
    result.map_or(Ok(()), |result| sampling::check_result(asked, result)).map_err(AnswerFault::Sampling)
}

/// Every root is a `file:` URI, and nothing that only looks like one.
fn listed(result: &ListRootsResult) -> Result<(), AnswerFault> {
    let is_file = |uri: &str| {
        let begins = uri.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"));
        begins && !uri.contains(|c: char| c.is_whitespace() || c.is_control()) && Url::parse(uri).is_ok()
    };
    match result.roots.iter().position(|root| !is_file(&root.uri)) {
        Some(number) => Err(AnswerFault::Root { number }),
        None => Ok(()),
    }
}

/// An accepted form that was given no content: it is sent with an empty one, since servers take its absence for no answer.
fn with_content(asked: &ElicitRequest, result: &ElicitResult) -> Option<ElicitResult> {
    let is_form = matches!(asked.params, ElicitRequestParams::Form(_));
    if !is_form || result.action != ElicitAction::Accept || result.content.is_some() {
        return None;
    }
    let mut filled = result.clone();
    filled.content = Some(RawMap::new());
    Some(filled)
}
