//! Which input requests a client can answer.

use std::{fmt, ops::BitOr};

use mcp_types::{ClientCapabilities, ElicitRequestParams, InputRequest};

/// A set of kinds of input requests, declared to the server with each call.
///
/// The default is none, as the specification asks: declare only what your application can answer.
///
/// ```
/// use mcp_client::InputKinds;
///
/// let kinds = InputKinds::FORM | InputKinds::URL;
/// assert!(kinds.contains(InputKinds::FORM));
/// assert!(!kinds.contains(InputKinds::ROOTS));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct InputKinds(u8);

impl InputKinds {
    /// Nothing is declared.
    pub const NONE: Self = Self(0);
    /// Forms to be filled in (`elicitation/create`, mode `form`).
    pub const FORM: Self = Self(1);
    /// Links to be opened (`elicitation/create`, mode `url`).
    pub const URL: Self = Self(1 << 1);
    /// Messages from a language model (`sampling/createMessage`; deprecated since 2026-07-28).
    pub const SAMPLING: Self = Self(1 << 2);
    /// The roots of the workspace (`roots/list`; deprecated since 2026-07-28).
    pub const ROOTS: Self = Self(1 << 3);

    const NAMES: [(Self, &'static str); 4] = [
        (Self::FORM, "elicitation.form"),
        (Self::URL, "elicitation.url"),
        (Self::SAMPLING, "sampling"),
        (Self::ROOTS, "roots"),
    ];

    /// Whether all of the other set's kinds are in this one.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is declared.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds by name: `elicitation.form`, `elicitation.url`, `sampling`, `roots`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(kind, _)| self.contains(*kind)).map(|(_, name)| name)
    }

    /// The kind of that name, as [`names`](Self::names) gives them.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }

    /// The kind of a request; `None` for one that could not be decoded.
    pub(crate) fn of(request: &InputRequest) -> Option<Self> {
        match request {
            InputRequest::Elicit(elicit) => Some(match elicit.params {
                ElicitRequestParams::Url(_) => Self::URL,
                _ => Self::FORM,
            }),
            InputRequest::Sample(_) => Some(Self::SAMPLING),
            InputRequest::ListRoots(_) => Some(Self::ROOTS),
            _ => None,
        }
    }

    pub(crate) fn capabilities(self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::default();
        if self.contains(Self::FORM) || self.contains(Self::URL) {
            let mut elicitation = mcp_types::ElicitationCapability::default();
            elicitation.form = self.contains(Self::FORM).then(Default::default);
            elicitation.url = self.contains(Self::URL).then(Default::default);
            capabilities.elicitation = Some(elicitation);
        }
        if self.contains(Self::SAMPLING) {
            capabilities.sampling = Some(mcp_types::SamplingCapability::default());
        }
        if self.contains(Self::ROOTS) {
            capabilities.roots = Some(mcp_types::RootsCapability::default());
        }
        capabilities
    }
}

impl BitOr for InputKinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<InputKinds> for InputKinds {
    fn from_iter<I: IntoIterator<Item = InputKinds>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, BitOr::bitor)
    }
}

impl fmt::Debug for InputKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
